//! `boardroom score --official`: TAT-QA and FinQA by the data sets' own evaluators.

use qa_scoring::official::{OfficialReport, finqa, tatqa};
use qa_scoring::{Application, Finance, Task};
use run_engine::error::RunError;
use run_engine::files::regular::loaded;
use serde::Serialize;
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

impl fmt::Display for OfficialScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FinQa(of) => of.fmt(f),
            Self::TatQa(of) => of.fmt(f),
        }
    }
}
