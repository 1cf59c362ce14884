//! Which of several runs is better, by how much, how surely.

mod extent;
mod levels;
mod measured;
mod text;

pub use extent::Extent;
pub use levels::{AgentLevels, Level, LevelComparison, LevelRun, LevelTest, across_presets};
pub use measured::{Measured, Met};
pub(crate) use measured::{compared_by, observed};

use crate::runs::Pool;
use agent_client::wire::ways::Way;
use measured::Key;
use qa_scoring::env::EXECUTOR;
use run_engine::engine::summary::{LEVEL, Observation};
use run_engine::error::RunError;
use run_engine::plan::setting::Setting;
use run_engine::registry::Registry;
use run_engine::run_dir::stamp::VerifyStatus;
use serde::Serialize;
use sim_core::stats::paired_difference_over;
use sim_core::{Causes, Digest, DynEnvironmentSpec, ScoreRange, Seed, Sense};
use std::collections::{BTreeMap, BTreeSet};

/// Difference of exact means, as a share of the larger one, that rounding alone can leave.
const ROUNDING: f64 = 1e-12;

/// Competitors against the first of them, instance by instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Environment.
    pub environment: String,
    /// Whether larger or smaller scores are better; absent where neither end is.
    pub sense: Option<Sense>,
    /// Unit of the scores.
    pub unit: String,
    /// The competitor that the others are compared with.
    pub first: Side,
    /// The others.
    pub others: Vec<Compared>,
    /// Notes on the competitors: which were left out and why, and whether models were asked, or servers took requests,
    /// in different ways.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One competitor of a comparison: a run, or several that differ in their seed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// Environment, preset and agent.
    pub name: String,
    /// Who played, with what distinguishes it from others of the same name.
    pub agent: String,
    /// Whether the agent knows hidden state.
    pub oracle: bool,
    /// Whether its records were verified: `verified`, `not verified` or `altered`.
    pub verified: VerifyStatus,
    /// Preset, suite and settings, where episodes were played.
    #[serde(flatten)]
    pub played: Option<Setting>,
    /// What was measured.
    #[serde(flatten)]
    pub extent: Extent,
    /// Records without a score, which the mean leaves out.
    #[serde(skip_serializing_if = "is_none")]
    pub unscored: u64,
    /// Mean score.
    pub mean: Option<f64>,
    /// 95 % interval of the mean; absent where nothing was left to chance.
    pub mean_ci95: Option<[f64; 2]>,
    /// Causes of the agent's replies, and of failed units; empty where no model was asked.
    #[serde(skip_serializing_if = "Causes::is_empty")]
    pub causes: Causes,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A competitor against the first one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The competitor.
    #[serde(flatten)]
    pub side: Side,
    /// Trials that both have: instances, or attempts at them where those differ by the agents' own
    /// lots.
    pub shared: usize,
    /// Different instances among them.
    pub shared_instances: usize,
    /// Trials that only the first one has; they are left out.
    pub only_first: usize,
    /// Trials that only this one has; they are left out.
    pub only_this: usize,
    /// Why instances are left out, where some are.
    pub left_out: Option<String>,
    /// Whether neither the instances nor either agent drew lots: the difference is then exact.
    pub deterministic: bool,
    /// Mean over the shared trials of (this one - the first).
    pub difference: Option<f64>,
    /// 95 % interval of that difference. It counts instances, as the interval of a mean does, or passes over a list of
    /// fewer than six.
    pub ci95: Option<[f64; 2]>,
    /// What it counts, and how many of them.
    #[serde(skip)]
    pub(crate) observations: (usize, &'static str),
    /// Whether the two can be told apart.
    pub distinguishable: bool,
    /// What this one is against the first: `better`, `worse`, `not distinguishable`, or `equal` where
    /// nothing is left to chance; where neither end of the scale is better, `higher` or `lower`.
    pub verdict: &'static str,
    /// The agent that is better, where one is.
    pub better: Option<String>,
}

