//! Does the work of a run that asks models: rows of units that run one after the other, many rows at
//! a time.

use crate::engine::drive::{POLL_INTERVAL, RunHandle, UnitOutcome};
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::plan::model::RunBudget;
use agent_client::parallel::in_order;
use agent_client::{AgentError, ErrorClass, in_flight};
use std::sync::atomic::{AtomicBool, Ordering};

/// Default number of rows that run at the same time. The client limits the rate of the requests.
pub const CONCURRENCY: usize = 8;

/// Largest number of attempts at a unit whose failures are transient. In each attempt the client has
/// already retried the failed request with pauses; answered requests are not sent again.
pub const MAX_ATTEMPTS: u32 = 3;

/// The outcome of a unit whose request failed with `error` in attempt `tries`.
#[must_use]
pub fn failed<T>(error: &AgentError, tries: u32) -> UnitOutcome<T> {
    let why = error.to_string();
    match error.class {
        ErrorClass::Budget => UnitOutcome::Budget(why),
        class => UnitOutcome::Failed {
            why,
            tries,
            ends_run: class.stops_the_run(),
            role: error.role.map(Into::into),
        },
    }
}

/// Runs `rows`, each of which reports the outcomes of its units through a clone of `handle`. No row is
/// begun once the run or its caller (`stop`) is stopping.
///
/// # Errors
/// When the operating system cannot start the threads.
pub fn ask<T, F>(
    handle: &RunHandle<T>,
    means: &RunBudget,
    stop: &AtomicBool,
    mut rows: impl Iterator<Item = F>,
) -> Result<(), RunError>
where
    F: Future<Output = ()> + Send + 'static,
{
    let at_once = means.concurrency.unwrap_or(CONCURRENCY).max(1);
    // Requests are paid for, so a first signal lets those in progress end.
    let _finishing = Finishing::begin();
    // Making a row may touch files, so none is made once the run was stopped.
    let is_over = || handle.stop_flag().load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
    let next = std::iter::from_fn(|| if is_over() { None } else { rows.next() });
    runtime()?.block_on(async {
        in_order(next, at_once, |_, ()| {}).await;
        // What was sent is paid for and is recorded. A second signal ends the program at once.
        in_flight::settled().await;
    });
    Ok(())
}

/// The result of `work`, or `None` if `stop` was set before `work` ended. Requests of `work` that were sent go on alone
/// until they are recorded; the runtime must wait for them ([`in_flight::settled`]).
pub async fn unless_stopped<T>(work: impl Future<Output = T>, stop: &AtomicBool) -> Option<T> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Some(done),
            // Other threads set the flag, which cannot wake a task; so it is polled.
            () = tokio::time::sleep(POLL_INTERVAL) => {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
            }
        }
    }
}

/// The Tokio runtime that requests run on.
///
/// # Errors
/// When the operating system cannot start its threads.
pub fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the Tokio runtime did not start: {e}")))
}
