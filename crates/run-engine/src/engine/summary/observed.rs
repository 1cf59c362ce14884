//! What counts as an observation in the interval of a mean.

use sim_core::stats::{Estimate, cluster_mean};
use sim_core::{Digest, ScoreRange, Seed};

/// Coverage of all intervals, of means and of differences.
pub const LEVEL: f64 = 0.95;

/// Fewest instances of a list that say something of others: with fewer, all can lie on one side by chance (see
/// [`sim_core::stats::PairedDifference::is_distinguishable`]).
const FEWEST: usize = 6;

/// The observation of which an episode is a trial; its name is the unit of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Observation {
    /// An instance of a list.
    Instance(Digest),
    /// A drawn instance, by the seed of the run and its number.
    Draw(u64, u64),
    /// A pass over a short list, by the seed of the run and its number.
    Pass(u64, u64),
}

/// The observation of each episode, from its instance, if it is of a list, and seed and number of the attempt.
///
/// Of drawn instances (`listed` is 0), each draw is an observation. Of a list of `listed` instances, each instance
/// is one, however often it was played: further attempts say nothing about other instances.
///
/// Short lists have another rule: if the list has fewer than six instances and the agent is random (not `settled`),
/// each pass over the list is an observation, and the interval holds for these instances only. If instances were
/// counted, presets of one instance would have no interval. A part of a longer list still has an observation for each
/// instance, whatever the number of those that were played. Streams play the same episodes, so they add no passes: `k`
/// equal streams have the interval of one under either rule.
#[must_use]
pub fn observations(
    met: &[(Digest, (u64, u64))],
    listed: usize,
    settled: bool,
) -> Vec<Observation> {
    let by_instance = counts_instances(listed, settled);
    let pass = |attempt: u64| attempt / listed as u64;
    let one = |(instance, (seed, attempt)): &(Digest, (u64, u64))| {
        if by_instance {
            Observation::Instance(*instance)
        } else if listed == 0 {
            Observation::Draw(*seed, *attempt)
        } else {
            Observation::Pass(*seed, pass(*attempt))
        }
    };
    met.iter().map(one).collect()
}

/// Whether instances are the observations of an agent that is `settled` or not on a list of `listed` instances.
#[must_use]
pub fn counts_instances(listed: usize, settled: bool) -> bool {
    listed > 0 && (settled || listed >= FEWEST)
}

/// The mean of the scores of a run, which lie in `range`, with its 95 % interval over the observations.
pub fn estimate<K: Ord>(
    rows: impl IntoIterator<Item = (K, f64)>,
    range: ScoreRange,
    seed: Seed,
) -> Option<Estimate> {
    // A stream of its own: the resamples of the bootstrap must not depend on how many numbers the
    // episodes have drawn.
    cluster_mean(rows, range, LEVEL, seed.child("interval", 0))
}

/// The ends of the interval of an estimate.
#[must_use]
pub fn ends(estimate: &Estimate) -> Option<[f64; 2]> {
    estimate.interval.map(|found| [found.low, found.high])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn instances_are_observations_and_passes_where_there_are_few() {
        use Observation::{Draw, Instance, Pass};
        // `list` instances, one after the other.
        let met = |list: u8, episodes: u64| -> Vec<(Digest, (u64, u64))> {
            let place = |k: u64| u8::try_from(k % u64::from(list)).unwrap();
            (0..episodes)
                .map(|k| (Digest([place(k); 32]), (7, k)))
                .collect()
        };
        let passes = [0, 0, 1, 1].map(|pass| Pass(7, pass));
        assert_eq!(observations(&met(2, 4), 2, false), passes);
        let alone = [0, 1, 2].map(|pass| Pass(7, pass));
        assert_eq!(observations(&met(1, 3), 1, false), alone);
        let drawn = [0, 1, 2].map(|attempt| Draw(7, attempt));
        assert_eq!(observations(&met(9, 3), 0, false), drawn);
        let instances = [0, 1, 0].map(|place| Instance(Digest([place; 32])));
        assert_eq!(observations(&met(2, 3), 2, true), instances);
        let several = observations(&met(6, 12), 6, false);
        assert_eq!(several.iter().collect::<BTreeSet<_>>().len(), 6);
        assert_eq!(several[7], Instance(Digest([1; 32])));
        // A part of a longer list.
        let part = [0, 1, 2].map(|place| Instance(Digest([place; 32])));
        assert_eq!(observations(&met(9, 3), 9, false), part);
    }
}
