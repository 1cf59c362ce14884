//! Numbers of tokens, as servers report them.
//!
//! A server's counts decide what a run costs and how fast requests are sent, so a count outside the
//! range is refused. The reply is kept: the count is left out or estimated, and a [`RefusedCount`]
//! reports it.

use crate::money::Money;
use crate::reply::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A number of tokens of one request, 0 to [`MOST`](Self::MOST).
///
/// ```
/// use agent_client::tokens::{Refusal, TokenCount};
/// use serde_json::json;
/// assert_eq!(TokenCount::read(&json!("7")).map(TokenCount::get), Ok(7));
/// assert_eq!(TokenCount::read(&json!(7.0)).map(TokenCount::get), Ok(7));
/// assert_eq!(TokenCount::read(&json!(-1)), Err(Refusal::Negative));
/// assert_eq!(TokenCount::read(&json!(7.5)), Err(Refusal::Fractional));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TokenCount(u64);

impl TokenCount {
    /// Largest count: a thousand times the longest context on sale, and small enough that no sum
    /// of a run overflows.
    pub const MOST: u64 = 1_000_000_000;

    /// A count within the range.
    #[must_use]
    pub fn new(count: u64) -> Option<Self> {
        (count <= Self::MOST).then_some(Self(count))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    /// Reads a count that a server wrote as a whole number of any form (`7`, `7.0`) or as text.
    ///
    /// # Errors
    /// Why it is not a count.
    pub fn read(value: &Value) -> Result<Self, Refusal> {
        match value {
            Value::Number(n) => match (n.as_u64(), n.as_f64()) {
                (Some(n), _) => Self::new(n).ok_or(Refusal::AboveLimit),
                (None, Some(n)) => Self::of_float(n),
                (None, None) => Err(Refusal::NotANumber),
            },
            Value::String(text) => match text.trim() {
                digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                    let count = digits.parse().ok().and_then(Self::new);
                    count.ok_or(Refusal::AboveLimit)
                }
                other => other
                    .parse()
                    .map_or(Err(Refusal::NotANumber), Self::of_float),
            },
            _ => Err(Refusal::NotANumber),
        }
    }

    /// A count that was written with a decimal point or an exponent.
    fn of_float(n: f64) -> Result<Self, Refusal> {
        if n.is_nan() {
            Err(Refusal::NotANumber)
        } else if n < 0.0 {
            Err(Refusal::Negative)
        // Before it is converted: a float beyond the type would saturate and look like a count.
        } else if n > 1e9 {
            Err(Refusal::AboveLimit)
        } else if n.fract() != 0.0 {
            Err(Refusal::Fractional)
        } else {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number from 0 to 10^9, checked above"
            )]
            let count = n as u64;
            Self::new(count).ok_or(Refusal::AboveLimit)
        }
    }
}

/// Why a count was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refusal {
    /// It is below 0.
    Negative,
    /// It is not a whole number.
    Fractional,
    /// It is above [`TokenCount::MOST`].
    AboveLimit,
    /// It is not a number.
    NotANumber,
    /// It counts a part of the tokens, but is larger than the total.
    AboveTotal,
}

/// The counts of a reply.
///
/// Few OpenAI-compatible servers report `Stored`; Anthropic reports all but `Thinking`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum CountName {
    /// Tokens read.
    Input,
    /// Tokens read from the server's cache.
    Cached,
    /// Tokens written to the server's cache.
    Stored,
    /// Tokens written.
    Output,
    /// Tokens written while thinking.
    Thinking,
}

/// A count of a server that was not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedCount {
    /// The count.
    pub count: CountName,
    /// The reason.
    pub reason: Refusal,
}

impl RefusedCount {
    /// The value for `count` in an answer that is written again: a value that is refused for the
    /// same reason when it is read, or else the number in `tokens`.
    pub(crate) fn written(refused: &[Self], count: CountName, tokens: u64) -> Value {
        match refused.iter().find(|r| r.count == count).map(|r| r.reason) {
            None => tokens.into(),
            Some(Refusal::Negative) => (-1).into(),
            Some(Refusal::Fractional) => 0.5.into(),
            Some(Refusal::AboveLimit) => (TokenCount::MOST + 1).into(),
            Some(Refusal::NotANumber) => true.into(),
            Some(Refusal::AboveTotal) => TokenCount::MOST.into(),
        }
    }
}

