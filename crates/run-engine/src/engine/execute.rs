//! Running episodes on all cores and keeping what comes of them.

use crate::clock::Stopwatch;
use crate::engine::episode::EpisodeRunner;
use crate::engine::finished::{Finished, named};
use crate::engine::sequence::Sequence;
use crate::engine::summary::Collected;
use crate::environments::Environments;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::plan::Plan;
use crate::plan::source::InstanceSource;
use crate::run_dir::Folder;
use crate::run_dir::references::References;
use agent_client::secret::{CleanLine, Scrub};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use sim_core::{DynEnvironmentSpec, EpisodeRecord, Reference, Score, Tally};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Time between two syncs of the record file; what was lost in between is played again.
const SYNC_EVERY: Duration = Duration::from_millis(100);

/// Most episodes that are played ahead while an earlier one is not finished.
const AHEAD: usize = 1 << 14;

/// Pause of a worker that is this far ahead.
const PAUSE: Duration = Duration::from_millis(1);

/// How a run is shown and stopped.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Whether each step with action and feedback is kept.
    pub steps: bool,
    /// Whether a progress bar is drawn on a terminal.
    pub progress: bool,
    /// Set from outside to stop after the episodes that are being played.
    pub stop: &'a AtomicBool,
}

/// What a worker hands over.
enum Message {
    Played {
        index: u64,
        score: Score,
        tally: Tally,
        reference: Box<Reference>,
        line: Option<CleanLine>,
        steps: Vec<Value>,
    },
    Failed {
        index: u64,
        error: RunError,
    },
}

/// Plays all episodes of `plan` that `folder` does not hold yet, and sums up all of them.
///
/// # Errors
/// When the plan cannot be run or the folder cannot be read or written. Failed episodes are no
/// error here: they are listed in what is returned.
pub fn execute(
    registry: &Environments,
    plan: &Plan,
    folder: Option<&Folder>,
    options: Options<'_>,
) -> Result<Finished, RunError> {
    let watch = Stopwatch::start();
    let kind = registry.kind(&plan.environment)?;
    let source = InstanceSource::of(kind, plan)?;
    let table = EpisodeRunner::new(plan, &source)?;
    let file = folder.map(Folder::references);
    let references = References::open(plan.effort, source.distinct().is_some(), file.as_deref())?;
    let done = match folder {
        Some(folder) => finished(&table, plan, folder)?,
        None => Done::default(),
    };
    let indices: Vec<u64> = plan.indices().collect();
    let workers = Workers {
        table: &table,
        references: &references,
        indices: &indices,
        done: &done.scores,
        next: AtomicUsize::new(0),
        written: AtomicUsize::new(0),
        crashed: AtomicBool::new(false),
        keep_lines: folder.is_some(),
        options,
    };
    let mut collector = Collector::new(folder, &indices, options.progress)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(256);
        for _ in 0..threads.min(indices.len().max(1)) {
            let (sender, workers) = (sender.clone(), &workers);
            scope.spawn(move || workers.work(&sender));
        }
        drop(sender);
        collector.take_all(&receiver, &workers.written)
    })?;
    if let Some(folder) = folder {
        let stands: Vec<u64> = done
            .order
            .iter()
            .chain(&collector.written)
            .copied()
            .collect();
        folder.put_in_order(&stands, &indices)?;
        folder.check_still_there()?;
    }
    let deterministic = is_deterministic(kind, plan, &source);
    let unplayed = indices.len() as u64 - collector.seen();
    let mut summary = collector.collected.summarise(kind, plan, deterministic);
    summary.failed = collector.failures.len() as u64;
    summary.seconds = watch.elapsed().as_secs_f64();
    summary.out = folder.map(|folder| folder.path().display().to_string());
    Ok(Finished {
        summary,
        steps: collector.steps.into_values().flatten().collect(),
        failures: named("episode", collector.failures),
        unplayed,
        unit: "episode",
    })
}

