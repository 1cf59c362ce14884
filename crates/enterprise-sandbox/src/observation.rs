//! What an agent sees, and the feedback on its decisions.
//!
//! ```
//! use enterprise_sandbox::{Config, Instance, OfficeTask};
//! use sim_core::{Environment as _, Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
//! let env = OfficeTask::new(Arc::new(instance))?;
//! let seen = env.observe();
//! assert_eq!(seen.today, "2025-06-30");
//! assert_eq!(seen.calls, 0);
//! assert!(seen.persona["emp_id"].as_str().is_some_and(|id| id.starts_with("emp_")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::tasks::FactKind;
use crate::tools::ToolSet;
use crate::tools::office::Code;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A fact that the answer must give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedFact {
    /// Key under which to report it, mostly the name of a field.
    pub key: String,
    /// Its type, which says how it is compared.
    pub kind: FactKind,
}

/// The observation of the agent: the request and what is known about it. Records are seen in the
/// [`Feedback`] of calls.
///
/// It does not contain the category, the plan (unless a hint is set) or whether the task can be
/// done: the agent has to find out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The request.
    pub instruction: String,
    /// The person who makes the request, an object: `emp_id`, `name`, `department`, `level` (the
    /// code of the level, such as `EN10`).
    pub persona: Value,
    /// Today on the office clock, `YYYY-MM-DD`.
    pub today: String,
    /// Facts to report; empty when the task only writes.
    pub asks: Vec<AskedFact>,
    /// The part of the plan that is shown; empty unless the setting `plan` shows some of it.
    pub plan: Vec<String>,
    /// Names of the tools.
    pub surface: ToolSet,
    /// Calls made so far, refused ones included.
    /// The only field that changes during an episode.
    pub calls: u32,
}

/// The feedback on a decision.
///
/// A refusal by the rules has the code in `refused` and, for agents, in `reply.error.code`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Why the call was refused, if it was.
    pub refused: Option<Code>,
    /// The reply: an object with `items`, `record` or `error`, depending on the tool; null at the
    /// end.
    pub reply: Value,
    /// Whether the task has ended.
    pub over: bool,
}

impl Feedback {
    /// The records that a read has found; empty after other calls.
    #[must_use]
    pub fn items(&self) -> &[Value] {
        let items = self.reply.get("items").and_then(Value::as_array);
        items.map_or(&[], Vec::as_slice)
    }
}
