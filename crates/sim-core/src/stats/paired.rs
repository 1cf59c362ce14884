//! Two agents on the same seeds.

use super::clusters::cluster_mean;
use super::interval::Interval;
use super::moments::mean;
use crate::score::ScoreRange;
use crate::seed::Seed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Difference between two sets of values that share their seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedDifference {
    /// Mean of (first - second), in the unit of the values.
    pub mean: f64,
    /// Interval for that mean, with the cluster as the unit; absent with a single cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Clusters that both sides have; at least 1.
    pub clusters: usize,
    /// Clusters on which the two sides differ.
    #[serde(default)]
    pub differing: usize,
    /// Keys that only the first side has; they are left out.
    pub only_first: usize,
    /// Keys that only the second side has; they are left out.
    pub only_second: usize,
}

impl PairedDifference {
    /// This difference of values in `range`, with the part of its interval in which such a difference can lie.
    #[must_use]
    pub fn of_values_in(self, range: ScoreRange) -> Self {
        let range = range.of_differences();
        Self {
            interval: self.interval.map(|interval| interval.within(range)),
            ..self
        }
    }

    /// Whether the two sides can be told apart: the interval excludes zero, and there are clusters
    /// enough that this can mean something.
    ///
    /// If the sides were equal, n differences other than zero would all have the same sign with
    /// probability `2^(1 - n)`. Where this exceeds `1 - level`, no pattern of n differences is evidence
    /// at that level, however neat the interval looks: at 95 % it takes 6 clusters that differ.
    #[must_use]
    pub fn is_distinguishable(&self) -> bool {
        let Some(interval) = self.interval else {
            return false;
        };
        // Beyond 64 clusters the probability is nil; the cap keeps the exponent an i32.
        let flips = i32::try_from(self.differing.min(64)).unwrap_or(64) - 1;
        !interval.contains(0.0) && 0.5_f64.powi(flips) <= 1.0 - interval.level
    }
}

/// Compares two sides by what they share: each value comes with the key of its cluster, which is
/// the seed (or instance) that was played.
///
/// Values of one cluster are averaged on each side before they are subtracted, and each cluster
/// counts once however many trials it holds: more trials measure the same seed more exactly,
/// but do not add seeds. The interval is [`mean_interval`](super::mean_interval) over the clusters'
/// differences. Absent if no cluster is on both sides, or where a shared cluster holds a value that is not finite.
///
/// ```
/// use sim_core::{Seed, stats::paired_difference};
///
/// // seeds 1 to 8; the first agent pays about 100 less on each, though seeds differ far more
/// let first: Vec<(u64, f64)> = (1..=8).map(|seed| (seed, 1_000.0 * seed as f64)).collect();
/// let second: Vec<(u64, f64)> =
///     first.iter().map(|(seed, cost)| (*seed, cost + 100.0 + *seed as f64)).collect();
/// let difference = paired_difference(&first, &second, 0.95, Seed(7)).unwrap();
/// assert_eq!(difference.mean, -104.5);
/// assert!(difference.is_distinguishable());
/// ```
#[must_use]
pub fn paired_difference<K: Ord>(
    first: &[(K, f64)],
    second: &[(K, f64)],
    level: f64,
    seed: Seed,
) -> Option<PairedDifference> {
    paired_difference_over(first, second, |key| key, level, seed)
}

/// As [`paired_difference`], where several keys can belong to one cluster: the keys pair the values of the two sides,
/// such as attempts at an instance, and the mean is over all pairs, but `cluster` says which pairs are one observation.
/// The interval counts clusters as [`cluster_mean`](super::cluster_mean) does.
///
/// ```
/// use sim_core::{Seed, stats::{paired_difference, paired_difference_over}};
///
/// // three attempts at each of eight instances, which come out alike
/// let side = |gain: f64| -> Vec<((u64, u64), f64)> {
///     let attempts = (0..8).flat_map(|instance| (0..3).map(move |attempt| (instance, attempt)));
///     attempts.map(|key| (key, gain * (key.0 * key.0) as f64)).collect()
/// };
/// let once = |side: &[((u64, u64), f64)]| -> Vec<(u64, f64)> {
///     side.iter().filter(|((_, attempt), _)| *attempt == 0).map(|((instance, _), x)| (*instance, *x)).collect()
/// };
/// let (a, b) = (side(2.0), side(1.0));
/// let all = paired_difference_over(&a, &b, |(instance, _)| *instance, 0.95, Seed(7)).unwrap();
/// assert_eq!(Some(all), paired_difference(&once(&a), &once(&b), 0.95, Seed(7)));
/// ```
#[must_use]
pub fn paired_difference_over<'a, K: Ord, C: Ord>(
    first: &'a [(K, f64)],
    second: &'a [(K, f64)],
    cluster: impl Fn(&'a K) -> C,
    level: f64,
    seed: Seed,
) -> Option<PairedDifference> {
    let (first, second) = (by_cluster(first), by_cluster(second));
    let differences: Vec<(C, f64)> = first
        .iter()
        // Only what both sides have: an episode that one side lacks would compare its difficulty,
        // not the agents.
        .filter_map(|(&key, ours)| Some((cluster(key), ours, second.get(&key)?)))
        .map(|(cluster, ours, theirs)| Some((cluster, mean(ours)? - mean(theirs)?)))
        .collect::<Option<_>>()?;
    let pairs = differences.len();
    // Equal results say nothing about which side is better, so they are no evidence, however many.
    let of_clusters = by_cluster(&differences);
    let differs = |gaps: &&Vec<f64>| mean(gaps) != Some(0.0);
    let differing = of_clusters.values().filter(differs).count();
    // Without limits: the zeros and ones among differences are not hits of trials.
    let rows = differences.iter().map(|(cluster, gap)| (cluster, *gap));
    let found = cluster_mean(rows, ScoreRange::UNLIMITED, level, seed)?;
    Some(PairedDifference {
        mean: found.value,
        interval: found.interval,
        clusters: found.clusters,
        differing,
        only_first: first.len() - pairs,
        only_second: second.len() - pairs,
    })
}

