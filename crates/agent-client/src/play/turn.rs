//! One turn of one seat.
//!
//! ```text
//!  chat ─► query ─► choice ┬─ calls ─► apply in order ─► results, reminder ─┐
//!   ▲                      ├─ prose ─► a decision, if the environment reads prose
//!   │                      └─ nothing ─► reminder; after `json_after` of them, calls as JSON
//!   └──────────────────────────────────────────────────────────────────────┘
//! ```

use super::chat::Chat;
use super::text::text_turn;
use super::{Agent, Overflow, PlanMode, PlayReport, PlaySettings};
use crate::cause::Cause;
use crate::decide::{CallStyle, Choice, Ctx, Output};
use crate::error::{AgentError, ErrorClass};
use crate::json_text::spoken;
use crate::message::{Arguments, Message, ToolCall, ToolResult};
use crate::meter::Metered;
use crate::prompt;
use crate::request::{ModelRole, Slot};
use minijinja::context;
use sim_core::{Input, Next, Query, Session, ToolReply, ToolSpec};
use std::sync::Arc;

/// Plays until the current turn is over.
///
/// `slot` is the slot of the episode; the turn adds its own part. The session's return value says
/// how the turn ended.
///
/// # Errors
/// When the backend fails permanently; the period can be started again.
pub async fn play_turn(
    session: &mut Session,
    agent: &Agent,
    settings: &PlaySettings,
    slot: &Slot,
    report: &mut PlayReport,
) -> Result<Next, AgentError> {
    if session.env().is_over() {
        return Ok(Next::EpisodeOver);
    }
    // The log of finished periods is the same after a resume, so its length identifies the turn.
    let first = session.entries().len();
    let role = ModelRole::of_seat(session.env().turn().name());
    let slot = slot.child("turn", first);
    // Counts only this turn. A turn that fails is played again, and its counts are dropped.
    let metered = Metered::new(Arc::clone(&agent.backend));
    let agent = Agent {
        backend: Arc::new(metered.clone()),
        ..agent.clone()
    };
    let next = match session.env().ask() {
        Some(ask) => text_turn(session, &agent, &ask, role, &slot, report).await?,
        None => {
            let turn = Turn {
                agent: &agent,
                role,
                settings,
                slot,
                query: 0,
                style: settings.style,
                silent: 0,
                report,
            };
            turn.play_out(session).await?
        }
    };
    session.note_causes(first, &metered.used().causes_of(role));
    Ok(next)
}

enum Step {
    GoOn,
    /// The turn ended, or starts again.
    Ended(Next),
}

/// The state of one turn: which form calls have now, and how many replies had none.
struct Turn<'a> {
    agent: &'a Agent,
    role: ModelRole,
    settings: &'a PlaySettings,
    slot: Slot,
    /// Queries of this turn, including those before a fresh start, so that equal chats have
    /// different slots.
    query: u32,
    style: CallStyle,
    /// Consecutive replies without a call.
    silent: u32,
    report: &'a mut PlayReport,
}

impl<'a> Turn<'a> {
    /// Asks until the turn is over; a period that begins anew has a new chat.
    async fn play_out(mut self, session: &mut Session) -> Result<Next, AgentError> {
        let mut chat = self.open(session).await?;
        loop {
            let step = match session.query() {
                Query::Spent(next) => Step::Ended(next),
                Query::Go { last } => self.step(session, &mut chat, last).await?,
            };
            match step {
                Step::GoOn => {}
                Step::Ended(Next::Restarted | Next::GoOn) => chat = self.open(session).await?,
                Step::Ended(next) => return Ok(next),
            }
        }
    }

