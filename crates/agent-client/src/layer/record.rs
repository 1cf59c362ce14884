//! Third stage: the cassette.
//!
//! In mode `Replay` it answers or fails and never passes a call on. In the other modes it records every reply,
//! and every failure that depends on the request alone.

use super::{Answer, Call, NextStage, RequestStage};
use crate::cassette::{Cassette, CassetteMode};
use crate::error::AgentError;
use crate::money::Price;
use tower::ServiceExt as _;

/// Answers from the cassette and records all other answers.
#[derive(Debug, Clone)]
pub struct Record {
    cassette: Cassette,
    price: Price,
}

impl Record {
    /// The stage for `cassette`; `price` gives the cost of a recorded request.
    #[must_use]
    pub fn new(cassette: Cassette, price: Price) -> Self {
        Self { cassette, price }
    }
}

impl RequestStage for Record {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let Self { cassette, price } = self;
        // Without the gate two equal requests at the same time would be recorded with two answers, of
        // which a replay uses only the first.
        let gate = cassette.gate(&call);
        let _alone = gate.lock().await;
        if let Some(answer) = cassette.find(&call)? {
            return Ok(answer);
        }
        if cassette.mode() == CassetteMode::Replay {
            return Err(cassette.miss(&call));
        }
        let answer = next.oneshot(call.clone()).await?;
        match &answer.reply {
            Ok(reply) => cassette.keep(&call, &answer, Some(price.of(&reply.usage)))?,
            Err(error) if error.class.is_an_answer() => cassette.keep(&call, &answer, None)?,
            Err(_) => {}
        }
        Ok(answer)
    }
}
