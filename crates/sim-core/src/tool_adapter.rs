//! Makes a tool environment out of a typed one.

use crate::ask::{Ask, Retold};
use crate::bytes::{json, write_json};
use crate::environment::Seat;
use crate::error::{ActionError, RestoreError, clip, read};
use crate::score::{NotFinite, Score};
use crate::tool::{
    PeriodCount, Prompt, ReplyKind, ToolEnvironment, ToolKind, ToolOutput, ToolReply, ToolSpec,
};
use crate::tool_interface::ToolInterface;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A [`ToolEnvironment`] over any [`ToolInterface`]: the only implementation that simulators need.
///
/// It adds the behaviour that is the same everywhere: errors for unknown tools, tools that are not
/// offered and arguments that are not objects; getters that answer once per period; undoing the writes of
/// a period that is restarted; snapshots.
#[derive(Debug, Clone)]
pub struct ToolAdapter<E: ToolInterface> {
    env: E,
    seat: Seat,
    tools: Arc<[ToolSpec]>,
    /// The tools of each seat that was in turn. They do not depend on the state, and making them takes longer
    /// than a step of a small simulator.
    by_seat: BTreeMap<Seat, Arc<[ToolSpec]>>,
    /// Whether the seat in turn has tools that write without ending the period.
    writes: bool,
    used: BTreeSet<String>,
    before_writes: Option<E::State>,
    feedback: Option<E::Feedback>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved<S> {
    state: S,
    used: BTreeSet<String>,
    before_writes: Option<S>,
}

impl<E: ToolInterface> ToolAdapter<E> {
    /// An adapter at the start of an episode.
    pub fn new(env: E) -> Self {
        let (seat, tools) = (env.turn(), Arc::<[ToolSpec]>::from(env.tools()));
        Self {
            env,
            by_seat: BTreeMap::from([(seat.clone(), Arc::clone(&tools))]),
            seat,
            writes: has_writes(&tools),
            tools,
            used: BTreeSet::new(),
            before_writes: None,
            feedback: None,
        }
    }

    /// The typed environment, for reading.
    pub fn env(&self) -> &E {
        &self.env
    }

    /// The feedback of the last action or forfeit; `None` before the first one and after a restore.
    pub fn last_feedback(&self) -> Option<&E::Feedback> {
        self.feedback.as_ref()
    }

    /// Applies a typed action; all paths lead here. The feedback is that of the action then.
    fn take(&mut self, action: &E::Action) -> Result<ReplyKind, ActionError> {
        let before = (self.env.period().index, self.env.turn());
        // The state before the first write of a period, so that the period can be restarted.
        // Only where tools write: elsewhere each step would copy a state that is never restored.
        let keep = self.writes && self.before_writes.is_none();
        let state = keep.then(|| self.env.state().clone());
        self.feedback = Some(self.env.step(action)?);
        // By what the environment says and not by the kind of the tool: a typed action has no tool,
        // and some actions write where others decide.
        if self.env.is_over() || before != (self.env.period().index, self.env.turn()) {
            self.begin_turn();
            return Ok(ReplyKind::PeriodOver);
        }
        if keep {
            self.before_writes = state;
        }
        Ok(ReplyKind::Written)
    }

    /// Applies a typed action and answers it.
    fn answer(&mut self, action: &E::Action) -> ToolReply {
        let value = match serde_json::to_value(action) {
            Ok(value) => value,
            Err(e) => return ActionError::new("bad_action", e.to_string()).into(),
        };
        match self.take(action) {
            Ok(kind) => self.reply(kind, value),
            Err(error) => error.into(),
        }
    }

    /// The reply to the action that led to the last feedback.
    fn reply(&self, kind: ReplyKind, action: Value) -> ToolReply {
        let shown = |feedback: &E::Feedback| ToolOutput {
            text: self.env.feedback_text(feedback),
            value: self
                .env
                .feedback_value(feedback)
                .and_then(|value| serde_json::to_value(value).ok()),
        };
        let shown = self.feedback.as_ref().map(shown).unwrap_or_default();
        if kind == ReplyKind::Written {
            ToolReply::Written { shown, action }
        } else {
            ToolReply::PeriodOver { shown, action }
        }
    }