fn by_cluster<K: Ord>(values: &[(K, f64)]) -> BTreeMap<&K, Vec<f64>> {
    let mut clusters: BTreeMap<&K, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        clusters.entry(key).or_default().push(*value);
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::IntervalKind;

    #[test]
    fn hand_computed_clusters() {
        // seed a: (10 + 20) / 2 - 12 = 3;  seed b: 30 - (28 + 30 + 32) / 3 = 0;  c and d unmatched
        let first = [("a", 10.0), ("b", 30.0), ("a", 20.0), ("c", 99.0)];
        let second = [
            ("b", 28.0),
            ("a", 12.0),
            ("b", 30.0),
            ("b", 32.0),
            ("d", 1.0),
            ("e", 1.0),
        ];
        let got = paired_difference(&first, &second, 0.95, Seed(1)).unwrap();
        assert_eq!(got.mean, 1.5);
        assert_eq!((got.clusters, got.only_first, got.only_second), (2, 1, 2));
        assert_eq!(got.interval.unwrap().count, 2);
        assert_eq!(got.interval.unwrap().kind, IntervalKind::Studentised);
    }

    #[test]
    fn trials_of_one_seed_are_no_further_seeds() {
        let side = |shift: f64, trials: u64| -> Vec<(u64, f64)> {
            (0..5)
                .flat_map(|seed| (0..trials).map(move |_| (seed, shift + seed as f64)))
                .collect()
        };
        let once = paired_difference(&side(1.0, 1), &side(0.0, 1), 0.95, Seed(1)).unwrap();
        let often = paired_difference(&side(1.0, 50), &side(0.0, 50), 0.95, Seed(1)).unwrap();
        assert_eq!(once, often);
        assert!(
            !often.is_distinguishable(),
            "five seeds can never tell at 95 %"
        );
    }

    /// The mean of differences of shares near -1 or 1 has an end of its interval beyond them.
    #[test]
    fn an_interval_holds_no_difference_that_cannot_be() {
        let first: Vec<(u64, f64)> = (0..12).map(|key| (key, 1.0)).collect();
        let second: Vec<(u64, f64)> = (0..12).map(|key| (key, 0.01 * key as f64)).collect();
        let wide = |range: ScoreRange| {
            let found = paired_difference(&first[..3], &second[..3], 0.95, Seed(1)).unwrap();
            let interval = found.of_values_in(range).interval.unwrap();
            (interval.low, interval.high)
        };
        let (low, high) = wide(ScoreRange::UNLIMITED);
        assert!(low > -1.0 && high > 1.0, "{low} {high}");
        assert_eq!(wide(ScoreRange::SHARE), (low, 1.0));
        let turned = ScoreRange::new(-1.0, 0.0).of_differences();
        assert_eq!(turned, ScoreRange::new(-1.0, 1.0));
        let all = ScoreRange::UNLIMITED.of_differences();
        assert_eq!(all, ScoreRange::UNLIMITED);
    }

    /// By hand: gaps 1, 2, 3 and 7 of two clusters, one of which holds three of them.
    #[test]
    fn the_mean_is_of_all_pairs_and_the_interval_of_clusters() {
        let first = [
            (('a', 0), 1.0),
            (('a', 1), 2.0),
            (('a', 2), 3.0),
            (('b', 0), 7.0),
        ];
        let second = first.map(|(key, _)| (key, 0.0));
        let got = paired_difference_over(&first, &second, |key| key.0, 0.95, Seed(1)).unwrap();
        assert_eq!((got.mean, got.clusters, got.differing), (3.25, 2, 2));
        let rows = first.map(|((cluster, _), gap)| (cluster, gap));
        let found = cluster_mean(rows, ScoreRange::UNLIMITED, 0.95, Seed(1)).unwrap();
        assert_eq!(got.interval, found.interval);
        // Gaps of one cluster that cancel out are no evidence.
        let turned = [(('a', 0), 1.0), (('a', 1), -1.0)];
        let second = turned.map(|(key, _)| (key, 0.0));
        let got = paired_difference_over(&turned, &second, |key| key.0, 0.95, Seed(1)).unwrap();
        assert_eq!((got.clusters, got.differing), (1, 0));
    }

    #[test]
    fn six_seeds_of_one_sign_suffice_and_five_do_not() {
        for (clusters, expected) in [
            (2_u64, false),
            (5, false),
            (6, true),
            (7, true),
            (100, true),
        ] {
            let first: Vec<(u64, f64)> = (0..clusters).map(|k| (k, 1.0 + k as f64)).collect();
            let second: Vec<(u64, f64)> = (0..clusters).map(|k| (k, 0.0)).collect();
            let got = paired_difference(&first, &second, 0.95, Seed(2)).unwrap();
            assert_eq!(got.interval.unwrap().low > 0.0, clusters >= 5);
            assert_eq!(got.is_distinguishable(), expected, "{clusters} clusters");
        }
    }

    /// Answers that are right or wrong: what counts is the items on which the two sides differ.
    #[test]
    fn few_differing_answers_tell_nothing_on_either_side() {
        let side = |wrong: u64| -> Vec<(u64, f64)> {
            (0..100)
                .map(|k| (k, f64::from(u8::from(k >= wrong))))
                .collect()
        };
        for (wrong, expected) in [(1, false), (5, false), (12, true), (30, true)] {
            let ab = paired_difference(&side(0), &side(wrong), 0.95, Seed(1)).unwrap();
            let ba = paired_difference(&side(wrong), &side(0), 0.95, Seed(1)).unwrap();
            assert_eq!(ab.differing, usize::try_from(wrong).unwrap());
            assert_eq!(ab.interval.unwrap().kind, IntervalKind::Studentised);
            assert_eq!(ab.is_distinguishable(), expected, "{wrong} {ab:?}");
            assert_eq!(ba.is_distinguishable(), expected, "{wrong} {ba:?}");
        }
    }

    #[test]
    fn equal_sides_are_not_distinguishable() {
        let side: Vec<(u64, f64)> = (0..30).map(|k| (k, (k * k) as f64)).collect();
        let got = paired_difference(&side, &side, 0.95, Seed(2)).unwrap();
        assert_eq!(got.mean, 0.0);
        assert!(!got.is_distinguishable());
    }

    #[test]
    fn swapping_the_sides_turns_the_sign() {
        let first: Vec<(u64, f64)> = (0..40).map(|k| (k, ((k * 7) % 11) as f64)).collect();
        let second: Vec<(u64, f64)> = (0..40).map(|k| (k, ((k * 5) % 13) as f64)).collect();
        let ab = paired_difference(&first, &second, 0.9, Seed(2)).unwrap();
        let ba = paired_difference(&second, &first, 0.9, Seed(2)).unwrap();
        assert_eq!(ab.mean, -ba.mean);
        let (ab, ba) = (ab.interval.unwrap(), ba.interval.unwrap());
        assert!((ab.low + ba.high).abs() < 1e-9 && (ab.high + ba.low).abs() < 1e-9);
    }

    #[test]
    fn nothing_shared_is_absent() {
        assert_eq!(
            paired_difference(&[(1, 1.0)], &[(2, 1.0)], 0.95, Seed(1)),
            None
        );
        assert_eq!(paired_difference::<u64>(&[], &[], 0.95, Seed(1)), None);
        assert_eq!(
            paired_difference(&[(1, f64::NAN)], &[(1, 1.0)], 0.95, Seed(1)),
            None
        );
    }

    #[test]
    fn a_single_shared_seed_has_a_mean_and_no_interval() {
        let got = paired_difference(&[(1, 3.0)], &[(1, 1.0)], 0.95, Seed(1)).unwrap();
        assert_eq!((got.mean, got.interval), (2.0, None));
        assert!(!got.is_distinguishable());
    }

    #[test]
    fn false_alarms_keep_to_the_level() {
        // Two agents of equal skill with seed effects far larger than their own noise: at 95 %
        // about one comparison in twenty may claim a difference.
        let (mut alarms, rounds) = (0, 300);
        for round in 0..rounds {
            let mut stream = Seed(5).stream("round", round);
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for seed in 0..25_u64 {
                let effect = 100.0 * stream.normal();
                first.push((seed, effect + stream.normal()));
                second.push((seed, effect + stream.normal()));
            }
            let got = paired_difference(&first, &second, 0.95, Seed(round)).unwrap();
            alarms += u32::from(got.is_distinguishable());
        }
        assert!((3..=35).contains(&alarms), "{alarms} of {rounds}");
    }
}
