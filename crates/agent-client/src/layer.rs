//! The stages of a request: `budget -> cache -> cassette -> limiter -> retry -> adapt -> transport`.
//!
//! Each stage is a Tower service around the next. The order has reasons: nothing is looked up that
//! the budget does not cover; a cached answer never waits for a rate limit; the cassette stores one
//! final answer per request, and no failures before it; a request that is being retried keeps its
//! place among the concurrent ones, so that an overloaded server gets fewer requests.
//!
//! [`Client`](crate::client::Client) builds the stages; use them directly only to build a client with other
//! stages. A stage implements [`RequestStage`] and becomes a Tower layer by [`StageLayer`].

use crate::error::{AgentError, ErrorClass};
use crate::in_flight::InFlight;
use crate::reply::{Finish, Reply, ReplySource, Usage};
use crate::request::{ModelRole, Request, Slot};
use crate::room::limit;
use crate::store::StoredCall;
use crate::wire::fault::Generation;
use crate::wire::ways::Way;
use crate::wire::{ApiKind, Dialect, Fault, USUAL_TOKENS, envelope, estimate, fault, foreign};
use serde_json::{Value, json};
use sim_core::Digest;
use sim_core::bytes::canonical_text;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::{Layer, Service};

pub mod adapt;
pub mod budget;
pub mod cache;
mod clean;
pub(crate) mod gate;
pub mod limiter;
pub mod record;
pub mod retry;
#[cfg(feature = "tls")]
mod tls;
pub mod transport;

/// A future of a layer.
pub(crate) type Pending<T> = Pin<Box<dyn Future<Output = Result<T, AgentError>> + Send>>;

/// The next stage, as a Tower service.
pub trait NextStage:
    Service<Call, Response = Answer, Error = AgentError, Future: Send> + Clone + Send + 'static
{
}

impl<S> NextStage for S where
    S: Service<Call, Response = Answer, Error = AgentError, Future: Send> + Clone + Send + 'static
{
}

/// A stage of a request: it handles a call itself or passes it to the next stage.
///
/// # Example
/// A stage that refuses requests of judges and passes all others on:
/// ```
/// use agent_client::layer::{Answer, Call, NextStage, RequestStage};
/// use agent_client::{AgentError, ModelRole};
/// use tower::ServiceExt as _;
///
/// #[derive(Clone)]
/// struct NoJudges;
///
/// impl RequestStage for NoJudges {
///     async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
///         if call.role == ModelRole::Judge {
///             return Err(AgentError::setup("this run has no judge"));
///         }
///         next.oneshot(call).await
///     }
/// }
/// ```
pub trait RequestStage: Clone + Send + 'static {
    /// Answers `call`; asks `next` if this stage has no answer of its own.
    ///
    /// # Errors
    /// The error of this stage or of the next one.
    fn pass<N: NextStage>(
        self,
        call: Call,
        next: N,
    ) -> impl Future<Output = Result<Answer, AgentError>> + Send;
}

/// The Tower layer of a stage: wraps a service in it.
#[derive(Debug, Clone)]
pub struct StageLayer<L>(pub L);

impl<L: RequestStage, S> Layer<S> for StageLayer<L> {
    type Service = StageService<L, S>;

    fn layer(&self, next: S) -> StageService<L, S> {
        StageService {
            stage: self.0.clone(),
            next,
        }
    }
}

/// The Tower service of a stage and the service that it wraps.
#[derive(Debug, Clone)]
pub struct StageService<L, S> {
    stage: L,
    next: S,
}

impl<L: RequestStage, S: NextStage> Service<Call> for StageService<L, S> {
    type Response = Answer;
    type Error = AgentError;
    type Future = Pending<Answer>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AgentError>> {
        // Each call works on a clone of the next stage and waits for it inside its future
        // (`oneshot`).
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        Box::pin(self.stage.clone().pass(call, self.next.clone()))
    }
}

/// A request on its way through the stages.
///
/// Made by [`new`](Self::new), so that body, text and key belong together.
#[derive(Debug, Clone)]
pub struct Call {
    /// Role of the request.
    pub role: ModelRole,
    /// Position in the run.
    pub slot: Slot,
    /// Language and model.
    pub dialect: Arc<Dialect>,
    /// The body to send.
    pub body: Arc<Value>,
    /// The same as canonical JSON: the exact bytes.
    pub text: Arc<str>,
    /// Digest over kind, slot and body: the key of caches and cassettes.
    /// Two calls with equal keys have the same answer.
    pub key: Digest,
    /// Maximum number of tokens of the reply; absent if the request names none.
    pub max_output: Option<u64>,
    /// Weaker ways in which it is sent; empty until the stage before the transport.
    pub ways: BTreeSet<Way>,
    /// Whether it is on its way, and whether anyone waits for it.
    pub(crate) in_flight: InFlight,
}

impl Call {
    /// The call that `request` becomes.
    #[must_use]
    pub fn new(dialect: &Arc<Dialect>, request: &Request) -> Self {
        let body = dialect.kind.encode(dialect, request);
        let text = canonical_text(&body);
        Self {
            role: request.role,
            slot: request.slot.clone(),
            dialect: Arc::clone(dialect),
            key: key(dialect.kind, &request.slot, &text),
            text: text.into(),
            max_output: limit(&body),
            body: Arc::new(body),
            ways: BTreeSet::new(),
            in_flight: InFlight::default(),
        }
    }

    /// The key of the request `body` in the language `kind` at `slot`.
    ///
    /// It is the SHA-256 digest of the canonical JSON list of API name, slot and canonical body.
    #[must_use]
    pub fn key_of(kind: ApiKind, slot: &Slot, body: &Value) -> Digest {
        key(kind, slot, &canonical_text(body))
    }

