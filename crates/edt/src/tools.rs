//! The tools of the agent: names, arguments, replies.
//!
//! Two getters and one action:
//!
//! | tool | kind | arguments |
//! |---|---|---|
//! | [`GET_FIRM`] | getter | none |
//! | [`GET_PROJECTS`] | getter | `first`, `count`: a page of the list (default: 50 projects from the first) |
//! | [`SUBMIT_PLAN`] | action, ends the episode | `consultants`, `risk_level`, `projects` |
//!
//! [`sim_core::ToolAdapter`] turns an [`Edt`] into an object that answers tool calls:
//!
//! ```
//! use edt::{Config, Edt, Instance, tools};
//! use serde_json::json;
//! use sim_core::{Episode, Seed, ToolAdapter, ToolEnvironment};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::default(), Episode::of_run(Seed(0), 0))?;
//! let mut game = ToolAdapter::new(Edt::new(Arc::new(instance))?);
//! let page = game.call(tools::GET_PROJECTS, &json!({"first": 9}));
//! assert!(page.text().contains("Security Hardening"));
//! let plan = json!({"consultants": 1, "risk_level": 0, "projects": []});
//! assert!(!game.call(tools::SUBMIT_PLAN, &plan).is_rejected());
//! assert!(game.is_over());
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! A reply in prose is read too: the last JSON object in it that has a field of a plan
//! counts.

use crate::action::Action;
use crate::config::Disclosure;
use crate::env::Edt;
use crate::observation::Feedback;
use crate::prompt;
use serde::Deserialize;
use serde_json::{Value, json};
use sim_core::tool::{from_one, known_arguments, read_arguments};
use sim_core::{
    ActionError, Environment, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput, ToolSpec,
};
use std::sync::Arc;

/// The getter of the firm's own figures.
pub const GET_FIRM: &str = "get_firm";
/// The getter of the projects on offer.
pub const GET_PROJECTS: &str = "get_projects";
/// The decision.
pub const SUBMIT_PLAN: &str = "submit_plan";

/// Projects that one call of [`GET_PROJECTS`] shows unless told otherwise.
const PAGE: usize = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectsArguments {
    #[serde(default, deserialize_with = "from_one")]
    first: Option<u32>,
    #[serde(default, deserialize_with = "from_one")]
    count: Option<u32>,
}

impl ToolInterface for Edt {
    type Shown = Feedback;

