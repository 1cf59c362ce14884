//! First stage: money.

use super::{Answer, Call, Pending};
use crate::error::AgentError;
use crate::ledger::Ledger;
use crate::money::{Money, Price};
use crate::reply::Usage;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::{Layer, Service, ServiceExt as _};

/// Reserves before a request is sent and books what it cost.
#[derive(Debug, Clone)]
pub struct BudgetLayer {
    ledger: Arc<Ledger>,
    price: Price,
}

impl BudgetLayer {
    /// Books on `ledger` at `price`.
    #[must_use]
    pub fn new(ledger: Arc<Ledger>, price: Price) -> Self {
        Self { ledger, price }
    }
}

impl<S> Layer<S> for BudgetLayer {
    type Service = Budget<S>;

    fn layer(&self, inner: S) -> Budget<S> {
        Budget {
            inner,
            layer: self.clone(),
        }
    }
}

/// The stage that [`BudgetLayer`] makes.
#[derive(Debug, Clone)]
pub struct Budget<S> {
    inner: S,
    layer: BudgetLayer,
}

/// The most that `call` can cost: a token is at least one byte.
fn worst(call: &Call, price: &Price) -> Money {
    price.of(&Usage {
        input: u64::try_from(call.text.len()).unwrap_or(u64::MAX),
        output: call.max_output,
        ..Usage::default()
    })
}

impl<S> Service<Call> for Budget<S>
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
        let (inner, layer) = (self.inner.clone(), self.layer.clone());
        Box::pin(async move {
            let reserved = layer.ledger.reserve(worst(&call, &layer.price)).await?;
            let role = call.role;
            let answer = inner.oneshot(call).await?;
            if let Ok(reply) = &answer.reply {
                let cost = layer.price.of(&reply.usage);
                layer.ledger.refused(&reply.refused);
                reserved.settle(role, reply.usage, cost, answer.source);
            }
            Ok(answer)
        })
    }
}
