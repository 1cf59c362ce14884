//! The search for an instruction on questions: `boardroom evolve qa`.

use super::item::runs_programs;
use super::marker::{ItemGrader, StreamMarker, runner};
use super::plan::{Python, Questions};
use super::split::in_order;
use agent_client::method::{Question, QuestionTrial, Trials, instructed};
use agent_client::wire::Dialect;
use qa_scoring::{Metric, Settings, Task, VERSION};
use run_engine::engine::model::backends::Models;
use run_engine::engine::model::evolve::{SearchRequest, search};
use run_engine::error::RunError;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::plan::model::{ModelPlan, RunBudget};
use run_engine::run_dir::search::SearchPlan;
use serde_json::json;
use sim_core::Digest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The instruction that a search on questions begins with. It says nothing of the form of an answer: each task
/// asks for the form that its scoring reads.
const FIRST: &str = "Read the whole question before you answer. Use what it gives, and give the answer in \
exactly the form that you are asked for.";

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
/// When a file cannot be read, a task has too few questions or cannot be scored, the folder holds something
/// else, a model fails for good, or the budget is spent.
pub fn evolve_on_questions(
    request: &QuestionSearch,
    means: &RunBudget,
    out: &Path,
    stop: &AtomicBool,
) -> Result<(EvolvedFile, Vec<String>), RunError> {
    let first = request.search.first(FIRST)?;
    let Drawn {
        train,
        validation,
        items,
        digests,
        remarks,
    } = Drawn::new(request)?;
    let programs = if request.tasks.iter().any(|task| runs_programs(*task)) {
        runner(request.python)?
    } else {
        None
    };
    let names = |questions: &[Question]| questions.iter().map(|q| q.id.clone()).collect();
    let tasks: Vec<String> = request.tasks.iter().map(Task::to_string).collect();
    let plan = SearchPlan {
        environment: "qa".to_owned(),
        version: VERSION,
        preset: tasks.join(","),
        agent: request.search.agent.clone(),
        dialect: request.model.dialect.clone(),
        seed: request.search.seed,
        training_items: names(&train),
        validation_items: names(&validation),
        metric_calls: request.search.metric_calls,
        iterations: request.search.iterations,
        first,
        more: json!({
            "questions": digests,
            "scoring": request.scoring,
            "python": request.python,
            "judge": request.judge,
        }),
    };
    let others: Vec<&Dialect> = request.judge.iter().collect();
    // The trials are answers of the method that follows an instruction.
    let method = instructed(&plan.first).map_err(|e| RunError::Failed(e.message))?;
    let trials = |models: &Models| {
        let judge = match &request.judge {
            Some(_) => Some(models.backend(1)?),
            None => None,
        };
        let grader = ItemGrader::new(request.scoring.clone(), items, programs, judge);
        Ok(Trials {
            how: QuestionTrial {
                agent: models.backend(0)?,
                grader: Arc::new(StreamMarker::new(Arc::new(grader), method.reasons())),
            },
            train,
            validation,
        })
    };
    let file = search(plan, &others, means, out, stop, trials)?;
    Ok((file, remarks))
}

/// The questions of a search.
struct Drawn {
    train: Vec<Question>,
    validation: Vec<Question>,
    /// The same questions as the scorer knows them.
    items: Vec<(Task, qa_scoring::Item)>,
    /// Digest of the questions of each task.
    digests: BTreeMap<String, Digest>,
    remarks: Vec<String>,
}

impl Drawn {
    fn new(request: &QuestionSearch) -> Result<Self, RunError> {
        let (train, validation) = request.search.sizes()?;
        let mut drawn = Self {
            train: Vec::new(),
            validation: Vec::new(),
            items: Vec::new(),
            digests: BTreeMap::new(),
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
            drawn.digests.insert(task.to_string(), questions.digest()?);
            let asked = questions.asked(&request.scoring);
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
