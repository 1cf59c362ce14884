//! `run --plan` and `resume` of a sweep's folder: plays the runs one after the other within one
//! budget.

use super::conclude::{SummaryForm, conclude};
use super::{Console, qa, training_note};
use agent_client::method::MemorySpec;
use run_engine::engine::episodes::{play, resume};
use run_engine::engine::execute::RunOptions;
use run_engine::engine::finished::Finished;
use run_engine::engine::model::backends::priced;
use run_engine::engine::model::sweep_budget::SweepBudget;
use run_engine::engine::summary::Summary;
use run_engine::error::RunError;
use run_engine::files::torn::TruncatedLine;
use run_engine::files::{regular, run_file};
use run_engine::plan::instruction::read_instruction;
use run_engine::plan::model::RunBudget;
use run_engine::plan::{Plan, Shard};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::manifest::refuse_search;
use run_engine::run_dir::members::{SWEEP, is_run};
use run_engine::secrets;
use run_engine::sweep::{Sweep, begun, folder_name};
use run_engine::terminal::{shell_path, shown_path};
use run_engine::words::{counted, fine};
use run_report::questions::QUESTIONS;
use run_report::runs::labels::models_apart;
use run_report::runs::parts::overlap;
use run_report::text_table::TextTable;
use std::path::Path;
use std::sync::atomic::Ordering;

/// A run of a sweep, checked and with all settings resolved, with notes for its manifest.
struct Job {
    plan: Plan,
    notes: Vec<String>,
}

impl Job {
    /// Carries out the run in the folder at `path`, or the missing part of it.
    fn run(
        &self,
        path: &Path,
        registry: &Registry,
        budget: &SweepBudget<'_>,
        options: RunOptions<'_>,
        aside: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
    ) -> Result<Finished, RunError> {
        if is_run(path) {
            budget.hand_on(&self.plan, path)?;
            return resume(registry, path, options, aside);
        }
        let folder = Folder::create_noted(path, self.plan.clone(), self.notes.clone())?;
        budget.hand_on(&self.plan, path)?;
        play(registry, &self.plan, Some(&folder), options)
    }
}

/// How the runs of a sweep are played.
#[derive(Debug)]
pub(super) struct SweepCall {
    pub(super) shard: Shard,
    pub(super) shown: SummaryForm,
    /// The budget of all runs together.
    pub(super) means: RunBudget,
}

impl SweepCall {
    /// Plays the plan in `file` into `dir`.
    pub(super) fn begin(
        self,
        file: &Path,
        dir: &Path,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        let (sweep, text) = Sweep::read(file)?;
        // Checked before anything is written.
        let plans = self.plans(&sweep, &[self.shard], console)?;
        sweep.check_settings_of_models()?;
        if is_run(dir) {
            return Err(RunError::usage(format!(
                "{} holds a run already; name another folder",
                shown_path(dir)
            )));
        }
        refuse_search(dir)?;
        refuse_overlap(dir, &plans)?;
        run_engine::run_dir::make(dir)?;
        let copy = dir.join(SWEEP);
        let kept = regular::if_there(run_file::text(&copy, regular::MOST_TOML));
        if let Some(kept) = kept.map_err(RunError::file(&copy))? {
            // The copy was written without keys, so a plan with a key in it differs from its copy.
            if kept != text && kept != secrets::scrub().line(&text) {
                return Err(RunError::usage(format!(
                    "{} holds the sweep of another plan; name another folder",
                    shown_path(dir)
                )));
            }
        } else {
            // Before the copy: without one, `resume` plays nothing. With a copy and no cap, as after a crash or where a
            // price is missing, it would play without a cap.
            self.budget(&plans, dir)?;
            run_file::replace(&copy, &text, false)?;
        }
        self.play(plans, dir, console)
    }

