//! Matching workers to tasks under hidden preferences.
//!
//! Workers rank tasks, tasks rank workers, the agent knows neither. Every period it proposes a
//! one-to-one assignment and is shown up to `k` of its *blocking pairs*: a worker and a task that
//! prefer each other to what they were given. An assignment without any is stable and ends the
//! run; otherwise the last one counts.
//!
//! ```text
//!   period:  read the record of attempts -> submit an assignment -> k blocking pairs, or the end
//!   score:   1 - blocking pairs of the last assignment / expectation of a random assignment
//! ```
//!
//! Source: section 3.3.2 and appendix D of the paper and the authors' program, which made its
//! numbers; where they differ both are options and the program's is the default
//! ([`PreferenceLaw`]). What differs from both: the denominator is exact instead of sampled
//! ([`expected_blocking`]), every error is answered, and a period without a decision is forfeited
//! instead of ending the run.
//!
//! ```
//! use econ_envs::scheduling::{Config, Scheduling, SchedulingFamily, worker_optimal};
//! use sim_core::{Environment as _, Episode, Family as _, Seed};
//! use std::sync::Arc;
//!
//! let instance = SchedulingFamily.generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
//! let stable = worker_optimal(&instance.preferences);
//! let mut run = SchedulingFamily.begin(Arc::new(instance))?;
//! let feedback = run.step(&econ_envs::scheduling::Assignment::new(stable)).unwrap();
//! assert!(feedback.stable && run.is_over());
//! assert_eq!(run.score().unwrap().value(), 1.0);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

pub mod batch;
pub mod blocking;
pub mod config;
pub mod env;
pub mod generate;
pub mod instance;
mod market;
pub mod paper;
pub mod policy;
pub mod preferences;
mod shown;
pub mod spec;
pub mod stable;
pub mod tools;

pub use batch::SchedulingBatch;
pub use blocking::{BlockingPairs, Kernel, Pair, expected_blocking};
pub use config::{Config, PreferenceFamily, PreferenceLaw};
pub use env::{Assignment, Attempt, Feedback, Observation, Scheduling, State};
pub use instance::Instance;
pub use preferences::Preferences;
pub use spec::SchedulingFamily;
pub use stable::{task_optimal, worker_optimal};

/// Largest number of workers that the environment accepts.
pub const MAX_SIZE: usize = 1000;
