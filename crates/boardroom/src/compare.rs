//! Which of several runs is better, by how much, how surely.

use crate::error::RunError;
use crate::execute::is_deterministic;
use crate::registry::Registry;
use crate::runs::Run;
use crate::source::Source;
use crate::summary::number;
use serde::Serialize;
use sim_core::stats::{mean, paired_difference};
use sim_core::{Digest, Seed, Sense};
use std::fmt;

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// Runs against the first of them, instance by instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Environment.
    pub environment: String,
    /// Whether larger or smaller scores are better.
    pub sense: Sense,
    /// Unit of the scores.
    pub unit: String,
    /// The run that the others are compared with.
    pub first: Side,
    /// The others.
    pub others: Vec<Compared>,
}

/// One run of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// Environment, preset and agent.
    pub name: String,
    /// Episodes that have a record.
    pub episodes: usize,
    /// Mean score.
    pub mean: Option<f64>,
}

/// A run against the first one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The run.
    #[serde(flatten)]
    pub side: Side,
    /// Instances that both played.
    pub shared: usize,
    /// Whether neither the instances nor either agent drew lots: the difference is then exact.
    pub deterministic: bool,
    /// Mean over shared instances of (this run - first run).
    pub difference: Option<f64>,
    /// 95 % interval of that difference.
    pub ci95: Option<[f64; 2]>,
    /// Whether the two can be told apart.
    pub distinguishable: bool,
    /// `better`, `worse` or `not distinguishable`.
    pub verdict: &'static str,
}

/// Compares `runs` with the first of them.
///
/// # Errors
/// When there are fewer than two, they are of different environments or versions, or share no
/// instance.
pub fn compare(registry: &Registry, runs: &[Run]) -> Result<Comparison, RunError> {
    let Some((first, others)) = runs.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err(RunError::usage(
            "compare needs at least two runs (shards of one run count as one)",
        ));
    };
    let kind = registry.kind(&first.plan.environment)?;
    let (base, base_exact) = scores(registry, first)?;
    let mut compared = Vec::new();
    for run in others {
        let one = (&run.plan.environment, run.plan.version);
        if one != (&first.plan.environment, first.plan.version) {
            return Err(RunError::usage(format!(
                "{} (version {}) and {} (version {}) do not measure the same",
                first.name(),
                first.plan.version,
                run.name(),
                run.plan.version
            )));
        }
        let (values, exact) = scores(registry, run)?;
        let paired = paired_difference(&values, &base, LEVEL, Seed(0).child("compare", 0));
        let Some(paired) = paired else {
            return Err(RunError::usage(format!(
                "{} and {} share no instance; play them with the same preset and seed",
                first.name(),
                run.name()
            )));
        };
        let deterministic = base_exact && exact;
        let distinguishable = if deterministic {
            paired.mean != 0.0
        } else {
            paired.is_distinguishable()
        };
        let verdict = match (distinguishable, kind.sense().better(paired.mean, 0.0)) {
            (false, _) => "not distinguishable",
            (true, true) => "better",
            (true, false) => "worse",
        };
        compared.push(Compared {
            side: side(run, &values),
            shared: paired.clusters,
            deterministic,
            difference: Some(paired.mean),
            ci95: paired
                .interval
                .filter(|_| !deterministic)
                .map(|i| [i.low, i.high]),
            distinguishable,
            verdict,
        });
    }
    Ok(Comparison {
        environment: kind.name().to_owned(),
        sense: kind.sense(),
        unit: kind.unit().to_owned(),
        first: side(first, &base),
        others: compared,
    })
}

/// What pairs two values: the instance, and the episode as well where the instances are a fixed
/// list, because then only the agents' own lots differ from episode to episode.
type Pair = (Digest, u64);

/// Scores by what pairs them, and whether the run drew no lots at all.
fn scores(registry: &Registry, run: &Run) -> Result<(Vec<(Pair, f64)>, bool), RunError> {
    let plan = &run.plan;
    let kind = registry.kind(&plan.environment)?;
    let source = Source::of(kind, plan)?;
    let fixed = source.distinct().is_some();
    let scores = run.scan(|record| {
        let header = &record.header;
        let trial = if fixed {
            // Streams meet the same episodes: those are one another's trials.
            header.episode % plan.episodes.max(1)
        } else {
            0
        };
        Ok(((header.instance, trial), record.score.value()))
    })?;
    Ok((scores, is_deterministic(kind, plan, &source)))
}

fn side(run: &Run, values: &[(Pair, f64)]) -> Side {
    let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    Side {
        name: run.name(),
        episodes: values.len(),
        mean: mean(&values),
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let better = match self.sense {
            Sense::Maximise => "more is better",
            Sense::Minimise => "less is better",
        };
        let mean = |side: &Side| side.mean.map_or_else(|| "none".to_owned(), number);
        writeln!(f, "{} [{}], {better}", self.environment, self.unit)?;
        writeln!(
            f,
            "  {}: mean {}, {} episodes",
            self.first.name,
            mean(&self.first),
            self.first.episodes
        )?;
        for other in &self.others {
            let side = &other.side;
            writeln!(
                f,
                "  {}: mean {}, {} episodes",
                side.name,
                mean(side),
                side.episodes
            )?;
            let difference = other.difference.map_or_else(|| "none".to_owned(), number);
            let interval = other.ci95.map_or_else(
                || {
                    if other.deterministic {
                        "exact"
                    } else {
                        "no interval"
                    }
                    .to_owned()
                },
                |[low, high]| format!("95 % interval {} to {}", number(low), number(high)),
            );
            writeln!(
                f,
                "    difference {difference} on {} shared instances, {interval}: {}",
                other.shared, other.verdict
            )?;
        }
        Ok(())
    }
}