    /// The budget of all runs, which is kept in `dir`.
    fn budget<'a>(
        &'a self,
        plans: &[(String, Job)],
        dir: &'a Path,
    ) -> Result<SweepBudget<'a>, RunError> {
        let plans: Vec<_> = plans.iter().map(|(_, job)| &job.plan).collect();
        SweepBudget::open(dir, &self.means, &plans)
    }

    /// Finishes the sweep in `dir`, in the shards with which it was started.
    pub(super) fn resume(self, dir: &Path, console: &mut Console<'_>) -> Result<(), RunError> {
        let (sweep, _) = Sweep::read(&dir.join(SWEEP))?;
        let mut shards = sweep.shards(console.registry, dir)?;
        // It was stopped before its first run began, so no folder says which part it is.
        if shards.is_empty() {
            shards.push(self.shard);
        }
        let plans = self.plans(&sweep, &shards, console)?;
        self.play(plans, dir, console)
    }

    /// The runs of these shards, all checked.
    fn plans(
        &self,
        sweep: &Sweep,
        shards: &[Shard],
        console: &mut Console<'_>,
    ) -> Result<Vec<(String, Job)>, RunError> {
        let mut plans: Vec<(String, Job)> = Vec::new();
        for shard in shards {
            for (name, plan) in sweep.plans(console.registry, *shard)? {
                let notes = notes(sweep, &plan, console)?;
                plans.push((name, Job { plan, notes }));
            }
        }
        for (number, table) in sweep.question_tables()?.iter().enumerate() {
            let place = |e: RunError| sweep.wrong(format!("questions[{number}]: {e}"));
            for args in qa::of_table(table).map_err(place)? {
                let whole = qa::plan(&args, console).map_err(place)?;
                let path = args.instruction();
                let played = || whole.instances(console.registry);
                let notes = training_note(path, QUESTIONS, played, console)?;
                // Made once and not for each shard, because making it reads the data set.
                for shard in shards {
                    let plan = Plan {
                        shard: *shard,
                        ..whole.clone()
                    };
                    let name = folder_name(&plan)?;
                    if plans.iter().any(|(other, _)| *other == name) {
                        return Err(place(RunError::usage(
                            "this run is in the plan twice; remove one of the two",
                        )));
                    }
                    let notes = notes.clone();
                    plans.push((name, Job { plan, notes }));
                }
            }
        }
        if !plans.iter().any(|(_, job)| job.plan.asks_models()) && !self.means.is_default() {
            return Err(sweep.wrong(
                "no agent of the sweep is a model; leave out --concurrency, --max-cost, \
                 --prices, --timeout and --retries",
            ));
        }
        // Missing prices are reported before the first run costs anything.
        let asked = plans.iter().filter(|(_, job)| job.plan.asks_servers());
        let dialects: Vec<_> = asked.flat_map(|(_, job)| job.plan.dialects()).collect();
        priced(&self.means, &dialects)?;
        Ok(plans)
    }

    fn play(
        &self,
        plans: Vec<(String, Job)>,
        dir: &Path,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        let mut rows = Vec::new();
        // Over all runs of the plan and not over those that are played: what differs is in the name of a row also where the
        // other run was not reached.
        let apart = models_apart(&plans.iter().map(|(_, job)| &job.plan).collect::<Vec<_>>());
        let played = self.play_each(plans, dir, console, &mut rows);
        // Also of a plan that was stopped: what was played is not lost.
        for (row, words) in rows.iter_mut().zip(apart) {
            if let (Some(agent), false) = (row.get_mut(1), words.is_empty()) {
                agent.push_str(&format!(", {words}"));
            }
        }
        if self.shown.is_for_people() && !rows.is_empty() {
            console.print(&table(rows))?;
        }
        played
    }

    /// Plays the runs one after the other and adds a row of the table for each.
    fn play_each(
        &self,
        plans: Vec<(String, Job)>,
        dir: &Path,
        console: &mut Console<'_>,
        rows: &mut Vec<Vec<String>>,
    ) -> Result<(), RunError> {
        let count = plans.len() as u64;
        let mut budget = self.budget(&plans, dir)?;
        let mut failed = Vec::new();
        for (number, (name, job)) in (1..).zip(plans) {
            let after = count - number;
            let path = dir.join(&name);
            let means = budget.of_run(&path);
            let options = RunOptions {
                means: &means,
                steps: false,
                progress: self.shown.is_for_people(),
                stop: console.stop,
            };
            let registry = console.registry;
            let mut aside = |torn: &TruncatedLine| console.remark(&format!("{torn}\n"));
            let finished = job.run(&path, registry, &budget, options, &mut aside);
            // Before the result is looked at: a run that ended with an error has paid, too, and the message on a budget
            // that is used up has the sum of all runs.
            budget.settle(&path)?;
            let finished = finished.map_err(|e| match (e, budget.used_up()) {
                // The run knows its share alone, and to continue it would leave the others out. What comes before the
                // first `;` is why it stopped; the rest is how to continue it alone.
                (RunError::Budget(why), Some(used_up)) => RunError::Budget(format!(
                    "{used_up}; what is left is not enough for the run {name} ({}); {} not finished; \
                     `boardroom resume {} --max-cost <more>` plays the rest",
                    why.split(';').next().unwrap_or_default(),
                    with_verb("it", true, after),
                    shell_path(dir)
                )),
                (e, _) => e,
            })?;
            let summary = &finished.summary;
            rows.push(row(&name, summary));
            let unplayed = finished.unplayed;
            // Failed episodes do not end a sweep, because the runs after this one may have none.
            match self.conclude(&job, &name, &finished, console) {
                Ok(()) => {}
                Err(RunError::Failed(why)) => failed.push(format!("{name}: {why}")),
                Err(RunError::Interrupted(_)) => {
                    let of_run = format!("{} of {name}", counted(unplayed, "episode"));
                    return Err(RunError::Interrupted(format!(
                        "{} left; `boardroom resume {}` plays the rest",
                        with_verb(&of_run, unplayed == 1, after),
                        shell_path(dir)
                    )));
                }
                Err(other) => return Err(other),
            }
            if console.stop.load(Ordering::Relaxed) && after > 0 {
                let runs = format!("{after} of {}", counted(count, "run"));
                return Err(RunError::Interrupted(format!(
                    "{} left; `boardroom resume {}` plays the rest",
                    with_verb(&runs, after == 1, 0),
                    shell_path(dir)
                )));
            }
        }
        if failed.is_empty() {
            Ok(())
        } else {
            Err(RunError::Failed(failed.join("; ")))
        }
    }

    /// Prints the result of one run. The scores are in the table at the end, so by default only the notes are printed
    /// here, and the figures of questions.
    fn conclude(
        &self,
        job: &Job,
        name: &str,
        finished: &Finished,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        if self.shown != SummaryForm::Short || job.plan.environment == QUESTIONS {
            return conclude(finished, self.shown, console);
        }
        let summary = &finished.summary;
        let of_run = summary.notes.iter().chain(&summary.usage.notes);
        let contradiction = summary.reference.contradiction();
        for note in of_run.chain(&contradiction).chain(&finished.notes) {
            console.remark(&format!("{name}: note: {note}\n"))?;
        }
        finished.check()
    }
}

