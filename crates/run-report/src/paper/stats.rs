//! The statistics that a table can name.

use super::table::Measure;
use qa_scoring::correlate::pearson;
use run_engine::engine::summary::{LEVEL, ends};
use sim_core::stats::{cluster_mean, mean, normal_quantile};
use sim_core::{ScoreRange, Seed};
use std::collections::{BTreeMap, BTreeSet};

/// Values by observation: the mean of those that belong to one. Observations have the same weight, however often
/// they were repeated.
pub(super) fn by_observation(
    values: impl IntoIterator<Item = (String, f64)>,
) -> BTreeMap<String, f64> {
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        groups.entry(key).or_default().push(value);
    }
    let means = groups
        .into_iter()
        .filter_map(|(key, values)| Some((key, mean(&values)?)));
    means.collect()
}

/// The mean of values in `range`, each first averaged within its observation.
pub(super) fn mean_by(
    values: impl IntoIterator<Item = (String, f64)>,
    range: ScoreRange,
    seed: Seed,
) -> Option<Measure> {
    let values: Vec<(String, f64)> = values.into_iter().collect();
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for (key, _) in &values {
        if seen.insert(key.clone()) {
            order.push(key.clone());
        }
    }
    let means = by_observation(values);
    // In the order of the rows, as in a report: the resamples go by place, and keys sort `10` before `2`.
    let means = order
        .into_iter()
        .filter_map(|key| means.get(&key).map(|mean| (key.clone(), *mean)));
    let found = cluster_mean(means.collect::<Vec<_>>(), range, LEVEL, seed)?;
    Some(Measure {
        value: found.value,
        ci95: ends(&found),
        n: found.clusters as u64,
    })
}

/// Pearson's r over the observations that have both figures, at least `least` of them, with Fisher's interval.
pub(super) fn correlation(pairs: &[(f64, f64)], least: usize) -> Option<Measure> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (r, n) = (pearson(&x, &y)?.coefficient, x.len());
    // Fisher's formula divides by n - 3, and the image of a perfect correlation is infinite.
    let interval = (n >= 4 && r.abs() < 1.0).then(|| {
        let half = normal_quantile(0.5 + LEVEL / 2.0).unwrap_or(f64::NAN) / ((n - 3) as f64).sqrt();
        [(r.atanh() - half).tanh(), (r.atanh() + half).tanh()]
    });
    (n >= least).then_some(Measure {
        value: r,
        ci95: interval,
        n: n as u64,
    })
}
