//! Comparison of two outputs.

use crate::snippet::SnippetValue;

/// Allowed difference, relative to the larger of the two and absolute (as `math.isclose`).
const TOLERANCE: f64 = 1e-4;

/// Whether two outputs agree: numbers within 1e-4 (relative or absolute), lists and dictionaries part
/// by part, everything else as text without regard to case.
///
/// ```
/// use qa_scoring::formula_eval::equal;
/// use qa_scoring::snippet::SnippetValue::{Float, Int, None};
/// assert!(equal(&Float(1.000_05), &Int(1)));
/// assert!(!equal(&None, &Float(1.0)));
/// ```
#[must_use]
pub fn equal(given: &SnippetValue, wanted: &SnippetValue) -> bool {
    use SnippetValue as V;
    if let (Some(a), Some(b)) = (given.number(), wanted.number()) {
        return is_close(a, b);
    }
    match (given, wanted) {
        (V::List(a), V::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (V::Map(a), V::Map(b)) => {
            a.len() == b.len()
                && b.iter().all(|(key, wanted)| {
                    a.iter()
                        .find(|(name, _)| name == key)
                        .is_some_and(|(_, given)| equal(given, wanted))
                })
        }
        _ => given.text().trim().to_lowercase() == wanted.text().trim().to_lowercase(),
    }
}

/// As Python's `math.isclose` with both tolerances of 1e-4.
fn is_close(a: f64, b: f64) -> bool {
    // Equal infinities agree, although their difference is NaN.
    let same = a == b;
    let difference = (a - b).abs();
    same || (difference.is_finite()
        && (difference <= TOLERANCE * a.abs().max(b.abs()) || difference <= TOLERANCE))
}
