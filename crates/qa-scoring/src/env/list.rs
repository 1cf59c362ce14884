//! Which questions of a task are asked.

use super::question::{Config, Question};
use crate::item::{Gold, Item};
use crate::task::Task;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Seed};
use std::collections::BTreeSet;

/// A part of the questions of each task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSplit {
    /// Which part.
    pub part: Part,
    /// Number of questions of each task for training.
    pub train: usize,
}

/// One of the two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The questions for training.
    Train,
    /// The questions for tests.
    Test,
}

impl QuestionSplit {
    /// Places of this part among the `count` questions of a task, ascending.
    #[must_use]
    pub fn places(self, seed: Seed, count: usize) -> Vec<usize> {
        let mut places = training_order(seed, count);
        // One order for every size: a larger part for training contains the smaller ones, so that
        // runs with more examples can be compared with runs with fewer.
        let test = places.split_off(self.train.min(count));
        let mut places = match self.part {
            Part::Train => places,
            Part::Test => test,
        };
        places.sort_unstable();
        places
    }
}

/// Places of the `count` questions of a task in the order in which they are chosen for training.
#[must_use]
pub fn training_order(seed: Seed, count: usize) -> Vec<usize> {
    seed.child("question split", 0).order(0, count)
}

/// Which questions of each task are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuestionChoice {
    /// Questions a task, drawn by the seed; all when absent.
    pub items: Option<u64>,
    /// The part of the questions that is asked; all of them when absent.
    pub split: Option<QuestionSplit>,
    /// Seed of the draws.
    pub seed: Seed,
}

impl Config {
    /// The questions of `task` that `choice` takes from `items`, in their order: all but those without a right answer,
    /// the examples that the model is shown, and questions equal to one of these.
    ///
    /// # Errors
    /// When none is left.
    pub fn questions(
        &self,
        task: Task,
        items: &[Item],
        choice: QuestionChoice,
    ) -> Result<Vec<Question>, ConfigError> {
        let items: Vec<&Item> = items
            .iter()
            .filter(|item| item.gold != Gold::Absent)
            .collect();
        let none = |why: String| Err(ConfigError::new("questions", why));
        if items.is_empty() {
            return none(format!("{task} has no question with a right answer"));
        }
        let count = items.len();
        let shots = usize::try_from(self.shots).unwrap_or(usize::MAX);
        // From the front of the training order, so that examples never come from the part for
        // tests.
        let drawn = training_order(choice.seed, count).into_iter().take(shots);
        let examples: Vec<&Item> = drawn.filter_map(|at| items.get(at).copied()).collect();
        // By their texts: the same question may be in a file twice.
        let shown: BTreeSet<String> = examples
            .iter()
            .map(|item| crate::prompt::question(item))
            .collect();
        let mut part: Vec<usize> = match choice.split {
            Some(split) => split.places(choice.seed, count),
            None => (0..count).collect(),
        };
        if !shown.is_empty() {
            part.retain(|at| {
                let item = items.get(*at);
                item.is_some_and(|item| !shown.contains(&crate::prompt::question(item)))
            });
        }
        if part.is_empty() {
            return none(match choice.split {
                Some(_) => format!("the split leaves no question of {task}: it has {count}"),
                None => format!(
                    "--shots {shots} leaves no question of {task} to ask; there are {count}"
                ),
            });
        }
        // The stream determines only the order of the items, not their choice.
        let mut sample = choice.seed.child("sample", 0).order(0, part.len());
        let most = choice.items.and_then(|n| usize::try_from(n).ok());
        // Cut before it is sorted, so that fewer questions are a part of those that more would be.
        sample.truncate(most.unwrap_or(usize::MAX));
        sample.sort_unstable();
        let [system, reasoned] = self.instructions(task, &examples);
        let chosen = sample
            .into_iter()
            .filter_map(|at| items.get(*part.get(at)?));
        let chosen = chosen.map(|item| Question {
            task,
            item: (*item).clone(),
            scoring: self.scoring.clone(),
            system: system.clone(),
            reasoned: reasoned.clone(),
        });
        Ok(chosen.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_apart_and_together_whole() {
        for (train, sizes) in [(0, (0, 10)), (4, (4, 6)), (10, (10, 0)), (99, (10, 0))] {
            let places = |part| QuestionSplit { part, train }.places(Seed(3), 10);
            let (ours, others) = (places(Part::Train), places(Part::Test));
            assert_eq!((ours.len(), others.len()), sizes);
            let mut all = [ours, others].concat();
            all.sort_unstable();
            assert_eq!(all, (0..10).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_seed_draws_the_parts() {
        let split = QuestionSplit {
            part: Part::Train,
            train: 5,
        };
        assert_ne!(split.places(Seed(0), 100), split.places(Seed(1), 100));
    }
}
