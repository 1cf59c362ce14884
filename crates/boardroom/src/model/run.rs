//! Playing episodes with a model: many at once, each kept period by period, within a budget.
//!
//! A method that learns nothing plays every episode by itself. One with an online memory plays the
//! episodes of a stream one after the other, in an order that is drawn from the run's seed, and only
//! different streams run side by side. Records are written in one order whatever ends first: by
//! episode, and with streams by place in the stream, then by stream.

use super::backends::Models;
use super::gold::reference_policy;
use super::live::Live;
use super::memory::MemoryLog;
use super::sequence::Sequence;
use super::sit::{Ahead, LOOK, Outcome, Room, Row, play_row};
use super::{Means, ModelPlan};
use crate::clock::Stopwatch;
use crate::episode::Table;
use crate::error::RunError;
use crate::execute::{Done, Finished, Options, finished};
use crate::folder::{Appender, Folder};
use crate::interrupt::Finishing;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::references::References;
use crate::registry::Registry;
use crate::source::Source;
use crate::summary::Collected;
use agent_client::ErrorClass;
use agent_client::memory::{Feedback, Work};
use agent_client::method::{EpisodeWork, LearningStream, Team, order};
use agent_client::parallel::in_order;
use agent_client::secret::Scrub;
use serde_json::json;
use sim_core::{EpisodeRecord, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Episodes or streams at a time unless said otherwise; the pace of the requests is the client's
/// business.
pub(crate) const CONCURRENCY: usize = 8;

/// Plays all episodes of `plan` that `folder` does not hold yet with the model of the plan.
///
/// # Errors
/// When the model cannot be set up or the folder cannot be read or written. Failed episodes are
/// listed in what is returned; an exhausted budget is [`RunError::Budget`].
pub fn execute_model(
    registry: &Registry,
    plan: &Plan,
    model: &ModelPlan,
    means: &Means,
    folder: Option<&Folder>,
    options: Options<'_>,
) -> Result<Finished, RunError> {
    let watch = Stopwatch::start();
    let kind = registry.kind(&plan.environment)?;
    let source = Source::of(kind, plan)?;
    let table = Table::new(plan, &source)?;
    let references = References::open(
        plan.effort,
        source.distinct().is_some(),
        folder.map(Folder::references).as_deref(),
    )?;
    let Done {
        scores: done,
        order: stands,
    } = match folder {
        Some(folder) => finished(&table, plan, folder)?,
        None => Done::default(),
    };
    let mut collected = Collected::default();
    for (index, (score, tally)) in &done {
        let reference = references.of(&*table.case(*index)?)?;
        collected.add(*index, score, *tally, &reference);
    }
    let models = Models::open(
        &plan.agent,
        &[&model.dialect],
        means,
        folder.map(Folder::path),
    )?;
    let lines = lines(plan, plan.indices(), &done.keys().copied().collect())?;
    let sequence = in_sequence(&lines);
    let asked = sequence.len() as u64;
    let stop = Arc::new(AtomicBool::new(false));
    let mut keeper = Keeper {
        table: &table,
        references: &references,
        appender: folder.map(Folder::appender).transpose()?,
        stands,
        collected,
        sequence: Sequence::new(sequence),
        failures: BTreeMap::new(),
        trouble: None,
        budget: None,
        stop: Arc::clone(&stop),
    };
    let team = Team::of(models.backend(0)?);
    let settings = settings(kind, plan, model, &source)?;
    let (told, mut heard) = unbounded_channel();
    let dir = folder.map(|folder| folder.path().to_owned());
    let room = room(kind, plan, model, dir, &stop, told)?;
    let pieces = lines.into_iter().map_while(|line| {
        let stopped = stop.load(Ordering::Relaxed) || options.stop.load(Ordering::Relaxed);
        (!stopped).then(|| {
            let first = line.todo.first().copied().unwrap_or_default();
            let row = row(&table, model, settings, &team, folder, line);
            let room = room.clone();
            async move {
                match row {
                    Ok(row) => play_row(row, room).await,
                    Err(e) => {
                        let _ = room.told.send((first, Outcome::Trouble(e)));
                    }
                }
            }
        })
    });
    let live = Live::new(asked, "episodes", options.progress);
    let at_once = means.concurrency.unwrap_or(CONCURRENCY).max(1);
    let finishing = Finishing::begin();
    runtime()?.block_on(async {
        let work = in_order(pieces, at_once, |_, ()| {});
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                Some((index, outcome)) = heard.recv() => keeper.hear(index, outcome),
                () = tokio::time::sleep(LOOK) => {}
            }
            if options.stop.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            live.show(keeper.collected.len() as u64 - done.len() as u64, &models);
        }
        while let Ok((index, outcome)) = heard.try_recv() {
            keeper.hear(index, outcome);
        }
    });
    live.finish();
    keeper.write_rest();
    drop(finishing);
    if let Some(trouble) = keeper.trouble {
        return Err(trouble);
    }
    if let Some(folder) = folder {
        let lines: Vec<_> = keeper
            .failures
            .iter()
            .map(
                |(episode, (why, tries))| json!({"episode": episode, "error": why, "tries": tries}),
            )
            .collect();
        folder.write_errors(&lines)?;
        folder.put_in_order(&keeper.stands, &plan.in_order())?;
        folder.check_still_there()?;
    }
    let played = keeper.collected.len() as u64 - done.len() as u64;
    let mut summary = keeper.collected.summarise(kind, plan, false);
    summary.method = Some(model.method.name.clone());
    summary.failed = keeper.failures.len() as u64;
    summary.usage = models.usage();
    summary.seconds = watch.elapsed().as_secs_f64();
    summary.out = folder.map(|folder| folder.path().display().to_string());
    let unplayed = asked - played - summary.failed;
    if let Some(message) = keeper.budget {
        let resume = summary.out.as_ref().map_or_else(String::new, |dir| {
            format!("; `boardroom resume {dir} --max-cost <more> --prices <file>` goes on")
        });
        return Err(RunError::Budget(format!(
            "{message}; left to play: {unplayed}{resume}"
        )));
    }
    Ok(Finished {
        summary,
        steps: Vec::new(),
        failures: keeper
            .failures
            .into_iter()
            .map(|(index, (why, _))| (index, why))
            .collect(),
        unplayed,
    })
}

