//! The division of the questions of a task into those for training and the other ones.

use serde::{Deserialize, Serialize};
use sim_core::Seed;

/// A part of the questions of each task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSplit {
    /// Which part.
    pub part: SplitPart,
    /// Number of questions of each task for training.
    pub train: usize,
}

/// One of the two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitPart {
    /// The questions for training.
    Train,
    /// The other ones.
    Test,
}

impl QuestionSplit {
    /// Places of this part among the `count` questions of a task, ascending.
    #[must_use]
    pub fn places(self, seed: Seed, count: usize) -> Vec<usize> {
        let mut places = in_order(seed, count);
        let test = places.split_off(self.train.min(count));
        let mut places = match self.part {
            SplitPart::Train => places,
            SplitPart::Test => test,
        };
        places.sort_unstable();
        places
    }
}

/// Places of the `count` questions of a task in the order in which they are chosen for training.
pub(crate) fn in_order(seed: Seed, count: usize) -> Vec<usize> {
    seed.child("question split", 0).order(0, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_apart_and_together_whole() {
        for (train, sizes) in [(0, (0, 10)), (4, (4, 6)), (10, (10, 0)), (99, (10, 0))] {
            let places = |part| QuestionSplit { part, train }.places(Seed(3), 10);
            let (ours, others) = (places(SplitPart::Train), places(SplitPart::Test));
            assert_eq!((ours.len(), others.len()), sizes);
            let mut all = [ours, others].concat();
            all.sort_unstable();
            assert_eq!(all, (0..10).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_seed_draws_the_parts() {
        let split = QuestionSplit {
            part: SplitPart::Train,
            train: 5,
        };
        assert_ne!(split.places(Seed(0), 100), split.places(Seed(1), 100));
    }
}
