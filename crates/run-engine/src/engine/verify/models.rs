//! Derives the decisions of a model in a folder of episodes again from the stored calls.

use super::calls::Calls;
use super::derive::{LinePlace, Lines, Made, StoredLines, rederive};
use super::{lines, memory};
use crate::engine::drive::{NOT_BEGUN, RunHandle, UnitOutcome};
use crate::engine::episode::EpisodeRunner;
use crate::engine::model::players::Players;
use crate::engine::model::run::{
    EpisodeStream, Played, lines as lines_of, play_row, room, row, settings,
};
use crate::error::RunError;
use crate::executor::Recorded;
use crate::files::run_file;
use crate::files::store::CALLS;
use crate::plan::Plan;
use crate::run_dir::Folder;
use crate::run_dir::outcome::{Check, Verified};
use crate::words::counted;
use serde::Deserialize as _;
use sim_core::EpisodeRecord;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Plays the episodes that have records again with the model of the plan and its stored replies, and
/// compares records and memories.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn verify(
    table: &EpisodeRunner<'_>,
    folder: &Folder,
    found: &mut Verified,
) -> Result<(), RunError> {
    let plan = table.plan;
    let mut stored = StoredLines::default();
    let mut episodes = BTreeSet::new();
    let mut programs = BTreeMap::new();
    let before = found.clone();
    lines::each(
        folder.path(),
        Plan::RECORDS,
        Check::Records,
        found,
        |read, _| {
            let episode = read.value.pointer("/header/episode");
            if let Some(episode) = episode.and_then(serde_json::Value::as_u64) {
                if plan.holds(episode) {
                    episodes.insert(episode);
                }
                if plan.runs_programs()
                    && let Ok(record) = EpisodeRecord::deserialize(&read.value)
                {
                    programs.insert(episode, Recorded::of(&record));
                }
                stored.add(record_at(episode), read.number, read.text);
            }
        },
    )?;
    // Faults in the lines of records are reported by the replay.
    *found = before;
    // Nothing counts as done: every record is to be played again, and a gap in a stream shall be a
    // finding (`close_up`) and not an error.
    let mut pieces = lines_of(plan, episodes.iter().copied(), &BTreeSet::new())?;
    for line in &mut pieces {
        if let Some(stream) = line.stream {
            close_up(line, stream, &episodes, found);
            memory::read(folder.path(), line.number, &line.todo, &mut stored, found)?;
        }
    }
    // A shard without episodes asked nobody.
    if plan.planned() == 0 && run_file::about(&folder.path().join(CALLS)).is_none() {
        return Ok(());
    }
    let dialects = plan.dialects();
    let Some(calls) = Calls::open(folder.path(), plan.asked_agent(), &dialects, found)? else {
        return Ok(());
    };
    let work = Work {
        table,
        players: Players::new(table.source.kind(), plan, &calls.models(&dialects)?)?,
        programs: Arc::new(programs),
    };
    let mut trouble = None;
    // The pieces are an iterator, which cannot return an error. The first one ends it and is passed
    // on below.
    let pieces = pieces.into_iter().map_while(|line| {
        let piece = work.piece(line);
        piece.map_err(|e| trouble.get_or_insert(e).to_string()).ok()
    });
    let same = rederive(pieces, &stored, found)?;
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let all = counted(same, "record");
    let whole = same == episodes.len() as u64 && same > 0;
    calls.check_learnt(&folder.manifest.learnt, found);
    let what = whole.then(|| format!("the decisions of {all}"));
    calls.settle(what, &stored.causes(), found);
    Ok(())
}

fn record_at(episode: u64) -> LinePlace {
    (Plan::RECORDS.to_owned(), episode.to_string())
}

/// Reduces a stream to the episodes that have records. Each was played with what the stream learnt in
/// the episodes before it, so none of these may be missing.
fn close_up(line: &mut EpisodeStream, stream: u64, episodes: &BTreeSet<u64>, found: &mut Verified) {
    let last = line.todo.iter().rposition(|k| episodes.contains(k));
    line.todo.truncate(last.map_or(0, |last| last + 1));
    for missing in line.todo.iter().filter(|k| !episodes.contains(k)) {
        let what = format!("it has no record, but a later one in stream {stream} has");
        found.find(Check::Records, format!("episode {missing}"), what);
    }
}

/// The state that all pieces of the work share.
struct Work<'a> {
    table: &'a EpisodeRunner<'a>,
    players: Players,
    /// The values of programs in the records.
    programs: Arc<BTreeMap<u64, Recorded>>,
}

impl Work<'_> {
    /// The work of a line, which neither writes files nor sends requests.
    fn piece(
        &self,
        line: EpisodeStream,
    ) -> Result<impl Future<Output = Vec<Made>> + Send + use<>, RunError> {
        let stream = line.stream.map(|_| line.number);
        let episodes = line.todo.clone();
        let settings = settings(self.table)?;
        let row = row(self.table, settings, &self.players, None, line)?;
        // Room for every outcome: nobody receives before the row is over, so a row that filled the
        // channel would wait for ever.
        let (handle, outcomes) = RunHandle::new(episodes.len());
        let mut room = room(self.table, &self.players, None, handle)?;
        room.programs = Some(Arc::clone(&self.programs));
        Ok(async move {
            play_row(row, room).await;
            // All outcomes were reported before, so there is nothing to wait for.
            let mut came: BTreeMap<u64, UnitOutcome<Played>> =
                outcomes.try_iter().flatten().collect();
            let made = |episode: &u64| Made {
                name: format!("episode {episode}"),
                lines: match came.remove(episode) {
                    Some(UnitOutcome::Done(played)) => written(stream, *episode, &played),
                    Some(outcome) => Err(outcome.why()),
                    None => Err(NOT_BEGUN.to_owned()),
                },
            };
            episodes.iter().map(made).collect()
        })
    }
}

/// The lines of an episode: its record, and what its stream learnt from it.
fn written(stream: Option<u64>, episode: u64, played: &Played) -> Lines {
    let record = serde_json::to_string(&*played.record).map_err(|e| e.to_string())?;
    let mut lines = vec![(Check::Decisions, record_at(episode), record)];
    if let Some(stream) = stream {
        let learnt = serde_json::to_string(&*played.learnt).map_err(|e| e.to_string())?;
        lines.push((Check::Files, memory::at(stream, episode), learnt));
    }
    Ok(lines)
}
