//! Works through the questions of a piece: answers, grades and memory, and where they are stored.

use super::marker::{Marker, StreamMarker};
use super::pieces::Piece;
use super::plan::QaPlan;
use super::summary::Asked;
use agent_client::method::{
    Grader as _, Item, ItemRecord, MethodSpec, QuestionSettings, QuestionStream, Team,
};
use agent_client::{AgentError, ErrorClass};
use qa_scoring::Task;
use qa_scoring::grade::{Grade, Outcome};
use run_engine::engine::model::sit::LOOK;
use run_engine::error::RunError;
use serde_json::{Value, json};
use sim_core::Digest;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where answers and memories are stored: in the folder of a run or, if a run is repeated to compare
/// it with its folder, in memory.
pub(crate) trait Keep: Send + Sync {
    /// Stores an answered item.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep(&self, record: &ItemRecord, grade: &Grade) -> Result<(), RunError>;

    /// What the stream `name` had learnt when it was interrupted.
    ///
    /// # Errors
    /// When it cannot be read.
    fn snapshot(&self, name: &str) -> Result<Option<Value>, RunError>;

    /// Stores what the stream `name` has learnt.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep_snapshot(&self, name: &str, snapshot: &Value) -> Result<(), RunError>;
}

/// An answered item.
pub(crate) struct Answered {
    task: Task,
    stream: u64,
    record: ItemRecord,
    grade: Grade,
    /// Whether the folder holds it already.
    held: bool,
}

/// The state that all pieces share.
pub(crate) struct Desk {
    plan: Arc<QaPlan>,
    team: Team,
    marker: Arc<Marker>,
    kept_in: Option<Arc<dyn Keep>>,
    stop: AtomicBool,
    state: Mutex<State>,
}

/// The progress of a run.
#[derive(Default)]
pub(crate) struct State {
    held: BTreeMap<Digest, (ItemRecord, Grade)>,
    pub(crate) answered: Vec<Asked>,
    pub(crate) failures: BTreeMap<String, String>,
    /// An error that ends the run, such as a full disk.
    pub(crate) trouble: Option<RunError>,
    pub(crate) budget: Option<String>,
}

impl Desk {
    /// A desk for the pieces of `plan`; `held` are the answers that `kept_in` already holds.
    pub(crate) fn new(
        plan: Arc<QaPlan>,
        team: Team,
        marker: Arc<Marker>,
        kept_in: Option<Arc<dyn Keep>>,
        held: BTreeMap<Digest, (ItemRecord, Grade)>,
    ) -> Self {
        Self {
            plan,
            team,
            marker,
            kept_in,
            stop: AtomicBool::new(false),
            state: Mutex::new(State {
                held,
                ..State::default()
            }),
        }
    }

    /// Takes the result of the work.
    pub(crate) fn take(&self) -> State {
        std::mem::take(&mut *self.state())
    }

