//! FinQA by its own evaluator.

use super::{OfficialReport, field, id, rate};
use crate::error::{LoadError, kind_of};
use crate::finqa::{OPERATIONS, ProgramOutcome, TableRows, run_tokens, same_program, tokens};
use crate::load::objects;
use crate::python::value_text;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A question of the data set.
#[derive(Debug, Clone, PartialEq)]
pub struct FinqaQuestion {
    /// Its `id`.
    pub id: String,
    /// Rows of its table; the first cell names the row.
    pub table: TableRows,
    /// The right program, as tokens.
    pub program: Vec<String>,
    /// The result of the right program as the file gives it.
    pub result: ProgramOutcome,
}

/// A scored question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinqaItem {
    /// Its `id`.
    pub id: String,
    /// The result of the predicted program.
    pub result: ProgramOutcome,
    /// Whether it is exactly the right result.
    pub execution: bool,
    /// Whether the program is the right one, up to algebra.
    pub program: bool,
}

/// Reads the questions of the data set, `{id, table, qa: {program, exe_ans}}` each, as a JSON array or
/// JSON lines.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
pub fn questions(bytes: &[u8]) -> Result<Vec<FinqaQuestion>, LoadError> {
    objects(bytes)?
        .records
        .iter()
        .enumerate()
        .map(|(index, fields)| {
            let bad = |name: &'static str, value: &Value, expected| LoadError::BadField {
                index,
                field: name,
                found: kind_of(value).to_owned(),
                expected,
            };
            let qa = field(fields, index, &["qa"])?;
            let Value::Object(parts) = qa else {
                return Err(bad("qa", qa, "an object"));
            };
            let program = field(parts, index, &["program"])?;
            let Value::String(program) = program else {
                return Err(bad("program", program, "a text"));
            };
            let answer = field(parts, index, &["exe_ans"])?;
            // "yes" and "no" are texts in the file and truth values in the executor.
            let result = match answer {
                Value::Number(number) => number.as_f64().map(ProgramOutcome::Number),
                Value::String(word) if word == "yes" => Some(ProgramOutcome::Yes(true)),
                Value::String(word) if word == "no" => Some(ProgramOutcome::Yes(false)),
                _ => None,
            };
            let rows = field(fields, index, &["table"])?;
            let table = rows.as_array().map(|rows| {
                let cells = |row: &Value| Some(row.as_array()?.iter().map(value_text).collect());
                rows.iter().map(cells).collect::<Option<TableRows>>()
            });
            Ok(FinqaQuestion {
                id: id(fields, index)?,
                table: table
                    .flatten()
                    .ok_or_else(|| bad("table", rows, "a list of rows"))?,
                program: tokens(program),
                result: result.ok_or_else(|| bad("exe_ans", answer, "a number, yes or no"))?,
            })
        })
        .collect()
}

/// Reads predictions: a JSON array or lines of `{id, predicted}` (also `prediction`, `program`), where a
/// program is a list of tokens with a last mark `EOF`, or a text such as `subtract(5, 3), divide(#0, 2)`.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
pub fn predictions(bytes: &[u8]) -> Result<BTreeMap<String, Vec<String>>, LoadError> {
    objects(bytes)?
        .records
        .iter()
        .enumerate()
        .map(|(index, fields)| {
            let value = field(fields, index, &["predicted", "prediction", "program"])?;
            let mut program = match value {
                // Cells and tokens may be numbers in JSON; the evaluator writes them as Python
                // does.
                Value::Array(list) => list.iter().map(value_text).collect(),
                Value::String(text) => tokens(text.trim()),
                Value::Null => Vec::new(),
                other => {
                    return Err(LoadError::BadField {
                        index,
                        field: "predicted",
                        found: kind_of(other).to_owned(),
                        expected: "a list of tokens or a text",
                    });
                }
            };
            // Models of the paper end with this mark; texts of programs do not have it.
            if program.last().is_some_and(|token| token == "EOF") {
                program.pop();
            }
            Ok((id(fields, index)?, program))
        })
        .collect()
}

/// The program without a last step that was cut off, which the evaluator ignores.
fn complete(program: &[String]) -> &[String] {
    let (whole, rest) = program.split_at(program.len() - program.len() % 4);
    match rest.first() {
        Some(op) if OPERATIONS.contains(&op.trim_matches('(')) => whole,
        _ => program,
    }
}

/// Execution accuracy (the result is exactly the right one) and program accuracy (the program is the right
/// one, up to algebra).
#[must_use]
pub fn evaluate(
    questions: &[FinqaQuestion],
    predictions: &BTreeMap<String, Vec<String>>,
) -> OfficialReport<FinqaItem> {
    let mut missing = 0;
    let items: Vec<FinqaItem> = questions
        .iter()
        .map(|question| {
            let program = predictions.get(&question.id);
            missing += usize::from(program.is_none());
            let program = program.map_or(&[][..], |tokens| complete(tokens));
            let result = run_tokens(program, &question.table);
            FinqaItem {
                id: question.id.clone(),
                // Two programs that cannot be run have the same outcome and are not right for it.
                execution: result != ProgramOutcome::Invalid && result == question.result,
                program: same_program(&question.program, program),
                result,
            }
        })
        .collect();
    let column = |part: fn(&FinqaItem) -> bool| -> Vec<f64> {
        let flags = items.iter().map(part);
        flags.map(|flag| f64::from(u8::from(flag))).collect()
    };
    let figures = [
        rate("execution accuracy", &column(|item| item.execution)),
        rate("program accuracy", &column(|item| item.program)),
    ];
    OfficialReport {
        set: "FinQA",
        // All questions; the published evaluator divides by the number of predictions.
        n: items.len(),
        missing,
        unmatched: predictions.len().saturating_sub(items.len() - missing),
        figures: figures.into_iter().flatten().collect(),
        items,
    }
}

impl fmt::Display for OfficialReport<FinqaItem> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f)
    }
}
