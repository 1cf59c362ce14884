//! The same scores in a simple implementation: strings, maps and the full table of the subsequence.
//!
//! Time and memory grow with the product of the lengths.

use qa_scoring::rouge::{Prf, RougeScores, Stemming, words};
use std::collections::BTreeMap;

/// ROUGE-1, ROUGE-2 and ROUGE-L, as `Rouge::score` gives them.
pub(crate) fn score(reference: &str, prediction: &str, stemming: Stemming) -> RougeScores {
    let wanted = words(reference, stemming);
    let predicted = words(prediction, stemming);
    let length = table(&wanted, &predicted)
        .last()
        .and_then(|row| row.last().copied())
        .unwrap_or(0);
    RougeScores {
        rouge1: overlap(&wanted, &predicted, 1),
        rouge2: overlap(&wanted, &predicted, 2),
        rouge_l: Prf::of_counts(length, predicted.len(), wanted.len()),
        rouge_lsum: None,
    }
}

/// ROUGE-Lsum, as `Rouge::lsum` gives it.
pub(crate) fn lsum(reference: &str, prediction: &str, stemming: Stemming) -> Prf {
    let lines = |text: &str| -> Vec<Vec<String>> {
        text.split('\n')
            .map(|line| words(line, stemming))
            .filter(|line| !line.is_empty())
            .collect()
    };
    let (wanted, predicted) = (lines(reference), lines(prediction));
    let total = |lines: &[Vec<String>]| lines.iter().map(Vec::len).sum::<usize>();
    let (all_wanted, all_predicted) = (wanted.concat(), predicted.concat());
    let mut left_wanted = counts(&all_wanted, 1);
    let mut left_predicted = counts(&all_predicted, 1);
    let mut hits = 0;
    for line in &wanted {
        let mut in_union = vec![false; line.len()];
        for other in &predicted {
            mark(line, other, &mut in_union);
        }
        for (word, _) in line.iter().zip(&in_union).filter(|&(_, &is_in)| is_in) {
            let key = vec![word.as_str()];
            let a = left_wanted.get(&key).copied().unwrap_or(0);
            let b = left_predicted.get(&key).copied().unwrap_or(0);
            if a > 0 && b > 0 {
                left_wanted.insert(key.clone(), a - 1);
                left_predicted.insert(key, b - 1);
                hits += 1;
            }
        }
    }
    Prf::of_counts(hits, total(&predicted), total(&wanted))
}

/// Every run of `n` words with how often it occurs.
fn counts(text: &[String], n: usize) -> BTreeMap<Vec<&str>, usize> {
    let mut counts = BTreeMap::new();
    for run in text.windows(n) {
        let run: Vec<&str> = run.iter().map(String::as_str).collect();
        *counts.entry(run).or_insert(0) += 1;
    }
    counts
}

/// Common runs of `n` words, each as often as it occurs in both.
fn overlap(wanted: &[String], predicted: &[String], n: usize) -> Prf {
    let (a, b) = (counts(wanted, n), counts(predicted, n));
    let hits = a
        .iter()
        .map(|(run, &count)| count.min(b.get(run).copied().unwrap_or(0)))
        .sum();
    Prf::of_counts(hits, b.values().sum(), a.values().sum())
}

/// Lengths of the longest common subsequence of all pairs of prefixes.
fn table(a: &[String], b: &[String]) -> Vec<Vec<usize>> {
    let mut rows = vec![vec![0; b.len() + 1]];
    for x in a {
        let above = rows.last().cloned().unwrap_or_default();
        let mut row = vec![0; 1];
        for (y, (diagonal, up)) in b.iter().zip(above.iter().zip(above.iter().skip(1))) {
            let left = row.last().copied().unwrap_or(0);
            row.push(if x == y { diagonal + 1 } else { left.max(*up) });
        }
        rows.push(row);
    }
    rows
}

/// Marks the places of `line` in its common subsequence with `other`.
fn mark(line: &[String], other: &[String], in_union: &mut [bool]) {
    let rows = table(line, other);
    let at = |i: usize, j: usize| rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    let (mut i, mut j) = (line.len(), other.len());
    // At a tie the walk leaves out a word of `line`, as the package does. Another order finds a
    // subsequence of the same length in other places, and the union of places would differ.
    while i > 0 && j > 0 {
        if line.get(i - 1) == other.get(j - 1) {
            if let Some(mark) = in_union.get_mut(i - 1) {
                *mark = true;
            }
            i -= 1;
            j -= 1;
        } else if at(i, j - 1) > at(i - 1, j) {
            j -= 1;
        } else {
            i -= 1;
        }
    }
}
