//! One task in one office as an environment: every tool call is a step, an answer or a refusal ends
//! the episode.
//!
//! Reads are steps too, because they are recorded in the audit trail: the records that were shown
//! determine later which disclosures are leaks.
//!
//! The [`Environment`] of the workspace is a thin layer over [`Office`]: it binds the office to one
//! task and one principal, turns answers and refusals into the end of the episode, and computes the
//! score from the state. The whole task is one period; a runner limits the number of steps. The
//! state is the overlay, the audit trail and the ending, so an episode can be stored after any step
//! and continued elsewhere.

use crate::action::Action;
use crate::config::{PlanHint, SearchKind};
use crate::data::overlay::Overlay;
use crate::data::row::EmployeeNo;
use crate::data::tables::TableId;
use crate::data::value::row_no;
use crate::instance::Instance;
use crate::menu;
use crate::observation::{AskedFact, Feedback, Observation};
use crate::offices::Offices;
use crate::tasks::evaluate::{Evaluation, evaluate, metrics};
use crate::tasks::{Subtask, TaskEnd};
use crate::tools::office::{Office, OfficeState};
use crate::tools::{self, Op};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{
    ActionError, ConfigError, Environment, Incident, NotFinite, RestoreError, Score, Seat,
};
use std::sync::Arc;

/// The state of an episode.
///
/// Restoring a state checks that its overlay fits the company; a state of another task of the same
/// company is accepted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The state of the office: writes, shown records and calls.
    pub office: OfficeState,
    /// How the task ended.
    pub ending: TaskEnd,
    /// Whether it has ended.
    pub over: bool,
    /// Whether it was given up.
    /// It then counts as ended without an answer.
    pub forfeited: bool,
    /// The records that [`Action::Pick`] has read, oldest first; other calls add none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Value>,
}

/// A task in an office: the environment. Its score is 1 for success and 0 otherwise.
///
/// ```
/// use enterprise_sandbox::{Action, Config, Instance, OfficeTask};
/// use serde_json::json;
/// use sim_core::{Environment as _, Episode, Seed};
/// use std::sync::Arc;
///
/// let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
/// let mut env = OfficeTask::new(Arc::new(instance))?;
/// let feedback = env.step(&Action::Call {
///     tool: "employee_data_read".to_owned(),
///     arguments: json!({"emp_id": env.observe().persona["emp_id"]}),
/// })?;
/// assert_eq!(feedback.items().len(), 1);
/// env.step(&Action::End)?;
/// assert_eq!(env.score()?.value(), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OfficeTask {
    instance: Arc<Instance>,
    office: Office,
    me: EmployeeNo,
    state: State,
}

