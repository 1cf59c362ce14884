//! Stage before the transport: the name of the field that limits the tokens of a reply.
//!
//! Newer models of OpenAI refuse `max_tokens` and name `max_completion_tokens` in the refusal (status 400).
//! After the first such refusal this stage sends the same request with the other name, and every later
//! request of the client too. The key of a request does not depend on the name that was sent, so recordings
//! hold what the plan says and replay without this stage.

use super::{Answer, Call, NextStage, RequestStage};
use crate::error::{AgentError, ErrorClass};
use crate::ledger::CostLedger;
use crate::pace::Pace;
use crate::wire::{ApiKind, OLD_TOKEN_FIELD, TOKEN_FIELD};
use serde_json::Value;
use sim_core::bytes::canonical_text;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tower::ServiceExt as _;

/// Renames the field once the server has asked for the other name.
#[derive(Debug, Clone)]
pub struct TokenField {
    renamed: Arc<AtomicBool>,
    pace: Arc<Pace>,
    ledger: Arc<CostLedger>,
}

impl TokenField {
    /// The stage; a repeated request waits for `pace` and is counted on `ledger`.
    #[must_use]
    pub fn new(pace: Arc<Pace>, ledger: Arc<CostLedger>) -> Self {
        Self {
            renamed: Arc::default(),
            pace,
            ledger,
        }
    }
}

impl RequestStage for TokenField {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let has_old_name = call.body.get(OLD_TOKEN_FIELD).is_some();
        if call.dialect.kind != ApiKind::OpenAi || !has_old_name {
            return next.oneshot(call).await;
        }
        if !self.renamed.load(Ordering::Relaxed) {
            match next.clone().oneshot(call.clone()).await {
                Err(refusal) if asks_for_new_name(&refusal) => {}
                other => return other,
            }
            self.renamed.store(true, Ordering::Relaxed);
            self.ledger.retried();
            self.pace.wait(0).await;
        }
        next.oneshot(renamed(call)).await
    }
}

/// Whether the server refuses the request and names the other field.
fn asks_for_new_name(refusal: &AgentError) -> bool {
    refusal.class == ErrorClass::BadRequest && refusal.message.contains(TOKEN_FIELD)
}

/// The same call with the other name in the body that is sent.
fn renamed(mut call: Call) -> Call {
    let mut body = Value::clone(&call.body);
    if let Some(fields) = body.as_object_mut()
        && let Some(most) = fields.remove(OLD_TOKEN_FIELD)
    {
        fields.insert(TOKEN_FIELD.to_owned(), most);
    }
    call.text = canonical_text(&body).into();
    call.body = Arc::new(body);
    call
}
