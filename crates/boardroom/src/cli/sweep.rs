//! `run --plan` and `resume` of a sweep's folder: plays the runs one after the other within one
//! budget.

use super::Console;
use super::conclude::conclude;
use agent_client::money::Money;
use run_engine::engine::episodes::{Episodes, play};
use run_engine::engine::model::backends::priced;
use run_engine::engine::workload::{Resume, Workload as _};
use run_engine::error::RunError;
use run_engine::files::torn::Torn;
use run_engine::plan::model::RunBudget;
use run_engine::plan::{Plan, Shard};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::members::{SWEEP, is_run};
use run_engine::secrets;
use run_engine::sweep::{Sweep, begun};
use run_engine::words::counted;
use run_report::runs::parts::overlap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How the runs of a sweep are played.
#[derive(Debug)]
pub(super) struct SweepCall<'a> {
    pub(super) shard: Shard,
    pub(super) json: bool,
    /// The budget of all runs together.
    pub(super) means: RunBudget,
    pub(super) stop: &'a AtomicBool,
}

impl SweepCall<'_> {
    /// Plays the plan in `file` into `dir`.
    pub(super) fn begin(
        self,
        file: &Path,
        dir: &Path,
        registry: &Registry,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        let (sweep, text) = Sweep::read(file)?;
        // Checked before anything is written.
        let plans = self.plans(&sweep, &[self.shard], registry)?;
        if is_run(dir) {
            return Err(RunError::usage(format!(
                "{} holds a run already; name another folder",
                dir.display()
            )));
        }
        refuse_overlap(dir, &plans)?;
        run_engine::run_dir::make(dir)?;
        let copy = dir.join(SWEEP);
        if copy.exists() {
            let kept =
                run_engine::files::regular::text(&copy, run_engine::files::regular::MOST_SMALL)
                    .map_err(RunError::file(&copy))?;
            if kept != text && kept != secrets::scrub().line(&text) {
                return Err(RunError::usage(format!(
                    "{} holds the sweep of another plan; name another folder",
                    dir.display()
                )));
            }
        } else {
            run_engine::run_dir::write_clean(&copy, &text)?;
        }
        self.play(plans, dir, registry, console)
    }

    /// Finishes the sweep in `dir`, in the shards with which it was started.
    pub(super) fn resume(
        self,
        dir: &Path,
        registry: &Registry,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        let (sweep, _) = Sweep::read(&dir.join(SWEEP))?;
        let mut shards = sweep.shards(registry, dir)?;
        if shards.is_empty() {
            shards.push(self.shard);
        }
        let plans = self.plans(&sweep, &shards, registry)?;
        self.play(plans, dir, registry, console)
    }

    /// The runs of these shards, all checked.
    fn plans(
        &self,
        sweep: &Sweep,
        shards: &[Shard],
        registry: &Registry,
    ) -> Result<Vec<(String, Plan)>, RunError> {
        let mut plans = Vec::new();
        for shard in shards {
            plans.extend(sweep.plans(registry, *shard)?);
        }
        if plans.iter().all(|(_, plan)| plan.model.is_none()) && !self.means.is_default() {
            return Err(sweep.wrong(
                "no agent of the sweep is a model; leave out --concurrency, --max-cost and \
                 --prices",
            ));
        }
        // Before the first run is paid for.
        let models = plans.iter().filter_map(|(_, plan)| plan.model.as_ref());
        let dialects: Vec<_> = models.map(|model| &model.dialect).collect();
        priced(&self.means, &dialects)?;
        Ok(plans)
    }

    fn play(
        &self,
        plans: Vec<(String, Plan)>,
        dir: &Path,
        registry: &Registry,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        let count = plans.len();
        let mut spent = Money::ZERO;
        let mut failed = Vec::new();
        for (number, (name, plan)) in plans.into_iter().enumerate() {
            let path = dir.join(&name);
            // The budget is shared: what earlier runs have cost is no longer available to later
            // runs.
            let means = RunBudget {
                max_cost: self.means.max_cost.map(|cap| cap.minus(spent)),
                ..self.means.clone()
            };
            let how = Resume {
                means: &means,
                progress: !self.json,
                stop: self.stop,
            };
            let finished = if is_run(&path) {
                let mut aside = |torn: &Torn| console.remark(&format!("{torn}\n"));
                Episodes.resume(registry, &path, &how, &mut aside)?
            } else {
                let folder = Folder::create(&path, plan.clone())?;
                play(registry, &plan, &folder, &how)?
            };
            spent = spent.plus(money(finished.summary.summary().usage.cost_usd)?);
            let unplayed = finished.unplayed;
            match conclude(&finished, self.json, console) {
                Ok(()) => {}
                Err(RunError::Failed(why)) => failed.push(format!("{name}: {why}")),
                Err(RunError::Interrupted(_)) => {
                    return Err(RunError::Interrupted(format!(
                        "{} of {name} and {} behind it are left; `boardroom resume {}` plays them",
                        counted(unplayed, "episode"),
                        counted((count - number - 1) as u64, "run"),
                        dir.display()
                    )));
                }
                Err(other) => return Err(other),
            }
            if self.stop.load(Ordering::Relaxed) && number + 1 < count {
                return Err(RunError::Interrupted(format!(
                    "{} of {count} runs are left; `boardroom resume {}` plays them",
                    count - number - 1,
                    dir.display()
                )));
            }
        }
        if failed.is_empty() {
            Ok(())
        } else {
            Err(RunError::Failed(failed.join("; ")))
        }
    }
}

/// Refuses to play a plan into a folder that holds another division of it, because its episodes
/// would then be stored twice.
fn refuse_overlap(dir: &Path, plans: &[(String, Plan)]) -> Result<(), RunError> {
    if !dir.is_dir() {
        return Ok(());
    }
    for (path, held) in begun(dir)? {
        let whole = held.whole();
        let twice =
            |(_, plan): &&(String, Plan)| overlap(held.shard, plan.shard) && plan.whole() == whole;
        if let Some((_, plan)) = plans.iter().find(twice) {
            return Err(RunError::usage(format!(
                "{} holds {} of this plan and {} overlaps it; name another folder, or finish what \
                 was begun with `boardroom resume {}`",
                path.display(),
                held.shard,
                plan.shard,
                dir.display()
            )));
        }
    }
    Ok(())
}

/// Converts the amount of a summary \[US dollars\].
fn money(dollars: f64) -> Result<Money, RunError> {
    format!("{dollars:.12}").parse().map_err(RunError::Failed)
}
