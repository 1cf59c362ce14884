//! Works through the questions of a piece: answers, grades and memory, and where they are stored.

use super::marker::{Marker, StreamMarker};
use super::pieces::Piece;
use super::plan::QaPlan;
use super::summary::Asked;
use crate::error::RunError;
use crate::model::sit::LOOK;
use agent_client::method::{
    Grader as _, Item, ItemRecord, LearningStream, MethodSpec, QuestionWork, Series, Team,
};
use agent_client::{AgentError, ErrorClass};
use qa_scoring::Task;
use qa_scoring::grade::{Grade, Outcome};
use serde_json::Value;
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
            stream = stream.at(*place);
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

    fn stream(
        &self,
        spec: &MethodSpec,
        stream: u64,
    ) -> Result<LearningStream<QuestionWork>, AgentError> {
        let questions = QuestionWork {
            feedback: self.plan.feedback,
            series: Series::new("qa", stream, 0),
        };
        let method = spec.make()?;
        Ok(LearningStream::new(self.team.clone(), method, questions))
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
        stream = match self.take_up(&piece, stream) {
            Ok(stream) => stream,
            Err(e) => {
                self.trouble(e);
                return Vec::new();
            }
        };
        let first = stream.place();
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
        stream: &mut LearningStream<QuestionWork>,
        item: &Item,
        marker: &StreamMarker,
    ) -> Option<Result<ItemRecord, AgentError>> {
        let next = stream.next((item, marker));
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
    /// that it has learnt from.
    fn take_up(
        &self,
        piece: &Piece,
        mut stream: LearningStream<QuestionWork>,
    ) -> Result<LearningStream<QuestionWork>, RunError> {
        if !piece.online {
            let first = piece.items.first().map_or(0, |(place, _)| *place);
            return Ok(stream.at(first));
        }
        if let Some(kept_in) = &self.kept_in
            && let Some(snapshot) = kept_in.snapshot(&piece.name())?
        {
            let bad = |e: AgentError| RunError::usage(format!("{}: {e}", piece.name()));
            stream.restore(&snapshot).map_err(bad)?;
        }
        Ok(stream)
    }

    /// The record of the item at `place`; the settings in its header are those of the plan.
    fn held_at(&self, piece: &Piece, place: u64, item: &Item) -> Option<Answered> {
        let stream = self.stream(&piece.method, piece.stream).ok()?;
        let key = stream.at(place).header(item).key();
        let (record, grade) = self.state().held.get(&key).cloned()?;
        Some(Answered {
            task: piece.task,
            stream: piece.stream,
            record,
            grade,
            held: true,
        })
    }

    fn keep_snapshot(&self, name: &str, stream: &LearningStream<QuestionWork>) {
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
