//! Asking questions: many at once where nothing is learnt from them, one after the other where something
//! is.
//!
//! A method without a memory meets every item by itself. One with a memory meets the items of a task in
//! a drawn order, its memory is kept after each, and only different streams run side by side.

use super::folder::QaFolder;
use super::marker::{Marker, StreamMarker};
use super::plan::{QaPlan, Questions};
use super::routed::Routing;
use super::summary::{Asked, QaSummary, summarise};
use crate::clock::Stopwatch;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::model::backends::Models;
use agent_client::method::{
    Grader as _, Item, ItemRecord, MethodSpec, QuestionSettings, QuestionStream, Team, order,
};
use agent_client::parallel::in_order;
use agent_client::{AgentError, ErrorClass};
use qa_scoring::Task;
use qa_scoring::grade::{Grade, Outcome};
use serde_json::{Value, json};
use sim_core::Digest;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Streams and items at a time unless said otherwise; the pace of the requests is the client's business.
const CONCURRENCY: usize = 8;

/// How often a stop is looked for while a model thinks.
const LOOK: Duration = Duration::from_millis(100);

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
    let desk = Arc::new(Desk {
        plan: plan.clone(),
        team,
        marker: Arc::clone(marker),
        folder: folder.cloned(),
        stop: AtomicBool::new(false),
        state: Mutex::new(State {
            held,
            answered: Vec::new(),
            failures: BTreeMap::new(),
            trouble: None,
            budget: None,
        }),
    });
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
                        desk.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    });
    drop(finishing);
    let state = std::mem::take(&mut *desk.state());
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

/// The runtime that requests run on.
///
/// # Errors
/// When the system gives no threads.
pub fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the runtime: {e}")))
}

/// Items that are met one after the other: a whole stream, or one item of a method that learns nothing.
struct Piece {
    task: Task,
    stream: u64,
    /// How an answer is made and what is kept.
    method: MethodSpec,
    /// Whether the method learns from one item for the next.
    online: bool,
    /// Whether other methods meet other items of the same stream.
    routed: bool,
    /// Items with their places in the stream.
    items: Vec<(u64, Item)>,
}

impl Piece {
    /// Its name, for files and messages.
    fn name(&self) -> String {
        let method = if self.routed {
            format!(", {}", self.method)
        } else {
            String::new()
        };
        format!("{}, stream {}{method}", self.task, self.stream)
    }
}

fn pieces(plan: &QaPlan, questions: &BTreeMap<Task, Questions>) -> Result<Vec<Piece>, RunError> {
    let chooser = plan.routing.as_ref().map(Routing::chooser).transpose()?;
    let mut pieces = Vec::new();
    for task in plan.tasks.iter().map(|task| task.task) {
        let Some(questions) = questions.get(&task) else {
            continue;
        };
        let asked = questions.asked();
        let most = plan.items.and_then(|n| usize::try_from(n).ok());
        // Which items are met does not depend on the stream, only their order does.
        let mut chosen = order(plan.seed.child("sample", 0), 0, asked.len());
        chosen.truncate(most.unwrap_or(usize::MAX));
        chosen.sort_unstable();
        let method_of = |place: usize| {
            let chooser = chooser.as_ref()?;
            chooser.method(task, questions.items.get(place)?, plan.tasks.len() == 1)
        };
        for stream in 0..plan.streams {
            let met = order(plan.seed, stream, chosen.len());
            let mut by_method: BTreeMap<&str, (&MethodSpec, Vec<Item>)> = BTreeMap::new();
            for place in met.iter().filter_map(|place| chosen.get(*place)) {
                let Some(item) = asked.get(*place).cloned() else {
                    continue;
                };
                let method = method_of(*place).unwrap_or(&plan.method);
                let group = by_method.entry(&method.name);
                group.or_insert_with(|| (method, Vec::new())).1.push(item);
            }
            for (method, items) in by_method.into_values() {
                let made = method.make().map_err(|e| RunError::usage(e.to_string()))?;
                let online = made.memory.is_online();
                let piece = |items| Piece {
                    task,
                    stream,
                    method: method.clone(),
                    online,
                    routed: chooser.is_some(),
                    items,
                };
                let items: Vec<(u64, Item)> = (0..).zip(items).collect();
                if online {
                    pieces.push(piece(items));
                } else {
                    pieces.extend(items.into_iter().map(|item| piece(vec![item])));
                }
            }
        }
    }
    let numbered = pieces.into_iter().zip(0_u64..);
    let ours = numbered.filter(|(_, number)| number % plan.shard.count == plan.shard.index);
    Ok(ours.map(|(piece, _)| piece).collect())
}

