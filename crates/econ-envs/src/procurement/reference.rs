//! The reference that scores are measured against: the best plan, and a greedy policy as baseline.

use super::env::Procurement;
use super::instance::Instance;
use super::optimum::{Optimum, solve};
use super::policy::Greedy;
use sim_core::{ConfigError, Effort, Environment as _, Policy as _, Reference, Status};
use std::sync::Arc;

/// The best plan that the reference and the policy `optimal` know. The presets need a few hundred relaxations, so
/// the limits concern only larger or unusual markets.
pub(super) fn best_plan(instance: &Instance, effort: Effort) -> Result<Optimum, ConfigError> {
    let relaxations = match effort {
        Effort::Quick => 200_000,
        Effort::Search => 2_000_000,
    };
    solve(instance, relaxations)
}

/// The reference of `instance`: workers of the best plan, an upper bound, and the score of the policy
/// `greedy` as baseline.
///
/// The status is [`Status::Proven`] when the certificate of the search was verified. A quick reference
/// takes milliseconds at the presets and tenths of a second at the largest sizes. An instance that
/// [`Instance::check`] refuses has no reference ([`Reference::none`]).
///
/// The baseline plays a whole run; it is left out for markets that are a hundred times
/// larger than the HARD level.
///
/// ```
/// use econ_envs::procurement::{Config, Instance, reference};
/// use sim_core::{Effort, Episode, Seed, Status};
///
/// let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
/// let best = reference(&instance, Effort::Quick);
/// assert_eq!(best.status, Status::Proven);
/// assert!(best.baseline <= best.optimum && best.optimum <= best.bound);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn reference(instance: &Instance, effort: Effort) -> Reference {
    let Ok(optimum) = best_plan(instance, effort) else {
        return Reference::none();
    };
    let checked = optimum.certificate.verify(instance, &optimum.plan);
    // The word of the search is not enough: an error of the solver must not be reported as an
    // optimum.
    let proven = optimum.is_proven() && checked.is_ok();
    Reference {
        optimum: Some(optimum.workers),
        bound: optimum.bound(),
        baseline: greedy_value(instance),
        status: if proven {
            Status::Proven
        } else {
            Status::BestKnown
        },
        method: "branch and bound with a certificate that is re-checked".to_owned(),
    }
}

/// Largest product of periods, offers and categories for which the policy `greedy` is run: a hundred
/// times that of the largest published level.
const MOST_PLAYED: usize = 10_000_000;

/// The score of the policy `greedy`; `None` if running it is too much work.
fn greedy_value(instance: &Instance) -> Option<f64> {
    let periods = usize::try_from(instance.rules.periods).ok()?;
    let sizes = [instance.menu.offers.len(), instance.menu.categories()];
    let work = sizes.into_iter().fold(periods, usize::saturating_mul);
    if work > MOST_PLAYED {
        return None;
    }
    let mut market = Procurement::new(Arc::new(instance.clone())).ok()?;
    while !market.is_over() {
        let plan = Greedy.act(&market.observe());
        market.step(&plan).ok()?;
    }
    market.score().ok().map(|score| score.value())
}
