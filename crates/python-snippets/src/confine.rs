//! Limits of the operating system on a worker.

use std::io;

/// Permanently limits this process: its address space to `memory` bytes, its open files and
/// processes to the present ones. Further requests fail.
#[cfg(unix)]
pub(super) fn limits(memory: u64) -> io::Result<()> {
    // Standard input, output and error are open; no further descriptor can be opened.
    with(memory, 3)
}

/// The same with up to `files` open files.
#[cfg(unix)]
pub(super) fn with(memory: u64, files: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let to = |resource, value| {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        setrlimit(resource, limit).map_err(io::Error::from)
    };
    to(Resource::As, memory)?;
    to(Resource::Core, 0)?;
    to(Resource::Fsize, 0)?;
    to(Resource::Nproc, 0)?;
    to(Resource::Nofile, files)
}

/// On systems without such limits nothing is run.
#[cfg(not(unix))]
pub(super) fn limits(_memory: u64) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "programs are run on Unix only: memory cannot be limited here",
    ))
}
