//! Lines that are kept beyond a run: the form of caches and cassettes.
//!
//! This crate opens no files. The runner passes a [`Store`]; [`MemoryStore`] is one for tests.

use crate::cause::{Cause, cause_of};
use crate::error::{AgentError, ErrorClass};
use crate::layer::{Answer, Call, Final};
use crate::money::Money;
use crate::reply::{Reply, Usage};
use crate::request::{ModelRole, Slot};
use crate::tokens::RefusedCount;
use crate::wire::ways::Way;
use crate::wire::{ApiKind, Dialect};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::Digest;
use sim_core::bytes::canonical_text;
use sim_core::scrub::Scrub;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Version of the lines' form.
pub const SCHEMA: u32 = 1;

/// Keys in 43 characters of base64url.
///
/// 64 hexadecimal digits hold each number of three digits once in 66 keys, so a search of the calls for a status
/// such as 502 would find one in every fourth run of twenty calls.
mod key_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use sim_core::Digest;
    use std::borrow::Cow;

    pub(super) fn serialize<S: Serializer>(key: &Digest, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&URL_SAFE_NO_PAD.encode(key.0))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(text: D) -> Result<Digest, D::Error> {
        let text = Cow::<str>::deserialize(text)?;
        let bytes = URL_SAFE_NO_PAD.decode(text.as_bytes()).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok()).map(Digest);
        key.ok_or_else(|| D::Error::custom("a key must have 43 characters of base64url"))
    }
}

/// An append-only list of lines, in a file or elsewhere.
///
/// `append` returns when the line will survive the end of this process. It is called before the
/// answer is used, so that an answered request is never paid for twice.
///
/// Several threads use one store at the same time. The runner's implementation is a file of JSON lines;
/// another one could be a database. Positions are opaque: they come from `scan` or `append`, and `read`
/// accepts them for the lifetime of the store.
pub trait Store: Send + Sync + fmt::Debug {
    /// Passes every line, with its position, to `see`, in the order in which they were appended. A
    /// truncated last line (of a process that was killed) is left out.
    ///
    /// # Errors
    /// When it cannot be read.
    fn scan(&self, see: &mut dyn FnMut(u64, &str)) -> io::Result<()>;

    /// The line at a position from `scan` or `append`.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, place: u64) -> io::Result<String>;

    /// Appends a line (without line end) and returns its position.
    ///
    /// # Errors
    /// When it cannot be written.
    fn append(&self, line: &str) -> io::Result<u64>;
}

/// A store in memory, for the lifetime of the process.
///
/// ```
/// use agent_client::store::{MemoryStore, Store};
/// let store = MemoryStore::default();
/// let place = store.append("{}")?;
/// assert_eq!(store.read(place)?, "{}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    lines: Mutex<Vec<String>>,
}

impl MemoryStore {
    /// A store that holds these lines.
    #[must_use]
    pub fn of(lines: Vec<String>) -> Self {
        Self {
            lines: Mutex::new(lines),
        }
    }

    /// All lines.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn scan(&self, see: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
        for (place, line) in (0..).zip(self.lock().iter()) {
            see(place, line);
        }
        Ok(())
    }

    fn read(&self, place: u64) -> io::Result<String> {
        let lines = self.lock();
        let line = usize::try_from(place).ok().and_then(|at| lines.get(at));
        line.cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such line"))
    }

    fn append(&self, line: &str) -> io::Result<u64> {
        let mut lines = self.lock();
        lines.push(line.to_owned());
        u64::try_from(lines.len() - 1).map_err(io::Error::other)
    }
}

/// One answered request in a file.
///
/// Made by [`call`](Self::call), read by [`read`](Self::read). One line of `calls.jsonl` in a run folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct StoredCall {
    /// Version of the line's form ([`SCHEMA`]).
    pub schema: u32,
    /// Key of the request.
    #[serde(with = "key_text")]
    pub key: Digest,
    /// Position in the run.
    pub slot: Slot,
    /// Role of the request.
    pub role: ModelRole,
    /// Language, model and sampling; only on the first line of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
    /// Name of the backend (`openai:some-model`).
    pub backend: String,
    /// The body of the request.
    pub request: Value,
    /// Status of the answer.
    pub status: u16,
    /// The answer.
    pub answer: Value,
    /// Its usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Counts of the server that were not usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedCount>,
    /// The cause of the reply, where it is not [`Cause::Said`]; as far as the wire knows it.
    #[serde(default, skip_serializing_if = "is_said")]
    pub cause: Cause,
    /// The weaker ways in which the request was sent; empty if it was sent as it stands here.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ways: BTreeSet<Way>,
    /// Its cost \[US dollars\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
}

