//! BM25: how well texts match the words of a query, deterministic and offline.
//!
//! ```text
//!  score(d) = sum over words w of the query:  ln(1 + (N - n(w) + 0.5) / (n(w) + 0.5))
//!             * f(w, d) (k1 + 1) / (f(w, d) + k1 (1 - b + b |d| / mean |d|))
//! ```
//!
//! N texts, n(w) texts with w, f(w, d) times that d has w, |d| words of d; k1 = 1.2, b = 0.75.

/// Saturation and length parameters of Robertson and Zaragoza, "The probabilistic relevance
/// framework", 2009.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The scores of texts, in their order. Of each text, how often it has each word of the query, and its length
/// in words; rarity and mean length are those of these texts alone.
///
/// ```
/// let once = [1];
/// let never = [0];
/// let scores = sim_core::bm25::scores([(&once[..], 4), (&once[..], 9), (&never[..], 4)].into_iter());
/// assert!(scores[0] > scores[1] && scores[1] > scores[2]); // the shorter of two texts with the word first
/// assert_eq!(scores[2], 0.0);
/// ```
#[must_use]
pub fn scores<'a>(texts: impl Iterator<Item = (&'a [u32], u32)> + Clone) -> Vec<f64> {
    let (mut number, mut words) = (0.0, 0.0);
    let mut with: Vec<f64> = Vec::new();
    for (counts, length) in texts.clone() {
        number += 1.0;
        words += f64::from(length);
        with.resize(counts.len().max(with.len()), 0.0);
        for (with, count) in with.iter_mut().zip(counts) {
            *with += f64::from(u8::from(*count > 0));
        }
    }
    // Texts without any word would divide by zero.
    let mean = (words / f64::max(number, 1.0)).max(1.0);
    let rarity = |with: &f64| crate::math::ln(1.0 + (number - with + 0.5) / (with + 0.5));
    let rarity: Vec<f64> = with.iter().map(rarity).collect();
    texts
        .map(|(counts, length)| {
            let long = K1 * (1.0 - B + B * f64::from(length) / mean);
            let of_word = |(count, rarity): (&u32, &f64)| {
                let count = f64::from(*count);
                rarity * count * (K1 + 1.0) / (count + long)
            };
            counts.iter().zip(&rarity).map(of_word).sum()
        })
        .collect()
}
