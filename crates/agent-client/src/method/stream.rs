//! Runs a method on episodes, one after the other; the memory learns after each.

use super::episode::{EpisodeNote, EpisodeUnit, EpisodeWork};
use super::spec::Method;
use crate::backend::AgentBackend;
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::memory::{Experience, FeedbackMode, MemoryOp};
use crate::meter::Metered;
use crate::request::{ModelRole, Slot};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::bytes::{canonical_text, json};
use sim_core::{Digest, EpisodeRecord};
use std::fmt;
use std::sync::Arc;

/// The backends of a method: the agent, and the backend for its reflections.
///
/// With two different models the reflector may be the cheaper one; both are part of the settings' digest.
#[derive(Debug, Clone)]
pub struct Team {
    /// Makes decisions.
    pub agent: Arc<dyn AgentBackend>,
    /// Reflects, curates, takes notes; often the same backend.
    pub reflector: Arc<dyn AgentBackend>,
}

impl Team {
    /// One backend for everything.
    #[must_use]
    pub fn of(backend: Arc<dyn AgentBackend>) -> Self {
        Self {
            agent: Arc::clone(&backend),
            reflector: backend,
        }
    }
}

/// The state of a stream besides its memory: the number of episodes played, and the best score.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Progress {
    pub played: u64,
    pub best: Option<f64>,
}

/// The agent, memory and state that an episode uses.
pub(super) struct UnitContext<'s> {
    /// The agent that decides. The meter counts its requests and those of the reflector.
    pub agent: Metered,
    /// Place of the unit in the run.
    pub slot: Slot,
    /// Digest of the memory before the unit.
    pub before: Digest,
    /// The state of the stream; changes take effect if the unit succeeds.
    pub progress: Progress,
    /// Changes that this unit has made to the memory so far.
    pub ops: Vec<MemoryOp>,
    /// The method.
    pub method: &'s mut Method,
    feedback: FeedbackMode,
    reflector: Metered,
}

impl UnitContext<'_> {
    /// The text that the memory shows before a decision on `task`. Requests of the memory get the slot
    /// `part` with number `index` below the slot of the unit.
    ///
    /// # Errors
    /// When the reflector cannot answer.
    pub(super) async fn recall(
        &self,
        part: &str,
        index: impl fmt::Display,
        task: &str,
    ) -> Result<String, AgentError> {
        let cx = reflecting(&self.reflector, self.slot.child(part, index));
        self.method.memory.render(&cx, task).await
    }

    /// Lets the memory learn from the parts of `experience` that the feedback mode allows. Requests of
    /// the memory get the slot `part` with number `index` below the slot of the unit.
    ///
    /// # Errors
    /// When the reflector cannot answer.
    pub(super) async fn learn(
        &mut self,
        part: &str,
        index: impl fmt::Display,
        experience: Experience,
    ) -> Result<(), AgentError> {
        let cx = reflecting(&self.reflector, self.slot.child(part, index));
        let experience = experience.under(self.feedback);
        self.ops
            .extend(self.method.memory.update(&cx, &experience).await?);
        Ok(())
    }
}

/// Requests of the memory: the reflector's backend and role.
pub(super) fn reflecting(reflector: &Metered, slot: Slot) -> Ctx<'_> {
    Ctx {
        backend: reflector,
        role: ModelRole::Reflector,
        slot,
    }
}

/// A method that plays the episodes of an [`EpisodeWork`] in order and learns from them.
///
/// The units of one stream run one after the other; several streams can run concurrently. With a method
/// without online memory every unit may have a separate stream. After each unit the runner stores the
/// record and the [`snapshot`](Self::snapshot); to resume, it restores the snapshot and continues with
/// the next unit. To resume in the middle of an episode, it restores the snapshot from before the episode
/// and passes the resumed session.
///
/// See [`method`](crate::method) for an example.
#[derive(Debug)]
pub struct LearningStream {
    team: Team,
    method: Method,
    work: EpisodeWork,
    progress: Progress,
}

/// The stored form of a stream.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    state: Progress,
    memory: Value,
}

impl LearningStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(team: Team, method: Method, work: EpisodeWork) -> Self {
        Self {
            team,
            method,
            work,
            progress: Progress::default(),
        }
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Digest of all settings of the agent that can change its answers, for headers of records.
    #[must_use]
    pub fn digest(&self) -> Digest {
        settings_digest(&self.team, &self.method, &self.work)
    }

    /// The state of the stream: memory and position.
    ///
    /// A JSON object with the fields `state` and `memory`.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        json(&Saved {
            state: self.progress.clone(),
            memory: self.method.memory.snapshot(),
        })
    }

    /// Replaces memory and state by those of `snapshot`.
    ///
    /// # Errors
    /// When `snapshot` does not belong to this method and kind of work.
    pub fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        let saved: Saved = serde_path_to_error::deserialize(snapshot).map_err(|e| {
            AgentError::setup(format!("the snapshot of the stream is not valid: {e}"))
        })?;
        // All is read before anything is replaced, and a memory that refuses its snapshot stays as
        // it was. So a snapshot that does not fit changes nothing.
        self.method.memory.restore(&saved.memory)?;
        self.progress = saved.state;
        Ok(())
    }

    /// Does the next unit and learns from it. On an error the stream is unchanged, and the unit can
    /// be repeated.
    ///
    /// # Errors
    /// When a backend fails permanently, or the unit cannot be scored.
    pub async fn next(
        &mut self,
        unit: EpisodeUnit<'_>,
    ) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
        let slot = Slot::new("episode").child("-", &unit.name);
        self.next_at(unit, slot).await
    }

    /// As [`next`](Self::next), with `slot` as the place of the unit in the run.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn next_at(
        &mut self,
        unit: EpisodeUnit<'_>,
        slot: Slot,
    ) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
        // It serves twice: its digest goes into the record, and a unit that fails is undone with
        // it.
        let before = self.method.memory.snapshot();
        let agent = Metered::new(Arc::clone(&self.team.agent));
        let mut cx = UnitContext {
            reflector: agent.with(Arc::clone(&self.team.reflector)),
            agent,
            slot,
            before: Digest::of_bytes(canonical_text(&before).as_bytes()),
            progress: self.progress.clone(),
            method: &mut self.method,
            feedback: self.work.feedback,
            ops: Vec::new(),
        };
        match self.work.run(unit, &mut cx).await {
            Ok(record) => {
                self.progress = cx.progress;
                Ok(record)
            }
            Err(e) => {
                self.method.memory.restore(&before)?;
                Err(e)
            }
        }
    }
}

/// The digest of all settings of an agent that can change its answers: backends, method, feedback,
/// work and the texts of all prompts.
fn settings_digest(team: &Team, method: &Method, work: &EpisodeWork) -> Digest {
    let value = json!({
        "agent": team.agent.settings(),
        "reflector": team.reflector.settings(),
        "method": method.settings(),
        "feedback": work.feedback,
        "driver": work,
        "prompts": crate::prompt::digest(method.deliberator.reasons()).to_string(),
    });
    Digest::of_bytes(canonical_text(&value).as_bytes())
}
