//! Requests in flight when a run stops.
//!
//! A run that stops drops the work that waits for replies. A request that was already sent is paid for, so it goes on
//! without its asker until its answer is recorded; one that waits for its turn, or for another attempt, ends at once.

use crate::error::{AgentError, ErrorClass};
use crate::layer::Answer;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Number of requests that go on without their asker.
static ALONE: AtomicUsize = AtomicUsize::new(0);

/// Time between two looks at [`ALONE`], which other runtimes may change.
const POLL: Duration = Duration::from_millis(10);

/// Waits until every request that was sent before its asker was dropped has its answer.
///
/// A runtime must not end before, because it would drop these requests.
pub async fn settled() {
    while ALONE.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(POLL).await;
    }
}

/// The state of one request, which its stages share.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// An attempt is on its way, or its answer is being recorded.
    is_sent: bool,
    /// The asker was dropped.
    is_alone: bool,
    /// The request has ended.
    is_over: bool,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an attempt.
    ///
    /// # Errors
    /// When nobody waits for the answer, so that nothing more is to be sent.
    pub(crate) fn begin(&self) -> Result<(), AgentError> {
        let mut state = self.lock();
        if state.is_alone {
            return Err(AgentError::new(
                ErrorClass::Reset,
                "the run is stopping, so nothing more is sent",
            ));
        }
        state.is_sent = true;
        Ok(())
    }

    /// Ends an attempt that brought no answer.
    pub(crate) fn fail(&self) {
        self.lock().is_sent = false;
        self.0.changed.notify_one();
    }

    /// Waits until the asker is gone and nothing is on its way.
    async fn pointless(&self) {
        loop {
            {
                let state = self.lock();
                if state.is_alone && !state.is_sent {
                    return;
                }
            }
            self.0.changed.notified().await;
        }
    }

    /// Does `work`, a request whose stages tell of their attempts here, also if the returned future is dropped.
    pub(crate) async fn carry_out(
        &self,
        work: impl Future<Output = Result<Answer, AgentError>> + Send + 'static,
    ) -> Result<Answer, AgentError> {
        let asker = Asker(self.clone());
        let ours = self.clone();
        let task = tokio::spawn(async move {
            let _end = End(ours.clone());
            tokio::select! {
                // The work is looked at first, so that an answer is kept that comes in the moment
                // in which its asker leaves.
                biased;
                outcome = work => outcome,
                () = ours.pointless() => Err(AgentError::setup("nobody waits for the answer")),
            }
        });
        let outcome = task.await;
        drop(asker);
        match outcome {
            Ok(outcome) => outcome,
            Err(e) if e.is_panic() => std::panic::resume_unwind(e.into_panic()),
            // Only the end of the runtime cancels the task, and with it this future.
            Err(_) => Err(AgentError::setup("the request was cancelled")),
        }
    }
}

/// The side that waits for the answer.
struct Asker(InFlight);

impl Drop for Asker {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if !state.is_over {
            state.is_alone = true;
            ALONE.fetch_add(1, Ordering::SeqCst);
        }
        drop(state);
        self.0.0.changed.notify_one();
    }
}

/// The end of a request, also by a panic or with its runtime.
struct End(InFlight);

impl Drop for End {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_over = true;
        if state.is_alone {
            ALONE.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// One test, because `settled` looks at all requests of the process.
    #[tokio::test(start_paused = true)]
    async fn what_was_sent_is_ended_and_nothing_else() {
        for (is_sent, ends) in [(true, true), (false, false)] {
            let request = InFlight::default();
            let ours = request.clone();
            let ended = Arc::new(AtomicBool::new(false));
            let set = Arc::clone(&ended);
            let work = async move {
                if is_sent {
                    ours.begin().unwrap();
                }
                tokio::time::sleep(Duration::from_secs(60)).await;
                set.store(true, Ordering::SeqCst);
                Err(AgentError::setup("no server"))
            };
            let asked = request.carry_out(work);
            let stopped = tokio::time::timeout(Duration::from_secs(1), asked).await;
            assert!(stopped.is_err(), "the asker was dropped");
            settled().await;
            assert_eq!(ended.load(Ordering::SeqCst), ends);
            assert!(request.begin().is_err(), "nothing more is sent");
        }
    }
}
