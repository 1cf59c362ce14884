//! A computed number within 1 %.

use super::number::{authors_number, first_number};
use crate::snippet::SnippetRunner;

/// Allowed relative difference.
pub const RELATIVE: f64 = 0.01;

/// Right answers smaller than this are compared by the absolute difference.
// 1 % of 0 is 0, so that a computed 1e-17 would be wrong for 0.
pub const NEAR_ZERO: f64 = 1e-6;

/// Whether a number is right: within 1 % of the right one, inclusive; if the right one is smaller
/// than 1e-6, within `near_zero` of it.
///
/// The paper's text gives 1e-6 for `near_zero`, its code uses 0.01.
///
/// ```
/// use qa_scoring::rules::program::{NEAR_ZERO, is_close};
/// assert!(is_close(101.0, 100.0, NEAR_ZERO) && !is_close(101.1, 100.0, NEAR_ZERO));
/// assert!(!is_close(0.009, 0.0, NEAR_ZERO) && is_close(0.009, 0.0, 0.01));
/// ```
#[must_use]
pub fn is_close(given: f64, right: f64, near_zero: f64) -> bool {
    let difference = (given - right).abs();
    if right.abs() < NEAR_ZERO {
        difference <= near_zero
    } else {
        difference / right.abs() <= RELATIVE
    }
}

/// Whether a number is right by the strict rule: within 1 % of the right one, inclusive; where the right one is 0,
/// within 1e-6 of it. That the right answer is small does not make every small answer right.
///
/// ```
/// use qa_scoring::rules::program::is_within;
/// assert!(is_within(101.0, 100.0) && is_within(1e-7, 0.0));
/// assert!(!is_within(0.0, 1e-7));
/// ```
#[must_use]
pub fn is_within(given: f64, right: f64) -> bool {
    let difference = (given - right).abs();
    if right == 0.0 {
        difference <= NEAR_ZERO
    } else {
        difference / right.abs() <= RELATIVE
    }
}

/// The right number as the strict rule reads it: the whole text as a number, else the only number in it, else the first
/// one, as the published rule takes it.
#[must_use]
pub fn right_number(text: &str) -> Option<f64> {
    super::compare::right_number(text)
        .map(|number| number.value)
        .or_else(|| first_number(text))
}

/// The rule of the benchmark's code, with the absolute tolerance as a parameter (the code has 0.01, the
/// paper's text 1e-6).
pub fn authors(
    given: &str,
    right: &str,
    near_zero: f64,
    runner: Option<&mut (dyn SnippetRunner + '_)>,
) -> bool {
    let Some(right_value) = first_number(right) else {
        return given.trim().to_lowercase() == right.trim().to_lowercase();
    };
    authors_number(given, runner).is_some_and(|value| is_close(value, right_value, near_zero))
}
