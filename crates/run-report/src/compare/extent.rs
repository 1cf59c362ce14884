//! How much stands behind a mean: episodes, seeds, instances, and what of it is an observation of
//! its own.

use run_engine::words::counted;
use serde::Serialize;

/// What the scores of one competitor were measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// Episodes, interviews or answers that have a score.
    pub episodes: usize,
    /// Seeds over which they were played, ascending; none where work is not told apart by them.
    pub seeds: Vec<u64>,
    /// Different instances or items among them.
    pub instances: usize,
    /// The observations behind the interval of the mean: instances or items, draws, or passes over a list
    /// of fewer than six instances.
    pub distinct: usize,
    /// Whether an instance that is played again gives the same score: the list is fixed and the agent makes no random
    /// choices.
    #[serde(skip)]
    pub settled: bool,
}

impl Extent {
    /// What is to be said behind the number of episodes: over how many seeds they were played, and,
    /// where they were not all on different instances, what they come down to.
    #[must_use]
    pub fn words(&self) -> String {
        let seeds = match self.seeds.len() {
            0 | 1 => String::new(),
            count => format!(" over {count} seeds"),
        };
        // For a settled agent all repetitions are one observation, so instances would say too much.
        if self.settled && self.distinct < self.episodes {
            format!("{seeds}, {} distinct", self.distinct)
        } else if self.instances < self.episodes {
            format!("{seeds}, {}", counted(self.instances as u64, "instance"))
        } else {
            seeds
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_said_to_be_some() {
        for (episodes, seeds, instances, settled, words) in [
            (20, 20, 20, false, " over 20 seeds"),
            (20, 20, 1, true, " over 20 seeds, 1 distinct"),
            (20, 20, 1, false, " over 20 seeds, 1 instance"),
            (4, 1, 2, false, ", 2 instances"),
            (4, 1, 2, true, ", 2 distinct"),
            (40, 1, 40, false, ""),
            (8, 0, 8, true, ""),
        ] {
            let extent = Extent {
                episodes,
                seeds: (0..seeds).collect(),
                instances,
                distinct: instances,
                settled,
            };
            assert_eq!(extent.words(), words);
        }
    }
}
