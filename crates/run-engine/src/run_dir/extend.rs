//! More episodes for a finished run.

use super::manifest::replace;
use super::{Folder, Manifest, stamp};
use crate::error::RunError;
use crate::plan::Plan;
use crate::terminal::shown_path;
use serde_json::json;
use sim_core::Digest;
use sim_core::difference::differences;

impl Folder {
    /// Turns the folder of this finished run into that of the longer run `plan`, whose first episodes are the recorded
    /// ones. `notes` are added to those of the run.
    ///
    /// # Errors
    /// When the plan differs in anything but a larger number of episodes, records are missing, or the method
    /// learns: the order of its episodes is drawn over all of them. Nothing is changed then.
    pub fn extended(self, plan: &Plan, notes: Vec<String>) -> Result<Self, RunError> {
        let (held, dir) = (self.plan(), shown_path(self.path()));
        let same = Plan {
            episodes: plan.episodes,
            ..held.clone()
        };
        if same != *plan {
            let found = differences(&json!(same), &json!(plan), ["of the folder", "asked for"]);
            let found = found.join("; ").replace(" at character 0", "");
            return Err(RunError::usage(format!(
                "{dir} holds a run with another plan ({found}); finish it with `boardroom resume {dir}` or name \
                 another folder"
            )));
        }
        if plan.episodes <= held.episodes {
            return Err(RunError::usage(format!(
                "{dir} holds a run of {} episodes, which can get more episodes but not {}; name another folder",
                held.episodes, plan.episodes
            )));
        }
        if plan.streams.is_some() {
            return Err(RunError::usage(format!(
                "{dir} holds a run whose method learns from one episode for the next: the order of its {} \
                 episodes was drawn over all of them, so {} episodes are another run; name another folder",
                held.episodes, plan.episodes
            )));
        }
        let (records, planned) = (self.records()?, held.indices().count() as u64);
        if records < planned {
            return Err(RunError::usage(format!(
                "{dir} holds {records} of {planned} records; finish it with `boardroom resume {dir}`, then add \
                 episodes"
            )));
        }
        let mut all = self.manifest.notes.clone();
        all.extend(
            notes
                .into_iter()
                .filter(|n| !self.manifest.notes.contains(n)),
        );
        let longer = Manifest {
            plan_digest: Digest::of(plan).map_err(|e| RunError::usage(format!("the plan: {e}")))?,
            plan: plan.clone(),
            notes: all,
            ..self.manifest.clone()
        };
        stamp::remove(self.path())?;
        replace(self.path(), &longer)?;
        Ok(Self {
            manifest: longer,
            shorter: Some(Box::new(self.manifest)),
            ..self
        })
    }

    /// Restores the manifest of the shorter run if the longer one of [`extended`](Self::extended) could not begin, for
    /// example without a key; returns the result `came`.
    ///
    /// # Errors
    /// That of `came`, or when the manifest cannot be written.
    pub fn settle_extension<T>(&self, came: Result<T, RunError>) -> Result<T, RunError> {
        let unfit = matches!(
            came,
            Err(RunError::Usage(_) | RunError::Config(_) | RunError::File { .. })
        );
        if let Some(shorter) = self.shorter.as_ref().filter(|_| unfit)
            && self.records()? == shorter.plan.indices().count() as u64
        {
            replace(self.path(), shorter)?;
        }
        came
    }
}
