//! What an input may take, and how it is measured.

use crate::watch::Watch;

/// Memory that an input may take (bytes).
pub const MEMORY: u64 = 1 << 30;

/// Time that an input may take (seconds).
pub const SECONDS: f64 = 10.0;

/// Times that limit after which an input counts as hung though it took little processor time: it waits for
/// something, or others keep the machine busy.
pub const BUSY: f64 = 30.0;

/// Above this size a worker is replaced by a new one: what earlier inputs left behind must not be
/// laid at the door of a later one (bytes).
pub const STALE: u64 = MEMORY / 2;

/// Ends this process when it asks for much more memory than an input may take.
pub fn cap_memory() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        // Above the limit, so that an input that takes somewhat too much ends in a measured verdict
        // with its number of megabytes. Only one that runs away ends its process.
        let most = Some(MEMORY + MEMORY / 2);
        let limit = Rlimit {
            current: most,
            maximum: most,
        };
        // Without the limit the measurement after each input still stands.
        let _ = setrlimit(Resource::Data, limit);
    }
}

/// Begins a new measurement of the largest size of this process.
pub fn forget_peak() {
    // Linux only; elsewhere the peak is that of the whole process.
    // 5 resets the peak (`VmHWM`) and nothing else.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest size of this process since [`forget_peak`], and its size now (bytes); 0 where the
/// system does not tell.
#[must_use]
pub fn sizes() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) << 10
    };
    (of("VmHWM:"), of("VmRSS:"))
}

/// Processor time of the process `id` (seconds); `None` where the system does not tell.
#[must_use]
pub fn processor_time(id: u32) -> Option<f64> {
    /// Ticks a second, as Linux reports them to programs on every platform.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name may hold blanks; what follows its bracket does not.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok().map(f64::from);
    // `utime` and `stime`, the fields 14 and 15 of the whole line.
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

/// Whether process `id` takes more than `most` seconds of processor time `since` then, when it had taken
/// `before`, or waits for much longer than that.
#[must_use]
pub fn takes_more(since: Watch, before: f64, id: u32, most: f64) -> bool {
    // Where the system does not tell, elapsed time alone decides.
    let own = processor_time(id).map_or(f64::MAX, |now| now - before);
    (since.seconds() > most && own > most) || since.seconds() > most * BUSY
}
