//! Runs the units of work of a run and passes their results to one writer. A unit is an episode, a
//! question or an interview.
//!
//! ```text
//!  feeder (threads of policies, or requests to models) ─► RunHandle ─► OutcomeWriter ─► keep, in order
//!                     ▲                                                     │
//!                     └───────────── stop flag, records written ◄───────────┴► failures, progress line
//! ```
//!
//! All kinds of runs and all agents use [`drive`], so that the order of records, failures, the cost
//! cap, the progress line and interrupts work in the same way for each of them.

use super::live::{Live, ProgressStatus};
use super::sequence::Sequence;
use crate::clock::Stopwatch;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::plan::Plan;
use crate::run_dir::FailedUnit;
use crate::terminal::shell_path;
use crate::words::counted;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Interval at which the stop flag is read while nothing happens.
pub const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Reports that wait for the writer; a thread that makes another one waits.
const WAITING: usize = 256;

/// Most outcomes that a thread reports together: waking the writer takes as long as a short episode.
const TOGETHER: usize = 64;

/// Time after which a thread reports with its next outcome what it holds back. If the process is killed before, those
/// units are done again: nobody paid for them.
const HELD: Duration = Duration::from_millis(1);

/// Most units that are done ahead while an earlier one is not finished.
const AHEAD: usize = 1 << 14;

/// Pause of a thread that is this far ahead.
const PAUSE: Duration = Duration::from_millis(1);

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
        /// Whether the other units would fail for the same reason (a refused key): the run stops.
        ends_run: bool,
        /// The role whose request failed, such as `judge`, if a request to a model failed.
        role: Option<&'static str>,
    },
    /// The unit was not done, because the money that the run may cost is spent; says how much.
    Budget(String),
    /// An error that ends the run, such as a full disk.
    Trouble(RunError),
}

impl<T> UnitOutcome<T> {
    /// A unit that cannot be done, while others may be.
    #[must_use]
    pub fn failed(why: String, tries: u32) -> Self {
        Self::Failed {
            why,
            tries,
            ends_run: false,
            role: None,
        }
    }

    /// The reason why the unit was not done; empty if it was done.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Self::Done(_) => String::new(),
            Self::Stopped => NOT_BEGUN.to_owned(),
            Self::Failed { why, .. } | Self::Budget(why) => why.clone(),
            Self::Trouble(error) => error.to_string(),
        }
    }
}

/// What the writer tells those who do the work.
#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    /// Units whose result was written, or that will have none, up to the first that is in progress.
    passed: AtomicUsize,
}

impl Signals {
    fn request_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Numbers of units and their outcomes.
type Report<T> = Vec<(u64, UnitOutcome<T>)>;

/// The end of the channel at which the outcomes of units arrive.
pub type Outcomes<T> = Receiver<Report<T>>;

/// The connection of the work to its run: a stop flag to read, and a channel that takes the outcomes
/// of the units.
#[derive(Debug)]
pub struct RunHandle<T> {
    signals: Arc<Signals>,
    sender: SyncSender<Report<T>>,
}

impl<T> Clone for RunHandle<T> {
    fn clone(&self) -> Self {
        Self {
            signals: Arc::clone(&self.signals),
            sender: self.sender.clone(),
        }
    }
}

impl<T> RunHandle<T> {
    /// A handle, and the receiver of the outcomes that its clones report. At most `waiting` reports
    /// wait for the receiver.
    #[must_use]
    pub fn new(waiting: usize) -> (Self, Outcomes<T>) {
        let (sender, outcomes) = sync_channel(waiting);
        let signals = Arc::default();
        (Self { signals, sender }, outcomes)
    }

    /// Reports the outcome of unit `number`.
    pub fn report(&self, number: u64, outcome: UnitOutcome<T>) {
        self.send(vec![(number, outcome)]);
    }

    fn send(&self, report: Report<T>) {
        // Sending fails only when the receiver was dropped, which is when the run has ended.
        let _ = self.sender.send(report);
    }

    /// The stop flag; no new unit is begun once it is set.
    #[must_use]
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.signals.stop
    }

    fn is_stopped(&self) -> bool {
        self.stop_flag().load(Ordering::Relaxed)
    }
}

