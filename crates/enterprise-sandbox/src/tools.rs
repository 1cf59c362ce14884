//! The tools and prompts of a task, for language models: the [`ToolInterface`] of [`OfficeTask`].
//! [`crate::toolset`] holds the tables of tools.
//!
//! `whoami` and `explain_access` are getters: they are answered from a copy of the state and leave
//! no trace in the audit trail. `answer` and `refuse` are actions. All tools that touch data are
//! writes in the sense of the workspace, reads included, because a read is recorded.

use crate::action::Action;
use crate::env::OfficeTask;
use crate::observation::Feedback;
use crate::prompt;
use crate::toolset;
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
        let ends = ["answer", "refuse"].contains(&tool);
        if !ends {
            // The arguments are checked once, by the step.
            return Ok(Action::Call {
                tool: tool.to_owned(),
                arguments: arguments.clone(),
            });
        }
        let call = toolset::parse(toolset::known(tool)?, arguments)?;
        let class = |name: &str| name.parse().ok();
        Ok(match call.class.as_deref().and_then(class) {
            Some(class) => Action::Refuse {
                class,
                reason: call.text,
            },
            None => Action::Answer {
                text: call.text,
                facts: call.facts,
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
