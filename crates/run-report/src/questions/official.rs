//! `boardroom score --official`: TAT-QA and FinQA by the data sets' own evaluators.

use qa_scoring::official::{OfficialReport, finqa, tatqa};
use qa_scoring::{Application, Finance, Task};
use run_engine::error::RunError;
use run_engine::files::regular::loaded;
use run_engine::words::{counted, interval_words, number};
use serde::Serialize;
use sim_core::stats::mean;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The figures of one of the two evaluators.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OfficialScores {
    /// TAT-QA.
    TatQa(OfficialReport<tatqa::TatqaItem>),
    /// FinQA.
    FinQa(OfficialReport<finqa::FinqaItem>),
}

/// Scores `predictions` against the data set's own file `gold`.
///
/// # Errors
/// When the task has no evaluator of its own, or a file cannot be read.
pub fn evaluate(task: Task, predictions: &Path, gold: &Path) -> Result<OfficialScores, RunError> {
    match task {
        // Both names stand for one data set with one evaluator.
        Task::Application(Application::TatQa) | Task::Finance(Finance::TatQa) => {
            let questions = loaded(gold, tatqa::questions)?;
            let answers = loaded(predictions, tatqa::predictions)?;
            Ok(OfficialScores::TatQa(tatqa::evaluate(&questions, &answers)))
        }
        Task::Application(Application::FinQa) => {
            let questions = loaded(gold, finqa::questions)?;
            let answers = loaded(predictions, finqa::predictions)?;
            Ok(OfficialScores::FinQa(finqa::evaluate(&questions, &answers)))
        }
        _ => Err(RunError::usage(format!(
            "{task} has no evaluator of its own; --official is for TATQA, TAT-QA and FinQA"
        ))),
    }
}

impl OfficialScores {
    /// The same without the single questions.
    #[must_use]
    pub fn brief(mut self) -> Self {
        match &mut self {
            Self::TatQa(of) => of.items.clear(),
            Self::FinQa(of) => of.items.clear(),
        }
        self
    }
}

fn show<T>(f: &mut fmt::Formatter<'_>, of: &OfficialReport<T>) -> fmt::Result {
    let n = counted(of.n as u64, "question");
    writeln!(
        f,
        "{} by its own evaluator: {n}, {} missing",
        of.set, of.missing
    )?;
    for rate in &of.figures {
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
    if of.unmatched > 0 {
        writeln!(
            f,
            "  without a question: {}",
            counted(of.unmatched as u64, "prediction")
        )?;
    }
    Ok(())
}

impl fmt::Display for OfficialScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FinQa(of) => show(f, of),
            Self::TatQa(of) => {
                show(f, of)?;
                let mut kinds: BTreeMap<(&str, &str), Vec<&tatqa::TatqaItem>> = BTreeMap::new();
                for item in &of.items {
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
                    let part = |part: fn(&tatqa::TatqaItem) -> f64| {
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
    }
}