/// What is counted of a stored call. Nearly all bytes of a line are the texts of request and answer, which are passed
/// over.
#[derive(Debug, Deserialize)]
pub struct SlimCall<'a> {
    /// Position in the run.
    #[serde(borrow)]
    pub slot: Cow<'a, str>,
    /// Language, model and sampling.
    #[serde(default)]
    pub dialect: Option<Dialect>,
    /// Name of the backend (`openai:some-model`).
    #[serde(borrow, default)]
    pub backend: Cow<'a, str>,
    /// Its usage.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Counts of the server that were not usable.
    #[serde(default)]
    pub refused: Vec<RefusedCount>,
    /// Its cost \[US dollars\].
    #[serde(default)]
    pub cost: Option<Money>,
    // Not optional: a line without a request and an answer is not a call, and would be counted as
    // one.
    #[serde(rename = "request")]
    _request: IgnoredAny,
    #[serde(rename = "answer")]
    _answer: IgnoredAny,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_said(cause: &Cause) -> bool {
    *cause == Cause::Said
}

impl StoredCall {
    /// The line of an answered call.
    #[must_use]
    pub fn call(call: &Call, answer: &Answer, cost: Option<Money>) -> Self {
        Self {
            schema: SCHEMA,
            key: call.key,
            slot: call.slot.clone(),
            role: call.role,
            dialect: None,
            backend: call.dialect.name(),
            request: (*call.body).clone(),
            status: answer.answer.status,
            answer: answer.answer.body.clone(),
            usage: answer.reply.as_ref().ok().map(|reply| reply.usage),
            refused: answer
                .reply
                .as_ref()
                .map_or_else(|_| Vec::new(), |reply| reply.refused.clone()),
            cause: cause_of(&answer.reply).unwrap_or_default(),
            ways: answer.ways.clone(),
            cost,
        }
    }

    /// The same without keys.
    #[must_use]
    pub fn scrubbed(mut self, scrub: &Scrub) -> Self {
        self.request = scrub.value(&self.request);
        self.answer = scrub.value(&self.answer);
        self
    }

    /// Whether an API key was removed from the request: then the digest of the stored request differs
    /// from the key of the line.
    #[must_use]
    pub fn is_scrubbed(&self) -> bool {
        self.request.to_string().contains(Scrub::MARK)
    }

    /// The reply in the line; `None` if it has none.
    pub(crate) fn reply(&self) -> Option<Reply> {
        let (kind, _) = self.model()?;
        // A line has counts exactly if its answer held a reply, so the others need not be decoded.
        self.usage?;
        kind.decode(self.answer.clone()).ok()
    }

    /// Language and name of the model.
    fn model(&self) -> Option<(ApiKind, &str)> {
        let (kind, model) = self.backend.split_once(':')?;
        Some((kind.parse().ok()?, model))
    }

    /// Contradictions in the line: between the key and the request, the model's name and the request,
    /// or the answer and its tokens.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut found = Vec::new();
        let Some((kind, model)) = self.model() else {
            return vec![format!("`{}` does not name a model", self.backend)];
        };
        if self.request.get("model").and_then(Value::as_str) != Some(model) {
            found.push(format!("its request is not for the model `{model}`"));
        }
        let dialect = self.dialect.as_ref();
        if dialect.is_some_and(|dialect| dialect.name() != self.backend) {
            found.push("its dialect belongs to another model".to_owned());
        }
        let fits = Call::key_of(kind, &self.slot, &self.request) == self.key;
        if !fits && !self.is_scrubbed() {
            found.push("its key is not the digest of its slot and request".to_owned());
        }
        let answer = Final {
            status: self.status,
            body: self.answer.clone(),
        };
        // The canonical text is what was sent.
        let outcome = answer.read(kind, canonical_text(&self.request).len());
        if cause_of(&outcome).unwrap_or_default() != self.cause {
            let cause: &str = self.cause.into();
            found.push(format!("its cause is not `{cause}`"));
        }
        let read = match outcome {
            Ok(reply) => Some(reply.usage),
            Err(e) if e.class.is_an_answer() => None,
            Err(e) => {
                found.push(format!("its answer is not a reply: {e}"));
                return found;
            }
        };
        // A request whose API key was removed has another length than the request that was sent, and
        // estimates use the length.
        let guessed = read.is_some_and(|usage| usage.estimated) && self.is_scrubbed();
        if read != self.usage && !guessed {
            found.push("its token counts differ from those of its answer".to_owned());
        }
        found
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    ///
    /// Unknown fields, a key that is named twice and a newer form are refused.
    pub fn read(text: &str) -> Result<Self, String> {
        // In two steps: serde refuses a doubled field of this structure, but inside `request` and
        // `answer`, which are any JSON, it would silently take the last one.
        let value = sim_core::strict::json(text.as_bytes()).map_err(|e| e.to_string())?;
        let line: Self = serde_json::from_value(value).map_err(|e| e.to_string())?;
        if line.schema == SCHEMA {
            Ok(line)
        } else {
            Err(format!(
                "it has form {}, this program reads form {SCHEMA}",
                line.schema
            ))
        }
    }
}

