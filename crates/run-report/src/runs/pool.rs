//! Runs that differ in nothing but their seed stand together as one competitor. A run alone is a
//! pool of one, so whatever compares or ranks knows pools only.

use super::Run;
use super::labels::tell_apart;
use run_engine::engine::execute::is_deterministic;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::agent::is_served;
use run_engine::plan::source::InstanceSource;
use run_engine::run_dir::Folder;
use run_engine::run_dir::members::SWEEP;
use run_engine::run_dir::stamp::VerifyStatus;
use sim_core::{Digest, DynEnvironmentSpec, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Most seeds that a name lists one by one.
const LISTED: usize = 4;

/// One or more runs of one plan, each with a seed of its own.
#[derive(Debug)]
pub struct Pool {
    /// The run of the least seed; it has the name of the pool.
    first: Run,
    /// The others, by seed.
    others: Vec<Run>,
}

/// What chance has to do with the scores of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chance {
    /// Length of the list of instances; 0 where they are drawn one by one.
    pub(crate) listed: usize,
    /// Whether the list is fixed and the agent makes no random choices, so that an instance that is played again
    /// gives the same score.
    pub(crate) settled: bool,
    /// Whether nothing is random: the agent makes no random choices, and every seed has the same list.
    pub(crate) exact: bool,
}

impl Pool {
    /// Pools runs that were read from `dirs`, in the order in which they first appear.
    ///
    /// Members of a sweep stand together: its plan says that the seeds do, even where some of them
    /// were not played yet. Runs that were named by hand do where several agents played the task and
    /// all of them on the same seeds; otherwise each stands alone, since who names an agent with two
    /// seeds, or agents with different ones, asks about those very runs.
    ///
    /// # Errors
    /// When a plan has no JSON form: a fault of this program.
    pub fn of(runs: Vec<Run>, dirs: &[PathBuf]) -> Result<Vec<Self>, RunError> {
        let mut groups = alike(&runs)?;
        if !dirs.iter().any(|dir| dir.join(SWEEP).exists()) {
            groups = by_hand(&runs, groups)?;
        }
        Ok(gather(runs, &groups))
    }

    /// Gives every pool that shares its name with another one what they differ in; see [`super::labels`].
    pub fn tell_apart(pools: &mut [Self]) {
        tell_apart(pools.iter_mut().map(|pool| {
            let seeds = pool.seeds();
            (&mut pool.first, seeds)
        }));
    }

    /// The runs, by seed.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The plan, with the least seed.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.first.plan
    }

    /// The seeds, ascending.
    #[must_use]
    pub fn seeds(&self) -> Vec<u64> {
        self.runs().map(|run| run.plan.seed.0).collect()
    }

    /// Number of episodes that were asked for, over all seeds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.runs().map(|run| run.plan.total()).sum()
    }

    /// How the pool is called in tables: environment, preset and agent.
    #[must_use]
    pub fn name(&self) -> String {
        self.first.name()
    }

    /// Who played, with what distinguishes this pool from others of the same name.
    #[must_use]
    pub fn agent(&self) -> String {
        self.first.agent()
    }

    /// Whether the records were verified: the weakest result of any of the folders.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn standing(&self) -> Result<VerifyStatus, RunError> {
        let folders = self.runs().flat_map(|run| &run.folders);
        VerifyStatus::of_all(folders.map(Folder::path))
    }

    /// Digest of what must be equal for two pools to play the same task; see `task`.
    ///
    /// # Errors
    /// When the plan has no JSON form: a fault of this program.
    pub fn task(&self) -> Result<Digest, RunError> {
        task(self.plan())
    }

    /// Where the episodes of each run come from.
    ///
    /// # Errors
    /// When the instance, suite or configuration of the plan cannot be used.
    pub(crate) fn sources<'a>(
        &'a self,
        spec: &'a dyn DynEnvironmentSpec,
    ) -> Result<Vec<InstanceSource<'a>>, RunError> {
        self.runs()
            .map(|run| InstanceSource::of(spec, &run.plan))
            .collect()
    }

    /// What is drawn in this pool, whose runs have these `sources`.
    pub(crate) fn chance(
        &self,
        spec: &dyn DynEnvironmentSpec,
        sources: &[InstanceSource<'_>],
    ) -> Chance {
        let settled = self
            .runs()
            .zip(sources)
            .all(|(run, source)| is_deterministic(spec, &run.plan, source));
        // Lists of one length may hold other instances, so what counts is what is in them.
        let digests = sources.iter().map(InstanceSource::listed_digests);
        let mut lists = digests.map(BTreeSet::from_iter);
        let first = lists.next();
        let lengths: Option<Vec<usize>> = sources.iter().map(InstanceSource::distinct).collect();
        let listed = lengths.and_then(|lengths| lengths.into_iter().max());
        Chance {
            listed: listed.unwrap_or(0),
            settled,
            exact: settled && lists.all(|list| Some(list) == first),
        }
    }
}

/// Environment with version, settings, suite and instance: what is played, but for the seed. Of a list from outside the
/// program, what is played is decided instance by instance.
fn task(plan: &Plan) -> Result<Digest, RunError> {
    let config = plan.list.is_none().then_some(&plan.config);
    digest(&(
        (&plan.environment, plan.version),
        (config, &plan.suite, &plan.instance),
    ))
}

fn digest(parts: &impl serde::Serialize) -> Result<Digest, RunError> {
    Digest::of(parts).map_err(RunError::failed)
}

