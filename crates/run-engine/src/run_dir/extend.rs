//! Adds units to a finished run.

use super::manifest::replace;
use super::{Folder, Manifest, stamp};
use crate::error::RunError;
use crate::plan::Plan;
use crate::terminal::{shell_path, shown_path};
use serde_json::json;
use sim_core::Digest;
use sim_core::difference::differences;

impl Folder {
    /// Turns the folder of this finished run into that of the longer run `plan`, whose first units are the recorded
    /// ones. `notes` are added to those of the run.
    ///
    /// # Errors
    /// When the plan differs in more than its size, is not longer or would change the recorded units, or when records
    /// are missing. The folder then stays as it is.
    pub fn extended(self, plan: &Plan, notes: Vec<String>) -> Result<Self, RunError> {
        let (held, dir) = (self.plan(), shown_path(self.path()));
        let folder = shell_path(self.path());
        let refused = |why: String| Err(RunError::usage(format!("{dir} {why}")));
        if let Some(difference) = other_run(held, plan) {
            return refused(format!(
                "holds another run ({difference}); finish it with `boardroom resume {folder}` or name another folder"
            ));
        }
        let (size, wanted) = (held.size_in_words(), plan.size_in_words());
        if !held.is_shorter_than(plan) {
            return refused(format!(
                "holds a run of {size}, and {wanted} were asked for: a run can only get longer; name another folder"
            ));
        }
        if let Some(why) = held.why_fixed(plan) {
            return refused(format!(
                "holds a run of {size}, which cannot be extended to {wanted}: {why}; name another folder"
            ));
        }
        let (records, planned) = (self.records()?, held.planned());
        if records < planned {
            return refused(format!(
                "holds {records} of {planned} records; finish it with `boardroom resume {folder}` before you add more"
            ));
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
        // The stamp says what was proven of the shorter run alone.
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
        let unfit = came.as_ref().is_err_and(RunError::is_of_request);
        // With a record of the longer run in it, the folder is that of the longer run.
        if let Some(shorter) = self.shorter.as_ref().filter(|_| unfit)
            && self.records()? == shorter.plan.planned()
        {
            replace(self.path(), shorter)?;
        }
        came
    }
}

/// How the run `asked` differs from the run `held` apart from its size, in words; `None` if it does not.
fn other_run(held: &Plan, asked: &Plan) -> Option<String> {
    // Shards have different numbers of episodes, so the shards are compared first.
    if held.shard != asked.shard {
        return Some(format!(
            "of the folder: {}, asked for: {}",
            held.shard.in_words(),
            asked.shard.in_words()
        ));
    }
    let same = held.sized_as(asked);
    if same == *asked {
        return None;
    }
    let found = differences(&json!(same), &json!(asked), ["of the folder", "asked for"]);
    Some(found.join("; "))
}