impl Compared {
    /// What stands in place of an interval of width 0: equal differences have no spread, and so say nothing of how far
    /// another one may be from them.
    pub(crate) fn same_everywhere(&self) -> String {
        let (count, unit) = self.observations;
        format!("the same on all {count} {unit}")
    }
}

/// What is measured, and in what direction.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Environment, or kind of items.
    pub name: String,
    /// Whether larger or smaller scores are better; absent where neither end is.
    pub sense: Option<Sense>,
    /// Unit of the scores.
    pub unit: String,
    /// What a score can be.
    pub range: ScoreRange,
}

impl Scale {
    /// The scores of an environment.
    pub(crate) fn of(spec: &dyn DynEnvironmentSpec) -> Self {
        Self {
            name: spec.name().to_owned(),
            sense: spec.is_ranked().then(|| spec.sense()),
            unit: spec.unit().to_owned(),
            range: spec.about().range,
        }
    }

    fn comparison(self, all: &[&Measured], others: Vec<Compared>) -> Option<Comparison> {
        let first = all.first()?;
        Some(Comparison {
            notes: asked_differently(all),
            environment: self.name,
            sense: self.sense,
            unit: self.unit,
            first: first.side.clone(),
            others,
        })
    }
}

/// Compares `pools` with the first of them.
///
/// # Errors
/// When there are fewer than two, they are of different environments or versions, or share no
/// instance.
pub fn compare(registry: &Registry, pools: &[Pool]) -> Result<Comparison, RunError> {
    let Some(first) = pools.first() else {
        return Err(too_few());
    };
    let scale = Scale::of(registry.kind(&first.plan().environment)?);
    for pool in pools {
        let one = (&pool.plan().environment, pool.plan().version);
        if one != (&first.plan().environment, first.plan().version) {
            return Err(RunError::usage(format!(
                "{} (version {}) and {} (version {}) do not measure the same",
                first.name(),
                first.plan().version,
                pool.name(),
                pool.plan().version
            )));
        }
    }
    for pool in pools {
        refuse_other_judges(registry, first, pool)?;
    }
    let measured = pools.iter().map(|pool| Measured::of(registry, pool));
    let measured = measured.collect::<Result<Vec<_>, _>>()?;
    let (held, left) = with_scores(&measured);
    let Some((first, others)) = held.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err(if left.is_empty() {
            too_few()
        } else {
            too_few().at(&format!("{}: ", left.join("; ")))
        });
    };
    let others = others.iter().map(|other| one(&scale, first, other));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let mut comparison = scale.comparison(&held, others).ok_or_else(too_few)?;
    comparison.notes.splice(0..0, left);
    Ok(comparison)
}

/// Refuses two pools whose scores do not mean the same because the seats that are not under test, such as judges, have
/// other players.
fn refuse_other_judges(registry: &Registry, one: &Pool, other: &Pool) -> Result<(), RunError> {
    // Seat by seat: both are of one environment, which decides the order of the seats.
    let (ours, theirs) = (measured_by(registry, one)?, measured_by(registry, other)?);
    let mut differ = ours
        .iter()
        .zip(&theirs)
        .filter(|(ours, theirs)| ours != theirs);
    let Some(((seat, ours), (_, theirs))) = differ.next() else {
        return Ok(());
    };
    Err(RunError::usage(format!(
        "{} and {} cannot be compared, because their scores were measured in different ways: {seat} {ours} and {theirs}",
        one.name(),
        other.name(),
    )))
}

/// The players at the seats that are not under test, such as judges.
fn measured_by(registry: &Registry, pool: &Pool) -> Result<Vec<(&'static str, String)>, RunError> {
    let mut players = pool
        .plan()
        .cast_aside(registry.kind(&pool.plan().environment)?);
    // Where no program ran, nothing depends on what runs them.
    players.retain(|(seat, _)| *seat != EXECUTOR.name());
    Ok(players)
}

