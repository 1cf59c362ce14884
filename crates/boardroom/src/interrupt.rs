//! What a signal to end (Ctrl-C, `SIGTERM`) does.
//!
//! While records are being written, the first signal sets a flag: what is under way is finished
//! and kept. At any other time, when the program sets something up or reads, there is nothing to
//! finish, and it ends at once. A second signal always ends it at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Number of [`Finishing`] values that are alive.
static FINISHING: AtomicUsize = AtomicUsize::new(0);

/// While it lives, the first signal only sets the flag. To be held by a loop that looks at the
/// flag, and by nothing else.
#[derive(Debug)]
pub struct Finishing(());

impl Finishing {
    /// From now on the flag is looked at.
    #[must_use]
    pub fn begin() -> Self {
        FINISHING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Finishing {
    fn drop(&mut self) {
        FINISHING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Takes a signal: sets `stop`, and says whether the program has to end at once.
pub fn ends_at_once(stop: &AtomicBool) -> bool {
    stop.swap(true, Ordering::SeqCst) || FINISHING.load(Ordering::SeqCst) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_signal_during_a_run_waits() {
        let stop = AtomicBool::new(false);
        let run = Finishing::begin();
        assert!(!ends_at_once(&stop));
        assert!(stop.load(Ordering::SeqCst));
        assert!(ends_at_once(&stop));
        drop(run);
        assert!(ends_at_once(&AtomicBool::new(false)));
    }
}
