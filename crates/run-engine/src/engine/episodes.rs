//! Runs that consist of episodes of an environment.

use super::execute::{RunOptions, execute};
use super::finished::{Finished, RunSummary};
use super::model::run::execute_model;
use super::verify::{self, transcript};
use crate::engine::workload::{Read, RecordChoice, Resume, Workload};
use crate::environments::Environments;
use crate::error::RunError;
use crate::files::torn::TruncatedLine;
use crate::plan::Plan;
use crate::plan::model::RunBudget;
use crate::run_dir::outcome::Verified;
use crate::run_dir::{Folder, RunPlan as _};
use crate::terminal::shown_path;
use std::path::Path;

/// The kind of run that consists of episodes of an environment.
#[derive(Debug, Clone, Copy)]
pub struct Episodes;

/// Plays the episodes of `plan` that have no record in `folder`, with the policy, script or model of
/// the plan.
///
/// # Errors
/// When the plan cannot be played or the folder cannot be read or written. Failed episodes are not an
/// error: they are listed in the returned value.
pub fn play(
    registry: &Environments,
    plan: &Plan,
    folder: &Folder,
    how: &Resume<'_>,
) -> Result<Finished<Box<dyn RunSummary>>, RunError> {
    let options = RunOptions {
        steps: false,
        progress: how.progress,
        stop: how.stop,
    };
    let finished = play_with(registry, plan, how.means, Some(folder), options)?;
    Ok(finished.of_any_kind())
}

/// Plays the episodes of `plan` that have no record in `folder`; without a folder, all of them.
///
/// # Errors
/// When the plan cannot be played or the folder cannot be read or written.
pub fn play_with(
    registry: &Environments,
    plan: &Plan,
    means: &RunBudget,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    if plan.asks_models() {
        execute_model(registry, plan, means, folder, options)
    } else {
        execute(registry, plan, folder, options)
    }
}

impl Workload for Episodes {
    fn name(&self) -> &'static str {
        "episodes"
    }

    fn about(&self) -> &'static str {
        "episodes of an environment: `boardroom list` names the environments"
    }

    fn key(&self) -> &'static str {
        Plan::KEY
    }

    fn resume(
        &self,
        registry: &Environments,
        path: &Path,
        how: &Resume<'_>,
        aside: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
    ) -> Result<Finished<Box<dyn RunSummary>>, RunError> {
        let folder = Folder::open(path)?;
        let plan = folder.manifest.plan.clone();
        let goes_on = match plan.agent.as_str() {
            "mcp" => Some(format!("serve {} --record", plan.environment)),
            "classroom" => Some(format!("classroom {} --out", plan.environment)),
            "human" => Some(format!("play {} --out", plan.environment)),
            _ => None,
        };
        if let Some(command) = goes_on {
            let dir = shown_path(path);
            return Err(RunError::usage(format!(
                "{dir} holds games that are played by people or MCP clients; to continue them, run \
                 `boardroom {command} {dir}` with the same settings as before"
            )));
        }
        plan.check(registry)?;
        let finished = play(registry, &plan, &folder, how);
        folder.tell_aside(aside)?;
        finished
    }

    fn verify(&self, registry: &Environments, path: &Path) -> Result<Verified, RunError> {
        match Folder::read(path) {
            Ok(folder) => verify::episodes::verify(registry, &folder),
            Err(e) => Verified::unreadable(e),
        }
    }

    fn replay(
        &self,
        registry: &Environments,
        path: &Path,
        wanted: RecordChoice,
    ) -> Result<Read, RunError> {
        let folder = Folder::read(path)?;
        Ok(Read {
            text: transcript(registry, &folder, wanted)?,
            torn: 0,
        })
    }
}