impl fmt::Display for RefusedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count;
        let reason = match self.reason {
            Refusal::Negative => "is negative",
            Refusal::Fractional => "is not a whole number",
            Refusal::AboveLimit => "is above 1000000000",
            Refusal::NotANumber => "is not a number",
            Refusal::AboveTotal => "is larger than the total it is a part of",
        };
        write!(f, "the server's count of {count} tokens {reason}")
    }
}

/// Reads the counts of one reply, and notes those that are refused.
#[derive(Debug, Default)]
pub(crate) struct CountReader {
    refused: Vec<RefusedCount>,
}

/// A count in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Absent,
    Refused,
    Tokens(u64),
}

impl Counted {
    /// The number, 0 where there is none.
    pub(crate) fn or_zero(self) -> u64 {
        match self {
            Self::Tokens(n) => n,
            Self::Absent | Self::Refused => 0,
        }
    }
}

impl CountReader {
    /// The count in `value`; `null` counts as absent.
    pub(crate) fn read(&mut self, count: CountName, value: Option<&Value>) -> Counted {
        match value.filter(|value| !value.is_null()).map(TokenCount::read) {
            None => Counted::Absent,
            Some(Ok(tokens)) => Counted::Tokens(tokens.get()),
            Some(Err(reason)) => {
                self.refuse(count, reason);
                Counted::Refused
            }
        }
    }

    /// A count of a part, 0 where it is larger than the `total`.
    fn part(&mut self, count: CountName, part: u64, total: u64) -> u64 {
        // Not cut down to the total: a server that counts so counts something else.
        if part > total {
            self.refuse(count, Refusal::AboveTotal);
            return 0;
        }
        part
    }

    fn refuse(&mut self, count: CountName, reason: Refusal) {
        self.refused.push(RefusedCount { count, reason });
    }

    /// The result of reading; no counts if the server sent no usable one.
    pub(crate) fn finish(self) -> Reported {
        Reported {
            refused: self.refused,
            ..Reported::default()
        }
    }

    /// The result if only the sum of all tokens is known.
    pub(crate) fn finish_with_total(self, total: u64) -> Reported {
        Reported {
            total: Some(total),
            ..self.finish()
        }
    }

    /// Combines the counts. Refused counts stay absent, to be estimated, and no part is larger than its
    /// total. `parts` of the input are the cached and the stored tokens.
    pub(crate) fn finish_with(
        mut self,
        input: Counted,
        output: Counted,
        parts: [u64; 2],
        thinking: u64,
    ) -> Reported {
        let known = |count: Counted| (count != Counted::Refused).then_some(count.or_zero());
        let (input, output) = (known(input), known(output));
        let [mut cached, mut stored] = parts;
        if let Some(input) = input {
            cached = self.part(CountName::Cached, cached, input);
            // Within what is left: a token is read from the cache or written to it, not both.
            stored = self.part(CountName::Stored, stored, input - cached);
        } else {
            // If the total is unknown, charging its parts could give too low a price.
            (cached, stored) = (0, 0);
        }
        let thinking = output.map_or(0, |all| self.part(CountName::Thinking, thinking, all));
        Reported {
            input,
            output,
            parts: Usage {
                cached,
                stored,
                thinking,
                ..Usage::default()
            },
            ..self.finish()
        }
    }
}

/// The usage that a server reported for a request.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    /// Tokens read; absent if the server did not count them or its count was refused.
    pub(crate) input: Option<u64>,
    /// Tokens written, likewise.
    pub(crate) output: Option<u64>,
    /// The sum of all tokens, if it is the only count.
    pub(crate) total: Option<u64>,
    /// The parts of both, and what the provider says that it charges. Its totals are 0.
    pub(crate) parts: Usage,
    pub(crate) refused: Vec<RefusedCount>,
}

