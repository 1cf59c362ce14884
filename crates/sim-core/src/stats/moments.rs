//! Mean, standard deviation and quantiles of a sample.

/// A mean that takes one value after the other, for samples that are too large to keep.
///
/// Its sum has a running correction for what rounding drops (Neumaier's variant of Kahan's sum), so the error does not
/// grow with the number of values, and the mean of a million costs hardly depends on the order in which shards
/// delivered them.
///
/// ```
/// let mut mean = sim_core::stats::RunningMean::default();
/// [46.0, 50.0, 54.0, 54.0].into_iter().for_each(|cost| mean.add(cost));
/// assert_eq!((mean.value(), mean.count()), (Some(51.0), 4));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RunningMean {
    sum: f64,
    lost: f64,
    count: u64,
}

impl RunningMean {
    /// Takes a value.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let next = self.sum + value;
        // Digits are lost from the smaller of the two numbers. Kahan's own sum takes the value for
        // the smaller one and fails where it is not.
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - next) + value
        } else {
            (value - next) + self.sum
        };
        self.sum = next;
        self.count += 1;
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; absent without values or where the sum is not finite.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        Some((self.sum + self.lost) / self.count as f64).filter(|mean| mean.is_finite())
    }
}

/// Arithmetic mean; absent for an empty slice or where the sum is not finite.
///
/// ```
/// assert_eq!(sim_core::stats::mean(&[46.0, 50.0, 54.0, 54.0]), Some(51.0));
/// assert_eq!(sim_core::stats::mean(&[]), None);
/// ```
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    let mut mean = RunningMean::default();
    values.iter().for_each(|value| mean.add(*value));
    mean.value()
}

/// Standard deviation of a sample, `sqrt(sum (x - mean)^2 / (n - 1))`; absent for fewer than two
/// values or where the result is not finite.
///
/// Computed in two passes, so that large values with a small spread keep their digits.
///
/// ```
/// let sd = sim_core::stats::sd(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
/// assert!((sd - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
/// ```
#[must_use]
pub fn sd(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    if values.len() < 2 {
        return None;
    }
    let squares: f64 = values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum();
    Some((squares / (values.len() - 1) as f64).sqrt()).filter(|sd| sd.is_finite())
}

/// The `p`-quantile of a sample by linear interpolation between order statistics; absent for an
/// empty slice, a value that is not finite, or `p` outside 0..=1.
///
/// The position is `p * (n - 1)` in the sorted sample, counted from 0: definition 7 of Hyndman and
/// Fan, "Sample quantiles in statistical packages", The American Statistician 50(4), 1996. It is
/// the default of R and NumPy.
///
/// ```
/// use sim_core::stats::quantile;
/// assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.5), Some(2.5));
/// assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.25), Some(1.75));
/// ```
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, p)
}

/// [`quantile`] of values that are sorted already.
pub(super) fn quantile_of_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let position = p * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 <= position <= last, so the whole part is an index"
    )]
    let below = position as usize;
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    let weight = position - below as f64;
    // The clamp keeps rounding from leaving the two neighbours, so that quantiles stay monotone.
    Some((low + (high - low) * weight).clamp(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hand_computed_moments() {
        // mean 5, squared deviations 9 1 1 1 0 0 4 16 = 32, over 7
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), Some(5.0));
        assert!((sd(&values).unwrap() - 2.138_089_935_299_395).abs() < 1e-15);
        assert_eq!(sd(&[3.0, 3.0]), Some(0.0));
    }

    #[test]
    fn undefined_is_absent() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, f64::NAN]), None);
        assert_eq!(mean(&[f64::INFINITY]), None);
        assert_eq!(sd(&[]), None);
        assert_eq!(sd(&[1.0]), None);
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1.0, f64::NAN], 0.5), None);
        for p in [-0.1, 1.1, f64::NAN] {
            assert_eq!(quantile(&[1.0], p), None);
        }
    }

    #[test]
    fn the_sum_keeps_what_a_plain_sum_drops() {
        assert_eq!(mean(&[1e16, 1.0, 1.0, -1e16]), Some(0.5));
    }

    #[test]
    fn a_small_spread_on_large_values_keeps_its_digits() {
        let values = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        assert_eq!(sd(&values), Some(30.0_f64.sqrt()));
    }

    #[test]
    fn quantiles_by_hand() {
        let values = [15.0, 20.0, 35.0, 40.0, 50.0];
        for (p, expected) in [
            (0.0, 15.0),
            (0.05, 16.0),
            (0.3, 23.0),
            (0.4, 29.0),
            (1.0, 50.0),
        ] {
            let got = quantile(&values, p).unwrap();
            assert!(
                (got - expected).abs() < 1e-12,
                "{p}: {got} instead of {expected}"
            );
        }
    }

    proptest! {
        #[test]
        fn quantiles_are_monotone_and_stay_within_the_sample(
            values in prop::collection::vec(-1e9_f64..1e9, 1..40),
            p in 0.0_f64..=1.0,
            q in 0.0_f64..=1.0,
        ) {
            let (low, high) = (p.min(q), p.max(q));
            let (a, b) = (quantile(&values, low).unwrap(), quantile(&values, high).unwrap());
            prop_assert!(a <= b);
            prop_assert!(values.iter().any(|v| *v <= a) && values.iter().any(|v| *v >= b));
        }

        #[test]
        fn the_mean_does_not_depend_on_the_order(
            mut values in prop::collection::vec(-1e6_f64..1e6, 1..40),
        ) {
            let before = mean(&values).unwrap();
            values.reverse();
            prop_assert!((mean(&values).unwrap() - before).abs() <= 1e-10);
        }
    }
}
