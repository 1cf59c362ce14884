//! Ranges that the numbers of plans of every kind must lie in, whether a command line, a file or a
//! manifest names them.

use crate::error::RunError;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Most streams of questions or interviews: each is a pass over all of them.
pub(crate) const MOST_STREAMS: u64 = 1_000;

/// A whole number within its range.
pub(crate) fn whole<N: PartialOrd + Display>(
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
