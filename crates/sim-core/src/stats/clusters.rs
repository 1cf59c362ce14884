//! Means and ratios of values that come in clusters: all trials of one instance, question or case.

use super::interval::{Interval, mean_interval_within};
use super::moments::RunningMean;
use crate::score::ScoreRange;
use crate::seed::Seed;
use std::collections::BTreeMap;

/// A mean or a ratio of sums with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean or the ratio over all rows.
    pub value: f64,
    /// Its interval, with the cluster as the unit; absent with a single cluster.
    pub interval: Option<Interval>,
    /// Number of clusters, which are the observations.
    pub clusters: usize,
    /// Number of rows.
    pub rows: usize,
}

/// The mean of values in `range`, each with the key of its cluster: the instance, question or case that it
/// belongs to. Every interval of a mean in a report of the runner is made here, or by [`mean_interval_within`]
/// where no value shares a cluster.
///
/// Trials of one cluster are averaged first: they measure it more exactly, but add no observation, so `k` equal
/// trials of everything have the interval of one. Where clusters hold different numbers of trials, the mean is
/// that of all values, as in [`mean`](super::mean), and a cluster counts in its interval by its size
/// ([`cluster_ratio`]). The result depends on the order in which clusters first appear, and on no order of
/// their keys. Absent without values, or where one is not finite.
///
/// ```
/// use sim_core::{ScoreRange, Seed, stats::cluster_mean};
/// let scores = [0.4, 0.9, 0.5, 0.6, 0.7, 0.2];
/// let rows = |streams: usize| (0..streams).flat_map(|_| scores.into_iter().enumerate()).collect::<Vec<_>>();
/// let of = |streams| cluster_mean(rows(streams), ScoreRange::SHARE, 0.95, Seed(1)).unwrap();
/// let (one, five) = (of(1), of(5));
/// assert_eq!((five.clusters, five.rows), (6, 30));
/// assert!((one.interval.unwrap().low - five.interval.unwrap().low).abs() < 1e-12);
/// ```
#[must_use]
pub fn cluster_mean<K: Ord>(
    rows: impl IntoIterator<Item = (K, f64)>,
    range: ScoreRange,
    level: f64,
    seed: Seed,
) -> Option<Estimate> {
    let rows = rows.into_iter().map(|(key, value)| (key, [value, 1.0]));
    cluster_ratio(rows, range, level, seed)
}

/// The ratio of two sums over rows `(cluster, [numerator, denominator])`, which lies in `range`.
///
/// The interval is that of the mean of `R + (N - R D) / d` over the clusters, with `N` and `D` the sums of a
/// cluster, `R` the ratio and `d` the mean of `D`: the ratio is a smooth function of two means, and this is its
/// linear part. If all `D` are equal, the values are `N / D`. Absent without rows, where the sum of the
/// denominators is not above 0, or where a number is not finite.
///
/// # Source
/// W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, sections 6.3 and 9A.1 (the ratio estimate, and
/// clusters of unequal sizes).
#[must_use]
pub fn cluster_ratio<K: Ord>(
    rows: impl IntoIterator<Item = (K, [f64; 2])>,
    range: ScoreRange,
    level: f64,
    seed: Seed,
) -> Option<Estimate> {
    let found = values(rows)?;
    Some(Estimate {
        value: found.value,
        interval: interval(&found.values, found.value, range, level, seed),
        clusters: found.values.len(),
        rows: found.rows,
    })
}

/// The mean of all values, and one value for each cluster, for a bootstrap other than that of [`cluster_mean`].
///
/// The value of a cluster is its mean if all clusters have the same size. Otherwise it also depends on the size, so
/// that the mean over the clusters is the mean of all values. `None` in the cases of [`cluster_mean`].
///
/// ```
/// use sim_core::stats::cluster_values;
/// let (mean, clusters) = cluster_values([("a", 1.0), ("a", 3.0), ("b", 4.0), ("b", 6.0)]).unwrap();
/// assert_eq!((mean, clusters), (3.5, vec![2.0, 5.0]));
/// ```
#[must_use]
pub fn cluster_values<K: Ord>(rows: impl IntoIterator<Item = (K, f64)>) -> Option<(f64, Vec<f64>)> {
    let found = values(rows.into_iter().map(|(key, value)| (key, [value, 1.0])))?;
    Some((found.value, found.values))
}

/// A ratio with the value of each cluster.
struct Values {
    value: f64,
    values: Vec<f64>,
    rows: usize,
}

