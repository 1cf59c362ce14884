//! What a comparison needs of a run.

use crate::runs::labels::options_in_words;
use crate::runs::pool::{Chance, seeds_in_words};
use crate::runs::{Pool, all_failures};
use run_engine::engine::summary::{Observation, counts_instances, ends, estimate, observations};
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::agent::is_served;
use run_engine::plan::cast::is_oracle;
use run_engine::plan::setting::Setting;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::terminal::shown_name;
use sim_core::{Causes, Digest, DynEnvironmentSpec, Header, Seed};
use std::collections::BTreeSet;

/// What was met for one score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// Digest of what two sides must have in common: the instance, or a part of it.
    pub instance: Digest,
    /// Seed and number of the attempt at it.
    pub trial: (u64, u64),
}

impl Met {
    /// What was met in episode `episode` of a run of `seed`.
    pub(crate) fn in_episode(instance: Digest, (seed, episode): (Seed, u64), plan: &Plan) -> Self {
        // Streams meet the same episodes: those are one another's trials.
        let attempt = episode % plan.episodes.max(1);
        Self {
            instance,
            trial: (seed.0, attempt),
        }
    }
}

/// What two scores must share to be paired: the instance, and seed and number of the attempt (0
/// where they do not count).
pub(super) type Key<'a> = (&'a Digest, u64, u64);

/// The scores of one competitor, with what pairs them.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How it is called.
    pub name: String,
    /// Who played, with what distinguishes it from others of the same name.
    pub agent: String,
    /// Scores with what was met for them.
    pub values: Vec<(Met, f64)>,
    /// Number of observations among them: instances, draws, or passes over a short list.
    pub observations: usize,
    /// Whether the agent drew no lots over a fixed list: then it scores the same whenever it meets
    /// an instance again, and all attempts at it are one observation.
    pub settled: bool,
    /// Whether neither the instances nor the agent drew lots.
    pub exact: bool,
    /// Digest of what decides the instances.
    pub setting: Option<Digest>,
    /// Seeds of the runs that stand together, ascending; none where work is not told apart by them.
    pub seeds: Vec<u64>,
    /// 95 % interval of the mean, as `report` draws it; absent where nothing was left to chance.
    pub mean_ci95: Option<[f64; 2]>,
    /// Preset, suite and settings of episodes.
    pub played: Option<Setting>,
    /// Whether the agent knows hidden state.
    pub oracle: bool,
    /// Whether the records were verified.
    pub verified: VerifyStatus,
    /// Number of instances of the list that is played again and again; 0 where each is drawn from the seeds.
    pub listed: usize,
    /// How often it was to be done; absent where nobody said (clients of a server play as many
    /// games as they like).
    pub asked: Option<u64>,
    /// How often it was done: what has a record, with a score or without.
    pub records: u64,
    /// Causes of the agent's replies, and of failed units; empty where no model was asked.
    pub causes: Causes,
    /// Names of the weaker ways in which the server of the agent's model took requests, beyond what the plans say.
    pub learnt: BTreeSet<String>,
    /// How the plan asks the agent's model, in words: its method, and the options that are not the default; absent
    /// for other agents.
    pub how: Option<String>,
}

/// Names of the weaker ways that the runs in `dirs` have learnt of the agent's model, which `agent` names. The servers
/// of judges and interviewers do not count: the agent is asked in the same way whatever they refuse.
fn learnt<'a>(dirs: impl IntoIterator<Item = &'a Folder>) -> BTreeSet<String> {
    let learnt = dirs.into_iter().flat_map(|dir| {
        let models = dir.plan().tested_models();
        models.filter_map(|model| dir.manifest.learnt.get(&model.dialect.name()))
    });
    let ways = learnt.flat_map(|learnt| &learnt.ways);
    ways.map(ToString::to_string).collect()
}

/// How a plan asks the model of its agent, in words; `None` for other agents.
fn how(plan: &Plan) -> Result<Option<String>, RunError> {
    let Some(method) = plan.method() else {
        return Ok(None);
    };
    let options = Some(options_in_words(plan)?).filter(|words| !words.is_empty());
    let words: Vec<String> = std::iter::once(format!("method {method}"))
        .chain(options)
        .collect();
    Ok(Some(words.join("; ")))
}

