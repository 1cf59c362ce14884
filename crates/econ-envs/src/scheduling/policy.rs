//! The built-in players.

mod beliefs;
pub mod fix;
pub mod learning;
mod normal;
mod search;

use super::env::{Assignment, Feedback, Observation, Scheduling};
use super::instance::Instance;
use super::stable::worker_optimal;
use sim_core::{ConfigError, Policy, PolicyContext, PolicySpec, Stream};

pub use fix::{FixAllPairs, FixOnePair};
pub use learning::Learning;

/// All players, the simplest first.
pub(crate) fn specs() -> Vec<PolicySpec<Scheduling, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "a uniformly random assignment every period",
            |making| {
                Ok(RandomAssignment {
                    draws: making.seed.stream("random", 0),
                })
            },
        )
        .random(),
        PolicySpec::new(
            "fix-one-pair",
            "Knuth's heuristic: starts at random, then matches one blocking pair that it was \
             shown and their partners to each other; knows nothing beforehand",
            |making| Ok(FixOnePair::new(making.seed)),
        )
        .random(),
        PolicySpec::new(
            "fix-all-pairs",
            "as fix-one-pair, but matches every pair it was shown that does not collide with one \
             it has just matched; knows nothing beforehand",
            |making| Ok(FixAllPairs::new(making.seed)),
        )
        .random(),
        PolicySpec::new(
            "learning",
            "learns both sides' preferences from the shown pairs by posterior sampling and \
             submits the assignment with the fewest expected problems; knows beforehand that \
             preferences are public scores plus normal noise (not how strong the scores are)",
            |making: PolicyContext<'_, Instance>| {
                Learning::new(making.instance.config.workers, making.seed)
            },
        )
        .random(),
        PolicySpec::new(
            "optimal",
            "the stable assignment that is best for the workers, found from the hidden preferences",
            |making: PolicyContext<'_, Instance>| {
                Ok(Fixed {
                    task_of: worker_optimal(&making.instance.preferences),
                })
            },
        )
        .oracle(),
    ]
}

/// A uniformly random assignment every period.
#[derive(Debug)]
pub struct RandomAssignment {
    draws: Stream,
}

impl Policy<Scheduling> for RandomAssignment {
    fn act(&mut self, observation: &Observation) -> Assignment {
        Assignment::new(random_matching(observation.workers, &mut self.draws))
    }
}

/// The same assignment every period.
#[derive(Debug)]
pub struct Fixed {
    task_of: Vec<u16>,
}

impl Policy<Scheduling> for Fixed {
    fn act(&mut self, _observation: &Observation) -> Assignment {
        Assignment::new(self.task_of.clone())
    }
}

fn random_matching(n: u16, draws: &mut Stream) -> Vec<u16> {
    let mut task_of: Vec<u16> = (0..n).collect();
    draws.shuffle(&mut task_of);
    task_of
}

/// What a policy needs to hear of the last attempt, whichever way it comes: the feedback itself or
/// the copy in the next observation.
fn heard(observation: &Observation) -> Option<(&[u16], &Feedback)> {
    let feedback = observation.previous.as_ref()?;
    Some((feedback.task_of.as_deref()?, feedback))
}

/// An error for settings that a policy is not made for.
fn not_suited(message: String) -> ConfigError {
    ConfigError::new("agent", message)
}