/// Settings of [`drive`].
#[derive(Debug)]
pub struct Drive<'a> {
    /// Number of units.
    pub asked: u64,
    /// What the progress line says besides the number of units; the time left if absent.
    pub status: Option<&'a dyn ProgressStatus>,
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
    /// Failed units by number.
    pub failures: BTreeMap<u64, FailedUnit>,
    /// The message of the exhausted budget; `None` while the cost is below the cap.
    budget: Option<String>,
    /// Until this is dropped, a first signal lets the caller bring its files to the disk.
    finishing: Option<Finishing>,
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
            let dir = shell_path(dir);
            format!("; `boardroom resume {dir} --max-cost <more>` continues the run")
        });
        let are = if left == 1 { "is" } else { "are" };
        Err(RunError::Budget(format!(
            "{message}; {} {are} left{resume}",
            counted(left, Plan::UNIT)
        )))
    }

    /// The lines of `errors.jsonl`.
    #[must_use]
    pub fn errors(&self) -> Vec<Value> {
        let failures = self.failures.iter();
        failures
            .map(|(number, failure)| failure.line(*number))
            .collect()
    }
}

/// Does the work of `feed`, which reports the outcomes of the units through its handle. `keep` gets
/// number and result of each completed unit, in the order of `order`, which must hold every unit that
/// is reported. An error of `keep` ends the run.
///
/// # Errors
/// When `feed` or `keep` fails, or a unit reports [`UnitOutcome::Trouble`]. Failed units are not an
/// error: they are listed in the returned value.
pub fn drive<T: Send>(
    how: &Drive<'_>,
    order: Vec<u64>,
    feed: impl FnOnce(RunHandle<T>) -> Result<(), RunError> + Send,
    keep: impl FnMut(u64, T) -> Result<(), RunError>,
) -> Result<Driven, RunError> {
    // Bounded: threads that are faster than the writer wait, so results cannot fill the memory.
    let (handle, outcomes) = RunHandle::new(WAITING);
    let mut writer = OutcomeWriter {
        sequence: Sequence::new(order),
        ready: Vec::new(),
        keep,
        driven: Driven::default(),
        ended: 0,
        trouble: None,
        is_broken: false,
        signals: Arc::clone(&handle.signals),
    };
    let live = Live::new(how.asked, how.progress, how.status);
    let signals = Arc::clone(&writer.signals);
    let fed = std::thread::scope(|scope| {
        // If `keep` panics, no new unit is begun, and the channel is closed so that nobody waits for it.
        let outcomes = outcomes;
        let _guard = StopOnPanic(&signals);
        let feeder = scope.spawn(|| feed(handle));
        // Until the last handle is dropped.
        loop {
            match outcomes.recv_timeout(POLL_INTERVAL) {
                Ok(report) => report
                    .into_iter()
                    .for_each(|(number, outcome)| writer.receive(number, outcome)),
                // Nothing ended for a while. The loop goes on, to read the caller's stop flag and to redraw the
                // progress line; without the time-out an interrupt would wait for the end of a long unit.
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            // Relaxed is enough for all flags here: they carry no data, and a thread that sees one late begins
            // at most one more unit.
            if how.stop.load(Ordering::Relaxed) {
                writer.signals.request_stop();
            }
            live.show(writer.ended);
        }
        feeder.join()
    });
    live.finish();
    // Results that waited for a unit that will never come (the run was stopped) are written now, still in
    // order: their work was done, and a resumed run must not do it again.
    let rest = writer.sequence.rest();
    rest.into_iter()
        .for_each(|(number, done)| writer.write(number, done));
    match fed {
        // Passed on only now, after every result that came before the panic was written.
        Err(panic) => std::panic::resume_unwind(panic),
        // The writer's error comes first: the feeder's error usually follows from it.
        Ok(fed) => writer.trouble.map_or(fed, Err).map(|()| writer.driven),
    }
}

/// Does `units` on all cores, in about their order: the results of at most 16,384 units wait for an
/// earlier one, because records are written in order and would otherwise fill the memory.
pub fn on_all_cores<T: Send>(
    handle: &RunHandle<T>,
    stop: &AtomicBool,
    units: &[u64],
    work: impl Fn(u64) -> UnitOutcome<T> + Sync,
) {
    let next = AtomicUsize::new(0);
    let is_over = || handle.is_stopped() || stop.load(Ordering::Relaxed);
    let run = || {
        let _guard = StopOnPanic(&handle.signals);
        let mut held = Held::new(handle);
        while !is_over() {
            // One counter for all threads and not a part for each: episodes differ in length, and a thread that
            // is done with a short one takes the next.
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&unit) = units.get(place) else {
                return;
            };
            let passed = || handle.signals.passed.load(Ordering::Relaxed);
            // Threads that wait here cannot block the unit that they wait for: its place is smaller, so another
            // thread has already passed this line with it. Polling is cheap enough, because it happens only
            // while one unit takes longer than 16,384 others together.
            while place >= passed().saturating_add(AHEAD) {
                // What is held back may be what the others wait for.
                held.send();
                if is_over() {
                    return;
                }
                std::thread::sleep(PAUSE);
            }
            held.add(unit, work(unit));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(units.len()) {
            scope.spawn(run);
        }
    });
}

