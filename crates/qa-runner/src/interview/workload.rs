//! The [`Workload`] for interviews.

use super::plan::{InterviewDir, InterviewPlan};
use super::run::execute;
use super::{transcript, verify};
use run_engine::Environments;
use run_engine::engine::finished::{Finished, RunSummary};
use run_engine::engine::workload::{Read, RecordChoice, Resume, Workload};
use run_engine::error::RunError;
use run_engine::files::torn::TruncatedLine;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::outcome::Verified;
use std::path::Path;

/// The kind of run that consists of interviews.
#[derive(Debug, Clone, Copy)]
pub struct Interviews;

impl Workload for Interviews {
    fn name(&self) -> &'static str {
        "consulting"
    }

    fn about(&self) -> &'static str {
        "`consulting` is not an environment but a set of interviews: `boardroom run consulting` runs \
         them, `boardroom describe consulting` shows the rules"
    }

    fn key(&self) -> &'static str {
        InterviewPlan::KEY
    }

    fn resume(
        &self,
        _: &Environments,
        path: &Path,
        how: &Resume<'_>,
        aside: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
    ) -> Result<Finished<Box<dyn RunSummary>>, RunError> {
        let dir = InterviewDir::open(path)?;
        let finished = execute(dir.plan(), how, Some(&dir));
        dir.tell_aside(aside)?;
        Ok(finished?.of_any_kind())
    }

    fn verify(&self, _: &Environments, path: &Path) -> Result<Verified, RunError> {
        match InterviewDir::read(path) {
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
        let dir = InterviewDir::read(path)?;
        Ok(Read {
            text: transcript(&dir, number)?,
            torn: dir.torn_bytes()?,
        })
    }
}
