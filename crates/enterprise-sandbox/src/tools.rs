//! The tools and prompts of a task, for language models: the [`ToolInterface`] of [`OfficeTask`].
//! [`crate::toolset`] holds the tables of tools.
//!
//! `whoami` and `explain_access` are getters: they are answered from a copy of the state and leave
//! no trace in the audit trail. `answer` and `refuse` are actions. All tools that touch data are
//! writes in the sense of the workspace, reads included, because a read is recorded.

use crate::action::Action;
use crate::env::OfficeTask;
use crate::observation::Feedback;
use crate::office::Office;
use crate::prompt;
use crate::task::RefusalClass;
use crate::toolset::{self, Op};
use serde_json::Value;
use sim_core::{
    ActionError, Environment as _, PeriodCount, Prompt, ToolInterface, ToolOutput, ToolSpec,
};

impl ToolInterface for OfficeTask {
    type Shown = Value;

    fn tools(&self) -> Vec<ToolSpec> {
        let instance = self.instance();
        let tools = instance.surface.tools(instance.distractors);
        tools.into_iter().map(toolset::OfficeTool::spec).collect()
    }

    fn briefing(&self) -> Prompt {
        let rules = self
            .instance()
            .show_rules
            .then(|| self.office().access().rules());
        prompt::briefing(&self.observe(), rules.as_deref(), &self.instance().examples)
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: u32::from(self.is_over()),
            total: Some(1),
            unit: "task",
        }
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        // Questions about the principal and the rules are not recorded.
        let mut state = self.state().office.clone();
        let reply = self.office().call(&mut state, self.me(), tool, arguments)?;
        Ok(ToolOutput {
            text: reply.text(),
            value: Some(reply.body),
        })
    }

    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        let found = Office::check_call(tool, arguments)?;
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Ok(match found.op {
            Op::Answer => Action::Answer {
                text: text("text"),
                facts: arguments
                    .get("facts")
                    .and_then(Value::as_object)
                    .cloned()
                    .unwrap_or_default(),
            },
            Op::Refuse => {
                let class = match text("class").as_str() {
                    "denied" => RefusalClass::Denied,
                    "missing" => RefusalClass::Missing,
                    _ => RefusalClass::Ambiguous,
                };
                Action::Refuse {
                    class,
                    reason: text("reason"),
                }
            }
            _ => Action::Call {
                tool: tool.to_owned(),
                arguments: arguments.clone(),
            },
        })
    }

    fn feedback_text(&self, feedback: &Feedback) -> String {
        if feedback.over {
            return "the task has ended".to_owned();
        }
        sim_core::bytes::canonical_text(&feedback.reply)
    }

    fn feedback_value<'a>(&self, feedback: &'a Feedback) -> Option<&'a Value> {
        (!feedback.over).then_some(&feedback.reply)
    }
}
