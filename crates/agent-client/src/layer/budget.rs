//! First stage: the cost limit.
//!
//! A request reserves the highest cost that it can have: one input token for each byte of its body, and
//! `max_output` output tokens. After the reply the real cost replaces the reservation; after an error the
//! reservation is released and nothing is booked. See [`CostLedger`] for the cap.

use super::{Answer, Call, NextStage, RequestStage};
use crate::cause::Cause;
use crate::error::AgentError;
use crate::ledger::CostLedger;
use crate::money::{Money, Price};
use crate::reply::Usage;
use std::sync::Arc;
use tower::ServiceExt as _;

/// Reserves money before a request is sent and books its cost.
#[derive(Debug, Clone)]
pub struct Budget {
    ledger: Arc<CostLedger>,
    price: Price,
}

impl Budget {
    /// Books on `ledger` at `price`.
    #[must_use]
    pub fn new(ledger: Arc<CostLedger>, price: Price) -> Self {
        Self { ledger, price }
    }
}

/// The maximum cost of `call`: a token has at least one byte.
fn worst(call: &Call, price: &Price) -> Money {
    price.of(&Usage {
        input: u64::try_from(call.text.len()).unwrap_or(u64::MAX),
        output: call.max_output,
        ..Usage::default()
    })
}

impl RequestStage for Budget {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let reserved = self.ledger.reserve(worst(&call, &self.price)).await?;
        let role = call.role;
        let answer = next
            .oneshot(call)
            .await
            .inspect_err(|error| self.ledger.count(role, Cause::of_class(error.class)))?;
        self.ledger.count(role, Cause::of(&answer.reply));
        if let Ok(reply) = &answer.reply {
            let cost = self.price.of(&reply.usage);
            self.ledger.refused(&reply.refused);
            reserved.settle(role, reply.usage, cost, answer.source);
        }
        Ok(answer)
    }
}
