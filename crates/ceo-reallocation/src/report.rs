//! Tables over many evaluations: who is how good, how certain that is, and which failures come
//! together.
//!
//! ```
//! use ceo_reallocation::config::ScoringConfig;
//! use ceo_reallocation::policy::nothing;
//! use ceo_reallocation::report::row;
//! use ceo_reallocation::scenario::authored;
//! use ceo_reallocation::score::Scorer;
//! use sim_core::Seed;
//!
//! // Doing nothing in all 13 scenarios.
//! let mut cards = Vec::new();
//! for scenario in &authored().scenarios {
//!     let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
//!     cards.push((scenario.id.as_str(), scorer.score(&nothing())));
//! }
//! let table = row(cards.iter().map(|(id, card)| (*id, card)), Seed(0)).ok_or("no cards")?;
//! assert!((table.mean - 45.67).abs() < 0.01);
//! assert_eq!((table.valid.count, table.valid.of), (13, 13));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::scenario::StrategyLabel;
use crate::score::{DecisionGrade, ScoreCard};
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use sim_core::stats::{
    Bootstrap, Interval, PairedDifference, mean, paired_difference, sd, share_interval,
};
use std::collections::BTreeMap;
use strum::VariantArray;

/// Counts of labels that come together: entry (a, b) counts evaluations with both, the diagonal those
/// with the label at all. Rows and columns are in the order of [`StrategyLabel`].
///
/// # Source
/// Paper, appendix F.
#[must_use]
pub fn cooccurrence<'a>(cards: impl IntoIterator<Item = &'a ScoreCard>) -> [[u64; 5]; 5] {
    let mut table = [[0; 5]; 5];
    for card in cards {
        for (row, a) in table.iter_mut().zip(StrategyLabel::VARIANTS) {
            for (cell, b) in row.iter_mut().zip(StrategyLabel::VARIANTS) {
                *cell += u64::from(card.has(*a) && card.has(*b));
            }
        }
    }
    table
}

/// A rate with its interval.
///
/// The rate itself is `count / of`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Number of successes.
    pub count: u64,
    /// Number of trials.
    pub of: u64,
    /// Wilson's interval at 95 %.
    pub interval: (f64, f64),
}

/// One row of a table: an agent over scenarios, each played one or more times.
///
/// Scenarios weigh the same, however often each was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRow {
    /// Mean over scenarios of the mean over repeats.
    pub mean: f64,
    /// Percentile bootstrap at 95 % with the scenario as the unit, 10,000 samples; absent for one
    /// scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Plans that break no rule.
    pub valid: Rate,
    /// Number of evaluations with each grade.
    pub grades: BTreeMap<DecisionGrade, u64>,
    /// Rate of each label.
    pub labels: BTreeMap<StrategyLabel, Rate>,
    /// Mean and standard deviation by scenario; no deviation for a single play.
    pub scenarios: BTreeMap<String, (f64, Option<f64>)>,
}

/// Sums the evaluations of one agent up: pairs of scenario id and evaluation. `None` for none.
///
/// The seed is that of the bootstrap; the same cards and seed give the same interval.
#[must_use]
pub fn row<'a>(
    cards: impl IntoIterator<Item = (&'a str, &'a ScoreCard)>,
    seed: Seed,
) -> Option<AgentRow> {
    let mut by_scenario: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut grades = BTreeMap::new();
    let mut labels: BTreeMap<StrategyLabel, u64> = BTreeMap::new();
    let (mut valid, mut count) = (0, 0);
    for (id, card) in cards {
        by_scenario.entry(id).or_default().push(card.score());
        *grades.entry(card.grade).or_insert(0) += 1;
        for label in &card.labels {
            *labels.entry(*label).or_insert(0) += 1;
        }
        valid += u64::from(card.is_valid());
        count += 1;
    }
    let scenarios: BTreeMap<String, (f64, Option<f64>)> = by_scenario
        .iter()
        .filter_map(|(id, scores)| Some(((*id).to_owned(), (mean(scores)?, sd(scores)))))
        .collect();
    // One value a scenario: repeats of one scenario tell more about it and nothing about others.
    let means: Vec<f64> = scenarios.values().map(|(mean, _)| *mean).collect();
    let average = |values: &[f64]| mean(values).unwrap_or(f64::NAN);
    let rate = |hits: u64| {
        Some(Rate {
            count: hits,
            of: count,
            interval: share_interval(hits, count, 0.95).map(|i| (i.low, i.high))?,
        })
    };
    Some(AgentRow {
        mean: mean(&means)?,
        interval: Bootstrap::percentile(0.95, seed)
            .resamples(10_000)
            .interval(&means, average),
        valid: rate(valid)?,
        grades,
        labels: StrategyLabel::VARIANTS
            .iter()
            .filter_map(|label| Some((*label, rate(labels.get(label).copied().unwrap_or(0))?)))
            .collect(),
        scenarios,
    })
}

/// Compares two agents on the scenarios that both played.
///
/// Gives the mean difference first minus second with an interval at 95 %, clustered by
/// scenario. `None` when they share no scenario, or too few for an interval.
#[must_use]
pub fn compare<'a>(
    first: impl IntoIterator<Item = (&'a str, &'a ScoreCard)>,
    second: impl IntoIterator<Item = (&'a str, &'a ScoreCard)>,
    seed: Seed,
) -> Option<PairedDifference> {
    let values = |cards: &mut dyn Iterator<Item = (&'a str, &'a ScoreCard)>| {
        cards
            .map(|(id, card)| (id.to_owned(), card.score()))
            .collect::<Vec<_>>()
    };
    let first = values(&mut first.into_iter());
    let second = values(&mut second.into_iter());
    paired_difference(&first, &second, 0.95, seed)
}
