//! First stage: the cost limit.
//!
//! A request reserves the highest cost that it can have: one input token for each byte of its body, and
//! `max_output` output tokens. After the reply the real cost replaces the reservation; after an error the
//! reservation is released and nothing is booked. See [`CostLedger`] for the cap.

use super::{Answer, Call, NextStage, RequestStage};
use crate::cause::cause_of;
use crate::error::AgentError;
use crate::ledger::{CostLedger, Left};
use crate::money::{Money, Price};
use crate::reply::Usage;
use crate::wire::USUAL_TOKENS;
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

/// The maximum cost of `call`: a token has at least one byte, and each is charged at the highest price of its
/// kind. Without a limit on the reply, the longest one so far and a quarter more is reserved; before the first
/// reply all that is left, so that the first request goes alone.
///
/// A provider may charge more than the price file says; so no less than the dearest reply so far is reserved.
fn worst(call: &Call, price: &Price, left: &Left) -> Money {
    let highest = Price {
        input: price.highest_input(),
        output: price.output,
        ..Price::FREE
    };
    let of = |output: u64| {
        highest.of(&Usage {
            input: u64::try_from(call.text.len()).unwrap_or(u64::MAX),
            output,
            ..Usage::default()
        })
    };
    match (call.max_output, left.longest) {
        (Some(most), _) => of(most),
        (None, Some(longest)) => of(longest.saturating_add(longest / 4)).max(left.dearest),
        (None, None) => of(u64::from(USUAL_TOKENS)).max(left.money),
    }
}

/// Replies from the start that are all cut off, after which the run stops.
const CUT_OFF: u64 = 8;

/// The error of a run whose first replies were all cut off.
fn all_cut_off(call: &Call) -> AgentError {
    let limit = match call.max_output {
        Some(most) => format!("--max-tokens {most}"),
        None => "the server's own limit".to_owned(),
    };
    AgentError::setup(format!(
        "the first {CUT_OFF} replies were all cut off or had no room ({limit}), so the run was stopped: begin it \
         in another folder with a --max-tokens with which the model can finish and the chat still fits its context"
    ))
}

impl RequestStage for Budget {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let role = call.role;
        if self.ledger.is_all_cut_off(role, CUT_OFF) {
            return Err(all_cut_off(&call));
        }
        let reserved = self
            .ledger
            .reserve_as(|left| worst(&call, &self.price, left))
            .await?;
        let answer = next
            .oneshot(call)
            .await
            .inspect_err(|error| self.ledger.count(role, error.class.cause()))?;
        self.ledger.count(role, cause_of(&answer.reply));
        if let Ok(reply) = &answer.reply {
            let cost = self.price.of(&reply.usage);
            self.ledger.refused(&reply.refused);
            reserved.settle(role, reply.usage, cost, answer.source);
        }
        Ok(answer)
    }
}
