//! Results by capability and difficulty.

use super::{Capability, DifficultyBucket, TaxonomyLabel};
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use sim_core::stats::{Interval, rate_interval};
use std::collections::BTreeMap;

/// The columns by which a table is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelAxis {
    /// Capability.
    Capability,
    /// Difficulty, in buckets.
    Difficulty,
}

/// The items of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellKey {
    /// Capability; absent for items without a label, and if the table is not grouped by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// Bucket; absent if the capability has none, the difficulty is unknown, or the table is not
    /// grouped by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<DifficultyBucket>,
}

/// A cell of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelCell {
    /// Which items.
    #[serde(flatten)]
    pub key: CellKey,
    /// Number of items.
    pub n: usize,
    /// Mean value of the items.
    pub mean: f64,
    /// 95 % interval of the mean; absent for fewer than two items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// The table of mean values by capability, difficulty bucket or both, in order.
///
/// Values are per item, so a finer item counts as one and is right only if all four tags are,
/// whereas finer's own accuracy counts tags.
///
/// ```
/// use qa_scoring::taxonomy::{LabelAxis, Capability, TaxonomyLabel, cells};
/// use sim_core::Seed;
/// let label = |capability| TaxonomyLabel { capability: Some(capability), ..TaxonomyLabel::default() };
/// let nc = label(Capability::NumericalCalculation);
/// let table = cells([(&nc, 1.0), (&nc, 0.0)], &[LabelAxis::Capability], Seed(1));
/// assert_eq!((table.len(), table[0].n, table[0].mean), (1, 2, 0.5));
/// ```
#[must_use]
pub fn cells<'a>(
    items: impl IntoIterator<Item = (&'a TaxonomyLabel, f64)>,
    by: &[LabelAxis],
    seed: Seed,
) -> Vec<LabelCell> {
    let mut values: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for (label, value) in items {
        // A column that is not asked for is empty in every key, so that its groups fall into one.
        let key = CellKey {
            capability: label
                .capability
                .filter(|_| by.contains(&LabelAxis::Capability)),
            bucket: label
                .bucket()
                .filter(|_| by.contains(&LabelAxis::Difficulty)),
        };
        values.entry(key).or_default().push(value);
    }
    values
        .into_iter()
        .map(|(key, values)| LabelCell {
            key,
            n: values.len(),
            // Never without values: a key comes in with its first one.
            mean: sim_core::stats::mean(&values).unwrap_or(0.0),
            interval: rate_interval(&values, 0.95, seed),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_per_pair_with_its_n() {
        let label = |capability, difficulty| TaxonomyLabel {
            capability,
            difficulty,
            reasoning: None,
        };
        let hard = label(Some(Capability::NumericalCalculation), Some(8.0));
        let easy = label(Some(Capability::NumericalCalculation), Some(1.0));
        let other = label(Some(Capability::ComplexReasoning), Some(1.0));
        let none = label(None, None);
        let items = [
            (&hard, 0.0),
            (&easy, 1.0),
            (&easy, 0.0),
            (&other, 1.0),
            (&none, 1.0),
        ];
        let both = [LabelAxis::Capability, LabelAxis::Difficulty];
        let table = cells(items, &both, Seed(1));
        let rows: Vec<(Option<DifficultyBucket>, usize, f64)> =
            table.iter().map(|c| (c.key.bucket, c.n, c.mean)).collect();
        assert_eq!(
            rows,
            [
                // Items without a label come first, since no label is less than any.
                (None, 1, 1.0),
                (Some(DifficultyBucket::Easy), 2, 0.5),
                (Some(DifficultyBucket::Hard), 1, 0.0),
                // Complex reasoning has no buckets, whatever its difficulty.
                (None, 1, 1.0)
            ]
        );
        let by_difficulty = cells(items, &[LabelAxis::Difficulty], Seed(1));
        let rows: Vec<(Option<DifficultyBucket>, usize)> =
            by_difficulty.iter().map(|c| (c.key.bucket, c.n)).collect();
        assert_eq!(
            rows,
            [
                (None, 2),
                (Some(DifficultyBucket::Easy), 2),
                (Some(DifficultyBucket::Hard), 1)
            ]
        );
        assert_eq!(cells(items, &[], Seed(1))[0].n, 5);
    }
}
