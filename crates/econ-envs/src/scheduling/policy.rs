//! The built-in policies.
//!
//! | policy | knows | idea |
//! |---|---|---|
//! | `random` | nothing | another assignment every period |
//! | `fix-one-pair` | nothing | Knuth's heuristic: repair one shown pair |
//! | `fix-all-pairs` | nothing | repair all shown pairs that do not collide |
//! | `learning` | the form of the preferences | posterior sampling |
//! | `optimal` | everything | a stable assignment at once |

mod beliefs;
pub mod fix;
pub mod learning;
mod normal;
mod search;

use super::action::Action;
use super::env::Scheduling;
use super::instance::Instance;
use super::observation::{Feedback, Observation};
use super::stable::worker_optimal;
use sim_core::{ConfigError, Policy, PolicyContext, PolicySpec, Stream};

pub use fix::FixPairs;
pub use learning::Learning;

/// The built-in policies, the simplest first.
///
/// ```
/// use econ_envs::scheduling::{Config, Instance, Scheduling, policies};
/// use sim_core::{Environment, Episode, PolicyContext, Seat, Seed};
/// use std::sync::Arc;
///
/// let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
/// let mut scores = Vec::new();
/// for spec in policies().iter().filter(|spec| spec.about.name != "learning") {
///     let mut policy = spec.make(PolicyContext::new(&instance, &Seat::AGENT, Seed(2)))?;
///     let mut env = Scheduling::new(Arc::new(instance.clone()))?;
///     while !env.is_over() {
///         env.step(&policy.act(&env.observe()))?;
///     }
///     scores.push(env.score()?.value());
/// }
/// let [random, _, all_pairs, optimal] = scores[..] else { return Err("four policies".into()) };
/// assert!(random < all_pairs && optimal == 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn policies() -> Vec<PolicySpec<Scheduling, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "a uniformly random assignment every period",
            |context| {
                Ok(RandomAssignment {
                    draws: context.seed.stream("random", 0),
                })
            },
        )
        .random(),
        PolicySpec::new(
            "fix-one-pair",
            "Knuth's heuristic: starts at random, then matches one blocking pair that it was \
             shown and their partners to each other; knows nothing beforehand",
            |context| Ok(FixPairs::one(context.seed)),
        )
        .random(),
        PolicySpec::new(
            "fix-all-pairs",
            "as fix-one-pair, but matches all pairs that it was shown, except those with an agent that it \
             has just matched; knows nothing beforehand",
            |context| Ok(FixPairs::all(context.seed)),
        )
        .random(),
        PolicySpec::new(
            "learning",
            "learns both sides' preferences from the shown pairs by posterior sampling and \
             submits the assignment with the fewest expected problems; knows beforehand that \
             preferences are public scores plus normal noise (not how strong the scores are)",
            |context: PolicyContext<'_, Instance>| {
                Learning::new(context.instance.config.workers, context.seed)
            },
        )
        .random(),
        PolicySpec::new(
            "optimal",
            "the stable assignment that is best for the workers, found from the hidden preferences",
            |context: PolicyContext<'_, Instance>| {
                Ok(Fixed {
                    task_of: worker_optimal(&context.instance.preferences)?,
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
    fn act(&mut self, observation: &Observation) -> Action {
        Action::new(random_matching(observation.workers, &mut self.draws))
    }
}

/// The same assignment every period.
#[derive(Debug)]
pub struct Fixed {
    task_of: Vec<u16>,
}

impl Policy<Scheduling> for Fixed {
    fn act(&mut self, _observation: &Observation) -> Action {
        Action::new(self.task_of.clone())
    }
}

fn random_matching(n: u16, draws: &mut Stream) -> Vec<u16> {
    let mut task_of: Vec<u16> = (0..n).collect();
    draws.shuffle(&mut task_of);
    task_of
}

/// The assignment and the feedback of the period before, taken from the observation; `None` in the
/// first period and after a forfeit.
fn last_feedback(observation: &Observation) -> Option<(&[u16], &Feedback)> {
    let feedback = observation.previous.as_ref()?;
    Some((feedback.task_of.as_deref()?, feedback))
}

/// The error for settings that a policy does not support.
fn not_suited(message: String) -> ConfigError {
    ConfigError::new("agent", message)
}
