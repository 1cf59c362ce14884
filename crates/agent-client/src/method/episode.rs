//! Drivers (b) and (c): episodes one after the other, and the same decision again and again.

use super::{Method, Team, settings_digest};
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::memory::{Experience, Feedback, MemoryOp, Work};
use crate::meter::{Metered, Used};
use crate::play::retell::retell_until;
use crate::play::{GoldPlan, Mind, Minds, PlayReport, PlaySettings, play_turn};
use crate::request::{Role, Slot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, EpisodeRecord, Next, Sense, Session, ToolEnvironment};
use std::sync::Arc;

/// How a stream of episodes is played and learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeSettings {
    /// What the memory may learn from.
    #[serde(default)]
    pub feedback: Feedback,
    /// The loop.
    #[serde(default)]
    pub play: PlaySettings,
    /// Whether a larger or a smaller score is better.
    pub sense: Sense,
    /// Score from which an episode is a success; when absent it is one that beats all before it.
    #[serde(default)]
    pub success: Option<f64>,
    /// [`Work::Run`] where the same decision is made again and again (the six runs of the
    /// enterprise twin), else [`Work::Episode`].
    #[serde(default = "episode")]
    pub work: Work,
    /// Periods after which the memory learns in the middle of an episode; it learns at the end only
    /// when absent.
    #[serde(default)]
    pub update_every: Option<u32>,
}

fn episode() -> Work {
    Work::Episode
}

impl EpisodeSettings {
    /// Defaults for environments whose score is better in this direction.
    #[must_use]
    pub fn new(sense: Sense) -> Self {
        Self {
            feedback: Feedback::default(),
            play: PlaySettings::default(),
            sense,
            success: None,
            work: Work::Episode,
            update_every: None,
        }
    }
}

/// An episode to play.
pub struct EpisodeWork<'a> {
    /// Its name in slots and memories: unique in the run (`17`, `scenario-3/trial-1`).
    pub name: String,
    /// What it is about, in a line or two, for memories that look things up.
    pub task: String,
    /// The session, new or resumed.
    pub session: Session,
    /// Opens the same instance anew, to retell what happened.
    pub open: &'a (dyn Fn() -> Result<Box<dyn ToolEnvironment>, AgentError> + Sync),
    /// A solver's plan, for plan mode `gold`.
    pub gold: Option<Arc<dyn GoldPlan>>,
    /// What is right, where somebody knows it, for feedback `ground_truth`.
    pub truth: Option<String>,
    /// Called after every finished turn; new entries are saved there.
    pub after_turn: &'a mut (dyn FnMut(&Session) + Send),
}

impl std::fmt::Debug for EpisodeWork<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EpisodeWork")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What is known of a played episode besides its record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeNote {
    /// Digest of the memory before the episode.
    pub memory: Digest,
    /// What the episode did to it.
    pub ops: Vec<MemoryOp>,
    /// Replies and tokens, of this sitting.
    pub used: Used,
    /// What happened between model and environment, in this sitting.
    pub report: PlayReport,
}

/// A method that plays episodes in order.
///
/// Episodes of one stream are never played at the same time; several streams are. For methods
/// without online memory every episode may be a stream of its own. After each episode the runner
/// stores the record and [`snapshot`](Self::snapshot). To resume in the middle of an episode it
/// restores the snapshot from before the episode and hands in the resumed session.
#[derive(Debug)]
pub struct EpisodeStream {
    team: Team,
    method: Method,
    settings: EpisodeSettings,
    state: State,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    played: u64,
    best: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    state: State,
    memory: Value,
}

