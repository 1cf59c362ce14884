//! Intervals for means of values that have a least and a greatest value.

use super::{Interval, IntervalKind, LEAST_RESAMPLED, lower_tail, mean_interval, student_quantile};
use crate::score::ScoreRange;
use crate::seed::Seed;
use crate::stats::moments::{mean, sd};
use crate::stats::normal::normal_quantile;

/// The interval for a mean of values that lie in a known range, such as the scores of an environment. It
/// must not be used for differences, whose zeros and ones are not hits of trials.
///
/// # Method
/// `w` is Wilson's interval for a share of as many trials as there are values, placed between the ends of
/// the range. Of all values with one mean, those at the ends alone vary most, so `w` around the mean
/// covers whatever the values are.
///
/// | values | interval | kind |
/// |---|---|---|
/// | at the ends only | `w` around the mean ([`share_interval`]) | `wilson` |
/// | all equal, between the ends | `n` equal values leave open that a share of up to `s` of all values are others, wherever in the range: `s` of the way to each end, with `s` the upper end of `w` for no hit | `wilson` |
/// | fewer than 8 | Wilson's, with Student's quantile, for the number of trials with which a share would vary as the values do ([`effective_share_interval`]), but within `w` | `wilson` |
/// | 8 and more | [`mean_interval`], cut to `w` around the mean | that of `mean_interval` |
///
/// Without the cut, a few values far from the others give resamples of almost no spread, whose t makes the
/// interval as wide as the range: nine marks near 0 and three of 100 gave 1 to 100, with the cut 11 to 57.
/// Without a rule for equal values, thirteen marks of 85 gave 85 to 85 beside 0 to 23 for thirteen of 0.
///
/// A range without one of its ends, or values outside of it, leave [`mean_interval`], cut to the ends that there
/// are but never so far that it loses the mean. Absent as in [`mean_interval`].
///
/// # Source
/// The most variable values with a given mean: W. Hoeffding, "Probability inequalities for sums of bounded random
/// variables", Journal of the American Statistical Association 58(301), 1963. The share that `n` equal
/// values leave open: A. Wald and the rule of three for no hit, here with Wilson's upper end. Simulated coverage
/// is in the test `slow_bounded_intervals_cover_what_they_promise`.
///
/// ```
/// use sim_core::{ScoreRange, Seed, stats::mean_interval_within};
/// let marks = ScoreRange::new(0.0, 100.0);
/// let of = |values: &[f64]| mean_interval_within(values, marks, 0.95, Seed(1)).unwrap();
/// let (none, equal) = (of(&[0.0; 13]), of(&[85.0; 13]));
/// assert!(none.low == 0.0 && (none.high - 22.8).abs() < 0.05);
/// assert!((equal.low - 65.6).abs() < 0.05 && (equal.high - 88.4).abs() < 0.05);
/// let few = of(&[90.0, 100.0, 100.0, 70.0]);
/// assert!(few.low > 50.0 && few.high < 100.0);
/// ```
#[must_use]
pub fn mean_interval_within(
    values: &[f64],
    range: ScoreRange,
    level: f64,
    seed: Seed,
) -> Option<Interval> {
    let ScoreRange { low, high } = range;
    let width = high - low;
    let is_within = |value: &f64| (low..=high).contains(value);
    if values.len() < 2 || !width.is_finite() || width <= 0.0 || !values.iter().all(is_within) {
        let free = mean_interval(values, level, seed)?;
        return Some(free.within_but_for(range, mean(values)?));
    }
    let count = values.len();
    let centre = mean(values)?;
    // Rounding may leave the mean of values at one end a little outside of the range.
    let share = ((centre - low) / width).clamp(0.0, 1.0);
    let place = |(from, to): (f64, f64), kind| Interval {
        low: low + width * from,
        high: low + width * to,
        level,
        kind,
        count,
    };
    let widest = effective_share_interval(share, count as f64, level)?;
    if values.iter().all(|&value| value == low || value == high) {
        return Some(place(widest, IntervalKind::Wilson));
    }
    // After the case of the ends: values that all lie at an end are hits or misses, not equal
    // marks.
    if values.windows(2).all(|pair| pair.first() == pair.last()) {
        let (_, open) = effective_share_interval(0.0, count as f64, level)?;
        let ends = (share - share * open, share + (1.0 - share) * open);
        return Some(place(ends, IntervalKind::Wilson));
    }
    if count < LEAST_RESAMPLED {
        let spread = sd(values)? / width;
        // Student's quantile in place of the normal one: the spread is estimated too.
        let student = student_quantile(1.0 - lower_tail(level)?, count - 1)?;
        let normal = normal_quantile(1.0 - lower_tail(level)?)?;
        let trials = count as f64 * share * (1.0 - share) / (spread * student / normal).powi(2);
        // Not fewer trials than values: of all values with this mean, those at the ends vary most,
        // so Wilson's interval for as many trials is wide enough for any.
        let ends = effective_share_interval(share, trials.max(count as f64), level)?;
        return Some(place(ends, IntervalKind::Wilson));
    }
    let (from, to) = widest;
    let widest = ScoreRange::new(low + width * from, low + width * to);
    Some(mean_interval(values, level, seed)?.within(widest))
}

