//! Episodes as units of work of a stream, also for repeated runs of the same decision.
//!
//! An [`EpisodeWork`] is the work of a [`LearningStream`](super::LearningStream): it plays the session of each
//! [`EpisodeUnit`], then tells the episode to the memory. The memory is rendered once, before the episode, and
//! again after each update during it.

use super::spec::Method;
use super::stream::{UnitContext, reflecting};
use crate::backend::AgentBackend;
use crate::error::AgentError;
use crate::memory::{Experience, FeedbackMode, MemoryOp, WorkKind};
use crate::meter::Used;
use crate::play::retell::{retell_metrics, retell_until};
use crate::play::{Agent, GoldPlan, PlayReport, PlaySettings, play_turn};
use serde::{Deserialize, Serialize};
use sim_core::{
    Digest, DynPolicy, Entry, EpisodeRecord, Input, Next, Retold, Seat, Sense, Session,
    ToolEnvironment,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The work on episodes: how they are played and what the memory learns from.
///
/// Its fields are part of the digest of a run's settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeWork {
    /// What the memory may learn from.
    #[serde(default)]
    pub feedback: FeedbackMode,
    /// The loop.
    #[serde(default)]
    pub play: PlaySettings,
    /// Whether a larger or a smaller score is better.
    pub sense: Sense,
    /// Score from which an episode is a success; if absent, an episode that beats all earlier ones
    /// is a success.
    #[serde(default)]
    pub success: Option<f64>,
    /// [`WorkKind::Run`] if the same decision is made repeatedly (the six runs of the enterprise twin),
    /// else [`WorkKind::Episode`].
    #[serde(default = "episode")]
    pub work: WorkKind,
    /// Number of periods after which the memory learns during an episode; if absent, it learns only
    /// at the end.
    /// At least 1. The text that it learns from then ends before the current period and has no score.
    #[serde(default)]
    pub update_every: Option<u32>,
}

fn episode() -> WorkKind {
    WorkKind::Episode
}

impl EpisodeWork {
    /// Defaults for environments whose score is better in this direction.
    #[must_use]
    pub fn new(sense: Sense) -> Self {
        Self {
            feedback: FeedbackMode::default(),
            play: PlaySettings::default(),
            sense,
            success: None,
            work: WorkKind::Episode,
            update_every: None,
        }
    }
}

/// An episode to play.
///
/// To resume, pass a resumed session and restore the stream's snapshot from before the episode.
pub struct EpisodeUnit<'a> {
    /// Its name in slots and memories: unique in the run (`17`, `scenario-3/trial-1`).
    pub name: String,
    /// Its topic in a line or two, for memories that retrieve by topic; an environment with words of its own
    /// ([`retold`](sim_core::ToolEnvironment::retold)) gives them in its place.
    pub task: String,
    /// The session, new or resumed.
    pub session: Session,
    /// Opens the same instance again, to describe what happened.
    pub open: &'a (dyn Fn() -> Result<Box<dyn ToolEnvironment>, AgentError> + Sync),
    /// A solver's plan, for plan mode `gold`.
    pub gold: Option<Arc<dyn GoldPlan>>,
    /// The right solution, if it is known, for feedback `ground_truth`.
    pub truth: Option<String>,
    /// The seats that the agent of the stream does not play.
    pub seats: BTreeMap<Seat, SeatPlayer>,
    /// Called after every finished turn; the runner saves new entries in it.
    pub after_turn: &'a mut (dyn FnMut(&Session) + Send),
}

/// Who plays a seat in place of the agent of the stream.
pub enum SeatPlayer {
    /// A policy at its beginning; the turns that it has played before a resume are shown to it again.
    Policy(Box<dyn DynPolicy>),
    /// A model with a method of its own. Its memory is shown and learns nothing.
    Model {
        /// The backend that answers.
        backend: Arc<dyn AgentBackend>,
        /// How it decides.
        method: Method,
        /// The loop.
        play: PlaySettings,
    },
}

impl std::fmt::Debug for SeatPlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Policy(_) => f.write_str("Policy"),
            Self::Model { method, .. } => f.debug_tuple("Model").field(method).finish(),
        }
    }
}

impl std::fmt::Debug for EpisodeUnit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EpisodeUnit")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl EpisodeUnit<'_> {
    fn has_policies(&self) -> bool {
        let mut players = self.seats.values();
        players.any(|player| matches!(player, SeatPlayer::Policy(_)))
    }
}

