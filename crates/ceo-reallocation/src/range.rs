//! The range of a setting.

use sim_core::ConfigError;
use std::fmt::Display;

/// Checks that `low <= value <= high`; NaN is in no range.
// A range test that is written as "not inside" and never as "outside": a comparison with
// NaN is false, so NaN would pass the second one.
pub(crate) fn within<T: PartialOrd + Display>(
    place: &str,
    value: T,
    low: T,
    high: T,
) -> Result<(), ConfigError> {
    if (&low..=&high).contains(&&value) {
        Ok(())
    } else {
        Err(ConfigError::new(
            place,
            format!("must be between {low} and {high}, got {value}"),
        ))
    }
}
