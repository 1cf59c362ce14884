//! TAT-QA by its own evaluator.

use super::{OfficialReport, field, id, rate};
use crate::error::{LoadError, kind_of};
use crate::load::{Remarks, objects, text_of};
use crate::python::value_text;
use crate::tatqa::{AnswerType, GoldAnswer, TatqaScores, score};
use serde::Serialize;
use serde_json::{Map, Value};
use sim_core::stats::mean;
use std::collections::BTreeMap;
use std::fmt;

/// A question of the data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TatqaQuestion {
    /// Its `uid`.
    pub id: String,
    /// The right answer with its scale.
    pub gold: GoldAnswer,
    /// Where the answer is from: `table`, `text` or `table-text`; empty if the file does not say.
    pub answer_from: String,
}

/// A predicted answer: its parts and its scale.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TatqaPrediction {
    /// The parts; none for an empty prediction.
    pub parts: Vec<String>,
    /// The scale: "", "thousand", "million", "billion" or "percent".
    pub scale: String,
}

/// A scored question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TatqaItem {
    /// Its `uid`.
    pub id: String,
    /// How its answer is derived.
    pub answer_type: AnswerType,
    /// Where its answer is from.
    pub answer_from: String,
    /// The evaluator's three figures.
    #[serde(flatten)]
    pub scores: TatqaScores,
}

/// Reads the questions of the data set: its documents with a list `questions` each, or the questions
/// alone, as a JSON array or JSON lines.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
pub fn questions(bytes: &[u8]) -> Result<Vec<TatqaQuestion>, LoadError> {
    let mut all = Vec::new();
    for (index, record) in objects(bytes)?.records.iter().enumerate() {
        // The published file has documents with questions; excerpts of it often have the questions
        // alone.
        match record.get("questions") {
            None => all.push(question(record, index)?),
            Some(Value::Array(list)) => {
                for value in list {
                    let Value::Object(fields) = value else {
                        return Err(LoadError::NotAnObject {
                            index,
                            found: kind_of(value),
                        });
                    };
                    all.push(question(fields, index)?);
                }
            }
            Some(other) => {
                return Err(LoadError::BadField {
                    index,
                    field: "questions",
                    found: kind_of(other).to_owned(),
                    expected: "a list of questions",
                });
            }
        }
    }
    Ok(all)
}