/// Whether neither the instances nor the agent draw any lots: then there is nothing to estimate.
#[must_use]
pub fn is_deterministic(
    kind: &dyn DynEnvironmentSpec,
    plan: &Plan,
    source: &InstanceSource<'_>,
) -> bool {
    let agent = plan.agent.trim_start_matches("policy:");
    let name = agent.split_once(':').map_or(agent, |(name, _)| name);
    // Nobody plays the same twice but a policy and a script.
    if plan.model.is_some() || matches!(agent, "human" | "mcp") {
        return false;
    }
    let draws = kind
        .policy_list()
        .iter()
        .any(|p| p.random && p.name == name);
    source.distinct().is_some() && !draws
}

/// Whether the agent of `plan` knows hidden state: it is a policy that reads hidden state, or a model
/// that is shown the plan of such a policy.
#[must_use]
pub fn is_clairvoyant(kind: &dyn DynEnvironmentSpec, plan: &Plan) -> bool {
    if let Some(model) = &plan.model {
        return model.is_gold();
    }
    let agent = plan.agent.trim_start_matches("policy:");
    let name = agent.split_once(':').map_or(agent, |(name, _)| name);
    let mut policies = kind.policy_list().into_iter();
    policies.any(|policy| policy.oracle && policy.name == name)
}

/// The records of an unfinished run in its folder.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// The finished episodes, by number.
    pub(crate) scores: BTreeMap<u64, (Score, Tally)>,
    /// The numbers of the episodes in the order of the file.
    pub(crate) order: Vec<u64>,
}

/// The finished episodes of a folder; refuses records of another run.
pub(crate) fn finished(
    table: &EpisodeRunner<'_>,
    plan: &Plan,
    folder: &Folder,
) -> Result<Done, RunError> {
    let see = |record: EpisodeRecord| {
        let index = record.header.episode;
        if !plan.holds(index) || record.header != table.header(&*table.case(index)?, index) {
            return Err(RunError::usage(format!(
                "the record of episode {index} belongs to another run than the manifest"
            )));
        }
        let tally = record.tally();
        Ok((index, (record.score, tally)))
    };
    let mut done = Done::default();
    for (index, result) in folder.scan(see)?.results {
        done.order.push(index);
        if done.scores.insert(index, result).is_some() {
            return Err(RunError::usage(format!(
                "there are two records of episode {index} in {}; remove one of the two lines",
                folder.path().display()
            )));
        }
    }
    Ok(done)
}

struct Workers<'a> {
    table: &'a EpisodeRunner<'a>,
    references: &'a References,
    indices: &'a [u64],
    done: &'a BTreeMap<u64, (Score, Tally)>,
    next: AtomicUsize,
    /// Position of the first episode whose record is not written yet.
    written: AtomicUsize,
    /// Whether a worker panicked, so that nobody waits for it.
    crashed: AtomicBool,
    keep_lines: bool,
    options: Options<'a>,
}

/// Records that a worker panicked.
struct Watched<'a>(&'a AtomicBool);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Workers<'_> {
    fn work(&self, sender: &SyncSender<Message>) {
        let _watched = Watched(&self.crashed);
        while !self.options.stop.load(Ordering::Relaxed) {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&index) = self.indices.get(place) else {
                return;
            };
            // Records are written in order, so the records after one long episode would otherwise
            // fill the memory.
            while place >= self.written.load(Ordering::Relaxed).saturating_add(AHEAD) {
                if self.crashed.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(PAUSE);
            }
            let message = self
                .one(index)
                .unwrap_or_else(|error| Message::Failed { index, error });
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    fn one(&self, index: u64) -> Result<Message, RunError> {
        let case = self.table.case(index)?;
        let reference = Box::new(self.references.of(&*case)?);
        if let Some((score, tally)) = self.done.get(&index) {
            return Ok(Message::Played {
                index,
                score: score.clone(),
                tally: *tally,
                reference,
                line: None,
                steps: Vec::new(),
            });
        }
        let played = self.table.play(&*case, index, self.options.steps)?;
        let line = self
            .keep_lines
            .then(|| serde_json::to_string(&played.record));
        Ok(Message::Played {
            index,
            tally: played.record.tally(),
            line: line
                .transpose()
                .map_err(|e| RunError::Failed(e.to_string()))?
                .map(|line| Scrub::from_env().clean_line(line)),
            score: played.record.score,
            reference,
            steps: played.steps,
        })
    }
}

