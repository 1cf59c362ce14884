//! Files and figures of the public evaluators of TAT-QA and FinQA.
//!
//! [`tatqa`](mod@tatqa) reads the data set's own files, with scale and answer type, and gives exact match,
//! F1 and scale; [`finqa`](mod@finqa) gives execution and program accuracy. The denominator is the number
//! of questions: a question without a prediction is wrong.

pub mod finqa;
pub mod tatqa;

use crate::error::LoadError;
use crate::score::{Headline, INTERVAL_SEED};
use serde::Serialize;
use serde_json::{Map, Value};
use sim_core::plot::number;
use sim_core::stats::{mean, rate_interval};
use sim_core::words::{counted, interval_words};
use std::fmt;

/// The figures of an official evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfficialReport<T> {
    /// Name of the data set.
    pub set: &'static str,
    /// Number of questions.
    pub n: usize,
    /// Questions without a prediction, which count as wrong.
    pub missing: usize,
    /// Predictions for questions that are not in the file; they are not used.
    pub unmatched: usize,
    /// The figures, each the mean over the questions, 0 to 1.
    pub figures: Vec<Headline>,
    /// Every question, in the order of the file.
    pub items: Vec<T>,
}

fn rate(name: &str, values: &[f64]) -> Option<Headline> {
    Some(Headline {
        name: name.to_owned(),
        value: mean(values)?,
        interval: rate_interval(values, 0.95, INTERVAL_SEED),
    })
}

/// A field that must be there, in any case.
fn field<'a>(
    fields: &'a Map<String, Value>,
    index: usize,
    names: &'static [&'static str],
) -> Result<&'a Value, LoadError> {
    let found = names
        .iter()
        .find_map(|name| crate::extract::field(fields, name));
    found.ok_or_else(|| LoadError::missing(fields, index, names))
}

/// An identifier that must be there.
fn id(fields: &Map<String, Value>, index: usize) -> Result<String, LoadError> {
    let value = field(fields, index, &["uid", "id"])?;
    crate::load::id_text(value).ok_or_else(|| LoadError::BadField {
        index,
        field: "id",
        found: crate::error::kind_of(value).to_owned(),
        expected: "a whole number or a text",
    })
}

impl<T> OfficialReport<T> {
    /// Writes the figures of all questions together.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = counted(self.n as u64, "question");
        writeln!(
            f,
            "{} by its own evaluator: {n}, {} missing",
            self.set, self.missing
        )?;
        for rate in &self.figures {
            let interval = rate
                .interval
                .map_or_else(String::new, |i| interval_words(i.low, i.high));
            writeln!(
                f,
                "  {:<26}{:>12}  {interval}",
                rate.name,
                number(rate.value)
            )?;
        }
        if self.unmatched > 0 {
            writeln!(
                f,
                "  without a question: {}",
                counted(self.unmatched as u64, "prediction")
            )?;
        }
        Ok(())
    }
}