/// [`mean_interval_within`] for values from 0 to 1, such as graded answers.
///
/// ```
/// use sim_core::{Seed, stats::rate_interval};
/// let all_right = rate_interval(&[1.0; 20], 0.95, Seed(1)).unwrap();
/// assert!(all_right.low < 0.85 && all_right.high == 1.0);
/// ```
#[must_use]
pub fn rate_interval(values: &[f64], level: f64, seed: Seed) -> Option<Interval> {
    mean_interval_within(values, ScoreRange::SHARE, level, seed)
}

/// Wilson's interval for a share: `hits` of `trials` at a nominal coverage of `level`.
///
/// Its ends lie within 0 to 1. Absent for no trials, more hits than trials, and a level outside 0..1.
///
/// ```
/// let share = sim_core::stats::share_interval(3, 13, 0.95).unwrap();
/// assert!((share.low - 0.0818).abs() < 1e-4 && (share.high - 0.5026).abs() < 1e-4);
/// ```
#[must_use]
pub fn share_interval(hits: u64, trials: u64, level: f64) -> Option<Interval> {
    if trials == 0 || hits > trials {
        return None;
    }
    let share = hits as f64 / trials as f64;
    let (low, high) = effective_share_interval(share, trials as f64, level)?;
    Some(Interval {
        low,
        high,
        level,
        kind: IntervalKind::Wilson,
        count: usize::try_from(trials).ok()?,
    })
}

/// Wilson's interval, low and high, for a `share` from 0 to 1 of `trials`, which need not be whole: the number of
/// trials with which a share would have the standard error at hand.
///
/// Its ends lie within 0 to 1. Absent where the share is outside 0 to 1, the trials are not above 0, or the level is
/// outside 0..1.
///
/// # Source
/// E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
/// the American Statistical Association 22(158), 1927. Effective trials: E. L. Korn and B. I. Graubard,
/// "Confidence intervals for proportions with small expected number of positive counts estimated from survey
/// data", Survey Methodology 24, 1998.
#[must_use]
pub fn effective_share_interval(share: f64, trials: f64, level: f64) -> Option<(f64, f64)> {
    if !(0.0..=1.0).contains(&share) || trials.is_nan() || trials <= 0.0 {
        return None;
    }
    let z = normal_quantile(1.0 - lower_tail(level)?)?;
    let shrink = 1.0 + z * z / trials;
    let centre = (share + z * z / (2.0 * trials)) / shrink;
    let half =
        z / shrink * (share * (1.0 - share) / trials + z * z / (4.0 * trials * trials)).sqrt();
    // Exactly at the ends where the share is: rounding must not leave it outside of its interval.
    let low = (centre - half).clamp(0.0, share);
    let high = (centre + half).clamp(share, 1.0);
    Some((low, high))
}

#[cfg(test)]
mod tests;
