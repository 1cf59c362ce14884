//! The command `score`: scores a file of answers.

use super::Console;
use super::args::{RuleArgs, named, opened_at};
use agent_client::request::{ModelRole, Slot};
use clap::Args;
use qa_scoring::grade::ReplyForm;
use qa_scoring::judge::Judge;
use qa_scoring::snippet::SnippetRunner;
use qa_scoring::taxonomy::LabelAxis;
use qa_scoring::{Grader, Settings};
use run_engine::engine::model::ask::runtime;
use run_engine::error::RunError;
use run_engine::plan::cast::SeatRequest;
use run_report::questions::judge::BackendJudge;
use run_report::questions::official;
use run_report::questions::score::{self as judged, Files};
use std::path::PathBuf;

/// Arguments of `score`.
#[derive(Debug, Args)]
pub struct ScoreArgs {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    rules: RuleArgs,
    /// Score with the data set's own evaluator and files: exact match, F1 and scale for TATQA and
    /// TAT-QA, execution and program accuracy for FinQA
    #[arg(long, requires = "gold", conflicts_with_all = ["stored", "by", "labels", "judge"])]
    official: bool,
    /// A table of means by capability, difficulty or both
    #[arg(long, value_delimiter = ',', value_name = "AXES", value_parser = named::<LabelAxis>([
        ("capability", "Capability that an item needs"), ("difficulty", "Difficulty, in three buckets"),
    ]))]
    by: Vec<LabelAxis>,
    /// Labels for --by: lines {id, capability, difficulty}, as written by `qa label`
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Folder for the judge's replies; requests whose reply is in it are not sent again
    #[arg(long, value_name = "DIR", requires = "judge")]
    calls: Option<PathBuf>,
    /// Which part of a reply is scored: `full` (default), the whole reply, or `answer`, the answer
    /// alone
    #[arg(long, default_value = "full", value_parser = named::<ReplyForm>([
        ("full", "The whole reply of a model"),
        ("answer", "Extracted answers; changes the score only under the profile authors"),
    ]))]
    form: ReplyForm,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn score(args: &ScoreArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let files = &args.files;
    args.rules.check(&[files.task])?;
    if let (true, Some(gold)) = (args.official, &files.gold) {
        let scores = official::evaluate(files.task, &files.predictions, gold)?;
        return console.show(args.json, &scores);
    }
    let mut by = args.by.clone();
    by.dedup();
    let settings = Settings {
        form: args.form,
        ..args.rules.settings()
    };
    let mut programs = args.rules.sandbox(&[files.task], console)?;
    let runtime = runtime()?;
    let judge = args.rules.judge()?.filter(|judge| judge.agent != "none");
    let mut judge = match judge {
        Some(SeatRequest {
            agent,
            model: options,
        }) => {
            // `None`: a temperature that was asked for is an option of the judge's seat already.
            let model = opened_at(None, &agent, &options, args.calls.as_deref())?;
            let slot = Slot::new(format!("scored {}", files.task));
            let handle = runtime.handle().clone();
            Some(BackendJudge::new(model, handle, ModelRole::Judge, slot))
        }
        None => None,
    };
    let mut grader = Grader::new(settings);
    if let Some(programs) = &mut programs {
        grader = grader.with_runner(programs as &mut dyn SnippetRunner);
    }
    if let Some(judge) = &mut judge {
        grader = grader.with_judge(judge as &mut dyn Judge);
    }
    let labels = args.labels.as_deref();
    let scored = judged::score(console.registry, files, (&by, labels), &mut grader)?;
    console.show(args.json, &scored)?;
    // Last, so that the answers that were judged have their scores printed.
    match judge.and_then(BackendJudge::failed) {
        Some(error) => Err(RunError::Failed(format!(
            "the judge could not be asked for every answer: {error}"
        ))),
        None => Ok(()),
    }
}
