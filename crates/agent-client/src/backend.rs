//! The interface to everything that can answer a request.
//!
//! [`AgentBackend`] takes one [`Request`] and gives one [`Reply`]. A model behind an API
//! ([`Client`](crate::client::Client)), a recording of one
//! ([`Client::replay`](crate::client::Client::replay)) and the doubles of
//! [`backends`](crate::backends) implement it, so that code above it needs no second version for tests.

use crate::cause::Cause;
use crate::error::AgentError;
use crate::reply::Reply;
use crate::request::{ModelRole, Request};
use async_trait::async_trait;
use std::fmt;

/// The way in which a backend should be asked for JSON.
///
/// Weaker ways follow stronger ones. [`structured::ask`](crate::structured::ask) starts with the way that
/// the backend names, and goes on to the next weaker one when the server refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Structured {
    /// The backend enforces a schema on its text.
    Native,
    /// The backend is made to call a tool whose arguments have the schema.
    Tool,
    /// The schema is only described in the prompt.
    Prompt,
}

/// A source of replies: a model behind an API, a recording, a script, a closure.
///
/// The code that uses it (the loop, the methods, the interview) does not depend on a provider. The
/// trait is object-safe; all episodes of a run share one backend.
///
/// # Example
/// A backend that answers every request with the length of its chat:
/// ```
/// use agent_client::{AgentBackend, AgentError, Message, ModelRole, Reply, Request, Slot};
/// use async_trait::async_trait;
///
/// #[derive(Debug)]
/// struct Counts;
///
/// #[async_trait]
/// impl AgentBackend for Counts {
///     fn name(&self) -> String {
///         "counts".to_owned()
///     }
///
///     async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
///         Ok(Reply::text(format!("{} messages", request.messages.len())))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), AgentError> {
/// let chat = vec![Message::system("Be brief."), Message::user("How long is this chat?")];
/// let reply = Counts.ask(Request::new(ModelRole::Agent, Slot::new("demo"), chat)).await?;
/// assert_eq!(reply.said.text, "2 messages");
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait AgentBackend: Send + Sync + fmt::Debug {
    /// Its name in records (`openai:some-model`).
    ///
    /// Records and manifests contain it, so it must not hold a key and must not change during a run.
    fn name(&self) -> String;

    /// Answers one request.
    ///
    /// # Errors
    /// When there is no reply; the class of the error says why.
    ///
    /// An implementation may try again by itself; the caller treats an error as final for this request.
    /// Whether a later request may succeed follows from the class:
    /// [`is_transient`](crate::ErrorClass::is_transient),
    /// [`stops_the_run`](crate::ErrorClass::stops_the_run).
    async fn ask(&self, request: Request) -> Result<Reply, AgentError>;

    /// Says what became of the last reply for `role`, which counts as [`Cause::Said`] so far: the loop knows
    /// that its call cannot be read or that the rules refuse it. Backends that count nothing ignore it.
    fn recount(&self, role: ModelRole, cause: Cause) {
        let _ = (role, cause);
    }

    /// The way in which it should be asked for JSON.
    fn structured(&self) -> Structured {
        Structured::Prompt
    }

    /// All settings that can change an answer (model, sampling, dialect), for the digest of a run's
    /// settings.
    ///
    /// Two runs with different settings have different digests, so their records are never mixed. The
    /// default, `null`, is for backends without settings.
    fn settings(&self) -> serde_json::Value {
        serde_json::Value::Null
    }
}
