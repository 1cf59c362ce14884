//! The search for an instruction on questions: `boardroom evolve qa`.

use super::item::runs_programs;
use super::marker::{ItemGrader, StreamMarker, runner};
use super::plan::{Python, Questions};
use super::split::in_order;
use agent_client::method::{Question, QuestionTrials, TrialSource};
use agent_client::wire::Dialect;
use qa_scoring::{Metric, Settings, Task, VERSION};
use run_engine::engine::model::backends::Models;
use run_engine::engine::model::evolve::{SearchRequest, search, write_found};
use run_engine::error::RunError;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::plan::model::{ModelPlan, RunBudget};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A request for a search on questions.
#[derive(Debug)]
pub struct QuestionSearch {
    /// Folder or file of the questions.
    pub data: PathBuf,
    /// The tasks, in order.
    pub tasks: Vec<Task>,
    /// How the model answers.
    pub model: ModelPlan,
    /// The rules by which answers are judged.
    pub scoring: Settings,
    /// What runs programs.
    pub python: Python,
    /// The model that judges free text.
    pub judge: Option<Dialect>,
    /// Model, seed, sizes and budget. The sizes are those of each task.
    pub search: SearchRequest,
}

/// Searches for an instruction and writes it to the folder `out`. Returns it with remarks on the
/// questions. As with [`evolve_instruction`], the same request continues a search that was cut off.
///
/// [`evolve_instruction`]: run_engine::engine::model::evolve::evolve_instruction
///
/// # Errors
/// When a file cannot be read, a task has too few questions or cannot be scored, a model fails for
/// good, or the budget is spent.
pub fn evolve_on_questions(
    request: &QuestionSearch,
    means: &RunBudget,
    out: &Path,
    stop: &AtomicBool,
) -> Result<(EvolvedFile, Vec<String>), RunError> {
    let first = request.search.first()?;
    let drawn = Drawn::new(request)?;
    let programs = if request.tasks.iter().any(|task| runs_programs(*task)) {
        runner(request.python)?
    } else {
        None
    };
    // Only now: a request that cannot work leaves no files behind.
    std::fs::create_dir_all(out).map_err(RunError::file(out))?;
    let dialects: Vec<&Dialect> = std::iter::once(&request.model.dialect)
        .chain(&request.judge)
        .collect();
    let models = Models::open(&request.search.agent, &dialects, means, Some(out))?;
    let agent = models.backend(0)?;
    let judge = match &request.judge {
        Some(_) => Some(models.backend(1)?),
        None => None,
    };
    let names = |questions: &[Question]| questions.iter().map(|q| q.id.clone()).collect();
    let (training_items, validation_items) = (names(&drawn.train), names(&drawn.validation));
    let (train, validation) = (drawn.train.len(), drawn.validation.len());
    let grader = ItemGrader::new(request.scoring.clone(), drawn.items, programs, judge);
    let trials: Arc<dyn TrialSource> = Arc::new(QuestionTrials {
        agent: Arc::clone(&agent),
        // The evolved instruction belongs to a method that does not reason first.
        grader: Arc::new(StreamMarker::new(Arc::new(grader), false)),
        train: drawn.train,
        validation: drawn.validation,
    });
    let found = search(&trials, &agent, &request.search, &first, means, out, stop)?;
    let tasks: Vec<String> = request.tasks.iter().map(Task::to_string).collect();
    let file = EvolvedFile {
        environment: "qa".to_owned(),
        version: VERSION,
        preset: tasks.join(","),
        agent: request.model.dialect.name(),
        seed: request.search.seed,
        train,
        validation,
        training_items,
        validation_items,
        budget: request.search.metric_calls,
        found,
    };
    write_found(out, &file)?;
    Ok((file, drawn.remarks))
}

/// The questions of a search.
struct Drawn {
    train: Vec<Question>,
    validation: Vec<Question>,
    /// The same questions as the scorer knows them.
    items: Vec<(Task, qa_scoring::Item)>,
    remarks: Vec<String>,
}

impl Drawn {
    fn new(request: &QuestionSearch) -> Result<Self, RunError> {
        let (train, validation) = request.search.sizes()?;
        let mut drawn = Self {
            train: Vec::new(),
            validation: Vec::new(),
            items: Vec::new(),
            remarks: Vec::new(),
        };
        for task in &request.tasks {
            if task.metric() == Metric::Judged && request.judge.is_none() {
                return Err(RunError::usage(format!(
                    "a model has to judge the answers to {task}; name it with --judge"
                )));
            }
            let questions = Questions::read(&request.data, *task)?;
            let count = questions.items.len();
            if count < train + validation {
                return Err(RunError::usage(format!(
                    "{task} has {count} questions with a right answer, too few for --train {train} and \
                     --validation {validation}"
                )));
            }
            if count == train + validation {
                drawn
                    .remarks
                    .push(format!("no question of {task} is left for a test"));
            }
            let found = questions.remarks.iter();
            drawn
                .remarks
                .extend(found.map(|remark| format!("{task}: {remark}")));
            let asked = questions.asked();
            let places = in_order(request.search.seed, count);
            let mut chosen = places.iter().filter_map(|place| asked.get(*place)).cloned();
            drawn.train.extend(chosen.by_ref().take(train));
            drawn.validation.extend(chosen.take(validation));
            let items = questions.items.into_iter();
            drawn.items.extend(items.map(|item| (*task, item)));
        }
        Ok(drawn)
    }
}
