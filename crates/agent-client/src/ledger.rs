//! Costs by role, and the cap on them.
//!
//! Requests run concurrently, so a cap cannot be checked by comparing the costs so far: several requests
//! could pass the check together and exceed it. A [`CostLedger`] therefore reserves before and books after
//! each request.

use crate::cause::{Cause, Causes};
use crate::error::{AgentError, ErrorClass};
use crate::money::Money;
use crate::reply::{Reply, ReplySource, Usage};
use crate::request::ModelRole;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

mod heard;

pub use heard::Heard;

/// Sums over the requests that were answered.
///
/// All figures of requests, tokens and cost follow this rule: each answered request counts once, however often it was
/// sent, in all calls of the program for a run. An answer without a reply, such as a filter's refusal with status 400, counts
/// without tokens. A request that got no answer does not count. So the sums are those of the recorded calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Answered requests.
    pub requests: u64,
    /// Answered requests that this process did not send: a cache, a cassette or an earlier process had the answer.
    pub replayed: u64,
    /// Answered requests without usable counts of tokens, whose tokens are estimated.
    #[serde(default)]
    pub estimated: u64,
    /// Tokens of all of them.
    pub usage: Usage,
    /// Total cost.
    pub cost: Money,
}

impl UsageTotals {
    /// Counts one answered request; `usage` and `cost` are absent where the answer had no reply.
    pub fn count(&mut self, usage: Option<&Usage>, cost: Option<Money>) {
        self.requests = self.requests.saturating_add(1);
        self.estimated += u64::from(usage.is_some_and(|usage| usage.estimated));
        self.usage += usage.copied().unwrap_or_default();
        self.cost = self.cost.plus(cost.unwrap_or_default());
    }

    /// Adds other sums.
    pub fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.replayed = self.replayed.saturating_add(other.replayed);
        self.estimated = self.estimated.saturating_add(other.estimated);
        self.usage += other.usage;
        self.cost = self.cost.plus(other.cost);
    }
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
    /// What is remarkable about the replies, by model.
    #[serde(default)]
    pub heard: BTreeMap<String, Heard>,
}

impl Spending {
    /// Counts what is remarkable about a reply of `model`.
    pub(crate) fn hear(&mut self, model: &str, reply: &Reply) {
        let heard = match self.heard.get_mut(model) {
            Some(heard) => heard,
            None => self.heard.entry(model.to_owned()).or_default(),
        };
        heard.count(model, reply);
    }

    /// The remarks of a summary on empty replies and on replies of other models.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let of_models = self.heard.iter();
        of_models
            .flat_map(|(model, heard)| heard.remarks(model))
            .collect()
    }

    /// The sum over the roles.
    #[must_use]
    pub fn total(&self) -> UsageTotals {
        let mut sum = UsageTotals::default();
        self.roles.values().for_each(|totals| sum.add(totals));
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
/// use agent_client::{ErrorClass, ModelRole, Reply, ReplySource};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ledger = CostLedger::new(Some("1.00".parse::<Money>()?));
/// let reserved = ledger.reserve("0.80".parse()?).await?;
/// let paid = (&Reply::text("400"), "0.30".parse::<Money>()?);
/// reserved.settle(ModelRole::Agent, "openai:some-model", Some(paid), ReplySource::Server);
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
    /// Causes of the replies since the ledger was made, by role and model.
    causes: BTreeMap<(ModelRole, String), Causes>,
    /// Whether the sums already include the recorded calls of the run.
    is_whole: bool,
}

/// The money that a request reserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Worst {
    /// It is refused if the cap does not leave this much.
    pub(crate) least: Money,
    /// While others are in flight it waits until this much is free, because replies may become longer than all before.
    pub(crate) careful: Money,
}

impl From<Money> for Worst {
    fn from(money: Money) -> Self {
        Self {
            least: money,
            careful: money,
        }
    }
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

    /// Adds what the run spent before it was resumed: the sums of its recorded calls, see
    /// [`Cassette::spent`](crate::cassette::Cassette::spent). The cost counts against the cap. From then on, an answer
    /// from the recording is not counted again.
    pub fn carry(&self, earlier: &Spending) {
        let mut state = self.lock();
        let spending = &mut state.spending;
        for (role, totals) in &earlier.roles {
            let sum = spending.roles.entry(*role).or_default();
            sum.add(&UsageTotals {
                replayed: totals.requests,
                ..*totals
            });
        }
        for (what, count) in &earlier.refused {
            *spending.refused.entry(what.clone()).or_default() += count;
        }
        for (model, heard) in &earlier.heard {
            spending.heard.entry(model.clone()).or_default().add(heard);
        }
        spending.spent = spending.spent.plus(earlier.spent);
        state.is_whole = true;
    }

    /// Usage so far.
    #[must_use]
    pub fn spending(&self) -> Spending {
        self.lock().spending.clone()
    }

    /// Counts the outcome of a request of `role` to `model`.
    pub(crate) fn count(&self, role: ModelRole, model: &str, cause: Option<Cause>) {
        if let Some(cause) = cause {
            let mut state = self.lock();
            state.spending.causes.entry(role).or_default().count(cause);
            let of_model = state.causes.entry((role, model.to_owned()));
            of_model.or_default().count(cause);
        }
    }

    /// Counts an outcome that was counted as said under another cause.
    pub(crate) fn recount(&self, role: ModelRole, model: &str, cause: Cause) {
        let mut state = self.lock();
        let causes = state.spending.causes.entry(role).or_default();
        causes.recount(cause);
        let of_model = state.causes.entry((role, model.to_owned()));
        of_model.or_default().recount(cause);
    }

