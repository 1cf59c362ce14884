//! Runs that consist of episodes of an environment.

use super::execute::{RunOptions, execute};
use super::finished::Finished;
use super::model::run::execute_model;
use super::verify::transcript;
use crate::error::RunError;
use crate::files::torn::TruncatedLine;
use crate::plan::Plan;
use crate::plan::model::RunBudget;
use crate::registry::Registry;
use crate::run_dir::Folder;
use crate::terminal::shown_path;
use clap::Args;
use sim_core::Header;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Settings with which a run is continued.
#[derive(Debug)]
pub struct Resume<'a> {
    /// Concurrency and cost limits.
    pub means: &'a RunBudget,
    /// Whether a progress line is drawn on a terminal.
    pub progress: bool,
    /// Stop flag of the caller: once it is set, no new episode is begun.
    pub stop: &'a AtomicBool,
}

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

/// Plays the episodes of `plan` that have no record in `folder`, with the policy, script or model of
/// the plan.
///
/// # Errors
/// When the plan cannot be played or the folder cannot be read or written. Failed episodes are not an
/// error: they are listed in the returned value.
pub fn play(
    registry: &Registry,
    plan: &Plan,
    folder: &Folder,
    how: &Resume<'_>,
) -> Result<Finished, RunError> {
    let options = RunOptions {
        steps: false,
        progress: how.progress,
        stop: how.stop,
    };
    play_with(registry, plan, how.means, Some(folder), options)
}

/// Plays the episodes of `plan` that have no record in `folder`; without a folder, all of them.
///
/// # Errors
/// When the plan cannot be played or the folder cannot be read or written.
pub fn play_with(
    registry: &Registry,
    plan: &Plan,
    means: &RunBudget,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    // Before anything is played: otherwise every program would fail by itself.
    plan.check_python()?;
    if plan.asks_models() {
        execute_model(registry, plan, means, folder, options)
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
    how: &Resume<'_>,
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
    let finished = play(registry, &plan, &folder, how);
    folder.tell_aside(aside)?;
    finished
}

/// The record `wanted` of the run in the folder at `path` as readable text.
///
/// # Errors
/// When there is no such record, or it does not replay.
pub fn replay(registry: &Registry, path: &Path, wanted: RecordChoice) -> Result<String, RunError> {
    transcript(registry, &Folder::read(path)?, wanted)
}
