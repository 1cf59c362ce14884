//! An instruction that was evolved beforehand.

use super::{Experience, Memory, MemoryOp, saved};
use crate::decide::Ctx;
use crate::error::AgentError;
use async_trait::async_trait;
use serde_json::{Value, json};

/// GEPA at test time: a frozen instruction. No requests.
///
/// Source: Agrawal and others, 2025. [`evolve`](crate::method::evolve) finds it, on other items
/// than those of the test, within a stated budget. The strategic paper counts it among the
/// multi-agent methods and describes it as tools for numbers; the original, which this
/// implementation follows, is an optimiser of prompts.
#[derive(Debug, Clone, Default)]
pub struct Instruction {
    text: String,
}

impl Instruction {
    /// A memory with this instruction.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

#[async_trait]
impl Memory for Instruction {
    fn name(&self) -> &'static str {
        "instruction"
    }

    fn is_online(&self) -> bool {
        false
    }

    fn settings(&self) -> Value {
        json!({"instruction": self.text})
    }

    async fn render(&self, _: &Ctx<'_>, _: &str) -> Result<String, AgentError> {
        Ok(self.text.clone())
    }

    async fn update(&mut self, _: &Ctx<'_>, _: &Experience) -> Result<Vec<MemoryOp>, AgentError> {
        Ok(Vec::new())
    }

    fn snapshot(&self) -> Value {
        json!({"instruction": self.text})
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        #[derive(serde::Deserialize)]
        struct Saved {
            instruction: String,
        }
        self.text = saved::<Saved>(self.name(), snapshot)?.instruction;
        Ok(())
    }
}
