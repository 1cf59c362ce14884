//! Training and evaluation stacks: verifiers plays groups of rollouts over HTTP, and inspect_ai a game over
//! standard input and output.

use super::boardroom::{self, Listening};
use super::sdk::keep;
use crate::built::Boardroom;
use crate::cache;
use crate::command;
use crate::python::Environment;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ENVIRONMENT: &str = "beer-game";

/// Episodes and rollouts of each.
const EPISODES: usize = 4;
const ROLLOUTS: usize = 2;

/// The order of the rollouts, as a policy.
const POLICY: &str = "constant:300";

/// Scores of constant orders of 300 in the first episodes of `random` with seed 7.
const SCORES: [f64; EPISODES] = [39_589.0, 11_931.0, 13_430.0, 5_394.5];

/// The order, the weeks and the score of the game of inspect_ai, on `paper`.
const INSPECTED: (u64, u64, f64) = (400, 25, 9_200.0);

const SCRIPTS: [(&str, &str); 3] = [
    ("verifiers_taskset.py", include_str!("verifiers_taskset.py")),
    ("rollouts.py", include_str!("rollouts.py")),
    ("inspect_play.py", include_str!("inspect_play.py")),
];

/// The packages, installed.
pub(super) struct Stacks {
    folder: PathBuf,
    environment: Environment,
}

#[derive(Debug, Deserialize)]
struct Rollouts {
    rollouts: Vec<Rollout>,
}

#[derive(Debug, Deserialize)]
struct Rollout {
    episode: usize,
    value: Option<f64>,
    errors: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Inspected {
    status: String,
    first: String,
    score: Option<f64>,
    error: Option<String>,
}

impl Stacks {
    /// Installs the packages if they are not in the cache.
    pub(super) fn fetch(root: &Path) -> Result<Self> {
        let folder = cache::folder("rollouts")?;
        let requirements = root.join("xtask/src/clients/rollouts.txt");
        let environment = Environment::make(folder.join("python"), &requirements)?;
        for (name, text) in SCRIPTS {
            keep(&folder, name, text)?;
        }
        Ok(Self {
            folder,
            environment,
        })
    }

    fn script(&self, name: &str) -> std::process::Command {
        let mut python = command::program(&self.folder, self.environment.python());
        python.arg(name);
        python
    }

    /// Four tasks with two rollouts each, against one server that records them.
    pub(super) fn verifiers(&self, boardroom: &Boardroom, work: &Path) -> Result<()> {
        let record = work.join("verifiers");
        let more = ["--preset", "random"];
        let server = Listening::start_with(boardroom, ENVIRONMENT, &record, &more)?;
        let mut client = self.script("rollouts.py");
        client.arg(server.url()).arg(work.join("traces"));
        let printed = command::output(&mut client)?;
        drop(server);
        let seen: Rollouts = serde_json::from_str(&printed)
            .with_context(|| format!("rollouts.py printed something else: {printed}"))?;
        let mut values: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for rollout in &seen.rollouts {
            ensure!(
                rollout.errors.is_empty(),
                "a rollout has errors: {rollout:?}"
            );
            let value = rollout.value.context("a rollout has no value")?;
            values.entry(rollout.episode).or_default().push(value);
        }
        let expected: BTreeMap<usize, Vec<f64>> = SCORES
            .iter()
            .map(|score| vec![*score; ROLLOUTS])
            .enumerate()
            .collect();
        ensure!(
            values == expected,
            "the rollouts are {values:?}, not {expected:?}"
        );
        let played = work.join("played");
        boardroom.run_preset(ENVIRONMENT, "random", EPISODES, POLICY, &played)?;
        let policy = boardroom::records(&played)?;
        let records = boardroom::records(&record)?;
        ensure!(
            records.len() == EPISODES * ROLLOUTS,
            "{} records, not {}",
            records.len(),
            EPISODES * ROLLOUTS
        );
        let scores = policy.iter().flat_map(|one| [one.score; ROLLOUTS]);
        ensure!(
            records.iter().map(|one| one.score).eq(scores),
            "the records are {records:?}, those of {POLICY} {policy:?}"
        );
        let verified = boardroom.output(&["verify", &boardroom::text(&record)?])?;
        println!(
            "verifiers    {EPISODES} tasks x {ROLLOUTS} rollouts, {SCORES:?} each; {}",
            verified.lines().next().unwrap_or_default()
        );
        Ok(())
    }

    /// One game with the mock model, whose first message holds the rules.
    pub(super) fn inspect(&self, boardroom: &Boardroom, work: &Path) -> Result<()> {
        let record = work.join("inspect");
        let (order, weeks, score) = INSPECTED;
        let mut client = self.script("inspect_play.py");
        client.args([order.to_string(), weeks.to_string()]);
        client.args(boardroom.serve(ENVIRONMENT, &record));
        client.args(["--preset", "paper", "--mode", "eval"]);
        let printed = command::output(&mut client)?;
        let seen: Inspected = serde_json::from_str(printed.lines().last().unwrap_or_default())
            .with_context(|| format!("inspect_play.py printed something else: {printed}"))?;
        ensure!(
            seen.status == "success" && seen.error.is_none() && seen.score == Some(score),
            "inspect_ai says {seen:?}"
        );
        // `replay` prints the rules between the first line and the first week.
        let replayed = boardroom.output(&["replay", &boardroom::text(&record)?])?;
        let rules = replayed.split_once("\n\n").map_or("", |(_, rest)| rest);
        let rules = rules
            .split_once("\n\nweek 1\n")
            .map_or("", |(rules, _)| rules);
        ensure!(
            !rules.trim().is_empty() && seen.first.contains(rules.trim()),
            "the rules are not in the first message: {}",
            seen.first
        );
        boardroom.output(&["verify", &boardroom::text(&record)?])?;
        println!(
            "inspect_ai   {weeks} calls over stdio, over at {score}; the rules are in the first message"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_package_is_pinned() {
        let pinned = include_str!("rollouts.txt");
        assert!(pinned.lines().all(|line| line.split("==").count() == 2));
        for name in ["verifiers", "inspect_ai", "uv"] {
            assert!(
                pinned
                    .lines()
                    .any(|line| line.starts_with(&format!("{name}=="))),
                "{name}"
            );
        }
    }
}
