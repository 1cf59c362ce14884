//! The tools of a seat.
//!
//! | tool | seat | kind |
//! |---|---|---|
//! | [`READ_SITUATION`] | all | getter: company, units, limits |
//! | [`READ_ADVISORS`] | chief executive | getter: the four advisors |
//! | [`READ_HISTORY`] | all | getter: earlier decisions |
//! | [`SUBMIT_PLAN`] | chief executive | action, ends the round |
//! | [`SUBMIT_REPORT`] | advisor | action, ends the turn |
//!
//! Getters take no arguments and may be called any number of times. A reply in prose is
//! read too: the first JSON object that looks like a plan (or a report) counts.
//!
//! ```
//! use ceo_reallocation::{CeoReallocation, Instance, tools};
//! use serde_json::json;
//! use sim_core::{ToolAdapter, ToolEnvironment};
//! use std::sync::Arc;
//!
//! let instance = Instance::authored("C3-R3").ok_or("no such scenario")?;
//! let mut game = ToolAdapter::new(CeoReallocation::new(Arc::new(instance))?);
//! assert!(game.call(tools::READ_ADVISORS, &json!({})).text().contains("CFO"));
//! let plan = json!({
//!     "remove_from": {"A": 13}, "add_to": {"B": 3, "C": 6, "D": 4},
//!     "decision_type": "moderate", "rationale": "Open Platform needs a base.",
//! });
//! game.call(tools::SUBMIT_PLAN, &plan);
//! assert!(game.is_over());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::action::Action;
use crate::deliberation::AdvisorReport;
use crate::env::CeoReallocation;
use crate::observation::{Feedback, Observation};
use crate::plan::{first_object, parse_plan, read_plan_value};
use crate::prompt;
use serde::Deserialize as _;
use serde_json::{Value, json};
use sim_core::{
    ActionError, Environment, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput, ToolSpec,
};

/// The getter of everything the seat sees, as text and JSON.
pub const READ_SITUATION: &str = "read_situation";
/// The getter of the advisors' views.
pub const READ_ADVISORS: &str = "read_advisors";
/// The getter of earlier decisions.
pub const READ_HISTORY: &str = "read_history";
/// The chief executive's decision.
pub const SUBMIT_PLAN: &str = "submit_plan";
/// An advisor's report.
pub const SUBMIT_REPORT: &str = "submit_report";

fn amounts(what: &str) -> Value {
    json!({
        "type": "object",
        "additionalProperties": { "type": ["number", "string"] },
        "description": format!("{what}, in percentage points by unit id, for example {{\"A\": 5}}.")
    })
}

fn text(what: &str) -> Value {
    json!({ "type": "string", "description": what })
}

fn plan_tool() -> ToolSpec {
    ToolSpec::new(
        SUBMIT_PLAN,
        ToolKind::Action,
        "Decide. Takes money from some units and gives the same total to others. Ends the round.",
    )
    .with("remove_from", amounts("What each source gives up"))
    .with("add_to", amounts("What each destination receives"))
    .with_optional(
        "total_realloc_share",
        json!({
            "type": ["number", "string"],
            "description": "The total moved, in percentage points; the sum of remove_from."
        }),
    )
    .with(
        "decision_type",
        json!({
            "type": "string", "enum": ["conservative", "moderate", "bold"],
            "description": "What a move of this size is for this company."
        }),
    )
    .with(
        "rationale",
        text("Why: the tensions between the advisors and what you put first."),
    )
    .with_optional(
        "history_refs",
        json!({
            "type": "array", "items": { "type": "integer", "minimum": 1 },
            "description": "Earlier rounds that you took into account."
        }),
    )
}

fn report_tool() -> ToolSpec {
    ToolSpec::new(
        SUBMIT_REPORT,
        ToolKind::Action,
        "Say what you ask for. Ends your turn; in later stages what you leave out stays as it was.",
    )
    .with(
        "preference_pp",
        amounts("The move you ask for, positive where a unit receives, summing to 0"),
    )
    .with("rationale", text("Why, in two or three sentences."))
    .with("primary_risk", text("What you fear most."))
    .with(
        "opposition_condition",
        text("When you would oppose the plan."),
    )
    .with_optional(
        "disclosed_facts",
        json!({
            "type": "array", "items": { "type": "string" },
            "description": "Ids of your private facts that the others may know."
        }),
    )
    .with_optional(
        "messages",
        json!({
            "type": "array",
            "items": {
                "type": "object", "required": ["text"], "additionalProperties": false,
                "properties": {
                    "to": text("CFO, CTO, COO, CMO, CEO or all."),
                    "text": text("The message.")
                }
            },
            "description": "Messages; from the second stage on."
        }),
    )
}

