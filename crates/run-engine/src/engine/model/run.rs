//! Playing episodes with a model: many at once, each kept period by period, within a budget.
//!
//! A method that learns nothing plays every episode by itself. One with an online memory plays the
//! episodes of a stream one after the other, in an order that is drawn from the run's seed, and only
//! different streams run side by side. Records are written in one order whatever ends first: by
//! episode, and with streams by place in the stream, then by stream.

use super::ask::{self, MAX_ATTEMPTS, ask, unless_stopped};
use super::backends::{Models, prices_of};
use super::gold::PolicyPlan;
use super::memory::{MemoryLine, MemoryLog, check_kept};
use super::players::Players;
use crate::engine::drive::{Drive, RunHandle, UnitOutcome, drive};
use crate::engine::episode::EpisodeRunner;
use crate::engine::execute::{Records, RunOptions, keep, periods, record_line};
use crate::engine::finished::Finished;
use crate::engine::live::{Both, EpisodesSoFar};
use crate::engine::summary::RowReference;
use crate::error::RunError;
use crate::executor::Recorded;
use crate::plan::Plan;
use crate::plan::agent::reference_policy;
use crate::plan::model::ModelPlan;
use crate::plan::source::InstanceSource;
use crate::registry::Registry;
use crate::run_dir::Folder;
use crate::run_dir::progress::Progress;
use agent_client::memory::{FeedbackMode, WorkKind};
use agent_client::method::{EpisodeNote, EpisodeUnit, EpisodeWork, LearningStream};
use sim_core::{DynInstance, EpisodeRecord, Header, Limits, ReplyForm, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Plays all episodes of `plan` that `folder` does not hold yet with the models of the plan, and with its policies at
/// the other seats.
///
/// # Errors
/// When the model cannot be set up or the folder cannot be read or written. Failed episodes are
/// listed in what is returned; an exhausted budget is [`RunError::Budget`].
pub fn execute_model(
    registry: &Registry,
    plan: &Plan,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    let means = options.means;
    let kind = registry.kind(&plan.environment)?;
    let source = InstanceSource::of(kind, plan)?;
    let table = EpisodeRunner::new(plan, &source)?;
    let references = table.references(folder)?;
    // Zero: each record is synced, because replies are paid for and slower than any disk.
    let (mut records, done) = Records::open(&table, folder, Duration::ZERO)?;
    // Before the models are opened: a folder with a gap in a stream is refused without a request.
    let mut lines = lines(plan, plan.indices(), &done.keys().copied().collect())?;
    let begun = lines.iter().filter(|line| !line.done.is_empty());
    let begun = begun.filter_map(|line| line.stream.map(|_| line.number));
    if let Some(folder) = folder
        && lines.iter().any(|line| !line.todo.is_empty())
    {
        check_kept(folder.path(), begun)?;
    }
    lines.retain(|line| !line.todo.is_empty());
    let so_far = Arc::<EpisodesSoFar>::default();
    for (index, kept) in done {
        let against = references.of(&*table.case(index)?)?;
        so_far.scored(&kept);
        records.count(index, kept, None, RowReference::new(&against));
    }
    let dir = folder.map(Folder::path);
    let dialects = plan.dialects();
    let models = if lines.is_empty() {
        let prices = match plan.asks_servers() {
            true => prices_of(means, &dialects, dir)?,
            false => None,
        };
        Models::of_finished(&dialects, prices.as_ref(), folder)?
    } else {
        Models::open_in(folder, plan.asked_agent(), &dialects, means)?
    };
    records.begin(!lines.is_empty())?;
    let sequence = in_sequence(&lines);
    let players = Players::new(kind, plan, &models)?;
    let settings = settings(&table)?;
    let status = Both(&*so_far, &models);
    let how = Drive {
        asked: sequence.len() as u64,
        status: Some(&status),
        progress: options.progress,
        stop: options.stop,
        out: dir,
    };
    let feed = |handle: RunHandle<Played>| {
        let dir = dir.map(Path::to_owned);
        let room = EpisodeContext {
            so_far: Arc::clone(&so_far),
            ..room(&table, &players, dir, handle.clone())?
        };
        let rows = lines.into_iter().map(|line| {
            // A line that cannot be opened reports its error for its first episode; an error of this kind ends the
            // run, so the others need no outcome.
            let first = line.todo.first().copied();
            let row = row(&table, settings, &players, folder, line);
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
        let case = table.case(index)?;
        let against = references.of(&*case)?;
        let (kept, played) = keep(&records.names(), record, &*case)?;
        so_far.scored(&kept);
        records.count(index, kept, Some(played), RowReference::new(&against));
        Ok(())
    })?;
    let mut finished = records.conclude(driven, &how, &table)?;
    finished.summary.charge(&models);
    if let Some(folder) = folder {
        finished
            .summary
            .notes
            .splice(..0, folder.manifest.notes.iter().cloned());
    }
    Ok(finished)
}

/// The state that all episodes of a run share; without `dir`, nothing is saved during the run.
pub(crate) fn room(
    table: &EpisodeRunner<'_>,
    players: &Players,
    dir: Option<PathBuf>,
    handle: RunHandle<Played>,
) -> Result<EpisodeContext, RunError> {
    let (kind, plan, source) = (table.source.kind(), table.plan, table.source);
    // Such an environment tells the right answers in its own words, so no policy has to know them.
    let has_words = source.case(plan.shard.index)?.open()?.retold().is_some();
    Ok(EpisodeContext {
        about: kind.about().about,
        limits: plan.limits,
        players: players.clone(),
        gold: plan
            .models()
            .any(ModelPlan::is_gold)
            .then(|| reference_policy(kind))
            .transpose()?,
        truth: match plan.model.as_ref().map(|model| model.feedback) {
            Some(FeedbackMode::GroundTruth) if !has_words => Some(reference_policy(kind)?),
            _ => None,
        },
        dir,
        handle,
        so_far: Arc::default(),
        programs: None,
    })
}

/// What a stream learns from, and how it plays.
pub(crate) fn settings(table: &EpisodeRunner<'_>) -> Result<EpisodeWork, RunError> {
    let (kind, plan, source) = (table.source.kind(), table.plan, table.source);
    let Some(model) = &plan.model else {
        return Ok(EpisodeWork::new(kind.sense()));
    };
    let env = source.case(plan.shard.index)?.open()?;
    let period = env.period();
    let is_question = env.ask().is_some_and(|ask| ask.form == ReplyForm::Answer);
    if model.update_every.is_some() && env.seats().len() > 1 {
        return Err(RunError::usage(
            "--update-every would tell each seat during the game what the others have seen and done; in a game \
             with several seats a memory learns at the end only",
        ));
    }
    // The same single decision again and again: nothing that was learnt in one place has to fit
    // another.
    let repeats = source.distinct() == Some(1) && period.total == Some(1);
    Ok(EpisodeWork {
        feedback: model.feedback,
        play: model.play,
        success: model.success,
        work: if is_question {
            WorkKind::Question
        } else if repeats {
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
    /// Its number in the run, where there are streams.
    pub(crate) number: u64,
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
            number: index,
            done: Vec::new(),
            todo: vec![index],
        };
        return Ok(todo.map(line).collect());
    };
    let wanted: BTreeSet<u64> = episodes.collect();
    let rows = plan.rows().into_iter();
    rows.filter(|row| row.episodes.iter().any(|k| wanted.contains(k)))
        .map(|row| {
            let (stream, mut todo) = (row.stream, row.episodes);
            let leading = todo.iter().take_while(|k| done.contains(k)).count();
            let done_in_order = todo.drain(..leading).collect();
            // A record behind a gap was made with what the missing episode taught, which cannot be restored.
            if let Some(later) = todo.iter().find(|k| done.contains(k)) {
                return Err(RunError::usage(format!(
                    "episode {later} has a record, but one before it in stream {stream} has none: what the missing \
                     episode taught cannot be restored, so play the run again in another folder"
                )));
            }
            Ok(EpisodeStream {
                stream: Some(stream),
                number: row.number,
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
    settings: EpisodeWork,
    players: &Players,
    folder: Option<&Folder>,
    line: EpisodeStream,
) -> Result<Row, RunError> {
    let usage = |e: agent_client::AgentError| RunError::usage(e.message);
    // A method for each line: lines run concurrently and must not share a memory.
    let first = line.todo.first().or(line.done.first()).copied();
    let routed = first.and_then(|index| table.plan.method_of(index));
    let method = routed.unwrap_or(&players.method).make().map_err(usage)?;
    let mut stream = LearningStream::new(players.team.clone(), method, settings);
    let mut memory = None;
    if let (Some(_), Some(folder)) = (line.stream, folder) {
        let (log, snapshot) = MemoryLog::open(folder.path(), line.number, &line.done)?;
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

/// An episode that is to be played.
struct Ahead {
    index: u64,
    case: Arc<dyn DynInstance>,
    header: Header,
}

/// Episodes that are played one after the other by a method that may learn in between.
pub(crate) struct Row {
    stream: LearningStream,
    /// Where the memory is kept, where there is one and a folder.
    memory: Option<MemoryLog>,
    episodes: Vec<Ahead>,
}

/// What all rows share.
#[derive(Clone)]
pub(crate) struct EpisodeContext {
    about: &'static str,
    limits: Limits,
    players: Players,
    /// The policy whose plan is shown (plan mode `gold`).
    gold: Option<&'static str>,
    /// The policy that knows what is right (feedback `ground_truth`).
    truth: Option<&'static str>,
    dir: Option<PathBuf>,
    handle: RunHandle<Played>,
    /// What the progress line shows.
    so_far: Arc<EpisodesSoFar>,
    /// The values of programs by episode; absent where they are run.
    pub(crate) programs: Option<Arc<BTreeMap<u64, Recorded>>>,
}

/// A played episode.
pub(crate) struct Played {
    pub(crate) record: Box<EpisodeRecord>,
    /// The changes that it made to the memory.
    pub(crate) learnt: Box<MemoryLine>,
    /// The log of the unfinished episode; it is removed when the record is written.
    progress: Option<Progress>,
}

/// Plays a row and reports the outcome of each episode. A failed episode ends the row, because the
/// later episodes would have learnt from it.
pub(crate) async fn play_row(mut row: Row, room: EpisodeContext) {
    let mut goes_on = true;
    for ahead in row.episodes {
        let index = ahead.index;
        let outcome = if goes_on {
            match one(&mut row.stream, &ahead, &room).await {
                Ok((record, note, progress)) => {
                    let line = MemoryLine {
                        episode: index,
                        before: note.memory,
                        ops: note.ops,
                        snapshot: row.stream.snapshot(),
                    };
                    // Before the record, so that every record has its memory.
                    match row.memory.as_mut().map_or(Ok(()), |log| log.keep(&line)) {
                        Ok(()) => UnitOutcome::Done(Played {
                            record: Box::new(record),
                            learnt: Box::new(line),
                            progress,
                        }),
                        Err(e) => UnitOutcome::Trouble(e),
                    }
                }
                Err(outcome) => outcome,
            }
        } else {
            UnitOutcome::Stopped
        };
        goes_on &= matches!(outcome, UnitOutcome::Done(_));
        room.handle.report(index, outcome);
    }
}

async fn one(
    stream: &mut LearningStream,
    ahead: &Ahead,
    room: &EpisodeContext,
) -> Result<(EpisodeRecord, EpisodeNote, Option<Progress>), UnitOutcome<Played>> {
    let (mut progress, mut entries) = match &room.dir {
        Some(dir) => {
            let (progress, entries) =
                Progress::open(dir, ahead.index, 0).map_err(UnitOutcome::Trouble)?;
            (Some(progress), entries)
        }
        None => (None, Vec::new()),
    };
    let truth = match room.truth {
        Some(policy) => {
            let plan = PolicyPlan::new(Arc::clone(&ahead.case), policy);
            // A reference policy may search for seconds. On a thread of the runtime that would hold up the requests of
            // all other rows.
            let worked_out = tokio::task::spawn_blocking(move || plan.whole()).await;
            // Without the truth the agent would be given other feedback than the plan says.
            let worked_out = worked_out.map_err(|e| e.to_string()).flatten();
            worked_out.map_err(|e| {
                let why = format!(
                    "the right decisions of episode {} cannot be worked out: {e}",
                    ahead.index
                );
                UnitOutcome::failed(why, 1)
            })?
        }
        None => None,
    };
    let programs = room.programs.as_ref().and_then(|all| all.get(&ahead.index));
    let mut tries = 0;
    loop {
        tries += 1;
        if room.handle.stop_flag().load(Ordering::Relaxed) {
            return Err(UnitOutcome::Stopped);
        }
        let failed = |why: String| UnitOutcome::failed(why, tries);
        let env = ahead.case.open().map_err(|e| failed(e.to_string()))?;
        let task = task(room.about, &env.briefing().opening);
        let header = ahead.header.clone();
        // From the stored inputs and not from a stored state: environments are deterministic, so replaying them
        // gives the state, and proves at the same time that the log fits the instance.
        let session = Session::resume(env, header, room.limits, entries)
            .map_err(|e| failed(format!("its kept part does not replay: {e}")))?;
        if let Some(progress) = &mut progress {
            progress.take_over(&session).map_err(UnitOutcome::Trouble)?;
        }
        let mut saved = session.entries().to_vec();
        let mut reached = periods(&saved);
        // The callback cannot return an error, so the first one is kept here and read after the episode.
        let mut kept = Ok(());
        let mut keep = |session: &Session| {
            saved.extend(session.entries().iter().skip(saved.len()).cloned());
            let now = periods(&saved);
            room.so_far.played(now.saturating_sub(reached));
            reached = now;
            if let (Some(progress), Ok(())) = (&mut progress, &kept) {
                kept = progress.keep(session);
            }
        };
        let open = || Ok(ahead.case.open()?);
        let seats = room.players.seated(
            &*ahead.case,
            session.env(),
            ahead.header.seed.child("episode", ahead.index),
            programs,
        );
        let seats = seats.map_err(|e| failed(e.to_string()))?;
        let unit = EpisodeUnit {
            name: ahead.index.to_string(),
            task,
            session,
            open: &open,
            gold: room
                .gold
                .map(|policy| Arc::new(PolicyPlan::new(Arc::clone(&ahead.case), policy)) as _),
            truth: truth.clone(),
            seats,
            after_turn: &mut keep,
        };
        let played = unless_stopped(stream.next(unit), room.handle.stop_flag()).await;
        // Before the result: if the log cannot be written, the run has to end, however well the
        // episode went.
        kept.map_err(UnitOutcome::Trouble)?;
        match played {
            None => return Err(UnitOutcome::Stopped),
            Some(Ok((record, note))) => return Ok((record, note, progress)),
            // The next attempt continues after the last finished turn. The stream has restored its memory itself.
            Some(Err(e)) if e.class.is_transient() && tries < MAX_ATTEMPTS => entries = saved,
            Some(Err(error)) => return Err(ask::failed(&error, tries)),
        }
    }
}

/// What an episode is about, for memories that look things up.
fn task(about: &str, opening: &str) -> String {
    const SHOWN: usize = 600;
    let start: String = opening.chars().take(SHOWN).collect();
    format!("{about}\n{start}")
}