    /// Ends the work after the requests in progress.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Keys of the records of a piece, in its order.
    ///
    /// # Errors
    /// When its method cannot be made.
    pub(crate) fn keys(&self, piece: &Piece) -> Result<Vec<Digest>, AgentError> {
        let mut stream = self.stream(&piece.method, piece.stream)?;
        let mut keys = Vec::new();
        for (place, item) in &piece.items {
            put_at(&mut stream, *place)?;
            keys.push(stream.header(item).key());
        }
        Ok(keys)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trouble(&self, error: RunError) {
        self.state().trouble.get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn stream(&self, spec: &MethodSpec, stream: u64) -> Result<QuestionStream, AgentError> {
        let settings = QuestionSettings {
            feedback: self.plan.feedback,
        };
        let method = spec.make()?;
        Ok(QuestionStream::new(
            self.team.clone(),
            method,
            settings,
            "qa",
            stream,
            0,
        ))
    }

    /// Works through the items of a piece. The caller stores the returned items in the order of the
    /// pieces; a stream with a memory stores its own items, because it may run for a long time.
    pub(crate) async fn work(&self, piece: Piece) -> Vec<Answered> {
        let name = piece.name();
        let mut stream = match self.stream(&piece.method, piece.stream) {
            Ok(stream) => stream,
            Err(e) => {
                self.failed(&name, &e);
                return Vec::new();
            }
        };
        let marker = StreamMarker::new(Arc::clone(&self.marker));
        let mut first = 0;
        match self.take_up(&piece, &mut stream) {
            Ok(place) => first = place.unwrap_or(first),
            Err(e) => {
                self.trouble(e);
                return Vec::new();
            }
        }
        let mut kept = Vec::new();
        for (place, item) in &piece.items {
            if self.stopped() {
                break;
            }
            if piece.online && *place < first {
                // The stream learnt from it in an earlier session: its record exists, and the snapshot
                // holds the lesson.
                match self.held_at(&piece, *place, item) {
                    Some(answered) => self.keep(answered),
                    None => {
                        let text = format!("{name}: the record of `{}` is missing", item.id);
                        self.trouble(RunError::usage(text));
                        break;
                    }
                }
                continue;
            }
            let key = stream.header(item).key();
            let held = self.state().held.get(&key).cloned();
            if let (Some((record, grade)), false) = (&held, piece.online) {
                kept.push(Answered {
                    task: piece.task,
                    stream: piece.stream,
                    record: record.clone(),
                    grade: grade.clone(),
                    held: true,
                });
                continue;
            }
            let answered = match self.meet(&mut stream, item, &marker).await {
                Some(Ok(record)) => self.answered(&piece, record, &marker, held.is_some()).await,
                Some(Err(e)) => {
                    self.failed(&item.id, &e);
                    break;
                }
                None => break,
            };
            if piece.online {
                self.keep(answered);
                self.keep_snapshot(&name, &stream);
            } else {
                kept.push(answered);
            }
        }
        kept
    }

    /// The next item, or `None` when the run was stopped meanwhile.
    async fn meet(
        &self,
        stream: &mut QuestionStream,
        item: &Item,
        marker: &StreamMarker,
    ) -> Option<Result<ItemRecord, AgentError>> {
        let next = stream.next(item, marker);
        tokio::pin!(next);
        loop {
            tokio::select! {
                record = &mut next => return Some(record),
                () = tokio::time::sleep(LOOK) => {
                    if self.stopped() {
                        return None;
                    }
                }
            }
        }
    }

    /// A record with its full grade.
    async fn answered(
        &self,
        piece: &Piece,
        mut record: ItemRecord,
        marker: &StreamMarker,
        held: bool,
    ) -> Answered {
        let uid = record.header.item.clone();
        let grade = match marker.fetch(&uid) {
            Some(grade) => grade,
            // The model gave nothing to judge, so it gets the grade of an empty reply.
            None => {
                let (marker, runtime) =
                    (Arc::clone(&self.marker), tokio::runtime::Handle::current());
                let work = move || marker.mark(&uid, "", &runtime);
                let marked = tokio::task::spawn_blocking(work).await;
                marked.ok().and_then(Result::ok).unwrap_or(Grade {
                    outcome: Outcome::NoAnswer,
                    value: Some(0.0),
                    read: None,
                    detail: None,
                    note: None,
                })
            }
        };
        // A reply that no judge could read is unscored, not zero.
        if grade.value.is_none() {
            record.grade = None;
        }
        record.grader = marker.name();
        Answered {
            task: piece.task,
            stream: piece.stream,
            record,
            grade,
            held,
        }
    }

    /// Moves the stream to where its last session ended: to the place of its one item, or after the items
    /// that it has learnt from. Returns the first place that is still open, if any.
    fn take_up(&self, piece: &Piece, stream: &mut QuestionStream) -> Result<Option<u64>, RunError> {
        if !piece.online {
            let Some((place, _)) = piece.items.first() else {
                return Ok(None);
            };
            put_at(stream, *place).map_err(|e| RunError::Failed(e.to_string()))?;
            return Ok(None);
        }
        let Some(kept_in) = &self.kept_in else {
            return Ok(None);
        };
        let Some(snapshot) = kept_in.snapshot(&piece.name())? else {
            return Ok(None);
        };
        let bad = |e: AgentError| RunError::usage(format!("{}: {e}", piece.name()));
        stream.restore(&snapshot).map_err(bad)?;
        Ok(snapshot.get("place").and_then(Value::as_u64))
    }

    /// The record of the item at `place`; the settings in its header are those of the plan.
    fn held_at(&self, piece: &Piece, place: u64, item: &Item) -> Option<Answered> {
        let mut stream = self.stream(&piece.method, piece.stream).ok()?;
        put_at(&mut stream, place).ok()?;
        let key = stream.header(item).key();
        let (record, grade) = self.state().held.get(&key).cloned()?;
        Some(Answered {
            task: piece.task,
            stream: piece.stream,
            record,
            grade,
            held: true,
        })
    }

    fn keep_snapshot(&self, name: &str, stream: &QuestionStream) {
        if let Some(kept_in) = &self.kept_in
            && let Err(e) = kept_in.keep_snapshot(name, &stream.snapshot())
        {
            self.trouble(e);
        }
    }

    /// Stores an answer.
    pub(crate) fn keep(&self, answered: Answered) {
        if let (Some(kept_in), false) = (&self.kept_in, answered.held)
            && let Err(e) = kept_in.keep(&answered.record, &answered.grade)
        {
            self.trouble(e);
            return;
        }
        self.state().answered.push(Asked {
            task: answered.task,
            stream: answered.stream,
            place: answered.record.header.place,
            item: answered.record.header.item,
            score: answered.record.grade.map(|grade| grade.score),
            used: answered.record.used,
            grade: answered.grade,
        });
    }

    fn failed(&self, name: &str, error: &AgentError) {
        if error.class == ErrorClass::Budget {
            self.state().budget.get_or_insert(error.to_string());
            self.stop.store(true, Ordering::Relaxed);
            return;
        }
        if error.class.stops_the_run() {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.state()
            .failures
            .insert(name.to_owned(), error.to_string());
    }
}

/// Moves a stream that has learnt nothing yet to `place`.
fn put_at(stream: &mut QuestionStream, place: u64) -> Result<(), AgentError> {
    let mut snapshot = stream.snapshot();
    if let Some(fields) = snapshot.as_object_mut() {
        fields.insert("place".to_owned(), json!(place));
    }
    stream.restore(&snapshot)
}
