//! Rate limits: requests and tokens per minute, and concurrent requests.
//!
//! A [`Pace`] belongs to one server and model. It has three parts:
//!
//! * buckets for requests and tokens per minute; a call takes one request and its estimated tokens
//!   (a quarter of its bytes, and the longest reply), and the difference to the counted tokens is credited or
//!   taken afterwards;
//! * a number of concurrent requests that is halved when the server is overloaded and grows by one after as
//!   many successes as it allows (additive increase, multiplicative decrease);
//! * a pause in which nothing is sent, if the server asked for one.

use crate::error::AgentError;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Limits of one server and model.
///
/// ```
/// use agent_client::pace::{Pace, PaceSettings};
/// use std::num::NonZeroU32;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let settings = PaceSettings {
///     requests_per_minute: NonZeroU32::new(600),
///     concurrency: NonZeroU32::new(8).unwrap_or(NonZeroU32::MIN),
///     ..PaceSettings::default()
/// };
/// let pace = Pace::new(&settings);
/// assert_eq!(pace.allowed(), 8);
/// pace.slow_down(None); // the server said "too many"
/// assert_eq!(pace.allowed(), 4);
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaceSettings {
    /// Requests per minute; no limit if absent.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens per minute, input and output; no limit if absent.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// Maximum number of concurrent requests (default 32). Halved when the server says "too many",
    /// increased by one after as many successes as there may be concurrent requests.
    pub concurrency: NonZeroU32,
}

impl PaceSettings {
    /// Upper bound of `concurrency`: more sockets than a process may open.
    pub const MOST_AT_ONCE: u32 = 4_096;

    /// Checks every value.
    ///
    /// # Errors
    /// Names the value at fault and its range.
    pub fn check(&self) -> Result<(), AgentError> {
        let most = Self::MOST_AT_ONCE;
        if self.concurrency.get() > most {
            let text = format!(
                "concurrency must be 1 to {most}, not `{}`",
                self.concurrency
            );
            return Err(AgentError::setup(text));
        }
        Ok(())
    }
}

impl Default for PaceSettings {
    fn default() -> Self {
        Self {
            requests_per_minute: None,
            tokens_per_minute: None,
            concurrency: NonZeroU32::new(32).unwrap_or(NonZeroU32::MIN),
        }
    }
}

/// A limit of so many units a minute, of which some may be used at once: the generic cell rate algorithm (ITU-T
/// I.371), in which one moment holds the whole state.
#[derive(Debug)]
struct Bucket {
    /// Time after which one more unit may be used.
    interval: Duration,
    /// Units that may be used at once.
    burst: u32,
    /// When the bucket is full again.
    full: Mutex<Instant>,
}

impl Bucket {
    fn new(per_minute: NonZeroU32, burst: u32) -> Self {
        Self {
            interval: Duration::from_secs(60) / per_minute.get(),
            burst: burst.max(1),
            full: Mutex::new(Instant::now()),
        }
    }

    /// Takes `n` units, or says how long to wait for them. More than fit into the bucket wait for a full one.
    fn take(&self, n: u32) -> Result<(), Duration> {
        let now = Instant::now();
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        let after = (*full).max(now) + self.interval.saturating_mul(n.min(self.burst));
        let earliest = after.checked_sub(self.interval.saturating_mul(self.burst));
        match earliest.filter(|earliest| *earliest > now) {
            Some(earliest) => Err(earliest - now),
            None => {
                *full = after;
                Ok(())
            }
        }
    }

    /// Takes `n` units that were used already, at most a full bucket, whether they are there or not: what is
    /// missing delays the next ones.
    fn charge(&self, n: u32) {
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        *full = (*full).max(Instant::now()) + self.interval.saturating_mul(n.min(self.burst));
    }
}

