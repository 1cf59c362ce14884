//! What a comparison needs of a run.

use super::{Extent, Side};
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
use run_engine::terminal::shown_name;
use sim_core::stats::mean;
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
    /// What a comparison says of it.
    pub side: Side,
    /// Scores with what was met for them.
    pub values: Vec<(Met, f64)>,
    /// Whether neither the instances nor the agent drew lots.
    pub exact: bool,
    /// Digest of what decides the instances, but for a list from outside the program.
    pub setting: Option<Digest>,
    /// Digest of that list.
    pub list: Option<Digest>,
    /// Number of instances of the list that is played again and again; 0 where each is drawn from the seeds.
    pub listed: usize,
    /// How often it was to be done; absent where nobody said (clients of a server play as many
    /// games as they like).
    pub asked: Option<u64>,
    /// How often it was done: what has a record, with a score or without.
    pub records: u64,
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
        let setting = Digest::of(&(&plan.config, &plan.suite, &plan.instance));
        let scores: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        let instances: BTreeSet<_> = values.iter().map(|(met, _)| &met.instance).collect();
        let side = Side {
            name: pool.name(),
            agent: pool.agent(),
            oracle: is_oracle(spec, plan),
            verified: pool.standing()?,
            played: Some(Setting::of(spec, plan)),
            extent: Extent {
                episodes: values.len(),
                seeds: pool.seeds(),
                instances: instances.len(),
                distinct: estimate.as_ref().map_or(0, |found| found.clusters),
                settled: chance.settled,
            },
            unscored: records.saturating_sub(values.len() as u64),
            mean: mean(&scores),
            mean_ci95: estimate.as_ref().and_then(ends).filter(|_| !chance.exact),
            causes,
        };
        Ok(Self {
            side,
            records,
            values,
            exact: chance.exact,
            setting: Some(setting.map_err(RunError::failed)?),
            list,
            listed: chance.listed,
            asked: (!is_served(&plan.agent)).then(|| pool.total()),
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
        let [seeds, others] = [self, other].map(|one| &one.side.extent.seeds);
        let common = seeds.iter().any(|seed| others.contains(seed));
        let place = |seed: u64| {
            let rank = seeds.partition_point(|held| *held < seed) as u64;
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
        self.listed.min(other.listed) == 0
            || (self.side.extent.settled && other.side.extent.settled)
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

    /// Why this one and another one did not play the same, as far as their plans say.
    #[must_use]
    pub fn why_apart(&self, other: &Self) -> Option<String> {
        let [ours, theirs] = [self, other].map(|one| shown_name(&one.side.agent));
        let mut why = Vec::new();
        if self.setting != other.setting {
            why.push("their settings differ".to_owned());
        }
        if self.list != other.list {
            why.push("their lists of instances differ".to_owned());
        }
        let [seeds, others] = [self, other].map(|one| &one.side.extent.seeds);
        if self.listed == 0 && other.listed == 0 && seeds != others {
            let [a, b] = [seeds, others].map(|seeds| seeds_in_words(seeds));
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
        for one in [self, other] {
            let missing = one
                .asked
                .map_or(0, |asked| asked.saturating_sub(one.records));
            for (count, what) in [(missing, "record"), (one.side.unscored, "score")] {
                if count > 0 {
                    let has = if count == 1 { "has" } else { "have" };
                    let counted = counted(count);
                    let agent = shown_name(&one.side.agent);
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
    use run_engine::run_dir::stamp::VerifyStatus;

    fn drawn(instance: &str) -> Met {
        Met {
            instance: Digest::of_bytes(instance.as_bytes()),
            trial: (1, 0),
        }
    }

    fn side(agent: &str, seeds: &[u64], settled: bool) -> Side {
        Side {
            name: agent.to_owned(),
            agent: agent.to_owned(),
            oracle: false,
            verified: VerifyStatus::NotVerified,
            played: None,
            extent: Extent {
                episodes: seeds.len(),
                seeds: seeds.to_vec(),
                instances: 1,
                distinct: seeds.len(),
                settled,
            },
            unscored: 0,
            mean: None,
            mean_ci95: None,
            causes: Causes::default(),
        }
    }

    /// An agent that met instance `i` once with each of `seeds`.
    fn repeated(seeds: &[u64], settled: bool) -> Measured {
        let met = |seed: &u64| Met {
            instance: Digest::of_bytes(b"i"),
            trial: (*seed, 0),
        };
        Measured {
            side: side("agent", seeds, settled),
            values: seeds.iter().map(|seed| (met(seed), 1.0)).collect(),
            exact: settled,
            setting: None,
            list: None,
            listed: 1,
            asked: None,
            records: seeds.len() as u64,
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
        // A side that makes no random choices still meets every attempt of one that does.
        let settled = repeated(&[5, 7], true);
        assert_eq!(keys(&settled, &few), [5, 7]);
        assert_eq!(keys(&settled, &repeated(&[1], true)), [0, 0]);
    }

    /// Clients of a server play as many games as they like: none of them is missing.
    #[test]
    fn games_of_clients_are_not_missing() {
        let side = |agent: &str, asked: Option<u64>, records: u64| Measured {
            side: side(agent, &[1], false),
            values: (0..records).map(|k| (drawn(&k.to_string()), 1.0)).collect(),
            exact: false,
            setting: None,
            list: None,
            listed: 0,
            asked,
            records,
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