/// Places of runs that are alike but for the seed, in the order in which they first appear. Where a
/// seed was played twice, only the runs of one list and then of one parent folder (of one sweep) stand together; where
/// it stands there twice as well, none do: nothing counts double.
fn alike(runs: &[Run]) -> Result<Vec<Vec<usize>>, RunError> {
    let mut groups: Vec<(Digest, Vec<usize>)> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let mut plan = Plan {
            seed: Seed(0),
            ..run.plan.whole()
        };
        // A seed also draws the questions that are asked (`--items`), and with them what a policy chose.
        if let Some(list) = &mut plan.list {
            list.digest = Digest([0; 32]);
        }
        if let Some(routing) = &mut plan.routing {
            routing.chosen.clear();
        }
        let key = digest(&plan)?;
        // A plan does not say which person or client plays.
        let known = run.plan.agent != "human" && !is_served(&run.plan.agent);
        match groups.iter_mut().find(|(held, _)| known && *held == key) {
            Some((_, group)) => group.push(place),
            None => groups.push((key, vec![place])),
        }
    }
    let groups = groups.into_iter().map(|(_, group)| group);
    // The list before the folder: two sets of questions with the same seeds are two agents in one sweep, and one set that
    // was asked in two sweeps is one agent in each.
    let of_list = divided(runs, groups, |run| {
        run.plan.list.as_ref().map(|list| list.digest)
    });
    let of_folder = divided(runs, of_list.into_iter(), |run| run.folder().parent());
    let mut alone = 0..;
    let mut pools = divided(runs, of_folder.into_iter(), |_| alone.next());
    // The folders above are in the order of their paths; places are in that of the runs.
    pools.sort();
    Ok(pools)
}

/// The groups, of which those with a seed twice are divided by `key`.
fn divided<'r, K: Ord>(
    runs: &'r [Run],
    groups: impl Iterator<Item = Vec<usize>>,
    mut key: impl FnMut(&'r Run) -> K,
) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for group in groups {
        if seeds(runs, &group).len() == group.len() {
            all.push(group);
            continue;
        }
        let mut parts: BTreeMap<Option<K>, Vec<usize>> = BTreeMap::new();
        for at in group {
            parts
                .entry(runs.get(at).map(&mut key))
                .or_default()
                .push(at);
        }
        all.extend(parts.into_values());
    }
    all
}

/// Those of `groups` that stand together although nobody planned them so; the runs of the others
/// each alone.
fn by_hand(runs: &[Run], groups: Vec<Vec<usize>>) -> Result<Vec<Vec<usize>>, RunError> {
    let mut tasks: BTreeMap<Digest, Vec<Vec<usize>>> = BTreeMap::new();
    for group in groups {
        if let Some(run) = group.first().and_then(|at| runs.get(*at)) {
            tasks.entry(task(&run.plan)?).or_default().push(group);
        }
    }
    let mut kept = Vec::new();
    for mut groups in tasks.into_values() {
        let sets = groups.iter().map(|group| seeds(runs, group));
        if groups.len() > 1 && sets.collect::<BTreeSet<_>>().len() == 1 {
            kept.append(&mut groups);
        } else {
            kept.extend(groups.into_iter().flatten().map(|at| vec![at]));
        }
    }
    // So far tasks are in the order of their digests, which says nothing to a reader.
    kept.sort();
    Ok(kept)
}

/// The seeds of the runs at the places of a group.
fn seeds(runs: &[Run], group: &[usize]) -> BTreeSet<u64> {
    let runs = group.iter().filter_map(|at| runs.get(*at));
    runs.map(|run| run.plan.seed.0).collect()
}

/// Makes a pool of each group of places, and gives those of one name what tells them apart.
fn gather(runs: Vec<Run>, groups: &[Vec<usize>]) -> Vec<Pool> {
    let mut runs: Vec<Option<Run>> = runs.into_iter().map(Some).collect();
    let mut pools = Vec::new();
    for group in groups {
        let taken = group.iter().filter_map(|at| runs.get_mut(*at)?.take());
        let mut taken: Vec<Run> = taken.collect();
        taken.sort_by_key(|run| run.plan.seed.0);
        let mut taken = taken.into_iter();
        if let Some(first) = taken.next() {
            pools.push(Pool {
                first,
                others: taken.collect(),
            });
        }
    }
    Pool::tell_apart(&mut pools);
    pools
}

/// Seeds in words, from ascending ones: `seed 4`, `seeds 0 to 19`, `seeds 1, 5`, `20 seeds`.
pub(crate) fn seeds_in_words(seeds: &[u64]) -> String {
    let in_a_row = seeds.windows(2).all(|pair| match pair {
        [a, b] => a.checked_add(1) == Some(*b),
        _ => true,
    });
    match (seeds, seeds.len()) {
        ([seed], _) => format!("seed {seed}"),
        // Of two, `0, 1` is as short as `0 to 1`.
        ([first, .., last], 3..) if in_a_row => format!("seeds {first} to {last}"),
        (_, 0..=LISTED) => {
            let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
            format!("seeds {}", seeds.join(", "))
        }
        (_, count) => format!("{count} seeds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_said_shortly() {
        for (seeds, words) in [
            (&[4][..], "seed 4"),
            (&[1, 2], "seeds 1, 2"),
            (&[0, 1, 2, 3, 4], "seeds 0 to 4"),
            (&[1, 5, 7], "seeds 1, 5, 7"),
            (&[1, 5, 7, 8, 9], "5 seeds"),
            (
                &[u64::MAX - 1, u64::MAX],
                "seeds 18446744073709551614, 18446744073709551615",
            ),
        ] {
            assert_eq!(seeds_in_words(seeds), words);
        }
    }
}
