//! Costs by role, and the cap on them.
//!
//! Requests run concurrently, so a cap cannot be checked by comparing the costs so far: several requests
//! could pass the check together and exceed it. A [`CostLedger`] therefore reserves before and books after
//! each request.

use crate::cause::{Cause, Causes};
use crate::error::{AgentError, ErrorClass};
use crate::money::Money;
use crate::reply::{ReplySource, Usage};
use crate::request::ModelRole;
use crate::tokens::RefusedCount;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Sums over requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Answered requests.
    pub requests: u64,
    /// Those of them that a cache or a cassette answered, at no cost.
    pub replayed: u64,
    /// Tokens of all of them.
    pub usage: Usage,
    /// Total cost.
    pub cost: Money,
}

/// Usage of a run so far, for the progress line and the summary.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spending {
    /// By role.
    pub roles: BTreeMap<ModelRole, UsageTotals>,
    /// Total cost, including the cost before a resume.
    pub spent: Money,
    /// Requests that wait for an answer.
    pub in_flight: u64,
    /// Number of retries.
    pub retries: u64,
    /// Descriptions of server counts that could not be used, each with its number of replies.
    #[serde(default)]
    pub refused: BTreeMap<String, u64>,
    /// Causes of the replies, by role.
    #[serde(default)]
    pub causes: BTreeMap<ModelRole, Causes>,
}

impl Spending {
    /// The sum over the roles.
    #[must_use]
    pub fn total(&self) -> UsageTotals {
        let mut sum = UsageTotals::default();
        for totals in self.roles.values() {
            sum.requests += totals.requests;
            sum.replayed += totals.replayed;
            sum.usage += totals.usage;
            sum.cost = sum.cost.plus(totals.cost);
        }
        sum
    }
}

/// The account of a run, shared by all its backends.
///
/// With a cap, a request reserves its maximum cost before it is sent: as many input tokens as the
/// request has bytes, and as many output tokens as it allows. If this exceeds the cap together with
/// the costs and reservations so far, the request waits for the requests in flight; if it still
/// does not fit then, it is refused. So the cap holds at any concurrency, provided that the server
/// respects the length limit.
///
/// # Example
/// ```
/// use agent_client::ledger::CostLedger;
/// use agent_client::money::Money;
/// use agent_client::{ErrorClass, ModelRole, ReplySource, Usage};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ledger = CostLedger::new(Some("1.00".parse::<Money>()?));
/// let reserved = ledger.reserve("0.80".parse()?).await?;
/// let usage = Usage { input: 900, output: 100, ..Usage::default() };
/// reserved.settle(ModelRole::Agent, usage, "0.30".parse()?, ReplySource::Server);
/// assert_eq!(ledger.spending().spent, "0.30".parse()?);
///
/// // 0.30 are spent and 0.80 do not fit into the remaining 0.70.
/// let refused = ledger.reserve("0.80".parse()?).await.unwrap_err();
/// assert_eq!(refused.class, ErrorClass::Budget);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CostLedger {
    cap: Option<Money>,
    state: Mutex<State>,
    settled: Notify,
}

#[derive(Debug, Default)]
struct State {
    spending: Spending,
    reserved: Money,
    /// Tokens of the longest reply so far.
    longest: Option<u64>,
    /// Cost of the dearest reply so far.
    dearest: Money,
}

/// What is left of a cap, and what replies have cost so far, to estimate the next one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Left {
    /// Money that is neither spent nor reserved; 0 without a cap.
    pub(crate) money: Money,
    /// Tokens of the longest reply so far.
    pub(crate) longest: Option<u64>,
    /// Cost of the dearest reply so far.
    pub(crate) dearest: Money,
}

impl CostLedger {
    /// An empty account, with a cap or without.
    #[must_use]
    pub fn new(cap: Option<Money>) -> Arc<Self> {
        Arc::new(Self {
            cap,
            state: Mutex::default(),
            settled: Notify::new(),
        })
    }

    /// The cap.
    #[must_use]
    pub fn cap(&self) -> Option<Money> {
        self.cap
    }

    /// Adds the cost that the run had before it was resumed.
    ///
    /// It counts against the cap but is not in the totals of the roles.
    pub fn carry(&self, cost: Money) {
        let mut state = self.lock();
        state.spending.spent = state.spending.spent.plus(cost);
    }

    /// Usage so far.
    #[must_use]
    pub fn spending(&self) -> Spending {
        self.lock().spending.clone()
    }

    /// Counts the outcome of a request of `role`.
    pub(crate) fn count(&self, role: ModelRole, cause: Option<Cause>) {
        if let Some(cause) = cause {
            let mut state = self.lock();
            state.spending.causes.entry(role).or_default().count(cause);
        }
    }

    /// Counts an outcome that was counted as said under another cause.
    pub(crate) fn recount(&self, role: ModelRole, cause: Cause) {
        let mut state = self.lock();
        let causes = state.spending.causes.entry(role).or_default();
        causes.recount(cause);
    }

    /// Counts a request that is sent again.
    pub(crate) fn retried(&self) {
        self.lock().spending.retries += 1;
    }