/// Groups pools whose scores can be compared: by task (environment, version, settings, suite and instance, over all
/// seeds) and by those who measure, such as judges. Groups are in the order in which they first appear.
///
/// # Errors
/// When an environment does not exist, or a plan has no JSON form.
pub fn comparable(registry: &Registry, pools: Vec<Pool>) -> Result<Vec<Vec<Pool>>, RunError> {
    let mut places = BTreeMap::new();
    let mut groups: Vec<Vec<Pool>> = Vec::new();
    for pool in pools {
        let key = (pool.task()?, measured_by(registry, &pool)?);
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(pool),
            None => groups.push(vec![pool]),
        }
    }
    Ok(groups)
}

/// As [`compare`], of pools that are [`comparable`], where one that cannot be compared stops no other one: gives
/// what could be compared, if anything, and a sentence on each one that could not.
///
/// # Errors
/// When there is none, or one cannot be read.
pub fn compare_what_can_be(
    registry: &Registry,
    pools: &[Pool],
) -> Result<(Option<Comparison>, Vec<String>), RunError> {
    let Some(first) = pools.first() else {
        return Err(too_few());
    };
    let scale = Scale::of(registry.kind(&first.plan().environment)?);
    let measured = pools.iter().map(|pool| Measured::of(registry, pool));
    let measured = measured.collect::<Result<Vec<_>, _>>()?;
    let (measured, mut left) = with_scores(&measured);
    let Some((first, others)) = measured.split_first() else {
        return Ok((None, left));
    };
    if others.is_empty() {
        left.push(format!(
            "{} has nothing to be compared with",
            first.side.name
        ));
    }
    let (mut compared, mut sides) = (Vec::new(), vec![*first]);
    for other in others {
        // Not the first error for all: an agent that shares nothing with the first one would keep
        // the others from being compared.
        match one(&scale, first, other) {
            Ok(pair) => {
                compared.push(pair);
                sides.push(other);
            }
            Err(e) => left.push(e.to_string()),
        }
    }
    if compared.is_empty() {
        return Ok((None, left));
    }
    Ok((scale.comparison(&sides, compared), left))
}

/// Those of `all` that have scores, and a sentence on each of the others.
fn with_scores(all: &[Measured]) -> (Vec<&Measured>, Vec<String>) {
    let (held, empty): (Vec<_>, Vec<_>) = all.iter().partition(|run| !run.values.is_empty());
    let left = empty.into_iter().map(|run| {
        let lacks = match run.records {
            0 => "record",
            _ => "score",
        };
        format!("{} has no {lacks} yet and is left out", run.side.name)
    });
    (held, left.collect())
}

/// A sentence if the plans ask the models in different ways, and one if the servers took requests in different ways,
/// which the plans do not say.
pub(crate) fn asked_differently(all: &[&Measured]) -> Vec<String> {
    let of_plans = planned_differently(all).into_iter();
    of_plans.chain(taken_differently(all)).collect()
}

/// The names of agents say how they were asked only where one agent was asked in several ways.
fn planned_differently(all: &[&Measured]) -> Option<String> {
    let ways: BTreeSet<&str> = all.iter().filter_map(|run| run.how.as_deref()).collect();
    let sides = all
        .iter()
        .filter_map(|run| Some(format!("{} ({})", run.side.agent, run.how.as_ref()?)));
    (ways.len() > 1).then(|| {
        let sides: Vec<String> = sides.collect();
        format!(
            "the models were asked in different ways: {}",
            sides.join(", ")
        )
    })
}

fn taken_differently(all: &[&Measured]) -> Option<String> {
    let first = all.first()?;
    if all.iter().all(|run| run.learnt == first.learnt) {
        return None;
    }
    let ways = |run: &&Measured| match run.learnt.len() {
        0 => format!("{} as planned", run.side.agent),
        _ => {
            let ways: Vec<&str> = run.learnt.iter().map(String::as_str).collect();
            format!("{} with {}", run.side.agent, ways.join(", "))
        }
    };
    let sides: Vec<String> = all.iter().map(ways).collect();
    let emulates = all
        .iter()
        .any(|run| run.learnt.contains(<&str>::from(Way::Emulate)));
    let emulate = if emulates {
        "; emulate describes the tools in the text, as --calls json does, but sends no schema for the reply"
    } else {
        ""
    };
    Some(format!(
        "the servers took requests in different ways: {}{emulate}",
        sides.join("; ")
    ))
}

