//! `boardroom score`: a file of answers, judged.

use super::labels::read_with_remarks;
use super::{answers, data};
use crate::runs::read_runs;
use clap::Args;
use qa_scoring::load::{self, Prediction, Remark, RemarkKind};
use qa_scoring::score::{Join, ResultSource, report_cells};
use qa_scoring::taxonomy::{LabelAxis, LabelCell};
use qa_scoring::{
    AnswerOutcome, Grader, Item, QuestionType, SetReport, Task, score_results, score_set,
};
use run_engine::engine::summary::Summary;
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::registry::{Registry, nearest};
use run_engine::terminal::shown_path;
use serde::Serialize;
use sim_core::Seed;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The seed of the cells' intervals.
const CELL_SEED: Seed = Seed(0xce11);

/// What is scored.
// The comments of the fields are the help texts of their options.
#[derive(Debug, Args)]
pub struct Files {
    /// The task, such as knowledge/fin/single, application/FRM or finance/FinCode
    #[arg(value_name = "DATASET", value_parser = task)]
    pub task: Task,
    /// The answers: JSON lines or an array of {id, prediction}, CSV with id and answer, a published
    /// result file, or the folder of a question run
    #[arg(long, value_name = "FILE")]
    pub predictions: PathBuf,
    /// The questions: their file, or a folder that holds it (the folder of a run and a published result file need none)
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// With a published result file: score the stored letters, not the replies
    #[arg(long)]
    pub stored: bool,
}

/// Reads the name of a task.
///
/// # Errors
/// Names the task that was probably meant, or those that there are.
pub fn task(name: &str) -> Result<Task, String> {
    name.parse::<Task>()
        .map_err(|error| match probably_meant(name) {
            Some(task) if error.matches.is_empty() => {
                format!("{error}; did you mean `{task}`?")
            }
            _ => error.to_string(),
        })
}

/// The task whose name is the nearest one.
fn probably_meant(name: &str) -> Option<Task> {
    let names = Task::all().flat_map(|task| [(task.to_string(), task), (task.short_name(), task)]);
    let known: Vec<(String, Task)> = names
        .map(|(name, task)| (name.to_lowercase().replace('_', "-"), task))
        .collect();
    let near = nearest(name, known.iter().map(|(name, _)| name.as_str()))?;
    known
        .iter()
        .find(|(known, _)| known == near)
        .map(|(_, task)| *task)
}

/// A report with its table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Version of the scorer's figures.
    pub version: u32,
    /// The figures.
    pub report: SetReport,
    /// What the table is cut by; empty without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<LabelAxis>,
    /// The table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<LabelCell>,
    /// The fields of the file of answers from which the replies were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reply_fields: Vec<String>,
    /// A field of the file of answers that holds the right answers, or the questions, and was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// What was odd in the files, by file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub remarks: BTreeMap<String, Vec<Remark>>,
}

