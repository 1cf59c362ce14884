//! `qa_scoring` and the statistics on lists.
//!
//! Lists become Rust values once, Python's lock is released, and each figure comes back as one array.

use crate::error::value_error;
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use qa_scoring::extract;
use qa_scoring::rouge::{Prf, Rouge, Stemming};
use qa_scoring::rules::{program, quantity};
use serde_json::json;
use sim_core::Seed;
use sim_core::stats::{Bootstrap, cluster_values, mean, paired_difference};

/// Pairs between two looks at Ctrl-C, at most.
const CHUNK: usize = 256;

/// Work between two looks at Ctrl-C: products of the lengths of a pair, because comparing two texts takes so many
/// steps. It is a fraction of a second.
const CHUNK_WORK: usize = 1 << 27;

fn same_length(predictions: usize, references: usize) -> PyResult<()> {
    if predictions == references {
        return Ok(());
    }
    Err(value_error(format!(
        "there are {predictions} predictions and {references} references; the lists must be as long as each other"
    )))
}

/// Applies `score` to every pair without Python's lock; Ctrl-C stops it between chunks. `length` is the length of a
/// reference.
fn each<R: Sync, T: Send>(
    py: Python<'_>,
    predictions: &[Option<String>],
    references: &[R],
    length: impl Fn(&R) -> usize + Sync,
    mut score: impl FnMut(Option<&str>, &R) -> T + Send,
) -> PyResult<Vec<T>> {
    same_length(predictions.len(), references.len())?;
    let mut out = Vec::with_capacity(predictions.len());
    let mut pairs = predictions.iter().zip(references).peekable();
    while pairs.peek().is_some() {
        py.detach(|| {
            let mut work = 0_usize;
            for (prediction, reference) in pairs.by_ref().take(CHUNK) {
                let said = prediction.as_deref();
                out.push(score(said, reference));
                let said = said.map_or(0, str::len);
                work = work.saturating_add(said.saturating_mul(length(reference)));
                if work >= CHUNK_WORK {
                    break;
                }
            }
        });
        // With the lock, which Python needs to run the handler of a signal.
        py.check_signals()?;
    }
    Ok(out)
}

/// ROUGE of each pair: a dict of arrays `rouge1_precision`, `rouge1_recall`, `rouge1_f` and so on.
#[pyfunction]
pub(crate) fn rouge<'py>(
    py: Python<'py>,
    predictions: Vec<Option<String>>,
    references: Vec<String>,
    kinds: Vec<String>,
    stem: bool,
) -> PyResult<Bound<'py, PyDict>> {
    const KINDS: [&str; 4] = ["rouge1", "rouge2", "rougeL", "rougeLsum"];
    if let Some(wrong) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
        return Err(value_error(format!(
            "there is no kind `{wrong}`; there are {}",
            KINDS.join(", ")
        )));
    }
    let stemming = if stem {
        Stemming::Porter
    } else {
        Stemming::Off
    };
    let wants = |names: &[&str]| kinds.iter().any(|kind| names.contains(&kind.as_str()));
    // One pass over the words gives three of the figures, one over the lines the fourth; each runs
    // only where it is asked for.
    let (words, lines) = (
        wants(&["rouge1", "rouge2", "rougeL"]),
        wants(&["rougeLsum"]),
    );
    let mut scorer = Rouge::new(stemming);
    let found = each(
        py,
        &predictions,
        &references,
        String::len,
        |prediction, reference| {
            let mut all = [Prf::default(); 4];
            let Some(prediction) = prediction else {
                return Some(all);
            };
            let [one, two, longest, by_line] = &mut all;
            if words {
                let scores = scorer.score(reference, prediction);
                (*one, *two, *longest) = (scores.rouge1, scores.rouge2, scores.rouge_l);
            }
            if lines {
                *by_line = scorer.lsum(reference, prediction)?;
            }
            Some(all)
        },
    )?;
    // No number: 0 would say that the two have no word in common.
    if let Some(place) = found.iter().position(Option::is_none) {
        return Err(value_error(format!(
            "prediction {place} and its reference are too long for rougeLsum; leave the pair out, or ask for the other \
             kinds"
        )));
    }
    let found: Vec<_> = found.into_iter().flatten().collect();
    let out = PyDict::new(py);
    for (number, kind) in KINDS.into_iter().enumerate() {
        if !kinds.iter().any(|wanted| wanted == kind) {
            continue;
        }
        type Figure = fn(&Prf) -> f64;
        let figures: [(&str, Figure); 3] = [
            ("precision", |prf| prf.precision),
            ("recall", |prf| prf.recall),
            ("f", |prf| prf.f),
        ];
        for (name, figure) in figures {
            let column: Vec<f64> = found
                .iter()
                .filter_map(|all| all.get(number).map(figure))
                .collect();
            out.set_item(format!("{kind}_{name}"), column.into_pyarray(py))?;
        }
    }
    Ok(out)
}

