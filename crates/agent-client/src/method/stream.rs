//! A method that meets one unit of work after the other, and learns in between.

use super::spec::Method;
use crate::backend::AgentBackend;
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::memory::{Experience, Feedback, MemoryOp};
use crate::meter::Metered;
use crate::request::{Role, Slot};
use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim_core::bytes::{canonical_text, json};
use sim_core::{Digest, Seed};
use std::fmt;
use std::sync::Arc;

/// Who does the work: the agent itself, and whoever does its reflecting.
#[derive(Debug, Clone)]
pub struct Team {
    /// Decides.
    pub agent: Arc<dyn AgentBackend>,
    /// Reflects, curates, takes notes; often the same.
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

/// What the units of a stream are: episodes, questions, interviews.
#[async_trait]
pub trait LearningWork: Send + Sync + fmt::Debug {
    /// A unit of work.
    type Unit<'a>: Send;
    /// What is kept of it.
    type Record;
    /// How far a stream is, besides its memory. Its JSON form is an object without a field `memory`.
    type Progress: Clone + Default + fmt::Debug + Serialize + DeserializeOwned + Send + Sync;

    /// What the memory may learn from.
    fn feedback(&self) -> Feedback;

    /// Everything else that can change an answer, besides team and method.
    fn settings(&self) -> Value;

    /// The place of `unit` in the run.
    fn slot(&self, unit: &Self::Unit<'_>, progress: &Self::Progress) -> Slot;

    /// Does `unit` and learns from it.
    ///
    /// # Errors
    /// When it cannot be done; the stream is then as it was before.
    async fn run(
        &self,
        unit: Self::Unit<'_>,
        cx: &mut UnitContext<'_, Self::Progress>,
    ) -> Result<Self::Record, AgentError>;
}

/// What a unit of work is done with.
#[derive(Debug)]
pub struct UnitContext<'s, P> {
    /// Decides. What it and the reflector are asked is counted.
    pub agent: Metered,
    /// Place of the unit in the run.
    pub slot: Slot,
    /// Digest of the memory before the unit.
    pub before: Digest,
    /// How far the stream is; changes are kept when the unit succeeds.
    pub progress: P,
    /// What was done to the memory so far.
    pub ops: Vec<MemoryOp>,
    /// The method.
    pub method: &'s mut Method,
    pub(super) team: &'s Team,
    feedback: Feedback,
    reflector: Metered,
}

impl<P> UnitContext<'_, P> {
    /// What the memory shows before a decision on `task`. What it asks is asked at the part `part`
    /// number `index` of the unit's place.
    ///
    /// # Errors
    /// When the reflector cannot answer.
    pub async fn recall(
        &self,
        part: &str,
        index: impl fmt::Display,
        task: &str,
    ) -> Result<String, AgentError> {
        let cx = reflecting(&self.reflector, self.slot.child(part, index));
        self.method.memory.render(&cx, task).await
    }

    /// Lets the memory learn from as much of `experience` as the feedback mode lets through. What it
    /// asks is asked at the part `part` number `index` of the unit's place.
    ///
    /// # Errors
    /// When the reflector cannot answer.
    pub async fn learn(
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

fn reflecting(reflector: &Metered, slot: Slot) -> Ctx<'_> {
    Ctx {
        backend: reflector,
        role: Role::Reflector,
        slot,
    }
}

/// A method that meets the units of `W` in order.
///
/// Units of one stream are never met at the same time; several streams are. For methods without
/// online memory every unit may be a stream of its own. After each unit the runner stores the record
/// and [`snapshot`](Self::snapshot); to resume, it restores the snapshot and goes on with the next
/// unit. To resume in the middle of an episode it restores the snapshot from before the episode and
/// hands in the resumed session.
#[derive(Debug)]
pub struct LearningStream<W: LearningWork> {
    pub(super) team: Team,
    pub(super) method: Method,
    pub(super) work: W,
    pub(super) progress: W::Progress,
}

#[derive(Serialize)]
struct Saved<'a, P> {
    #[serde(flatten)]
    progress: &'a P,
    memory: Value,
}

impl<W: LearningWork> LearningStream<W> {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(team: Team, method: Method, work: W) -> Self {
        Self {
            team,
            method,
            work,
            progress: W::Progress::default(),
        }
    }

    /// The method, to look at.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Digest of everything about the agent that can change its answers, for headers of records.
    #[must_use]
    pub fn digest(&self) -> Digest {
        settings_digest(&self.team, &self.method, &self.work)
    }

    /// Everything that the stream has learnt, and how far it is.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        json(&Saved {
            progress: &self.progress,
            memory: self.method.memory.snapshot(),
        })
    }

    /// Puts a snapshot in place.
    ///
    /// # Errors
    /// When it is none of this method.
    pub fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        let bad = |why: &dyn fmt::Display| {
            AgentError::setup(format!("this is no snapshot of a stream: {why}"))
        };
        let mut fields = match snapshot {
            Value::Object(fields) => fields.clone(),
            _ => return Err(bad(&"it is no object")),
        };
        let memory = fields
            .remove("memory")
            .ok_or_else(|| bad(&"missing field `memory`"))?;
        let progress =
            serde_path_to_error::deserialize(Value::Object(fields)).map_err(|e| bad(&e))?;
        self.method.memory.restore(&memory)?;
        self.progress = progress;
        Ok(())
    }

    /// Does the next unit and learns from it. On an error the stream is as before, and the unit can
    /// be met again.
    ///
    /// # Errors
    /// When a backend fails for good, or the unit cannot be judged.
    pub async fn next(&mut self, unit: W::Unit<'_>) -> Result<W::Record, AgentError> {
        let before = self.method.memory.snapshot();
        let agent = Metered::new(Arc::clone(&self.team.agent));
        let mut cx = UnitContext {
            reflector: agent.with(Arc::clone(&self.team.reflector)),
            agent,
            slot: self.work.slot(&unit, &self.progress),
            before: Digest::of_bytes(canonical_text(&before).as_bytes()),
            progress: self.progress.clone(),
            team: &self.team,
            method: &mut self.method,
            feedback: self.work.feedback(),
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

/// The digest of everything about an agent that can change its answers: backends, method, work and
/// the words of all prompts.
pub(super) fn settings_digest<W: LearningWork>(team: &Team, method: &Method, work: &W) -> Digest {
    let value = json!({
        "agent": team.agent.settings(),
        "reflector": team.reflector.settings(),
        "method": method.settings(),
        "feedback": work.feedback(),
        "driver": work.settings(),
        "prompts": crate::prompt::digest().to_string(),
    });
    Digest::of_bytes(canonical_text(&value).as_bytes())
}

/// The order in which stream `stream` of a run meets `count` items: drawn from the run's seed, so
/// that the order is recorded with it. Methods with memory depend on the order; run several.
#[must_use]
pub fn order(seed: Seed, stream: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    seed.stream("item order", stream).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_drawn_and_repeatable() {
        let first = order(Seed(1), 0, 20);
        assert_eq!(first, order(Seed(1), 0, 20));
        assert_ne!(first, order(Seed(1), 1, 20));
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
