//! Playing the episodes of a row, one after the other.

use super::ask::{self, MAX_ATTEMPTS, unless_stopped};
use super::gold::PolicyPlan;
use super::memory::{MemoryLine, MemoryLog};
use crate::engine::drive::{RunHandle, UnitOutcome};
use crate::run_dir::progress::Progress;
use agent_client::method::{EpisodeNote, EpisodeUnit, EpisodeWork, LearningStream};
use sim_core::{DynInstance, EpisodeRecord, Header, Limits, Session};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An episode that is to be played.
pub(crate) struct Ahead {
    pub(super) index: u64,
    pub(super) case: Arc<dyn DynInstance>,
    pub(super) header: Header,
}

/// Episodes that are played one after the other by a method that may learn in between.
pub(crate) struct Row {
    pub(super) stream: LearningStream<EpisodeWork>,
    /// Where the memory is kept, where there is one and a folder.
    pub(super) memory: Option<MemoryLog>,
    pub(super) episodes: Vec<Ahead>,
}

/// What all rows share.
#[derive(Clone)]
pub(crate) struct EpisodeContext {
    pub(super) about: &'static str,
    pub(super) limits: Limits,
    /// The policy whose plan is shown (plan mode `gold`).
    pub(super) gold: Option<&'static str>,
    /// The policy that knows what is right (feedback `ground_truth`).
    pub(super) truth: Option<&'static str>,
    pub(super) dir: Option<PathBuf>,
    pub(super) handle: RunHandle<Played>,
}

/// A played episode.
pub(crate) struct Played {
    pub(crate) record: Box<EpisodeRecord>,
    /// The changes that it made to the memory.
    pub(crate) learnt: Box<MemoryLine>,
    /// The log of the unfinished episode; it is removed when the record is written.
    pub(super) progress: Option<Progress>,
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
    stream: &mut LearningStream<EpisodeWork>,
    ahead: &Ahead,
    room: &EpisodeContext,
) -> Result<(EpisodeRecord, EpisodeNote, Option<Progress>), UnitOutcome<Played>> {
    let (mut progress, mut entries) = match &room.dir {
        Some(dir) => {
            let (progress, entries) =
                Progress::open(dir, ahead.index).map_err(UnitOutcome::Trouble)?;
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
            worked_out.ok().flatten()
        }
        None => None,
    };
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
        // The callback cannot return an error, so the first one is kept here and read after the episode.
        let mut kept = Ok(());
        let mut keep = |session: &Session| {
            saved.extend(session.entries().iter().skip(saved.len()).cloned());
            if let (Some(progress), Ok(())) = (&mut progress, &kept) {
                kept = progress.keep(session);
            }
        };
        let open = || Ok(ahead.case.open()?);
        let unit = EpisodeUnit {
            name: ahead.index.to_string(),
            task,
            session,
            open: &open,
            gold: room
                .gold
                .map(|policy| Arc::new(PolicyPlan::new(Arc::clone(&ahead.case), policy)) as _),
            truth: truth.clone(),
            after_turn: &mut keep,
        };
        let played = unless_stopped(stream.next(unit), room.handle.stop_flag()).await;
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
