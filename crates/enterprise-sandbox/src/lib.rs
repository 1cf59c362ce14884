//! A simulated company in which agents work: fragmented sources, enforced access rules, tools that
//! write, tasks whose answers are provably unique, and scores without a judge.
//!
//! ```text
//!  CompanyConfig ── synthesise ─┐                       ┌─ Generator ── Task
//!  NativeTree ───── import ─────┤                       │
//!                               ▼                       │
//!                 Company (tables, never changes) ── Office ── call(state, principal, tool, arguments)
//!                                                       │            │
//!                 policies/office.cedar ── Access ──────┘            ▼
//!                                                          OfficeState (overlay, journal, audit)
//!                                                                    │
//!                                              evaluate(office, task, state, ending)
//! ```
//!
//! Steps of a call:
//!
//! 1. The arguments are checked against the table of the tool; arguments that are invalid for any
//!    data are an error.
//! 2. An argument that names the caller must match the session's user.
//! 3. The row is found and the access rules are evaluated.
//! 4. Values are checked against other rows.
//! 5. Fields are written to the overlay, with a journal entry and a new version.
//! 6. The call is recorded in the audit trail, refused or not.
//!
//! **Source.** Vishwakarma, Agarwal, Patil, Devaguptapu and Chandran: *Can LLMs Help You at Work? A
//! Sandbox for Evaluating LLM Agents in Enterprise Environments* (EnterpriseBench): roles 4:3:2:1,
//! levels 9 to 14, the 46 tools of table 8, 65/30/5 per cent search, CRUD and unanswerable tasks,
//! easy below three subtasks. Differences: the rules are enforced and writes are saved, access is
//! decided by policies instead of a language model, tasks and their outcomes are generated without
//! a model.
//!
//! ```
//! use enterprise_sandbox::{Config, OfficeFamily};
//! use sim_core::{DynEnvironmentSpec, Effort, Seed};
//!
//! let spec = OfficeFamily::default();
//! let config = spec.configure(Some("small"), &[])?;
//! let instance = spec.draw(&config, Seed(7), 0)?;
//! assert_eq!(instance.reference(Effort::Quick).optimum, Some(1.0));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap
)]

pub mod access;
pub mod company;
pub mod config;
pub mod environment;
pub mod evaluate;
pub mod export;
pub mod family;
pub mod import;
pub mod office;
pub mod org;
pub mod overlay;
pub mod policy;
pub mod probe;
mod prompt;
pub mod records;
pub mod row;
pub mod search;
pub mod source;
pub mod synth;
pub mod task;
pub mod tool;
pub mod value;
pub mod view;

pub use access::{Access, AccessConfig, Enforcement, EngineKind};
pub use company::{Company, Defect, Mark};
pub use config::{Config, PlanHint};
pub use environment::{Action, Feedback, Instance, Observation, OfficeTask};
pub use evaluate::{Ending, Evaluation, evaluate};
pub use family::OfficeFamily;
pub use office::{Code, Office, OfficeState, Reply};
pub use org::{Department, Rank};
pub use source::{Compare, Field, FieldType, TableId, Write};
pub use synth::code::apply_patch;
pub use synth::{CompanyConfig, DataDefects, Profile, Ratio, Volumes, synthesise, synthesise_on};
pub use task::{Category, Domain, Generator, Task, TaskConfig};
pub use tool::ToolSet;
pub use value::{Cents, Day, Moment};