/// What is left of a run and the `after` runs behind it, with the verb: `it is`, `3 episodes of x and 1 run after it
/// are`.
fn with_verb(of_run: &str, is_one: bool, after: u64) -> String {
    match after {
        0 => format!("{of_run} {}", if is_one { "is" } else { "are" }),
        after => format!("{of_run} and {} after it are", counted(after, "run")),
    }
}

/// The row of a run in the table at the end of a plan.
fn row(name: &str, summary: &Summary) -> Vec<String> {
    let show = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), fine);
    let interval = match summary.score.ci95 {
        Some([low, high]) => format!("{} to {}", fine(low), fine(high)),
        None => "–".to_owned(),
    };
    // Without a price a cost of 0 would say that the run was free.
    let cost = Some(summary.usage.cost_usd).filter(|cost| *cost > 0.0);
    vec![
        format!("{} {}", summary.environment, summary.setting),
        summary.agent.clone(),
        summary.seed.to_string(),
        summary.episodes.to_string(),
        summary.failed.to_string(),
        show(summary.score.mean),
        interval,
        show(summary.reference.regret),
        show(cost),
        name.to_owned(),
    ]
}

/// The table at the end of a plan.
fn table(rows: Vec<Vec<String>>) -> String {
    let columns = [
        "task",
        "agent",
        "seed",
        "episodes",
        "failed",
        "mean score",
        "95 % interval",
        "regret",
        "cost [USD]",
        "run",
    ];
    TextTable::new("", columns, rows).text()
}

/// Notes on a run of `sweep` whose instruction was made on its instances.
fn notes(sweep: &Sweep, plan: &Plan, console: &mut Console<'_>) -> Result<Vec<String>, RunError> {
    let Some(MemorySpec::Instruction(Some(text))) =
        plan.model.as_ref().map(|model| &model.method.memory)
    else {
        return Ok(Vec::new());
    };
    // A plan holds the text alone; the sweep says where it was read.
    let paths = sweep
        .runs
        .iter()
        .filter_map(|runs| runs.options.get("instruction")?.as_str().map(Path::new));
    let mut paths = paths.filter(|path| read_instruction(path).is_ok_and(|read| read == *text));
    let played = || plan.instances(console.registry);
    training_note(paths.next(), &plan.environment, played, console)
}

/// Refuses to play a plan into a folder that holds another division of it, because its episodes
/// or answers would then be stored twice.
fn refuse_overlap(dir: &Path, jobs: &[(String, Job)]) -> Result<(), RunError> {
    if !dir.is_dir() {
        return Ok(());
    }
    for (path, held) in begun(dir)? {
        let (whole, part) = (held.whole(), held.shard);
        let mut plans = jobs.iter().map(|(_, job)| &job.plan);
        let twice = plans.find(|plan| overlap(part, plan.shard) && plan.whole() == whole);
        if let Some(plan) = twice {
            return Err(RunError::usage(format!(
                "{} holds {part} of this plan and {} overlaps it; name another folder, or finish what \
                 was begun with `boardroom resume {}`",
                shown_path(&path),
                plan.shard,
                shell_path(dir)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_agrees_with_its_verb() {
        for (of_run, is_one, after, expected) in [
            ("it", true, 0, "it is"),
            ("it", true, 1, "it and 1 run after it are"),
            ("1 episode of x", true, 0, "1 episode of x is"),
            ("2 episodes of x", false, 0, "2 episodes of x are"),
            ("2 of 5 runs", false, 0, "2 of 5 runs are"),
        ] {
            assert_eq!(with_verb(of_run, is_one, after), expected);
        }
    }
}