fn question(fields: &Map<String, Value>, index: usize) -> Result<TatqaQuestion, LoadError> {
    let kind = field(fields, index, &["answer_type"])?;
    let answer_type = serde_json::from_value(kind.clone()).map_err(|_| LoadError::BadField {
        index,
        field: "answer_type",
        found: value_text(kind),
        expected: "span, multi-span, arithmetic or count",
    })?;
    let answer = field(fields, index, &["answer"])?;
    let parts = match (answer_type, answer) {
        // The evaluator writes a count as a whole number.
        (AnswerType::Count, value) => {
            let text = value_text(value);
            let whole = crate::python::parse_float(&text).map(|count| format!("{}", count.trunc()));
            vec![whole.unwrap_or(text)]
        }
        (_, Value::Array(list)) => list.iter().map(value_text).collect(),
        (_, value) => vec![value_text(value)],
    };
    let word = |name: &str| {
        let value = crate::extract::field(fields, name).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    Ok(TatqaQuestion {
        id: id(fields, index)?,
        gold: GoldAnswer {
            answer_type,
            parts,
            scale: word("scale"),
        },
        answer_from: word("answer_from"),
    })
}

/// Reads predictions: the evaluator's own form, one object `{uid: [answer, scale]}`, or JSON lines or
/// an array of `{uid, answer, scale}` (also `id`, `prediction`, `reply`).
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
pub fn predictions(bytes: &[u8]) -> Result<BTreeMap<String, TatqaPrediction>, LoadError> {
    let text = text_of(bytes, &mut Remarks::default())?;
    let own: Option<BTreeMap<String, (Value, Option<String>)>> = serde_json::from_str(&text).ok();
    // The evaluator's own form first: it is also an object, and would be read as one record without
    // an answer.
    if let Some(own) = own {
        let read = |(answer, scale): (Value, Option<String>)| predicted(&answer, scale);
        return Ok(own.into_iter().map(|(id, pair)| (id, read(pair))).collect());
    }
    objects(bytes)?
        .records
        .iter()
        .enumerate()
        .map(|(index, fields)| {
            let answer = field(fields, index, &["answer", "prediction", "reply"])?;
            let scale = crate::extract::field(fields, "scale").and_then(Value::as_str);
            let predicted = predicted(answer, scale.map(str::to_owned));
            Ok((id(fields, index)?, predicted))
        })
        .collect()
}

/// An answer as the evaluator takes it: what Python calls empty (no text, no list, the number 0) is none.
fn predicted(answer: &Value, scale: Option<String>) -> TatqaPrediction {
    let parts = match answer {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::Number(number) if number.as_f64() == Some(0.0) => Vec::new(),
        Value::Array(list) => list.iter().map(value_text).collect(),
        value => vec![value_text(value)],
    };
    TatqaPrediction {
        parts,
        scale: scale.unwrap_or_default(),
    }
}

/// The evaluator's figures: exact match, F1 and scale, each with exact match and F1 by kind of answer
/// in the items.
#[must_use]
pub fn evaluate(
    questions: &[TatqaQuestion],
    predictions: &BTreeMap<String, TatqaPrediction>,
) -> OfficialReport<TatqaItem> {
    let mut missing = 0;
    let items: Vec<TatqaItem> = questions
        .iter()
        .map(|question| {
            let scores = match predictions.get(&question.id) {
                None => {
                    // Zero in every figure, as in the evaluator, and counted, so that a lost file
                    // is seen.
                    missing += 1;
                    TatqaScores::default()
                }
                Some(given) => {
                    let parts: Vec<&str> = given.parts.iter().map(String::as_str).collect();
                    score(&question.gold, &parts, &given.scale)
                }
            };
            TatqaItem {
                id: question.id.clone(),
                answer_type: question.gold.answer_type,
                answer_from: question.answer_from.clone(),
                scores,
            }
        })
        .collect();
    let column = |part: fn(&TatqaScores) -> f64| -> Vec<f64> {
        items.iter().map(|item| part(&item.scores)).collect()
    };
    let figures = [
        rate("exact match", &column(|s| s.exact)),
        rate("f1", &column(|s| s.f1)),
        rate("scale", &column(|s| s.scale)),
    ];
    OfficialReport {
        set: "TAT-QA",
        n: items.len(),
        missing,
        // By number: each prediction that belongs to a question was found above.
        unmatched: predictions.len().saturating_sub(items.len() - missing),
        figures: figures.into_iter().flatten().collect(),
        items,
    }
}

/// The figures of all questions, and of those whose answers are alike.
impl fmt::Display for OfficialReport<TatqaItem> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f)?;
        let mut kinds: BTreeMap<(&str, &str), Vec<&TatqaItem>> = BTreeMap::new();
        for item in &self.items {
            // By type and source, as the data set's own evaluator prints them.
            kinds
                .entry((item.answer_type.into(), &item.answer_from))
                .or_default()
                .push(item);
        }
        writeln!(
            f,
            "  {:<14}{:<12}{:>6}{:>9}{:>9}",
            "answer", "from", "n", "exact", "f1"
        )?;
        for ((kind, from), items) in kinds {
            let part = |part: fn(&TatqaItem) -> f64| {
                let values: Vec<f64> = items.iter().map(|item| part(item)).collect();
                mean(&values).map_or_else(String::new, |value| format!("{value:.4}"))
            };
            writeln!(
                f,
                "  {kind:<14}{from:<12}{:>6}{:>9}{:>9}",
                items.len(),
                part(|item| item.scores.exact),
                part(|item| item.scores.f1)
            )?;
        }
        Ok(())
    }
}
