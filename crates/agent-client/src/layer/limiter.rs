//! Fourth stage: not faster than the server allows.

use super::{Answer, Call, Pending};
use crate::error::AgentError;
use crate::pace::Pace;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::{Layer, Service, ServiceExt as _};

/// Keeps to a [`Pace`].
#[derive(Debug, Clone)]
pub struct LimiterLayer {
    pace: Arc<Pace>,
}

impl LimiterLayer {
    /// At this pace.
    #[must_use]
    pub fn new(pace: Arc<Pace>) -> Self {
        Self { pace }
    }
}

impl<S> Layer<S> for LimiterLayer {
    type Service = Limiter<S>;

    fn layer(&self, inner: S) -> Limiter<S> {
        Limiter {
            inner,
            pace: Arc::clone(&self.pace),
        }
    }
}

/// The stage that [`LimiterLayer`] makes.
#[derive(Debug, Clone)]
pub struct Limiter<S> {
    inner: S,
    pace: Arc<Pace>,
}

impl<S> Service<Call> for Limiter<S>
where
    S: Service<Call, Response = Answer, Error = AgentError> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Answer;
    type Error = AgentError;
    type Future = Pending<Answer>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AgentError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let (inner, pace) = (self.inner.clone(), Arc::clone(&self.pace));
        Box::pin(async move {
            let _place = pace.enter().await;
            let estimate = call.estimate();
            pace.wait(estimate).await;
            let answer = inner.oneshot(call).await?;
            if let Ok(reply) = &answer.reply {
                pace.settle(
                    estimate,
                    reply.usage.input.saturating_add(reply.usage.output),
                );
            }
            Ok(answer)
        })
    }
}
