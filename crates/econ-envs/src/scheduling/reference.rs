//! The reference that scores are measured against.

use super::instance::Instance;
use sim_core::{Effort, Reference, Status};

/// The reference of an instance: a stable assignment always exists, so the optimum is 1; the baseline
/// 0 is the mean of a random assignment. Neither `instance` nor `effort` makes a difference.
///
/// To get a stable assignment itself, call
/// [`worker_optimal`](super::stable::worker_optimal).
///
/// ```
/// use econ_envs::scheduling::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed};
///
/// let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(0), 0))?;
/// let best = reference(&instance, Effort::Quick);
/// assert_eq!((best.optimum, best.baseline), (Some(1.0), Some(0.0)));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn reference(_instance: &Instance, _effort: Effort) -> Reference {
    Reference {
        optimum: Some(1.0),
        bound: Some(1.0),
        baseline: Some(0.0),
        status: Status::Proven,
        method: "deferred acceptance always finds a stable assignment; the baseline is the exact \
                 mean of a random one"
            .to_owned(),
    }
}
