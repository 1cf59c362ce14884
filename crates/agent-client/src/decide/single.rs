//! One request, one decision.

use super::{Asking, Choice, Ctx, Deliberator, Output, ask};
use crate::error::AgentError;
use crate::message::Message;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Not;

/// One agent decides: the methods `direct` and, with reasoning, `cot`. One request; with reasoning two for
/// tool calls, JSON values and turns of an interview.
///
/// Source of the reasoning: Wei and others, 2022, without worked examples. The model writes its steps down
/// first, in the same reply as the answer to a question and otherwise in a reply of its own.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Single {
    /// Temperature; the backend's default if absent.
    pub temperature: Option<f64>,
    /// Whether the model reasons step by step first (default false).
    #[serde(skip_serializing_if = "Not::not")]
    pub reasoning: bool,
}

#[async_trait]
impl Deliberator for Single {
    fn name(&self) -> &'static str {
        if self.reasoning {
            "reasoning"
        } else {
            "single"
        }
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(self)
    }

    fn reasons(&self) -> bool {
        self.reasoning
    }

    async fn decide(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError> {
        let how = Asking {
            temperature: self.temperature,
            reasoning: self.reasoning,
        };
        ask(cx, chat, output, how).await
    }
}
