//! Ranks texts by similarity to a query: BM25, deterministic and offline.
//!
//! ```text
//!  score(d) = sum over words w of the query:  ln(1 + (N - n(w) + 0.5) / (n(w) + 0.5))
//!             * f(w, d) (k1 + 1) / (f(w, d) + k1 (1 - b + b |d| / mean |d|))
//! ```
//!
//! N texts, n(w) texts with w, f(w, d) times that d has w, |d| words of d; k1 = 1.2, b = 0.75.

use std::collections::BTreeMap;

/// Saturation and length parameters of Robertson and Zaragoza, "The probabilistic relevance
/// framework", 2009.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The lower-case words of a text.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The indices of the `most` texts that match `query` best, best first; texts without a common word
/// are left out, equally good ones keep their order.
pub(super) fn best(query: &str, texts: &[String], most: usize) -> Vec<usize> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    let number = |n: usize| n as f64;
    let mean = number(documents.iter().map(Vec::len).sum()) / number(documents.len().max(1));
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for document in &documents {
        let mut distinct: Vec<&str> = document.iter().map(String::as_str).collect();
        distinct.sort_unstable();
        distinct.dedup();
        for word in distinct {
            *holders.entry(word).or_default() += 1;
        }
    }
    let mut asked = words(query);
    asked.sort_unstable();
    asked.dedup();
    let mut scored: Vec<(f64, usize)> = documents
        .iter()
        .enumerate()
        .map(|(place, document)| {
            let length = K1 * (1.0 - B + B * number(document.len()) / mean.max(1.0));
            let score = asked.iter().map(|word| {
                let times = number(document.iter().filter(|w| *w == word).count());
                let n = number(holders.get(word.as_str()).copied().unwrap_or(0));
                let rare =
                    sim_core::math::ln(1.0 + (number(documents.len()) - n + 0.5) / (n + 0.5));
                rare * times * (K1 + 1.0) / (times + length)
            });
            (score.sum(), place)
        })
        .filter(|(score, _): &(f64, usize)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored
        .into_iter()
        .take(most)
        .map(|(_, place)| place)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_common_words_decide() {
        let texts = [
            "the growth of revenue in the north",
            "the margin of the south",
            "nothing in common",
            "margin and growth",
        ]
        .map(str::to_owned);
        assert_eq!(best("margin growth", &texts, 10), [3, 1, 0]);
        assert_eq!(best("MARGIN?", &texts, 1), [3], "the shorter text");
        assert!(best("unheard", &texts, 3).is_empty());
        assert!(best("x", &[], 3).is_empty());
    }
}
