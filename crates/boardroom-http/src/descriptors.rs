//! How many files this process may have open.

/// As many as are used at most: more would only cost memory for connections.
const MOST: u64 = 1 << 16;

/// What is assumed where the system does not say it.
#[cfg(not(unix))]
const DEFAULT: u64 = 1_024;

/// Raises the number of files that this process may have open (`RLIMIT_NOFILE`) to what the system permits,
/// and returns it.
pub(crate) fn raised() -> usize {
    usize::try_from(limit().min(MOST)).unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // `None` stands for no limit.
    let now = limit.current.unwrap_or(MOST);
    let wanted = limit.maximum.unwrap_or(MOST).min(MOST);
    if wanted <= now {
        return now;
    }
    // Only the soft limit: to raise the hard one needs privileges that a server should not have.
    let raised = Rlimit {
        current: Some(wanted),
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => wanted,
        Err(_) => now,
    }
}

#[cfg(not(unix))]
fn limit() -> u64 {
    DEFAULT
}
