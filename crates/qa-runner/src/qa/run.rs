//! Asking questions: many at once where nothing is learnt from them, one after the other where something
//! is.
//!
//! A method without a memory meets every item by itself. One with a memory meets the items of a task in
//! a drawn order, its memory is kept after each, and only different streams run side by side.

use super::folder::{Answers, records};
use super::keep::Keep;
use super::marker::ItemGrader;
use super::pieces::{Piece, pieces};
use super::plan::{QaPlan, Questions};
use super::run_state::{Answered, RunState};
use super::summary::{QaSummary, summarise};
use agent_client::method::{ItemRecord, Team};
use qa_scoring::Task;
use qa_scoring::grade::Grade;
use run_engine::clock::Stopwatch;
use run_engine::engine::drive::{Drive, RunHandle, drive};
use run_engine::engine::finished::Finished;
use run_engine::engine::model::ask::ask;
use run_engine::engine::model::backends::Models;
use run_engine::engine::workload::Resume;
use run_engine::error::RunError;
use run_engine::run_dir::{FailedUnit, RunPlan as _};
use sim_core::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The work of a run: all of its pieces, and the answers that are stored already.
pub(crate) struct Work {
    pieces: Vec<Piece>,
    held: BTreeMap<Digest, (ItemRecord, Grade)>,
}

impl Work {
    /// The work of `plan` on `questions`, with the answers in `folder`.
    ///
    /// # Errors
    /// When a method cannot be made or a file of the folder cannot be read.
    pub(crate) fn new(
        plan: &QaPlan,
        questions: &BTreeMap<Task, Questions>,
        folder: Option<&Arc<Answers>>,
    ) -> Result<Self, RunError> {
        Ok(Self {
            pieces: pieces(plan, questions)?,
            held: match folder {
                Some(folder) => records(&folder.dir)?,
                None => BTreeMap::new(),
            },
        })
    }

    /// Whether every question has an answer. Records of other questions do not count.
    pub(crate) fn is_whole(&self) -> bool {
        let headers = self.held.values().map(|(record, _)| &record.header);
        let answered: BTreeSet<(u64, u64, &str)> = headers
            .map(|header| (header.stream, header.place, header.item.as_str()))
            .collect();
        self.pieces.iter().all(|piece| {
            let mut asked = piece.items.iter();
            asked.all(|(place, item)| answered.contains(&(piece.stream, *place, &*item.id)))
        })
    }
}

/// Asks every question of `work` that has no answer yet.
///
/// # Errors
/// When the folder cannot be read or written. Failed items are listed in what is returned; an exhausted
/// budget is [`RunError::Budget`].
pub(crate) fn execute(
    plan: &QaPlan,
    questions: &BTreeMap<Task, Questions>,
    Work { pieces, held }: Work,
    (models, marker): (&Models, &Arc<ItemGrader>),
    folder: Option<&Arc<Answers>>,
    how: &Resume<'_>,
) -> Result<Finished<QaSummary>, RunError> {
    let watch = Stopwatch::start();
    let team = Team::of(models.backend(0)?);
    let names: Vec<String> = pieces
        .iter()
        .flat_map(|piece| piece.items.iter().map(|(_, item)| item.id.clone()))
        .collect();
    let is_new = held.is_empty();
    let state = Arc::new(RunState::new(
        Arc::new(plan.clone()),
        team,
        Arc::clone(marker),
        folder.map(|folder| Arc::clone(folder) as Arc<dyn Keep>),
        held,
    ));
    let drives = Drive {
        units: "items",
        asked: names.len() as u64,
        status: Some(models),
        progress: how.progress,
        stop: how.stop,
        out: folder.map(|folder| folder.dir.path()),
    };
    // The place of each record in the run, to sort them by: streams with a memory store their answers
    // themselves, and a resumed run has gaps to fill.
    let is_sorted = is_new && !pieces.iter().any(|piece| piece.online);
    let mut places = BTreeMap::new();
    for piece in pieces.iter().filter(|_| !is_sorted) {
        let keys = state.keys(piece).map_err(|e| RunError::usage(e.message))?;
        for key in keys {
            places.insert(key, places.len());
        }
    }
    let feed = |handle: RunHandle<Answered>| {
        let mut next = 0;
        let rows = pieces.into_iter().map(|piece| {
            let (state, handle, first) = (Arc::clone(&state), handle.clone(), next);
            next += piece.items.len() as u64;
            async move { state.work(piece, first, handle).await }
        });
        ask(&handle, how.means, how.stop, rows)
    };
    let mut answers = Vec::new();
    let order = (0..drives.asked).collect();
    let driven = drive(&drives, order, feed, |_, answered: Answered| {
        if let (Some(folder), false) = (folder, answered.held) {
            folder.keep(&answered.record, &answered.grade)?;
        }
        answers.push(answered.asked());
        Ok(())
    })?;
    let failures: Vec<FailedUnit> = names
        .into_iter()
        .zip(0_u64..)
        .filter_map(|(unit, number)| {
            let failure = driven.failures.get(&number)?.clone();
            Some(FailedUnit { unit, ..failure })
        })
        .collect();
    if let Some(folder) = folder {
        let line = |failure: &FailedUnit| failure.line(QaPlan::UNIT, &failure.unit.as_str().into());
        let lines: Vec<_> = failures.iter().map(line).collect();
        folder.dir.write_errors(&lines)?;
        if !is_sorted {
            let place = |record: &ItemRecord| places.get(&record.header.key()).copied();
            folder.dir.sort_records(place)?;
        }
        folder.dir.check_still_there()?;
    }
    let unplayed = driven.left(&drives)?;
    let mut summary = summarise(plan, questions, marker, answers);
    summary.charge(models);
    summary.summary.set_sampling(&plan.dialect);
    if let Some(folder) = folder {
        summary.summary.notes.clone_from(&folder.dir.manifest.notes);
    }
    summary.summary.failed = failures.len() as u64;
    summary.summary.count_failures(&failures);
    summary.summary.seconds = watch.elapsed().as_secs_f64();
    summary.summary.out = drives.out.map(|dir| dir.to_string_lossy().into_owned());
    Ok(Finished {
        summary,
        steps: Vec::new(),
        failures: failures
            .into_iter()
            .map(|failure| (failure.unit, failure.error))
            .collect(),
        unplayed,
        unit: "item",
        notes: Vec::new(),
    })
}
