//! What happens when a class cannot be saved: it pauses, its pages say so, and the teacher decides.

use super::room::{Room, lock};
use super::store::Phase;
use run_engine::error::RunError;

/// Whether what the class is told is saved.
#[derive(Debug, Default)]
pub(super) struct Saving {
    /// Number of write errors that were seen.
    seen: u64,
    /// Why something is not saved, as long as it is not.
    fault: Option<String>,
    /// Whether the teacher wants to go on nevertheless.
    is_accepted: bool,
    /// Whether the file of the classroom is older than what it should hold.
    is_behind: bool,
}

impl Room {
    /// Stores the classroom. It goes on if that fails, and everybody is told.
    pub(super) fn store(&self) {
        let stored = self.try_store();
        lock(&self.saving).is_behind = stored.is_err();
        if let Err(e) = stored {
            self.sessions
                .report_unkept(format!("the classroom could not be saved: {e}"));
            self.note_faults();
        }
    }

    /// Why something is not saved, as long as it is not.
    pub(super) fn fault(&self) -> Option<String> {
        lock(&self.saving).fault.clone()
    }

    /// Whether the teacher goes on although something is not saved.
    pub(super) fn goes_on_unsaved(&self) -> bool {
        lock(&self.saving).is_accepted
    }

    /// Looks for new write errors. With the first one the class pauses, and all pages are told.
    pub(super) fn note_faults(&self) {
        let (count, last) = self.sessions.write_errors();
        let is_accepted = {
            let mut saving = lock(&self.saving);
            if saving.seen == count {
                return;
            }
            saving.seen = count;
            saving.fault = last;
            saving.is_accepted
        };
        if !is_accepted {
            let mut stored = self.stored();
            if stored.phase == Phase::Running {
                stored.phase = Phase::Paused;
            }
            drop(stored);
            self.stop_clocks();
        }
        self.notify(None);
    }

    /// Tries again to save what could not be saved. Whether everything is saved now.
    pub(super) fn save_again(&self) -> bool {
        self.note_faults();
        let is_behind = lock(&self.saving).is_behind;
        let class = if is_behind {
            self.try_store().map_err(|e| e.to_string())
        } else {
            Ok(())
        };
        if class.is_ok() {
            lock(&self.saving).is_behind = false;
        }
        let saved = class.and_then(|()| self.sessions.save_again());
        let mut saving = lock(&self.saving);
        match (saved, saving.fault.is_some()) {
            (Ok(()), true) => {
                (saving.fault, saving.is_accepted) = (None, false);
                drop(saving);
                self.notify(None);
                true
            }
            (Ok(()), false) => true,
            (Err(_), true) => false,
            (Err(why), false) => {
                drop(saving);
                self.sessions
                    .report_unkept(format!("the games could not be saved: {why}"));
                self.note_faults();
                false
            }
        }
    }

    /// Starts the games, or goes on after a pause. Where something cannot be saved, only if the teacher
    /// wants to go on without it (`unsaved`).
    pub(super) fn go_on(&self, unsaved: bool) -> Result<(), RunError> {
        if !self.save_again() {
            let mut saving = lock(&self.saving);
            saving.is_accepted = unsaved;
            if !unsaved {
                let why = saving.fault.clone().unwrap_or_default();
                return Err(RunError::usage(format!(
                    "the class is not saved ({why}); it can only go on without being saved"
                )));
            }
        }
        self.set_phase(Phase::Running)
    }
}
