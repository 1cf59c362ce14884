//! Scheduling: match workers to tasks under hidden preferences.
//!
//! Workers rank tasks and tasks rank workers; the agent knows neither. Every period it proposes a
//! one-to-one assignment and is shown up to `k` of its *blocking pairs*: a worker and a task that
//! prefer each other to their current partners. An assignment without blocking pairs is stable and ends
//! the run. The environment is that of "EconAgentBench" (section 3.3.2, appendix D) and of the
//! authors' program.
//!
//! # Example
//!
//! Three episodes with the policy `fix-all-pairs`:
//!
//! ```
//! use econ_envs::scheduling::{Config, Instance, Scheduling, policy::FixPairs};
//! use sim_core::{Environment as _, Episode, Policy as _, Seed};
//! use std::sync::Arc;
//!
//! for k in 0..3 {
//!     let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), k))?;
//!     let mut env = Scheduling::new(Arc::new(instance))?;
//!     let mut policy = FixPairs::all(Seed(k));
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         let feedback = env.step(&action)?;
//!         policy.learn(&feedback);
//!     }
//!     assert!(env.score()?.value() > 0.5);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   period:  read the record of attempts -> submit an assignment -> k blocking pairs, or the end
//!   score:   1 - blocking pairs of the last assignment / expectation of a random assignment
//! ```
//!
//! A run has at most 100 periods. An assignment must name every worker and every task exactly once;
//! others are refused and change nothing. The same assignment is always shown with the same pairs.
//! After a forfeited period the assignment before it still counts.
//!
//! Where the paper and the authors' program differ, both are options and the program's is the default
//! ([`PreferenceLaw`](config::PreferenceLaw)). Different from both: the denominator of the score is
//! exact instead of sampled ([`blocking::Kernel::expected_blocking`]), and a wrong assignment is answered with
//! an error instead of ending the run.
//!
//! # Presets
//!
//! | preset | constructor | workers | pairs shown |
//! |---|---|---:|---:|
//! | `basic` (default) | [`Config::basic`] | 10 | 1 |
//! | `medium` | [`Config::medium`] | 20 | 2 |
//! | `hard` | [`Config::hard`] | 50 | 5 |
//!
//! The suite `paper` ([`Spec::suite`](sim_core::EnvironmentSpec::suite)) holds the authors' twelve
//! instances of each preset.
//!
//! # Action, observation, feedback
//!
//! | type | fields |
//! |---|---|
//! | [`Action`] | `task_of`: the task of each worker; `written`: the order in which an agent wrote them |
//! | [`Observation`] | `workers`, `attempt` (from 0), `final_attempt`, `previous` |
//! | [`Feedback`] | `attempt`, `task_of`, `stable`, `problems`: the shown blocking pairs |
//!
//! # Score and reference
//!
//! The score is `1 - B / E`: `B` blocking pairs of the last assignment, `E` the exact expectation for a
//! random assignment \[1 is stable, 0 is random, larger is better\]. [`reference()`] is 1, because a
//! stable assignment always exists; the baseline is 0.
//!
//! # Policies
//!
//! [`policies`] gives `random`, `fix-one-pair`, `fix-all-pairs`, `learning` and `optimal`. `optimal` is
//! an oracle (knows hidden state).
//!
//! # Batch
//!
//! [`Batch`] steps many markets together without allocating. Its observation holds the attempt, the
//! last assignment and the shown pairs; its action is one number per worker, whose order is the
//! assignment.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`config`], [`instance`], [`preferences`] | settings; one market; the rankings of both sides |
//! | [`mod@env`], [`action`], [`observation`] | the environment and its state; what goes in and out |
//! | [`blocking`], [`stable`] | blocking pairs and their expectation; stable matchings |
//! | [`mod@reference`], [`policy`], [`batch`] | reference; built-in policies; many lanes |
//! | [`spec`], [`tools`] | registration with the runner; tools and prompts for language models |
//! | `strategy` | strategies for property tests (feature `proptest`) |

pub mod action;
pub mod batch;
pub mod blocking;
pub mod config;
pub mod env;
pub mod instance;
pub mod observation;
pub mod policy;
pub mod preferences;
pub mod reference;
pub mod spec;
pub mod stable;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod generate;
mod market;
mod paper;
mod plots;
mod shown;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::Scheduling;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
