//! The tools and prompts of a simulator.

use crate::ask::{Ask, Retold};
use crate::environment::{Environment, Seat};
use crate::error::ActionError;
use crate::tool::{PeriodCount, Prompt, ToolOutput, ToolSpec};
use serde::Serialize;
use serde_json::Value;

/// The tools, prompts and parsing of an [`Environment`]: everything that
/// [`ToolAdapter`](crate::ToolAdapter) needs to offer it to language models, MCP clients and people. All
/// methods concern the seat in turn.
pub trait ToolInterface: Environment {
    /// What is shown of a feedback as JSON, mostly the feedback itself; `()` where only its text is shown.
    type Shown: Serialize;

    /// The tools, getters first, action tools last. The list may depend on the seat and the instance, but
    /// not on the state.
    fn tools(&self) -> Vec<ToolSpec>;

    /// Whether a tool of the list can be called now.
    fn offered(&self, tool: &str) -> bool {
        let _ = tool;
        true
    }

    /// The prompts for the current period.
    fn briefing(&self) -> Prompt;

    /// What the seat in turn is asked in words, where it answers with text: its action is then a
    /// [`TextReply`](crate::TextReply). `None` (the default) where it decides with tools.
    fn ask(&self) -> Option<Ask> {
        None
    }

    /// The episode so far in words, for memories; `None` (the default) where its log says everything.
    fn retold(&self) -> Option<Retold> {
        None
    }

    /// Number of the current period and of all periods.
    fn period(&self) -> PeriodCount;

    /// Answers a getter.
    ///
    /// # Errors
    /// When the arguments do not match the schema or name something that does not exist.
    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError>;

    /// Parses a call of a write or action tool into a typed action.
    ///
    /// # Errors
    /// When the arguments do not match the schema.
    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Self::Action, ActionError>;

    /// Parses free text into a typed action; `None` (the default) when the environment does not read free
    /// text.
    fn read_text(&self, text: &str) -> Option<Result<Self::Action, ActionError>> {
        let _ = text;
        None
    }

    /// The text for the feedback of an action.
    fn feedback_text(&self, feedback: &Self::Feedback) -> String;

    /// What is shown as JSON beside that text; `None` where the text is all.
    fn feedback_value<'a>(&self, feedback: &'a Self::Feedback) -> Option<&'a Self::Shown>;

    /// The result of the last finished period for each seat, as JSON, for people who follow a game
    /// (`--steps`, `replay`); agents do not see it. Empty (the default) if the feedback of the
    /// decisions tells it already, and before the first period ends.
    fn outcomes(&self) -> Vec<(Seat, Value)> {
        Vec::new()
    }

    /// The feedback of the `action` that `seat` decided in `period` (counted from 0), with what the period brought, for
    /// a seat that decided before others did. `None` before the period ends, and always (the default) if the
    /// feedback of a decision does not depend on the others.
    fn feedback_at_end(
        &self,
        seat: &Seat,
        period: u32,
        action: &Self::Action,
    ) -> Option<Self::Feedback> {
        let _ = (seat, period, action);
        None
    }
}
