//! Answers the questions of a piece, grades the answers and stores them with the memory of the stream.

use super::keep::Keep;
use super::marker::{ItemGrader, StreamMarker};
use super::pieces::Piece;
use super::plan::QaPlan;
use super::summary::Asked;
use agent_client::AgentError;
use agent_client::method::{
    AnswerGrader as _, ItemRecord, ItemSeries, LearningStream, MethodSpec, Question, QuestionWork,
    Team,
};
use qa_scoring::Task;
use qa_scoring::grade::Grade;
use run_engine::engine::drive::{RunHandle, UnitOutcome};
use run_engine::engine::model::ask::{self, MAX_ATTEMPTS, unless_stopped};
use run_engine::error::RunError;
use sim_core::Digest;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An answered item.
pub(crate) struct Answered {
    task: Task,
    stream: u64,
    pub(crate) record: ItemRecord,
    pub(crate) grade: Grade,
    /// Whether the answer is already stored.
    pub(crate) held: bool,
}

impl Answered {
    /// The fields that the summary needs.
    pub(crate) fn asked(self) -> Asked {
        Asked {
            task: self.task,
            stream: self.stream,
            place: self.record.header.place,
            item: self.record.header.item,
            score: self.record.grade.map(|grade| grade.score),
            used: self.record.used,
            grade: self.grade,
        }
    }
}

/// The state that all pieces share.
pub(crate) struct RunState {
    plan: Arc<QaPlan>,
    team: Team,
    marker: Arc<ItemGrader>,
    kept_in: Option<Arc<dyn Keep>>,
    /// The answers that are stored already.
    held: BTreeMap<Digest, (ItemRecord, Grade)>,
}

impl RunState {
    /// The state for the pieces of `plan`; `held` are the answers that `kept_in` already holds.
    pub(crate) fn new(
        plan: Arc<QaPlan>,
        team: Team,
        marker: Arc<ItemGrader>,
        kept_in: Option<Arc<dyn Keep>>,
        held: BTreeMap<Digest, (ItemRecord, Grade)>,
    ) -> Self {
        Self {
            plan,
            team,
            marker,
            kept_in,
            held,
        }
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

    fn stream(
        &self,
        spec: &MethodSpec,
        stream: u64,
    ) -> Result<LearningStream<QuestionWork>, AgentError> {
        let questions = QuestionWork {
            feedback: self.plan.feedback,
            series: ItemSeries::new("qa", stream, 0),
        };
        let method = spec.make()?;
        Ok(LearningStream::new(self.team.clone(), method, questions))
    }

    /// Answers the items of a piece in order and reports the outcome of each; its units have the numbers
    /// from `first` on. A stream with a memory stores each answer here, because its memory must not be
    /// ahead of its records.
    pub(crate) async fn work(&self, piece: Piece, first: u64, handle: RunHandle<Answered>) {
        let mut stream = match self.stream(&piece.method, piece.stream) {
            Ok(stream) => stream,
            Err(error) => return handle.report(first, ask::failed(&error, 1)),
        };
        let marker = StreamMarker::new(Arc::clone(&self.marker), piece.method.reasons());
        stream = match self.take_up(&piece, stream) {
            Ok(stream) => stream,
            Err(e) => return handle.report(first, UnitOutcome::Trouble(e)),
        };
        let learnt = stream.place();
        let mut goes_on = true;
        for (unit, (place, item)) in (first..).zip(&piece.items) {
            let outcome = if !goes_on {
                UnitOutcome::Stopped
            } else if piece.online && *place < learnt {
                // The stream learnt from it in an earlier session: its record exists, and the snapshot
                // holds the lesson.
                self.held_at(&piece, *place, item).map_or_else(
                    || {
                        let name = piece.name();
                        let text = format!("{name}: the record of `{}` is missing", item.id);
                        UnitOutcome::Trouble(RunError::usage(text))
                    },
                    UnitOutcome::Done,
                )
            } else {
                self.one(&piece, &mut stream, item, &marker, handle.stop_flag())
                    .await
            };
            goes_on &= matches!(outcome, UnitOutcome::Done(_));
            handle.report(unit, outcome);
        }
    }

    /// Answers an item, or takes its stored answer.
    async fn one(
        &self,
        piece: &Piece,
        stream: &mut LearningStream<QuestionWork>,
        item: &Question,
        marker: &StreamMarker,
        stop: &AtomicBool,
    ) -> UnitOutcome<Answered> {
        let held = self.held.get(&stream.header(item).key());
        if let (Some((record, grade)), false) = (held, piece.online) {
            return UnitOutcome::Done(Answered {
                task: piece.task,
                stream: piece.stream,
                record: record.clone(),
                grade: grade.clone(),
                held: true,
            });
        }
        let mut tries = 0;
        let record = loop {
            tries += 1;
            if stop.load(Ordering::Relaxed) {
                return UnitOutcome::Stopped;
            }
            match unless_stopped(stream.next((item, marker)), stop).await {
                None => return UnitOutcome::Stopped,
                Some(Ok(record)) => break record,
                Some(Err(e)) if e.class.is_transient() && tries < MAX_ATTEMPTS => {}
                Some(Err(error)) => return ask::failed(&error, tries),
            }
        };
        let answered = self.answered(piece, record, marker, held.is_some()).await;
        let mut answered = match answered {
            Ok(answered) => answered,
            Err(error) => return ask::failed(&error, tries),
        };
        if piece.online
            && let Err(e) = self.store(piece, &mut answered, stream)
        {
            return UnitOutcome::Trouble(e);
        }
        UnitOutcome::Done(answered)
    }

    /// Stores an answer, then the memory of the stream after it.
    fn store(
        &self,
        piece: &Piece,
        answered: &mut Answered,
        stream: &LearningStream<QuestionWork>,
    ) -> Result<(), RunError> {
        let Some(kept_in) = &self.kept_in else {
            return Ok(());
        };
        if !answered.held {
            kept_in.keep(&answered.record, &answered.grade)?;
            answered.held = true;
        }
        kept_in.keep_snapshot(&piece.name(), &stream.snapshot())
    }

    /// A record with its full grade. An error if a reply without content cannot be judged now.
    async fn answered(
        &self,
        piece: &Piece,
        mut record: ItemRecord,
        marker: &StreamMarker,
        held: bool,
    ) -> Result<Answered, AgentError> {
        let uid = record.header.item.clone();
        let (grade, used) = match marker.fetch(&uid) {
            Some(graded) => graded,
            // The model gave nothing to judge, so it gets the grade of an empty reply.
            None => {
                let (marker, runtime) =
                    (Arc::clone(&self.marker), tokio::runtime::Handle::current());
                let work = move || marker.mark(&uid, "", &runtime);
                let marked = tokio::task::spawn_blocking(work).await;
                marked.map_err(|e| AgentError::setup(e.to_string()))??
            }
        };
        // A reply that no judge could read is unscored, not zero.
        if grade.value.is_none() {
            record.grade = None;
        }
        record.grader = marker.name();
        record.used.add(&used);
        Ok(Answered {
            task: piece.task,
            stream: piece.stream,
            record,
            grade,
            held,
        })
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
    fn held_at(&self, piece: &Piece, place: u64, item: &Question) -> Option<Answered> {
        let stream = self.stream(&piece.method, piece.stream).ok()?;
        let key = stream.at(place).header(item).key();
        let (record, grade) = self.held.get(&key).cloned()?;
        Some(Answered {
            task: piece.task,
            stream: piece.stream,
            record,
            grade,
            held: true,
        })
    }
}