/// An answered item.
struct Answered {
    task: Task,
    stream: u64,
    record: ItemRecord,
    grade: Grade,
    /// Whether the folder holds it already.
    held: bool,
}

/// What all pieces share.
struct Desk {
    plan: QaPlan,
    team: Team,
    marker: Arc<Marker>,
    folder: Option<Arc<QaFolder>>,
    stop: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: BTreeMap<Digest, (ItemRecord, Grade)>,
    answered: Vec<Asked>,
    failures: BTreeMap<String, String>,
    /// Something that ends the run: a disk that is full.
    trouble: Option<RunError>,
    budget: Option<String>,
}

impl Desk {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
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

    /// Meets the items of a piece. What is returned is kept by the caller, in the order of the pieces;
    /// a stream with a memory keeps its own items, because it may be a long time at work.
    async fn work(&self, piece: Piece) -> Vec<Answered> {
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
                // Learnt from in an earlier sitting: its record is there, its lesson in the snapshot.
                match self.held_at(&piece, *place, item) {
                    Some(answered) => self.keep(answered),
                    None => {
                        let text = format!("{name}: the record of `{}` is not there", item.id);
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
            // The model gave nothing to judge: an empty reply has the grade of that.
            None => {
                let (marker, runtime) =
                    (Arc::clone(&self.marker), tokio::runtime::Handle::current());
                let work = move || marker.mark(&uid, "", &runtime);
                let marked = tokio::task::spawn_blocking(work).await;
                marked.ok().flatten().unwrap_or(Grade {
                    outcome: Outcome::NoAnswer,
                    value: Some(0.0),
                    read: None,
                    detail: None,
                    note: None,
                })
            }
        };
        // What no judge could read is unscored, not zero.
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

    /// Puts the stream where its last sitting left it: at the place of its one item, or behind what it
    /// has learnt from. `Some` is the first place that is still to be met.
    fn take_up(&self, piece: &Piece, stream: &mut QuestionStream) -> Result<Option<u64>, RunError> {
        if !piece.online {
            let Some((place, _)) = piece.items.first() else {
                return Ok(None);
            };
            let mut snapshot = stream.snapshot();
            if let Some(fields) = snapshot.as_object_mut() {
                fields.insert("place".to_owned(), json!(place));
            }
            let restored = stream.restore(&snapshot);
            restored.map_err(|e| RunError::Failed(e.to_string()))?;
            return Ok(None);
        }
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let Some(snapshot) = folder.snapshot(&piece.name())? else {
            return Ok(None);
        };
        let bad = |e: AgentError| RunError::usage(format!("{}: {e}", piece.name()));
        stream.restore(&snapshot).map_err(bad)?;
        Ok(snapshot.get("place").and_then(Value::as_u64))
    }

    /// The record of an item that was met at `place`; the settings in its header are those of the plan.
    fn held_at(&self, piece: &Piece, place: u64, item: &Item) -> Option<Answered> {
        let mut stream = self.stream(&piece.method, piece.stream).ok()?;
        let mut snapshot = stream.snapshot();
        let fields = snapshot.as_object_mut()?;
        fields.insert("place".to_owned(), json!(place));
        stream.restore(&snapshot).ok()?;
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
        if let Some(folder) = &self.folder
            && let Err(e) = folder.keep_snapshot(name, &stream.snapshot())
        {
            self.trouble(e);
        }
    }

    fn keep(&self, answered: Answered) {
        if let (Some(folder), false) = (&self.folder, answered.held)
            && let Err(e) = folder.keep(&answered.record, &answered.grade)
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
