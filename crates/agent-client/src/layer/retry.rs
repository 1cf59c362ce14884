//! Fifth stage: a limited number of retries. It hands an answer on unchanged and counts the attempts.
//!
//! ```text
//!  attempt ─► reply, or the server's final word (overflow, filtered) ─► done
//!     ▲   └► transient failure ─► pause ─► rate limit ─┐
//!     └────────────────────────────────────────────────┘  at most `attempts` times,
//!                                                         `identical` times for one failure
//! ```
//!
//! The bound of the pause before attempt n is `first_pause * 2^(n - 2)`, at most `longest_pause`; the pause is drawn
//! uniformly between half of the bound and the bound. If the server names a pause, that is taken instead, with the
//! same maximum. With the default settings, a request therefore survives every outage of up to 7 seconds, and an
//! episode, which is tried three times, every outage of up to 20 seconds.

use super::{Answer, Call, NextStage, RequestStage};
use crate::error::{AgentError, ErrorClass};
use crate::ledger::CostLedger;
use crate::pace::Pace;
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use sim_core::scrub::Scrub;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;
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
    /// pause is drawn between half of its bound and its bound.
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
    /// 2015, equal jitter), so that two requests that failed at the same time are not sent again at
    /// the same time. Full jitter would let a request give up within a short outage.
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
        Duration::try_from_secs_f64(most * (1.0 + unit) / 2.0).unwrap_or_default()
    }
}

/// Sends failed requests again.
///
/// "Too many requests" and "too busy" also slow the [`Pace`] down; each success speeds it up again.
#[derive(Debug, Clone)]
pub struct Retry {
    settings: RetrySettings,
    pace: Arc<Pace>,
    ledger: Arc<CostLedger>,
    scrub: Scrub,
    /// Whether a request was ever answered.
    answered: Arc<AtomicBool>,
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
            answered: Arc::default(),
        }
    }
}

impl RequestStage for Retry {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        let [a, b, c, d, e, f, g, h, ..] = call.key.0;
        let seed = Seed(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
        let most = self.settings.attempts.max(1);
        let mut same = 0;
        let mut last: Option<AgentError> = None;
        for attempt in 1.. {
            let begun = Instant::now();
            let failure = match next.clone().oneshot(call.clone()).await {
                Ok(answer) => {
                    self.pace.speed_up();
                    self.answered.store(true, Ordering::Relaxed);
                    return Ok(Answer {
                        took: Some(begun.elapsed()),
                        ..answer.after(attempt)
                    });
                }
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
                    // The message on an answer that is not JSON quotes it, and each may have an identifier of its own.
                    let is_same =
                        failure.class == ErrorClass::Garbled || b.message == failure.message;
                    is_same && (b.class, b.status) == (failure.class, failure.status)
                });
            same = if repeated { same + 1 } else { 1 };
            let pause = self.settings.pause(seed, attempt + 1, failure.retry_after);
            let done = !failure.class.is_transient()
                || attempt >= most
                || (!waits && same >= self.settings.identical.max(1));
            let mut failure = failure;
            failure.attempts = attempt;
            failure.message = self.scrub.text(&failure.message).into_owned();
            if done {
                // A gateway without a server behind it, a login, or the wrong address. Who never answered is not waited
                // for in every episode.
                let is_page = failure.class == ErrorClass::Garbled && failure.words == "page";
                let is_elsewhere = failure.status == Some(404) || is_page;
                if is_elsewhere && !self.answered.load(Ordering::Relaxed) {
                    failure.class = ErrorClass::NotFound;
                }
                return Err(failure);
            }
            if let Some(asked) = failure.retry_after {
                self.pace.note_pause(asked, pause);
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

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn pauses_grow_up_to_the_longest() {
        let settings = RetrySettings::default();
        for key in 0..200 {
            for next in 2..40 {
                let most = (0.5 * 2.0_f64.powi(next - 2)).min(60.0);
                let pause = settings.pause(Seed(key), u32::try_from(next).unwrap(), None);
                assert!(pause.as_secs_f64() <= most, "attempt {next}: {pause:?}");
                assert!(
                    pause.as_secs_f64() >= most / 2.0,
                    "attempt {next}: {pause:?}"
                );
            }
            // The shortest possible pauses together are longer than an outage of 7 seconds.
            let waited: Duration = (2..=settings.identical)
                .map(|next| settings.pause(Seed(key), next, None))
                .sum();
            assert!(waited.as_secs_f64() >= 7.5, "{waited:?}");
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