    /// The context of a request of this turn; `name` and the number of the query make its slot.
    fn cx(&self, name: &str) -> Ctx<'a> {
        Ctx {
            backend: &*self.agent.backend,
            role: self.role,
            slot: self.slot.child(name, self.query),
        }
    }

    /// Builds the beginning of the chat.
    async fn open(&mut self, session: &mut Session) -> Result<Chat, AgentError> {
        // Read before the first await, because an environment cannot be shared between threads.
        let briefing = session.env().briefing();
        let gold = match self.settings.plan {
            PlanMode::Gold => Some(self.gold(session)?),
            _ => None,
        };
        let mut system = vec![briefing.system];
        if !self.agent.memory.is_empty() {
            let memory = &self.agent.memory;
            system.push(prompt::render(
                "memory_section",
                context! { memory => memory },
            )?);
        }
        if self.settings.plan == PlanMode::React {
            system.push(prompt::render("plan_react", context! {})?);
        }
        let mut opening = vec![briefing.opening];
        opening.extend(gold);
        let mut chat = Chat::new(system.join("\n\n"), opening.join("\n\n"));
        if self.settings.plan == PlanMode::Cot {
            let words = prompt::render("plan_cot", context! {})?;
            let mut messages = chat.messages().to_vec();
            messages.push(Message::user(&words));
            let cx = self.cx("plan");
            match cx.backend.ask(cx.request(messages)).await {
                Ok(reply) => {
                    self.report.asked += 1;
                    let go = prompt::render("plan_go", context! {})?;
                    chat.plan(&reply.said.text, go);
                }
                // Too long or withheld: the turn is played without a plan.
                Err(e) if e.class.is_an_answer() => self.report.unanswered(e.class),
                Err(e) => return Err(e),
            }
        }
        Ok(chat)
    }

    /// The text with the solver's plan from the current state on.
    fn gold(&self, session: &Session) -> Result<String, AgentError> {
        let gold = self.agent.gold.as_ref();
        let plan = gold
            .and_then(|gold| gold.plan(session.env()))
            .ok_or_else(|| {
                AgentError::setup("plan mode `gold` needs a solver, and this environment has none")
            })?;
        prompt::render("plan_gold", context! { plan => plan })
    }

    /// One query and its consequences.
    async fn step(
        &mut self,
        session: &mut Session,
        chat: &mut Chat,
        last: bool,
    ) -> Result<Step, AgentError> {
        self.query += 1;
        self.report.queries += 1;
        let tools = session.offered(last);
        let reminder = session.env().briefing().reminder;
        let Some(mut choice) = self.decide(chat, &tools).await? else {
            return match self.settings.overflow {
                Overflow::Fail => Err(AgentError::new(
                    ErrorClass::Overflow,
                    "the chat of a turn does not fit the model's context",
                )),
                _ => Ok(Step::Ended(session.forfeit())),
            };
        };
        self.report.asked += choice.asked;
        chat.said(&mut choice, self.query);
        if choice.calls.is_empty() {
            return self.without_call(session, chat, &choice, &reminder);
        }
        self.silent = 0;
        let mut results = Vec::new();
        let mut cause = Cause::Said;
        for (index, call) in choice.calls.iter().enumerate() {
            let (result, next) = self.call(session, call, &tools);
            // A reply counts once, however many calls it makes: under the cause of the first one
            // that failed.
            if cause == Cause::Said {
                cause = Self::cause(session, call, &result);
                self.heard(cause);
            }
            results.push(result);
            if next != Next::GoOn {
                let dropped = u32::try_from(choice.calls.len() - index - 1).unwrap_or(u32::MAX);
                if dropped > 0 {
                    session.drop_calls(dropped);
                    self.report.dropped += dropped;
                }
                return Ok(Step::Ended(next));
            }
        }
        chat.results(results, choice.native, &reminder)?;
        Ok(Step::GoOn)
    }

    /// Requests the next calls and makes room if needed; `None` if no room can be made.
    async fn decide(
        &mut self,
        chat: &mut Chat,
        tools: &[ToolSpec],
    ) -> Result<Option<Choice>, AgentError> {
        let output = Output::Calls {
            tools: tools.to_vec(),
            style: self.style,
        };
        // It ends: each attempt has a shorter chat, and `shrink` says when nothing more can be left
        // out.
        for attempt in 0_u32.. {
            let cx = self.cx("query");
            let cx = if attempt == 0 {
                cx
            } else {
                cx.child("fit", attempt)
            };
            let decided = self
                .agent
                .deliberator
                .decide(&cx, chat.messages(), &output)
                .await;
            match decided {
                Ok(choice) => return Ok(Some(choice)),
                Err(e) if e.class == ErrorClass::Overflow => {
                    self.report.overflows += 1;
                    let cx = cx.child("summary", "");
                    if !chat.shrink(self.settings.overflow, &cx).await? {
                        return Ok(None);
                    }
                }
                Err(e) if e.class == ErrorClass::Filtered => {
                    self.report.filtered += 1;
                    // A reply without a call: it gets the reminder and costs a query. A filter
                    // withheld one reply, which must not end the episode.
                    return Ok(Some(Choice::default()));
                }
                Err(e) => return Err(e),
            }
        }
        Ok(None)
    }

    /// Handles a reply without a call: a decision in prose if the environment reads prose, else a
    /// reminder.
    fn without_call(
        &mut self,
        session: &mut Session,
        chat: &mut Chat,
        choice: &Choice,
        reminder: &str,
    ) -> Result<Step, AgentError> {
        let text = spoken(&choice.text);
        let text = text.trim();
        // Tried on a copy, because an environment that does not read prose must not log a refusal.
        let reads_prose = !text.is_empty() && session.env().fork().say(text).is_some();
        if reads_prose {
            let outcome = session.apply(Input::Say {
                text: text.to_owned(),
            });
            if outcome.reply.is_rejected() {
                self.heard(Cause::Refused);
            }
            self.report.without_call += 1;
            if outcome.next != Next::GoOn {
                return Ok(Step::Ended(outcome.next));
            }
            self.note_refusal(&outcome.reply);
            chat.results(
                Vec::new(),
                false,
                &format!("{}\n\n{reminder}", outcome.reply.text()),
            )?;
            return Ok(Step::GoOn);
        }
        self.report.without_call += 1;
        self.heard(Cause::Malformed);
        self.silent += 1;
        if self.style == CallStyle::Native
            && self.settings.json_after > 0
            && self.silent >= self.settings.json_after
        {
            self.style = CallStyle::Json;
            self.report.style_changes += 1;
        }
        chat.results(Vec::new(), false, reminder)?;
        Ok(Step::GoOn)
    }

    /// Counts the last reply under `cause` if that is not "said".
    fn heard(&self, cause: Cause) {
        if cause != Cause::Said {
            self.agent.backend.recount(self.role, cause);
        }
    }

    /// What became of a call: its arguments or its name cannot be read, or the rules refuse it.
    fn cause(session: &Session, call: &ToolCall, result: &ToolResult) -> Cause {
        let is_broken = matches!(call.arguments, Arguments::Broken { .. });
        let is_known = session.env().tools().iter().any(|t| t.name == call.name);
        match result.is_error {
            false => Cause::Said,
            true if is_broken || !is_known => Cause::Malformed,
            true => Cause::Refused,
        }
    }

    /// Applies one call.
    fn call(
        &mut self,
        session: &mut Session,
        call: &ToolCall,
        offered: &[ToolSpec],
    ) -> (ToolResult, Next) {
        if matches!(call.arguments, Arguments::Broken { .. }) {
            self.report.broken_arguments += 1;
        }
        let known = session.env().tools().iter().any(|t| t.name == call.name);
        if known && !offered.iter().any(|t| t.name == call.name) {
            // Answered and counted, not applied.
            self.report.not_offered += 1;
            let names: Vec<&str> = offered.iter().map(|t| t.name.as_str()).collect();
            let text = format!(
                "`{}` is not offered now; call {}",
                call.name,
                names.join(" or ")
            );
            return (result(call, text, true), Next::GoOn);
        }
        let outcome = session.apply(Input::Call {
            tool: call.name.clone(),
            arguments: call.arguments.value(),
        });
        self.note_refusal(&outcome.reply);
        let mut text = outcome.reply.text().to_owned();
        // The environment saw a text and can only say that it wants an object. What is wrong with
        // the text, the parser knows.
        if let Arguments::Broken { error, .. } = &call.arguments {
            text = format!("{text} (the arguments are not JSON: {error})");
        }
        let refused = outcome.reply.is_rejected();
        (result(call, text, refused), outcome.next)
    }

    /// Counts a refusal by the code of its rule.
    fn note_refusal(&mut self, reply: &ToolReply) {
        if let ToolReply::Rejected { code, .. } = reply {
            *self.report.refused.entry(code.clone()).or_default() += 1;
        }
    }
}

fn result(call: &ToolCall, text: String, is_error: bool) -> ToolResult {
    ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text,
        is_error,
    }
}