/// Data on a played episode that its record does not contain.
///
/// The runner stores it beside the record; `verify` compares its memory digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EpisodeNote {
    /// Digest of the memory before the episode.
    pub memory: Digest,
    /// Changes of the memory by this episode.
    pub ops: Vec<MemoryOp>,
    /// Replies and tokens since the start or the last resume.
    pub used: Used,
    /// Events between model and environment since the start or the last resume.
    pub report: PlayReport,
}

impl EpisodeWork {
    /// Plays `unit` and learns from it.
    pub(super) async fn run(
        &self,
        mut unit: EpisodeUnit<'_>,
        cx: &mut UnitContext<'_>,
    ) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
        if self.update_every == Some(0) {
            return Err(AgentError::setup("update_every must be at least 1"));
        }
        if let Some(told) = unit.session.env().retold() {
            unit.task = told.task;
        }
        let report = self.play(&mut unit, cx).await?;
        self.finish(unit, report, cx).await
    }

    async fn play(
        &self,
        unit: &mut EpisodeUnit<'_>,
        cx: &mut UnitContext<'_>,
    ) -> Result<PlayReport, AgentError> {
        let mut report = PlayReport::default();
        let mut learnt = 0;
        let mut agent = None;
        let mut seated = BTreeMap::new();
        if !unit.session.entries().is_empty() && unit.has_policies() {
            catch_up(&mut unit.seats, (unit.open)()?, unit.session.entries())?;
        }
        while !unit.session.env().is_over() {
            let period = unit.session.env().period().index;
            // After a resume these requests are made again with the same slots and answered by the
            // cassette.
            while learnt < self.due(period) {
                learnt += 1;
                self.learn_midway(unit, learnt, cx).await?;
                // The next turn is played with what the memory shows now.
                agent = None;
            }
            let seat = unit.session.env().turn();
            let (agent, settings) = match unit.seats.get_mut(&seat) {
                Some(SeatPlayer::Policy(policy)) => {
                    let next = policy_turn(&mut unit.session, &mut **policy)?;
                    (unit.after_turn)(&unit.session);
                    if next == Next::EpisodeOver {
                        break;
                    }
                    continue;
                }
                Some(SeatPlayer::Model {
                    backend,
                    method,
                    play,
                }) => {
                    // Its memory learns nothing, so it is rendered once in an episode.
                    if !seated.contains_key(&seat) {
                        let backend = cx.agent.with(Arc::clone(backend));
                        let asks = reflecting(&backend, cx.slot.child("before", &seat));
                        let memory = method.memory.render(&asks, &unit.task).await?;
                        let agent = Agent {
                            deliberator: Arc::clone(&method.deliberator),
                            memory,
                            gold: unit.gold.clone(),
                            backend: Arc::new(backend),
                        };
                        seated.insert(seat.clone(), agent);
                    }
                    (seated.get(&seat), &*play)
                }
                None => {
                    if agent.is_none() {
                        agent = Some(Agent {
                            backend: Arc::new(cx.agent.clone()),
                            deliberator: Arc::clone(&cx.method.deliberator),
                            memory: cx.recall("before", learnt, &unit.task).await?,
                            gold: unit.gold.clone(),
                        });
                    }
                    (agent.as_ref(), &self.play)
                }
            };
            let nobody = || AgentError::setup(format!("nobody plays the seat `{seat}`"));
            let agent = agent.ok_or_else(nobody)?;
            let next = play_turn(&mut unit.session, agent, settings, &cx.slot, &mut report).await?;
            (unit.after_turn)(&unit.session);
            if next == Next::EpisodeOver {
                break;
            }
        }
        // The last periods may have been forfeited together, or finished before a resume.
        let last = unit.session.entries().last().map_or(0, |e| e.period);
        while learnt < self.due(last) {
            learnt += 1;
            self.learn_midway(unit, learnt, cx).await?;
        }
        Ok(report)
    }

    /// Number of updates of the memory during an episode up to the start of `period`.
    fn due(&self, period: u32) -> u32 {
        self.update_every.map_or(0, |k| period / k.max(1))
    }

    async fn learn_midway(
        &self,
        unit: &mut EpisodeUnit<'_>,
        time: u32,
        cx: &mut UnitContext<'_>,
    ) -> Result<(), AgentError> {
        let Some(every) = self.update_every else {
            return Ok(());
        };
        let until = time.saturating_mul(every);
        let entries = unit.session.entries().to_vec();
        let answers = self.feedback >= FeedbackMode::Env;
        let transcript = retell_until((unit.open)()?, &entries, None, answers, Some(until));
        let item = format!("{} up to period {until}", unit.name);
        let experience = Experience {
            transcript,
            // Not `self.work`: what was played so far is a part of an episode, also of a decision that is repeated.
            ..Experience::new(WorkKind::Episode, item, &unit.task)
        };
        cx.learn("midway", until, experience).await
    }

    async fn finish(
        &self,
        unit: EpisodeUnit<'_>,
        report: PlayReport,
        cx: &mut UnitContext<'_>,
    ) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
        let EpisodeUnit {
            name,
            task,
            session,
            open,
            truth,
            ..
        } = unit;
        let retold = session.env().retold();
        let record = session
            .finish()
            .map_err(|e| AgentError::setup(e.to_string()))?;
        let score = record.score.value();
        let best = cx.progress.best;
        let beats_all = best.is_none_or(|best| self.sense.better(score, best));
        let success = match self.success {
            // Not `better(score, bar)`: a score equal to the threshold is a success.
            Some(bar) => !self.sense.better(bar, score),
            None => beats_all,
        };
        let answers = self.feedback >= FeedbackMode::Env;
        let told = match retold {
            Some(told) if self.work == WorkKind::Question => told,
            // A judge may know the solution: its words are for searches for an instruction, not for memories.
            Some(told) => Retold {
                feedback: String::new(),
                ..told
            },
            None => {
                let env = open()?;
                Retold {
                    task,
                    feedback: retell_metrics(&*env, &record.score),
                    transcript: retell_until(env, &record.entries, None, answers, None),
                    decision: decision(&record),
                    // For a repeated decision, success means beating all earlier runs; the threshold does
                    // not apply.
                    success: match self.work {
                        WorkKind::Run => beats_all,
                        _ => success,
                    },
                    truth,
                }
            }
        };
        let is_scored = record.score.is_scored();
        let experience = Experience {
            item: name,
            work: self.work,
            task: told.task,
            transcript: told.transcript,
            decision: told.decision,
            diagnostics: Some(told.feedback).filter(|text| !text.is_empty()),
            score: is_scored.then_some(score),
            success: is_scored.then_some(told.success),
            truth: told.truth,
        };
        cx.learn("after", "", experience).await?;
        cx.progress.played += 1;
        // The value of an episode without a score is not a result, so it must not become the best.
        if beats_all && is_scored {
            cx.progress.best = Some(score);
        }
        let note = EpisodeNote {
            memory: cx.before,
            ops: std::mem::take(&mut cx.ops),
            used: cx.agent.used(),
            report,
        };
        Ok((record, note))
    }
}