impl OfficeTask {
    /// A task at its start. The company and the access rules are made from the instance, or taken
    /// from those that the process keeps ([`Instance::generate`]).
    ///
    /// # Errors
    /// When a setting is out of range, the policies in force are not those of the instance, the
    /// persona does not work in the company, or the company is imported: a
    /// [`Spec`](crate::Spec) opens tasks of imported companies.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        Self::begin(Offices::of_process(), instance)
    }

    /// [`new`](Self::new) with the companies and rules of `offices`.
    pub(crate) fn begin(offices: &Offices, instance: Arc<Instance>) -> Result<Self, ConfigError> {
        let office = offices.office(
            &instance.company,
            instance.imported.as_deref(),
            &instance.access,
        )?;
        let office = match (instance.search, &instance.embedding_model) {
            (SearchKind::Embedding, Some(model)) => {
                office.with_embedder(offices.embedder()?, model.clone())
            }
            _ => office,
        };
        let version = office.access().version();
        if version != instance.policy_version {
            let message =
                format!("the policies in force are `{version}`, not those of the instance");
            return Err(ConfigError::new("policy_version", message));
        }
        let state = State::default();
        let me = office
            .view(&state.office.overlay)
            .employee(&instance.task.persona)
            .ok_or_else(|| {
                let persona = sim_core::error::clip(&instance.task.persona);
                ConfigError::new(
                    "task.persona",
                    format!("`{persona}` does not work in this company"),
                )
            })?;
        Ok(Self {
            instance,
            office,
            me,
            state,
        })
    }

    /// The persona's row.
    pub(crate) fn me(&self) -> EmployeeNo {
        self.me
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
    ///
    /// May be called before the end: a task in progress is judged as if it ended now without an
    /// answer.
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
        // Without the writes of the run: of an observation only the number of calls changes.
        let overlay = Overlay::default();
        let view = self.office.view(&overlay);
        let get = |field| view.get(TableId::Employees, self.me.0, field);
        json!({
            "emp_id": get("emp_id"),
            "name": get("Name"),
            "department": get("category"),
            "level": get("Level"),
        })
    }

    /// The part of the plan that is shown.
    fn plan(&self) -> Vec<String> {
        let (task, enforcement) = (&self.instance.task, self.instance.access.enforcement);
        let steps = task.subtasks.iter();
        let steps = steps.filter(|s| task.has_step(&s.tool, enforcement));
        let told = |s: &Subtask| match self.instance.plan {
            PlanHint::None => None,
            PlanHint::Subgoals => Some(s.subgoal.clone()),
            PlanHint::Tools => Some(format!("{} (with {})", s.subgoal, s.tool)),
            PlanHint::Order => {
                let after: Vec<String> = s.depends_on.iter().map(u32::to_string).collect();
                let after = match after.as_slice() {
                    [] => String::new(),
                    steps => format!(", after {}", steps.join(", ")),
                };
                Some(format!("{}. {} (with {}{after})", s.id, s.subgoal, s.tool))
            }
        };
        let mut told: Vec<String> = steps.filter_map(told).collect();
        // In the order of the plan, the steps would tell what only `order` is to tell.
        if self.instance.plan != PlanHint::Order {
            told.sort();
        }
        told
    }

    fn end(&mut self, ending: TaskEnd) -> Feedback {
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
        if !state.over && state.ending != TaskEnd::None {
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
                .map(|(key, kind)| AskedFact {
                    key: key.to_owned(),
                    kind,
                })
                .collect(),
            plan: self.plan(),
            surface: self.instance.surface,
            calls: row_no(self.state.office.audit.len()),
        }
    }

    fn step(&mut self, action: &Action) -> Result<Feedback, ActionError> {
        if self.state.over {
            return Err(ActionError::episode_over());
        }
        match action {
            Action::Call { tool, arguments } => {
                let found = tools::known(tool)?;
                if matches!(found.op, Op::Answer | Op::Refuse) {
                    return Err(ActionError::new(
                        "INVALID_ARGUMENT",
                        format!("`{tool}` ends the task; send it as an answer or a refusal"),
                    ));
                }
                let state = &mut self.state.office;
                let reply = self.office.call_tool(state, self.me, found, arguments)?;
                Ok(Feedback {
                    refused: reply.refused,
                    reply: reply.body,
                    over: false,
                })
            }
            Action::Answer { text, facts } => {
                // The same limits as for agents with tools: 20,000 characters and 60 facts.
                tools::check_long("text", text)?;
                tools::check_facts("facts", facts)?;
                Ok(self.end(TaskEnd::Answer {
                    text: text.clone(),
                    facts: facts.clone(),
                }))
            }
            Action::Refuse { class, reason } => {
                tools::check_long("reason", reason)?;
                Ok(self.end(TaskEnd::Refusal {
                    class: *class,
                    reason: reason.clone(),
                }))
            }
            Action::End => Ok(self.end(TaskEnd::None)),
            Action::Pick(number) => {
                let calls = self.state.office.audit.len();
                let action = menu::action(*number, &self.observe(), &self.state.found, calls)?;
                let feedback = self.step(&action)?;
                self.state.found.extend_from_slice(feedback.items());
                Ok(feedback)
            }
        }
    }

    fn forfeit(&mut self) -> Feedback {
        self.state.forfeited = true;
        self.end(TaskEnd::None)
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
            let name: &str = failure.into();
            note(name, format!("failed: {}", name.replace('_', " ")));
        }
        if e.process.impersonations > 0 {
            note(
                "impersonation",
                format!("{} calls in another name", e.process.impersonations),
            );
        }
        Ok(score.incidents(incidents))
    }

    /// The agent's own calls and how they were answered. All others compare with the solution.
    fn sees_metric(&self, _: &Seat, metric: &str) -> bool {
        matches!(
            metric,
            "steps" | "denied_calls" | "refused_calls" | "repeated_calls"
        )
    }
}