    fn tools(&self) -> Vec<ToolSpec> {
        let firm = self.firm();
        let clock = firm.clock();
        let last = clock.last();
        let (start, deadline) = match self.instance().disclosure {
            Disclosure::Full => (
                "Time from which it may be staffed.",
                "Time at which it ends, done or not.",
            ),
            _ => ("Start of the project.", "Deadline of the project."),
        };
        let time = |what: &str| {
            json!({
                "type": "number", "minimum": clock.start(), "maximum": last, "description": what
            })
        };
        vec![
            ToolSpec::new(
                GET_FIRM,
                ToolKind::Getter,
                "Length of the run, consultants and their cost, fixed cost, risk level of the template.",
            ),
            ToolSpec::new(
                GET_PROJECTS,
                ToolKind::Getter,
                "The projects on offer: effort, rate, probabilities, limit of consultants, window.",
            )
            .with_optional(
                "first",
                json!({"type": "integer", "minimum": 1, "description": "Number of the first project to show; 1 when left out."}),
            )
            .with_optional(
                "count",
                json!({"type": "integer", "minimum": 1, "description": "How many to show; 50 when left out."}),
            ),
            ToolSpec::new(
                SUBMIT_PLAN,
                ToolKind::Action,
                "Decide how the firm runs. It then runs to the end; there is no second decision.",
            )
            .with(
                "consultants",
                json!({
                    "type": "integer", "minimum": 0, "maximum": firm.head_count(),
                    "description": "How many consultants stay."
                }),
            )
            .with(
                "risk_level",
                json!({
                    "type": "number", "minimum": 0, "maximum": 1,
                    "description": "Revenue risk level of the firm."
                }),
            )
            .with(
                "projects",
                json!({
                    "type": "array",
                    "description": "The projects to accept. What is not listed is rejected.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "project": {
                                "type": "integer", "minimum": 1, "maximum": firm.projects.len(),
                                "description": "Number of the project."
                            },
                            "start": time(start),
                            "deadline": time(deadline)
                        },
                        "required": ["project", "start", "deadline"],
                        "additionalProperties": false
                    }
                }),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        prompt::briefing(self.instance())
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: u32::from(self.is_over()),
            total: Some(1),
            unit: "run",
        }
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        let seen = self.observe();
        match tool {
            GET_FIRM => {
                known_arguments(arguments, &[])?;
                let text = prompt::firm(&seen);
                let mut value = sim_core::bytes::json(&seen);
                if let Some(fields) = value.as_object_mut() {
                    // They have a getter of their own with pages: a list of 10,000 would fill the
                    // context of a model.
                    fields.remove("projects");
                    fields.insert("project_count".to_owned(), json!(seen.projects.len()));
                }
                Ok(ToolOutput {
                    text,
                    value: Some(value),
                })
            }
            GET_PROJECTS => {
                let ProjectsArguments { first, count } = read_arguments(arguments)?;
                let first = first.unwrap_or(1) as usize;
                let count = count.map_or(PAGE, |count| count as usize);
                let total = seen.projects.len();
                if first > total.max(1) {
                    return Err(ActionError::bad_arguments(format!(
                        "first must be from 1 to {total}, not {first}"
                    )));
                }
                let page: Vec<_> = seen
                    .projects
                    .into_iter()
                    .skip(first - 1)
                    .take(count)
                    .collect();
                let text = prompt::projects(&page, total);
                Ok(ToolOutput {
                    text,
                    value: serde_json::to_value(page).ok(),
                })
            }
            other => Err(ActionError::unknown_tool(
                other,
                &[GET_FIRM, GET_PROJECTS, SUBMIT_PLAN],
            )),
        }
    }

    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        match tool {
            SUBMIT_PLAN => Action::from_listing(arguments, self.firm().projects.len())
                .map_err(ActionError::bad_arguments),
            other => Err(ActionError::unknown_tool(other, &[SUBMIT_PLAN])),
        }
    }

    /// Reads the last JSON object of a text that looks like a plan.
    fn read_text(&self, text: &str) -> Option<Result<Action, ActionError>> {
        let plan = last_plan(text).ok_or_else(|| {
            ActionError::new(
                "no_plan",
                "no plan found; give one JSON object with consultants, risk_level and projects",
            )
        });
        let projects = self.firm().projects.len();
        Some(plan.and_then(|plan| {
            Action::from_listing(&plan, projects).map_err(ActionError::bad_arguments)
        }))
    }

    fn feedback_text(&self, feedback: &Arc<Feedback>) -> String {
        prompt::outcome(self.instance(), feedback)
    }

    fn feedback_value<'a>(&self, feedback: &'a Arc<Feedback>) -> Option<&'a Feedback> {
        Some(feedback)
    }
}

/// Longest text that is searched for a plan \[bytes\].
const MOST_TEXT: usize = 2 << 20;

fn last_plan(text: &str) -> Option<Value> {
    if text.len() > MOST_TEXT {
        return None;
    }
    let mut found = None;
    let mut from = 0;
    while let Some(at) = text
        .get(from..)
        .and_then(|rest| rest.find('{'))
        .map(|i| from + i)
    {
        let rest = text.get(at..).unwrap_or_default();
        // Any brace may begin the plan, as prose has braces too. The parser gives up at a depth of
        // 128, so a text of braces takes no time by its square.
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        from = at + 1;
        if let Some(Ok(value)) = stream.next() {
            // Behind the value, so that an object inside the plan is not taken for a plan.
            from = at + stream.byte_offset().max(1);
            if ["consultants", "C", "projects", "P"]
                .iter()
                .any(|key| value.get(key).is_some())
            {
                // The last one counts: models write a draft first.
                found = Some(value);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_found_in_prose() {
        let text = r#"I first thought {"C": 1, "R": 0, "P": []}, but {this} is better:
            ```json
            {"C": 9, "R": 0.5, "P": [0, [1, 1, 95]]}
            ```
            because of {"reason": 1}."#;
        assert_eq!(last_plan(text).unwrap()["C"], 9);
        assert_eq!(last_plan("no plan {here}"), None);
        assert_eq!(last_plan(&"{".repeat(100_000)), None);
    }
}