impl Measured {
    /// Reads the scores of the episodes of a pool.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn of(registry: &Registry, pool: &Pool) -> Result<Self, RunError> {
        let plan = pool.plan();
        let spec = registry.kind(&plan.environment)?;
        let sources = pool.sources(spec)?;
        let chance = pool.chance(spec, &sources);
        let (mut values, mut causes, mut records) = (Vec::new(), Causes::default(), 0);
        for (run, source) in pool.runs().zip(&sources) {
            let rows = run.scan(|record| {
                let header = &record.header;
                let place = (header.seed, header.episode);
                let met = Met::in_episode(compared_by(source, header)?, place, plan);
                let score = &record.score;
                let value = score.is_scored().then(|| score.value());
                Ok((met, value, record.tally().causes))
            })?;
            for (met, value, of_episode) in rows {
                causes.add(&of_episode);
                records += 1;
                values.extend(value.map(|value| (met, value)));
            }
        }
        let failures = all_failures(pool.runs().flat_map(|run| &run.folders))?;
        for failure in &failures {
            // Only the causes of the agent are compared.
            failure.count(&mut causes, &mut std::collections::BTreeMap::new());
        }
        Self::of_scores(spec, pool, chance, (values, records), causes)
    }

    /// The scores of the `records` episodes of a pool; those without a score are not among `values`.
    ///
    /// # Errors
    /// When the stamp of a folder cannot be read.
    pub(crate) fn of_scores(
        spec: &dyn DynEnvironmentSpec,
        pool: &Pool,
        chance: Chance,
        (values, records): (Vec<(Met, f64)>, u64),
        causes: Causes,
    ) -> Result<Self, RunError> {
        let plan = pool.plan();
        // Of the scores alone: a record without a score is not a trial.
        let observed = observed(values.iter().map(|(met, _)| met), chance);
        let rows = observed
            .iter()
            .copied()
            .zip(values.iter().map(|(_, value)| *value));
        let estimate = estimate(rows, spec.about().range, plan.seed);
        let list = plan.list.as_ref().map(|list| list.digest);
        let setting = Digest::of(&(&plan.config, &plan.suite, &plan.instance, list));
        Ok(Self {
            name: pool.name(),
            agent: pool.agent(),
            records,
            values,
            observations: estimate.as_ref().map_or(0, |found| found.clusters),
            settled: chance.settled,
            exact: chance.exact,
            setting: Some(setting.map_err(RunError::failed)?),
            seeds: pool.seeds(),
            mean_ci95: estimate.as_ref().and_then(ends).filter(|_| !chance.exact),
            played: Some(Setting::of(spec, plan)),
            oracle: is_oracle(spec, plan),
            verified: pool.standing()?,
            listed: chance.listed,
            asked: (!is_served(&plan.agent)).then(|| pool.total()),
            causes,
            learnt: learnt(pool.runs().flat_map(|run| &run.folders)),
            how: how(plan)?,
        })
    }

    /// The scores with the keys that pair them with those of `other`.
    ///
    /// Attempts at an instance are paired by the pass over the list and seed by seed; where the two have no seed in
    /// common, the first seed of one is paired with the first of the other, and so on. Where neither side draws lots
    /// every attempt at an instance is the same observation, so the instance alone pairs. It does where instances are
    /// drawn, too.
    pub(super) fn keyed(&self, other: &Self) -> Vec<(Key<'_>, f64)> {
        let alone = self.pairs_by_instance(other);
        let common = self.seeds.iter().any(|seed| other.seeds.contains(seed));
        let place = |seed: u64| {
            let rank = self.seeds.partition_point(|held| *held < seed) as u64;
            if common { seed } else { rank }
        };
        let key = |met: &Met| match met.trial {
            // Two lists may hold the instance at different places.
            (seed, attempt) if !alone => (place(seed), attempt / self.listed.max(1) as u64),
            _ => (0, 0),
        };
        let keyed = self.values.iter().map(|(met, value)| {
            let (seed, attempt) = key(met);
            ((&met.instance, seed, attempt), *value)
        });
        keyed.collect()
    }

    /// Whether all attempts at an instance are one observation that pairs with those of `other`.
    fn pairs_by_instance(&self, other: &Self) -> bool {
        self.listed.min(other.listed) == 0 || (self.settled && other.settled)
    }

    /// The observation to which a pair of trials of this one and of `other` belongs. The rule is that of the interval
    /// of a mean: instances are counted, or, of a short list, passes.
    pub(super) fn observation_with(&self, other: &Self) -> impl Fn(&Key<'_>) -> Observation {
        let listed = self.listed.min(other.listed);
        let by_instance = self.pairs_by_instance(other) || counts_instances(listed, false);
        move |(instance, seed, pass)| {
            if by_instance {
                Observation::Instance(**instance)
            } else {
                Observation::Pass(*seed, *pass)
            }
        }
    }

    /// Number of different instances.
    pub(super) fn instances(&self) -> usize {
        let met = self.values.iter().map(|(met, _)| &met.instance);
        met.collect::<BTreeSet<_>>().len()
    }

    /// Why this one and another one did not play the same, as far as their plans say.
    #[must_use]
    pub fn why_apart(&self, other: &Self) -> Option<String> {
        let [ours, theirs] = [self, other].map(|side| shown_name(&side.agent));
        let mut why = Vec::new();
        if self.setting != other.setting {
            why.push("their settings differ".to_owned());
        }
        if self.listed == 0 && other.listed == 0 && self.seeds != other.seeds {
            let [a, b] = [self, other].map(|side| seeds_in_words(&side.seeds));
            why.push(format!("{ours} played {a}, {theirs} {b}"));
        }
        let counted = |n| run_engine::words::counted(n, Plan::UNIT);
        match (self.asked, other.asked) {
            (Some(a), Some(b)) if a != b => why.push(format!(
                "{ours} was asked for {}, {theirs} for {}",
                counted(a),
                counted(b)
            )),
            (Some(_), Some(_)) => {}
            // Clients of a server play as often as they like, so with one of them only what was
            // done can be compared.
            _ if self.records != other.records => why.push(format!(
                "{ours} has {}, {theirs} {}",
                counted(self.records),
                counted(other.records)
            )),
            _ => {}
        }
        for side in [self, other] {
            let missing = side
                .asked
                .map_or(0, |asked| asked.saturating_sub(side.records));
            let unread = side.records.saturating_sub(side.values.len() as u64);
            for (count, what) in [(missing, "record"), (unread, "score")] {
                if count > 0 {
                    let has = if count == 1 { "has" } else { "have" };
                    let counted = counted(count);
                    let agent = shown_name(&side.agent);
                    why.push(format!("{counted} of {agent} {has} no {what}"));
                }
            }
        }
        (!why.is_empty()).then(|| why.join("; "))
    }
}

