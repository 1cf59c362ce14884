//! Runs the units of work of a run that asks models. A unit is an episode, a question or an interview.
//! A row is a list of units that run one after the other; different rows run concurrently.
//!
//! Episodes, questions and interviews all use [`drive`], so that concurrency, the order of records,
//! failures, the cost cap and interrupts work in the same way for each of them.

use super::model::backends::Models;
use super::model::live::Live;
use super::sequence::Sequence;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::plan::model::RunBudget;
use agent_client::parallel::in_order;
use agent_client::{AgentError, ErrorClass};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Default number of rows that run at the same time. The client limits the rate of the requests.
pub const CONCURRENCY: usize = 8;

/// Interval at which the stop flag is read while a request is in progress.
pub const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Largest number of attempts at a unit whose failures are transient. In each attempt the client has
/// already retried the failed request with pauses; answered requests are not sent again.
pub const MAX_ATTEMPTS: u32 = 3;

/// The reason for a unit that was not begun when a run was repeated from its stored calls.
pub const NOT_BEGUN: &str = "an earlier unit of its stream cannot be repeated";

/// The outcome of a unit of work.
#[derive(Debug)]
pub enum UnitOutcome<T> {
    /// The unit was completed, with this result.
    Done(T),
    /// The unit was not done, because the run is stopping or an earlier unit of its row failed.
    Stopped,
    /// The unit cannot be done.
    Failed {
        /// The reason.
        why: String,
        /// Number of attempts.
        tries: u32,
    },
    /// A request to a model failed.
    Model {
        /// The error of the agent client.
        error: AgentError,
        /// Number of attempts at the unit.
        tries: u32,
    },
    /// An error that ends the run, such as a full disk.
    Trouble(RunError),
}

impl<T> UnitOutcome<T> {
    /// The reason why the unit was not done; empty if it was done.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Self::Done(_) => String::new(),
            Self::Stopped => NOT_BEGUN.to_owned(),
            Self::Failed { why, .. } => why.clone(),
            Self::Model { error, .. } => error.to_string(),
            Self::Trouble(error) => error.to_string(),
        }
    }
}

/// The connection of a row to its run: a stop flag to read, and a channel that takes the outcomes of
/// the units.
#[derive(Debug)]
pub struct RunHandle<T> {
    stop: Arc<AtomicBool>,
    sender: UnboundedSender<(u64, UnitOutcome<T>)>,
}

impl<T> Clone for RunHandle<T> {
    fn clone(&self) -> Self {
        Self {
            stop: Arc::clone(&self.stop),
            sender: self.sender.clone(),
        }
    }
}

impl<T> RunHandle<T> {
    /// A handle, and the receiver of the outcomes that its clones report: number of the unit, outcome.
    #[must_use]
    pub fn new() -> (Self, UnboundedReceiver<(u64, UnitOutcome<T>)>) {
        let (sender, outcomes) = unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        (Self { stop, sender }, outcomes)
    }

    /// Reports the outcome of unit `number`.
    pub fn report(&self, number: u64, outcome: UnitOutcome<T>) {
        // Sending fails only when the receiver was dropped, which is when the run has ended.
        let _ = self.sender.send((number, outcome));
    }

    /// The stop flag; no new unit is begun once it is set.
    #[must_use]
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    fn request_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Settings of [`drive`].
#[derive(Debug)]
pub struct Drive<'a> {
    /// Plural name of the units, for the progress line: `episodes`.
    pub units: &'static str,
    /// Number of units.
    pub asked: u64,
    /// Concurrency and cost cap.
    pub means: &'a RunBudget,
    /// The models that answer the requests.
    pub models: &'a Models,
    /// Whether a progress line is drawn on a terminal.
    pub progress: bool,
    /// Stop flag of the caller: once it is set, no new unit is begun.
    pub stop: &'a AtomicBool,
    /// The run folder, if the run has one.
    pub out: Option<&'a Path>,
}

/// Counts and failures of the units of a run.
#[derive(Debug, Default)]
pub struct Driven {
    /// Number of units that were completed and passed to `keep`.
    pub done: u64,
    /// Failed units by number: the reason, and the number of attempts.
    pub failures: BTreeMap<u64, (String, u32)>,
    /// The message of the exhausted budget; `None` while the cost is below the cap.
    budget: Option<String>,
}

