//! The Enterprise Digital Twin: a consulting firm that is set up once and then runs by itself. One
//! decision says how many consultants stay, how much revenue risk is taken, and which projects are
//! accepted from when to when; the accumulated earnings at the end of the run are the score. From
//! "EnterpriseBench: Benchmarking LLM Agents on Enterprise-Level Strategic Reasoning and
//! Decision-Making" (an anonymous ACL submission, the *strategic paper* below), appendix A.6 and Table 3.
//! The numbers of the template are facts from the authors' public repository; the dynamics are those of
//! the tutorial model of the Business Prototyping Toolkit (BPTK-Py 3.2.0), on which the authors ran.
//!
//! # Example
//!
//! Ten drawn firms, run by a policy that accepts the better-paid half of the projects:
//!
//! ```
//! use edt::action::Window;
//! use edt::config::{Drawn, Template};
//! use edt::observation::SeenProject;
//! use edt::{Action, Config, Edt, Instance, Observation};
//! use sim_core::{Environment, Episode, Policy, Seed};
//! use std::sync::Arc;
//!
//! /// All consultants stay, no risk, every project above the median rate in its own window.
//! struct BestPaid;
//!
//! impl Policy<Edt> for BestPaid {
//!     fn act(&mut self, seen: &Observation) -> Action {
//!         let mut rates: Vec<f64> = seen.projects.iter().map(|p| p.billing_rate).collect();
//!         rates.sort_by(f64::total_cmp);
//!         let median = rates[rates.len() / 2];
//!         let window = |p: &SeenProject| Window { start: p.start, deadline: p.deadline };
//!         let accepted = |p: &SeenProject| (p.billing_rate >= median).then(|| window(p));
//!         Action {
//!             consultants: i64::from(seen.consultants),
//!             risk_level: 0.0,
//!             projects: seen.projects.iter().map(accepted).collect(),
//!         }
//!     }
//! }
//!
//! let config = Config { template: Template::Drawn(Drawn::default()), ..Config::default() };
//! for k in 0..10 {
//!     let instance = Instance::generate(&config, Episode::of_run(Seed(7), k))?;
//!     let mut env = Edt::new(Arc::new(instance))?;
//!     let plan = BestPaid.act(&env.observe());
//!     let result = env.step(&plan)?;
//!     assert_eq!(env.score()?.value(), result.figures.accumulated_earnings);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!  one step (agent order cpf)
//!
//!  consultants   book their cost ─ free ones start ready projects, then join open ones ─ work
//!  projects      report ─ open at the start ─ end at the deadline ─ extend when done ─ follow-on?
//!  controlling   takes the bookings ─ revenue, expenses, cash, utilization
//!  follow-ons    as projects, but their reports are booked one step later
//! ```
//!
//! What differs from the source: a plan outside the limits is refused with an explanation; the authors'
//! clamping is an option ([`action::DecisionRule`]). The paper speaks of draws for extensions and
//! follow-ons, but the original engine draws nothing: a probability counts when it exceeds 1 - R. That is
//! the default here; real draws are an option ([`config::RiskMode`]). Marketing campaigns of the tutorial
//! are left out; no scenario uses them. `docs/edt.md` in the repository has the rules in full.
//!
//! # Presets
//!
//! | preset | firm |
//! |---|---|
//! | `paper` | the published template: 12 consultants, 10 projects, 96 steps |
//! | `small` | 5 drawn projects over 48 steps |
//! | `large` | 200 drawn projects over 96 steps |
//!
//! [`Config::default`] is `paper`; [`Config::preset`] finds a preset by name; every field can be changed.
//! [`Instance::of_firm`] plays a firm of your own, [`mod@scenario`] reads one from a file.
//!
//! # Action, observation, feedback
//!
//! An [`Action`] is the whole plan: head count, risk level 0 to 1, and a window for each accepted
//! project. An [`Observation`] has the cost of the firm and its staff, and the terms of all projects. A
//! [`Feedback`] has the final figures, the course of the run at eight times and the end of each project;
//! `step` gives it behind an `Arc`.
//!
//! # Score and reference
//!
//! The score is the accumulated earnings \[money\]; higher is better. [`fn@reference`] gives an upper
//! bound, the best known earnings, whether they are proven, and the paper's Simple plan as baseline;
//! [`optimum`] has the search, the bounds and the proof behind it.
//!
//! ```
//! use edt::{Config, Instance, reference};
//! use sim_core::{Effort, Episode, Seed, Status};
//!
//! let instance = Instance::generate(&Config::default(), Episode::of_run(Seed(0), 0))?;
//! let best = reference(&instance, Effort::Quick);
//! assert_eq!((best.optimum, best.status), (Some(14_756_000.0), Status::Proven));
//! assert_eq!(best.baseline, Some(7_116_500.0));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! # Policies
//!
//! [`policies`] lists the built-in policies, worst first: `random`, `template`, `simple` (the paper's
//! plan), and three oracles (they know hidden state): `local-search`, `expected` and `optimal`.
//!
//! # Batch
//!
//! [`Batch`] runs many firms at once, one decision per lane as a vector; lane `k` is episode `k` of the
//! run. To run many plans of one firm, use [`engine::Engine`] directly:
//!
//! ```
//! use edt::Action;
//! use edt::engine::{Chance, Engine};
//! use edt::firm::Firm;
//!
//! let firm = Firm::paper();
//! let totals = Engine::new(&firm).run(&Action::simple(&firm), &Chance::threshold(0.0));
//! assert_eq!(totals.accumulated_earnings, 7_116_500.0);
//! assert!((totals.mean_utilization - 0.9340).abs() < 1e-4);
//! ```
//!
//! # Modules
//!
//! [`config`], [`instance`], [`env`](mod@env), [`action`], [`observation`], [`mod@reference`], [`policy`],
//! [`batch`], [`spec`] and [`tools`] have the same content in every simulator. Here also: [`firm`] (the
//! template), [`engine`] (fast runs), [`agent_model`] (the same run agent by agent), [`optimum`]
//! (search, bounds, proof), [`scenario`] (files), and `strategy` with the feature `proptest`.

pub mod action;
pub mod agent_model;
pub mod batch;
pub mod config;
pub mod engine;
pub mod env;
pub mod firm;
pub mod instance;
pub mod observation;
pub mod optimum;
pub mod policy;
pub mod reference;
pub mod scenario;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod chance;
mod clock;
mod generate;
mod ledger;
mod plots;
mod prompt;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::Edt;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
