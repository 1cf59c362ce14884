//! Recordings of model calls, and their replay.
//!
//! A cassette is a list of [`StoredCall`] lines in a [`Store`], one for each answered request. The key of
//! a line is the digest of API, [slot](crate::Slot) and request body, so a replay finds an answer only if
//! the request has the same bytes at the same place of the run. Replies are recorded, and so are failures
//! that depend on the request alone (too long, refused by a filter); all other failures are not.
//!
//! A cassette serves three purposes: a run resumes without paying twice, `replay:DIR` repeats a run
//! without a key, and `verify` makes the decisions of a run again.

use crate::error::{AgentError, ErrorClass};
use crate::layer::gate::Gates;
use crate::layer::{Answer, Call};
use crate::ledger::Spending;
use crate::money::{Money, PriceBook};
use crate::reply::ReplySource;
use crate::request::{ModelRole, Slot};
use crate::store::{CallTime, Journal, Store, StoredCall, append};
use crate::wire::Dialect;
use crate::wire::ways::Way;
use serde_json::Value;
use sim_core::Digest;
use sim_core::difference::{MOST_DIFFERENCES, differences};
use sim_core::scrub::Scrub;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;

/// How a cassette is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CassetteMode {
    /// Every request is sent and recorded.
    Record,
    /// No request is sent; a request that was not recorded is an error.
    Replay,
    /// Recorded requests are answered from the cassette; the others are sent and recorded. The mode
    /// of ordinary and resumed runs.
    Both,
}

/// The recorded model calls of a run.
///
/// Clones share the recording. Two equal requests at the same time are sent once: the second waits and gets
/// the recorded answer of the first.
///
/// # Example
/// Recording is a stage of a [`Client`](crate::client::Client); this example replays an empty recording:
/// ```
/// use agent_client::cassette::{Cassette, CassetteMode};
/// use agent_client::client::Client;
/// use agent_client::store::MemoryStore;
/// use agent_client::ErrorClass;
/// use sim_core::scrub::Scrub;
/// use std::sync::Arc;
///
/// let cassette = Cassette::open(Arc::new(MemoryStore::default()), CassetteMode::Replay, Scrub::default())?;
/// assert!(cassette.is_empty());
/// let error = Client::replay(&cassette, None, None).unwrap_err();
/// assert_eq!(error.class, ErrorClass::Miss);
/// # Ok::<(), agent_client::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cassette {
    tape: Arc<Tape>,
    mode: CassetteMode,
    /// Where the times of answers are kept.
    times: Option<Arc<dyn Store>>,
}

#[derive(Debug)]
struct Tape {
    journal: Journal,
    scrub: Scrub,
    // Beside each dialect its text, to look it up: a dialect has fractions and therefore no order.
    dialects: Mutex<(Vec<Dialect>, BTreeSet<String>)>,
    spent: Spending,
    /// Weaker ways in which its requests were sent, by the name of the model.
    ways: BTreeMap<String, BTreeSet<Way>>,
    /// Requests that were answered from the cassette, each with the role that asked.
    used: Mutex<BTreeMap<[u8; 32], ModelRole>>,
    gates: Gates,
    /// Number of requests that it could not answer.
    missed: AtomicU32,
}

impl Cassette {
    /// The cassette in `store`. Keys that `scrub` knows never reach it.
    ///
    /// # Errors
    /// When the store cannot be read.
    ///
    /// All lines are read once, for their keys, dialects and costs; their texts stay in the store.
    pub fn open(
        store: Arc<dyn Store>,
        mode: CassetteMode,
        scrub: Scrub,
    ) -> Result<Self, AgentError> {
        Self::open_at(store, mode, scrub, None)
    }

