//! Playing episodes with a model: many at once, each kept period by period, within a budget.
//!
//! A method that learns nothing plays every episode by itself. One with an online memory plays the
//! episodes of a stream one after the other, in an order that is drawn from the run's seed, and only
//! different streams run side by side. Records are written in one order whatever ends first: by
//! episode, and with streams by place in the stream, then by stream.

use super::ask::ask;
use super::backends::Models;
use super::memory::MemoryLog;
use super::sit::{Ahead, EpisodeContext, Played, Row, play_row};
use crate::engine::drive::{Drive, RunHandle, UnitOutcome, drive};
use crate::engine::episode::EpisodeRunner;
use crate::engine::execute::{Records, RunOptions, record_line};
use crate::engine::finished::Finished;
use crate::environments::Environments;
use crate::error::RunError;
use crate::plan::Plan;
use crate::plan::agent::reference_policy;
use crate::plan::model::{ModelPlan, RunBudget};
use crate::plan::source::InstanceSource;
use crate::run_dir::Folder;
use crate::run_dir::progress::Progress;
use agent_client::memory::{FeedbackMode, WorkKind};
use agent_client::method::{EpisodeWork, LearningStream, Team};
use sim_core::DynEnvironmentSpec;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Plays all episodes of `plan` that `folder` does not hold yet with the model of the plan.
///
/// # Errors
/// When the model cannot be set up or the folder cannot be read or written. Failed episodes are
/// listed in what is returned; an exhausted budget is [`RunError::Budget`].
pub fn execute_model(
    registry: &Environments,
    plan: &Plan,
    model: &ModelPlan,
    means: &RunBudget,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    let kind = registry.kind(&plan.environment)?;
    let source = InstanceSource::of(kind, plan)?;
    let table = EpisodeRunner::new(plan, &source)?;
    let references = table.references(folder)?;
    // Zero: each record is synced, because replies are paid for and slower than any disk.
    let (mut records, done) = Records::open(&table, folder, Duration::ZERO)?;
    // Before the models are opened: a folder with a gap in a stream is refused without a request.
    let mut lines = lines(plan, plan.indices(), &done.keys().copied().collect())?;
    lines.retain(|line| !line.todo.is_empty());
    for (index, (score, tally)) in done {
        let against = references.of(&*table.case(index)?)?;
        records.count(index, &score, tally, &against);
    }
    let dir = folder.map(Folder::path);
    let models = if lines.is_empty() {
        Models::of_finished(&[&model.dialect], dir)?
    } else {
        Models::open(&plan.agent, &[&model.dialect], means, dir)?
    };
    records.begin(!lines.is_empty())?;
    let sequence = in_sequence(&lines);
    let team = Team::of(models.backend(0)?);
    let settings = settings(kind, plan, model, &source)?;
    let how = Drive {
        units: "episodes",
        asked: sequence.len() as u64,
        status: Some(&models),
        progress: options.progress,
        stop: options.stop,
        out: dir,
    };
    let feed = |handle: RunHandle<Played>| {
        let dir = dir.map(Path::to_owned);
        let room = room(kind, plan, model, dir, handle.clone())?;
        let rows = lines.into_iter().map(|line| {
            // A line that cannot be opened reports its error for its first episode; an error of this kind ends the
            // run, so the others need no outcome.
            let first = line.todo.first().copied();
            let row = row(&table, model, settings, &team, folder, line);
            let room = room.clone();
            async move {
                match (row, first) {
                    (Ok(row), _) => play_row(row, room).await,
                    (Err(e), Some(first)) => room.handle.report(first, UnitOutcome::Trouble(e)),
                    (Err(_), None) => {}
                }
            }
        });
        ask(&handle, means, options.stop, rows)
    };
    let driven = drive(&how, sequence, feed, |index, played: Played| {
        let record = &played.record;
        records.write(index, &record_line(record)?)?;
        // After the record: a process that dies between the two leaves a log that nothing needs. In the other
        // order it would leave neither, and the episode would be played again from its beginning.
        played.progress.map_or(Ok(()), Progress::done)?;
        let against = references.of(&*table.case(index)?)?;
        records.count(index, &record.score, record.tally(), &against);
        Ok(())
    })?;
    let mut finished = records.conclude(driven, &how, &table)?;
    finished.summary.method = Some(model.method.label());
    finished.summary.usage = models.usage();
    Ok(finished)
}

