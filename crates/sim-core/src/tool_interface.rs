//! What a simulator writes for its tool side.

use crate::environment::Environment;
use crate::error::ActionError;
use crate::tool::{PeriodCount, Prompt, ToolOutput, ToolSpec};
use serde_json::Value;

/// Words and tools over an [`Environment`]: everything [`ToolAdapter`](crate::ToolAdapter) needs to offer it to
/// language models, MCP clients and people. All methods concern the seat in turn.
pub trait ToolInterface: Environment {
    /// The tools of the seat in turn, getters first, action tools last. The list may depend on
    /// the seat and the instance, not on the state.
    fn tools(&self) -> Vec<ToolSpec>;

    /// Whether a tool of the list can be called now.
    fn offered(&self, tool: &str) -> bool {
        let _ = tool;
        true
    }

    /// The framing texts, for this moment.
    fn briefing(&self) -> Prompt;

    /// How far the episode is.
    fn period(&self) -> PeriodCount;

    /// Answers a getter.
    ///
    /// # Errors
    /// When the arguments are not of the schema's form or name something that is not there.
    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError>;

    /// Turns a call of a write or action tool into a typed action. Changes nothing.
    ///
    /// # Errors
    /// When the arguments are not of the schema's form.
    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Self::Action, ActionError>;

    /// Turns prose into a typed action, where the environment reads prose; `None` where it does
    /// not.
    fn read_text(&self, text: &str) -> Option<Result<Self::Action, ActionError>> {
        let _ = text;
        None
    }

    /// Words for what came of an action.
    fn show(&self, feedback: &Self::Feedback) -> ToolOutput;
}