/// What two sides must have in common for the instance with this header.
pub(crate) fn compared_by(
    source: &InstanceSource<'_>,
    header: &Header,
) -> Result<Digest, RunError> {
    // A drawn instance has no parts, so its digest says all, and it need not be made again.
    if source.distinct().is_none() {
        return Ok(header.instance);
    }
    let case = source.case(header.episode)?;
    // A record of another version may be of another instance.
    Ok(if case.digest() == header.instance {
        case.compared_by()
    } else {
        header.instance
    })
}

/// The observation of which each episode of a pool is a trial.
pub(crate) fn observed<'a>(met: impl Iterator<Item = &'a Met>, chance: Chance) -> Vec<Observation> {
    let met = met.map(|met| (met.instance, met.trial));
    observations(&met.collect::<Vec<_>>(), chance.listed, chance.settled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(instance: &str) -> Met {
        Met {
            instance: Digest::of_bytes(instance.as_bytes()),
            trial: (1, 0),
        }
    }

    /// An agent that met instance `i` once with each of `seeds`.
    fn repeated(seeds: &[u64], settled: bool) -> Measured {
        let met = |seed: &u64| Met {
            instance: Digest::of_bytes(b"i"),
            trial: (*seed, 0),
        };
        Measured {
            name: "name".to_owned(),
            agent: "agent".to_owned(),
            values: seeds.iter().map(|seed| (met(seed), 1.0)).collect(),
            observations: seeds.len(),
            settled,
            exact: settled,
            setting: None,
            seeds: seeds.to_vec(),
            mean_ci95: None,
            played: None,
            oracle: false,
            verified: VerifyStatus::NotVerified,
            listed: 1,
            asked: None,
            records: seeds.len() as u64,
            causes: Causes::default(),
            learnt: BTreeSet::new(),
            how: None,
        }
    }

    #[test]
    fn attempts_pair_by_seed_else_by_its_place() {
        let keys = |one: &Measured, other: &Measured| -> Vec<u64> {
            one.keyed(other)
                .iter()
                .map(|((_, seed, _), _)| *seed)
                .collect()
        };
        let (many, few) = (repeated(&[3, 5, 7], false), repeated(&[5, 7], false));
        assert_eq!(
            (keys(&many, &few), keys(&few, &many)),
            (vec![3, 5, 7], vec![5, 7])
        );
        let others = repeated(&[4, 9], false);
        assert_eq!(
            (keys(&few, &others), keys(&others, &few)),
            (vec![0, 1], vec![0, 1])
        );
        // A side that draws no lots still meets every attempt of one that does.
        let settled = repeated(&[5, 7], true);
        assert_eq!(keys(&settled, &few), [5, 7]);
        assert_eq!(keys(&settled, &repeated(&[1], true)), [0, 0]);
        assert_eq!((many.instances(), many.values.len()), (1, 3));
    }

    /// Clients of a server play as many games as they like: none of them is missing.
    #[test]
    fn games_of_clients_are_not_missing() {
        let side = |agent: &str, asked: Option<u64>, records: u64| Measured {
            name: agent.to_owned(),
            agent: agent.to_owned(),
            values: (0..records).map(|k| (drawn(&k.to_string()), 1.0)).collect(),
            observations: 0,
            settled: false,
            exact: false,
            setting: None,
            seeds: vec![1],
            mean_ci95: None,
            played: None,
            oracle: false,
            verified: VerifyStatus::NotVerified,
            listed: 0,
            asked,
            records,
            causes: Causes::default(),
            learnt: BTreeSet::new(),
            how: None,
        };
        let policy = side("sterman", Some(10), 9);
        let why = side("mcp", None, 2).why_apart(&policy).unwrap();
        assert_eq!(
            why,
            "mcp has 2 episodes, sterman 9 episodes; 1 episode of sterman has no record"
        );
        let why = policy.why_apart(&side("random", Some(20), 20)).unwrap();
        for fact in ["sterman", "10 episodes", "random", "20 episodes"] {
            assert!(why.contains(fact), "{fact}: {why}");
        }
    }
}
