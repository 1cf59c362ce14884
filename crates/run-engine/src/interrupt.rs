//! Handles the signals that end the program (Ctrl-C, `SIGTERM`).
//!
//! While records are being written, the first signal only sets a flag: work in progress is finished
//! and saved. At any other time, as during set-up or reading, there is nothing to finish, and the
//! program ends at once. A second signal always ends the program at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Number of [`Finishing`] values that are alive.
static FINISHING: AtomicUsize = AtomicUsize::new(0);

/// What is told where a signal ends the program at once.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// Text that is told if a signal ends the program at once while this value exists, such as how to continue.
#[derive(Debug)]
pub struct LastWords(());

impl LastWords {
    /// From now on `text` is told; it replaces what another value says.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self::set(Some(text));
        Self(())
    }

    /// The text that is to be told now.
    #[must_use]
    pub fn now() -> Option<String> {
        let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        words.clone()
    }

    fn set(text: Option<String>) {
        *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        Self::set(None);
    }
}

/// From now on, a file that must not grow any more (`ulimit -f`) is an error of the write, as a full disk is. By
/// default the signal for it ends the program, and a class would lose its games.
///
/// # Errors
/// When the system does not permit it.
#[cfg(unix)]
pub fn survive_limits_of_files() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let _entered = runtime.enter();
    let limit = rustix::process::Signal::XFSZ.as_raw();
    // What handles it stays when this is dropped.
    signal(SignalKind::from_raw(limit)).map(drop)
}

/// The same where there is no such limit.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn survive_limits_of_files() -> std::io::Result<()> {
    Ok(())
}

/// As long as a value of this type exists, the first signal only sets the flag. Only a loop that checks
/// the flag may hold one.
#[derive(Debug)]
pub struct Finishing(());

impl Finishing {
    /// Declares that the caller checks the flag from now on.
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

/// Handles a signal: sets `stop` and returns whether the program must end at once.
pub fn ends_at_once(stop: &AtomicBool) -> bool {
    // A flag that was set before makes this the second signal.
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

    #[test]
    fn last_words_are_told_as_long_as_they_apply() {
        let words = LastWords::new("it goes on".to_owned());
        assert_eq!(LastWords::now().as_deref(), Some("it goes on"));
        drop(words);
        assert_eq!(LastWords::now(), None);
    }
}
