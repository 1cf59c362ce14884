//! Tools and prompts for language models: `get_previous_purchase_data`, `get_equipment_information`,
//! `get_budget`, `get_attempt_number` and `submit_purchase_plan`.
//!
//! The plan is one string that holds a dictionary. What cannot be read is answered with
//! an error, and the period goes on:
//!
//! ```
//! use econ_envs::procurement::{Config, Instance, Procurement};
//! use serde_json::json;
//! use sim_core::{Episode, Seed, ToolAdapter, ToolEnvironment};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
//! let mut game = ToolAdapter::new(Procurement::new(Arc::new(instance))?);
//! let menu = game.call("get_equipment_information", &json!({}));
//! assert!(menu.text().contains("Offer_1"));
//! let plan = |text: &str| json!({"purchase_plan": text});
//! assert!(game.call("submit_purchase_plan", &plan("{'Offer_99': 1}")).is_rejected());
//! assert!(!game.call("submit_purchase_plan", &plan("{'Offer_1': 1}")).is_rejected());
//! assert_eq!(game.period().index, 1);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::action::Action;
use super::env::Procurement;
use super::layout;
use super::observation::Feedback;
use super::prompt;
use crate::action_text::mapping_argument;
use crate::protocol;
use serde_json::{Value, json};
use sim_core::tool::known_arguments;
use sim_core::{ActionError, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput, ToolSpec};
use std::sync::Arc;

impl ToolInterface for Procurement {
    type Shown = Feedback;

    fn tools(&self) -> Vec<ToolSpec> {
        let once = self.instance().rules.read_once;
        let getter = |name, about| ToolSpec::new(name, ToolKind::Getter, about);
        vec![
            protocol::getter_once(prompt::HISTORY, prompt::HISTORY_ABOUT, once),
            protocol::getter_once(prompt::MENU, prompt::MENU_ABOUT, once),
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
        protocol::attempts(self.attempt(), self.instance().rules.periods)
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        known_arguments(arguments, &[])?;
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

    fn feedback_text(&self, attempt: &Arc<Feedback>) -> String {
        layout::result(&self.instance().menu, attempt)
    }

    fn feedback_value<'a>(&self, attempt: &'a Arc<Feedback>) -> Option<&'a Feedback> {
        Some(attempt)
    }
}
