//! The result of a run, and the check that it is complete.

use super::summary::Summary;
use crate::error::RunError;
use crate::plan::Plan;
use crate::terminal::shell_path;
use crate::words::counted;
use serde_json::Value;

/// Number of reasons that a message names; other failures are only counted.
const SHOWN: usize = 3;

/// The result of a run.
#[derive(Debug)]
pub struct Finished {
    /// Scores, reference, metrics.
    pub summary: Summary,
    /// The steps of all episodes as JSON; empty unless they were requested.
    pub steps: Vec<Value>,
    /// Failed units: name (`episode 3`) and reason.
    pub failures: Vec<(String, String)>,
    /// Number of units that were not done because the run was stopped.
    pub unplayed: u64,
    /// Remarks that do not change a result, such as inputs of a script that were not needed.
    pub notes: Vec<String>,
}

impl Finished {
    /// Checks that no unit of the run failed and none is missing.
    ///
    /// # Errors
    /// [`RunError::Failed`] names the first units that failed; [`RunError::Interrupted`] says how many
    /// units were not done. If the run has a folder, both name the command that does the missing units.
    pub fn check(&self) -> Result<(), RunError> {
        let out = self.summary.out.as_ref();
        let resume = |what: &str| {
            out.map_or_else(String::new, |dir| {
                format!("; `boardroom resume {}` {what}", shell_path(dir))
            })
        };
        let unplayed = match self.unplayed {
            0 => None,
            1 => Some(format!(
                "1 {} was not done{}",
                Plan::UNIT,
                resume("does it")
            )),
            count => Some(format!(
                "{} were not done{}",
                counted(count, Plan::UNIT),
                resume("does them")
            )),
        };
        // Failures come before an interrupt: `resume` does the units that are left in any case, but somebody has
        // to read why the others failed.
        if self.failures.is_empty() {
            return unplayed.map_or(Ok(()), |text| Err(RunError::Interrupted(text)));
        }
        // The first reasons once each, with the first unit that failed for it and the number of the others.
        let (mut reasons, mut rest) = (Vec::<(&str, &str, u64)>::new(), 0_u64);
        for (name, why) in &self.failures {
            if let Some(reason) = reasons.iter_mut().find(|(_, known, _)| known == why) {
                reason.2 += 1;
            } else if reasons.len() < SHOWN {
                reasons.push((name, why, 0));
            } else {
                rest += 1;
            }
        }
        let mut shown: Vec<String> = reasons
            .iter()
            .map(|(name, why, more)| match more {
                0 => format!("{name}: {why}"),
                more => format!("{name} and {more} more: {why}"),
            })
            .collect();
        if rest > 0 {
            shown.push(format!("and {rest} more"));
        }
        let last = unplayed.unwrap_or_else(|| {
            let tries = resume("tries again");
            tries.trim_start_matches("; ").to_owned()
        });
        let last = if last.is_empty() {
            last
        } else {
            format!("; {last}")
        };
        Err(RunError::Failed(format!(
            "{} failed: {}{last}",
            counted(self.failures.len() as u64, Plan::UNIT),
            shown.join("; ")
        )))
    }
}
