//! A simulated company in which an agent does office work. Each task is a request of one employee:
//! find facts in the company's systems, change records, or refuse what cannot be done. The agent
//! works through tools in that person's name and with that person's rights. Access rules are
//! enforced, writes are saved, every task has a provably unique outcome, and no model judges. From
//! Vishwakarma, Agarwal, Patil, Devaguptapu and Chandran, "Can LLMs Help You at Work? A Sandbox for
//! Evaluating LLM Agents in Enterprise Environments" (EnterpriseBench): the roles 4:3:2:1, the levels
//! 9 to 14, the 46 tools of table 8, 65/30/5 per cent search, CRUD and unanswerable tasks, easy below
//! three subtasks. Different from the paper: the rules are enforced and writes are saved, access is
//! decided by policies and not by a language model, tasks and their outcomes are generated without a
//! model.
//!
//! # Example
//!
//! Twenty tasks, played by a policy that looks up the requested facts in the persona's own record and
//! refuses other requests:
//!
//! ```
//! use enterprise_sandbox::data::tables::TableId;
//! use enterprise_sandbox::tasks::RefusalClass;
//! use enterprise_sandbox::{Action, Config, Feedback, Instance, Observation, OfficeTask};
//! use serde_json::{Map, Value, json};
//! use sim_core::{Environment as _, Episode, Policy, Seed};
//! use std::sync::Arc;
//!
//! #[derive(Default)]
//! struct AboutMe {
//!     record: Value,
//! }
//!
//! impl Policy<OfficeTask> for AboutMe {
//!     fn act(&mut self, seen: &Observation) -> Action {
//!         let keys = seen.asks.iter().map(|ask| ask.key.as_str());
//!         let fields: Vec<&str> = keys.filter(|key| TableId::Employees.field(key).is_some()).collect();
//!         if fields.is_empty() {
//!             return Action::Refuse { class: RefusalClass::Denied, reason: String::new() };
//!         }
//!         if seen.calls == 0 {
//!             let arguments = json!({"emp_id": seen.persona["emp_id"], "fields": fields});
//!             return Action::Call { tool: "employee_data_read".to_owned(), arguments };
//!         }
//!         let fact = |key: &&str| Some(((*key).to_owned(), self.record.get(key)?.clone()));
//!         let facts: Map<String, Value> = fields.iter().filter_map(fact).collect();
//!         Action::Answer { text: "From your record.".to_owned(), facts }
//!     }
//!
//!     fn learn(&mut self, feedback: &Feedback) {
//!         self.record = feedback.items().first().cloned().unwrap_or_default();
//!     }
//! }
//!
//! let config = Config::of(50);
//! let mut right = 0.0;
//! for k in 0..20 {
//!     let instance = Instance::generate(&config, Episode::of_run(Seed(7), k))?;
//!     let mut env = OfficeTask::new(Arc::new(instance))?;
//!     let mut policy = AboutMe::default();
//!     while !env.is_over() {
//!         let feedback = env.step(&policy.act(&env.observe()))?;
//!         policy.learn(&feedback);
//!     }
//!     right += env.score()?.value();
//! }
//! assert!(right < 10.0); // most tasks need more than the persona's own record
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
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
//! Every tool call is a step, reads included, because the records that were shown determine which
//! disclosures are leaks; an answer or a refusal ends the task. Steps of a call:
//!
//! 1. The arguments are checked against the table of the tool; arguments that are invalid for any
//!    data are an error.
//! 2. An argument that names the caller must match the session's user.
//! 3. The row is found and the access rules are evaluated.
//! 4. Values are checked against other rows.
//! 5. Fields are written to the overlay, with a journal entry and a new version.
//! 6. The call is recorded in the audit trail, refused or not.
//!
//! # Presets
//!
//! | preset | people |
//! |---|---:|
//! | `paper` (default) | 1,260 |
//! | `small` | 50 |
//! | `large` | 10,000 |
//!
//! [`Config::preset`] finds a preset by name; [`Config::of`] takes any number of people from 50 to
//! 100,000.
//!
//! # Action, observation, feedback
//!
//! An [`Action`] is a tool call, an answer with facts by key, a refusal with its class, or the number
//! of an entry of the [`menu`], for programs that learn. An [`Observation`] is the request, who makes
//! it, and the keys of the facts to report. A [`Feedback`] is the reply to a call: records, the
//! written record, or the code of a refusal.
//!
//! # Score and reference
//!
//! The score is 1 when all expected records and no others were written, every required fact is given
//! and right, and nothing forbidden was told; else 0. A task that cannot be done needs a refusal of
//! the right class. [`fn@reference`] is 1, proven: the gold plan of each task was run when the task
//! was drawn. [`OfficeTask::evaluation`] has the parts of the score and statistics of the run.
//!
//! # Policies
//!
//! [`policies`] lists the built-in policies: `null`, `random`, `greedy` (matches words of the request
//! with arguments of tools), and the oracles (they know hidden state) `oracle` (carries out the gold
//! plan), `snoop` (reads other people's records) and `chatty` (the gold plan, then the wrong
//! answer).
//!
//! # Batch
//!
//! [`Batch`] steps many tasks at once; an action is the number of an entry of the [`menu`], and lane
//! `k` is episode `k` of the run. A task ends after at most eight steps.
//!
//! ```
//! use enterprise_sandbox::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let mut batch = Batch::new(&Config::of(50), 4, Seed(7))?;
//! let mut obs = vec![0.0; batch.layout().observation_len()];
//! let (mut rewards, mut dones) = (vec![0.0; 4], vec![false; 4]);
//! batch.step_batch(&[0.0; 4], &mut obs, &mut rewards, &mut dones)?; // entry 0 ends the task
//! assert_eq!((rewards, dones), (vec![0.0; 4], vec![true; 4]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! [`config`], [`instance`], [`env`](mod@env), [`action`], [`observation`], [`mod@reference`],
//! [`policy`], [`batch`] and [`spec`] have the same content in every simulator, and [`menu`] has the numbered
//! actions. They stand on four rooms, each of which uses only the rooms above it:
//!
//! ```text
//!  data     tables, companies, writes, search          knows none of the others
//!    ▲
//!  access   who may do what to which row               knows data
//!    ▲
//!  tools    tool sets, and the office that runs calls  knows data and access
//!    ▲
//!  tasks    templates, generator, evaluation           knows all three
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`data`] | the declared tables, companies made from a seed or imported, the writes of an episode, search |
//! | [`access`] | access rules: Cedar policies, and native predicates compiled from them |
//! | [`tools`] | the tables of tools, and the office behind them: calls, writes, reads |
//! | [`tasks`] | templates and generator of tasks, evaluation of a run, calls for tests of the rules |
//! | `strategy` | strategies for property tests (feature `proptest`) |

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap
)]

pub mod access;
pub mod action;
pub mod batch;
pub mod config;
pub mod data;
pub mod env;
pub mod instance;
pub mod menu;
pub mod observation;
pub mod policy;
pub mod reference;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tasks;
pub mod tools;

mod offices;
mod plots;
mod prompt;
mod request;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::OfficeTask;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