    /// As [`open`](Self::open); calls that were booked without a price cost what their tokens cost at `prices`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_at(
        store: Arc<dyn Store>,
        mode: CassetteMode,
        scrub: Scrub,
        prices: Option<&PriceBook>,
    ) -> Result<Self, AgentError> {
        let mut dialects: Vec<Dialect> = Vec::new();
        let mut spent = Spending::default();
        let mut ways: BTreeMap<String, BTreeSet<Way>> = BTreeMap::new();
        let journal = Journal::open_with(store, |line| {
            dialects.extend(line.dialect.clone());
            let totals = spent.roles.entry(line.role).or_default();
            let cost = prices.map_or(line.cost, |prices| {
                prices.cost_of(&line.backend, line.usage.as_ref(), line.cost)
            });
            totals.count(line.usage.as_ref(), cost);
            spent.spent = spent.spent.plus(cost.unwrap_or_default());
            for count in &line.refused {
                *spent.refused.entry(count.to_string()).or_default() += 1;
            }
            // Only a resumed run needs it.
            if mode == CassetteMode::Both
                && let Some(reply) = line.reply()
            {
                spent.hear(&line.backend, &reply);
            }
            if !line.ways.is_empty() {
                let of_model = ways.entry(line.backend.clone()).or_default();
                of_model.extend(&line.ways);
            }
        })?;
        let known = dialects.iter().filter_map(text_of).collect();
        Ok(Self {
            tape: Arc::new(Tape {
                journal,
                scrub,
                dialects: Mutex::new((dialects, known)),
                spent,
                ways,
                used: Mutex::default(),
                gates: Gates::default(),
                missed: AtomicU32::new(0),
            }),
            mode,
            times: None,
        })
    }

    /// The same cassette, which also appends to `times` how long each answer took: one
    /// [`CallTime`] a line.
    #[must_use]
    pub fn with_times(mut self, times: Arc<dyn Store>) -> Self {
        self.times = Some(times);
        self
    }

    /// How it is used.
    #[must_use]
    pub fn mode(&self) -> CassetteMode {
        self.mode
    }

    /// Usage and cost of the requests that the cassette held when it was opened, for [`CostLedger::carry`].
    ///
    /// [`CostLedger::carry`]: crate::ledger::CostLedger::carry
    ///
    /// Answers that were copied from a cache cost 0: they were paid for in another run.
    #[must_use]
    pub fn spent(&self) -> &Spending {
        &self.tape.spent
    }

    /// The weaker ways in which requests of the model `name` (`openai:some-model`) had been sent when the
    /// cassette was opened, so that a resumed run does not ask in a refused way again.
    #[must_use]
    pub fn ways(&self, name: &str) -> BTreeSet<Way> {
        self.tape.ways.get(name).cloned().unwrap_or_default()
    }

    /// Number of recorded requests.
    ///
    /// Two lines with the same key count once; the first of them answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tape.journal.len()
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dialects in which it was recorded, in order of their first use.
    #[must_use]
    pub fn dialects(&self) -> Vec<Dialect> {
        let dialects = self.tape.dialects.lock();
        dialects.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// The role that asked for the recorded answer to the request `key` since the cassette was opened;
    /// `None` if no request asked for it.
    #[must_use]
    pub fn asked_by(&self, key: &Digest) -> Option<ModelRole> {
        let used = self.tape.used.lock();
        let used = used.unwrap_or_else(PoisonError::into_inner);
        used.get(&key.0).copied()
    }

    /// Makes equal requests wait for one another, so that all of them get the first answer.
    pub(crate) fn gate(&self, call: &Call) -> Arc<AsyncMutex<()>> {
        self.tape.gates.of(call)
    }

    /// The recorded answer to `call`, unless the mode is `Record`. Notes the role, for `asked_by`.
    pub(crate) fn find(&self, call: &Call) -> Result<Option<Answer>, AgentError> {
        if self.mode == CassetteMode::Record {
            return Ok(None);
        }
        let found = self.tape.journal.find(&call.key)?;
        if found.is_some() {
            let used = self.tape.used.lock();
            let mut used = used.unwrap_or_else(PoisonError::into_inner);
            used.insert(call.key.0, call.role);
        }
        Ok(found.map(|line| Answer::stored(call, line, ReplySource::Cassette)))
    }

    /// Whether it needs no copy of this answer, because it has one or does not record.
    pub(crate) fn holds(&self, call: &Call) -> bool {
        self.mode == CassetteMode::Replay || self.tape.journal.has(&call.key)
    }

    /// Records the answer to `call`. The first line of each dialect holds the dialect, so that a replay can
    /// encode its requests in the same way.
    pub(crate) fn keep(
        &self,
        call: &Call,
        answer: &Answer,
        cost: Option<Money>,
    ) -> Result<(), AgentError> {
        let mut line = StoredCall::call(call, answer, cost).scrubbed(&self.tape.scrub);
        let mut dialects = self
            .tape
            .dialects
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if text_of(&call.dialect).is_some_and(|text| dialects.1.insert(text)) {
            dialects.0.push((*call.dialect).clone());
            line.dialect = Some((*call.dialect).clone());
        }
        // Written under the lock, so that the line with the dialect comes first.
        self.tape.journal.append(&line)?;
        match (&self.times, answer.took) {
            (Some(times), Some(took)) => {
                append(&**times, &CallTime::new(call.key, took)).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// The error for a request that was never recorded: it shows where the nearest recorded one
    /// differs.
    pub(crate) fn miss(&self, call: &Call) -> AgentError {
        // Finding the nearest request means reading all of them.
        if self.tape.missed.fetch_add(1, Ordering::Relaxed) >= EXPLAINED {
            return AgentError::new(ErrorClass::Miss, NO_ANSWER);
        }
        let mut best: Option<(bool, usize, StoredCall)> = None;
        let seen = self.tape.journal.scan(|line| {
            // The call at the same place of the run is the nearest, however its chat begins: what
            // differs there is what the reader looks for.
            let rank = (line.slot == call.slot, alike(&line.request, &call.body));
            if best.as_ref().is_none_or(|(slot, n, _)| rank > (*slot, *n)) {
                best = Some((rank.0, rank.1, line));
            }
        });
        if let Err(error) = seen {
            return error;
        }
        let Some((_, _, line)) = best else {
            return AgentError::new(ErrorClass::Miss, "the recording is empty");
        };
        let mut found = Vec::new();
        if line.slot != call.slot {
            found.push(format!(
                "its place in the run: recorded at {}, asked at {}",
                place(&line.slot),
                place(&call.slot)
            ));
        }
        let names = ["recorded", "asked"];
        found.extend(differences(&line.request, &call.body, names));
        found.truncate(MOST_DIFFERENCES);
        AgentError::new(
            ErrorClass::Miss,
            &*self.tape.scrub.text(&format!(
                "{NO_ANSWER}; the nearest recorded request differs in {}",
                found.join("; ")
            )),
        )
    }
}

/// What a request without a recorded answer is told first.
const NO_ANSWER: &str = "the recording has no answer to this request";

/// A position in the run as messages show it. In the slot of an episode a `-` stands before its number, which a reader
/// would take for a sign.
fn place(slot: &Slot) -> String {
    let text = slot.as_str();
    let of_episode = text.strip_prefix("episode/-").and_then(|rest| {
        let (number, part) = rest.split_once('/')?;
        number.parse::<u64>().is_ok().then_some((number, part))
    });
    match of_episode {
        Some((number, part)) => format!("`{part}` of episode {number}"),
        None => format!("`{text}`"),
    }
}

fn text_of(dialect: &Dialect) -> Option<String> {
    sim_core::canonical_json(dialect).ok()
}

/// Number of equal leading messages: the measure of similarity of two requests.
fn alike(a: &Value, b: &Value) -> usize {
    let messages = |v: &Value| v.get("messages").and_then(Value::as_array).cloned();
    match (messages(a), messages(b)) {
        (Some(a), Some(b)) => a.iter().zip(&b).take_while(|(a, b)| a == b).count(),
        _ => 0,
    }
}

/// Largest number of misses for which the message describes the nearest request.
// The recording of another run misses every request, and each explanation reads all of it: without
// a limit that is quadratic.
const EXPLAINED: u32 = 20;
