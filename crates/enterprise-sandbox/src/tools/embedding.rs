//! Semantic search: records ranked by the similarity of vectors instead of shared words.
//!
//! The vectors are made outside of this crate, by an [`Embedder`] that a program registers with
//! [`Spec::embed_with`](crate::Spec::embed_with) or [`Office::with_embedder`](crate::tools::office::Office::with_embedder).
//! A run with `search = "embedding"` can be repeated if the embedder gives the same vectors again; the
//! program records them.
//!
//! The similarity of a record depends on its text and the query alone. So, as with words, records that
//! the caller may not read do not influence which others are found.
//!
//! ```
//! use enterprise_sandbox::tools::embedding::{Embedder, EmbeddingError};
//! use enterprise_sandbox::{Config, Instance, OfficeTask, Spec};
//! use enterprise_sandbox::config::SearchKind;
//! use sim_core::{EnvironmentSpec as _, Episode, Seed};
//! use std::sync::Arc;
//!
//! /// Counts letters.
//! #[derive(Debug)]
//! struct Letters;
//! impl Embedder for Letters {
//!     fn embed(&self, _: &str, texts: &[String]) -> Result<Vec<Arc<[f32]>>, EmbeddingError> {
//!         let count = |text: &String, letter| text.matches(letter).count() as f32;
//!         let vector = |text| Arc::from([count(text, 'a'), count(text, 'e'), 1.0]);
//!         Ok(texts.iter().map(vector).collect())
//!     }
//! }
//!
//! let config = Config {
//!     search: SearchKind::Embedding,
//!     embedding_model: Some("letters".to_owned()),
//!     ..Config::of(50)
//! };
//! let spec = Spec::default();
//! let instance = Arc::new(spec.generate(&config, Episode::of_run(Seed(7), 0))?);
//! assert_eq!(spec.begin(Arc::clone(&instance)).unwrap_err().place, "search"); // no vectors
//! spec.embed_with(Arc::new(Letters));
//! assert!(spec.begin(instance).is_ok());
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use std::fmt;
use std::sync::Arc;

/// Makes vectors of texts.
pub trait Embedder: Send + Sync + fmt::Debug {
    /// The vectors of `texts` by the model `model`, one for each text and in their order. All vectors of
    /// a model have one length.
    ///
    /// # Errors
    /// When the vectors cannot be made. The search is then refused as `UNAVAILABLE`.
    fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Arc<[f32]>>, EmbeddingError>;
}

/// Why vectors could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EmbeddingError(pub String);

/// Number of records that a search finds: the nearest ones.
pub(crate) const NEAREST: usize = 20;

/// An embedder with its model.
#[derive(Debug, Clone)]
pub(crate) struct Embedding {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) model: String,
}

impl Embedding {
    /// Similarities of texts to a query, nearest first, as ten thousandths; ties go to the first text.
    pub(crate) fn rank(
        &self,
        query: &str,
        texts: Vec<String>,
    ) -> Result<Vec<(i64, usize)>, EmbeddingError> {
        let count = texts.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut all = texts;
        all.push(query.to_owned());
        let mut vectors = self.embedder.embed(&self.model, &all)?;
        let asked = vectors.pop();
        let Some(asked) = asked.filter(|_| vectors.len() == count) else {
            let message = format!("the model `{}` gave too few vectors", self.model);
            return Err(EmbeddingError(message));
        };
        if vectors.iter().any(|vector| vector.len() != asked.len()) {
            let message = format!("the vectors of the model `{}` differ in length", self.model);
            return Err(EmbeddingError(message));
        }
        let mut ranked: Vec<(i64, usize)> = vectors
            .iter()
            .enumerate()
            .map(|(n, vector)| (similarity(vector, &asked), n))
            .collect();
        ranked.sort_unstable_by_key(|(score, n)| (std::cmp::Reverse(*score), *n));
        Ok(ranked)
    }
}

/// The cosine of the angle between two vectors in ten thousandths; 0 if one of them is zero.
fn similarity(a: &[f32], b: &[f32]) -> i64 {
    // Sums in a fixed order, of numbers that only basic operations touch, have the same bits on every
    // platform.
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum()
    };
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if !(length.is_finite() && length > 0.0) {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cosine is between -1 and 1"
    )]
    let rounded = (dot(a, b) / length * 1e4).round() as i64;
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed(Vec<Vec<f32>>);

    impl Embedder for Fixed {
        fn embed(&self, _: &str, _: &[String]) -> Result<Vec<Arc<[f32]>>, EmbeddingError> {
            Ok(self.0.iter().map(|v| Arc::from(v.as_slice())).collect())
        }
    }

    fn ranked(vectors: &[&[f32]], texts: usize) -> Result<Vec<(i64, usize)>, EmbeddingError> {
        let embedder = Fixed(vectors.iter().map(|v| v.to_vec()).collect());
        let embedding = Embedding {
            embedder: Arc::new(embedder),
            model: "m".to_owned(),
        };
        embedding.rank("q", vec![String::new(); texts])
    }

    /// By hand: the angles to (1, 0) are 45, 0, 90, 0 and 180 degrees; the zero vector counts as 90.
    #[test]
    fn the_nearest_text_is_first() {
        let vectors: [&[f32]; 6] = [
            &[2.0, 2.0],
            &[0.5, 0.0],
            &[0.0, 0.0],
            &[3.0, 0.0],
            &[-1.0, 0.0],
            &[1.0, 0.0],
        ];
        let found = ranked(&vectors, 5).unwrap();
        assert_eq!(
            found,
            [(10_000, 1), (10_000, 3), (7_071, 0), (0, 2), (-10_000, 4)]
        );
        assert_eq!(ranked(&[], 0).unwrap(), []);
    }

    #[test]
    fn missing_and_uneven_vectors_are_errors() {
        assert!(ranked(&[&[1.0]], 1).is_err());
        assert!(ranked(&[&[1.0], &[1.0, 2.0]], 1).is_err());
        assert!(ranked(&[], 1).is_err());
    }
}
