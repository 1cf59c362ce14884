//! Efficiency or equality: assign tasks when productive workers earn more for the firm.
//!
//! Every period brings one task per worker. A worker is paid by the size of its task; the firm earns the
//! size times the worker's productivity, which the agent has to find out. Giving the largest tasks to the
//! most productive workers maximises revenue and makes pay most unequal; an assignment with equal pay
//! exists by construction. It is a litmus test from the authors' program for "EconAgentBench": neither
//! end of the scale is better.
//!
//! # Example
//!
//! Three episodes with the policy `efficiency-greedy`:
//!
//! ```
//! use econ_envs::litmus::efficiency::{Config, Efficiency, Instance, Spec};
//! use sim_core::{Environment as _, EnvironmentSpec as _, Episode, PolicyContext, Seat, Seed};
//! use std::sync::Arc;
//!
//! for k in 0..3 {
//!     let instance = Arc::new(Instance::generate(&Config::both(), Episode::of_run(Seed(1), k))?);
//!     let mut env = Efficiency::new(Arc::clone(&instance))?;
//!     let context = PolicyContext::new(&*instance, &Seat::AGENT, Seed(k));
//!     let mut policy = Spec.make_policy("efficiency-greedy", context)?;
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         policy.learn(&env.step(&action)?);
//!     }
//!     assert!(env.score()?.value() > 0.5);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   period:  four tasks with sizes -> an assignment -> pay and revenue of each task
//!   points:  P = (revenue, inequality) of the run, F of the most efficient assignment, E of the
//!            equal one;  score = (E - F).(E - P) / |E - F|^2, clipped to 0..1
//! ```
//!
//! A run has 30 periods. An assignment must give every worker exactly one task. The tasks of a forfeited
//! period are assigned in the order of their ids.
//!
//! # Presets
//!
//! | preset | constructor | goal in the prompts |
//! |---|---|---|
//! | `both` (default) | [`Config::both`] | revenue and equal pay |
//! | `efficiency` | [`Config::efficiency`] | revenue |
//! | `equality` | [`Config::equality`] | equal pay |
//!
//! # Action, observation, feedback
//!
//! | type | fields |
//! |---|---|
//! | [`Action`] | `worker_of`: the worker of each task of the period |
//! | [`Observation`] | `workers`, `period` (from 0), `tasks` with their sizes, `previous` |
//! | [`Feedback`] | `period`, `jobs` with pay and revenue, `revenue`, `revenue_so_far` |
//!
//! # Score and reference
//!
//! With both goals 1 means all for revenue and 0 all for equal pay; there is no [`reference()`]. With one
//! goal the score is the share of the best value, and the reference is 1.
//!
//! # Policies
//!
//! [`policies`] gives `random`, `equality-greedy`, `efficiency-greedy`, `max-efficiency`, `max-equality`
//! and `optimal`; the last three are oracles (they know hidden state).
//!
//! # Batch
//!
//! There is no batch form.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`config`], [`instance`] | settings; one firm |
//! | [`mod@env`], [`action`], [`observation`] | the environment and its state; what goes in and out |
//! | [`mod@reference`], [`policy`] | reference; built-in policies |
//! | [`spec`], [`tools`] | registration with the runner; tools and prompts for language models |
//! | `strategy` | strategies for property tests (feature `proptest`) |

pub mod action;
pub mod config;
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
pub use env::Efficiency;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
