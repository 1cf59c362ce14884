//! Fifth stage: a limited number of retries.
//!
//! It also turns the bytes of an answer into a [`Reply`](crate::Reply) or a classified error, and removes API
//! keys from it before anything else sees it.
//!
//! ```text
//!  attempt ─► reply, or the server's final word (overflow, filtered) ─► done
//!     ▲   └► transient failure ─► pause ─► rate limit ─┐
//!     └────────────────────────────────────────────────┘  at most `attempts` times,
//!                                                         `identical` times for one failure
//! ```
//!
//! The pause before attempt n is drawn uniformly from 0 to `first_pause * 2^(n - 2)`, at most
//! `longest_pause`; if the server names a pause, that is taken instead, with the same maximum.

use super::clean::{clean, clean_message};
use super::transport::Raw;
use super::{Answer, Call, Final, NextStage, RequestStage};
use crate::error::{AgentError, ErrorClass};
use crate::json_text;
use crate::ledger::CostLedger;
use crate::pace::Pace;
use crate::reply::ReplySource;
use crate::wire::fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::Seed;
use sim_core::scrub::Scrub;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt as _;

/// How often and how soon a failed request is sent again.
///
/// # Example
/// ```
/// use agent_client::layer::retry::RetrySettings;
/// let settings = RetrySettings { attempts: 3, longest_pause: 10.0, ..RetrySettings::default() };
/// assert!(settings.check().is_ok());
/// let endless = RetrySettings { attempts: 1_000_000, ..RetrySettings::default() };
/// assert_eq!(endless.check().unwrap_err().message, "attempts must be 1 to 1000, not `1000000`");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetrySettings {
    /// Attempts in all (default 8).
    /// \[1 to [`MOST_ATTEMPTS`](Self::MOST_ATTEMPTS)\]
    pub attempts: u32,
    /// Attempts that end in the same failure (default 6); such a failure is probably permanent.
    /// "Too many requests" and "too busy" do not count, because waiting is the right reaction to
    /// them.
    pub identical: u32,
    /// Upper bound of the first pause \[s\] (default 0.5); it doubles for each further pause. Each
    /// pause is drawn between 0 and its bound.
    pub first_pause: f64,
    /// Longest pause \[s\] (default 60), even if the server asks for a longer one.
    pub longest_pause: f64,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            attempts: 8,
            identical: 6,
            first_pause: 0.5,
            longest_pause: 60.0,
        }
    }
}

impl RetrySettings {
    /// Maximum number of attempts.
    pub const MOST_ATTEMPTS: u32 = 1_000;

    /// Longest pause that may be set \[s\]: an hour.
    pub const LONGEST_PAUSE: f64 = 3_600.0;

    /// Checks every value.
    ///
    /// # Errors
    /// Names the value at fault and its range.
    pub fn check(&self) -> Result<(), AgentError> {
        let counts = [("attempts", self.attempts), ("identical", self.identical)];
        for (name, count) in counts {
            if !(1..=Self::MOST_ATTEMPTS).contains(&count) {
                return Err(AgentError::setup(format!(
                    "{name} must be 1 to {}, not `{count}`",
                    Self::MOST_ATTEMPTS
                )));
            }
        }
        let pauses = [
            ("first_pause", self.first_pause),
            ("longest_pause", self.longest_pause),
        ];
        for (name, seconds) in pauses {
            if !(0.0..=Self::LONGEST_PAUSE).contains(&seconds) {
                return Err(AgentError::setup(format!(
                    "{name} must be 0 to {} seconds, not `{seconds}`",
                    Self::LONGEST_PAUSE
                )));
            }
        }
        Ok(())
    }

    /// The pause before attempt `next` (2 for the first retry).
    ///
    /// It is drawn from the key of the request (Marc Brooker, "Exponential backoff and jitter",
    /// 2015, full jitter), so that two requests that failed at the same time are not sent again at
    /// the same time.
    fn pause(&self, key: Seed, next: u32, asked: Option<Duration>) -> Duration {
        // `max` turns NaN into 0, which `clamp` would keep.
        let longest = self.longest_pause.max(0.0);
        let longest = longest.min(Self::LONGEST_PAUSE);
        if let Some(asked) = asked {
            return asked.min(Duration::try_from_secs_f64(longest).unwrap_or_default());
        }
        let doublings = i32::try_from(next.saturating_sub(2).min(30)).unwrap_or(30);
        let most = (self.first_pause.max(0.0) * 2.0_f64.powi(doublings)).min(longest);
        let unit = key.stream("pause", u64::from(next)).unit();
        Duration::try_from_secs_f64(most * unit).unwrap_or_default()
    }
}

