//! Sets of letters: exact match and three definitions of F1.

use crate::letters::LetterSet;
use crate::rouge::Prf;
use serde::{Deserialize, Serialize};

/// Exact match and F1 over items whose answers are sets of letters; each between 0 and 1.
///
/// The paper prints an F1 without a definition. Three definitions fit its figures about equally
/// well, so all three are computed; `f1` is the one to quote.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetScores {
    /// Number of items.
    pub n: usize,
    /// Items whose set is exactly right.
    pub exact: usize,
    /// Share of items that are exactly right.
    pub accuracy: f64,
    /// Mean over items of the F1 of each.
    pub f1: f64,
    /// F1 of all letters of all items taken together.
    pub f1_micro: f64,
    /// Mean over letters of the F1 of each letter, for the letters that occur.
    pub f1_macro_label: f64,
}

/// F1 of one set against the right one: `2 |common| / (|right| + |given|)`, 0 when nothing is given.
///
/// ```
/// use qa_scoring::{LetterSet, metric::set_f1};
/// let set = |letters: &str| letters.chars().collect::<LetterSet>();
/// assert_eq!(set_f1(set("AC"), set("ACD")), 0.8);
/// assert_eq!(set_f1(set("AC"), LetterSet::EMPTY), 0.0);
/// ```
#[must_use]
pub fn set_f1(right: LetterSet, given: LetterSet) -> f64 {
    // Without this an empty answer to an empty set would be 0 / 0.
    if given.is_empty() {
        return 0.0;
    }
    2.0 * right.common(given).len() as f64 / (right.len() + given.len()) as f64
}

/// Scores pairs of right and given sets; `None` for no pair.
///
/// ```
/// use qa_scoring::{LetterSet, metric::set_scores};
/// let set = |letters: &str| letters.chars().collect::<LetterSet>();
/// let scores = set_scores(&[(set("AC"), set("ACD")), (set("B"), set("B"))]);
/// assert_eq!(scores.map(|it| (it.accuracy, it.f1)), Some((0.5, 0.9)));
/// ```
#[must_use]
pub fn set_scores(pairs: &[(LetterSet, LetterSet)]) -> Option<SetScores> {
    let n = pairs.len();
    if n == 0 {
        return None;
    }
    let exact = pairs.iter().filter(|(right, given)| right == given).count();
    let f1 = pairs.iter().map(|&(r, g)| set_f1(r, g)).sum::<f64>() / n as f64;
    let sizes = |pick: fn(&(LetterSet, LetterSet)) -> usize| pairs.iter().map(pick).sum::<usize>();
    let micro = Prf::of_counts(
        sizes(|(r, g)| r.common(*g).len()),
        sizes(|(_, g)| g.len()),
        sizes(|(r, _)| r.len()),
    );
    let per_letter: Vec<f64> = ('A'..='Z')
        .filter_map(|letter| {
            let is_in = |set: LetterSet| set.contains(letter);
            let count = |test: &dyn Fn(&(LetterSet, LetterSet)) -> bool| {
                pairs.iter().filter(|p| test(p)).count()
            };
            let right = count(&|(r, _)| is_in(*r));
            let given = count(&|(_, g)| is_in(*g));
            let both = count(&|(r, g)| is_in(*r) && is_in(*g));
            (right + given > 0).then(|| Prf::of_counts(both, given, right).f)
        })
        .collect();
    Some(SetScores {
        n,
        exact,
        accuracy: exact as f64 / n as f64,
        f1,
        f1_micro: micro.f,
        f1_macro_label: sim_core::stats::mean(&per_letter).unwrap_or(0.0),
    })
}