    /// Estimated number of tokens, for rate limits: a quarter of the bytes, plus the longest
    /// reply.
    #[must_use]
    pub fn estimate(&self) -> u64 {
        let output = self.max_output.unwrap_or_else(|| u64::from(USUAL_TOKENS));
        estimate(self.text.len()).saturating_add(output)
    }
}

fn key(kind: ApiKind, slot: &Slot, text: &str) -> Digest {
    // With the slot: the agents of a debate and the trials of an episode send equal bytes, and with
    // one key they would all get the first answer.
    let parts = json!([kind, slot.as_str(), text]);
    Digest::of_bytes(canonical_text(&parts).as_bytes())
}

/// A final answer of a server: what a cassette holds.
///
/// API keys were removed from it before it got here.
#[derive(Debug, Clone, PartialEq)]
pub struct Final {
    /// HTTP status.
    pub status: u16,
    /// Body as JSON; a string if the body is not JSON.
    pub body: Value,
}

impl Final {
    /// Reads the answer to a request of `sent` bytes in the language `kind`: a reply, or a failure that belongs to the
    /// request. It depends on nothing else, so a recorded answer gives the same reply again.
    ///
    /// # Errors
    /// The failure, classified.
    pub fn read(&self, kind: ApiKind, sent: usize) -> Result<Reply, AgentError> {
        let fail = |fault: Fault| {
            let mut error = AgentError::new(fault.class, fault.message);
            error.status = Some(self.status);
            error.retry_after = fault.retry_after;
            error.words = fault.words;
            error
        };
        if !(200..300).contains(&self.status) {
            let text = match &self.body {
                Value::String(text) => text.clone(),
                body => body.to_string(),
            };
            let fault = fault::of_status(self.status, text.as_bytes());
            return match fault.generation {
                Some(generation) => Ok(generated(generation, sent)),
                None => Err(fail(fault)),
            };
        }
        let body = match kind {
            ApiKind::Embeddings => Cow::Borrowed(&self.body),
            ApiKind::OpenAi | ApiKind::Anthropic => foreign::as_chat(&self.body),
        };
        if let Some(fault) = fault::in_success(&body) {
            return Err(fail(fault));
        }
        let mut reply = match kind.decode(body.into_owned()) {
            Ok(reply) => reply,
            // It would be paid for again, and nobody knows that the next one can be read.
            Err(what) => self.unreadable(kind).ok_or_else(|| {
                fail(Fault {
                    class: ErrorClass::Garbled,
                    message: what,
                    generation: None,
                    retry_after: None,
                    words: String::new(),
                })
            })?,
        };
        // The decoder may have seen the body in the form of another API; what is kept is what came.
        reply.raw.clone_from(&self.body);
        if reply.usage.estimated && reply.usage.input == 0 {
            reply.usage.input = estimate(sent);
        }
        Ok(reply)
    }

    /// The empty reply that stands for an answer which cannot be read, although it says that tokens were written;
    /// `None` if it does not say so.
    fn unreadable(&self, kind: ApiKind) -> Option<Reply> {
        let is_chat = kind != ApiKind::Embeddings;
        let usage = envelope::paid(&self.body).filter(|_| is_chat)?;
        let empty = json!({"choices": [{"message": {"content": ""}}], "usage": usage});
        let mut reply = ApiKind::OpenAi.decode(empty).ok()?;
        reply.finish = Finish::Other("unreadable".to_owned());
        Some(reply)
    }
}

/// The reply of a model that the server reported as an error.
fn generated(generation: Generation, sent: usize) -> Reply {
    let mut reply = Reply::text(generation.text);
    reply.finish = generation.finish;
    reply.source = ReplySource::Server;
    reply.attempts = 1;
    // An error carries no counts, but the tokens were written.
    reply.usage = Usage {
        input: estimate(sent),
        output: estimate(reply.said.text.len()),
        estimated: true,
        ..Usage::default()
    };
    reply
}

/// The response of the stages.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The answer as it came.
    pub answer: Final,
    /// The reply in it.
    /// An error here is the server's answer (`overflow`, `filtered`) and is recorded; an error of a stage is
    /// not an [`Answer`].
    pub reply: Result<Reply, AgentError>,
    /// Where it came from.
    pub source: ReplySource,
    /// Time from the request to the answer, in the attempt that succeeded; absent if no request was sent.
    pub took: Option<Duration>,
    /// The weaker ways in which it was asked.
    pub ways: BTreeSet<Way>,
}

impl Answer {
    /// The answer to `call`, read.
    #[must_use]
    pub fn new(call: &Call, answer: Final, source: ReplySource, attempts: u32) -> Self {
        let reply = answer
            .read(call.dialect.kind, call.text.len())
            .map(|reply| Reply { source, ..reply });
        Self {
            answer,
            reply,
            source,
            took: None,
            ways: BTreeSet::new(),
        }
        .after(attempts)
    }

    /// The answer to `call` that is stored in `line`.
    pub(crate) fn stored(call: &Call, line: StoredCall, source: ReplySource) -> Self {
        let answer = Final {
            status: line.status,
            body: line.answer,
        };
        Self::new(call, answer, source, 0)
    }

    /// The same answer, which came after this number of attempts.
    #[must_use]
    pub fn after(mut self, attempts: u32) -> Self {
        match &mut self.reply {
            Ok(reply) => reply.attempts = attempts,
            Err(error) => error.attempts = attempts,
        }
        self
    }
}
