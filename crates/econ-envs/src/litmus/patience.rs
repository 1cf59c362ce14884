//! Patience: money now, or more of it later.
//!
//! Every period is one question in a new conversation: 100 dollars now, or a larger amount at a later
//! time. Each amount is asked several times, with either option first. From how often "now" was chosen
//! follows the yearly discount rate that explains the answers best, and how well it does. It is a litmus
//! test from the authors' program for "EconAgentBench": neither end of the scale is better.
//!
//! # Example
//!
//! Three episodes with a policy of our own that waits for more than 110 dollars. All episodes have the
//! same questions, so the scores are equal:
//!
//! ```
//! use econ_envs::litmus::patience::{Action, Config, Instance, Observation, Patience};
//! use sim_core::{Environment as _, Episode, Policy, Seed};
//! use std::sync::Arc;
//!
//! struct Above(f64);
//!
//! impl Policy<Patience> for Above {
//!     fn act(&mut self, observation: &Observation) -> Action {
//!         if observation.amount > self.0 { Action::Later } else { Action::Now }
//!     }
//! }
//!
//! let mut scores = Vec::new();
//! for k in 0..3 {
//!     let instance = Instance::generate(&Config::short(), Episode::of_run(Seed(1), k))?;
//!     let mut env = Patience::new(Arc::new(instance))?;
//!     let mut policy = Above(110.0);
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         policy.learn(&env.step(&action)?);
//!     }
//!     scores.push(env.score()?.value());
//! }
//! assert!(scores.iter().all(|score| *score == scores[0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   f(X)              = share of answers that waited for amount X
//!   reliability(g, T) = mean over X of f(X) where X > 100 g^T, of 1 - f(X) where X < 100 g^T
//!   reliability(g)    = mean over the delays T
//!   score             = 100 (g - 1) \[% a year\], g the median of the maximisers in 1.000 .. 1.200
//! ```
//!
//! A run has 4,800 questions. Unreadable and forfeited answers count as "later".
//!
//! # Presets
//!
//! | preset | constructor | questions |
//! |---|---|---:|
//! | `paper` (default) | [`Config::paper`] | 4,800 |
//! | `short` | [`Config::short`] | 96 |
//!
//! # Action, observation, feedback
//!
//! | type | fields |
//! |---|---|
//! | [`Action`] | `Now`, `Later` or `Unreadable` |
//! | [`Observation`] | `question` (from 0), `amount` \[$\], `delay`, `years`, `now_first` |
//! | [`Feedback`] | `question` |
//!
//! # Score and reference
//!
//! The score is the yearly discount rate \[%\]; the metrics say how reliable it is. There is no
//! [`reference()`].
//!
//! # Policies
//!
//! [`policies`] gives `random`, `now`, `later` and `discounter`.
//!
//! # Batch
//!
//! There is no batch form.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`config`], [`instance`] | settings; one questionnaire |
//! | [`mod@env`], [`action`], [`observation`] | the environment and its state; what goes in and out |
//! | [`discounting`] | fits the discount rate to answers |
//! | [`mod@reference`], [`policy`] | reference; built-in policies |
//! | [`spec`], [`tools`] | registration with the runner; tools and prompts for language models |
//! | `strategy` | strategies for property tests (feature `proptest`) |

pub mod action;
pub mod config;
pub mod discounting;
pub mod env;
pub mod instance;
pub mod observation;
pub mod policy;
pub mod reference;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod plots;

pub use action::Action;
pub use config::Config;
pub use env::Patience;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
