//! Where a run is written: the folder that is named, else a new one below `runs/`.

use super::Console;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::run_dir::members::is_run;
use run_engine::run_dir::place::{RUNS, claim};
use run_engine::terminal::{shell_path, shown_path};
use run_engine::words::counted;
use std::path::{Path, PathBuf};

/// The options that say where a run is written.
#[derive(Debug, Clone, clap::Args)]
pub struct SavingArgs {
    /// Run folder to write [default: a new one, runs/DATE-ENVIRONMENT-AGENT-N]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Write no run folder
    #[arg(long, conflicts_with = "out")]
    pub(super) no_save: bool,
}

/// The folder of a run that begins now, with the guard that removes the folder if the run does not begin.
#[derive(Debug)]
pub(super) struct SavingPlace {
    pub(super) path: Option<PathBuf>,
    pub(super) fresh: Option<RunDirGuard>,
}

impl SavingArgs {
    /// The place for a run of `agent` in `environment`. A new folder is made, and its name is printed first; with
    /// `quiet`, only the result has its name.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(super) fn place(
        &self,
        environment: &str,
        agent: &str,
        quiet: bool,
        console: &mut Console<'_>,
    ) -> Result<SavingPlace, RunError> {
        if self.out.is_some() || self.no_save {
            return Ok(SavingPlace {
                fresh: RunDirGuard::before(self.out.as_deref()),
                path: self.out.clone(),
            });
        }
        let (path, fresh) = claim(Path::new(RUNS), environment, agent)?;
        if !quiet {
            let shown = shown_path(&path);
            console.remark(&format!(
                "writing to {shown} (--out DIR names another folder, --no-save writes nothing)\n"
            ))?;
        }
        Ok(SavingPlace {
            path: Some(path),
            fresh: Some(fresh),
        })
    }
}

/// The folder of a run that begins in `path`, or that extends the finished run there, which has fewer episodes.
///
/// Only a command that states the number of episodes extends a run, because nobody should pay for a default number by
/// mistake. `option` is the option that states it, if the command left it out.
///
/// # Errors
/// When the folder holds another run.
pub(super) fn folder_of(
    path: &Path,
    plan: &Plan,
    option: Option<&str>,
    notes: Vec<String>,
    console: &mut Console<'_>,
) -> Result<Folder, RunError> {
    if !is_run(path) {
        return Folder::create_noted(path, plan.clone(), notes);
    }
    let folder = Folder::open(path)?;
    let held = folder.plan();
    if held == plan {
        // `create_noted` refuses the folder and says how to finish the run.
        return Folder::create_noted(path, plan.clone(), notes);
    }
    if let Some(option) = option.filter(|_| held.sized_as(plan) == *plan) {
        return Err(RunError::usage(format!(
            "{} holds a run of {}; add more with `{option}`, finish it with `boardroom resume {}`, or name another \
             folder",
            shown_path(path),
            held.size_in_words(),
            shell_path(path)
        )));
    }
    let before = held.planned();
    let folder = folder.extended(plan, notes)?;
    let after = folder.plan().planned();
    let added = after.saturating_sub(before);
    let are = |count: u64| if count == 1 { "is" } else { "are" };
    console.remark(&format!(
        "{} {} kept, {added} {} added\n",
        counted(before, Plan::UNIT),
        are(before),
        are(added)
    ))?;
    Ok(folder)
}
