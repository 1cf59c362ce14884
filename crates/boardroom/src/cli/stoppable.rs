//! Work that ends when the user wants it, although it looks at no stop flag itself.

use crate::error::RunError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Time between two looks at the stop flag.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own and waits for it until the user stops the program: the
/// simulator knows of no signals, and some of its work takes minutes. Work that is given up runs on
/// until the program ends, so it must not write anything.
pub(super) fn stoppable<T: Send + 'static>(
    stop: &AtomicBool,
    work: impl FnOnce() -> Result<T, RunError> + Send + 'static,
) -> Result<T, RunError> {
    let (send, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens once the work was given up.
        let _ = send.send(work());
    });
    loop {
        check(stop)?;
        match done.recv_timeout(LOOK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(RunError::Failed(
                    "the work ended without a result".to_owned(),
                ));
            }
        }
    }
}

/// Whether the user wants to go on.
fn check(stop: &AtomicBool) -> Result<(), RunError> {
    if stop.load(Ordering::Relaxed) {
        return Err(RunError::Interrupted("nothing was finished".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_is_given_up() {
        let (never, wait) = std::sync::mpsc::channel::<()>();
        let stop = AtomicBool::new(false);
        let result = std::thread::scope(|threads| {
            threads.spawn(|| stop.store(true, Ordering::Relaxed));
            stoppable(&stop, move || Ok(wait.recv().is_ok()))
        });
        assert!(matches!(result, Err(RunError::Interrupted(_))));
        drop(never);
        let failed = stoppable(&AtomicBool::new(false), || {
            Err::<(), _>(RunError::usage("wrong"))
        });
        assert!(matches!(failed, Err(RunError::Usage(_))));
    }
}