/// One decision of a policy.
fn policy_turn(session: &mut Session, policy: &mut dyn DynPolicy) -> Result<Next, AgentError> {
    let action = policy.act(session.env());
    let action = action.map_err(|e| AgentError::setup(e.to_string()))?;
    let (_, next) = session.act(action);
    policy.learn(session.env());
    Ok(next)
}

/// Shows the policies in `seats` the turns that they have played already, from the beginning in `env`: a policy
/// may go by what it has seen, and its state is not stored.
fn catch_up(
    seats: &mut BTreeMap<Seat, SeatPlayer>,
    mut env: Box<dyn ToolEnvironment>,
    entries: &[Entry],
) -> Result<(), AgentError> {
    for entry in entries {
        let policy = match (seats.get_mut(&env.turn()), &entry.input) {
            (Some(SeatPlayer::Policy(policy)), Input::Act(_)) => Some(policy),
            _ => None,
        };
        let Some(policy) = policy else {
            env.apply(&entry.input);
            continue;
        };
        // The recorded input is played, not this decision: `act` is called because a policy may
        // change its state in it.
        let decided = policy.act(&*env);
        decided.map_err(|e| AgentError::setup(e.to_string()))?;
        env.apply(&entry.input);
        policy.learn(&*env);
    }
    Ok(())
}

/// The decisions of an episode in short: the applied actions, only the last ones if there are many.
fn decision(record: &EpisodeRecord) -> String {
    const SHOWN: usize = 20;
    let actions: Vec<String> = record
        .entries
        .iter()
        .filter_map(|entry| entry.action.as_ref())
        .map(|action| crate::error::one_line(&sim_core::bytes::canonical_text(action), 1_000))
        .collect();
    let skip = actions.len().saturating_sub(SHOWN);
    actions
        .into_iter()
        .skip(skip)
        .collect::<Vec<_>>()
        .join("; ")
}
