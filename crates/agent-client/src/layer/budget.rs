//! First stage: the cost limit.
//!
//! A request reserves the highest cost that it can have: one input token for each byte of its body, and
//! `max_output` output tokens. After the reply the real cost replaces the reservation; after an error the
//! reservation is released and nothing is booked. See [`CostLedger`] for the cap.

use super::{Answer, Call, NextStage, RequestStage};
use crate::cause::{Cause, Causes, cause_of};
use crate::error::AgentError;
use crate::ledger::{CostLedger, Left, Worst};
use crate::money::Price;
use crate::reply::Usage;
use crate::request::ModelRole;
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
/// kind. Without a limit on the reply, the longest one so far and a quarter more must be left; before the first reply
/// all is reserved, so that the first request goes alone. Replies may become much longer, so beside others in flight a
/// reply of [`USUAL_TOKENS`] is reserved; near the cap requests then go one at a time.
///
/// A provider may charge more than the price file says; so no less than the dearest reply so far is reserved.
fn worst(call: &Call, price: &Price, left: &Left) -> Worst {
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
        // The server keeps to the limit, so nothing has to be guessed.
        (Some(most), _) => of(most).into(),
        (None, Some(longest)) => {
            let least = of(longest.saturating_add(longest / 4)).max(left.dearest);
            Worst {
                least,
                careful: least.max(of(u64::from(USUAL_TOKENS))),
            }
        }
        // All that is left: how long this model writes is not known before its first reply.
        (None, None) => of(u64::from(USUAL_TOKENS)).max(left.money).into(),
    }
}

/// Number of replies after which a session stops if all of them are cut off or without room.
const UNSAID: u64 = 8;

/// The error that stops a session whose replies have the causes `causes`, with no `said` among them.
fn nothing_said(call: &Call, causes: &Causes) -> AgentError {
    let (what, remedy) = match (causes.of(Cause::CutOff), causes.of(Cause::NoRoom)) {
        (_, 0) => (
            "were all cut off",
            "a --max-tokens that lets the model finish",
        ),
        (0, _) => (
            "had no room in its context",
            "a lower --max-tokens, or a model with a longer context",
        ),
        _ => (
            "were all cut off or had no room in its context",
            "a --max-tokens that lets the model finish and keeps the chat within its context",
        ),
    };
    let of = match call.role {
        ModelRole::Agent => call.dialect.name(),
        role => format!("the {role} ({})", call.dialect.name()),
    };
    let limit = match call.max_output {
        Some(most) => format!("--max-tokens {most}"),
        None => "the server's own limit".to_owned(),
    };
    // No numbers that differ between the requests of one run, so that each cause is told once.
    let filtered = match causes.of(Cause::Filtered) {
        0 => "",
        _ => "; a filter withheld others",
    };
    AgentError::setup(format!(
        "the first {UNSAID} replies of {of} {what} ({limit}){filtered}; so the run was stopped: begin a new one with {remedy}"
    ))
}

impl RequestStage for Budget {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let role = call.role;
        let model = call.dialect.name();
        // Before money is reserved: a run that says nothing must end without paying for more of it.
        if let Some(causes) = self.ledger.nothing_said(role, &model, UNSAID) {
            return Err(nothing_said(&call, &causes));
        }
        let reserved = self
            .ledger
            .reserve_as(|left| worst(&call, &self.price, left))
            .await?;
        let answer = next
            .oneshot(call)
            .await
            // The reservation is dropped with the error, which gives the money back.
            .inspect_err(|error| self.ledger.count(role, &model, error.class.cause()))?;
        self.ledger.count(role, &model, cause_of(&answer.reply));
        let paid = answer.reply.as_ref();
        // A refusal is an answer of the server and counts as a request, at no cost.
        if paid.is_ok() || paid.is_err_and(|error| error.class.is_an_answer()) {
            let paid = paid.ok().map(|reply| (reply, self.price.of(&reply.usage)));
            reserved.settle(role, &model, paid, answer.source);
        }
        Ok(answer)
    }
}