/// The pace at which one server is asked; shared by all requests to it.
#[derive(Debug)]
pub struct Pace {
    requests: Option<Bucket>,
    tokens: Option<(Bucket, u32)>,
    most: u32,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    /// Number of requests that may run concurrently now.
    allowed: u32,
    running: u32,
    successes: u32,
    /// Tokens that were estimated but not used.
    credit: u64,
    /// No request is sent before this moment.
    hold: Option<Instant>,
    /// A long pause that nobody was told of yet.
    pause: Option<LongPause>,
}

/// A pause of more than 5 seconds that a server asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPause {
    /// What the server asked for.
    pub asked: Duration,
    /// The pause that is made, which has a maximum.
    pub made: Duration,
}

impl LongPause {
    /// Pauses up to this one need no word.
    const SHORT: Duration = Duration::from_secs(5);
}

impl Pace {
    /// A pace with these limits.
    ///
    /// Call it within a Tokio runtime. A sixth of the requests of a minute, or all its tokens, may be used at once.
    #[must_use]
    pub fn new(settings: &PaceSettings) -> Arc<Self> {
        let most = settings.concurrency.get();
        Arc::new(Self {
            // A sixth of a minute's requests at once, then evenly.
            requests: settings
                .requests_per_minute
                .map(|n| Bucket::new(n, n.get().div_ceil(6))),
            // A single request may be large, so the burst is a whole minute's tokens.
            tokens: settings
                .tokens_per_minute
                .map(|n| (Bucket::new(n, n.get()), n.get())),
            most,
            state: Mutex::new(State {
                allowed: most,
                running: 0,
                successes: 0,
                credit: 0,
                hold: None,
                pause: None,
            }),
            changed: Notify::new(),
        })
    }

    /// Number of requests that may run concurrently now.
    #[must_use]
    pub fn allowed(&self) -> u32 {
        self.lock().allowed
    }

