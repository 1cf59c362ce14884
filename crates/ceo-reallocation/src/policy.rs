//! The built-in policies.
//!
//! | name | decides |
//! |---|---|
//! | `nothing` | keeps the allocation |
//! | `follow-cfo`, `follow-cto`, `follow-coo`, `follow-cmo` | takes one advisor's preference as it is |
//! | `max-reallocation` | [`max_reallocation`] |
//! | `random` | 1 or 2 sources, 1 or 2 destinations, a total on half points, drawn until valid |
//! | `compromise` | mean of the four preferences weighted by salience, projected on the valid plans |
//! | `reference` | the reference plan of the scenario |
//! | `optimal` | [`best_plan`] of each round |
//!
//! `follow-*`, `compromise`, `reference` and `optimal` are oracles (know hidden state). In deliberation
//! every policy also takes the advisors' seats: it reports the staff proposal, discloses all facts, and
//! keeps to the proposal.
//!
//! ```
//! use ceo_reallocation::{CeoReallocation, Instance, policies};
//! use sim_core::{Environment, PolicyContext, Seat, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::authored("C3-R3").ok_or("no such scenario")?;
//! let seat = Seat::AGENT;
//! let mut scores = Vec::new();
//! for spec in policies() {
//!     let mut policy = spec.make(PolicyContext::new(&instance, &seat, Seed(1)))?;
//!     let mut env = CeoReallocation::new(Arc::new(instance.clone()))?;
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         let feedback = env.step(&action)?;
//!         policy.learn(&feedback);
//!     }
//!     scores.push((spec.about.name, env.score()?.value()));
//! }
//! let of = |name: &str| scores.iter().find(|(n, _)| *n == name).map(|(_, score)| *score);
//! assert!((of("reference").ok_or("missing")? - 97.5).abs() < 1e-9);
//! assert!(of("nothing") < of("follow-cto") && of("follow-cto") < of("optimal"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::action::Action;
use crate::deliberation::{AdvisorReport, MessageDraft, array};
use crate::env::CeoReallocation;
use crate::instance::Instance;
use crate::observation::{BriefView, ChiefView, Feedback, Observation};
use crate::optimum::best_plan;
use crate::plan::{DecisionType, ReallocationPlan};
use crate::project::project;
use crate::scenario::{MAX_UNITS, Officer, Scenario};
use crate::score::{Moves, Scorer};
use crate::world::World;
use sim_core::{ConfigError, Effort, Policy, PolicyContext, PolicySpec, Seed};
use std::collections::BTreeMap;

pub use crate::simple::{MAXIMUM_TEXT, follow_text, max_reallocation, nothing, random_moves};

/// The rule by which a built-in policy decides as chief executive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Nothing,
    Follow(Officer),
    Maximum,
    Random,
    Compromise,
    Reference,
    Optimal,
}

/// A built-in policy for any seat.
///
/// Made by the specs of [`policies`]. An oracle keeps the instance and works out the
/// hidden state of later rounds from the history that it sees.
#[derive(Debug)]
pub struct BuiltIn {
    rule: Rule,
    instance: Instance,
    seed: Seed,
    effort: Effort,
}

impl Policy<CeoReallocation> for BuiltIn {
    fn act(&mut self, seen: &Observation) -> Action {
        match seen {
            Observation::Advisor(brief) => Action::Report(staff_report(brief)),
            // Oracles reconstruct the world from the instance and the visible history
            // instead of keeping it from round to round: a policy that is made anew in
            // the middle of an episode decides alike.
            Observation::Chief(view) => {
                // No error is known in a world that the rules made; doing nothing is always possible.
                Action::Plan(self.decide(view).unwrap_or_else(|_| nothing()))
            }
        }
    }

    fn learn(&mut self, _: &Feedback) {}
}

impl BuiltIn {
    fn decide(&self, view: &ChiefView) -> Result<ReallocationPlan, ConfigError> {
        match self.rule {
            Rule::Nothing => Ok(nothing()),
            Rule::Maximum => {
                let scorer = public_scorer(view)?;
                let moves = max_reallocation(&scorer);
                Ok(scorer.plan(&moves, DecisionType::Bold, MAXIMUM_TEXT))
            }
            // The stream is named by the round and not kept: a policy that is made anew in the
            // middle of an episode draws the same plan.
            Rule::Random => {
                let scorer = public_scorer(view)?;
                let mut stream = self
                    .seed
                    .stream("random plan", u64::from(view.common.round));
                let moves = random_moves(&scorer, &mut stream).unwrap_or_default();
                let cap = view.common.constraints.max_realloc_pp;
                let text = "Drawn by lot.";
                Ok(scorer.plan(&moves, size_of(moves.removed(), cap), text))
            }
            Rule::Follow(officer) => {
                let (_, scorer) = self.truth(view)?;
                let preferences = view
                    .advisors
                    .iter()
                    .find(|advisor| advisor.officer == officer);
                let empty = BTreeMap::new();
                let preference = preferences.map_or(&empty, |advisor| &advisor.preference_pp);
                // Asked here too, although `project` keeps a valid target: it would even out an
                // imbalance within the tolerance, and this policy carries out a preference as it
                // is.
                let deltas = if scorer.is_valid(&Moves::from_deltas(&array(&scorer, preference))) {
                    array(&scorer, preference)
                } else {
                    project(&scorer, &array(&scorer, preference))
                };
                let moves = Moves::from_deltas(&deltas);
                let kind = scorer.right_kind(moves.removed());
                Ok(scorer.plan(&moves, kind, follow_text(officer)))
            }
            Rule::Compromise => {
                let (world, scorer) = self.truth(view)?;
                let mut mean = [0.0; MAX_UNITS];
                for advisor in &view.advisors {
                    let salience = world.scenario.advisors.of(advisor.officer).salience;
                    let preference = array(&scorer, &advisor.preference_pp);
                    for (slot, pp) in mean.iter_mut().zip(preference) {
                        *slot += salience * pp;
                    }
                }
                let moves = Moves::from_deltas(&project(&scorer, &mean));
                let kind = scorer.right_kind(moves.removed());
                let text = "The CFO, the CTO, the COO and the CMO each get a part of what they ask \
                            for, but none gets all of it.";
                Ok(scorer.plan(&moves, kind, text))
            }
            Rule::Reference => {
                let (world, _) = self.truth(view)?;
                Ok(world.scenario.evaluation.reference_plan)
            }
            Rule::Optimal => {
                let (world, scorer) = self.truth(view)?;
                Ok(best_plan(&world.scenario, &scorer, self.effort).plan)
            }
        }
    }

