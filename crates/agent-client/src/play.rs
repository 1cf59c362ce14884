//! The loop in which a backend plays a session.
//!
//! ```text
//!  turn ─► fresh chat: rules, memory, opening, plan
//!           └─► query ─► calls in order ─► results and reminder ─► query ─► ...
//!                          └─ the one that ends the turn; the rest is dropped and counted
//! ```
//!
//! A seat that is asked in words ([`Ask`](sim_core::Ask)) needs no tools: its turn is one decision of the method, as text.
//!
//! Every period of the other seats begins with a new chat; only notes, getters and the memory carry over, as in the
//! unknown-markets paper (3.2 and its public program: a call must be made, 40 queries per period,
//! and for the last one only the action is offered). The session enforces the limits.
//!
//! The requests of a turn depend only on the state of the session and the settings. Therefore an
//! interrupted episode makes the same requests again, and the cassette of a run replays it with
//! identical bytes.
//!
//! [`play()`] runs a whole session, [`play_turn`] one turn; [`retell`] describes a played episode in words. The
//! README of this crate has a whole program.

use crate::backend::AgentBackend;
use crate::decide::{CallStyle, Deliberator, Single};
use crate::error::{AgentError, ErrorClass};
use crate::request::Slot;
use serde::{Deserialize, Serialize};
use sim_core::{Next, Session, ToolEnvironment};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

mod chat;
pub mod retell;
mod text;
mod turn;

pub use turn::play_turn;

/// What an agent does before its calls (office paper, 4.1 and table 3).
///
/// A plan of [`Cot`](Self::Cot) stays in the chat of its turn; a thought of [`React`](Self::React) is part of the
/// message that holds the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum PlanMode {
    /// Nothing: it calls the tools directly.
    #[default]
    None,
    /// It writes a plan first, in a separate request, once per turn.
    Cot,
    /// It writes a thought before every call.
    React,
    /// It is given a solver's plan and only carries it out. An upper bound and not an agent.
    Gold,
}

/// What happens when the chat no longer fits the model's context.
///
/// Each attempt to make room is counted in [`PlayReport::overflows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Overflow {
    /// The episode fails.
    Fail,
    /// The oldest results are left out; when no more can be left out, the turn is forfeited (counts
    /// as no action).
    #[default]
    DropOldest,
    /// The agent summarises the chat in a separate request; if that is not enough, as `DropOldest`.
    Summarise,
}

/// How an agent plays. Part of the digest of a run's settings.
///
/// ```
/// use agent_client::decide::CallStyle;
/// use agent_client::play::{PlanMode, PlaySettings};
/// // A server without tool calling, and a thought before each call:
/// let settings = PlaySettings {
///     plan: PlanMode::React,
///     style: CallStyle::Json,
///     ..PlaySettings::default()
/// };
/// assert_eq!(settings.json_after, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlaySettings {
    /// What the agent does before its calls.
    pub plan: PlanMode,
    /// The form of calls at first.
    pub style: CallStyle,
    /// Number of consecutive replies without a call after which the rest of the turn is played with
    /// calls as JSON in the text (default 2); 0 never changes the form.
    pub json_after: u32,
    /// What happens when the chat no longer fits.
    pub overflow: Overflow,
}

impl Default for PlaySettings {
    fn default() -> Self {
        Self {
            plan: PlanMode::None,
            style: CallStyle::Native,
            json_after: 2,
            overflow: Overflow::DropOldest,
        }
    }
}

/// A solver's plan for the current state, for [`PlanMode::Gold`]. Implemented by the runner.
///
/// `env` is the current state; the plan is shown at the beginning of each turn.
pub trait GoldPlan: Send + Sync + fmt::Debug {
    /// What an expert would do now, as text or calls; `None` if there is no plan.
    fn plan(&self, env: &dyn ToolEnvironment) -> Option<String>;
}

/// The agent at a seat.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The backend that answers.
    pub backend: Arc<dyn AgentBackend>,
    /// How decisions are made.
    pub deliberator: Arc<dyn Deliberator>,
    /// The text of its memory; empty for none.
    pub memory: String,
    /// A solver's plan.
    pub gold: Option<Arc<dyn GoldPlan>>,
}

impl Agent {
    /// An agent that decides with one request and has no memory.
    pub fn new(backend: Arc<dyn AgentBackend>) -> Self {
        Self {
            backend,
            deliberator: Arc::new(Single::default()),
            memory: String::new(),
            gold: None,
        }
    }
}

/// Counts of events between the model and the environment since the start or the last resume of the
/// episode. Scores and forfeits are in the record; these counts are not.
///
/// After a resume the counts begin at 0 again, so they are for people and not part of any comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayReport {
    /// Queries counted by the session.
    pub queries: u32,
    /// Replies of the backend, including deliberation and repairs.
    pub asked: u32,
    /// Replies without a call.
    pub without_call: u32,
    /// Turns in which the form changed to calls as JSON.
    pub style_changes: u32,
    /// Calls whose arguments were not JSON.
    pub broken_arguments: u32,
    /// Calls of tools that were not offered.
    pub not_offered: u32,
    /// Refused calls, by name of the rule.
    pub refused: BTreeMap<String, u32>,
    /// Calls dropped after the end of a turn.
    pub dropped: u32,
    /// Number of times that the chat no longer fitted.
    pub overflows: u32,
    /// Replies that a content filter refused.
    pub filtered: u32,
}

impl PlayReport {
    /// Counts a request that has no reply.
    fn unanswered(&mut self, class: ErrorClass) {
        match class {
            ErrorClass::Overflow => self.overflows += 1,
            ErrorClass::Filtered => self.filtered += 1,
            _ => {}
        }
    }

    /// Adds the counts of another turn or episode.
    pub fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.asked += other.asked;
        self.without_call += other.without_call;
        self.style_changes += other.style_changes;
        self.broken_arguments += other.broken_arguments;
        self.not_offered += other.not_offered;
        self.dropped += other.dropped;
        self.overflows += other.overflows;
        self.filtered += other.filtered;
        for (code, count) in &other.refused {
            *self.refused.entry(code.clone()).or_default() += count;
        }
    }
}

/// Plays a session to its end with one agent at every seat.
///
/// Agents that differ by seat are played with [`play_turn`], in a loop that chooses by
/// [`ToolEnvironment::turn`].
///
/// `after_turn` is called with the session after every finished turn; the runner saves the new
/// entries in it. When the backend fails, the session stays as it was in the current period: drop
/// it, and [`Session::resume`] continues from the last finished period.
///
/// # Errors
/// When a backend fails permanently.
///
/// Each turn gets the slot `<slot>/turn<n>`, where n is the number of entries that the session has logged.
pub async fn play(
    session: &mut Session,
    agent: &Agent,
    settings: &PlaySettings,
    slot: &Slot,
    after_turn: &mut (dyn FnMut(&Session) + Send),
) -> Result<PlayReport, AgentError> {
    let mut report = PlayReport::default();
    while !session.env().is_over() {
        let next = play_turn(session, agent, settings, slot, &mut report).await?;
        // Also behind the last turn, whose entries are not saved yet.
        after_turn(session);
        if next == Next::EpisodeOver {
            break;
        }
    }
    Ok(report)
}