    fn begin_turn(&mut self) {
        self.used.clear();
        self.before_writes = None;
        let seat = self.env.turn();
        if seat != self.seat {
            let made = self.by_seat.entry(seat.clone());
            self.tools = Arc::clone(made.or_insert_with(|| self.env.tools().into()));
            self.writes = has_writes(&self.tools);
            self.seat = seat;
        }
    }

    fn call_known(&mut self, spec: &ToolSpec, arguments: &Value) -> ToolReply {
        if spec.kind == ToolKind::Getter {
            if spec.once_per_period && self.used.contains(&spec.name) {
                return ActionError::new(
                    "already_read",
                    format!(
                        "`{}` was already read in this {}; look at its earlier reply",
                        spec.name,
                        self.env.period().unit
                    ),
                )
                .into();
            }
            return match self.env.get(&spec.name, arguments) {
                Ok(shown) => {
                    if spec.once_per_period {
                        self.used.insert(spec.name.clone());
                    }
                    ToolReply::Shown { shown }
                }
                Err(error) => error.into(),
            };
        }
        match self.env.read_call(&spec.name, arguments) {
            Ok(action) => self.answer(&action),
            Err(error) => error.into(),
        }
    }
}

fn has_writes(tools: &[ToolSpec]) -> bool {
    tools.iter().any(|tool| tool.kind == ToolKind::Write)
}

impl<E: ToolInterface> ToolEnvironment for ToolAdapter<E> {
    fn seats(&self) -> Vec<Seat> {
        self.env.seats()
    }

    fn turn(&self) -> Seat {
        self.env.turn()
    }

    fn simultaneous(&self) -> bool {
        self.env.simultaneous()
    }

    fn briefing(&self) -> Prompt {
        self.env.briefing()
    }

    fn ask(&self) -> Option<Ask> {
        self.env.ask().filter(|_| !self.env.is_over())
    }

    fn retold(&self) -> Option<Retold> {
        self.env.retold()
    }

    fn tools(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.tools)
    }