fn values<K: Ord>(rows: impl IntoIterator<Item = (K, [f64; 2])>) -> Option<Values> {
    let rows: Vec<(K, [f64; 2])> = rows.into_iter().collect();
    let (value, below) = ratio(rows.iter().map(|(_, parts)| *parts))?;
    let clusters = gather(&rows);
    let size = below * rows.len() as f64 / clusters.len() as f64;
    // With equal sizes the linear part is `N / D`. Written so, a cluster of one row has the value
    // of its row to the last bit.
    let alike = clusters.iter().all(|cluster| cluster.has_sum(size));
    let values: Option<Vec<f64>> = clusters
        .iter()
        .map(|cluster| {
            let [above, below] = cluster.means()?;
            let value = if alike {
                above / below
            } else {
                value + cluster.count() * (above - value * below) / size
            };
            Some(value).filter(|value| value.is_finite())
        })
        .collect();
    Some(Values {
        value,
        values: values?,
        rows: rows.len(),
    })
}

/// The ratio of the sums of numerators and denominators, and the mean of the denominators; absent where that is not
/// above 0, or a number is not finite.
pub(super) fn ratio(parts: impl Iterator<Item = [f64; 2]>) -> Option<(f64, f64)> {
    // Means in place of sums: the ratio is the same, and a mean corrects for what rounding drops.
    let mut all = Cluster::default();
    parts.for_each(|parts| all.add(parts));
    let [above, below] = all.means()?;
    let value = Some(above / below).filter(|value| below > 0.0 && value.is_finite())?;
    Some((value, below))
}

/// The interval of the mean `centre` of `values`, of which some may lie outside of `range` although their mean
/// cannot.
fn interval(
    values: &[f64],
    centre: f64,
    range: ScoreRange,
    level: f64,
    seed: Seed,
) -> Option<Interval> {
    let ends = values.iter().map(|&value| ScoreRange::new(value, value));
    // For values outside of its range the bounded interval gives way to the one without limits. So
    // the range is widened for it, and its result is cut to the true one.
    let held = ends.fold(range, ScoreRange::with);
    let found = mean_interval_within(values, held, level, seed)?;
    Some(found.within_but_for(range, centre))
}

/// Numerator and denominator of a cluster.
#[derive(Debug, Clone, Copy, Default)]
struct Cluster([RunningMean; 2]);

impl Cluster {
    fn add(&mut self, parts: [f64; 2]) {
        for (mean, part) in self.0.iter_mut().zip(parts) {
            mean.add(part);
        }
    }

    fn means(&self) -> Option<[f64; 2]> {
        let [above, below] = self.0;
        Some([above.value()?, below.value()?])
    }

    fn count(&self) -> f64 {
        let [_, below] = self.0;
        below.count() as f64
    }

    /// Whether the sum of its denominators is `size`, but for rounding.
    fn has_sum(&self, size: f64) -> bool {
        self.means()
            .is_some_and(|[_, below]| (below * self.count() - size).abs() <= 1e-12 * size)
    }
}

