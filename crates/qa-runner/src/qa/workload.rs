//! The [`Workload`] for questions.

use super::folder::{Answers, QaDir};
use super::marker::ItemGrader;
use super::plan::{QaPlan, Questions};
use super::run::{Work, execute};
use super::summary::QaSummary;
use super::{replay, verify};
use agent_client::wire::Dialect;
use qa_scoring::Task;
use run_engine::Environments;
use run_engine::engine::finished::{Finished, RunSummary};
use run_engine::engine::model::backends::Models;
use run_engine::engine::workload::{Read, RecordChoice, Resume, Workload};
use run_engine::error::RunError;
use run_engine::files::torn::TruncatedLine;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::outcome::Verified;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The kind of run that consists of questions.
#[derive(Debug, Clone, Copy)]
pub struct QuestionRuns;

/// Opens the models and the Python sandbox, and asks the questions of `plan` that have no answer in
/// `folder`.
///
/// # Errors
/// When a model cannot be set up or the folder cannot be read or written. Failed items are
/// not an error: they are listed in the returned value.
pub fn ask(
    plan: &QaPlan,
    questions: &BTreeMap<Task, Questions>,
    folder: Option<&Arc<Answers>>,
    how: &Resume<'_>,
) -> Result<Finished<QaSummary>, RunError> {
    let work = Work::new(plan, questions, folder)?;
    let dialects: Vec<&Dialect> = std::iter::once(&plan.dialect).chain(&plan.judge).collect();
    let dir = folder.map(|folder| &folder.dir);
    let models = if work.is_whole() {
        Models::of_finished(&dialects, dir)?
    } else {
        Models::open_in(dir, &plan.agent, &dialects, how.means)?
    };
    let marker = Arc::new(ItemGrader::open(plan, questions, &models)?);
    if let Some(folder) = folder {
        folder.begin(work.is_whole())?;
    }
    execute(plan, questions, work, (&models, &marker), folder, how)
}

impl Workload for QuestionRuns {
    fn name(&self) -> &'static str {
        "qa"
    }

    fn about(&self) -> &'static str {
        "`qa` is not an environment but questions from files: `boardroom run qa --data DIR` asks them, \
         `boardroom describe qa` shows the rules"
    }

    fn key(&self) -> &'static str {
        QaPlan::KEY
    }

    fn resume(
        &self,
        _: &Environments,
        path: &Path,
        how: &Resume<'_>,
        aside: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
    ) -> Result<Finished<Box<dyn RunSummary>>, RunError> {
        let folder = Arc::new(Answers::open(QaDir::open(path)?)?);
        let plan = folder.dir.plan();
        let finished = ask(plan, &plan.questions()?, Some(&folder), how);
        folder.dir.tell_aside(aside)?;
        Ok(finished?.of_any_kind())
    }

    fn verify(&self, _: &Environments, path: &Path) -> Result<Verified, RunError> {
        match QaDir::read(path) {
            Ok(dir) => verify::verify(&dir),
            Err(e) => Verified::unreadable(e),
        }
    }

    fn replay(
        &self,
        _: &Environments,
        path: &Path,
        wanted: RecordChoice,
    ) -> Result<Read, RunError> {
        let number = wanted.without_trial()?;
        replay::transcript(&QaDir::read(path)?, number)
    }
}