    /// The true state of the company, hidden parts included.
    fn truth(&self, view: &ChiefView) -> Result<(World, Scorer), ConfigError> {
        let world = World::after(&self.instance, &view.common.history)?;
        let scorer = Scorer::new(&world.scenario, &self.instance.config.scoring)?;
        Ok((world, scorer))
    }
}

/// The report of a rule-based advisor: its staff proposal with all facts it knows, and one message to
/// all.
fn staff_report(brief: &BriefView) -> AdvisorReport {
    let mut report = brief.staff_proposal.clone();
    report.disclosed_facts = brief.facts.iter().map(|fact| fact.id.clone()).collect();
    if brief.stage > 0 {
        let text = format!("I oppose this: {}.", brief.opposition_condition);
        report.messages = vec![MessageDraft {
            to: "all".to_owned(),
            text,
        }];
    }
    report
}

/// The decision type of a plan for a policy that does not know the company's bands: by the share of
/// the cap that it moves.
// A quarter and a half: in the authored scenarios moderate begins at 0.20 to 0.32 of the cap and bold at 0.40 to 0.64.
fn size_of(moved_pp: f64, cap_pp: f64) -> DecisionType {
    if moved_pp < 0.25 * cap_pp {
        DecisionType::Conservative
    } else if moved_pp < 0.5 * cap_pp {
        DecisionType::Moderate
    } else {
        DecisionType::Bold
    }
}

/// A scorer made from public facts alone: rules, shares and outlooks, without the evaluation.
pub(crate) fn public_scorer(view: &ChiefView) -> Result<Scorer, ConfigError> {
    let common = &view.common;
    let scenario = Scenario {
        id: common.scenario.clone(),
        target_date: common.date.clone(),
        round: common.round,
        company_state: common.company_state.clone(),
        units: common.units.clone(),
        constraints: common.constraints.clone(),
        advisors: crate::advisor_model::silent(),
        history: common.history.clone(),
        shocks: common.shocks.clone(),
        // The evaluation is empty, so that a policy of public facts cannot use what is hidden, even
        // by mistake: such a scorer only tells whether moves are valid.
        ..Scenario::default()
    };
    Scorer::new(&scenario, &crate::scoring::ScoringConfig::default())
}

/// All built-in policies; `boardroom describe ceo` prints them.
///
/// The order is the order of the list that `describe` prints, not of the scores.
#[must_use]
pub fn policies() -> Vec<PolicySpec<CeoReallocation, Instance>> {
    let spec = |name: &'static str, about: &'static str, rule: Rule| {
        PolicySpec::new(name, about, move |making: PolicyContext<'_, Instance>| {
            Ok::<_, ConfigError>(BuiltIn {
                rule,
                instance: making.instance.clone(),
                seed: making.seed,
                effort: making.effort,
            })
        })
    };
    vec![
        spec("nothing", "keeps the allocation", Rule::Nothing),
        spec(
            "random",
            "one or two sources and destinations, drawn until valid",
            Rule::Random,
        )
        .random(),
        spec(
            "max-reallocation",
            "the largest valid move into the units with the best outlook",
            Rule::Maximum,
        ),
        spec(
            "follow-cfo",
            "carries out the CFO's preference unchanged; the only hidden fact it knows is the name of a move of that size",
            Rule::Follow(Officer::Cfo),
        )
        .oracle(),
        spec(
            "follow-cto",
            "carries out the CTO's preference unchanged; the only hidden fact it knows is the name of a move of that size",
            Rule::Follow(Officer::Cto),
        )
        .oracle(),
        spec(
            "follow-coo",
            "carries out the COO's preference unchanged; the only hidden fact it knows is the name of a move of that size",
            Rule::Follow(Officer::Coo),
        )
        .oracle(),
        spec(
            "follow-cmo",
            "carries out the CMO's preference unchanged; the only hidden fact it knows is the name of a move of that size",
            Rule::Follow(Officer::Cmo),
        )
        .oracle(),
        spec(
            "compromise",
            "the mean of the four preferences, weighted by their hidden salience and moved to the nearest valid plan",
            Rule::Compromise,
        )
        .oracle(),
        spec(
            "reference",
            "the reference plan of the scenario",
            Rule::Reference,
        )
        .oracle(),
        spec(
            "optimal",
            "the best plan of each round, text included",
            Rule::Optimal,
        )
        .oracle(),
    ]
}