/// The runtime that requests run on.
///
/// # Errors
/// When the system gives no threads.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the runtime: {e}")))
}

/// The state that all episodes of a run share; without `dir`, nothing is saved during the run.
pub(crate) fn room(
    kind: &dyn Kind,
    plan: &Plan,
    model: &ModelPlan,
    dir: Option<PathBuf>,
    stop: &Arc<AtomicBool>,
    told: UnboundedSender<(u64, Outcome)>,
) -> Result<Room, RunError> {
    Ok(Room {
        about: kind.about(),
        limits: plan.limits,
        gold: model
            .is_gold()
            .then(|| reference_policy(kind))
            .transpose()?,
        truth: match model.feedback {
            Feedback::GroundTruth => Some(reference_policy(kind)?),
            _ => None,
        },
        dir,
        stop: Arc::clone(stop),
        told,
    })
}

/// What a stream learns from, and how it plays.
pub(crate) fn settings(
    kind: &dyn Kind,
    plan: &Plan,
    model: &ModelPlan,
    source: &Source<'_>,
) -> Result<EpisodeWork, RunError> {
    // The same single decision again and again: nothing that was learnt in one place has to fit
    // another.
    let period = source.case(plan.shard.index)?.open()?.period();
    let repeats = source.distinct() == Some(1) && period.total == Some(1);
    Ok(EpisodeWork {
        feedback: model.feedback,
        play: model.play,
        success: model.success,
        work: if repeats { Work::Run } else { Work::Episode },
        update_every: model.update_every,
        ..EpisodeWork::new(kind.sense())
    })
}

/// Episodes that are met one after the other: one, or those of a stream.
pub(crate) struct Line {
    pub(crate) stream: Option<u64>,
    /// Those that have records.
    done: Vec<u64>,
    pub(crate) todo: Vec<u64>,
}

/// The lines that contain `episodes`: the whole stream if one of its episodes is among them. The
/// episodes in `done` have records.
pub(crate) fn lines(
    plan: &Plan,
    episodes: impl Iterator<Item = u64>,
    done: &BTreeSet<u64>,
) -> Result<Vec<Line>, RunError> {
    let Some(_) = plan.streams else {
        let todo = episodes.filter(|index| !done.contains(index));
        let line = |index| Line {
            stream: None,
            done: Vec::new(),
            todo: vec![index],
        };
        return Ok(todo.map(line).collect());
    };
    let streams: BTreeSet<u64> = episodes.filter_map(|k| plan.stream(k)).collect();
    let count = usize::try_from(plan.episodes).unwrap_or(usize::MAX);
    streams
        .into_iter()
        .map(|stream| {
            let met = order(plan.seed, stream, count);
            let numbers = met.into_iter().map(|k| stream * plan.episodes + k as u64);
            let mut todo: Vec<u64> = numbers.collect();
            let leading = todo.iter().take_while(|k| done.contains(k)).count();
            let done_in_order = todo.drain(..leading).collect();
            if let Some(later) = todo.iter().find(|k| done.contains(k)) {
                return Err(RunError::usage(format!(
                    "episode {later} has a record, but one before it in stream {stream} has none"
                )));
            }
            Ok(Line {
                stream: Some(stream),
                done: done_in_order,
                todo,
            })
        })
        .collect()
}