/// Classifies answers and sends failed requests again.
///
/// "Too many requests" and "too busy" also slow the [`Pace`] down; each success speeds it up again.
#[derive(Debug, Clone)]
pub struct Retry {
    settings: RetrySettings,
    pace: Arc<Pace>,
    ledger: Arc<CostLedger>,
    scrub: Scrub,
}

impl Retry {
    /// The stage with these settings; failures slow `pace` down, retries are counted on `ledger`.
    #[must_use]
    pub fn new(
        settings: RetrySettings,
        pace: Arc<Pace>,
        ledger: Arc<CostLedger>,
        scrub: Scrub,
    ) -> Self {
        Self {
            settings,
            pace,
            ledger,
            scrub,
        }
    }
}

impl RequestStage for Retry {
    type NextResponse = Raw;

    async fn pass<N: NextStage<Raw>>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let [a, b, c, d, e, f, g, h, ..] = call.key.0;
        let seed = Seed(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
        let most = self.settings.attempts.max(1);
        let mut same = 0;
        let mut last: Option<AgentError> = None;
        for attempt in 1.. {
            let failure = match next.clone().oneshot(call.clone()).await {
                Ok(raw) => match self.classify(&call, &raw, attempt) {
                    Ok(answer) => {
                        self.pace.speed_up();
                        return Ok(answer);
                    }
                    Err(error) => error,
                },
                Err(error) => error,
            };
            let waits = matches!(
                failure.class,
                ErrorClass::RateLimited | ErrorClass::Overloaded
            );
            if waits {
                let hold = failure
                    .retry_after
                    .map(|_| self.settings.pause(seed, attempt + 1, failure.retry_after));
                self.pace.slow_down(hold);
            }
            let before = last.as_ref();
            let repeated = !waits
                && before.is_some_and(|b| {
                    (b.class, b.status, &b.message)
                        == (failure.class, failure.status, &failure.message)
                });
            same = if repeated { same + 1 } else { 1 };
            let pause = self.settings.pause(seed, attempt + 1, failure.retry_after);
            let done = !failure.class.is_transient()
                || attempt >= most
                || (!waits && same >= self.settings.identical.max(1));
            let mut failure = failure;
            failure.attempts = attempt;
            failure.message = clean_message(&call, &failure.message, &self.scrub);
            if done {
                return Err(failure);
            }
            last = Some(failure);
            self.ledger.retried();
            tokio::time::sleep(pause).await;
            // A retry counts towards the rate limit too.
            self.pace.wait(0).await;
        }
        // Not reached: the range is infinite. Needed for the return type.
        Err(last.unwrap_or_else(|| AgentError::setup("no attempt was made")))
    }
}

