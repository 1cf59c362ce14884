//! Verifying a folder of interviews.

use super::outcome::{Check, Verified};
use crate::error::RunError;
use crate::interview::folder::InterviewFolder;
use crate::interview::run;

/// Holds every recorded interview again and compares.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn verify(folder: &InterviewFolder) -> Result<Verified, RunError> {
    let mut found = Verified {
        torn: folder.torn,
        ..Verified::default()
    };
    match run::verify(folder) {
        Ok(count) => {
            found.records = count as u64;
            found.prove(Check::Replay, "every interview, held again");
        }
        Err(RunError::Failed(what)) => found.find(Check::Replay, "items.jsonl", what),
        Err(e) => return Err(e),
    }
    Ok(found)
}
