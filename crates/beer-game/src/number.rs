//! The two number formats of the dynamics: `f64` everywhere, `f32` for compact blocks of a batch.

use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// The operations that the arithmetic of a week uses.
pub(crate) trait Number:
    Copy
    + std::fmt::Debug
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// Nothing.
    const ZERO: Self;
    /// The smallest number next to which no fraction fits: 2^52 for doubles, 2^23 for singles.
    const NO_FRACTION: Self;
    /// The nearest number of this format.
    fn of(value: f64) -> Self;
    /// A whole number below 2^24, which both formats hold exactly.
    fn of_whole(units: u32) -> Self;
    /// The same number as a double.
    fn double(self) -> f64;

    /// The larger of two numbers; the second where one is not a number.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // Not `max` of the type, which has to look for NaN on each lane.
        if self > other { self } else { other }
    }

    /// The smaller of two numbers; the second where one is not a number.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    /// The nearest whole number, halves to even, of an amount from 0 to below
    /// [`NO_FRACTION`](Self::NO_FRACTION).
    ///
    /// The sum with that number has no room for a fraction and rounds it away. Unlike a library
    /// call this needs no branch and works on many lanes at once.
    #[inline(always)]
    fn nearest(self) -> Self {
        // The compiler may not simplify this: floating-point sums are not associative.
        (self + Self::NO_FRACTION) - Self::NO_FRACTION
    }

    /// The whole part of such an amount.
    #[inline(always)]
    fn whole(self) -> Self {
        // Down by one where it was rounded up, instead of a library call for each lane.
        let nearest = self.nearest();
        nearest
            - if nearest > self {
                Self::of(1.0)
            } else {
                Self::ZERO
            }
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;
    const NO_FRACTION: Self = 4_503_599_627_370_496.0;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn of_whole(units: u32) -> Self {
        Self::from(units)
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

impl Number for f32 {
    const ZERO: Self = 0.0;
    const NO_FRACTION: Self = 8_388_608.0;

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "that is what the format is for"
    )]
    fn of(value: f64) -> Self {
        value as Self
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^24")]
    fn of_whole(units: u32) -> Self {
        units as Self
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<N: Number>(amounts: &[f64]) {
        for &amount in amounts {
            assert_eq!(
                N::of(amount).whole().double(),
                amount.trunc(),
                "whole part of {amount}"
            );
            let nearest = N::of(amount).nearest().double();
            assert_eq!(nearest, amount.round_ties_even(), "nearest to {amount}");
        }
    }

    #[test]
    fn whole_and_nearest() {
        let amounts = [
            0.0,
            0.25,
            0.5,
            0.75,
            1.0,
            1.5,
            2.5,
            2.75,
            3.5,
            1_000_000.5,
            2_097_151.75,
        ];
        check::<f64>(&amounts);
        check::<f32>(&amounts);
        check::<f64>(&[1e12 + 0.75, 1e12 - 0.25]);
    }
}
