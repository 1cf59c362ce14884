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
    /// Those that are not the certain repetition of another one: where neither a fixed instance nor
    /// the agent draws lots, playing it again adds no observation.
    pub distinct: usize,
}

impl Extent {
    /// The extent of `episodes` on so many different instances by an agent that is `settled` (draws
    /// no lots over a fixed list) or not.
    #[must_use]
    pub fn new(episodes: usize, seeds: Vec<u64>, instances: usize, settled: bool) -> Self {
        Self {
            episodes,
            seeds,
            instances,
            distinct: if settled { instances } else { episodes },
        }
    }

    /// What is to be said behind the number of episodes: over how many seeds they were played, and,
    /// where they were not all on different instances (called `met`), what they come down to.
    #[must_use]
    pub fn words(&self, met: &str) -> String {
        let seeds = match self.seeds.len() {
            0 | 1 => String::new(),
            count => format!(" over {count} seeds"),
        };
        if self.distinct < self.episodes {
            format!("{seeds}, {} distinct", self.distinct)
        } else if self.instances < self.episodes {
            format!("{seeds}, {}", counted(self.instances as u64, met))
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
            let extent = Extent::new(episodes, (0..seeds).collect(), instances, settled);
            assert_eq!(extent.words("instance"), words);
        }
    }
}