    /// Notes counts of a reply that could not be used.
    pub(crate) fn refused(&self, counts: &[RefusedCount]) {
        let mut state = self.lock();
        for count in counts {
            // The descriptions contain no numbers from the server, so there are only a few.
            *state.spending.refused.entry(count.to_string()).or_default() += 1;
        }
    }

    /// Whether the first `most` outcomes for `role` were all cut off or without room.
    pub(crate) fn is_all_cut_off(&self, role: ModelRole, most: u64) -> bool {
        let state = self.lock();
        state.spending.causes.get(&role).is_some_and(|causes| {
            let cut = causes
                .of(Cause::CutOff)
                .saturating_add(causes.of(Cause::NoRoom));
            cut >= most && cut == causes.total()
        })
    }

    /// Reserves `worst`.
    ///
    /// # Errors
    /// [`ErrorClass::Budget`] when the cap does not cover it.
    ///
    /// It may wait for requests in flight; without a cap it never waits.
    pub async fn reserve(self: &Arc<Self>, worst: Money) -> Result<Reservation, AgentError> {
        self.reserve_as(|_| worst).await
    }

    /// As [`reserve`](Self::reserve), for an amount that depends on what is left; it is asked for again after
    /// each wait.
    pub(crate) async fn reserve_as(
        self: &Arc<Self>,
        worst: impl Fn(&Left) -> Money,
    ) -> Result<Reservation, AgentError> {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // Registered before the check, so that no settlement in between is missed.
            settled.as_mut().enable();
            let left = self.left();
            if let Some(reservation) = self.try_reserve(worst(&left))? {
                return Ok(reservation);
            }
            settled.await;
        }
    }

    fn left(&self) -> Left {
        let state = self.lock();
        let taken = state.spending.spent.plus(state.reserved);
        Left {
            money: self.cap.map_or(Money::ZERO, |cap| cap.minus(taken)),
            longest: state.longest,
            dearest: state.dearest,
        }
    }

    fn try_reserve(self: &Arc<Self>, worst: Money) -> Result<Option<Reservation>, AgentError> {
        let mut state = self.lock();
        if let Some(cap) = self.cap {
            let spent = state.spending.spent;
            if !spent.fits(worst, cap) {
                // Waiting for the requests in flight cannot help: the costs so far already exceed
                // what is left.
                return Err(AgentError::new(
                    ErrorClass::Budget,
                    format!(
                        "{spent} of {cap} are spent and the next request may cost {worst:.6}; \
                         raise the cap to continue"
                    ),
                ));
            }
            if !spent.plus(state.reserved).fits(worst, cap) {
                return Ok(None);
            }
        }
        state.reserved = state.reserved.plus(worst);
        state.spending.in_flight += 1;
        Ok(Some(Reservation {
            ledger: Arc::clone(self),
            worst,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The sums are consistent at every moment, so a panic elsewhere does not invalidate them.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Money reserved for one request; released when dropped.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<CostLedger>,
    worst: Money,
}

impl Reservation {
    /// Books the request's cost and releases the reservation. Replayed requests cost nothing.
    pub fn settle(self, role: ModelRole, usage: Usage, cost: Money, source: ReplySource) {
        let mut state = self.ledger.lock();
        let replayed = source != ReplySource::Server;
        let cost = if replayed { Money::ZERO } else { cost };
        if !replayed {
            state.longest = state.longest.max(Some(usage.output));
            state.dearest = state.dearest.max(cost);
        }
        let totals = state.spending.roles.entry(role).or_default();
        totals.requests += 1;
        totals.replayed += u64::from(replayed);
        totals.usage += usage;
        totals.cost = totals.cost.plus(cost);
        state.spending.spent = state.spending.spent.plus(cost);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.ledger.lock();
        state.reserved = state.reserved.minus(self.worst);
        state.spending.in_flight = state.spending.in_flight.saturating_sub(1);
        drop(state);
        self.ledger.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dollars(text: &str) -> Money {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn what_does_not_fit_waits_or_is_refused() {
        let ledger = CostLedger::new(Some(dollars("1")));
        let first = ledger.reserve(dollars("0.6")).await.unwrap();
        assert!(
            ledger.try_reserve(dollars("0.6")).unwrap().is_none(),
            "must wait"
        );
        let waiting = tokio::spawn({
            let ledger = Arc::clone(&ledger);
            async move { ledger.reserve(dollars("0.6")).await.map(drop) }
        });
        tokio::task::yield_now().await;
        first.settle(
            ModelRole::Judge,
            Usage::default(),
            dollars("0.3"),
            ReplySource::Server,
        );
        waiting.await.unwrap().unwrap();
        assert_eq!(ledger.spending().spent, dollars("0.3"));
        let error = ledger.reserve(dollars("0.8")).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Budget);
        let replayed = ledger.reserve(dollars("0.7")).await.unwrap();
        replayed.settle(
            ModelRole::Agent,
            Usage::default(),
            dollars("0.3"),
            ReplySource::Cassette,
        );
        let spending = ledger.spending();
        assert_eq!(spending.spent, dollars("0.3"));
        assert_eq!(
            (spending.total().requests, spending.total().replayed),
            (2, 1)
        );
        assert_eq!(spending.in_flight, 0);
    }
}