impl Driven {
    /// Number of units that were neither completed nor failed.
    ///
    /// # Errors
    /// [`RunError::Budget`] if the budget is exhausted; the message says how many units are left.
    pub fn left(&self, how: &Drive<'_>) -> Result<u64, RunError> {
        let settled = self.done + self.failures.len() as u64;
        let left = how.asked.saturating_sub(settled);
        let Some(message) = &self.budget else {
            return Ok(left);
        };
        let resume = how.out.map_or_else(String::new, |dir| {
            let dir = dir.display();
            format!(
                "; `boardroom resume {dir} --max-cost <more>` continues the run"
            )
        });
        let units = how.units;
        Err(RunError::Budget(format!(
            "{message}; {left} {units} are left{resume}"
        )))
    }
}

/// The result of `work`, or `None` if `stop` was set before `work` ended.
pub async fn unless_stopped<T>(work: impl Future<Output = T>, stop: &AtomicBool) -> Option<T> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Some(done),
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

/// Runs `rows`, each of which reports the outcomes of its units through a clone of the handle. `keep`
/// gets number and result of each completed unit, in the order of `order`, which must hold every unit
/// that is reported. An error of `keep` ends the run.
///
/// # Errors
/// When `keep` fails, a unit reports [`Outcome::Trouble`], or the operating system cannot start the
/// threads. Failed units are not an error: they are listed in the returned value.
pub fn drive<T, F>(
    how: &Drive<'_>,
    order: Vec<u64>,
    (handle, mut outcomes): (RunHandle<T>, UnboundedReceiver<(u64, UnitOutcome<T>)>),
    mut rows: impl Iterator<Item = F>,
    keep: impl FnMut(u64, T) -> Result<(), RunError>,
) -> Result<Driven, RunError>
where
    T: Send,
    F: Future<Output = ()> + Send + 'static,
{
    let mut writer = OutcomeWriter {
        sequence: Sequence::new(order),
        keep,
        driven: Driven::default(),
        trouble: None,
        is_broken: false,
        handle: handle.clone(),
    };
    let live = Live::new(how.asked, how.units, how.progress);
    let at_once = how.means.concurrency.unwrap_or(CONCURRENCY).max(1);
    let finishing = Finishing::begin();
    runtime()?.block_on(async {
        // Making a row may touch files, so nothing is made once the run was stopped.
        let is_over = || handle.is_stopped() || how.stop.load(Ordering::Relaxed);
        let next = std::iter::from_fn(|| if is_over() { None } else { rows.next() });
        let work = in_order(next, at_once, |_, ()| {});
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                Some((number, outcome)) = outcomes.recv() => writer.receive(number, outcome),
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            if how.stop.load(Ordering::Relaxed) {
                handle.request_stop();
            }
            live.show(writer.driven.done, how.models);
        }
        while let Ok((number, outcome)) = outcomes.try_recv() {
            writer.receive(number, outcome);
        }
    });
    live.finish();
    for (number, done) in writer.sequence.rest() {
        writer.write(number, done);
    }
    drop(finishing);
    match writer.trouble {
        Some(trouble) => Err(trouble),
        None => Ok(writer.driven),
    }
}

/// Passes completed units to `keep` in their order, and collects failures.
struct OutcomeWriter<T, K> {
    sequence: Sequence<(u64, T)>,
    keep: K,
    driven: Driven,
    trouble: Option<RunError>,
    /// Whether `keep` failed: nothing is passed to it any more.
    is_broken: bool,
    handle: RunHandle<T>,
}

impl<T, K: FnMut(u64, T) -> Result<(), RunError>> OutcomeWriter<T, K> {
    fn receive(&mut self, number: u64, outcome: UnitOutcome<T>) {
        let done = match outcome {
            UnitOutcome::Done(done) => Some((number, done)),
            UnitOutcome::Stopped => None,
            UnitOutcome::Failed { why, tries } => {
                self.driven.failures.insert(number, (why, tries));
                None
            }
            UnitOutcome::Trouble(e) => {
                self.give_up(e);
                None
            }
            UnitOutcome::Model { error, .. } if error.class == ErrorClass::Budget => {
                self.driven.budget.get_or_insert(error.to_string());
                self.handle.request_stop();
                None
            }
            UnitOutcome::Model { error, tries } => {
                if error.class.stops_the_run() {
                    self.handle.request_stop();
                }
                let failure = (error.to_string(), tries);
                self.driven.failures.insert(number, failure);
                None
            }
        };
        for (number, done) in self.sequence.take(number, done) {
            self.write(number, done);
        }
    }

    fn write(&mut self, number: u64, done: T) {
        if self.is_broken {
            return;
        }
        match (self.keep)(number, done) {
            Ok(()) => self.driven.done += 1,
            Err(e) => {
                self.is_broken = true;
                self.give_up(e);
            }
        }
    }

    fn give_up(&mut self, trouble: RunError) {
        self.trouble.get_or_insert(trouble);
        self.handle.request_stop();
    }
}
