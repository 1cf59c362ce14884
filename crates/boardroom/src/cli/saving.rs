//! Where a run is written: the folder that is named, else a new one below `runs/`.

use super::Console;
use run_engine::error::RunError;
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::run_dir::place::{RUNS, claim};
use run_engine::terminal::shown_path;
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
                fresh: RunDirGuard::before(self.out.as_ref()),
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
