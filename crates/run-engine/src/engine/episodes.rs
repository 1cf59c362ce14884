//! Runs that consist of episodes of an environment.

use super::execute::{RunOptions, execute};
use super::finished::Finished;
use super::model::run::execute_model;
use crate::error::RunError;
use crate::files::torn::TruncatedLine;
use crate::plan::Plan;
use crate::registry::Registry;
use crate::run_dir::Folder;
use crate::terminal::shown_path;
use clap::Args;
use sim_core::Header;
use std::path::Path;

/// Which record of a run is meant; the first one that fits.
// The comments of the fields are the help texts of their options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct RecordChoice {
    /// Number of the episode (the first by default)
    #[arg(long)]
    pub episode: Option<u64>,
    /// Repetition of the episode, from 0, in games of `serve` and `classroom` (the first by default)
    #[arg(long)]
    pub trial: Option<u32>,
}

impl RecordChoice {
    /// Whether the record with this header fits.
    #[must_use]
    pub fn is(&self, header: &Header) -> bool {
        let fits = self.episode.is_none_or(|episode| episode == header.episode);
        fits && self.trial.is_none_or(|trial| trial == header.trial)
    }
}

/// Plays the episodes of `plan` that have no record in `folder`, with the policies, scripts and models of the plan;
/// without a folder, all of them.
///
/// # Errors
/// When the plan cannot be played or the folder cannot be read or written. Failed episodes are not an
/// error: they are listed in the returned value.
pub fn play(
    registry: &Registry,
    plan: &Plan,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    // Before anything is played: otherwise every program would fail by itself.
    plan.check_python()?;
    if plan.asks_models() {
        execute_model(registry, plan, folder, options)
    } else {
        execute(registry, plan, folder, options)
    }
}

/// Continues the run in the folder at `path`. Truncated lines are moved out of its files, and `aside` is called for each of
/// them. A run that is refused, or of which nothing is left to do, is not changed.
///
/// # Errors
/// When the folder cannot be read or written, or another process has locked it. Failed episodes are not an error: they are
/// listed in the returned value.
pub fn resume(
    registry: &Registry,
    path: &Path,
    options: RunOptions<'_>,
    aside: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
) -> Result<Finished, RunError> {
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
    // Not `?` yet: the lines that were moved out of files are told even if the run then fails,
    // because the files have changed in any case.
    let finished = play(registry, &plan, Some(&folder), options);
    folder.tell_aside(aside)?;
    finished
}
