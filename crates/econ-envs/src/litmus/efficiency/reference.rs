//! The reference that scores are measured against.

use super::config::Goal;
use super::instance::Instance;
use sim_core::{Effort, Reference, Status};

/// The reference of an instance: none with both goals, because neither end of the scale is better; 1 with
/// a single goal.
///
/// ```
/// use econ_envs::litmus::efficiency::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed};
///
/// let of = |config| Instance::generate(&config, Episode::of_run(Seed(0), 0));
/// assert_eq!(reference(&of(Config::both())?, Effort::Quick).optimum, None);
/// assert_eq!(reference(&of(Config::equality())?, Effort::Quick).optimum, Some(1.0));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn reference(instance: &Instance, _effort: Effort) -> Reference {
    match instance.config.goal {
        Goal::Both => Reference::none(),
        Goal::Efficiency | Goal::Equality => Reference {
            optimum: Some(1.0),
            bound: Some(1.0),
            baseline: None,
            status: Status::Proven,
            method: "sorting sizes to productivities; equal pay by construction".to_owned(),
        },
    }
}
