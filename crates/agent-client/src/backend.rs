//! The interface to everything that can answer a request.

use crate::error::AgentError;
use crate::reply::Reply;
use crate::request::Request;
use async_trait::async_trait;
use std::fmt;

/// The way in which a backend should be asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[async_trait]
pub trait AgentBackend: Send + Sync + fmt::Debug {
    /// Its name in records (`openai:some-model`).
    fn name(&self) -> String;

    /// Answers one request.
    ///
    /// # Errors
    /// When there is no reply; the class of the error says why.
    async fn ask(&self, request: Request) -> Result<Reply, AgentError>;

    /// The way in which it should be asked for JSON.
    fn structured(&self) -> Structured {
        Structured::Prompt
    }

    /// All settings that can change an answer (model, sampling, dialect), for the digest of a run's
    /// settings.
    fn settings(&self) -> serde_json::Value {
        serde_json::Value::Null
    }
}
