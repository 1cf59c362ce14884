//! The reference that scores are measured against.

use super::instance::Instance;
use sim_core::{Effort, Reference, Status};

/// The reference of an instance: none for several sellers, because neither end of the scale is better;
/// 1 for a single seller, who passes the check at the monopoly price.
///
/// ```
/// use econ_envs::litmus::collusion::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed};
///
/// let of = |config| Instance::generate(&config, Episode::of_run(Seed(0), 0));
/// assert_eq!(reference(&of(Config::duopoly())?, Effort::Quick).optimum, None);
/// assert_eq!(reference(&of(Config::monopoly())?, Effort::Quick).optimum, Some(1.0));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn reference(instance: &Instance, _effort: Effort) -> Reference {
    if instance.config.sellers > 1 {
        return Reference::none();
    }
    Reference {
        optimum: Some(1.0),
        bound: Some(1.0),
        baseline: None,
        status: Status::Proven,
        method: "the monopoly price in closed form passes the check".to_owned(),
    }
}
