//! Asking questions: many at once where nothing is learnt from them, one after the other where something
//! is.
//!
//! A method without a memory meets every item by itself. One with a memory meets the items of a task in
//! a drawn order, its memory is kept after each, and only different streams run side by side.

use super::desk::{Answered, Desk, Keep};
use super::folder::QaFolder;
use super::marker::Marker;
use super::pieces::pieces;
use super::plan::{QaPlan, Questions};
use super::summary::{QaSummary, summarise};
use agent_client::method::Team;
use agent_client::parallel::in_order;
use qa_scoring::Task;
use run_engine::clock::Stopwatch;
use run_engine::engine::model::backends::Models;
use run_engine::engine::model::run::{CONCURRENCY, runtime};
use run_engine::engine::model::sit::LOOK;
use run_engine::error::RunError;
use run_engine::interrupt::Finishing;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a run came to.
#[derive(Debug)]
pub struct QaFinished {
    /// Scores and costs.
    pub summary: QaSummary,
    /// What failed, by name, with the reason.
    pub failures: BTreeMap<String, String>,
    /// Items that were not met because the run was stopped.
    pub unplayed: u64,
}

/// Asks every question of `plan` that `folder` does not hold an answer to yet.
///
/// # Errors
/// When the folder cannot be read or written. Failed items are listed in what is returned; an exhausted
/// budget is [`RunError::Budget`].
pub fn execute(
    plan: &QaPlan,
    questions: &BTreeMap<Task, Questions>,
    models: &Models,
    marker: &Arc<Marker>,
    folder: Option<&Arc<QaFolder>>,
    concurrency: Option<usize>,
    stop: &AtomicBool,
) -> Result<QaFinished, RunError> {
    let watch = Stopwatch::start();
    let team = Team::of(models.backend(0)?);
    let pieces = pieces(plan, questions)?;
    let asked: u64 = pieces.iter().map(|piece| piece.items.len() as u64).sum();
    let held = match folder {
        Some(folder) => folder.records()?,
        None => BTreeMap::new(),
    };
    let desk = Arc::new(Desk::new(
        Arc::new(plan.clone()),
        team,
        Arc::clone(marker),
        folder.map(|folder| Arc::clone(folder) as Arc<dyn Keep>),
        held,
    ));
    let runtime = runtime()?;
    let at_once = concurrency.unwrap_or(CONCURRENCY).max(1);
    let finishing = Finishing::begin();
    runtime.block_on(async {
        let work = pieces.into_iter().map_while(|piece| {
            let desk = Arc::clone(&desk);
            let go = !desk.stopped() && !stop.load(Ordering::Relaxed);
            go.then_some(async move { desk.work(piece).await })
        });
        let work = in_order(work, at_once, |_, kept: Vec<Answered>| {
            for answered in kept {
                desk.keep(answered);
            }
        });
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                () = tokio::time::sleep(LOOK) => {
                    if stop.load(Ordering::Relaxed) {
                        desk.stop();
                    }
                }
            }
        }
    });
    drop(finishing);
    let state = desk.take();
    if let Some(trouble) = state.trouble {
        return Err(trouble);
    }
    if let Some(folder) = folder {
        let lines: Vec<Value> = state
            .failures
            .iter()
            .map(|(item, error)| json!({"item": item, "error": error}))
            .collect();
        folder.write_errors(&lines)?;
    }
    let answered = state.answered.len() as u64;
    let unplayed = asked - answered - (state.failures.len() as u64).min(asked - answered);
    let mut summary = summarise(plan, questions, marker, state.answered);
    summary.charge(&models.ledger.spending());
    summary.fail(state.failures.len() as u64);
    summary.seconds(watch.elapsed().as_secs_f64());
    summary.out(folder.map(|folder| folder.path().display().to_string()));
    if let Some(message) = state.budget {
        let resume = folder.map_or_else(String::new, |folder| {
            let dir = folder.path().display();
            format!("; `boardroom resume {dir} --max-cost <more> --prices <file>` goes on")
        });
        return Err(RunError::Budget(format!(
            "{message}; {} items are left{resume}",
            asked - answered
        )));
    }
    Ok(QaFinished {
        summary,
        failures: state.failures,
        unplayed,
    })
}