/// Reads the files and judges the answers; with a table by some axes if labels say where an item belongs.
///
/// # Errors
/// When a file cannot be read, or a table is asked for without labels.
pub fn score(
    registry: &Registry,
    files: &Files,
    (by, labels): (&[LabelAxis], Option<&Path>),
    grader: &mut Grader<'_>,
) -> Result<Scored, RunError> {
    let (task, stored) = (files.task, files.stored);
    let (predictions, gold) = (&*files.predictions, files.gold.as_deref());
    if !by.is_empty() && labels.is_none() {
        return Err(RunError::usage(
            "--by needs --labels FILE: a line {\"id\", \"capability\", \"difficulty\"} for each item",
        ));
    }
    let mut remarks = BTreeMap::new();
    let mut reply_fields = Vec::new();
    let mut set_aside = None;
    // A run folder is read as the answers that it holds.
    let run = predictions
        .is_dir()
        .then(|| answers_in(registry, predictions, task))
        .transpose()?;
    if run.is_some() && stored {
        return Err(RunError::usage(
            "--stored is for a published result file, not for the folder of a run",
        ));
    }
    let bytes = match &run {
        Some(_) => Vec::new(),
        None => regular::json_bytes(predictions, regular::MOST_DATA)
            .map_err(RunError::file(predictions))?,
    };
    let report = match (gold, run) {
        (Some(gold), run) => {
            if stored {
                return Err(RunError::usage(
                    "--stored is for a result file that brings its own right answers: leave out --gold",
                ));
            }
            let file = data::read(gold, task)?;
            let answers = match run {
                Some((_, answers)) => answers,
                None => {
                    let answers = qa_scoring::score::answers(task, &file.loaded.records, &bytes)
                        .map_err(RunError::in_file(predictions))?;
                    reply_fields = answers.fields;
                    set_aside = answers.set_aside;
                    note(&mut remarks, predictions, answers.remarks);
                    answers.records
                }
            };
            note(&mut remarks, &file.path, file.loaded.remarks);
            // Answers that fit no item are an error and not a score of 0: the file is of another
            // task.
            let join = Join::of(task, &file.loaded.records, &answers);
            join.check().map_err(|fault| {
                // An error shows no remarks, and lines that were left out may be its cause.
                let mut remarks = remarks.values().flatten();
                let left_out =
                    remarks.find(|remark| matches!(remark.kind, RemarkKind::EmptyLines(..)));
                let more = left_out.map_or_else(String::new, |remark| format!("; {remark}"));
                RunError::in_file(predictions)(format!("{fault}{more}"))
            })?;
            score_set(task, &file.loaded.records, &answers, grader)
        }
        (None, Some((items, answers))) => score_set(task, &items, &answers, grader),
        (None, None) => {
            let kind = result_kind(task, &bytes).ok_or_else(|| {
                RunError::usage(format!(
                    "name the questions with --gold FILE or DIR: {} brings no right answers of its own",
                    shown_path(predictions)
                ))
            })?;
            let source = if stored {
                ResultSource::Stored
            } else {
                ResultSource::Reply
            };
            let results = load::results(kind, &bytes).map_err(RunError::in_file(predictions))?;
            note(&mut remarks, predictions, results.remarks);
            score_results(task, &results.records, source, grader)
        }
    };
    let cells = match labels {
        Some(path) if !by.is_empty() => {
            let (labels, odd) = read_with_remarks(path)?;
            note(&mut remarks, path, odd);
            report_cells(&report, &labels, by, CELL_SEED)
        }
        _ => Vec::new(),
    };
    Ok(Scored {
        version: qa_scoring::VERSION,
        report,
        by: by.to_vec(),
        cells,
        reply_fields,
        set_aside,
        remarks,
    })
}

/// The questions of `task` in the first stream of the run in `path`, with their right answers, and the replies to
/// them, to be scored anew.
fn answers_in(
    registry: &Registry,
    path: &Path,
    task: Task,
) -> Result<(Vec<Item>, Vec<Prediction>), RunError> {
    let mut items = Vec::new();
    let mut found = Vec::new();
    for run in read_runs(&[path.to_owned()])? {
        for answered in answers(registry, &run)? {
            // Streams have the same questions, and an item is scored once.
            if answered.question.task == task && answered.header.stream.unwrap_or(0) == 0 {
                let text = answered.question.graded_text(&answered.reply);
                let id = answered.question.item.id.clone();
                found.push(Prediction::new(id, Some(text.to_owned())));
                items.push(answered.question.item);
            }
        }
    }
    if found.is_empty() {
        let text = format!(
            "{} holds no reply to a question of {task}",
            shown_path(path)
        );
        return Err(RunError::usage(text));
    }
    Ok((items, found))
}

fn note(remarks: &mut BTreeMap<String, Vec<Remark>>, path: &Path, found: Vec<Remark>) {
    if !found.is_empty() {
        remarks.entry(shown_path(path)).or_default().extend(found);
    }
}