/// The clusters, in the order in which they first appear.
fn gather<K: Ord>(rows: &[(K, [f64; 2])]) -> Vec<Cluster> {
    let one = |parts: [f64; 2]| {
        let mut cluster = Cluster::default();
        cluster.add(parts);
        cluster
    };
    // Numbers of episodes ascend, and a map of a million of them takes longer than short games.
    if rows.is_sorted_by(|(a, _), (b, _)| a < b) {
        return rows.iter().map(|(_, parts)| one(*parts)).collect();
    }
    let mut places: BTreeMap<&K, usize> = BTreeMap::new();
    let mut clusters: Vec<Cluster> = Vec::new();
    for (key, parts) in rows {
        let place = *places.entry(key).or_insert(clusters.len());
        match clusters.get_mut(place) {
            Some(cluster) => cluster.add(*parts),
            None => clusters.push(one(*parts)),
        }
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{IntervalKind, mean};
    use proptest::prelude::*;

    const LEVEL: f64 = 0.95;

    fn shares(rows: &[(u64, f64)]) -> Estimate {
        cluster_mean(rows.iter().copied(), ScoreRange::SHARE, LEVEL, Seed(3)).unwrap()
    }

    #[test]
    fn values_of_their_own_clusters_have_the_plain_interval() {
        let values: Vec<f64> = (0..40).map(|k| f64::from(k * 37 % 11) / 11.0).collect();
        let rows: Vec<(u64, f64)> = (0..).zip(values.iter().copied()).collect();
        let plain = mean_interval_within(&values, ScoreRange::SHARE, LEVEL, Seed(3));
        assert_eq!(shares(&rows).interval, plain);
        assert_eq!(Some(shares(&rows).value), mean(&values));
        // Keys that do not ascend are the same clusters.
        let turned: Vec<(u64, f64)> = rows.iter().map(|(key, x)| (100 - key, *x)).collect();
        assert_eq!(shares(&turned), shares(&rows));
    }

    #[test]
    fn one_cluster_and_no_rows() {
        let one = shares(&[(1, 0.5), (1, 0.7)]);
        assert_eq!((one.value, one.interval, one.clusters), (0.6, None, 1));
        let none: [(u64, f64); 0] = [];
        assert_eq!(cluster_mean(none, ScoreRange::SHARE, LEVEL, Seed(3)), None);
        let nan = [(1, f64::NAN), (2, 1.0)];
        assert_eq!(cluster_mean(nan, ScoreRange::SHARE, LEVEL, Seed(3)), None);
    }

    /// Hand-computed: clusters 1, 1, 4 with sums 2, 1 and 5 of 4, 1 and 1 values.
    #[test]
    fn larger_clusters_count_by_their_size() {
        let rows = [(1, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (3, 5.0), (1, 0.5)];
        let found = cluster_mean(rows, ScoreRange::UNLIMITED, LEVEL, Seed(3)).unwrap();
        let ratio = 8.0 / 6.0;
        assert!((found.value - ratio).abs() < 1e-12);
        let linear = [
            ratio + (2.0 - 4.0 * ratio) / 2.0,
            ratio + (1.0 - ratio) / 2.0,
            ratio + (5.0 - ratio) / 2.0,
        ];
        let wanted = crate::stats::mean_interval(&linear, LEVEL, Seed(3)).unwrap();
        let found = found.interval.unwrap();
        assert!((found.low - wanted.low).abs() < 1e-9 && (found.high - wanted.high).abs() < 1e-9);
    }

    #[test]
    fn clusters_that_are_all_right_have_an_interval_of_their_number() {
        // 20 questions, asked one to three times and always answered rightly.
        let rows: Vec<(u64, f64)> = (0..20)
            .flat_map(|item| (0..=item % 3).map(move |_| (item, 1.0)))
            .collect();
        let found = shares(&rows);
        let interval = found.interval.unwrap();
        assert_eq!((interval.kind, interval.count), (IntervalKind::Wilson, 20));
        assert_eq!((found.value, interval.high), (1.0, 1.0));
    }

    /// The reason of the linear part: clusters that differ in size as well as in value.
    #[test]
    fn intervals_of_unequal_clusters_cover_what_they_promise() {
        let (mut covered, rounds) = (0, 400);
        for round in 0..rounds {
            let mut stream = Seed(11).stream("round", round);
            let mut rows = Vec::new();
            for item in 0..40_u64 {
                let size = 1 + stream.below(5);
                // The larger, the better; the mean over values is (1 + 4 + 9 + 16 + 25) / 15.
                let level = size as f64 + stream.normal();
                rows.extend((0..size).map(|_| (item, level + 0.3 * stream.normal())));
            }
            let found = cluster_mean(rows, ScoreRange::UNLIMITED, LEVEL, Seed(round)).unwrap();
            covered += u32::from(found.interval.unwrap().contains(55.0 / 15.0));
        }
        // 95 % of 400, and three standard deviations of 4.4.
        assert!((366..=396).contains(&covered), "{covered} of {rounds}");
    }

    proptest! {
        /// Equal streams, in orders of their own, are not further observations.
        #[test]
        fn equal_streams_have_the_interval_of_one(
            scores in proptest::collection::vec(0_u8..=4, 2..40),
            streams in 2_usize..6,
        ) {
            let scores: Vec<(usize, f64)> =
                scores.iter().map(|score| f64::from(*score) / 4.0).enumerate().collect();
            let of = |rows: Vec<(usize, f64)>| {
                cluster_mean(rows, ScoreRange::SHARE, LEVEL, Seed(5)).unwrap()
            };
            let mut all = scores.clone();
            for stream in 1..streams {
                let mut again = scores.clone();
                again.rotate_left(stream % scores.len());
                all.extend(again);
            }
            let (one, many) = (of(scores.clone()), of(all));
            prop_assert_eq!((many.clusters, many.rows), (scores.len(), streams * scores.len()));
            prop_assert!((one.value - many.value).abs() < 1e-12);
            let (one, many) = (one.interval.unwrap(), many.interval.unwrap());
            prop_assert_eq!((one.kind, one.count), (many.kind, many.count));
            prop_assert!((one.low - many.low).abs() < 1e-9 && (one.high - many.high).abs() < 1e-9);
        }

        #[test]
        fn an_interval_holds_its_value_and_keeps_to_the_range(
            rows in proptest::collection::vec((0_u8..12, 0.0_f64..=1.0), 2..60),
        ) {
            let found = cluster_mean(rows, ScoreRange::SHARE, LEVEL, Seed(5)).unwrap();
            if let Some(interval) = found.interval {
                prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
                prop_assert!(interval.low <= found.value + 1e-12);
                prop_assert!(found.value <= interval.high + 1e-12);
            }
        }
    }
}
