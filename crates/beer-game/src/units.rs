//! Amounts of beer as text and as JSON.
//!
//! Amounts are doubles, because some published opponents order fractions; most are whole numbers
//! and are written as such (`400`, not `400.0`).

use serde::Serializer;

/// Largest amount that a single order can have \[units\].
///
/// No published setting comes near it (the largest order in a golden game is below 1e10). It
/// keeps games with runaway opponents finite, and every whole amount exact in a double over the
/// longest permitted game.
pub(crate) const LARGEST_AMOUNT: f64 = 1e12;

/// Whole amounts below 2^53 as integers, others as they are.
#[expect(
    clippy::cast_possible_truncation,
    reason = "whole and below 2^53 in that branch"
)]
fn whole(units: f64) -> Option<i64> {
    (units.abs() < 9_007_199_254_740_992.0 && units.trunc() == units).then_some(units as i64)
}

/// For `#[serde(serialize_with)]`: a whole amount as an integer.
///
/// # Errors
/// Those of the serializer.
pub(crate) fn serialize<S: Serializer>(units: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match whole(*units) {
        // Both forms mean the same number to a reader of JSON, but 400 is what a model is shown and
        // writes.
        Some(n) => serializer.serialize_i64(n),
        None => serializer.serialize_f64(*units),
    }
}

/// The amount for a reader: whole numbers plainly, others with two decimals.
#[must_use]
pub(crate) fn text(units: f64) -> String {
    match whole(units) {
        Some(n) => n.to_string(),
        None => format!("{units:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_amounts_look_whole() {
        assert_eq!(text(400.0), "400");
        assert_eq!(text(-0.0), "0");
        assert_eq!(text(7154.6875), "7154.69");
        let mut out = Vec::new();
        let mut json = serde_json::Serializer::new(&mut out);
        serialize(&12.0, &mut json).unwrap();
        assert_eq!(out, b"12");
    }
}
