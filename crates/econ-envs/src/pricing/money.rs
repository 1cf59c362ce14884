//! Rounding to cents, as in the record of a run.
//!
//! Formatting a number with two decimals and reading it back is the definition of the
//! rounding, since it is what the authors' record does. Formatting is slow, so an
//! arithmetic shortcut is used wherever it is certain to agree.

/// Adding and subtracting 1.5 * 2^52 rounds any number below 2^51 to the nearest whole number: the sum
/// has no bits left for a fraction.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// 2^43: values from here on are not rounded.
const LIMIT: f64 = 8_796_093_022_208.0;

/// `value` rounded to two decimals: to the nearest such number, and to the even one when the value
/// lies exactly between two (which only binary fractions such as 0.125 do).
///
/// The authors' history shows rounded numbers and their score sums rounded profits, so the
/// rounding is part of the environment. Values beyond 2^43 are returned as they are.
#[must_use]
pub fn round_cents(value: f64) -> f64 {
    let (rounded, sure) = quick(value);
    if sure {
        return rounded;
    }
    let (rounded, sure) = large(value);
    if sure {
        return rounded;
    }
    if value.abs() >= LIMIT || value.is_nan() {
        return value;
    }
    format!("{value:.2}").parse().unwrap_or(value)
}

/// [`round_cents`] of all values.
// Inlined, so that callers compiled for wider vectors use these here too.
#[inline(always)]
pub(super) fn round_all<const N: usize>(values: &mut [f64; N]) {
    let before = *values;
    let mut all_sure = true;
    for value in values.iter_mut() {
        let (rounded, sure) = quick(*value);
        *value = rounded;
        all_sure &= sure;
    }
    if !all_sure {
        *values = before.map(round_cents);
    }
}

/// Values with fewer hundredths than this are rounded by [`quick`]: 2^26.
const FEW: f64 = 67_108_864.0;

/// The nearest number of two decimals, and whether that is certain; never certain from 671,088 on.
///
/// The product with 100 is off by at most half a unit in its last place, so the result can be wrong
/// only within that distance of a tie. There the decimal expansion decides.
#[inline(always)]
fn quick(value: f64) -> (f64, bool) {
    // Below FEW hundredths half a unit in the last place is less than 1e-8.
    const SURE: f64 = 0.5 - 4e-8;
    let hundredfold = value * 100.0;
    let nearest = (hundredfold + SHIFT) - SHIFT;
    let sure = ((hundredfold - nearest).abs() < SURE) & (nearest.abs() < FEW);
    (hundredth(nearest), sure)
}

/// `whole / 100`, for whole numbers below [`FEW`].
///
/// Two products and a sum take a quarter of the time of a division. 1/100 is split into a part of 26
/// binary digits, whose product with a number of 26 digits is exact, and a rest that is known to 53
/// digits: the sum is rounded once, and before that it is wrong by less than one part in 2^77. No
/// quotient by 100 is that close to the middle of two doubles, so the result is the nearest double.
#[inline(always)]
fn hundredth(whole: f64) -> f64 {
    const FIRST: f64 = f64::from_bits(0.01_f64.to_bits() & !((1 << 27) - 1));
    // Both the product and the difference are exact.
    const REST: f64 = (1.0 - 100.0 * FIRST) / 100.0;
    whole * FIRST + whole * REST
}

/// As [`quick`], for values up to [`LIMIT`].
fn large(value: f64) -> (f64, bool) {
    let hundredfold = value * 100.0;
    let nearest = (hundredfold + SHIFT) - SHIFT;
    let from_tie = 0.5 - (hundredfold - nearest).abs();
    let sure = from_tie > 1e-9 + hundredfold.abs() * 4.5e-16;
    (nearest / 100.0, sure & (value.abs() < LIMIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_and_near_ties() {
        for (value, want) in [
            (0.125, 0.12),
            (0.375, 0.38),
            (2.675, 2.67), // binary 2.67499999...
            (1.005, 1.0),
            (-0.125, -0.12),
            (24.764_8, 24.76),
            (0.0, 0.0),
            (1e300, 1e300),
        ] {
            assert_eq!(round_cents(value), want, "{value}");
        }
    }

    /// Every whole number for which the products replace the division.
    #[test]
    fn hundredths_are_quotients() {
        for whole in 0..67_108_864_u32 {
            let whole = f64::from(whole);
            assert!(whole < FEW);
            assert_eq!(
                hundredth(whole).to_bits(),
                (whole / 100.0).to_bits(),
                "{whole}"
            );
        }
        assert_eq!(hundredth(-7.0), -0.07);
    }

    /// The quick path against the decimal expansion.
    #[test]
    fn agrees_with_the_decimal_expansion() {
        let mut x = 1_u64;
        for _ in 0..20_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = (x >> 40) as f64 / 1000.0 - 8000.0;
            let slow: f64 = format!("{value:.2}").parse().unwrap();
            assert_eq!(round_cents(value), slow, "{value}");
            let mut many = [value, -value, 0.125, f64::INFINITY];
            round_all(&mut many);
            assert_eq!(many, [slow, -slow, 0.12, f64::INFINITY]);
            let mut sure = [value, 12.5, 7e6 + 0.004];
            round_all(&mut sure);
            assert_eq!(sure, [slow, 12.5, 7e6]);
        }
    }
}
