//! Ranges for the numbers in plans of every kind, whether they come from a command line, a file or a
//! manifest.

use crate::error::RunError;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Most episodes of a run; further seeds are further runs.
pub const MAX_EPISODES: u64 = 10_000_000;

/// Checks that a whole number is within its range.
pub fn whole<N: PartialOrd + Display>(
    name: &str,
    value: &N,
    range: &RangeInclusive<N>,
) -> Result<(), RunError> {
    if range.contains(value) {
        return Ok(());
    }
    Err(RunError::usage(format!(
        "{name} must be {} to {}, not `{value}`",
        range.start(),
        range.end()
    )))
}