/// The state that all episodes of a run share; without `dir`, nothing is saved during the run.
pub(crate) fn room(
    kind: &dyn DynEnvironmentSpec,
    plan: &Plan,
    model: &ModelPlan,
    dir: Option<PathBuf>,
    handle: RunHandle<Played>,
) -> Result<EpisodeContext, RunError> {
    Ok(EpisodeContext {
        about: kind.about(),
        limits: plan.limits,
        gold: model
            .is_gold()
            .then(|| reference_policy(kind))
            .transpose()?,
        truth: match model.feedback {
            FeedbackMode::GroundTruth => Some(reference_policy(kind)?),
            _ => None,
        },
        dir,
        handle,
    })
}

/// What a stream learns from, and how it plays.
pub(crate) fn settings(
    kind: &dyn DynEnvironmentSpec,
    plan: &Plan,
    model: &ModelPlan,
    source: &InstanceSource<'_>,
) -> Result<EpisodeWork, RunError> {
    // The same single decision again and again: nothing that was learnt in one place has to fit
    // another.
    let period = source.case(plan.shard.index)?.open()?.period();
    let repeats = source.distinct() == Some(1) && period.total == Some(1);
    Ok(EpisodeWork {
        feedback: model.feedback,
        play: model.play,
        success: model.success,
        work: if repeats {
            WorkKind::Run
        } else {
            WorkKind::Episode
        },
        update_every: model.update_every,
        ..EpisodeWork::new(kind.sense())
    })
}

/// Episodes that are met one after the other: one, or those of a stream.
pub(crate) struct EpisodeStream {
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
) -> Result<Vec<EpisodeStream>, RunError> {
    let Some(_) = plan.streams else {
        let todo = episodes.filter(|index| !done.contains(index));
        let line = |index| EpisodeStream {
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
            // Each stream meets the episodes in another order, because what a memory learns depends on the order, and
            // several streams average over it.
            let met = plan.seed.order(stream, count);
            let numbers = met.into_iter().map(|k| stream * plan.episodes + k as u64);
            let mut todo: Vec<u64> = numbers.collect();
            let leading = todo.iter().take_while(|k| done.contains(k)).count();
            let done_in_order = todo.drain(..leading).collect();
            // A record behind a gap was made with what the missing episode taught, which cannot be restored.
            if let Some(later) = todo.iter().find(|k| done.contains(k)) {
                return Err(RunError::usage(format!(
                    "episode {later} has a record, but one before it in stream {stream} has none"
                )));
            }
            Ok(EpisodeStream {
                stream: Some(stream),
                done: done_in_order,
                todo,
            })
        })
        .collect()
}

/// The order in which records are written.
fn in_sequence(lines: &[EpisodeStream]) -> Vec<u64> {
    let mut places: Vec<(usize, usize, u64)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (place, index) in line.todo.iter().enumerate() {
            // A line without a stream is one episode, and all of them stand in order.
            let place = line.stream.map_or(0, |_| line.done.len() + place);
            places.push((place, number, *index));
        }
    }
    // By place first: the streams run side by side, so records of equal places come at about the same time
    // and few results have to wait in memory.
    places.sort_unstable();
    places.into_iter().map(|(_, _, index)| index).collect()
}

/// A line with the stream that plays it; without `folder`, its memory is not saved.
pub(crate) fn row(
    table: &EpisodeRunner<'_>,
    model: &ModelPlan,
    settings: EpisodeWork,
    team: &Team,
    folder: Option<&Folder>,
    line: EpisodeStream,
) -> Result<Row, RunError> {
    let usage = |e: agent_client::AgentError| RunError::usage(e.message);
    // A method for each line: lines run concurrently and must not share a memory.
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
