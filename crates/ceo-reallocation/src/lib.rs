//! A chief executive moves capital between business units, against four advisors who contradict each
//! other. A company has 4 to 8 units. Once a quarter its chief executive takes percentage points of the
//! company's capital from some units and gives them to others, under hard limits, after reading the views
//! of a CFO, a CTO, a COO and a CMO who know different things and want different things. A plan is
//! evaluated by rules alone; no model judges. From Dai, Peng, Qian, Xie, "Can LLMs Be CEOs? Benchmarking
//! Strategic Resource Reallocation with Multi-Role Agent Simulation", arXiv 2606.17459: the task (section
//! 3), the checks, weights, penalties, grades and labels (appendix C), the fields of the prompts (appendix
//! A). Where the paper names an effect without a formula the formula is ours, and its doc comment says so.
//! The 13 scenarios are ours as well (`fixtures`).
//!
//! # Example
//!
//! The 13 authored scenarios in turn, played by a policy that halves the CFO's preference:
//!
//! ```
//! use ceo_reallocation::plan::{DecisionType, ReallocationPlan};
//! use ceo_reallocation::scenario::Officer;
//! use ceo_reallocation::{Action, CeoReallocation, Config, Instance, Observation};
//! use sim_core::{Environment, Episode, Policy, Seed};
//! use std::sync::Arc;
//!
//! /// Does half of what the CFO asks for.
//! struct HalfCfo;
//!
//! impl Policy<CeoReallocation> for HalfCfo {
//!     fn act(&mut self, seen: &Observation) -> Action {
//!         let Observation::Chief(view) = seen else {
//!             return Action::unreadable("advisors are not played here");
//!         };
//!         let cfo = view.advisors.iter().find(|advisor| advisor.officer == Officer::Cfo);
//!         let preference = cfo.map(|advisor| advisor.preference_pp.clone()).unwrap_or_default();
//!         let half = preference.iter().map(|(unit, pp)| (unit, pp / 2.0));
//!         Action::Plan(ReallocationPlan::from_deltas(half, DecisionType::Conservative, "Half the CFO's preference."))
//!     }
//! }
//!
//! let config = Config::default();
//! let mut total = 0.0;
//! for k in 0..13 {
//!     let instance = Instance::generate(&config, Episode::of_run(Seed(7), k))?;
//!     let mut env = CeoReallocation::new(Arc::new(instance))?;
//!     while !env.is_over() {
//!         let plan = HalfCfo.act(&env.observe());
//!         env.step(&plan)?;
//!     }
//!     total += env.score()?.value();
//! }
//! assert!((0.0..100.0).contains(&(total / 13.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   scenario ──► views of the four advisors ──► plan ──► hard limits ──► four dimensions ──► score
//!      ▲         (or deliberation, four seats)           │               roles, boldness,   labels
//!      │                                                 ▼               history, fit
//!      └──── next round: shares, overload, starvation, runway, leverage, pressure, shocks
//! ```
//!
//! A plan that breaks a hard limit is rejected: nothing moves, and its validity dimension is 0. Not in the
//! paper: several rounds in a row ([`dynamics::advance`]), advisors as agents of their own
//! ([`deliberation`]), generated companies ([`generator`]), the best possible plan and the distance from it
//! ([`optimum`]). `docs/ceo.md` in the repository has the rules in full.
//!
//! # Presets
//!
//! | preset | scenarios |
//! |---|---|
//! | `all` | the 13 authored scenarios in turn ([`Config::default`]) |
//! | `C1-R1` to `C7-R3` | one authored scenario ([`Config::of_scenario`]; the ids are [`scenario::AUTHORED_IDS`]) |
//! | `deliberation` | the 13 authored scenarios; four advisors report before the chief executive decides |
//!
//! [`Config::preset`] finds a preset by name; every field can be changed. [`Config::generated`] draws a new
//! company in each episode.
//!
//! # Action, observation, feedback
//!
//! An [`Action`] is the chief executive's [`plan::ReallocationPlan`], signed moves for programs that learn, or an
//! advisor's report in deliberation. An [`Observation`] is the view of the chief executive or of an
//! advisor. A [`Feedback`] says whether the plan was accepted, which limits it breaks, and its score.
//!
//! # Score and reference
//!
//! The score is the mean over all rounds of role integration, boldness, history and validity \[points, 0
//! to 100\]; higher is better. [`fn@reference`] gives the best known score, an upper bound, whether it is
//! proven, and the score of doing nothing. A [`score::Scorer`] evaluates a single plan:
//!
//! ```
//! use ceo_reallocation::config::ScoringConfig;
//! use ceo_reallocation::optimum::{best_plan, regret};
//! use ceo_reallocation::plan::parse_plan;
//! use ceo_reallocation::scenario::authored;
//! use ceo_reallocation::score::Scorer;
//! use sim_core::Effort;
//!
//! let scenario = authored().scenario("C3-R3").ok_or("no such scenario")?;
//! let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
//! let plan = parse_plan(
//!     "We stay careful: {\"remove_from\": {\"A\": 7}, \"add_to\": {\"C\": 4, \"D\": 3},
//!      \"decision_type\": \"conservative\", \"rationale\": \"The CFO is right, but the CTO has a
//!      case for Open Platform.\"}",
//! )?;
//! let card = scorer.score(&plan);
//! assert_eq!(card.labels.len(), 1); // not bold enough
//! let best = best_plan(scenario, &scorer, Effort::Quick);
//! assert_eq!((best.score, best.bound), (97.5, 97.5)); // proven: no plan can beat the bound
//! assert!(regret(&scorer, &best, &card).regret > 28.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Policies
//!
//! [`policies`] lists the built-in policies: `nothing`, `random`, `max-reallocation`, and the oracles (they
//! know hidden state) `follow-cfo` to `follow-cmo`, `compromise`, `reference` and `optimal`.
//!
//! # Batch
//!
//! [`Batch`] steps many episodes at once; an action is one signed move for each unit, and lane `k` is
//! episode `k` of the run.
//!
//! ```
//! use ceo_reallocation::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let mut batch = Batch::new(&Config::default(), 26, Seed(7))?;
//! let layout = batch.layout().clone();
//! let mut obs = vec![0.0; layout.observation_len()];
//! let (mut rewards, mut dones) = (vec![0.0; 26], vec![false; 26]);
//! let still = vec![0.0; 26 * layout.action.len()];
//! batch.step_batch(&still, &mut obs, &mut rewards, &mut dones)?;
//! assert_eq!(rewards[0], rewards[13]); // lanes 0 and 13 play the same scenario
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! [`config`], [`instance`], [`env`](mod@env), [`action`], [`observation`], [`mod@reference`], [`policy`],
//! [`batch`], [`spec`] and [`tools`] have the same content in every simulator. Here also: [`scenario`] (the
//! parts of a scenario, and the 13 authored ones), [`plan`] (plans, and reading them from text), [`score`]
//! (the scorer), [`optimum`] (best plans and bounds), [`dynamics`] (from one round to the next),
//! [`deliberation`] (advisors as agents), [`advisor_model`] (advisors by rule), [`generator`] (new
//! companies), and `strategy` with the feature `proptest`.

pub mod action;
pub mod advisor_model;
pub mod batch;
pub mod config;
pub mod deliberation;
pub mod dynamics;
pub mod env;
pub mod generator;
pub mod instance;
pub mod observation;
pub mod optimum;
pub mod plan;
pub mod policy;
pub mod reference;
pub mod scenario;
pub mod score;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod check;
mod flow;
mod plots;
mod project;
mod prompt;
mod rubric;
mod scoring;
mod simple;
mod unit_id;
mod world;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::CeoReallocation;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
