//! Success of played tasks by kind, and reliability over repeated trials.

use super::judge::is_right;
use serde::Serialize;
use sim_core::score::Metrics;
use sim_core::stats::{mean, mean_pass_k, rate_interval};
use sim_core::{Digest, Seed};
use std::collections::BTreeMap;
use std::fmt;

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// Largest k of pass^k that is shown.
const MOST_TRIALS: u32 = 8;

/// Results of one run, by kind of task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Breakdown {
    /// Environment, preset and agent.
    pub name: String,
    /// All tasks, then the tasks of every domain, category, difficulty and level of the persona.
    pub groups: Vec<Group>,
    /// Number of episodes by what went wrong.
    pub failures: BTreeMap<String, u64>,
}

/// Results of the tasks of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The grouping: `all`, `domain`, `category`, `difficulty`, `level`.
    pub by: &'static str,
    /// The value that the tasks of the group share.
    pub name: String,
    /// Number of episodes.
    pub episodes: u64,
    /// Number of different tasks.
    pub tasks: u64,
    /// Share of successful episodes; every task has the same weight.
    pub success: Option<f64>,
    /// Its 95 % bootstrap interval over tasks.
    pub ci95: Option<[f64; 2]>,
    /// Probability that k trials of one task all succeed, for k = 1, 2, .. up to the trials that
    /// every task has (at most 8).
    pub pass: Vec<f64>,
    /// Mean grade, 1 to 5.
    pub grade: Option<f64>,
    /// Mean F1 of the facts.
    pub fact_f1: Option<f64>,
    /// Mean share of disclosed values that the persona may not know.
    pub leak_rate: Option<f64>,
    /// Share of the episodes with a mark to which a judge gave 4 or 5; only if the run was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_right: Option<f64>,
}

/// A played task.
#[derive(Debug, Clone)]
pub struct PlayedTask {
    /// The task, which may be played several times.
    pub task: Digest,
    /// The groups that it belongs to, by grouping.
    pub kinds: [(&'static str, String); 5],
    /// Whether it succeeded.
    pub success: bool,
    /// Its metrics.
    pub metrics: Metrics,
    /// Codes of what went wrong.
    pub incidents: Vec<String>,
    /// The mark of a judge, 1 to 5, if there is one.
    pub mark: Option<u8>,
}

impl Breakdown {
    /// The results of `played`, the episodes of the run `name` with this seed.
    #[must_use]
    pub fn of(name: String, played: &[PlayedTask], seed: Seed) -> Self {
        // With the place of the grouping, so that they stand in their own order and not in that of
        // their names.
        let mut members: BTreeMap<(usize, &'static str, &str), Vec<&PlayedTask>> = BTreeMap::new();
        let mut failures: BTreeMap<String, u64> = BTreeMap::new();
        for episode in played {
            for (place, (by, name)) in episode.kinds.iter().enumerate() {
                members.entry((place, by, name)).or_default().push(episode);
            }
            for code in &episode.incidents {
                *failures.entry(code.clone()).or_default() += 1;
            }
        }
        let groups = members
            .into_iter()
            .map(|((_, by, name), episodes)| group(by, name, &episodes, seed));
        Self {
            name,
            groups: groups.collect(),
            failures,
        }
    }
}

fn group(by: &'static str, name: &str, episodes: &[&PlayedTask], seed: Seed) -> Group {
    let mut tasks: BTreeMap<Digest, (u32, u32)> = BTreeMap::new();
    for episode in episodes {
        let (successes, trials) = tasks.entry(episode.task).or_default();
        *successes += u32::from(episode.success);
        *trials += 1;
    }
    let tasks: Vec<(u32, u32)> = tasks.into_values().collect();
    let rates = tasks
        .iter()
        .map(|(won, trials)| f64::from(*won) / f64::from(*trials));
    let rates: Vec<f64> = rates.collect();
    let trials = tasks.iter().map(|t| t.1).min().unwrap_or(0);
    let metric = |name: &str| {
        let values = episodes.iter().filter_map(|e| e.metrics.get(name).copied());
        mean(&values.collect::<Vec<f64>>())
    };
    Group {
        by,
        name: name.to_owned(),
        episodes: episodes.len() as u64,
        tasks: tasks.len() as u64,
        success: mean(&rates),
        ci95: rate_interval(&rates, LEVEL, seed.child("interval", 0)).map(|i| [i.low, i.high]),
        pass: (1..=trials.min(MOST_TRIALS))
            .filter_map(|k| mean_pass_k(&tasks, k))
            .collect(),
        grade: metric("grade"),
        fact_f1: metric("fact_f1"),
        leak_rate: metric("leak_rate"),
        judged_right: {
            let marks = episodes.iter().filter_map(|e| e.mark);
            let right = marks.map(|mark| f64::from(u8::from(is_right(mark))));
            mean(&right.collect::<Vec<_>>())
        },
    }
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
        writeln!(f, "{}", self.name)?;
        let is_judged = self.groups.iter().any(|g| g.judged_right.is_some());
        let judge = |text: String| match is_judged {
            true => format!("{text:>7}"),
            false => String::new(),
        };
        writeln!(
            f,
            "  {:<24}{:>9}{:>7}{:>9}  {:<14}{:>7}{:>7}{:>7}{}  pass^k",
            "",
            "episodes",
            "tasks",
            "success",
            "95 %",
            "grade",
            "F1",
            "leaks",
            judge("judge".to_owned())
        )?;
        for g in &self.groups {
            let interval = g
                .ci95
                .map_or_else(String::new, |[low, high]| format!("{low:.3}-{high:.3}"));
            let pass: Vec<String> = g.pass.iter().map(|p| format!("{p:.3}")).collect();
            writeln!(
                f,
                "  {:<24}{:>9}{:>7}{:>9}  {interval:<14}{:>7}{:>7}{:>7}{}  {}",
                format!("{} {}", g.by, g.name),
                g.episodes,
                g.tasks,
                share(g.success),
                g.grade
                    .map_or_else(|| "-".to_owned(), |v| format!("{v:.2}")),
                share(g.fact_f1),
                share(g.leak_rate),
                judge(share(g.judged_right)),
                pass.join(" ")
            )?;
        }
        for (code, count) in &self.failures {
            writeln!(f, "  {code:<24}{count:>9}")?;
        }
        Ok(())
    }
}
