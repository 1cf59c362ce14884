//! Comparisons of two agents on the same samples.
//!
//! If answers are right or wrong, a comparison of two agents is three whole numbers: samples that
//! only the first got right, samples that only the second got right, and all samples. All results
//! here follow from them without random draws. Samples must be independent of each other; for
//! agents with memory, whose answers in a stream are dependent, the intervals are too narrow.

use serde::{Deserialize, Serialize};
use sim_core::stats::{Interval, IntervalKind, normal_quantile};
use statrs::distribution::{Binomial, Discrete, DiscreteCDF};

/// Number of samples up to which the bootstrap distribution is computed exactly; above it the
/// normal approximation is used.
const LARGEST_EXACT: usize = 20_000;

/// Level of the intervals of an evaluation.
pub const LEVEL: f64 = 0.95;

/// A comparison of two agents.
///
/// ```
/// use aoa_router::Paired;
/// // (first is right, second is right) for each sample
/// let paired = Paired::of([(true, false), (true, true), (false, false), (true, false)]);
/// assert_eq!(paired, Paired { n: 4, wins: 2, losses: 0 });
/// assert_eq!(paired.mean(), 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paired {
    /// Samples that both answered.
    pub n: usize,
    /// Samples that only the first got right.
    pub wins: usize,
    /// Samples that only the second got right.
    pub losses: usize,
}

impl Paired {
    /// The comparison of `right` of `n` answers with none right: its mean is an accuracy.
    #[must_use]
    pub fn accuracy(n: usize, right: usize) -> Self {
        Self {
            n,
            wins: right.min(n),
            losses: 0,
        }
    }

    /// The comparison over pairs of (first is right, second is right).
    #[must_use]
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut paired = Self::default();
        for (first, second) in pairs {
            paired.n += 1;
            paired.wins += usize::from(first && !second);
            paired.losses += usize::from(second && !first);
        }
        paired
    }

    /// Difference in accuracy, first minus second [-1 to 1]; 0 without samples.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of samples")]
    pub fn mean(&self) -> f64 {
        if self.n == 0 {
            return 0.0;
        }
        (self.wins as f64 - self.losses as f64) / self.n as f64
    }

    /// The percentile bootstrap interval of [`mean`](Self::mean) at `level`, between 0 and 1.
    ///
    /// A resample of `n` differences is a draw of three counts, so the bootstrap distribution is
    /// known exactly: the number of samples on which the two differ is binomial, and given that
    /// number so is the number of wins. The interval is computed from this distribution, which is
    /// the limit of infinitely many resamples. Above 20,000 samples the normal interval is
    /// returned; the result names its kind. `None` for fewer than two samples or a level outside
    /// 0..1.
    ///
    /// # Source
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13 (percentile
    /// interval) and chapter 6 (the ideal bootstrap).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of samples")]
    pub fn interval(&self, level: f64) -> Option<Interval> {
        // Every resample of one sample is that sample: the interval would be a point, as if nothing were uncertain.
        if self.n < 2 || !(level > 0.0 && level < 1.0) {
            return None;
        }
        let tail = (1.0 - level) / 2.0;
        let n = self.n as f64;
        let (low, high, kind) = if self.n > LARGEST_EXACT {
            let half = normal_quantile(1.0 - tail)? * self.variance().sqrt() / n.sqrt();
            (self.mean() - half, self.mean() + half, IntervalKind::Normal)
        } else {
            let resamples = Resamples::new(*self)?;
            let low = resamples.quantile(tail) as f64 / n;
            let high = resamples.quantile(1.0 - tail) as f64 / n;
            (low, high, IntervalKind::Percentile)
        };
        Some(Interval {
            low,
            high,
            level,
            kind,
            count: self.n,
        })
    }

    /// Variance of a single difference.
    #[expect(clippy::cast_precision_loss, reason = "counts of samples")]
    fn variance(&self) -> f64 {
        // A difference is -1, 0 or 1, so its square is 1 exactly where the two differ.
        let differing = (self.wins + self.losses) as f64 / (self.n as f64).max(1.0);
        (differing - self.mean() * self.mean()).max(0.0)
    }

    /// Probability of at least so many wins among the samples on which the two differ, if both were
    /// equally good: the one-sided sign test. 1 where they never differ.
    ///
    /// ```
    /// use aoa_router::Paired;
    /// let p = Paired { n: 40, wins: 5, losses: 0 }.sign_test();
    /// assert!((p - 1.0 / 32.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn sign_test(&self) -> f64 {
        if self.wins == 0 {
            return 1.0;
        }
        // P(X >= wins) = P(X <= losses), because the binomial distribution with p = 0.5 is
        // symmetric.
        cumulative(self.wins + self.losses, 0.5, self.losses)
    }

    /// McNemar's exact test: the two-sided probability of a difference as large, if both were
    /// equally good.
    ///
    /// # Source
    /// McNemar, "Note on the sampling error of the difference between correlated proportions",
    /// Psychometrika 12, 1947, with the binomial distribution in place of chi squared.
    ///
    /// ```
    /// use aoa_router::Paired;
    /// // 2 (C(12,0) + C(12,1) + C(12,2)) / 2^12
    /// let p = Paired { n: 50, wins: 10, losses: 2 }.mcnemar();
    /// assert!((p - 158.0 / 4096.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn mcnemar(&self) -> f64 {
        let fewer = self.wins.min(self.losses);
        // Where wins and losses are equal, both tails hold the middle, and twice one of them is
        // more than 1.
        (2.0 * cumulative(self.wins + self.losses, 0.5, fewer)).min(1.0)
    }

    /// Whether the two are distinguishable: zero is outside the 95 % interval, and McNemar's test
    /// rejects equality at 5 %.
    #[must_use]
    pub fn is_distinguishable(&self) -> bool {
        // Both are needed, because a bootstrap can only repeat the samples that differ: with five
        // wins and no loss its interval excludes zero, but chance gives five equal signs in one
        // case out of sixteen.
        let outside = self
            .interval(LEVEL)
            .is_some_and(|interval| !interval.contains(0.0));
        outside && self.mcnemar() <= 1.0 - LEVEL
    }
}

