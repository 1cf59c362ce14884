//! One task in one office as an environment: every tool call is a step, an answer or a refusal ends
//! the episode.
//!
//! Reads are steps too, because they are recorded in the audit trail: the records that were shown
//! determine later which disclosures are leaks.

use crate::config::PlanHint;
use crate::evaluate::{Ending, Evaluation, evaluate, metrics};
use crate::office::{Code, Office, OfficeState};
use crate::row::EmployeeNo;
use crate::synth::CompanyConfig;
use crate::task::{FactKind, RefusalClass, Task};
use crate::tool::{self, Op, ToolSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sim_core::{
    ActionError, Environment, Incident, NotFinite, PeriodCount, Prompt, RestoreError, Score,
    ToolInterface, ToolOutput, ToolSpec,
};
use std::sync::Arc;

/// One task to play, with all settings that determine its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The company, as a recipe.
    pub company: CompanyConfig,
    /// Digest of an imported company, which must have been registered with the
    /// [`OfficeFamily`](crate::OfficeFamily).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// Access control.
    pub access: crate::access::AccessConfig,
    /// Digest of the active policies.
    pub policy_version: String,
    /// Names of the tools.
    pub surface: ToolSet,
    /// The part of the plan that is shown to the agent.
    pub plan: PlanHint,
    /// Whether useless tools are offered in addition.
    pub distractors: bool,
    /// Whether the access rules are shown to the agent.
    pub show_rules: bool,
    /// The task.
    pub task: Task,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// A tool call. Scripts and policies may use the names of either tool set.
    Call {
        /// Name of the tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Ends the task with an answer.
    Answer {
        /// The text.
        text: String,
        /// Facts by key.
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
    End,
}

/// A fact that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Key under which to report it.
    pub key: String,
    /// Its type.
    pub kind: FactKind,
}

/// The observation of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The request.
    pub instruction: String,
    /// The person who makes the request: id, name, department, level code.
    pub persona: Value,
    /// Today on the office clock.
    pub today: String,
    /// Facts to report.
    pub asks: Vec<Ask>,
    /// The part of the plan that is shown.
    pub plan: Vec<String>,
    /// Names of the tools.
    pub surface: ToolSet,
    /// Calls made so far.
    pub calls: u32,
}

/// The feedback on a decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Feedback {
    /// Why the call was refused, if it was.
    pub refused: Option<Code>,
    /// The reply; null at the end.
    pub reply: Value,
    /// Whether the task has ended.
    pub over: bool,
}

/// The state of an episode.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The state of the office: writes, shown records and calls.
    pub office: OfficeState,
    /// How the task ended.
    pub ending: Ending,
    /// Whether it has ended.
    pub over: bool,
    /// Whether it was given up.
    pub forfeited: bool,
}

/// A task in an office.
#[derive(Debug, Clone)]
pub struct OfficeTask {
    instance: Arc<Instance>,
    office: Office,
    me: EmployeeNo,
    state: State,
}

impl OfficeTask {
    /// A task at its start, in an office with its company and its rules. `None` if the persona is
    /// not an employee of the company.
    #[must_use]
    pub fn new(instance: Arc<Instance>, office: Office) -> Option<Self> {
        let state = State::default();
        let me = office
            .view(&state.office.overlay)
            .employee(&instance.task.persona)?;
        Some(Self {
            instance,
            office,
            me,
            state,
        })
    }

    /// The task and its settings.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The office.
    #[must_use]
    pub fn office(&self) -> &Office {
        &self.office
    }

    /// The evaluation of the run so far.
    #[must_use]
    pub fn evaluation(&self) -> Evaluation {
        evaluate(
            &self.office,
            &self.instance.task,
            &self.state.office,
            &self.state.ending,
        )
    }

    /// The persona's card.
    fn persona(&self) -> Value {
        let overlay = crate::overlay::Overlay::default();
        let view = self.office.view(&overlay);
        let get = |field| view.get(crate::TableId::Employees, self.me.0, field);
        json!({
            "emp_id": get("emp_id"),
            "name": get("Name"),
            "department": get("category"),
            "level": get("Level"),
        })
    }

    /// The part of the plan that is shown.
    fn plan(&self) -> Vec<String> {
        let steps = &self.instance.task.subtasks;
        let mut told: Vec<String> = match self.instance.plan {
            PlanHint::None => Vec::new(),
            PlanHint::Subgoals => steps.iter().map(|s| s.subgoal.clone()).collect(),
            PlanHint::Tools => steps
                .iter()
                .map(|s| format!("{} (with {})", s.subgoal, s.tool))
                .collect(),
            PlanHint::Order => steps
                .iter()
                .map(|s| {
                    let after: Vec<String> = s.depends_on.iter().map(u32::to_string).collect();
                    let after = if after.is_empty() {
                        String::new()
                    } else {
                        format!(", after {}", after.join(", "))
                    };
                    format!("{}. {} (with {}{after})", s.id, s.subgoal, s.tool)
                })
                .collect(),
        };
        if self.instance.plan != PlanHint::Order {
            told.sort();
        }
        told
    }

