//! `office stats`: figures of a set of tasks.

use super::{CompanyArgs, Console, drawn, read_tasks};
use clap::Args;
use enterprise_sandbox::tasks::{Soundness, TaskSpec, TaskStats};
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
    #[serde(flatten)]
    soundness: Soundness,
}

/// All figures.
#[derive(Debug, Serialize)]
struct Figures {
    #[serde(flatten)]
    stats: TaskStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
}

pub(super) fn stats(
    args: &StatsArgs,
    spec: &Spec,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let config = args.company.config(spec)?;
    let read = args.tasks.as_deref().map(read_tasks).transpose()?;
    let tasks: Vec<TaskSpec> = match read {
        Some(tasks) => tasks,
        None => (0..args.count)
            .map(|index| Ok(drawn(spec, &config, (args.seed, index))?.task))
            .collect::<Result<_, RunError>>()?,
    };
    let played = match args.play {
        false => None,
        true => {
            let (generator, kind) = (spec.generator(&config)?, spec.clone().boxed());
            // Everything but the task is the same for all tasks of these settings.
            let sample =
                EnvironmentSpec::generate(spec, &config, Episode::of_run(Seed(args.seed), 0))?;
            let mut played = Played::default();
            for task in &tasks {
                let office = generator.office();
                for name in POLICIES {
                    let instance = Instance {
                        task: task.clone(),
                        ..sample.clone()
                    };
                    let value = serde_json::to_value(&instance).map_err(RunError::failed)?;
                    let loaded = kind.load(&value)?;
                    let record = play(&*kind, &*loaded, name).map_err(RunError::Failed)?;
                    *played.policies.entry(name).or_default() += record.score.value();
                }
                if !played.soundness.add(office, task) {
                    return Err(RunError::Failed(format!("the plan of {} fails", task.id)));
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

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stats.fmt(f)?;
        let Some(p) = &self.played else {
            return Ok(());
        };
        let means: Vec<String> = p.policies.iter().map(|(k, x)| format!("{k} {x}")).collect();
        writeln!(f, "played      {}; {}", means.join(", "), p.soundness)
    }
}
