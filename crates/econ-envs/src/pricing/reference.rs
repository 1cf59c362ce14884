//! The reference that scores are measured against.

use super::instance::Instance;
use sim_core::{Effort, Reference, Status};

/// The reference of `instance`: the optimum is 1 by definition of the score.
///
/// `effort` makes no difference, because the best prices have a closed form. The bound lies above 1
/// by the rounding of the recorded profits: the optimum is that of exact profits, and between it and the
/// bound the regret counts as 0 ([`normalise`](sim_core::stats::normalise)). An instance that [`Instance::check`] refuses has no
/// reference ([`Reference::none`]).
///
/// ```
/// use econ_envs::pricing::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed, Status};
///
/// let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
/// let best = reference(&instance, Effort::Quick);
/// assert_eq!((best.optimum, best.status), (Some(1.0), Status::Proven));
/// assert!(best.bound > Some(1.0) && best.bound < Some(1.01));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn reference(instance: &Instance, _effort: Effort) -> Reference {
    let Ok(best) = instance.optimum() else {
        return Reference::none();
    };
    // Rounding to cents raises the recorded profit of a product by at most half a cent a period.
    let rounding = 0.005 * f64::from(instance.config.products) / best.profit;
    Reference {
        optimum: Some(1.0),
        bound: Some(1.0 + rounding),
        baseline: None,
        status: Status::Proven,
        method: "closed form by Lambert's W; the bound adds the rounding of the record".to_owned(),
    }
}
