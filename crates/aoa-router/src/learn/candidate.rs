//! The conditions that a rule may have.
//!
//! Pairs combine task, capability, difficulty, table and code, but no thresholds: every further condition makes the
//! test of all others stricter, because the error is divided by the number of rules tried.

use super::{CUTS, LearnSettings};
use crate::agents::folded;
use crate::bits::Bits;
use crate::features::Countable;
use crate::matrix::Matrix;
use crate::policy::{FeatureConditions, Part, When};
use crate::sample::{Bucket, short_capability};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};
use strum::VariantArray;

/// A condition, and the samples that meet it.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) when: When,
    /// Samples that satisfy it.
    pub(super) samples: Bits,
    /// Samples of the single conditions of a pair; empty for a single condition.
    pub(super) wider: Vec<Bits>,
}

/// A single condition.
struct Single {
    when: When,
    /// The same, prepared for evaluation.
    parts: Vec<Part>,
    samples: Bits,
}

impl Single {
    /// The property that it tests, if it may be part of a pair; two conditions on the same property are not paired.
    fn pairs_on(&self) -> Option<Discriminant<Part>> {
        let part = self.parts.first()?;
        let is_threshold = matches!(part, Part::AtLeast(..) | Part::AtMost(..));
        (!is_threshold).then(|| discriminant(part))
    }
}

/// All conditions that at least `min_samples` samples of `within` satisfy, but not all of them:
/// every value of task, capability, difficulty and the two yes-or-no features, pairs of those, and
/// thresholds of countable features at their quantiles. Of conditions with the same samples, only
/// the first and simplest one is kept.
///
/// The order is that of simplicity: single conditions before pairs.
pub(super) fn candidates(
    matrix: &Matrix,
    within: &Bits,
    settings: &LearnSettings,
) -> Vec<Candidate> {
    let singles = singles(matrix, within);
    let all = within.count();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut offer = |candidate: Candidate| {
        let n = candidate.samples.count();
        // Two conditions with the same samples would be two tests of the same thing, and a rule for all samples would be
        // another default agent.
        if n >= settings.min_samples && n < all && seen.insert(candidate.samples.clone()) {
            found.push(candidate);
        }
    };
    for single in &singles {
        offer(Candidate {
            when: single.when.clone(),
            samples: single.samples.clone(),
            wider: Vec::new(),
        });
    }
    for (at, first) in singles.iter().enumerate() {
        let Some(on) = first.pairs_on() else {
            continue;
        };
        for second in singles.iter().skip(at + 1) {
            if second.pairs_on().is_none_or(|other| other == on) {
                continue;
            }
            offer(Candidate {
                when: both(&first.when, &second.when),
                samples: first.samples.and(&second.samples),
                wider: vec![first.samples.clone(), second.samples.clone()],
            });
        }
    }
    found
}

/// All single conditions, also those with too few samples, which may still form a pair.
fn singles(matrix: &Matrix, within: &Bits) -> Vec<Single> {
    let mut tasks: BTreeMap<String, &str> = BTreeMap::new();
    let mut capabilities: BTreeMap<String, &str> = BTreeMap::new();
    let samples = matrix.samples();
    for (_, sample) in samples.iter().enumerate().filter(|it| within.has(it.0)) {
        if let Some(task) = sample.task_name.as_deref() {
            tasks.entry(folded(task)).or_insert(task);
        }
        if let Some(capability) = sample.capability.as_deref() {
            let short = short_capability(capability);
            capabilities.entry(folded(short)).or_insert(short);
        }
    }
    let mut whens = Vec::new();
    whens.extend(tasks.values().map(|task| When {
        task_name: Some((*task).trim().to_owned()),
        ..When::default()
    }));
    whens.extend(capabilities.values().map(|capability| When {
        capability: Some((*capability).to_owned()),
        ..When::default()
    }));
    whens.extend(Bucket::VARIANTS.iter().map(|bucket| When {
        difficulty_bucket: Some(*bucket),
        ..When::default()
    }));
    let none = FeatureConditions::default;
    for yes in [true, false] {
        let table = FeatureConditions {
            has_table: Some(yes),
            ..none()
        };
        let code = FeatureConditions {
            has_code: Some(yes),
            ..none()
        };
        whens.extend([on_text(table), on_text(code)]);
    }
    for &of in Countable::VARIANTS {
        for cut in borders(matrix, within, of) {
            #[expect(clippy::cast_precision_loss, reason = "no text has 2^53 characters")]
            // One less, so that the two sides of a threshold share no sample.
            let (least, most) = (cut as f64, cut.saturating_sub(1) as f64);
            for (least, most) in [(Some(least), None), (None, Some(most))] {
                whens.push(on_text(none().with(of, least, most)));
            }
        }
    }
    whens
        .into_iter()
        .map(|when| {
            let parts = when.parts();
            let meets = |at: usize| {
                let sample = samples.get(at);
                within.has(at) && sample.is_some_and(|it| parts.iter().all(|part| part.holds(it)))
            };
            Single {
                samples: Bits::of(samples.len(), meets),
                when,
                parts,
            }
        })
        .collect()
}

/// A condition on features alone.
fn on_text(feature_conditions: FeatureConditions) -> When {
    When {
        feature_conditions,
        ..When::default()
    }
}

/// Quantiles of a feature, at most [`CUTS`] of them, each above its minimum.
fn borders(matrix: &Matrix, within: &Bits, of: Countable) -> Vec<u64> {
    let samples = matrix.samples().iter().enumerate();
    let mut values: Vec<u64> = samples
        .filter(|(at, _)| within.has(*at))
        .filter_map(|(_, sample)| sample.features.count(of))
        .collect();
    values.sort_unstable();
    let least = values.first().copied();
    // Quantiles and not equal steps: lengths of texts are skewed, and equal steps would leave most parts empty.
    let mut borders: Vec<u64> = (1..=CUTS)
        .filter_map(|cut| values.get(cut * values.len() / (CUTS + 1)).copied())
        .filter(|value| Some(*value) > least)
        .collect();
    borders.dedup();
    borders
}

/// The conjunction of two conditions on different properties.
fn both(first: &When, second: &When) -> When {
    let (one, two) = (&first.feature_conditions, &second.feature_conditions);
    When {
        task_name: first.task_name.clone().or_else(|| second.task_name.clone()),
        capability: first
            .capability
            .clone()
            .or_else(|| second.capability.clone()),
        difficulty_bucket: first.difficulty_bucket.or(second.difficulty_bucket),
        feature_conditions: FeatureConditions {
            has_table: one.has_table.or(two.has_table),
            has_code: one.has_code.or(two.has_code),
            ..FeatureConditions::default()
        },
    }
}