/// What a provider says that it charges for a reply \[US dollars\]: `cost` of OpenRouter and others as a number
/// or with a `total_cost` or `total` (Perplexity), with the cost of the provider behind where the account brings its own
/// key; or `cost_in_usd_ticks` of xAI, of which 10^10 are a dollar. A cost of 0 is not used, because some gateways
/// write it where they know no price.
pub(crate) fn billed(usage: Option<&Value>) -> Option<Money> {
    let usage = usage?;
    let number = |value: &Value| {
        value
            .as_f64()
            .or_else(|| value.as_str()?.trim_matches(['$', ' ']).parse().ok())
    };
    if let Some(ticks) = usage.get("cost_in_usd_ticks").and_then(number) {
        return Money::from_dollars(ticks / 1e10).filter(|cost| *cost > Money::ZERO);
    }
    // DeepInfra calls it an estimate.
    let names = [
        "cost",
        "total_cost",
        "estimated_cost",
        "cost_usd",
        "total_cost_usd",
    ];
    // Some servers send `null` or 0 under one name and the cost under another.
    let cost = names.iter().find_map(|name| {
        let cost = usage.get(*name)?;
        let places = [Some(cost), cost.get("total_cost"), cost.get("total")];
        let mut found = places.into_iter().flatten().filter_map(number);
        found.find(|cost| *cost > 0.0)
    });
    let behind = usage
        .pointer("/cost_details/upstream_inference_cost")
        .and_then(number);
    let is_own_key = usage.get("is_byok").and_then(Value::as_bool) == Some(true);
    // Only with a key of the account's own: else the provider behind is paid out of `cost`.
    let cost = cost.unwrap_or(0.0) + behind.filter(|_| is_own_key).unwrap_or(0.0);
    Money::from_dollars(cost).filter(|cost| *cost > Money::ZERO)
}

/// The same where it stands outside of the usage: in the answer of LiteLLM (`response_cost`, here also that of its head
/// line), of Vercel's gateway (`provider_metadata`, at the top or in the message) and of Routstr, and as `cost` at the top.
pub(crate) fn billed_beside(body: &Value) -> Option<Money> {
    let places = [
        "/response_cost",
        "/_hidden_params/response_cost",
        "/provider_metadata/gateway/cost",
        "/providerMetadata/gateway/cost",
        "/choices/0/message/provider_metadata/gateway/cost",
        "/choices/0/message/providerMetadata/gateway/cost",
        "/metadata/routstr/cost/total_usd",
        "/metadata/routstr/total_usd",
        "/cost",
        "/cost_usd",
        "/total_cost_usd",
    ];
    places.iter().find_map(|place| {
        // Read by the same rules, so that a cost of 0 or as a text means the same at every place.
        let cost = serde_json::json!({"cost": body.pointer(place)?});
        billed(Some(&cost))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cost_is_found_under_any_of_its_names() {
        let cases = [
            (json!({"cost": 0.25}), Some(0.25)),
            (json!({"cost": null, "estimated_cost": 0.25}), Some(0.25)),
            (json!({"cost": 0, "total_cost": "$0.25"}), Some(0.25)),
            (
                json!({"cost": {"total": null, "total_cost": 0.25}}),
                Some(0.25),
            ),
            (
                json!({"cost": {"currency": "USD"}, "cost_usd": 0.25}),
                Some(0.25),
            ),
            (
                json!({"cost": 0, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.25}}),
                Some(0.25),
            ),
            (json!({"cost": 0}), None),
            (json!({"cost": null}), None),
        ];
        for (usage, expected) in cases {
            let found = billed(Some(&usage));
            assert_eq!(found, expected.and_then(Money::from_dollars), "{usage}");
        }
    }

    #[test]
    fn counts_are_whole_numbers_within_the_range() {
        let good = [
            (json!(0), 0),
            (json!(7), 7),
            (json!(7.0), 7),
            (json!(-0.0), 0),
            (json!("12"), 12),
            (json!(" 12.0 "), 12),
            (json!(1_000_000_000), 1_000_000_000),
        ];
        for (value, expected) in good {
            assert_eq!(TokenCount::read(&value).map(TokenCount::get), Ok(expected));
        }
        let bad = [
            (json!(-1), Refusal::Negative),
            (json!(-1e300), Refusal::Negative),
            (json!(0.5), Refusal::Fractional),
            (json!(1_000_000_001), Refusal::AboveLimit),
            (json!(9_223_372_036_854_775_808_u64), Refusal::AboveLimit),
            (json!(u64::MAX), Refusal::AboveLimit),
            (json!(1e300), Refusal::AboveLimit),
            (json!("1e999"), Refusal::AboveLimit),
            (json!("9".repeat(10_000)), Refusal::AboveLimit),
            (json!("nan"), Refusal::NotANumber),
            (json!("-5"), Refusal::Negative),
            (json!("many"), Refusal::NotANumber),
            (json!(""), Refusal::NotANumber),
            (json!([1]), Refusal::NotANumber),
            (json!({"n": 1}), Refusal::NotANumber),
            (json!(true), Refusal::NotANumber),
        ];
        for (value, expected) in bad {
            assert_eq!(TokenCount::read(&value), Err(expected), "{value}");
        }
    }
}
