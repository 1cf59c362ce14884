//! Derives the answers of a question run again, without writing to a folder or using a network.

use crate::qa::folder::{GRADES, GradeLine, snapshot_name, snapshot_text};
use crate::qa::keep::Keep;
use crate::qa::marker::ItemGrader;
use crate::qa::pieces::Piece;
use crate::qa::plan::{QaPlan, Questions};
use crate::qa::run_state::RunState;
use agent_client::method::{ItemRecord, Team};
use qa_scoring::Task;
use qa_scoring::grade::Grade;
use run_engine::engine::drive::RunHandle;
use run_engine::engine::model::backends::Models;
use run_engine::engine::verify::derive::{LinePlace, Made, StoredLines, all_made, made_line};
use run_engine::error::RunError;
use run_engine::files::{regular, run_file};
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::outcome::{Check, Verified};
use serde_json::Value;
use sim_core::Digest;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

type Lines = Result<Vec<(Check, LinePlace, String)>, String>;

/// The state that all pieces of a run share.
pub(crate) struct Share {
    plan: Arc<QaPlan>,
    team: Team,
    marker: Arc<ItemGrader>,
}

impl Share {
    /// Everything that answers and judges under `plan`.
    ///
    /// # Errors
    /// When programs cannot be run here.
    pub(crate) fn new(
        plan: &QaPlan,
        questions: &BTreeMap<Task, Questions>,
        models: &Models,
    ) -> Result<Self, RunError> {
        Ok(Self {
            plan: Arc::new(plan.clone()),
            team: Team::of(models.backend(0)?),
            marker: Arc::new(ItemGrader::open(plan, questions, models)?),
        })
    }

    fn run_state(&self, kept_in: Option<Arc<dyn Keep>>) -> RunState {
        let (plan, marker) = (Arc::clone(&self.plan), Arc::clone(&self.marker));
        RunState::new(plan, self.team.clone(), marker, kept_in, BTreeMap::new())
    }

    /// Keys of the records of a piece, in its order.
    ///
    /// # Errors
    /// When its method cannot be made.
    pub(crate) fn keys(&self, piece: &Piece) -> Result<Vec<Digest>, RunError> {
        let keys = self.run_state(None).keys(piece);
        keys.map_err(|e| RunError::usage(e.message))
    }

    /// The work of a piece; all of its items have records. The memory of its stream is read from `path`.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn again(
        &self,
        path: &Path,
        piece: Piece,
        stored: &mut StoredLines,
        found: &mut Verified,
    ) -> Result<impl Future<Output = Vec<Made>> + Send + use<>, RunError> {
        let names: Vec<String> = piece.items.iter().map(|item| item.1.id.clone()).collect();
        let learnt = learnt(path, &piece, stored, found)?;
        let (piece_name, file) = (piece.name(), snapshot_name(&piece.name()));
        let remade = Arc::new(Remade::default());
        let state = self.run_state(Some(Arc::clone(&remade) as Arc<dyn Keep>));
        Ok(async move {
            let (handle, outcomes) = RunHandle::new(names.len().max(1));
            state.work(piece, 0, handle).await;
            let units: Vec<u64> = (0..names.len() as u64).collect();
            let mut all = all_made(&outcomes, &units, "item", |_, answered| {
                lines_of(&answered.record, &answered.grade)
            });
            for (made, name) in all.iter_mut().zip(names) {
                made.name = name;
            }
            if let Some(text) = learnt.and_then(|place| remade.snapshot_at(place)) {
                all.push(Made {
                    name: piece_name,
                    lines: Ok(vec![(Check::Files, (file, String::new()), text)]),
                });
            }
            all
        })
    }
}

/// How far the stream of `piece` had learnt when its memory was last stored; the file is also kept for
/// the comparison.
fn learnt(
    path: &Path,
    piece: &Piece,
    stored: &mut StoredLines,
    found: &mut Verified,
) -> Result<Option<u64>, RunError> {
    let met = piece.items.len() as u64;
    if !piece.online {
        return Ok(None);
    }
    let name = snapshot_name(&piece.name());
    let file = path.join(&name);
    let bytes = regular::if_there(run_file::bytes(&file, regular::MOST_DATA));
    let Some(bytes) = bytes.map_err(RunError::file(&file))? else {
        // The memory is written after the record.
        if met > 1 {
            found.find(Check::Files, name, "the file is missing");
        }
        return Ok(None);
    };
    let read = sim_core::strict::json(&bytes);
    let place = read.ok().and_then(|value| value.get("place")?.as_u64());
    match place {
        Some(place) if place == met || place + 1 == met => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            stored.add((name, String::new()), 1, text);
            Ok(Some(place))
        }
        Some(place) => {
            let what = format!("it has learnt from {place} answers, and {met} have records");
            found.find(Check::Files, name, what);
            Ok(None)
        }
        None => {
            found.find(Check::Files, name, "it is not the memory of a stream");
            Ok(None)
        }
    }
}

/// The lines that a run writes for an answer.
fn lines_of(record: &ItemRecord, grade: &Grade) -> Lines {
    let key = record.header.key();
    let at = |file: &str| (file.to_owned(), key.to_string());
    Ok(vec![
        made_line(Check::Decisions, at(QaPlan::RECORDS), record)?,
        made_line(Check::Judgements, at(GRADES), &GradeLine::of(record, grade))?,
    ])
}

/// The memory of a repeated stream after each of its answers, by place.
#[derive(Default)]
struct Remade(Mutex<BTreeMap<u64, String>>);

impl Remade {
    fn snapshot_at(&self, place: u64) -> Option<String> {
        let mut snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.remove(&place)
    }
}

impl Keep for Remade {
    fn keep(&self, _: &ItemRecord, _: &Grade) -> Result<(), RunError> {
        Ok(())
    }

    fn snapshot(&self, _: &str) -> Result<Option<Value>, RunError> {
        Ok(None)
    }

    fn keep_snapshot(&self, _: &str, snapshot: &Value) -> Result<(), RunError> {
        let place = snapshot.get("place").and_then(Value::as_u64);
        let missing = || RunError::Failed("the memory of a stream has no place".to_owned());
        let mut snapshots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.insert(place.ok_or_else(missing)?, snapshot_text(snapshot));
        Ok(())
    }
}
