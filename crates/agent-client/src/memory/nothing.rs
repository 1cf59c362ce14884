//! No memory.

use super::{Experience, Memory, MemoryOp};
use crate::decide::Ctx;
use crate::error::AgentError;
use async_trait::async_trait;
use serde_json::Value;

/// Stores nothing. No requests.
///
/// Methods without memory use it: `cot`, `self-refine`, `debate`, `discussion`. Their units may all run
/// concurrently.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

#[async_trait]
impl Memory for Nothing {
    fn name(&self) -> &'static str {
        "none"
    }

    fn is_online(&self) -> bool {
        false
    }

    fn settings(&self) -> Value {
        Value::Null
    }

    async fn render(&self, _: &Ctx<'_>, _: &str) -> Result<String, AgentError> {
        Ok(String::new())
    }

    async fn update(&mut self, _: &Ctx<'_>, _: &Experience) -> Result<Vec<MemoryOp>, AgentError> {
        Ok(Vec::new())
    }

    fn snapshot(&self) -> Value {
        Value::Null
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        if snapshot.is_null() {
            return Ok(());
        }
        Err(AgentError::setup(
            "no memory was kept, but the snapshot holds one",
        ))
    }
}