/// Whether the final answer of each prediction is the reference, both in lower case and with single spaces.
#[pyfunction]
pub(crate) fn exact<'py>(
    py: Python<'py>,
    predictions: Vec<Option<String>>,
    references: Vec<String>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let right = each(
        py,
        &predictions,
        &references,
        String::len,
        |prediction, reference| {
            let Some(text) = prediction else {
                return false;
            };
            // A reply without the words that announce an answer is the answer.
            let found = extract::final_answer(text);
            let answer = match found.as_str() {
                extract::NO_FINAL_ANSWER => text,
                answer => answer,
            };
            extract::plain_label(answer) == extract::plain_label(reference)
        },
    )?;
    Ok(right.into_pyarray(py))
}

/// Whether the letters of each prediction are those of the reference.
#[pyfunction]
pub(crate) fn choice<'py>(
    py: Python<'py>,
    predictions: Vec<Option<String>>,
    references: Vec<String>,
    options: usize,
    published: bool,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let right = each(
        py,
        &predictions,
        &references,
        String::len,
        |prediction, reference| {
            let Some(prediction) = prediction else {
                return false;
            };
            let set = if published {
                extract::published::local_set(prediction)
            } else {
                extract::letters(prediction, options)
            };
            // A reply that names no option is wrong, also beside a reference without letters: two
            // empty sets would be equal.
            !set.is_empty() && set.iter().collect::<String>() == sorted(reference)
        },
    )?;
    Ok(right.into_pyarray(py))
}

/// The letters of a gold answer such as `B`, `AC` or `A, C`, in order.
fn sorted(reference: &str) -> String {
    let letters = reference.chars().filter(char::is_ascii_alphabetic);
    let mut letters: Vec<char> = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    letters.sort_unstable();
    letters.dedup();
    letters.into_iter().collect()
}

/// Whether the number of each prediction is the reference: within one per cent (`rule` is `close`), or within
/// a millionth (`same`).
#[pyfunction]
pub(crate) fn numbers<'py>(
    py: Python<'py>,
    predictions: Vec<Option<String>>,
    references: Vec<f64>,
    rule: &str,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let close: fn(f64, f64) -> bool = match rule {
        "close" => program::is_within,
        "same" => quantity::is_equal,
        _ => {
            return Err(value_error(format!(
                "rule is `close` or `same`, not `{rule}`"
            )));
        }
    };
    let right = each(
        py,
        &predictions,
        &references,
        |_| 1,
        |prediction, right| {
            let found = prediction.and_then(extract::number);
            // A reply may state one amount in several forms ("12 %, that is 0.12"); one that fits
            // is enough.
            found.is_some_and(|found| found.forms.iter().any(|number| close(number.value, *right)))
        },
    )?;
    Ok(right.into_pyarray(py))
}

/// The mean of all values with a bootstrap interval over their clusters (bias corrected and accelerated), as JSON;
/// null without values.
#[pyfunction]
pub(crate) fn bootstrap(
    py: Python<'_>,
    values: Vec<(String, f64)>,
    level: f64,
    seed: u64,
    resamples: u32,
) -> PyResult<String> {
    check_level(level)?;
    let found = py.detach(|| {
        let (value, values) = cluster_values(values)?;
        let method = Bootstrap::bca(level, Seed(seed)).resamples(resamples);
        let interval = method.interval(&values, |values| mean(values).unwrap_or(f64::NAN));
        Some(json!({"mean": value, "interval": interval, "clusters": values.len()}))
    });
    Ok(json!(found).to_string())
}

/// The paired difference of two lists whose values belong to the same clusters, as JSON.
#[pyfunction]
pub(crate) fn paired(
    py: Python<'_>,
    first: Vec<(String, f64)>,
    second: Vec<(String, f64)>,
    level: f64,
    seed: u64,
) -> PyResult<String> {
    check_level(level)?;
    let found = py.detach(|| paired_difference(&first, &second, level, Seed(seed)));
    let found = found.map(|found| {
        json!({
            "mean": found.mean,
            "interval": found.interval,
            "clusters": found.clusters,
            "distinguishable": found.is_distinguishable(),
            "only_first": found.only_first,
            "only_second": found.only_second,
        })
    });
    Ok(json!(found).to_string())
}

fn check_level(level: f64) -> PyResult<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(value_error(format!(
        "level is between 0 and 1, such as 0.95, not `{level}`"
    )))
}
