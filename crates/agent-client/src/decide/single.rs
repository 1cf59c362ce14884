//! One request, one decision.

use super::{Choice, Ctx, Deliberator, Output, ask};
use crate::error::AgentError;
use crate::message::Message;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Chain of thought: the model reasons in the same reply in which it decides. One request.
///
/// Source: Wei and others, 2022. In an episode this is one request per step, as in ReAct; the
/// reasoning may precede the call.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Single {
    /// Temperature; the backend's default if absent.
    pub temperature: Option<f64>,
}

#[async_trait]
impl Deliberator for Single {
    fn name(&self) -> &'static str {
        "single"
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(self)
    }

    async fn decide(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError> {
        ask(cx, chat, output, self.temperature).await
    }
}