struct Collector<'a> {
    folder: Option<&'a Folder>,
    appender: Option<crate::files::jsonl::Jsonl>,
    /// Lines in the order of the plan; none for an episode that was kept before.
    lines: Sequence<(u64, Option<CleanLine>)>,
    /// Episodes whose record this run wrote, in that order.
    written: Vec<u64>,
    collected: Collected,
    failures: BTreeMap<u64, String>,
    steps: BTreeMap<u64, Vec<Value>>,
    bar: ProgressBar,
}

impl<'a> Collector<'a> {
    fn new(folder: Option<&'a Folder>, indices: &[u64], progress: bool) -> Result<Self, RunError> {
        let target = if progress {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(indices.len() as u64), target);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} episodes, {eta} left {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Ok(Self {
            folder,
            appender: folder.map(Folder::appender).transpose()?,
            lines: Sequence::new(indices.iter().copied()),
            written: Vec::new(),
            collected: Collected::default(),
            failures: BTreeMap::new(),
            steps: BTreeMap::new(),
            bar,
        })
    }

    fn seen(&self) -> u64 {
        self.collected.len() as u64 + self.failures.len() as u64
    }

    fn take_all(
        &mut self,
        receiver: &Receiver<Message>,
        written: &AtomicUsize,
    ) -> Result<(), RunError> {
        let mut finishing = None;
        let taken = self.take_each(receiver, written, &mut finishing);
        // Nobody waits for a place that will not be written any more.
        written.store(usize::MAX, Ordering::Relaxed);
        taken?;
        for line in self.lines.rest() {
            self.write(line)?;
        }
        if let Some(appender) = &mut self.appender {
            appender.sync()?;
        }
        self.bar.finish_and_clear();
        let lines: Vec<Value> = self
            .failures
            .iter()
            .map(|(episode, error)| json!({"episode": episode, "error": error}))
            .collect();
        let listed = self
            .folder
            .map_or(Ok(()), |folder| folder.write_errors(&lines));
        // Until here a first signal lets the last records reach the disk.
        drop(finishing);
        listed
    }

    fn take_each(
        &mut self,
        receiver: &Receiver<Message>,
        written: &AtomicUsize,
        finishing: &mut Option<Finishing>,
    ) -> Result<(), RunError> {
        let mut synced = Stopwatch::start();
        for message in receiver {
            // Before the first episode is done, as in a long search for a reference, there is
            // nothing to keep.
            finishing.get_or_insert_with(Finishing::begin);
            self.take(message)?;
            written.store(self.lines.passed(), Ordering::Relaxed);
            self.bar.inc(1);
            if synced.elapsed() >= SYNC_EVERY {
                if let Some(appender) = &mut self.appender {
                    appender.sync()?;
                }
                synced = Stopwatch::start();
            }
        }
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<(), RunError> {
        let (index, line) = match message {
            Message::Played {
                index,
                score,
                tally,
                reference,
                line,
                steps,
            } => {
                if !steps.is_empty() {
                    self.steps.insert(index, steps);
                }
                self.collected.add(index, &score, tally, &reference);
                (index, Some((index, line)))
            }
            Message::Failed { index, error } => {
                self.failures.insert(index, error.to_string());
                (index, None)
            }
        };
        for line in self.lines.take(index, line) {
            self.write(line)?;
        }
        Ok(())
    }

    fn write(&mut self, (index, line): (u64, Option<CleanLine>)) -> Result<(), RunError> {
        if let (Some(line), Some(appender)) = (line, &mut self.appender) {
            appender.line(&line)?;
            self.written.push(index);
        }
        Ok(())
    }
}