impl EpisodeStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(team: Team, method: Method, settings: EpisodeSettings) -> Self {
        Self {
            team,
            method,
            settings,
            state: State::default(),
        }
    }

    /// The method, to look at.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Digest of everything about the agent that can change its play, for headers.
    #[must_use]
    pub fn digest(&self) -> Digest {
        settings_digest(
            &self.team,
            &self.method,
            self.settings.feedback,
            &self.settings,
        )
    }

    /// Everything that the stream has learnt.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        let saved = Saved {
            state: self.state.clone(),
            memory: self.method.memory.snapshot(),
        };
        serde_json::to_value(saved).unwrap_or_default()
    }

    /// Puts a snapshot in place.
    ///
    /// # Errors
    /// When it is none of this method.
    pub fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        let saved: Saved = serde_path_to_error::deserialize(snapshot)
            .map_err(|e| AgentError::setup(format!("this is no snapshot of a stream: {e}")))?;
        self.method.memory.restore(&saved.memory)?;
        self.state = saved.state;
        Ok(())
    }

    /// Plays the next episode and learns from it. On an error the memory is as before the episode.
    ///
    /// # Errors
    /// When a backend fails for good, or the score is not finite.
    pub async fn next(
        &mut self,
        mut work: EpisodeWork<'_>,
    ) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
        let before = self.method.memory.snapshot();
        let digest = self.method.memory.digest();
        let played = match self.play(&mut work).await {
            Ok((report, ops, used)) => self.finish(work, report, ops, used).await,
            Err(e) => Err(e),
        };
        if played.is_err() {
            self.method.memory.restore(&before)?;
        }
        played.map(|(record, mut note)| {
            note.memory = digest;
            (record, note)
        })
    }

    fn slot(&self, work: &EpisodeWork<'_>) -> Slot {
        Slot::new("episode").child("-", &work.name)
    }

    async fn play(
        &mut self,
        work: &mut EpisodeWork<'_>,
    ) -> Result<(PlayReport, Vec<MemoryOp>, Metered), AgentError> {
        let slot = self.slot(work);
        let agent = Metered::new(Arc::clone(&self.team.agent));
        let reflector = agent.with(Arc::clone(&self.team.reflector));
        let mut report = PlayReport::default();
        let mut ops = Vec::new();
        let mut learnt = 0;
        let mut minds = None;
        while !work.session.env().is_over() {
            let period = work.session.env().period().index;
            // After a resume these are asked again in the same slots and answered by the cassette.
            while learnt < self.due(period) {
                learnt += 1;
                ops.extend(self.learn_midway(work, &reflector, &slot, learnt).await?);
                minds = None;
            }
            let minds = match &minds {
                Some(minds) => minds,
                None => {
                    let cx = Ctx {
                        backend: &reflector,
                        role: Role::Reflector,
                        slot: slot.child("before", learnt),
                    };
                    let memory = self.method.memory.render(&cx, &work.task).await?;
                    minds.insert(Minds::one(Mind {
                        backend: Arc::new(agent.clone()),
                        deliberator: Arc::clone(&self.method.deliberator),
                        memory,
                        gold: work.gold.clone(),
                    }))
                }
            };
            let seat = work.session.env().turn();
            let mind = minds.of(&seat);
            let play = &self.settings.play;
            let next = play_turn(&mut work.session, mind, play, &slot, &mut report).await?;
            (work.after_turn)(&work.session);
            if next == Next::EpisodeOver {
                break;
            }
        }
        // The last periods may have been forfeited together, or finished in an earlier sitting.
        let last = work.session.entries().last().map_or(0, |e| e.period);
        while learnt < self.due(last) {
            learnt += 1;
            ops.extend(self.learn_midway(work, &reflector, &slot, learnt).await?);
        }
        Ok((report, ops, agent))
    }

    /// Times that the memory has learnt in an episode when `period` begins.
    fn due(&self, period: u32) -> u32 {
        self.settings.update_every.map_or(0, |k| period / k.max(1))
    }

    async fn learn_midway(
        &mut self,
        work: &mut EpisodeWork<'_>,
        reflector: &Metered,
        slot: &Slot,
        time: u32,
    ) -> Result<Vec<MemoryOp>, AgentError> {
        let until = time * self.settings.update_every.unwrap_or(1);
        let entries = work.session.entries().to_vec();
        let answers = self.settings.feedback >= Feedback::Env;
        let transcript = retell_until((work.open)()?, &entries, None, answers, Some(until));
        let experience = Experience {
            item: format!("{} up to period {until}", work.name),
            work: Work::Episode,
            task: work.task.clone(),
            decision: String::new(),
            transcript,
            diagnostics: None,
            score: None,
            success: None,
            truth: None,
        };
        let cx = Ctx {
            backend: reflector,
            role: Role::Reflector,
            slot: slot.child("midway", until),
        };
        self.method.memory.update(&cx, &experience).await
    }

    async fn finish(
        &mut self,
        work: EpisodeWork<'_>,
        report: PlayReport,
        mut ops: Vec<MemoryOp>,
        agent: Metered,
    ) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
        let slot = self.slot(&work);
        let EpisodeWork {
            name,
            task,
            session,
            open,
            truth,
            ..
        } = work;
        let record = session
            .finish()
            .map_err(|e| AgentError::setup(e.to_string()))?;
        let score = record.score.value();
        let beats_all = self
            .state
            .best
            .is_none_or(|best| self.settings.sense.better(score, best));
        let success = match self.settings.success {
            Some(bar) => !self.settings.sense.better(bar, score),
            None => beats_all,
        };
        let answers = self.settings.feedback >= Feedback::Env;
        let transcript = retell_until(open()?, &record.entries, None, answers, None);
        let decision = decision(&record);
        let metrics = record.score.metrics();
        let lines: Vec<String> = metrics.iter().map(|(n, v)| format!("{n}: {v}")).collect();
        let experience = Experience {
            item: name,
            work: self.settings.work,
            task,
            transcript,
            decision,
            diagnostics: Some(lines.join("\n")).filter(|text| !text.is_empty()),
            score: Some(score),
            // In a repetition a success is what beats all before, whatever the bar.
            success: Some(match self.settings.work {
                Work::Run => beats_all,
                _ => success,
            }),
            truth,
        }
        .under(self.settings.feedback);
        let reflector = agent.with(Arc::clone(&self.team.reflector));
        let cx = Ctx {
            backend: &reflector,
            role: Role::Reflector,
            slot: slot.child("after", ""),
        };
        ops.extend(self.method.memory.update(&cx, &experience).await?);
        self.state.played += 1;
        if beats_all {
            self.state.best = Some(score);
        }
        let note = EpisodeNote {
            memory: self.method.memory.digest(),
            ops,
            used: agent.used(),
            report,
        };
        Ok((record, note))
    }
}

/// The decisions of an episode in short: the applied actions, the last ones if there are many.
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
