//! Fourth stage: the rate limit.
//!
//! A call takes a place among the concurrent requests, then waits for the limits of requests and tokens per
//! minute with its estimated tokens. After the reply the estimate is corrected by the tokens that the server
//! counted. The place is kept during retries.

use super::{Answer, Call, NextStage, RequestStage};
use crate::error::AgentError;
use crate::pace::Pace;
use std::sync::Arc;
use tower::ServiceExt as _;

/// Waits as a [`Pace`] requires.
#[derive(Debug, Clone)]
pub struct Limiter {
    pace: Arc<Pace>,
}

impl Limiter {
    /// A limiter with this pace.
    #[must_use]
    pub fn new(pace: Arc<Pace>) -> Self {
        Self { pace }
    }
}

impl RequestStage for Limiter {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let pace = self.pace;
        // Before the wait for tokens, so that those who wait are as many as may be sent at once.
        let _place = pace.enter().await;
        let estimate = call.estimate();
        pace.wait(estimate).await;
        let answer = next.oneshot(call).await?;
        if let Ok(reply) = &answer.reply {
            pace.settle(
                estimate,
                reply.usage.input.saturating_add(reply.usage.output),
            );
        }
        Ok(answer)
    }
}
