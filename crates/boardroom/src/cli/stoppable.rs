//! Lets the user stop work that does not check the stop flag itself.

use run_engine::error::RunError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Time between two checks of the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` on a separate thread and waits for it until the user stops the program: the simulator
/// does not handle signals, and some of its work takes minutes. Abandoned work continues until the
/// program ends, so it must not write anything.
pub(super) fn stoppable<T: Send + 'static>(
    stop: &AtomicBool,
    work: impl FnOnce() -> Result<T, RunError> + Send + 'static,
) -> Result<T, RunError> {
    let (send, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // Nobody receives the result after the work was abandoned.
        let _ = send.send(work());
    });
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Interrupted("nothing was finished".to_owned()));
        }
        match done.recv_timeout(POLL_INTERVAL) {
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
