//! What an agent may do.
//!
//! Serialised with the name of the variant as the only key, so that logs of runs are readable:
//! `{"call": {"tool": .., "arguments": ..}}`, `{"answer": ..}`, `{"refuse": ..}`, `"end"`,
//! `{"pick": 4}`.

use crate::tasks::RefusalClass;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One decision.
///
/// ```
/// use enterprise_sandbox::Action;
/// use serde_json::json;
///
/// let call = Action::Call {
///     tool: "employee_data_read".to_owned(),
///     arguments: json!({"department": "Finance", "limit": 5}),
/// };
/// let text = serde_json::to_value(&call)?;
/// assert_eq!(text["call"]["tool"], "employee_data_read");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Calls are checked when they are made; constructing an action cannot fail. A call whose arguments
/// are invalid for any data is an error of the step and leaves the state as it was. A call that the
/// office refuses is a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Action {
    /// A tool call. Scripts and policies may use the names of either tool set.
    Call {
        /// Name of the tool.
        tool: String,
        /// Its arguments, an object.
        arguments: Value,
    },
    /// Ends the task with an answer.
    /// Also right for a task that only writes: then no facts are asked for.
    Answer {
        /// The text, at most 20,000 characters.
        text: String,
        /// Facts by the keys of [`Observation::asks`](crate::Observation::asks), at most 60.
        #[serde(default)]
        facts: Map<String, Value>,
    },
    /// Ends the task with a refusal.
    Refuse {
        /// The reason.
        class: RefusalClass,
        /// The text.
        #[serde(default)]
        reason: String,
    },
    /// Ends the task without an answer.
    /// Scores 0 in every task.
    End,
    /// For programs that learn: the entry with this number of the [menu](crate::menu), whose
    /// arguments come from the words of the request. A number beyond the menu is an error.
    Pick(u32),
}

impl Action {
    /// A tool call.
    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::Call {
            tool: tool.to_owned(),
            arguments,
        }
    }

    /// The end of the task with an answer.
    pub(crate) fn answer(text: &str, facts: Map<String, Value>) -> Self {
        Self::Answer {
            text: text.to_owned(),
            facts,
        }
    }

    /// The end of the task with a refusal.
    pub(crate) fn refuse(class: RefusalClass, reason: &str) -> Self {
        Self::Refuse {
            class,
            reason: reason.to_owned(),
        }
    }
}
