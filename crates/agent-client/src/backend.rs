//! The one interface to whatever answers.

use crate::error::AgentError;
use crate::reply::Reply;
use crate::request::Request;
use async_trait::async_trait;
use std::fmt;

/// How a backend is best asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// It enforces a schema on its text.
    Native,
    /// It is made to call a tool that has the schema.
    Tool,
    /// It is told the schema and trusted.
    Prompt,
}

/// Whatever answers requests: a model behind an API, a recording, a script, a closure.
///
/// Everything above it (the loop, the methods, the interview) knows no provider. It is object-safe;
/// a backend is shared by all episodes of a run.
#[async_trait]
pub trait AgentBackend: Send + Sync + fmt::Debug {
    /// Its name in records (`openai:some-model`).
    fn name(&self) -> String;

    /// Answers one request.
    ///
    /// # Errors
    /// When no reply can be had; the class says what kind of failure it was.
    async fn ask(&self, request: Request) -> Result<Reply, AgentError>;

    /// How it is best asked for JSON.
    fn structured(&self) -> Structured {
        Structured::Prompt
    }

    /// Everything about it that can change an answer (model, sampling, dialect), for the digest of
    /// a run's settings.
    fn settings(&self) -> serde_json::Value {
        serde_json::Value::Null
    }
}
