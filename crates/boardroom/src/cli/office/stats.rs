//! `office stats`: figures of a set of tasks.

use super::{CompanyArgs, Console, read_tasks, stoppable};
use clap::Args;
use enterprise_sandbox::tasks::evaluate::evaluate;
use enterprise_sandbox::tasks::{Attempt, TaskSpec, TaskStats, mutations, rewordings, right};
use enterprise_sandbox::tools::office::{Office, OfficeState};
use enterprise_sandbox::{Instance, Spec};
use run_engine::error::RunError;
use serde::Serialize;
use sim_core::testkit::play;
use sim_core::{EnvironmentSpec, Episode, Seed};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Arguments of `office stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    #[command(flatten)]
    company: CompanyArgs,
    /// Number of tasks to draw
    #[arg(long, default_value_t = 3_000)]
    count: u64,
    /// Seed of the tasks
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Tasks to read (as `office tasks -o` writes them) instead of drawing them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "seed"])]
    tasks: Option<PathBuf>,
    /// Also play them: policies oracle, null and snoop, the right run with each possible single mistake, and the
    /// right run with the dates and numbers of its texts in other forms
    #[arg(long)]
    play: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Policies that `--play` plays.
const POLICIES: [&str; 3] = ["oracle", "null", "snoop"];

/// What `--play` found.
#[derive(Debug, Default, Serialize)]
struct Played {
    /// Mean score by policy.
    policies: BTreeMap<&'static str, f64>,
    /// Number of right runs with one mistake.
    mutations: u64,
    /// Those that were scored as right.
    mutations_passed: u64,
    /// Number of right runs with a date or number of a text in another form.
    rewordings: u64,
    /// Those that were scored as wrong.
    rewordings_failed: u64,
}

/// All figures.
#[derive(Debug, Serialize)]
struct Figures {
    #[serde(flatten)]
    stats: TaskStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
}

fn score(office: &Office, task: &TaskSpec, attempt: &Attempt) -> bool {
    let mut state = OfficeState::default();
    let Some(me) = office.view(&state.overlay).employee(&task.persona) else {
        return false;
    };
    for (tool, arguments) in &attempt.calls {
        // A call of a wrong form does nothing, which is what a run with such a mistake would do.
        let _ = office.call(&mut state, me, tool, arguments);
    }
    evaluate(office, task, &state, &attempt.ending).success
}

pub(super) fn stats(
    args: &StatsArgs,
    spec: &Spec,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let config = args.company.config(spec, console.stop)?;
    let (maker, wanted, count, seed) = (spec.clone(), config.clone(), args.count, args.seed);
    let read = args.tasks.as_deref().map(read_tasks).transpose()?;
    let tasks: Vec<TaskSpec> = match read {
        Some(tasks) => tasks,
        None => {
            let mut tasks = Vec::new();
            for index in 0..count {
                let (maker, wanted) = (maker.clone(), wanted.clone());
                let episode = Episode::of_run(Seed(seed), index);
                let made = stoppable(console.stop, move || {
                    Ok(EnvironmentSpec::generate(&maker, &wanted, episode)?)
                });
                tasks.push(made?.task);
            }
            tasks
        }
    };
    let played = match args.play {
        false => None,
        true => {
            let (generator, kind) = (spec.generator(&config)?, spec.clone().boxed());
            let sample = EnvironmentSpec::generate(spec, &config, Episode::of_run(Seed(seed), 0))?;
            let mut played = Played::default();
            for task in &tasks {
                let office = generator.office();
                for name in POLICIES {
                    let instance = Instance {
                        task: task.clone(),
                        ..sample.clone()
                    };
                    let value = serde_json::to_value(&instance).map_err(RunError::failed)?;
                    let drawn = kind.load(&value)?;
                    let record = play(&*kind, &*drawn, name).map_err(RunError::Failed)?;
                    *played.policies.entry(name).or_default() += record.score.value();
                }
                // The right run is what `oracle` plays; here it is the base of the mistakes.
                if !score(office, task, &right(task)) {
                    return Err(RunError::Failed(format!("the plan of {} fails", task.id)));
                }
                for attempt in mutations(task) {
                    played.mutations += 1;
                    played.mutations_passed += u64::from(score(office, task, &attempt));
                }
                for attempt in rewordings(task) {
                    played.rewordings += 1;
                    played.rewordings_failed += u64::from(!score(office, task, &attempt));
                }
                // Looked at after each task, as a task is short and thousands of them are not.
                if console.stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return Err(RunError::Interrupted(
                        "not all tasks were played".to_owned(),
                    ));
                }
            }
            for sum in played.policies.values_mut() {
                *sum /= tasks.len().max(1) as f64;
            }
            Some(played)
        }
    };
    let figures = Figures {
        stats: TaskStats::of(&tasks),
        played,
    };
    console.show(args.json, &figures)
}

fn per_cent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.stats;
        let list = |counts: &mut dyn Iterator<Item = (String, u64)>| {
            let parts: Vec<String> = counts.map(|(k, n)| format!("{k} {n}")).collect();
            parts.join(", ")
        };
        let named = |m: &BTreeMap<&'static str, u64>| {
            list(&mut m.iter().map(|(k, n)| ((*k).to_owned(), *n)))
        };
        writeln!(
            f,
            "{} tasks: {}; {}",
            s.tasks,
            named(&s.categories),
            named(&s.domains)
        )?;
        writeln!(
            f,
            "steps       {:.2} on average (chain {:.2}); tasks by steps: {}",
            s.mean_steps,
            s.mean_depth,
            list(&mut s.steps.iter().map(|(k, n)| (k.to_string(), *n)))
        )?;
        let largest = s.templates.iter().max_by_key(|(_, n)| **n);
        writeln!(
            f,
            "templates   {}; most frequent {} with {}",
            s.templates.len(),
            largest.map_or("", |(name, _)| name),
            per_cent(s.largest_template)
        )?;
        writeln!(
            f,
            "wording     {} different requests; bare ids in {}; {} different greetings in {}",
            s.different_requests,
            per_cent(s.bare_ids),
            s.greeting_words.len(),
            per_cent(s.greetings)
        )?;
        for (name, yes) in &s.yes {
            writeln!(f, "yes         {name} {}", per_cent(*yes))?;
        }
        let constant = s.constant_answers.iter();
        if let Some((name, share)) = constant.max_by(|a, b| a.1.total_cmp(b.1)) {
            writeln!(
                f,
                "constant    one answer is right in at most {} ({name})",
                per_cent(*share)
            )?;
        }
        writeln!(
            f,
            "wording only, without tools: {} solved",
            per_cent(s.wording_only)
        )?;
        if let Some(p) = &self.played {
            let means: Vec<String> = p.policies.iter().map(|(k, x)| format!("{k} {x}")).collect();
            writeln!(
                f,
                "played      {}; {} of {} runs with one mistake pass; {} of {} right runs with dates and numbers \
                 in other forms fail",
                means.join(", "),
                p.mutations_passed,
                p.mutations,
                p.rewordings_failed,
                p.rewordings
            )?;
        }
        Ok(())
    }
}