/// The outcomes of a thread that are not reported yet; those that are left are reported when it is dropped.
struct Held<'a, T> {
    handle: &'a RunHandle<T>,
    outcomes: Report<T>,
    since: Stopwatch,
}

impl<'a, T> Held<'a, T> {
    fn new(handle: &'a RunHandle<T>) -> Self {
        Self {
            handle,
            outcomes: Vec::with_capacity(TOGETHER),
            since: Stopwatch::start(),
        }
    }

    fn add(&mut self, number: u64, outcome: UnitOutcome<T>) {
        self.outcomes.push((number, outcome));
        if self.outcomes.len() >= TOGETHER || self.since.elapsed() >= HELD {
            self.send();
        }
    }

    fn send(&mut self) {
        if !self.outcomes.is_empty() {
            let next = Vec::with_capacity(TOGETHER);
            self.handle
                .send(std::mem::replace(&mut self.outcomes, next));
        }
        self.since = Stopwatch::start();
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.send();
    }
}

/// Stops the run if its thread panics: the other threads would wait for its unit for ever.
struct StopOnPanic<'a>(&'a Signals);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.request_stop();
        }
    }
}

/// Passes completed units to `keep` in their order, and collects failures.
struct OutcomeWriter<T, K> {
    sequence: Sequence<(u64, T)>,
    /// Units that are next in order; kept for its memory.
    ready: Vec<(u64, T)>,
    keep: K,
    driven: Driven,
    /// Number of units that were completed, including those that wait for an earlier one.
    ended: u64,
    trouble: Option<RunError>,
    /// Whether `keep` failed: nothing is passed to it any more.
    is_broken: bool,
    signals: Arc<Signals>,
}

impl<T, K: FnMut(u64, T) -> Result<(), RunError>> OutcomeWriter<T, K> {
    fn receive(&mut self, number: u64, outcome: UnitOutcome<T>) {
        // Before the first unit is done, as in a long search for a reference, there is nothing to keep.
        self.driven.finishing.get_or_insert_with(Finishing::begin);
        let mut done = None;
        match outcome {
            UnitOutcome::Done(result) => {
                self.ended += 1;
                done = Some((number, result));
            }
            UnitOutcome::Stopped => {}
            UnitOutcome::Failed {
                why,
                tries,
                ends_run,
                role,
            } => {
                if ends_run {
                    self.signals.request_stop();
                }
                // A failed unit is not a result, but it still passes `sequence` below, so that it does not hold back
                // the units after it.
                let failure = FailedUnit {
                    unit: number.to_string(),
                    error: why,
                    tries: Some(tries.into()),
                    role: role.map(str::to_owned),
                };
                self.driven.failures.insert(number, failure);
            }
            UnitOutcome::Budget(message) => {
                // The first message counts: units in progress repeat it when they are refused as well.
                self.driven.budget.get_or_insert(message);
                self.signals.request_stop();
            }
            UnitOutcome::Trouble(e) => self.give_up(e),
        }
        let mut ready = std::mem::take(&mut self.ready);
        self.sequence.take(number, done, &mut ready);
        for (number, done) in ready.drain(..) {
            self.write(number, done);
        }
        self.ready = ready;
        let passed = self.sequence.passed();
        self.signals.passed.store(passed, Ordering::Relaxed);
    }

    fn write(&mut self, number: u64, done: T) {
        // After an error of `keep` (a full disk) later results are dropped, because records behind a gap
        // would look like records that were taken out.
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
        self.signals.request_stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The progress line counts what is done, also while an earlier unit is in progress.
    #[test]
    fn units_that_wait_for_an_earlier_one_count_as_done() {
        let mut writer = OutcomeWriter {
            sequence: Sequence::new(0..4),
            ready: Vec::new(),
            keep: |_, ()| Ok(()),
            driven: Driven::default(),
            ended: 0,
            trouble: None,
            is_broken: false,
            signals: Arc::default(),
        };
        for unit in [1, 2] {
            writer.receive(unit, UnitOutcome::Done(()));
        }
        assert_eq!((writer.ended, writer.driven.done), (2, 0));
        writer.receive(0, UnitOutcome::failed("no".to_owned(), 1));
        assert_eq!((writer.ended, writer.driven.done), (2, 2));
    }
}