/// P(X <= k) for X binomial with `n` trials and probability `p`.
///
/// 1 if the distribution does not exist, so that no test rejects because of it.
fn cumulative(n: usize, p: f64, k: usize) -> f64 {
    if k >= n {
        return 1.0;
    }
    Binomial::new(p, n as u64).map_or(1.0, |distribution| distribution.cdf(k as u64))
}

/// Distribution of wins minus losses in a resample.
struct Resamples {
    /// Numbers of differing samples with non-negligible probability, and their probabilities.
    differing: Vec<(usize, f64)>,
    /// Probability that a differing sample is a win.
    win: f64,
}

impl Resamples {
    #[expect(clippy::cast_precision_loss, reason = "counts of samples")]
    fn new(of: Paired) -> Option<Self> {
        let differing = of.wins + of.losses;
        let chance = differing as f64 / of.n as f64;
        let distribution = Binomial::new(chance.min(1.0), of.n as u64).ok()?;
        let weights = (0..=of.n).map(|k| (k, distribution.pmf(k as u64)));
        Some(Self {
            // The probabilities that are left out sum to less than 20,000 times 1e-12.
            differing: weights.filter(|(_, weight)| *weight > 1e-12).collect(),
            // Without a differing sample there is nothing to win; `max` keeps 0 / 0 out.
            win: of.wins as f64 / (differing as f64).max(1.0),
        })
    }

    /// Smallest value that is not exceeded with probability `p`.
    fn quantile(&self, p: f64) -> i64 {
        // `at_most` does not decrease, so the value is found by bisection.
        let most = self.differing.last().map_or(0, |last| last.0);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let (mut low, mut high) = (-most, most);
        while low < high {
            let middle = low + (high - low).div_euclid(2);
            if self.at_most(middle) >= p {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Probability that wins minus losses is at most `value`.
    fn at_most(&self, value: i64) -> f64 {
        let mut total = 0.0;
        for (k, weight) in &self.differing {
            // With k differing samples, wins - (k - wins) <= value means wins <= (value + k) / 2,
            // rounded down, also below 0.
            let k_signed = i64::try_from(*k).unwrap_or(i64::MAX);
            let wins = value.saturating_add(k_signed).div_euclid(2);
            // A negative number of wins has the probability 0.
            if let Ok(wins) = usize::try_from(wins) {
                total += weight * cumulative(*k, self.win, wins);
            }
        }
        total
    }
}