/// The time that a server took for an answer: one line of a file beside the recorded calls.
///
/// It is not a part of [`StoredCall`], because two recordings of one run must be equal byte for byte.
///
/// ```
/// use agent_client::store::CallTime;
/// use sim_core::Digest;
/// use std::time::Duration;
///
/// let time = CallTime::new(Digest::of_bytes(b"a request"), Duration::from_millis(1_250));
/// assert_eq!(time.ms, 1_250);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallTime {
    /// Key of the request, as in [`StoredCall::key`].
    #[serde(with = "key_text")]
    pub key: Digest,
    /// Time from the request to the answer, in the attempt that succeeded \[ms\].
    pub ms: u64,
}

impl CallTime {
    /// The line of a request that was answered after `took`.
    #[must_use]
    pub fn new(key: Digest, took: Duration) -> Self {
        Self {
            key,
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// A store with an index by key.
///
/// Only keys and positions are held in memory; [`find`](Self::find) reads the line again.
#[derive(Debug)]
pub struct Journal {
    store: Arc<dyn Store>,
    index: Mutex<BTreeMap<[u8; 32], u64>>,
}

impl Journal {
    /// Reads the keys of all lines.
    ///
    /// # Errors
    /// When the store cannot be read or a line is invalid.
    pub fn open(store: Arc<dyn Store>) -> Result<Self, AgentError> {
        Self::open_with(store, |_| ())
    }

    /// As [`open`](Self::open), and passes every line to `see`.
    ///
    /// # Errors
    /// When the store cannot be read or a line is invalid.
    pub fn open_with(
        store: Arc<dyn Store>,
        mut see: impl FnMut(&StoredCall),
    ) -> Result<Self, AgentError> {
        let mut index = BTreeMap::new();
        let mut wrong = None;
        let mut number = 0;
        let scanned = store.scan(&mut |place, text| {
            number += 1;
            // The last bytes of a line that a killed process left may look like a complete line.
            if is_torn(text) {
                return;
            }
            match StoredCall::read(text) {
                Ok(line) => {
                    see(&line);
                    // The first answer counts, as it did when it was received.
                    index.entry(line.key.0).or_insert(place);
                }
                Err(e) => {
                    // A scan cannot be stopped, so the first fault is kept.
                    wrong.get_or_insert_with(|| format!("line {number} is not a model call: {e}"));
                }
            }
        });
        scanned.map_err(|e| failed(&e))?;
        if let Some(message) = wrong {
            return Err(AgentError::new(ErrorClass::Store, message));
        }
        Ok(Self {
            store,
            index: Mutex::new(index),
        })
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is a line with this key.
    #[must_use]
    pub fn has(&self, key: &Digest) -> bool {
        self.lock().contains_key(&key.0)
    }

    /// The line with this key.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn find(&self, key: &Digest) -> Result<Option<StoredCall>, AgentError> {
        let Some(place) = self.lock().get(&key.0).copied() else {
            return Ok(None);
        };
        let text = self.store.read(place).map_err(|e| failed(&e))?;
        let line = StoredCall::read(&text).map_err(|e| AgentError::new(ErrorClass::Store, e))?;
        Ok(Some(line))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&self, line: &StoredCall) -> Result<(), AgentError> {
        // The lock is not held while the store writes. Equal keys never write at the same time: the
        // gates of cache and cassette let equal requests pass one after the other.
        let place = append(&*self.store, line)?;
        self.lock().entry(line.key.0).or_insert(place);
        Ok(())
    }

    /// Passes every line to `see`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn scan(&self, mut see: impl FnMut(StoredCall)) -> Result<(), AgentError> {
        let scanned = self.store.scan(&mut |_, text| {
            // Only a truncated last line can fail here: `open` refused a store with any other.
            if let Ok(line) = StoredCall::read(text) {
                see(line);
            }
        });
        scanned.map_err(|e| failed(&e))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<[u8; 32], u64>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether `text` is the beginning of a line whose end was never written.
///
/// ```
/// use agent_client::store::is_torn;
/// assert!(is_torn(r#"{"schema": 1, "sl"#));
/// assert!(!is_torn(r#"{"schema": 1}"#) && !is_torn("no JSON"));
/// ```
#[must_use]
pub fn is_torn(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Appends `line` to `store` as JSON.
pub(crate) fn append<T: Serialize>(store: &dyn Store, line: &T) -> Result<u64, AgentError> {
    let text = serde_json::to_string(line)
        .map_err(|e| AgentError::new(ErrorClass::Store, e.to_string()))?;
    store.append(&text).map_err(|e| failed(&e))
}

fn failed(error: &io::Error) -> AgentError {
    AgentError::new(
        ErrorClass::Store,
        format!("the file of model calls cannot be used: {error}"),
    )
}
