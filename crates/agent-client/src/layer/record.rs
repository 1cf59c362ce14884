//! Third stage: the cassette.

use super::{Answer, Call, Pending};
use crate::cassette::{Cassette, Mode};
use crate::error::AgentError;
use crate::money::Price;
use std::task::{Context, Poll};
use tower::{Layer, Service, ServiceExt as _};

/// Answers from the cassette and records what is not on it.
#[derive(Debug, Clone)]
pub struct RecordLayer {
    cassette: Cassette,
    price: Price,
}

impl RecordLayer {
    /// Over `cassette`; `price` is what a recorded request cost.
    #[must_use]
    pub fn new(cassette: Cassette, price: Price) -> Self {
        Self { cassette, price }
    }
}

impl<S> Layer<S> for RecordLayer {
    type Service = Record<S>;

    fn layer(&self, inner: S) -> Record<S> {
        Record {
            inner,
            layer: self.clone(),
        }
    }
}

/// The stage that [`RecordLayer`] makes.
#[derive(Debug, Clone)]
pub struct Record<S> {
    inner: S,
    layer: RecordLayer,
}

impl<S> Service<Call> for Record<S>
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
        let (inner, RecordLayer { cassette, price }) = (self.inner.clone(), self.layer.clone());
        Box::pin(async move {
            // Two equal requests at the same time would be recorded with two answers, but a replay
            // uses only the first.
            let gate = cassette.gate(&call);
            let _alone = gate.lock().await;
            if let Some(answer) = cassette.find(&call)? {
                return Ok(answer);
            }
            if cassette.mode() == Mode::Replay {
                return Err(cassette.miss(&call));
            }
            let answer = inner.oneshot(call.clone()).await?;
            match &answer.reply {
                Ok(reply) => cassette.keep(&call, &answer, Some(price.of(&reply.usage)))?,
                Err(error) if error.class.is_an_answer() => cassette.keep(&call, &answer, None)?,
                Err(_) => {}
            }
            Ok(answer)
        })
    }
}