    /// Waits for a place among the concurrent requests.
    pub async fn enter(self: &Arc<Self>) -> RequestSlot {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before the check, so that no place that becomes free in between is missed.
            changed.as_mut().enable();
            {
                let mut state = self.lock();
                if state.running < state.allowed {
                    state.running += 1;
                    return RequestSlot(Arc::clone(self));
                }
            }
            changed.await;
        }
    }

    /// Waits until another request with `tokens` may be sent.
    pub async fn wait(&self, tokens: u64) {
        if let Some(bucket) = &self.requests {
            take(bucket, 1).await;
        }
        if let Some((bucket, most)) = &self.tokens {
            let need = {
                let mut state = self.lock();
                let paid = state.credit.min(tokens);
                state.credit -= paid;
                tokens - paid
            };
            // A request above the limit itself can only wait for a full bucket.
            let need = u32::try_from(need).unwrap_or(u32::MAX).min(*most);
            if need > 0 {
                take(bucket, need).await;
            }
        }
        // Last, because a pause may begin while the request waits for its tokens, and in a loop,
        // because the answer to another request may make it longer.
        loop {
            let hold = self.lock().hold;
            match hold {
                Some(until) if until > Instant::now() => tokio::time::sleep_until(until).await,
                _ => return,
            }
        }
    }

    /// Corrects the estimate of a request by its actual number of tokens.
    pub fn settle(&self, estimate: u64, used: u64) {
        let Some((bucket, most)) = &self.tokens else {
            return;
        };
        if let Some(spare) = estimate.checked_sub(used) {
            let mut state = self.lock();
            // At most a full bucket: what was spared over an hour must not become a burst.
            state.credit = (state.credit + spare).min(u64::from(*most));
        } else {
            bucket.charge(u32::try_from(used - estimate).unwrap_or(u32::MAX));
        }
    }

    /// Called when the server answered: allows more concurrent requests.
    pub fn speed_up(&self) {
        let mut state = self.lock();
        state.successes = state.successes.saturating_add(1);
        if state.successes >= state.allowed && state.allowed < self.most {
            state.allowed += 1;
            state.successes = 0;
            drop(state);
            self.changed.notify_waiters();
        }
    }

    /// Called when the server said "too many": halves the number of concurrent requests, and sends
    /// none until `hold` has passed, if the server named a pause.
    pub fn slow_down(&self, hold: Option<Duration>) {
        let mut state = self.lock();
        state.allowed = (state.allowed / 2).max(1);
        state.successes = 0;
        if let Some(hold) = hold {
            // Ignore a pause that is too long for the clock: it cannot be intended.
            if let Some(until) = Instant::now().checked_add(hold) {
                state.hold = Some(state.hold.map_or(until, |old| old.max(until)));
            }
        }
    }

    /// Notes that a request waits for `made`, because the server asked for `asked`.
    pub(crate) fn note_pause(&self, asked: Duration, made: Duration) {
        if made > LongPause::SHORT {
            self.lock().pause = Some(LongPause { asked, made });
        }
    }

    /// The last long pause that began since this was asked before, to tell the user.
    #[must_use]
    pub fn take_pause(&self) -> Option<LongPause> {
        self.lock().pause.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn take(bucket: &Bucket, n: u32) {
    while let Err(pause) = bucket.take(n) {
        tokio::time::sleep(pause).await;
    }
}

/// A place among the concurrent requests; released when dropped.
#[derive(Debug)]
pub struct RequestSlot(Arc<Pace>);

impl Drop for RequestSlot {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running = state.running.saturating_sub(1);
        drop(state);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(rpm: u32, tpm: u32, at_once: u32) -> PaceSettings {
        PaceSettings {
            requests_per_minute: NonZeroU32::new(rpm),
            tokens_per_minute: NonZeroU32::new(tpm),
            concurrency: NonZeroU32::new(at_once).unwrap(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_keep_to_the_minute() {
        let pace = Pace::new(&settings(60, 0, 8));
        let start = Instant::now();
        for _ in 0..70 {
            pace.wait(1_000_000).await;
        }
        // Ten at once, then one a second.
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn unused_tokens_are_given_back() {
        let pace = Pace::new(&settings(0, 6_000, 8));
        let start = Instant::now();
        for _ in 0..12 {
            pace.wait(1_000).await;
            pace.settle(1_000, 500);
        }
        // 1,000 + 11 * 500 = 6,500 tokens: the burst is 6,000, the rest takes 5 s.
        assert_eq!(start.elapsed().as_secs(), 5);
        let start = Instant::now();
        pace.wait(1_000_000).await;
        assert_eq!(
            start.elapsed().as_secs(),
            60,
            "one that is too large waits for a full bucket"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_above_the_estimate_delay_the_next_requests() {
        let pace = Pace::new(&settings(0, 60_000, 8));
        let start = Instant::now();
        for _ in 0..12 {
            pace.wait(2_000).await;
            pace.settle(2_000, 20_000);
        }
        // Before the last request 11 * 20,000 tokens were used and it needs 2,000 more: the burst is
        // 60,000, the rest takes 162 s.
        assert_eq!(start.elapsed().as_secs(), 162);
    }

    #[tokio::test(start_paused = true)]
    async fn places_shrink_and_grow() {
        let pace = Pace::new(&settings(0, 0, 4));
        let places = [pace.enter().await, pace.enter().await, pace.enter().await];
        pace.slow_down(Some(Duration::from_secs(7)));
        assert_eq!(pace.allowed(), 2);
        let waiting = tokio::spawn({
            let pace = Arc::clone(&pace);
            async move { drop(pace.enter().await) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(places);
        waiting.await.unwrap();
        let start = Instant::now();
        pace.wait(1).await;
        assert_eq!(start.elapsed(), Duration::from_secs(7));
        for _ in 0..9 {
            pace.speed_up();
        }
        assert_eq!(pace.allowed(), 4, "2 successes for 3, 3 for 4, and no more");
    }
}
