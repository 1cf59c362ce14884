//! Intervals for a statistic of independent values.
//!
//! Source of both bootstrap intervals: B. Efron, "Better bootstrap confidence intervals", Journal
//! of the American Statistical Association 82(397), 1987, and chapters 13 and 14 of Efron and
//! Tibshirani, "An Introduction to the Bootstrap", 1993.

mod bounded;

pub use bounded::{effective_share_interval, mean_interval_within, rate_interval, share_interval};

use super::moments::{mean, quantile_of_sorted, sd};
use super::normal::{normal_cdf, normal_quantile};
use crate::math;
use crate::score::ScoreRange;
use crate::seed::{Seed, Stream};
use serde::{Deserialize, Serialize};

/// Resamples of a bootstrap unless said otherwise.
///
/// The end of a 95 % interval, a 2.5 % quantile of the resamples, then differs from seed to seed
/// with a standard deviation of `sqrt(0.025 * 0.975 / 10_000)` over the density there: for a
/// normal statistic 0.7 % of the interval's width.
pub const DEFAULT_RESAMPLES: u32 = 10_000;

/// Largest number of values that [`mean_interval`] resamples; beyond it the normal interval is used.
///
/// At this size the two differ by far less than either matters, and the bootstrap would cost
/// `DEFAULT_RESAMPLES` passes over the values.
pub const MAX_BOOTSTRAP_VALUES: usize = 5_000;

/// Number of values from which on resamples differ enough to be used.
const LEAST_RESAMPLED: usize = 8;

/// The least standard deviation of a resample, as a share of the sample's.
// See the method of `mean_interval`: a resample almost without spread would have an absurd t.
const LEAST_SPREAD: f64 = 0.3;

/// How an interval was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum IntervalKind {
    /// Quantiles of the bootstrap distribution.
    Percentile,
    /// Quantiles of the bootstrap distribution, corrected for its bias and for a spread that
    /// changes with the value (bias-corrected and accelerated).
    Bca,
    /// Mean and standard error with quantiles of the bootstrap distribution of the t statistic.
    Studentised,
    /// Wilson's score interval for a share, also with an effective number of trials.
    Wilson,
    /// Mean and standard error with quantiles of the normal distribution.
    Normal,
}

/// An interval for a statistic, with what is needed to quote it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end, in the unit of the values.
    pub low: f64,
    /// Upper end, in the unit of the values; at least `low`.
    pub high: f64,
    /// Nominal coverage, between 0 and 1, such as 0.95.
    pub level: f64,
    /// How it was made.
    pub kind: IntervalKind,
    /// Number of values (or clusters) behind it; at least 2.
    pub count: usize,
}

impl Interval {
    /// Whether `value` lies in the interval, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The part of this interval in `range`, in which the estimated value is known to lie.
    #[must_use]
    pub fn within(self, range: ScoreRange) -> Self {
        Self {
            low: self.low.max(range.low),
            high: self.high.min(range.high),
            ..self
        }
    }

    /// As [`within`](Self::within), but never so far that the interval loses `estimate`, which rounding or values
    /// outside of the range may have left beyond an end of it.
    pub(super) fn within_but_for(self, range: ScoreRange, estimate: f64) -> Self {
        self.within(range.with(ScoreRange::new(estimate, estimate)))
    }
}

/// Settings of a bootstrap: draw samples of the same size with replacement, compute the statistic
/// of each, and read the interval from the distribution of the results.
///
/// ```
/// use sim_core::stats::{Bootstrap, quantile};
/// use sim_core::Seed;
///
/// let weeks = [3.0, 5.0, 4.0, 9.0, 4.0, 6.0, 5.0, 7.0];
/// let median = |values: &[f64]| quantile(values, 0.5).unwrap_or(f64::NAN);
/// let interval = Bootstrap::percentile(0.9, Seed(1)).interval(&weeks, median).unwrap();
/// assert!(interval.contains(5.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    corrected: bool,
    level: f64,
    resamples: u32,
    seed: Seed,
}

impl Bootstrap {
    /// The percentile interval: simple, monotone, and transformed correctly by any increasing
    /// function, but biased for skewed samples. `level` is the nominal coverage, between 0 and 1.
    #[must_use]
    pub fn percentile(level: f64, seed: Seed) -> Self {
        Self {
            corrected: false,
            level,
            resamples: DEFAULT_RESAMPLES,
            seed,
        }
    }

    /// The bias-corrected and accelerated interval: the percentile interval at shifted
    /// percentages, with the acceleration taken from the jackknife. The better choice from about
    /// 20 values on; with fewer both are too narrow. `level` is the nominal coverage, between 0
    /// and 1.
    #[must_use]
    pub fn bca(level: f64, seed: Seed) -> Self {
        Self {
            corrected: true,
            level,
            resamples: DEFAULT_RESAMPLES,
            seed,
        }
    }

    /// Draws this many samples instead of [`DEFAULT_RESAMPLES`].
    #[must_use]
    pub fn resamples(mut self, resamples: u32) -> Self {
        self.resamples = resamples;
        self
    }

