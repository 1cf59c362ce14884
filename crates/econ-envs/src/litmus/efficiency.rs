//! Efficiency or equality: who gets which task, when the productive earn more.
//!
//! Every period brings one task a worker. A worker is paid by the size of its task, and earns the
//! firm size times its own productivity, which the agent has to find out. Giving the largest tasks
//! to the most productive maximises revenue and makes pay most unequal; a perfectly equal
//! assignment exists by construction.
//!
//! ```text
//!   period:  four tasks with sizes -> an assignment -> pay and revenue of each task
//!   points:  P = (revenue, inequality) of the run, F of the most efficient assignment, E of the
//!            equal one;  score = (E - F).(E - P) / |E - F|^2, cut to [0, 1]
//! ```

mod config;
mod env;
mod instance;
mod policy;
mod spec;
mod tools;

pub use config::{Config, Goal};
pub use env::{
    Assignment, EfficiencyEquality, Feedback, Job, Observation, Period, State, TaskSize,
};
pub use instance::{Instance, Outcome, generate};
pub use spec::EfficiencyFamily;
