//! References for scores: the best plan of each round, its bound, and the score of doing nothing.
//!
//! ```
//! use ceo_reallocation::{Instance, reference};
//! use sim_core::{Effort, Status};
//!
//! let instance = Instance::authored("C3-R3").ok_or("no such scenario")?;
//! let best = reference(&instance, Effort::Quick);
//! assert_eq!((best.optimum, best.bound, best.status), (Some(97.5), Some(97.5), Status::Proven));
//! assert!(best.baseline < Some(50.0)); // doing nothing
//! # Ok::<(), &str>(())
//! ```

use crate::action::Action;
use crate::config::Visibility;
use crate::env::CeoReallocation;
use crate::instance::Instance;
use crate::optimum::{BestPlan, best_plan, closed_bound};
use crate::plan::ReallocationPlan;
use crate::policy;
use crate::score::Scorer;
use crate::scoring::PreferenceSource;
use crate::world::World;
use sim_core::{ConfigError, Effort, Environment, Reference, Status};
use std::sync::Arc;

/// The reference of an instance: best known score, upper bound and the score of doing nothing
/// \[points\]; [`Reference::none`] when the instance cannot be scored.
///
/// With one decision the optimiser gives it, and proves it where its search ends. With several, the
/// best known score is that of playing the best plan of each round, because a worse round may pay off
/// later; the bound is that of the first round, whose evaluation is given, and 100 for each further
/// round. When the advisors' preferences are live, nothing but the bound is known beforehand.
///
/// [`Effort::Quick`] cuts at most 40,000 boxes per round, [`Effort::Search`] 4,000,000;
/// both are counted, so the result is the same on every machine. With 11 of the 13
/// authored scenarios hill climbing meets the closed bound and no box is cut.
#[must_use]
pub fn reference(instance: &Instance, effort: Effort) -> Reference {
    find(instance, effort).unwrap_or_else(|_| Reference::none())
}

fn find(instance: &Instance, effort: Effort) -> Result<Reference, ConfigError> {
    let scorer = Scorer::new(&instance.scenario, &instance.config.scoring)?;
    let live = instance.config.visibility == Visibility::Deliberation
        && instance.config.scoring.role.preferences == PreferenceSource::Live;
    let rounds = f64::from(instance.config.rounds);
    // Live preferences come from agents, so no plan can be scored in advance; the closed bound does not depend
    // on preferences and still holds.
    if rounds > 1.0 || live {
        // The evaluation of a later round follows from the plans before it, and there are too many
        // of these to bound it by search.
        let bound = (closed_bound(&scorer) + 100.0 * (rounds - 1.0)) / rounds;
        let (optimum, baseline) = if live {
            (None, None)
        } else {
            let best =
                |world: &World, scorer: &Scorer| best_plan(&world.scenario, scorer, effort).plan;
            let nothing = |_: &World, _: &Scorer| policy::nothing();
            (
                Some(played(instance, best)?),
                Some(played(instance, nothing)?),
            )
        };
        return Ok(Reference {
            optimum,
            bound: Some(bound),
            baseline,
            status: if live {
                Status::Bound
            } else {
                Status::BestKnown
            },
            method: "the best plan of each round".to_owned(),
        });
    }
    let best = best_plan(&instance.scenario, &scorer, effort);
    Ok(one_round(&scorer, &best))
}

fn one_round(scorer: &Scorer, best: &BestPlan) -> Reference {
    let method = match (best.status, best.boxes) {
        (Status::Proven, 0) => "hill climbing attains the closed bound",
        (Status::Proven, _) => "box search",
        _ => "hill climbing, bound by box search",
    };
    Reference {
        optimum: Some(best.score),
        bound: Some(best.bound),
        baseline: Some(scorer.score(&policy::nothing()).score()),
        status: best.status,
        method: method.to_owned(),
    }
}

/// Score of an episode in which `decide` makes every plan.
fn played(
    instance: &Instance,
    decide: impl Fn(&World, &Scorer) -> ReallocationPlan,
) -> Result<f64, ConfigError> {
    let mut instance = instance.clone();
    // Advisors need not speak for a plan that does not listen.
    instance.config.visibility = Visibility::Views;
    let mut env = CeoReallocation::new(Arc::new(instance))?;
    while !env.is_over() {
        let plan = decide(&env.state().world, env.scorer());
        env.step(&Action::Plan(plan))
            .map_err(|e| ConfigError::new("instance", e.message))?;
    }
    env.score()
        .map(|score| score.value())
        .map_err(|e| ConfigError::new("", e.to_string()))
}