    /// The interval for `statistic` of `values`, which must be independent of each other.
    ///
    /// Values that are all equal give an interval of width zero, which says no more than that they
    /// are. Absent for fewer than two values, a level outside 0..1, no resamples, a statistic that
    /// is not finite on the sample or on a resample, and (BCa only) where every resample lies on
    /// one side of the sample's statistic.
    ///
    /// # Complexity
    /// `resamples` evaluations of `statistic` and as many draws a value; BCa adds one evaluation a
    /// value.
    pub fn interval(&self, values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Option<Interval> {
        if values.len() < 2 || self.resamples == 0 {
            return None;
        }
        let tail = lower_tail(self.level)?;
        let estimate = Some(statistic(values)).filter(|value| value.is_finite())?;
        let sorted = self.distribution(values, &statistic)?;
        let (below, above, kind) = if self.corrected {
            let bias = bias(&sorted, estimate)?;
            let acceleration = acceleration(values, &statistic)?;
            let at = |p| corrected_percentage(p, bias, acceleration);
            (at(tail)?, at(1.0 - tail)?, IntervalKind::Bca)
        } else {
            (tail, 1.0 - tail, IntervalKind::Percentile)
        };
        Some(Interval {
            low: quantile_of_sorted(&sorted, below)?,
            high: quantile_of_sorted(&sorted, above)?,
            level: self.level,
            kind,
            count: values.len(),
        })
    }

    /// The statistic of every resample, in ascending order; absent if one is not finite.
    fn distribution(&self, values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Option<Vec<f64>> {
        let mut stream: Stream = self.seed.stream("bootstrap", 0);
        let mut sample = values.to_vec();
        let mut results = Vec::with_capacity(self.resamples as usize);
        for _ in 0..self.resamples {
            // All resamples are drawn from one stream, so their number and order are part of the
            // result.
            for slot in &mut sample {
                *slot = *stream.pick(values)?;
            }
            let result = statistic(&sample);
            if !result.is_finite() {
                return None;
            }
            results.push(result);
        }
        results.sort_by(f64::total_cmp);
        Some(results)
    }
}

/// Probability left out at each end.
fn lower_tail(level: f64) -> Option<f64> {
    (level > 0.0 && level < 1.0).then_some((1.0 - level) / 2.0)
}

/// Efron's z0: where the sample's statistic stands in the bootstrap distribution, as a normal
/// quantile. Ties count half, so that statistics with few distinct values are not shifted.
fn bias(sorted: &[f64], estimate: f64) -> Option<f64> {
    let less = sorted.partition_point(|value| *value < estimate);
    let at_most = sorted.partition_point(|value| *value <= estimate);
    normal_quantile((less + at_most) as f64 / (2.0 * sorted.len() as f64))
}

/// Efron's a, from the jackknife: `sum d^3 / (6 (sum d^2)^1.5)` with d the mean of the
/// leave-one-out statistics less the statistic without value i. Zero if d is zero throughout.
fn acceleration(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Option<f64> {
    let mut rest = values.get(1..)?.to_vec();
    let mut without = vec![statistic(&rest)];
    // Slot i holds value i + 1: putting value i there leaves out value i + 1 instead of value i.
    for (slot, value) in (0..rest.len()).zip(values) {
        *rest.get_mut(slot)? = *value;
        without.push(statistic(&rest));
    }
    let centre = mean(&without)?;
    let squares: f64 = without
        .iter()
        .map(|value| (centre - value) * (centre - value))
        .sum();
    let cubes: f64 = without.iter().map(|value| (centre - value).powi(3)).sum();
    let scale = squares * squares.sqrt();
    Some(if scale > 0.0 {
        cubes / (6.0 * scale)
    } else {
        0.0
    })
}

/// The percentage of the bootstrap distribution at which the BCa interval reads its end for `p`.
fn corrected_percentage(p: f64, bias: f64, acceleration: f64) -> Option<f64> {
    let shifted = bias + normal_quantile(p)?;
    let stretch = 1.0 - acceleration * shifted;
    // At 0 the formula has a pole, and beyond it the ends would change places.
    (stretch > 0.0).then(|| normal_cdf(bias + shifted / stretch))
}

/// The interval for a mean that the project quotes everywhere: the studentised bootstrap with
/// [`DEFAULT_RESAMPLES`] up to [`MAX_BOOTSTRAP_VALUES`] values, and `mean -/+ z sd / sqrt n` beyond;
/// the result names its kind.
///
/// The values must be independent: one per seed. Several trials of one seed are to be averaged
/// first. Values that are all equal give an interval of width zero; for scores with a known
/// range, such as right-or-wrong answers, see [`mean_interval_within`]. Absent for fewer than two values,
/// values that are not finite, and a level outside 0..1.
///
/// # Method
/// Each resample gives `t = (mean* - mean) / (sd* / sqrt n)`; the ends are `mean - t sd / sqrt n` at
/// the upper and the lower quantile of t. Three amendments come from simulated coverage (example
/// `interval_coverage`; the table is in `docs/design.md`). The quantiles are at least those of
/// Student's t, because symmetric values with heavy tails fall short otherwise. The tails are cut by
/// `15 % * min(1, 20 / n)`, because few values rarely show how skewed they are. And sd* counts as at
/// least 30 % of sd: values that lie close together but for a few give resamples almost without
/// spread, whose t would make the interval absurdly wide. Below 8 values the interval is Student's.
///
/// # Source
/// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, section 12.5; P. Hall,
/// "Theoretical comparison of bootstrap confidence intervals", Annals of Statistics 16(3), 1988.
///
/// ```
/// use sim_core::{Seed, stats::mean_interval};
/// let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95, Seed(3)).unwrap();
/// assert!(interval.low > 1.0 && interval.high < 6.0 && interval.contains(3.5));
/// ```
#[must_use]
pub fn mean_interval(values: &[f64], level: f64, seed: Seed) -> Option<Interval> {
    if values.len() > MAX_BOOTSTRAP_VALUES {
        return normal_interval(values, level);
    }
    studentised_interval(values, level, seed, DEFAULT_RESAMPLES)
}

fn studentised_interval(
    values: &[f64],
    level: f64,
    seed: Seed,
    resamples: u32,
) -> Option<Interval> {
    let n = values.len();
    let nominal = lower_tail(level)?;
    let centre = mean(values)?;
    let spread = sd(values).filter(|spread| spread.is_finite())?;
    let error = spread / (n as f64).sqrt();
    let ends = |low, high| Interval {
        low,
        high,
        level,
        kind: IntervalKind::Studentised,
        count: n,
    };
    // For equal values t would be a quotient of rounding errors.
    let first = *values.first()?;
    if values.iter().all(|&value| value == first) {
        return Some(ends(first, first));
    }
    let least = student_quantile(1.0 - nominal, n - 1)?;
    if n < LEAST_RESAMPLED {
        return Some(ends(centre - least * error, centre + least * error));
    }
    // Offsets from the mean keep the sums of squares exact for values far from zero.
    let offsets: Vec<f64> = values.iter().map(|value| value - centre).collect();
    let floor = (LEAST_SPREAD * spread).powi(2);
    let mut stream: Stream = seed.stream("bootstrap", 0);
    let mut ratios = Vec::with_capacity(resamples as usize);
    for _ in 0..resamples {
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            let offset = *stream.pick(&offsets)?;
            sum += offset;
            squares += offset * offset;
        }
        let shift = sum / n as f64;
        // One pass: the textbook formula loses digits only if the mean is far from 0, and that of
        // offsets is near 0.
        let variance = (squares - sum * shift) / (n as f64 - 1.0);
        ratios.push(shift / (variance.max(floor) / n as f64).sqrt());
    }
    ratios.sort_by(f64::total_cmp);
    let tail = nominal * (1.0 - 0.15 * (20.0 / n as f64).min(1.0));
    let below = quantile_of_sorted(&ratios, tail)?.min(-least);
    let above = quantile_of_sorted(&ratios, 1.0 - tail)?.max(least);
    Some(ends(centre - above * error, centre - below * error))
}

/// The `t` that a variable of Student's distribution with `freedom` degrees of freedom stays below
/// with probability `p`, for 0.5 < `p` < 1; absent elsewhere.
///
/// With `t = sqrt(freedom) tan a`, the probability of `[-t, t]` is a finite sum of powers of `cos a`
/// (Abramowitz and Stegun, 26.7.3 and 26.7.4), which is inverted by bisection on `a`.
fn student_quantile(p: f64, freedom: usize) -> Option<f64> {
    if !(p > 0.5 && p < 1.0) || freedom == 0 {
        return None;
    }
    // Own code and not a crate of distributions: intervals are pinned to the bit, and a new version
    // of a crate may compute the same quantile in another way.
    let inside = |angle: f64| {
        let (sine, cosine) = (math::sin(angle), math::cos(angle));
        let odd = freedom % 2 == 1;
        // The terms after the first: cos^3 2/3, cos^5 2/3 4/5, .. or cos^2 1/2, cos^4 1/2 3/4, ..
        let mut term = if odd { cosine } else { 1.0 };
        let mut sum = if odd && freedom == 1 { 0.0 } else { term };
        let mut k = if odd { 3 } else { 2 };
        while k + 2 <= freedom {
            term *= cosine * cosine * (k as f64 - 1.0) / k as f64;
            sum += term;
            k += 2;
        }
        if odd {
            (angle + sine * sum) * std::f64::consts::FRAC_2_PI
        } else {
            sine * sum
        }
    };
    let wanted = 2.0 * p - 1.0;
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    // Halving needs no density and cannot leave the range, as Newton's method could; 100 halvings
    // leave 1e-30 of it.
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if inside(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some((freedom as f64).sqrt() * math::sin(low) / math::cos(low))
}

fn normal_interval(values: &[f64], level: f64) -> Option<Interval> {
    let centre = mean(values)?;
    let z = normal_quantile(1.0 - lower_tail(level)?)?;
    let half = z * sd(values)? / (values.len() as f64).sqrt();
    Some(Interval {
        low: centre - half,
        high: centre + half,
        level,
        kind: IntervalKind::Normal,
        count: values.len(),
    })
}

#[cfg(test)]
mod tests;