/// All that was measured but the first, compared with the first; `None` where the two share no instance.
pub(crate) fn measured_with_first(scale: &Scale, all: &[Measured]) -> Vec<Option<Compared>> {
    let Some((first, others)) = all.split_first() else {
        return Vec::new();
    };
    others
        .iter()
        .map(|other| one(scale, first, other).ok())
        .collect()
}

fn too_few() -> RunError {
    RunError::usage("compare needs at least two runs (shards of one run count as one)")
}

/// The seed of the resamples of a difference: a fixed one, so that the same records have the same interval in every
/// table, whatever their own seeds are.
pub(crate) fn seed() -> Seed {
    Seed(0).child("compare", 0)
}

fn one(scale: &Scale, first: &Measured, other: &Measured) -> Result<Compared, RunError> {
    let (ours, theirs) = (first.keyed(other), other.keyed(first));
    let observation = first.observation_with(other);
    let Some(paired) = paired_difference_over(&theirs, &ours, &observation, LEVEL, seed()) else {
        let why = first.why_apart(other);
        return Err(RunError::usage(format!(
            "{} and {} share no instance{}; play them with the same preset and seed",
            first.side.name,
            other.side.name,
            why.map_or_else(String::new, |why| format!(": {why}")),
        )));
    };
    // The resampling does not know that scores end somewhere, so an interval could hold differences
    // that no two scores can have.
    let paired = paired.of_values_in(scale.range);
    let deterministic = first.exact && other.exact;
    let (a, b) = (&first.side, &other.side);
    // Nothing was sampled, so two means differ as soon as they differ. The rule for samples would
    // ask for six instances that differ, and call a certain difference of five chance.
    let distinguishable = if deterministic {
        let size = |side: &Side| side.mean.map_or(0.0, f64::abs);
        paired.mean.abs() > ROUNDING * size(a).max(size(b))
    } else {
        paired.is_distinguishable()
    };
    // A difference is better if it is better than none.
    let better = scale.sense.map(|sense| sense.better(paired.mean, 0.0));
    let verdict = match (distinguishable, better) {
        (false, _) if deterministic => "equal",
        (false, _) => "not distinguishable",
        (true, Some(true)) => "better",
        (true, Some(false)) => "worse",
        (true, None) if paired.mean > 0.0 => "higher",
        (true, None) => "lower",
    };
    let winner = better.filter(|_| distinguishable);
    let winner = winner.map(|this| if this { other } else { first });
    let apart = paired.only_first + paired.only_second > 0;
    let shared = shared(&ours, &theirs);
    let instances: BTreeSet<&Digest> = shared.iter().map(|(instance, ..)| *instance).collect();
    Ok(Compared {
        side: b.clone(),
        shared: shared.len(),
        shared_instances: instances.len(),
        observations: (
            paired.clusters,
            match shared.first().map(observation) {
                Some(Observation::Pass(..)) => "passes",
                _ => "instances",
            },
        ),
        // This one is the first side of the pair above, so the names change places.
        only_first: paired.only_second,
        only_this: paired.only_first,
        left_out: apart.then(|| {
            let why = first.why_apart(other);
            why.unwrap_or_else(|| "the two did not play the same instances".to_owned())
        }),
        deterministic,
        difference: Some(paired.mean),
        ci95: paired
            .interval
            .filter(|_| !deterministic)
            .map(|i| [i.low, i.high]),
        distinguishable,
        verdict,
        better: winner.map(|one| one.side.agent.clone()),
    })
}

/// The keys that two sides have in common.
fn shared<'a>(ours: &[(Key<'a>, f64)], theirs: &[(Key<'a>, f64)]) -> BTreeSet<Key<'a>> {
    let keys = |side: &[(Key<'a>, f64)]| -> BTreeSet<Key<'a>> {
        side.iter().map(|(key, _)| *key).collect()
    };
    &keys(ours) & &keys(theirs)
}
