//! Verifying a folder of answers to questions.

use super::outcome::Verified;
use crate::error::RunError;
use std::path::Path;

/// Checks the answers in the folder at `path` and their grades.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn verify(path: &Path) -> Result<Verified, RunError> {
    Err(RunError::usage(format!(
        "{0} holds answers to questions: `boardroom score TASK --predictions {0} --gold DIR` judges \
         them anew",
        path.display()
    )))
}