/// The order in which records are written.
fn in_sequence(lines: &[Line]) -> Vec<u64> {
    let mut places: Vec<(usize, usize, u64)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (place, index) in line.todo.iter().enumerate() {
            // A line without a stream is one episode, and all of them stand in order.
            let place = line.stream.map_or(0, |_| line.done.len() + place);
            places.push((place, number, *index));
        }
    }
    places.sort_unstable();
    places.into_iter().map(|(_, _, index)| index).collect()
}

/// A line with the stream that plays it; without `folder`, its memory is not saved.
pub(crate) fn row(
    table: &Table<'_>,
    model: &ModelPlan,
    settings: EpisodeWork,
    team: &Team,
    folder: Option<&Folder>,
    line: Line,
) -> Result<Row, RunError> {
    let usage = |e: agent_client::AgentError| RunError::usage(e.message);
    let method = model.method.make().map_err(usage)?;
    let mut stream = LearningStream::new(team.clone(), method, settings);
    let mut memory = None;
    if let (Some(number), Some(folder)) = (line.stream, folder) {
        let (log, snapshot) = MemoryLog::open(folder.path(), number, &line.done)?;
        if let Some(snapshot) = snapshot {
            stream.restore(&snapshot).map_err(usage)?;
        }
        memory = Some(log);
    }
    let episodes = line.todo.into_iter().map(|index| {
        let case = table.case(index)?;
        let header = table.header(&*case, index);
        Ok(Ahead {
            index,
            case,
            header,
        })
    });
    let episodes = episodes.collect::<Result<_, RunError>>()?;
    Ok(Row {
        stream,
        memory,
        episodes,
    })
}

/// A record with the log that it makes superfluous.
type Written = (Box<EpisodeRecord>, Option<Progress>);

/// Writes records in their order and remembers what went wrong.
struct Keeper<'a> {
    table: &'a Table<'a>,
    references: &'a References,
    appender: Option<Appender>,
    /// Episodes in the order of their records in the file.
    stands: Vec<u64>,
    collected: Collected,
    sequence: Sequence<Written>,
    failures: BTreeMap<u64, (String, u32)>,
    /// Something that ends the run: a disk that is full.
    trouble: Option<RunError>,
    budget: Option<String>,
    stop: Arc<AtomicBool>,
}

impl Keeper<'_> {
    fn hear(&mut self, index: u64, outcome: Outcome) {
        let written = match outcome {
            Outcome::Played(record, _, progress) => Some((record, progress)),
            Outcome::Stopped => None,
            Outcome::Failed { why, tries } => {
                self.failures.insert(index, (why, tries));
                None
            }
            Outcome::Trouble(e) => {
                self.give_up(e);
                None
            }
            Outcome::Model { error, .. } if error.class == ErrorClass::Budget => {
                self.budget.get_or_insert(error.to_string());
                self.stop.store(true, Ordering::Relaxed);
                None
            }
            Outcome::Model { error, tries } => {
                if error.class.stops_the_run() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                self.failures.insert(index, (error.to_string(), tries));
                None
            }
        };
        for written in self.sequence.take(index, written) {
            self.write(written);
        }
    }

    /// Writes what waits for an episode that will not come.
    fn write_rest(&mut self) {
        for written in self.sequence.rest() {
            self.write(written);
        }
    }

    fn write(&mut self, (record, progress): Written) {
        if self.trouble.is_none()
            && let Err(e) = self.keep(&record, progress)
        {
            self.give_up(e);
        }
    }

    fn give_up(&mut self, trouble: RunError) {
        self.trouble.get_or_insert(trouble);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn keep(&mut self, record: &EpisodeRecord, progress: Option<Progress>) -> Result<(), RunError> {
        let index = record.header.episode;
        if let Some(appender) = &mut self.appender {
            let line =
                serde_json::to_string(record).map_err(|e| RunError::Failed(e.to_string()))?;
            appender.line(&Scrub::from_env().clean_line(line))?;
            appender.sync()?;
            self.stands.push(index);
        }
        if let Some(progress) = progress {
            progress.done()?;
        }
        let reference = self.references.of(&*self.table.case(index)?)?;
        let tally = record.tally();
        self.collected.add(index, &record.score, tally, &reference);
        Ok(())
    }
}
