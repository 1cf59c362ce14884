//! Second stage: answers of earlier requests.

use super::gate::Gates;
use super::{Answer, Call, NextStage, RequestStage};
use crate::cassette::Cassette;
use crate::error::AgentError;
use crate::reply::{Finish, ReplySource};
use crate::store::{Journal, Store, StoredCall};
use sim_core::scrub::Scrub;
use std::sync::Arc;
use tower::ServiceExt as _;

/// Answers by key, over all runs that share the cache.
///
/// The key contains the slot, so equal requests of different debaters, trials or episodes have
/// separate answers. Failures and filtered replies are never stored. Two equal requests at the same
/// time are sent once.
///
/// # Example
/// Share one cache between runs; each run keeps its own cassette, to which answers of the cache are copied:
/// ```
/// use agent_client::client::Shared;
/// use agent_client::layer::cache::Cache;
/// use agent_client::store::MemoryStore;
/// use sim_core::scrub::Scrub;
/// use std::sync::Arc;
///
/// let cache = Cache::open(Arc::new(MemoryStore::default()), Scrub::default())?;
/// assert!(cache.is_empty());
/// let shared = Shared { cache: Some(cache), ..Shared::default() };
/// # Ok::<(), agent_client::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cache {
    journal: Arc<Journal>,
    scrub: Scrub,
    gates: Gates,
}

impl Cache {
    /// A cache in `store`. Keys that `scrub` knows are removed before anything is stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: Arc<dyn Store>, scrub: Scrub) -> Result<Self, AgentError> {
        Ok(Self {
            journal: Arc::new(Journal::open(store)?),
            scrub,
            gates: Gates::default(),
        })
    }

    /// Number of answers that it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.journal.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, call: &Call) -> Result<Option<Answer>, AgentError> {
        let found = self.journal.find(&call.key)?;
        Ok(found.map(|line| Answer::stored(call, line, ReplySource::Cache)))
    }
}

/// Answers from a cache.
#[derive(Debug, Clone)]
pub struct Cached {
    cache: Cache,
    cassette: Option<Cassette>,
}

impl Cached {
    /// The stage for `cache`. Its answers are copied to the run's `cassette`, so that the run can
    /// be replayed without the cache.
    #[must_use]
    pub fn new(cache: Cache, cassette: Option<Cassette>) -> Self {
        Self { cache, cassette }
    }
}

impl RequestStage for Cached {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let Self { cache, cassette } = self;
        let gate = cache.gates.of(&call);
        // Held until the answer is stored, so that an equal request waits for it instead of being
        // sent.
        let _alone = gate.lock().await;
        if let Some(answer) = cache.find(&call)? {
            // Only what the cassette lacks: a resumed run asks for the same again.
            if let Some(cassette) = cassette.filter(|c| !c.holds(&call)) {
                cassette.keep(&call, &answer, None)?;
            }
            return Ok(answer);
        }
        let answer = next.oneshot(call.clone()).await?;
        if let Ok(reply) = &answer.reply
            // A filter may decide otherwise the next time; other runs should not inherit it.
            && reply.finish != Finish::Filter
            // Only what was sent now: the answers of a cassette belong to its run.
            && answer.source == ReplySource::Server
        {
            let line = StoredCall::call(&call, &answer, None).scrubbed(&cache.scrub);
            cache.journal.append(&line)?;
        }
        Ok(answer)
    }
}