/// The question type of a published result file; `None` for any other file or task.
fn result_kind(task: Task, bytes: &[u8]) -> Option<QuestionType> {
    let Task::Knowledge(_, kind) = task else {
        return None;
    };
    // Only a file that brings its right answers can do without questions, and only this field tells
    // one.
    let records = load::objects(bytes).ok()?.records;
    records
        .first()?
        .contains_key("model_evaluation_result")
        .then_some(kind)
}

impl fmt::Display for Scored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)?;
        self.show_reading(f)?;
        if !self.by.is_empty() {
            let width = 24;
            write!(f, "  ")?;
            for axis in &self.by {
                let name = match axis {
                    LabelAxis::Capability => "capability",
                    LabelAxis::Difficulty => "difficulty",
                };
                write!(f, "{name:<width$}")?;
            }
            writeln!(f, "{:>7}{:>9}  95 % interval", "n", "mean")?;
        }
        for cell in &self.cells {
            write!(f, "  ")?;
            for axis in &self.by {
                let name = match axis {
                    LabelAxis::Capability => cell.key.capability.map(<&str>::from),
                    LabelAxis::Difficulty => cell.key.bucket.map(<&str>::from),
                };
                write!(f, "{:<24}", name.unwrap_or("-"))?;
            }
            write!(f, "{:>7}{:>9.4}", cell.n, cell.mean)?;
            match cell.interval {
                Some(i) => writeln!(f, "  {:.4} to {:.4}", i.low, i.high)?,
                None => writeln!(f)?,
            }
        }
        for (file, remarks) in &self.remarks {
            for remark in remarks {
                writeln!(f, "  note: {file}: {remark}")?;
            }
        }
        Ok(())
    }
}

impl Scored {
    /// From where the replies were read, and what the outcomes without an answer are.
    fn show_reading(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        for (outcome, meaning) in [
            (AnswerOutcome::Missing, "the file has no reply to the item"),
            (
                AnswerOutcome::NoAnswer,
                "there is a reply, but no answer can be read from it",
            ),
            (
                AnswerOutcome::ProviderError,
                "in place of a reply there is an error of the model's server",
            ),
        ] {
            if report.count(outcome) > 0 {
                let name = outcome.to_string().replace('_', " ");
                writeln!(f, "  {name}: {meaning}")?;
            }
        }
        if !self.reply_fields.is_empty() {
            let names = self.reply_fields.iter();
            let names: Vec<String> = names
                .map(|name| format!("`{}`", sim_core::error::clip(name)))
                .collect();
            write!(f, "  the replies were read from {}", names.join(", "))?;
            if let Some(other) = &self.set_aside {
                let other = sim_core::error::clip(other);
                write!(
                    f,
                    "; `{other}` holds the right answer or the question in every record"
                )?;
            }
            writeln!(f)?;
        }
        if report.unmatched > report.matched.unwrap_or(0) {
            writeln!(
                f,
                "  fewer than half of the answers belong to an item: is {} the right task, and --gold its file?",
                report.task
            )?;
        }
        Ok(())
    }
}

/// The figures of a run of questions as a few lines for each task and stream; empty for other runs.
///
/// # Errors
/// When a figure is not the report of a task.
pub fn figures_in_words(summary: &Summary) -> Result<String, RunError> {
    if summary.environment != super::QUESTIONS {
        return Ok(String::new());
    }
    let mut text = String::new();
    let mut all = Vec::new();
    for figures in &summary.figures {
        let mut figures = figures.clone();
        let fields = figures.as_object_mut();
        // `stream` is beside the report, which has no such field.
        let stream = fields.and_then(|fields| fields.remove("stream")?.as_u64());
        let report: SetReport = serde_json::from_value(figures).map_err(RunError::failed)?;
        all.push((stream.unwrap_or(0), report));
    }
    let several = all.iter().any(|(stream, _)| *stream > 0);
    for (stream, report) in &all {
        text += &report.to_string();
        if several {
            text += &format!("  stream {stream}\n");
        }
    }
    Ok(text)
}