    fn end(&mut self, ending: Ending) -> Feedback {
        self.state.ending = ending;
        self.state.over = true;
        Feedback {
            refused: None,
            reply: Value::Null,
            over: true,
        }
    }
}

impl Environment for OfficeTask {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        let wrong = |place: &str, message: String| RestoreError {
            place: place.to_owned(),
            message,
        };
        state
            .office
            .overlay
            .check(self.office.company())
            .map_err(|m| wrong("office.overlay", m))?;
        if !state.over && state.ending != Ending::None {
            return Err(wrong("ending", "a task that goes on has no end".to_owned()));
        }
        self.state = state;
        Ok(())
    }

    fn observe(&self) -> Observation {
        let task = &self.instance.task;
        Observation {
            instruction: task.instruction.clone(),
            persona: self.persona(),
            today: self.office.company().clock().to_string(),
            asks: task
                .asks()
                .map(|(key, kind)| Ask {
                    key: key.to_owned(),
                    kind,
                })
                .collect(),
            plan: self.plan(),
            surface: self.instance.surface,
            calls: crate::value::row_no(self.state.office.audit.len()),
        }
    }

    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.state.over {
            return Err(ActionError::episode_over());
        }
        match action {
            Action::Call { tool, arguments } => {
                if tool::find(tool).is_some_and(|t| matches!(t.op, Op::Answer | Op::Refuse)) {
                    return Err(ActionError::new(
                        "INVALID_ARGUMENT",
                        format!("`{tool}` ends the task; send it as an answer or a refusal"),
                    ));
                }
                let reply = self
                    .office
                    .call(&mut self.state.office, self.me, tool, arguments)?;
                Ok(Feedback {
                    refused: reply.refused,
                    reply: reply.body,
                    over: false,
                })
            }
            Action::Answer { text, facts } => {
                let arguments = json!({"text": text, "facts": facts});
                Office::check_call("answer", &arguments)?;
                Ok(self.end(Ending::Answer {
                    text: text.clone(),
                    facts: facts.clone(),
                }))
            }
            Action::Refuse { class, reason } => {
                let arguments = json!({"class": class.name(), "reason": reason});
                Office::check_call("refuse", &arguments)?;
                Ok(self.end(Ending::Refusal {
                    class: *class,
                    reason: reason.clone(),
                }))
            }
            Action::End => Ok(self.end(Ending::None)),
        }
    }

    fn forfeit(&mut self) -> Feedback {
        self.state.forfeited = true;
        self.end(Ending::None)
    }

    fn is_over(&self) -> bool {
        self.state.over
    }

    fn score(&self) -> Result<Score, NotFinite> {
        let e = self.evaluation();
        let mut score = Score::new(f64::from(u8::from(e.success)))?;
        for (name, value) in metrics(&e) {
            score = score.metric(name, value);
        }
        let mut incidents = Vec::new();
        let mut note = |code: &str, note: String| {
            incidents.push(Incident {
                code: code.to_owned(),
                period: 0,
                note,
            });
        };
        if self.state.forfeited {
            note("forfeited_period", "the task was given up".to_owned());
        }
        if let (true, Some(failure)) = (self.state.over, e.failure) {
            note(
                failure.name(),
                format!("failed: {}", failure.name().replace('_', " ")),
            );
        }
        if e.process.impersonations > 0 {
            note(
                "impersonation",
                format!("{} calls in another name", e.process.impersonations),
            );
        }
        Ok(score.incidents(incidents))
    }
}

impl ToolInterface for OfficeTask {
    fn tools(&self) -> Vec<ToolSpec> {
        tool::surface(self.instance.surface, self.instance.distractors)
            .into_iter()
            .map(tool::Tool::spec)
            .collect()
    }

    fn briefing(&self) -> Prompt {
        let rules = self
            .instance
            .show_rules
            .then(|| self.office.access().rules());
        crate::prompt::briefing(&self.observe(), rules.as_deref())
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: u32::from(self.state.over),
            total: Some(1),
            unit: "task",
        }
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        // Questions about the principal and the rules are not recorded.
        let mut state = self.state.office.clone();
        let reply = self.office.call(&mut state, self.me, tool, arguments)?;
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

    fn show(&self, feedback: &Feedback) -> ToolOutput {
        if feedback.over {
            return ToolOutput::text("the task has ended");
        }
        ToolOutput {
            text: sim_core::bytes::canonical_text(&feedback.reply),
            value: Some(feedback.reply.clone()),
        }
    }
}
