//! Runs what is left of a run of models: rows side by side, the units of a row one after the other.
//!
//! Episodes, questions and interviews all go through [`drive`]: one number of rows at a time, one
//! order of records, one way to fail, to run out of money and to be stopped.

use super::model::backends::Models;
use super::model::live::Live;
use super::sequence::Sequence;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::plan::model::Means;
use agent_client::parallel::in_order;
use agent_client::{AgentError, ErrorClass};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Rows at a time unless said otherwise; the pace of the requests is the client's business.
pub const CONCURRENCY: usize = 8;

/// How often a stop is looked for while a model thinks.
pub const LOOK: Duration = Duration::from_millis(100);

/// Times that a unit is begun again after a failure that may pass. The client has tried each
/// request several times before, with pauses; answered requests are not asked again.
pub const SITTINGS: u32 = 3;

/// Why a unit was not begun when a run is made again from its stored calls.
pub const NOT_BEGUN: &str = "a unit before it in its stream cannot be made again";

/// What became of a unit of work.
#[derive(Debug)]
pub enum Outcome<T> {
    /// It was done.
    Done(T),
    /// It was not done because the run ends, or because a unit before it in its row failed.
    Stopped,
    /// It cannot be done.
    Failed {
        /// Why.
        why: String,
        /// How often it was begun.
        tries: u32,
    },
    /// A model failed.
    Model {
        /// How.
        error: AgentError,
        /// How often the unit was begun.
        tries: u32,
    },
    /// Something that ends the run, such as a full disk.
    Trouble(RunError),
}

impl<T> Outcome<T> {
    /// Why it was not done; empty if it was.
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

/// What rows need: a flag that stops them, and a way to say what became of their units.
#[derive(Debug)]
pub struct Reins<T> {
    stop: Arc<AtomicBool>,
    said: UnboundedSender<(u64, Outcome<T>)>,
}

impl<T> Clone for Reins<T> {
    fn clone(&self) -> Self {
        Self {
            stop: Arc::clone(&self.stop),
            said: self.said.clone(),
        }
    }
}

impl<T> Reins<T> {
    /// Reins, and where what is said arrives.
    #[must_use]
    pub fn new() -> (Self, UnboundedReceiver<(u64, Outcome<T>)>) {
        let (said, heard) = unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        (Self { stop, said }, heard)
    }

    /// Says what became of unit `number`.
    pub fn say(&self, number: u64, outcome: Outcome<T>) {
        // Nobody listens any more only when the run is being dropped.
        let _ = self.said.send((number, outcome));
    }

    /// The flag: no new unit is begun once it is set.
    #[must_use]
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn halt(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// How a run is driven.
#[derive(Debug)]
pub struct Drive<'a> {
    /// What the units are called, for the progress line: `episodes`.
    pub units: &'static str,
    /// Number of units.
    pub asked: u64,
    /// Rows at a time and the cap on money.
    pub means: &'a Means,
    /// Who is asked.
    pub models: &'a Models,
    /// Whether a progress line is drawn on a terminal.
    pub progress: bool,
    /// Set from outside to stop after what is under way.
    pub stop: &'a AtomicBool,
    /// The run folder.
    pub out: Option<&'a Path>,
}

/// What became of the units.
#[derive(Debug, Default)]
pub struct Driven {
    /// Units that were done and kept.
    pub done: u64,
    /// Units that failed, with the reason and how often each was begun.
    pub failures: BTreeMap<u64, (String, u32)>,
    /// Why there is no more money, where there is none.
    budget: Option<String>,
}

impl Driven {
    /// Units that were neither done nor failed.
    ///
    /// # Errors
    /// [`RunError::Budget`] where the money ran out; says how many are left.
    pub fn left(&self, how: &Drive<'_>) -> Result<u64, RunError> {
        let settled = self.done + self.failures.len() as u64;
        let left = how.asked.saturating_sub(settled);
        let Some(message) = &self.budget else {
            return Ok(left);
        };
        let resume = how.out.map_or_else(String::new, |dir| {
            let dir = dir.display();
            format!("; `boardroom resume {dir} --max-cost <more> --prices <file>` goes on")
        });
        let units = how.units;
        Err(RunError::Budget(format!(
            "{message}; {left} {units} are left{resume}"
        )))
    }
}

/// What comes of `work`, or nothing when the run was stopped before.
pub async fn unless_stopped<T>(work: impl Future<Output = T>, stop: &AtomicBool) -> Option<T> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Some(done),
            () = tokio::time::sleep(LOOK) => {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
            }
        }
    }
}