    fn offered(&self, tool: &str) -> bool {
        self.tools.iter().any(|spec| spec.name == tool) && self.env.offered(tool)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> ToolReply {
        if self.env.is_over() {
            return ActionError::episode_over().into();
        }
        let tools = Arc::clone(&self.tools);
        let Some(spec) = tools.iter().find(|spec| spec.name == tool) else {
            let names: Vec<&str> = tools.iter().map(|spec| spec.name.as_str()).collect();
            return ActionError::unknown_tool(tool, &names).into();
        };
        if !self.env.offered(tool) {
            return ActionError::new("not_offered", format!("`{tool}` cannot be called now"))
                .into();
        }
        let empty = Value::Object(serde_json::Map::new());
        match arguments {
            Value::Object(_) => self.call_known(spec, arguments),
            // A call without arguments may come with `null` in their place.
            Value::Null => self.call_known(spec, &empty),
            other => ActionError::bad_arguments(format!(
                "the arguments of `{tool}` must be a JSON object, not `{}`",
                clip(&other.to_string())
            ))
            .into(),
        }
    }

    fn say(&mut self, text: &str) -> Option<ToolReply> {
        if self.env.is_over() {
            return Some(ActionError::episode_over().into());
        }
        let read = self.env.read_text(text)?;
        Some(match read {
            Ok(action) => self.answer(&action),
            Err(error) => error.into(),
        })
    }

    fn act(&mut self, action: &Value) -> ToolReply {
        if self.env.is_over() {
            return ActionError::episode_over().into();
        }
        if let Ok(action) = E::Action::deserialize(action) {
            return self.answer(&action);
        }
        // Read again for the place of the fault: keeping track of it takes longer than reading.
        match serde_path_to_error::deserialize::<_, E::Action>(action) {
            Ok(action) => self.answer(&action),
            Err(e) => ActionError::new(
                "bad_action",
                format!("`{}` is not an action here: {e}", clip(&action.to_string())),
            )
            .into(),
        }
    }

    fn act_logged(&mut self, action: &Value, log: &mut String) -> ReplyKind {
        /// A [`ToolReply`] to an action, without trees of JSON.
        #[derive(Serialize)]
        struct Reply<'a, A, S> {
            reply: ReplyKind,
            action: &'a A,
            shown: Output<'a, S>,
        }
        #[derive(Serialize)]
        struct Output<'a, S> {
            text: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            value: Option<&'a S>,
        }
        let read = E::Action::deserialize(action).ok();
        let Some(typed) = read.filter(|_| !self.env.is_over()) else {
            let reply = self.act(action);
            reply.write_to(log);
            return reply.kind();
        };
        let kind = match self.take(&typed) {
            Ok(kind) => kind,
            Err(error) => {
                ToolReply::from(error).write_to(log);
                return ReplyKind::Rejected;
            }
        };
        let reply = self.feedback.as_ref().map(|feedback| Reply {
            reply: kind,
            action: &typed,
            shown: Output {
                text: self.env.feedback_text(feedback),
                value: self.env.feedback_value(feedback),
            },
        });
        if write_json(&reply, log).is_err() {
            // A feedback without a JSON form is shown as text alone.
            self.reply(kind, action.clone()).write_to(log);
        }
        kind
    }

    fn observation(&self) -> Value {
        json(&self.env.observe())
    }

    fn feedback(&self) -> Value {
        json(&self.feedback)
    }

    fn outcomes(&self) -> Vec<(Seat, Value)> {
        self.env.outcomes()
    }

    fn text_at_end(&self, seat: &Seat, period: u32, action: &Value) -> Option<String> {
        let action = E::Action::deserialize(action).ok()?;
        let feedback = self.env.feedback_at_end(seat, period, &action)?;
        Some(self.env.feedback_text(&feedback))
    }

    fn restart_period(&mut self) {
        self.used.clear();
        if let Some(state) = self.before_writes.take() {
            // The state came from this environment, so it fits.
            let fits = self.env.set_state(state);
            debug_assert!(fits.is_ok(), "an environment refused its own state");
        }
    }

    fn forfeit_period(&mut self) -> ToolReply {
        if self.env.is_over() {
            return ActionError::episode_over().into();
        }
        self.feedback = Some(self.env.forfeit());
        self.begin_turn();
        self.reply(ReplyKind::PeriodOver, Value::Null)
    }

    fn period(&self) -> PeriodCount {
        self.env.period()
    }

    fn is_over(&self) -> bool {
        self.env.is_over()
    }

    fn score(&self) -> Result<Score, NotFinite> {
        self.env.score()
    }

    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool {
        self.env.sees_metric(seat, metric)
    }

    fn snapshot(&self) -> Value {
        #[derive(Serialize)]
        struct View<'a, S> {
            state: &'a S,
            used: &'a BTreeSet<String>,
            before_writes: &'a Option<S>,
        }
        let view = View {
            state: self.env.state(),
            used: &self.used,
            before_writes: &self.before_writes,
        };
        json(&view)
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), RestoreError> {
        let saved: Saved<E::State> = read(snapshot)?;
        if let Some(state) = &saved.before_writes {
            // Tried on a copy: a restart restores this state later and cannot report an error then.
            self.env.clone().set_state(state.clone())?;
        }
        // The last step that may refuse; nothing has changed before it.
        self.env.set_state(saved.state)?;
        // Before the two lines below: a turn that begins has nothing used and nothing written.
        self.begin_turn();
        self.used = saved.used;
        self.before_writes = saved.before_writes;
        self.feedback = None;
        Ok(())
    }

    fn fork(&self) -> Box<dyn ToolEnvironment> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
