//! ROUGE: overlap of words between a reference and a prediction.
//!
//! ROUGE-1 and ROUGE-2 count shared words and word pairs, ROUGE-L the longest common subsequence of
//! words, ROUGE-Lsum the union of subsequences line by line. All give exactly the numbers of
//! the `rouge-score` 0.1.2 package, with its tokeniser and optional Porter stemmer.
//!
//! ```
//! use qa_scoring::rouge::{Rouge, Stemming};
//! let scores = Rouge::new(Stemming::Off).score("the cat sat on the mat", "the cat ate");
//! assert_eq!(scores.rouge1.precision, 2.0 / 3.0); // "the" and "cat" of three words
//! assert_eq!(scores.rouge2.recall, 1.0 / 5.0); // "the cat" of five pairs
//! assert_eq!(scores.rouge_l.recall, 2.0 / 6.0);
//! ```
//!
//! Letters outside a to z and digits outside 0 to 9 separate words, so a text without ASCII letters
//! and digits scores 0. Tests compare this with a simple implementation.
//!
//! | figure | precision | recall |
//! |---|---|---|
//! | ROUGE-n | common runs of n words / runs of the prediction | common runs / runs of the reference |
//! | ROUGE-L | length of the common subsequence / words of the prediction | the same / words of the reference |
//!
//! F is `2 P R / (P + R)`, or 0 if both are 0. Common runs are counted as often as they occur in both texts.

mod counts;
mod lcs;
mod ngram;
mod porter;
mod tokens;
mod union;
mod vocabulary;

pub use porter::{Stemming, stem};
pub use tokens::words;

use counts::count;
use lcs::Subsequence;
use ngram::Pairs;
use serde::{Deserialize, Serialize};
use tokens::Lowered;
use vocabulary::Vocabulary;

/// Precision, recall and their harmonic mean, each between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prf {
    /// Share of the prediction that is in the reference.
    pub precision: f64,
    /// Share of the reference that is in the prediction.
    pub recall: f64,
    /// Their harmonic mean, 0 when both are.
    pub f: f64,
}

impl Prf {
    /// From the number of hits and the sizes of prediction and reference; a size of 0 counts as 1.
    #[must_use]
    pub fn of_counts(hits: usize, predicted: usize, wanted: usize) -> Self {
        let precision = hits as f64 / predicted.max(1) as f64;
        let recall = hits as f64 / wanted.max(1) as f64;
        let sum = precision + recall;
        let f = if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        };
        Self {
            precision,
            recall,
            f,
        }
    }
}

/// ROUGE-1, ROUGE-2 and ROUGE-L of one pair.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RougeScores {
    /// Shared words.
    pub rouge1: Prf,
    /// Shared word pairs.
    pub rouge2: Prf,
    /// Longest common subsequence.
    pub rouge_l: Prf,
    /// The same line by line ([`Rouge::lsum`]); absent unless it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_lsum: Option<Prf>,
}

impl RougeScores {
    /// The mean of the three F values: what BizCompass averages over its ROUGE tasks.
    #[must_use]
    pub fn mean_f(&self) -> f64 {
        (self.rouge1.f + self.rouge2.f + self.rouge_l.f) / 3.0
    }
}

/// A scorer with working memory that is reused from pair to pair.
///
/// # Complexity
/// For texts of `n` and `m` words: linear except for ROUGE-L, which takes `n * m / 64` steps and
/// memory proportional to `n + m`.
#[derive(Debug, Clone, Default)]
pub struct Rouge {
    stemming: Stemming,
    vocabulary: Vocabulary,
    reference: Vec<u32>,
    prediction: Vec<u32>,
    lowered: Lowered,
    in_reference: Vec<u32>,
    in_prediction: Vec<u32>,
    pairs: Pairs,
    subsequence: Subsequence,
}

impl Rouge {
    /// A scorer with or without stemming.
    #[must_use]
    pub fn new(stemming: Stemming) -> Self {
        Self {
            stemming,
            ..Self::default()
        }
    }

    /// ROUGE-1, ROUGE-2 and ROUGE-L of a prediction against its reference.
    #[must_use]
    pub fn score(&mut self, reference: &str, prediction: &str) -> RougeScores {
        // Numbers of words hold for one pair only, which keeps the tables as small as its texts.
        self.vocabulary.clear();
        self.reference.clear();
        self.prediction.clear();
        self.read(reference, Side::Reference);
        self.read(prediction, Side::Prediction);
        let (wanted, predicted) = (self.reference.len(), self.prediction.len());

        let size = self.vocabulary.len();
        count(&mut self.in_reference, &self.reference, size);
        count(&mut self.in_prediction, &self.prediction, size);
        let shared: usize = self
            .in_reference
            .iter()
            .zip(&self.in_prediction)
            .map(|(&a, &b)| counts::index(a.min(b)))
            .sum();
        // Without a common word there is no common pair and no common subsequence.
        if shared == 0 {
            return RougeScores::default();
        }
        // A word in one text only cannot be in a common subsequence; marked with 0 it is skipped.
        for (a, b) in self.in_reference.iter_mut().zip(&self.in_prediction) {
            if *b == 0 {
                *a = 0;
            }
        }
        let pairs = self
            .pairs
            .shared(&self.reference, &self.prediction, &self.in_reference);
        let length = self
            .subsequence
            .length(&self.reference, &self.prediction, &self.in_reference);
        RougeScores {
            rouge1: Prf::of_counts(shared, predicted, wanted),
            rouge2: Prf::of_counts(pairs, predicted.saturating_sub(1), wanted.saturating_sub(1)),
            rouge_l: Prf::of_counts(length, predicted, wanted),
            rouge_lsum: None,
        }
    }

    /// ROUGE-Lsum: for every line of the reference the union of its common subsequences with the
    /// lines of the prediction, each word counted at most as often as it occurs.
    ///
    /// `None` if the pair would take more than about two thousand million steps (texts of hundreds
    /// of thousands of words), for which the package would run for hours.
    ///
    /// ```
    /// use qa_scoring::rouge::{Rouge, Stemming};
    /// let prf = Rouge::new(Stemming::Off).lsum("a b\nc d", "c d\na b");
    /// assert_eq!(prf.map(|prf| prf.f), Some(1.0)); // the order of lines does not matter
    /// ```
    #[must_use]
    pub fn lsum(&mut self, reference: &str, prediction: &str) -> Option<Prf> {
        self.vocabulary.clear();
        let wanted = self.read_lines(reference, Side::Reference);
        let predicted = self.read_lines(prediction, Side::Prediction);
        union::score(&wanted, &predicted, self.vocabulary.len())
    }

    /// Appends the numbers of the words of `text` to one side.
    fn read(&mut self, text: &str, side: Side) {
        let into = match side {
            Side::Reference => &mut self.reference,
            Side::Prediction => &mut self.prediction,
        };
        self.lowered.read(text);
        self.vocabulary
            .intern_all(&self.lowered, self.stemming, into);
    }

    /// The words of every line that has any.
    fn read_lines(&mut self, text: &str, side: Side) -> Vec<Vec<u32>> {
        text.split('\n')
            .map(|line| {
                match side {
                    Side::Reference => self.reference.clear(),
                    Side::Prediction => self.prediction.clear(),
                }
                self.read(line, side);
                match side {
                    Side::Reference => self.reference.clone(),
                    Side::Prediction => self.prediction.clone(),
                }
            })
            .filter(|line| !line.is_empty())
            .collect()
    }
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Reference,
    Prediction,
}