/// The runtime that requests run on.
///
/// # Errors
/// When the system gives no threads.
pub fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the runtime: {e}")))
}

/// Runs `rows`, each of which says what became of its units. `keep` gets what was done in the
/// order of `order`; a unit that is not in `order` is kept when it is done. What `keep` refuses
/// ends the run.
///
/// # Errors
/// When something cannot be kept, or the system gives no threads. Failed units are listed in what is
/// returned.
pub fn drive<T, F>(
    how: &Drive<'_>,
    order: Vec<u64>,
    (reins, mut heard): (Reins<T>, UnboundedReceiver<(u64, Outcome<T>)>),
    rows: impl Iterator<Item = F>,
    keep: impl FnMut(u64, T) -> Result<(), RunError>,
) -> Result<Driven, RunError>
where
    T: Send,
    F: Future<Output = ()> + Send + 'static,
{
    let mut keeper = Keeper {
        sequence: Sequence::new(order),
        keep,
        driven: Driven::default(),
        trouble: None,
        reins: reins.clone(),
    };
    let live = Live::new(how.asked, how.units, how.progress);
    let at_once = how.means.concurrency.unwrap_or(CONCURRENCY).max(1);
    let finishing = Finishing::begin();
    runtime()?.block_on(async {
        let rows = rows.take_while(|_| !reins.is_stopped() && !how.stop.load(Ordering::Relaxed));
        let work = in_order(rows, at_once, |_, ()| {});
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                Some((number, outcome)) = heard.recv() => keeper.hear(number, outcome),
                () = tokio::time::sleep(LOOK) => {}
            }
            if how.stop.load(Ordering::Relaxed) {
                reins.halt();
            }
            live.show(keeper.driven.done, how.models);
        }
        while let Ok((number, outcome)) = heard.try_recv() {
            keeper.hear(number, outcome);
        }
    });
    live.finish();
    for (number, done) in keeper.sequence.rest() {
        keeper.write(number, done);
    }
    drop(finishing);
    match keeper.trouble {
        Some(trouble) => Err(trouble),
        None => Ok(keeper.driven),
    }
}

/// Keeps what was done in its order and remembers what went wrong.
struct Keeper<T, K> {
    sequence: Sequence<(u64, T)>,
    keep: K,
    driven: Driven,
    trouble: Option<RunError>,
    reins: Reins<T>,
}

impl<T, K: FnMut(u64, T) -> Result<(), RunError>> Keeper<T, K> {
    fn hear(&mut self, number: u64, outcome: Outcome<T>) {
        let done = match outcome {
            Outcome::Done(done) => Some((number, done)),
            Outcome::Stopped => None,
            Outcome::Failed { why, tries } => {
                self.driven.failures.insert(number, (why, tries));
                None
            }
            Outcome::Trouble(e) => {
                self.give_up(e);
                None
            }
            Outcome::Model { error, .. } if error.class == ErrorClass::Budget => {
                self.driven.budget.get_or_insert(error.to_string());
                self.reins.halt();
                None
            }
            Outcome::Model { error, tries } => {
                if error.class.stops_the_run() {
                    self.reins.halt();
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
        if self.trouble.is_some() {
            return;
        }
        match (self.keep)(number, done) {
            Ok(()) => self.driven.done += 1,
            Err(e) => self.give_up(e),
        }
    }

    fn give_up(&mut self, trouble: RunError) {
        self.trouble.get_or_insert(trouble);
        self.reins.halt();
    }
}
