//! Conditional boldness B (appendix C.2).

use super::compiled::CompiledProfile;

/// Boldness that a total of `r` earns under one profile \[points\].
#[inline]
pub(crate) fn bold(p: &CompiledProfile, r: f64, eps: f64) -> f64 {
    if r >= p.r_min - eps && r <= p.r_max + eps {
        p.weight
    } else if r < p.r_min {
        penalty(p.weight, p.kappa_under, (p.r_min - r) / p.r_min)
    } else {
        penalty(p.weight, p.kappa_over, (r - p.r_max) / p.r_max)
    }
}

/// Boldness outside of a range: `weight * max(0, 1 - kappa * distance)`, with the distance
/// relative to the border that was missed.
///
/// A relative distance makes two points weigh more in a narrow fragile range than in a wide easy
/// one, and the function is continuous at the border.
///
/// ```
/// // 10 pp under a transformation profile of 100 points and range 11 to 15.
/// let b = ceo_reallocation::score::penalty(100.0, 2.5, 1.0 / 11.0);
/// assert!((b - 77.2727).abs() < 1e-4);
/// ```
#[must_use]
pub fn penalty(weight: f64, kappa: f64, distance: f64) -> f64 {
    weight * (1.0 - kappa * distance).max(0.0)
}
