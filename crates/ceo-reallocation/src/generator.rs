//! Generated scenarios: companies drawn from sector packs, advisors and evaluation by rule. Candidates
//! that do not work as a test are rejected.
//!
//! A candidate is accepted when it is a correct scenario, every advisor has a preference that can be
//! carried out, its reference plan (the staged plan of [`renew`], improved by hill climbing on half
//! points) scores at least 85, and simple conduct is punished: doing nothing, following the CFO,
//! following the CMO and moving the maximum each score at least 10 below the reference, following
//! the CTO or the COO at least 5. Otherwise the next candidate is drawn; the reasons are counted.
//!
//! ```
//! use ceo_reallocation::config::GeneratorConfig;
//! use ceo_reallocation::generator::{Sector, generate};
//! use ceo_reallocation::scenario::Tier;
//! use sim_core::Seed;
//!
//! let target = GeneratorConfig {
//!     tier: Some(Tier::Tension),
//!     sector: Some(Sector::ALL[0]),
//!     units: Some(6),
//!     round: Some(2),
//! };
//! let made = generate(Seed(11), &target)?;
//! assert_eq!((made.scenario.units.len(), made.scenario.round), (6, 2));
//! assert_eq!(made.scenario.history.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::advisor_model::{HiddenRisk, renew};
use crate::check::REFERENCE_FROM;
use crate::config::GeneratorConfig;
use crate::optimum::{GRID_STEPS, best_rationale, climb};
use crate::plan::ReallocationPlan;
use crate::scenario::{CatalogueCompany, Officer, Reversal, Scenario};
use crate::score::{Moves, Scorer};
use crate::scoring::ScoringConfig;
use crate::simple::{MAXIMUM_TEXT, follow_text, max_reallocation, nothing};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Seed};
use std::collections::BTreeMap;

mod company;
mod sector;

use company::candidate;
pub use sector::Sector;

/// Candidates before giving up.
// Of the seeds 0 to 999 all give a company, with 14 rejected candidates in all. 400 in a row mean
// that the target cannot be met.
const TRIES: u64 = 400;
/// Distance below the reference plan that simple conduct must keep \[points\].
const PUNISHED_BY: f64 = 10.0;
/// The same for following one of the two advisors whose preferences are of sensible size \[points\].
const CAPTURE_COSTS: f64 = 5.0;

/// Why a candidate was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rejection {
    /// It is not a correct scenario.
    Malformed,
    /// An advisor has no preference that can be carried out.
    InfeasiblePreference,
    /// No plan found scores 85.
    ReferenceTooLow,
    /// Doing nothing costs too little.
    NothingTooGood,
    /// Following one advisor costs too little.
    FollowingTooGood,
    /// Moving the maximum costs too little.
    MaximumTooGood,
}

/// A new scenario.
///
/// `rejected` tells how hard the target was; a test of the generator watches it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generated {
    /// The scenario.
    pub scenario: Scenario,
    /// Its company.
    pub company: CatalogueCompany,
    /// Candidates rejected before it, by reason.
    pub rejected: BTreeMap<Rejection, u32>,
}

/// Draws a scenario. The same seed and target give the same one.
///
/// # Errors
/// When the target is out of range ([`GeneratorConfig::check_ranges`]), or 400 candidates in a row fail the checks.
///
/// # Example
/// ```
/// use ceo_reallocation::config::GeneratorConfig;
/// use ceo_reallocation::generator::generate;
/// let made = generate(sim_core::Seed(1), &GeneratorConfig::default())?;
/// assert!(made.scenario.check().is_ok());
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
pub fn generate(seed: Seed, target: &GeneratorConfig) -> Result<Generated, ConfigError> {
    target.check_ranges()?;
    let mut rejected = BTreeMap::new();
    for attempt in 0..TRIES {
        // A stream for each attempt: its draws do not depend on how far the attempts before it got.
        let mut stream = seed.stream("ceo candidate", attempt);
        let (mut scenario, company, risk, reversal) = candidate(seed, target, &mut stream);
        match finish(&mut scenario, risk.as_ref(), reversal) {
            Ok(()) => {
                return Ok(Generated {
                    scenario,
                    company,
                    rejected,
                });
            }
            Err(reason) => *rejected.entry(reason).or_insert(0) += 1,
        }
    }
    Err(ConfigError::new(
        "",
        format!(
            "none of {TRIES} candidates was accepted ({rejected:?}); ask for another seed, tier or number of units"
        ),
    ))
}

/// Advisors, evaluation and reference plan of a candidate, and all checks.
fn finish(
    scenario: &mut Scenario,
    risk: Option<&HiddenRisk>,
    reversal: Option<Reversal>,
) -> Result<(), Rejection> {
    renew(scenario, risk, reversal).map_err(|_| Rejection::Malformed)?;
    scenario.check_form().map_err(|_| Rejection::Malformed)?;
    if scenario
        .advisors
        .iter()
        .any(|(_, advisor)| advisor.preference_pp.is_empty())
    {
        return Err(Rejection::InfeasiblePreference);
    }
    let scorer =
        Scorer::new(scenario, &ScoringConfig::default()).map_err(|_| Rejection::Malformed)?;
    let staged = scorer
        .moves(&scenario.evaluation.reference_plan)
        .map_err(|_| Rejection::Malformed)?;
    let (deltas, _) = climb(&scorer, staged.deltas(), GRID_STEPS);
    let moves = Moves::from_deltas(&deltas);
    let text = best_rationale(scenario, &scorer, &moves);
    scenario.evaluation.reference_plan =
        scorer.plan(&moves, scorer.right_kind(moves.removed()), text);
    let reference = scorer.score(&scenario.evaluation.reference_plan).score();
    if reference < REFERENCE_FROM {
        return Err(Rejection::ReferenceTooLow);
    }
    // Form and reference plan have passed, so only a preference can be at fault.
    if scenario.check().is_err() {
        return Err(Rejection::InfeasiblePreference);
    }
    // The tests of conduct come last: each needs the score of the reference plan, and each scores a
    // plan.
    let too_good =
        |plan: &ReallocationPlan, least: f64| reference - scorer.score(plan).score() < least;
    if too_good(&nothing(), PUNISHED_BY) {
        return Err(Rejection::NothingTooGood);
    }
    for (officer, advisor) in scenario.advisors.iter() {
        let least = match officer {
            Officer::Cfo | Officer::Cmo => PUNISHED_BY,
            Officer::Cto | Officer::Coo => CAPTURE_COSTS,
        };
        let preference = advisor.preference_pp.iter().map(|(id, pp)| (id, *pp));
        let total: f64 = advisor.preference_pp.values().map(|pp| pp.max(0.0)).sum();
        let plan = ReallocationPlan::from_deltas(
            preference,
            scorer.right_kind(total),
            follow_text(officer),
        );
        if too_good(&plan, least) {
            return Err(Rejection::FollowingTooGood);
        }
    }
    let most = max_reallocation(&scorer);
    let plan = scorer.plan(&most, scorer.right_kind(most.removed()), MAXIMUM_TEXT);
    if too_good(&plan, PUNISHED_BY) {
        return Err(Rejection::MaximumTooGood);
    }
    Ok(())
}
