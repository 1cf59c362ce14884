//! The program executor of FinQA: ten operations over numbers and table rows.
//!
//! # Source
//! Behaviour of the data set's public evaluator (`evaluate.py`); ten operations, `#k` for the result
//! of step k, `const_` numbers, per cent divided by 100, the result rounded to five places.

mod equal;

pub use equal::same_program;

use crate::python::{parse_float, round_to};
use serde::{Deserialize, Serialize};
use sim_core::math;

/// The operations.
pub const OPERATIONS: [&str; 10] = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "exp",
    "greater",
    "table_max",
    "table_min",
    "table_sum",
    "table_average",
];

/// The result of a program.
///
/// `Invalid` covers an unknown operation, a missing argument, a division by zero and a row that is not in the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramOutcome {
    /// A number, rounded to five places.
    Number(f64),
    /// The answer of a comparison.
    Yes(bool),
    /// The program cannot be run.
    Invalid,
}

/// The rows of a table: the first cell names the row.
pub type TableRows = Vec<Vec<String>>;

/// Cuts a program into its tokens: `op(`, argument, argument, `)` for every step.
///
/// ```
/// let tokens = qa_scoring::finqa::tokens("subtract(5, 3), divide(#0, 2)");
/// assert_eq!(tokens, ["subtract(", "5", "3", ")", "divide(", "#0", "2", ")"]);
/// ```
#[must_use]
pub fn tokens(program: &str) -> Vec<String> {
    let mut out = Vec::new();
    // A comma without a blank belongs to a number: "1,000".
    for part in program.split(", ") {
        let mut token = String::new();
        for c in part.chars() {
            // The argument before a bracket is a token of its own.
            if c == ')' && !token.is_empty() {
                out.push(std::mem::take(&mut token));
            }
            token.push(c);
            if matches!(c, '(' | ')') {
                out.push(std::mem::take(&mut token));
            }
        }
        if !token.is_empty() {
            out.push(token);
        }
    }
    out
}

/// Runs a program on a table.
///
/// ```
/// use qa_scoring::finqa::{ProgramOutcome, run};
/// assert_eq!(run("divide(5%, 2)", &vec![]), ProgramOutcome::Number(0.025));
/// assert_eq!(run("divide(1, 0)", &vec![]), ProgramOutcome::Invalid);
/// ```
///
/// The first argument of a `table_` operation names a row; its number of values does not matter:
/// ```
/// use qa_scoring::finqa::{ProgramOutcome, run};
/// let table = vec![vec!["sales".to_owned(), "$10".to_owned(), "20 (est.)".to_owned()]];
/// assert_eq!(run("table_average(sales, none)", &table), ProgramOutcome::Number(15.0));
/// ```
#[must_use]
pub fn run(program: &str, table: &TableRows) -> ProgramOutcome {
    run_tokens(&tokens(program), table)
}

/// Runs a program given as tokens, without the final mark.
#[must_use]
pub fn run_tokens(tokens: &[String], table: &TableRows) -> ProgramOutcome {
    steps(tokens, table).unwrap_or(ProgramOutcome::Invalid)
}

fn steps(tokens: &[String], table: &TableRows) -> Option<ProgramOutcome> {
    let mut results: Vec<ProgramOutcome> = Vec::new();
    let mut row: Option<Vec<f64>> = None;
    for chunk in tokens.chunks(4) {
        let [op, first, second, close] = chunk else {
            return None;
        };
        if close != ")" {
            return None;
        }
        let op = op.strip_suffix('(')?;
        let result = if op.starts_with("table_") {
            if !first.contains('#') {
                row = table_row(table, first.trim());
                row.as_ref()?;
            }
            // A reference keeps the row of the previous step, as in the source.
            over_row(op, row.as_ref()?)?
        } else {
            let a = argument(first.trim(), &results)?;
            let b = argument(second.trim(), &results)?;
            arithmetic(op, a, b)?
        };
        results.push(result);
    }
    match results.pop()? {
        ProgramOutcome::Number(value) => Some(ProgramOutcome::Number(round_to(value, 5))),
        other => Some(other),
    }
}

fn argument(text: &str, results: &[ProgramOutcome]) -> Option<f64> {
    // Anywhere in it, as in the source, which removes the mark wherever it stands.
    if text.contains('#') {
        let place: usize = text.replace('#', "").trim().parse().ok()?;
        return match results.get(place)? {
            ProgramOutcome::Number(value) => Some(*value),
            _ => None,
        };
    }
    plain_number(text)
}

/// A number, a per cent number, or a constant such as `const_100` or `const_m1`.
fn plain_number(text: &str) -> Option<f64> {
    // Commas first: "1,000%" is a per cent number as well.
    let text = text.replace(',', "");
    if let Some(value) = parse_float(&text) {
        return Some(value);
    }
    if text.contains('%') {
        return parse_float(&text.replace('%', "")).map(|v| v / 100.0);
    }
    let constant = text.contains("const").then(|| text.replace("const_", ""))?;
    if constant == "m1" {
        Some(-1.0)
    } else {
        parse_float(&constant)
    }
}

/// The value of one operation on two numbers; `None` if Python raises an error.
fn arithmetic(op: &str, a: f64, b: f64) -> Option<ProgramOutcome> {
    let value = match op {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a * b,
        "divide" => (b != 0.0).then(|| a / b)?,
        "exp" => {
            // A power of 0 that divides by it, and a root of a negative number.
            let undefined = (a == 0.0 && b < 0.0) || (a < 0.0 && b.fract() != 0.0);
            let value = (!undefined).then(|| math::pow(a, b))?;
            // Python raises an error where a power of finite numbers overflows, and gives infinity
            // for infinite ones.
            (value.is_finite() || !a.is_finite() || !b.is_finite()).then_some(value)?
        }
        "greater" => return Some(ProgramOutcome::Yes(a > b)),
        _ => return None,
    };
    Some(ProgramOutcome::Number(value))
}

/// The numbers of a named row: without dollar signs and what follows a bracket.
fn table_row(table: &TableRows, name: &str) -> Option<Vec<f64>> {
    let row = table
        .iter()
        // The last row of a name, because the source fills a dictionary.
        .rev()
        .find(|row| row.first().is_some_and(|first| first == name))?;
    row.iter()
        .skip(1)
        .map(|cell| {
            let cell = cell.replace('$', "");
            let front = cell.trim().split('(').next().unwrap_or_default().trim();
            plain_number(front)
        })
        .collect()
}

/// The value of a `table_` operation over the numbers of a row.
fn over_row(op: &str, row: &[f64]) -> Option<ProgramOutcome> {
    let sum: f64 = row.iter().sum();
    let value = match op {
        "table_max" => row.iter().copied().reduce(f64::max)?,
        "table_min" => row.iter().copied().reduce(f64::min)?,
        "table_sum" => sum,
        "table_average" => (!row.is_empty()).then(|| sum / row.len() as f64)?,
        _ => return None,
    };
    Some(ProgramOutcome::Number(value))
}
