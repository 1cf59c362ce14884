//! Tools and prompts for language models: `get_previous_purchase_data`, `get_equipment_information`,
//! `get_budget`, `get_attempt_number` and `submit_purchase_plan`.

use super::action::Action;
use super::env::Procurement;
use super::layout;
use super::observation::Feedback;
use super::prompt;
use crate::action_text::mapping_argument;
use serde_json::{Value, json};
use sim_core::{ActionError, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput, ToolSpec};
use std::sync::Arc;

impl ToolInterface for Procurement {
    fn tools(&self) -> Vec<ToolSpec> {
        let once = |spec: ToolSpec| {
            if self.instance().rules.read_once {
                spec.once()
            } else {
                spec
            }
        };
        let getter = |name, about| ToolSpec::new(name, ToolKind::Getter, about);
        vec![
            once(getter(prompt::HISTORY, prompt::HISTORY_ABOUT)),
            once(getter(prompt::MENU, prompt::MENU_ABOUT)),
            getter(prompt::BUDGET, prompt::BUDGET_ABOUT),
            getter(prompt::ATTEMPT, prompt::ATTEMPT_ABOUT),
            ToolSpec::new(prompt::SUBMIT, ToolKind::Action, prompt::SUBMIT_ABOUT).with(
                prompt::PLAN,
                json!({"type": "string", "description": prompt::PLAN_ABOUT}),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        prompt::briefing(&self.instance().rules)
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.attempt(),
            total: Some(self.instance().rules.periods),
            unit: "attempt",
        }
    }

    fn get(&self, tool: &str, _arguments: &Value) -> Result<ToolOutput, ActionError> {
        let menu = &self.instance().menu;
        let text = match tool {
            prompt::HISTORY => layout::history(menu, self.attempts()),
            prompt::MENU => layout::menu(menu),
            prompt::BUDGET => layout::dollars(menu.budget_cents),
            prompt::ATTEMPT => self.attempt().to_string(),
            other => return Err(ActionError::unknown_tool(other, &[])),
        };
        Ok(ToolOutput::text(text))
    }

    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        if tool != prompt::SUBMIT {
            return Err(ActionError::unknown_tool(tool, &[prompt::SUBMIT]));
        }
        let written = mapping_argument(arguments, prompt::PLAN)?;
        Action::read(&written, self.instance().menu.offers.len())
    }

    fn show(&self, attempt: &Arc<Feedback>) -> ToolOutput {
        ToolOutput {
            text: layout::result(&self.instance().menu, attempt),
            value: serde_json::to_value(&**attempt).ok(),
        }
    }
}