impl Retry {
    /// A final answer, or the failure of this attempt.
    fn classify(&self, call: &Call, raw: &Raw, attempt: u32) -> Result<Answer, AgentError> {
        let status = raw.status;
        let fail = |class: ErrorClass, message: String| {
            let mut error = AgentError::new(class, message);
            error.status = Some(status);
            error.retry_after = raw.retry_after;
            error
        };
        let body = if (200..300).contains(&status) {
            let text = std::str::from_utf8(&raw.body)
                .map_err(|_| fail(ErrorClass::Garbled, "the answer is not UTF-8".to_owned()))?;
            json_text::read(text).map_err(|e| {
                fail(
                    ErrorClass::Garbled,
                    format!("the answer is not taken as JSON: {e}"),
                )
            })?
        } else {
            // Scrub before truncating the message: half a key is hard to find.
            let text = String::from_utf8_lossy(&raw.body);
            let text = self.scrub.line(&text);
            let fault = fault::of_status(status, text.as_bytes());
            if !fault.class.is_an_answer() {
                return Err(fail(fault.class, fault.message));
            }
            json_text::read(&text).unwrap_or_else(|_| Value::String(text.into_owned()))
        };
        let answer = Final { status, body };
        let answer = clean(call, answer, &self.scrub);
        let answer = Answer::new(call, answer, ReplySource::Server, attempt);
        match answer.reply {
            Err(error) if !error.class.is_an_answer() => Err(fail(error.class, error.message)),
            _ => Ok(answer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use crate::pace::PaceSettings;
    use crate::request::{ModelRole, Request, Slot};
    use crate::tokens::{CountName, Refusal, RefusedCount};
    use crate::wire::{ApiKind, Dialect};
    use serde_json::json;

    const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

    fn classified(kind: ApiKind, body: &str, scrub: Scrub) -> Result<Answer, AgentError> {
        let (pace, ledger) = (Pace::new(&PaceSettings::default()), CostLedger::new(None));
        let layer = Retry::new(RetrySettings::default(), pace, ledger, scrub);
        let asked = Message::User {
            text: "order".to_owned(),
        };
        let request = Request::new(ModelRole::Agent, Slot::new("episode-0"), vec![asked]);
        let call = Call::new(&Arc::new(Dialect::new(kind, "m")), &request);
        let raw = Raw {
            status: 200,
            body: body.as_bytes().to_vec(),
            retry_after: None,
        };
        layer.classify(&call, &raw, 1)
    }

    /// A reply that calls a tool with `arguments` as an object.
    fn calling(kind: ApiKind, arguments: &str) -> String {
        match kind {
            ApiKind::OpenAi => format!(
                r#"{{"choices": [{{"message": {{"tool_calls": [{{"id": "1", "type": "function",
                "function": {{"name": "order", "arguments": {arguments}}}}}]}}}}]}}"#
            ),
            ApiKind::Anthropic => format!(
                r#"{{"content": [{{"type": "tool_use", "id": "1", "name": "order",
                "input": {arguments}}}]}}"#
            ),
        }
    }

    #[test]
    fn a_reply_that_names_a_key_twice_or_holds_too_many_values_is_asked_again() {
        for kind in [ApiKind::OpenAi, ApiKind::Anthropic] {
            let class = |arguments: &str| {
                let answer = classified(kind, &calling(kind, arguments), Scrub::default());
                answer.map_err(|error| error.class).err()
            };
            assert_eq!(class(r#"{"papers": 4}"#), None);
            let twice = r#"{"papers": 4, "papers": 400}"#;
            assert_eq!(class(twice), Some(ErrorClass::Garbled));
            let many = format!("{{\"papers\": [{}0]}}", "0,".repeat(100_000));
            assert_eq!(class(&many), Some(ErrorClass::Garbled));
        }
        assert!(ErrorClass::Garbled.is_transient());
    }

    #[test]
    fn a_refused_count_is_noted_also_where_the_reply_holds_a_key() {
        let scrub = Scrub::new([KEY]);
        let bad = [
            (json!(-1), Refusal::Negative),
            (json!(1.5), Refusal::Fractional),
            (json!(2_000_000_000), Refusal::AboveLimit),
            (json!("many"), Refusal::NotANumber),
        ];
        for (count, reason) in bad {
            for kind in [ApiKind::OpenAi, ApiKind::Anthropic] {
                let body = match kind {
                    ApiKind::OpenAi => json!({
                        "choices": [{"message": {"content": KEY}}],
                        "usage": {"prompt_tokens": 7, "completion_tokens": count},
                    }),
                    ApiKind::Anthropic => json!({
                        "content": [{"type": "text", "text": KEY}],
                        "usage": {"input_tokens": 7, "output_tokens": count},
                    }),
                };
                let answer = classified(kind, &body.to_string(), scrub.clone()).unwrap();
                let reply = answer.reply.unwrap();
                assert_eq!(reply.said.text, "[key]");
                let output = RefusedCount {
                    count: CountName::Output,
                    reason,
                };
                assert_eq!(reply.refused, [output], "{kind}");
                assert_eq!((reply.usage.input, reply.usage.estimated), (7, true));
            }
        }
        // A part that is larger than the whole.
        let body = json!({
            "choices": [{"message": {"content": KEY}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3,
                "prompt_tokens_details": {"cached_tokens": 8}},
        });
        let answer = classified(ApiKind::OpenAi, &body.to_string(), scrub).unwrap();
        let cached = RefusedCount {
            count: CountName::Cached,
            reason: Refusal::AboveTotal,
        };
        assert_eq!(answer.reply.unwrap().refused, [cached]);
    }

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let settings = RetrySettings::default();
        for key in 0..200 {
            for next in 2..40 {
                let most = (0.5 * 2.0_f64.powi(next - 2)).min(60.0);
                let pause = settings.pause(Seed(key), u32::try_from(next).unwrap(), None);
                assert!(pause.as_secs_f64() <= most, "attempt {next}: {pause:?}");
            }
        }
        let asked = Some(Duration::from_secs(3_600));
        assert_eq!(settings.pause(Seed(1), 2, asked).as_secs(), 60);
        let asked = Some(Duration::from_millis(30));
        assert_eq!(settings.pause(Seed(1), 9, asked).as_millis(), 30);
        let different = (0..50).map(|key| settings.pause(Seed(key), 5, None));
        let distinct: std::collections::BTreeSet<_> = different.collect();
        assert_eq!(distinct.len(), 50);
    }
}
