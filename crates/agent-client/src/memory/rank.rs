//! Ranks texts by similarity to a query: BM25.

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
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut asked = words(query);
    asked.sort_unstable();
    // A word that is asked twice would count twice, which BM25 does not mean.
    asked.dedup();
    let counted: Vec<(Vec<u32>, u32)> = texts
        .iter()
        .map(|text| {
            let document = words(text);
            let times = |word: &String| number(document.iter().filter(|w| *w == word).count());
            (asked.iter().map(times).collect(), number(document.len()))
        })
        .collect();
    let counted = counted
        .iter()
        .map(|(times, length)| (times.as_slice(), *length));
    let scores = sim_core::bm25::scores(counted).into_iter().zip(0..);
    let mut scored: Vec<(f64, usize)> = scores.filter(|(score, _)| *score > 0.0).collect();
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
