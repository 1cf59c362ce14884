//! Labels of a closed set: accuracy, and baselines for it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Accuracy next to the two figures that show whether it is better than a constant answer; each
/// between 0 and 1.
///
/// On CCFraud the answer "no" is right for 99.6 % of the items; its balanced accuracy is 0.5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassScores {
    /// Number of items.
    pub n: usize,
    /// Share of items answered right.
    pub accuracy: f64,
    /// Mean over the labels that occur of the share of right answers among the label's items.
    pub balanced_accuracy: f64,
    /// The most frequent right label; the first in order if several are equally frequent.
    pub majority_label: String,
    /// Accuracy of always giving that label.
    pub majority_accuracy: f64,
    /// Balanced accuracy of any constant answer: 1 divided by the number of labels that occur.
    pub constant_balanced_accuracy: f64,
    /// For each label that is right somewhere: how often it is right, given, and both.
    pub labels: BTreeMap<String, LabelCounts>,
}

/// Counts of one label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelCounts {
    /// Items for which it is right.
    pub right: usize,
    /// Items for which it was given.
    pub given: usize,
    /// Items for which it is right and was given.
    pub both: usize,
}

/// Scores pairs of right label and given label (`None` for no answer); `None` for no pair.
///
/// ```
/// use qa_scoring::metric::class_scores;
/// # fn example() -> Option<()> {
/// let scores = class_scores([("no", Some("no")), ("no", Some("no")), ("yes", Some("no"))])?;
/// assert_eq!(scores.accuracy, 2.0 / 3.0);
/// assert_eq!(scores.balanced_accuracy, 0.5); // no better than a constant answer
/// # Some(())
/// # }
/// # assert!(example().is_some());
/// ```
#[must_use]
pub fn class_scores<'a>(
    pairs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Option<ClassScores> {
    let pairs: Vec<(&str, Option<&str>)> = pairs.into_iter().collect();
    let n = pairs.len();
    let mut labels: BTreeMap<String, LabelCounts> = BTreeMap::new();
    for (right, given) in &pairs {
        let counts = labels.entry((*right).to_owned()).or_default();
        counts.right += 1;
        counts.both += usize::from(*given == Some(*right));
    }
    // In a second pass, when all right labels are known: a label that is right nowhere is not a
    // class.
    for given in pairs.iter().filter_map(|(_, given)| *given) {
        if let Some(counts) = labels.get_mut(given) {
            counts.given += 1;
        }
    }
    let (majority_label, most) = labels
        .iter()
        // From the end, because `max_by_key` takes the last of equals and the first is wanted.
        .rev()
        .max_by_key(|(_, counts)| counts.right)
        .map(|(label, counts)| (label.clone(), counts.right))?;
    let recalls = labels.values().map(|c| c.both as f64 / c.right as f64);
    let kinds = labels.len() as f64;
    Some(ClassScores {
        n,
        accuracy: labels.values().map(|c| c.both).sum::<usize>() as f64 / n as f64,
        balanced_accuracy: recalls.sum::<f64>() / kinds,
        majority_label,
        majority_accuracy: most as f64 / n as f64,
        constant_balanced_accuracy: 1.0 / kinds,
        labels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_answer_is_seen_through() {
        let pairs = [("no", 9), ("yes", 1)]
            .into_iter()
            .flat_map(|(right, count)| vec![(right, Some("no")); count]);
        let scores = class_scores(pairs).unwrap();
        assert_eq!(scores.accuracy, 0.9);
        assert_eq!(scores.balanced_accuracy, 0.5);
        assert_eq!(scores.majority_label, "no");
        assert_eq!(scores.majority_accuracy, 0.9);
        assert_eq!(scores.constant_balanced_accuracy, 0.5);
        assert_eq!(scores.labels["no"].given, 10);
        assert_eq!(class_scores([]), None);
    }
}