impl ToolInterface for CeoReallocation {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        let situation = ToolSpec::new(
            READ_SITUATION,
            ToolKind::Getter,
            "The company, its units and the limits of a plan, as they are now.",
        );
        let history = ToolSpec::new(
            READ_HISTORY,
            ToolKind::Getter,
            "Earlier decisions with what was moved, why, and which units were warned of overload.",
        );
        if self.officer_in_turn().is_some() {
            return vec![situation, history, report_tool()];
        }
        let advisors = ToolSpec::new(
            READ_ADVISORS,
            ToolKind::Getter,
            "What the four advisors ask for, why, what they fear and when they would object.",
        );
        vec![situation, advisors, history, plan_tool()]
    }

    fn briefing(&self) -> Prompt {
        prompt::briefing(self.instance(), &self.observe())
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: u32::try_from(self.state().results.len()).unwrap_or(u32::MAX),
            total: Some(self.instance().config.rounds),
            unit: "round",
        }
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        if arguments.as_object().is_some_and(|map| !map.is_empty()) {
            return Err(ActionError::bad_arguments(format!(
                "`{tool}` takes no arguments"
            )));
        }
        let seen = self.observe();
        let value = |of: Result<Value, serde_json::Error>| of.ok();
        match (tool, &seen) {
            (READ_SITUATION, _) => Ok(ToolOutput {
                text: prompt::situation(seen.common()),
                value: value(serde_json::to_value(seen.common())),
            }),
            (READ_HISTORY, _) => Ok(ToolOutput {
                text: prompt::history(seen.common()),
                value: value(serde_json::to_value(&seen.common().history)),
            }),
            (READ_ADVISORS, Observation::Chief(view)) => Ok(ToolOutput {
                text: prompt::advisors(view),
                value: value(serde_json::to_value(&view.advisors)),
            }),
            (other, _) => Err(ActionError::unknown_tool(
                other,
                &[READ_SITUATION, READ_ADVISORS, READ_HISTORY],
            )),
        }
    }

    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        match tool {
            // A call without a plan is an answer too: it counts as a reply that could not be read.
            SUBMIT_PLAN => Ok(read_plan_value(arguments)
                .map_or_else(|| Action::unreadable(&arguments.to_string()), Action::Plan)),
            SUBMIT_REPORT => serde_path_to_error::deserialize::<_, AdvisorReport>(arguments)
                .map(Action::Report)
                .map_err(|e| {
                    ActionError::bad_arguments(sim_core::error::one_line(&e.to_string(), 200))
                }),
            other => Err(ActionError::unknown_tool(
                other,
                &[SUBMIT_PLAN, SUBMIT_REPORT],
            )),
        }
    }

    fn read_text(&self, text: &str) -> Option<Result<Action, ActionError>> {
        if self.officer_in_turn().is_none() {
            // Prose without a plan is a decision too, and the rules say what it costs.
            let plan = parse_plan(text).map_or_else(|_| Action::unreadable(text), Action::Plan);
            return Some(Ok(plan));
        }
        // Only an object with a preference counts, so that a fact or a message that is quoted as
        // JSON is not taken for a report: all fields of a report have defaults.
        let report = first_object(text, |json| {
            let value: Value = serde_json::from_str(json).ok()?;
            value.get("preference_pp")?;
            AdvisorReport::deserialize(&value).ok()
        });
        Some(report.map(Action::Report).ok_or_else(|| {
            ActionError::new(
                "no_report",
                "no report found in the reply; it is a JSON object with preference_pp, rationale, \
                 primary_risk and opposition_condition",
            )
        }))
    }

    fn feedback_text(&self, feedback: &Feedback) -> String {
        prompt::feedback(feedback)
    }

    fn feedback_value<'a>(&self, _: &'a Feedback) -> Option<&'a ()> {
        None
    }
}