    /// Counts a request that is sent again.
    pub(crate) fn retried(&self) {
        self.lock().spending.retries += 1;
    }

    /// The causes of the replies of `model` to `role` since the ledger was made, if at least `most` replies were cut
    /// off or had no room and none was complete. A reply that a filter withheld is the outcome of its item and does not
    /// count, nor does a request without a reply, as in an outage.
    pub(crate) fn nothing_said(&self, role: ModelRole, model: &str, most: u64) -> Option<Causes> {
        let state = self.lock();
        let causes = state.causes.get(&(role, model.to_owned()))?;
        let of_all = |all: [Cause; 2]| all.map(|cause| causes.of(cause)).iter().sum::<u64>();
        let unsaid = of_all([Cause::CutOff, Cause::NoRoom]);
        let others = of_all([Cause::Filtered, Cause::Failed]);
        let is_all = unsaid.saturating_add(others) == causes.total();
        (unsaid >= most && is_all).then(|| causes.clone())
    }

    /// Reserves `worst`.
    ///
    /// # Errors
    /// [`ErrorClass::Budget`] when the cap does not cover it.
    ///
    /// It may wait for requests in flight; without a cap it never waits.
    pub async fn reserve(self: &Arc<Self>, worst: Money) -> Result<Reservation, AgentError> {
        self.reserve_as(|_| worst.into()).await
    }

    /// As [`reserve`](Self::reserve), for an amount that depends on what is left; it is asked for again after
    /// each wait.
    pub(crate) async fn reserve_as(
        self: &Arc<Self>,
        worst: impl Fn(&Left) -> Worst,
    ) -> Result<Reservation, AgentError> {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // Registered before the check, so that no settlement in between is missed.
            settled.as_mut().enable();
            // Others may reserve between this look and the reservation, which therefore checks the
            // cap again: only the estimate may be out of date.
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

    fn try_reserve(self: &Arc<Self>, worst: Worst) -> Result<Option<Reservation>, AgentError> {
        let Worst { least, careful } = worst;
        let mut state = self.lock();
        let mut worst = careful;
        if let Some(cap) = self.cap {
            let spent = state.spending.spent;
            if !spent.fits(least, cap) {
                // Waiting for the requests in flight cannot help: the costs so far already exceed
                // what is left.
                return Err(AgentError::new(
                    ErrorClass::Budget,
                    format!(
                        "{spent} of {cap} are spent and the next request may cost {least:.6}; \
                         raise the cap to continue"
                    ),
                ));
            }
            let taken = spent.plus(state.reserved);
            if !taken.fits(careful, cap) {
                if state.spending.in_flight > 0 {
                    return Ok(None);
                }
                // Alone it may take the rest.
                worst = least.max(cap.minus(taken));
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
    /// Books the answer of `model` and releases the reservation: its reply with the cost, or none, such as the refusal
    /// of a filter, which costs nothing. Replayed requests cost nothing. What is remarkable about the reply is noted.
    pub fn settle(
        self,
        role: ModelRole,
        model: &str,
        paid: Option<(&Reply, Money)>,
        source: ReplySource,
    ) {
        // A variable, so that the lock is free before `self` is dropped, whose `drop` locks too:
        // parameters are dropped after variables.
        let mut state = self.ledger.lock();
        let replayed = source != ReplySource::Server;
        // Only the recorded calls are in the sums of `carry`: an answer from the cache may be new to the run.
        if source == ReplySource::Cassette && state.is_whole {
            return;
        }
        let paid = paid.map(|(reply, cost)| (reply, if replayed { Money::ZERO } else { cost }));
        if let Some((reply, cost)) = paid.filter(|_| !replayed) {
            state.longest = state.longest.max(Some(reply.usage.output));
            state.dearest = state.dearest.max(cost);
            state.spending.spent = state.spending.spent.plus(cost);
        }
        let totals = state.spending.roles.entry(role).or_default();
        totals.count(
            paid.map(|(reply, _)| &reply.usage),
            paid.map(|(_, cost)| cost),
        );
        totals.replayed += u64::from(replayed);
        let Some((reply, _)) = paid else {
            return;
        };
        state.spending.hear(model, reply);
        for count in &reply.refused {
            // The descriptions contain no numbers from the server, so there are only a few.
            *state.spending.refused.entry(count.to_string()).or_default() += 1;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.ledger.lock();
        state.reserved = state.reserved.minus(self.worst);
        state.spending.in_flight = state.spending.in_flight.saturating_sub(1);
        drop(state);
        // All of them: what is free may be enough for several requests, or only for the cheapest.
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
            ledger.try_reserve(dollars("0.6").into()).unwrap().is_none(),
            "must wait"
        );
        let waiting = tokio::spawn({
            let ledger = Arc::clone(&ledger);
            async move { ledger.reserve(dollars("0.6")).await.map(drop) }
        });
        tokio::task::yield_now().await;
        let reply = Reply::text("4");
        let paid = Some((&reply, dollars("0.3")));
        first.settle(ModelRole::Judge, "m", paid, ReplySource::Server);
        waiting.await.unwrap().unwrap();
        assert_eq!(ledger.spending().spent, dollars("0.3"));
        let error = ledger.reserve(dollars("0.8")).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Budget);
        let replayed = ledger.reserve(dollars("0.7")).await.unwrap();
        replayed.settle(ModelRole::Agent, "m", paid, ReplySource::Cassette);
        let spending = ledger.spending();
        assert_eq!(spending.spent, dollars("0.3"));
        assert_eq!(
            (spending.total().requests, spending.total().replayed),
            (2, 1)
        );
        assert_eq!(spending.in_flight, 0);
    }
}
