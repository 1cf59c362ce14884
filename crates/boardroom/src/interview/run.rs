//! Holding interviews: many at once where nothing is learnt from them, one after the other where
//! something is.

use super::folder::InterviewFolder;
use super::plan::{CandidatePlan, InterviewPlan, Line};
use super::summary::{InterviewSummary, summarise};
use crate::clock::Stopwatch;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::model::Means;
use crate::model::backends::Models;
use crate::model::live::Live;
use crate::model::memory::{MemoryLine, MemoryLog};
use crate::model::run::{CONCURRENCY, runtime};
use crate::model::sequence::Sequence;
use crate::model::sit::{LOOK, unless_stopped};
use agent_client::backend::AgentBackend;
use agent_client::interview::{CaseStudy, InterviewRecord, InterviewTeam, InterviewWork};
use agent_client::method::{LearningStream, Team};
use agent_client::parallel::in_order;
use agent_client::{AgentError, ErrorClass};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Times that an interview is begun anew after a failure that may pass; answered requests are not
/// asked again.
const SITTINGS: u32 = 3;

/// What a run came to.
#[derive(Debug)]
pub struct InterviewsFinished {
    /// Marks and costs.
    pub summary: InterviewSummary,
    /// What failed, by number, with the reason.
    pub failures: BTreeMap<u64, String>,
    /// Interviews that were not held because the run was stopped.
    pub unheld: u64,
}

pub(crate) enum Outcome {
    /// The record, and the changes that it made to the memory.
    Held(Box<InterviewRecord>, Box<MemoryLine>),
    Stopped,
    Failed(AgentError),
    Trouble(RunError),
}

/// Everybody at the table, to make streams from.
#[derive(Clone)]
pub(crate) struct Company {
    plan: Arc<InterviewPlan>,
    cases: Arc<Vec<CaseStudy>>,
    agent: Option<Arc<dyn AgentBackend>>,
    other_side: InterviewTeam,
}

impl Company {
    /// All participants of `plan`; `models` belong to its dialects, in the same order.
    pub(crate) fn new(
        plan: &InterviewPlan,
        cases: Vec<CaseStudy>,
        models: Option<&Models>,
    ) -> Result<Self, RunError> {
        let mut backends = Vec::new();
        for place in 0..plan.dialects().len() {
            let missing = || RunError::Failed("there is no model to ask".to_owned());
            backends.push(models.ok_or_else(missing)?.backend(place)?);
        }
        let mut backends = backends.into_iter();
        let agent = match &plan.candidate {
            CandidatePlan::Model(_) => backends.next(),
            CandidatePlan::Script(_) => None,
        };
        let interviewer = plan.interviewer.as_ref().and_then(|_| backends.next());
        Ok(Self {
            plan: Arc::new(plan.clone()),
            cases: Arc::new(cases),
            agent,
            other_side: InterviewTeam {
                interviewer,
                judges: backends.collect(),
            },
        })
    }

    /// The stream of a line, at its beginning.
    pub(crate) fn stream(&self, line: &Line) -> Result<LearningStream<InterviewWork>, RunError> {
        let settings = self.plan.settings;
        let first = line.met.first().copied().unwrap_or_default();
        let trial = self.plan.trial(first.0);
        let other_side = self.other_side.clone();
        let stream = match (&self.plan.candidate, self.plan.script()?, &self.agent) {
            (CandidatePlan::Model(model), _, Some(agent)) => LearningStream::new(
                Team::of(Arc::clone(agent)),
                model
                    .method
                    .make()
                    .map_err(|e| RunError::usage(e.message))?,
                InterviewWork::new(other_side, model.feedback, settings, line.stream, trial),
            ),
            (_, Some(script), _) => {
                LearningStream::scripted(script, other_side, settings, line.stream, trial)
            }
            _ => return Err(RunError::Failed("there is no candidate".to_owned())),
        };
        Ok(stream.at(first.1))
    }
}

/// Holds the interviews of `line` and tells what became of each.
pub(crate) async fn hold_line(
    company: Company,
    mut stream: LearningStream<InterviewWork>,
    line: Line,
    mut memory: Option<MemoryLog>,
    stop: Arc<AtomicBool>,
    told: UnboundedSender<(u64, Outcome)>,
) {
    let mut goes_on = true;
    for (number, _, case) in line.met {
        let outcome = match company.cases.get(case) {
            Some(case) if goes_on => one(&mut stream, case, number, memory.as_mut(), &stop).await,
            _ => Outcome::Stopped,
        };
        goes_on &= matches!(outcome, Outcome::Held(..));
        // Nobody listens any more only when the run is being dropped.
        let _ = told.send((number, outcome));
    }
}

async fn one(
    stream: &mut LearningStream<InterviewWork>,
    case: &CaseStudy,
    number: u64,
    memory: Option<&mut MemoryLog>,
    stop: &AtomicBool,
) -> Outcome {
    let mut sitting = 0;
    let record = loop {
        sitting += 1;
        if stop.load(Ordering::Relaxed) {
            return Outcome::Stopped;
        }
        match unless_stopped(stream.next(case), stop).await {
            None => return Outcome::Stopped,
            Some(Ok(record)) => break record,
            Some(Err(e)) if e.class.is_transient() && sitting < SITTINGS => {}
            Some(Err(e)) => return Outcome::Failed(e),
        }
    };
    let line = MemoryLine {
        episode: number,
        before: record.memory,
        ops: record.ops.clone(),
        snapshot: stream.snapshot(),
    };
    // Before the record, so that every record has its memory.
    match memory.map_or(Ok(()), |log| log.keep(&line)) {
        Ok(()) => Outcome::Held(Box::new(record), Box::new(line)),
        Err(e) => Outcome::Trouble(e),
    }
}

/// Holds every interview of `plan` that `folder` does not hold yet.
///
/// # Errors
/// When a model cannot be set up or the folder cannot be read or written. Failed interviews are
/// listed in what is returned; an exhausted budget is [`RunError::Budget`].
pub fn execute(
    plan: &InterviewPlan,
    means: &Means,
    folder: Option<&InterviewFolder>,
    progress: bool,
    stopped: &AtomicBool,
) -> Result<InterviewsFinished, RunError> {
    let watch = Stopwatch::start();
    let cases = plan.cases()?;
    let dialects = plan.dialects();
    let dir = folder.map(InterviewFolder::path);
    let models = Models::open(&plan.agent, &dialects, means, dir)?;
    let company = Company::new(plan, cases, Some(&models))?;
    let mut held = match folder {
        Some(folder) => folder.records()?,
        None => Vec::new(),
    };
    let done: BTreeSet<u64> = held.iter().filter_map(|r| plan.number(r)).collect();
    if done.len() != held.len() {
        return Err(RunError::usage(
            "there is a record twice, or one that belongs to another run than the manifest",
        ));
    }
    let before = held.len() as u64;
    let mut rows = Vec::new();
    for line in plan.lines() {
        rows.extend(row(&company, line, &done, dir)?);
    }
    let asked: u64 = rows.iter().map(|row| row.line.met.len() as u64).sum();
    let mut places: Vec<(u64, u64, u64)> = rows
        .iter()
        .flat_map(|row| {
            row.line
                .met
                .iter()
                .map(|met| (met.1, row.line.stream, met.0))
        })
        .collect();
    places.sort_unstable();
    let mut sequence = Sequence::new(places.into_iter().map(|(_, _, number)| number));
    let stop = Arc::new(AtomicBool::new(false));
    let (told, mut heard) = unbounded_channel();
    let (mut failures, mut trouble, mut budget) = (BTreeMap::new(), None, None);
    let mut hear = |number: u64, outcome: Outcome| {
        let record = match outcome {
            Outcome::Held(record, _) => Some(record),
            Outcome::Stopped => None,
            Outcome::Trouble(e) => {
                trouble.get_or_insert(e);
                stop.store(true, Ordering::Relaxed);
                None
            }
            Outcome::Failed(e) => {
                if e.class.stops_the_run() {
                    stop.store(true, Ordering::Relaxed);
                }
                if e.class == ErrorClass::Budget {
                    budget.get_or_insert(e.to_string());
                } else {
                    failures.insert(number, e.to_string());
                }
                None
            }
        };
        for record in sequence.take(number, record) {
            let kept = folder.map_or(Ok(()), |folder| folder.keep(&record));
            if let Err(e) = kept {
                trouble.get_or_insert(e);
                stop.store(true, Ordering::Relaxed);
            }
            held.push(*record);
        }
        held.len() as u64 - before
    };
    let live = Live::new(asked, "interviews", progress);
    let finishing = Finishing::begin();
    runtime()?.block_on(async {
        let pieces = rows.into_iter().map_while(|row| {
            let over = stop.load(Ordering::Relaxed) || stopped.load(Ordering::Relaxed);
            let (company, stop, told) = (company.clone(), Arc::clone(&stop), told.clone());
            (!over).then(|| hold_line(company, row.stream, row.line, row.memory, stop, told))
        });
        let at_once = means.concurrency.unwrap_or(CONCURRENCY).max(1);
        let work = in_order(pieces, at_once, |_, ()| {});
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                Some((number, outcome)) = heard.recv() => live.show(hear(number, outcome), &models),
                () = tokio::time::sleep(LOOK) => {}
            }
            if stopped.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        while let Ok((number, outcome)) = heard.try_recv() {
            hear(number, outcome);
        }
    });
    live.finish();
    for record in sequence.rest() {
        folder.map_or(Ok(()), |folder| folder.keep(&record))?;
        held.push(*record);
    }
    drop(finishing);
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    if let Some(folder) = folder {
        let lines: Vec<_> = failures
            .iter()
            .map(|(number, error)| json!({"interview": number, "error": error}))
            .collect();
        folder.write_errors(&lines)?;
    }
    let unheld = asked - (held.len() as u64 - before) - failures.len() as u64;
    let mut summary = summarise(plan, &held);
    summary.summary.usage = models.usage();
    summary.summary.failed = failures.len() as u64;
    summary.summary.seconds = watch.elapsed().as_secs_f64();
    summary.summary.out = dir.map(|dir| dir.display().to_string());
    if let Some(message) = budget {
        let resume = dir.map_or_else(String::new, |dir| {
            let dir = dir.display();
            format!("; `boardroom resume {dir} --max-cost <more> --prices <file>` goes on")
        });
        return Err(RunError::Budget(format!(
            "{message}; {unheld} interviews are left{resume}"
        )));
    }
    Ok(InterviewsFinished {
        summary,
        failures,
        unheld,
    })
}

/// A line with its stream and memory, where something of it is left.
struct Row {
    line: Line,
    stream: LearningStream<InterviewWork>,
    memory: Option<MemoryLog>,
}

fn row(
    company: &Company,
    mut line: Line,
    done: &BTreeSet<u64>,
    dir: Option<&Path>,
) -> Result<Option<Row>, RunError> {
    let mut stream = company.stream(&line)?;
    let leading = line
        .met
        .iter()
        .take_while(|met| done.contains(&met.0))
        .count();
    let behind: Vec<u64> = line.met.drain(..leading).map(|met| met.0).collect();
    if let Some(later) = line.met.iter().find(|met| done.contains(&met.0)) {
        return Err(RunError::usage(format!(
            "interview {} has a record, but one before it in stream {} has none",
            later.0, line.stream
        )));
    }
    if line.met.is_empty() {
        return Ok(None);
    }
    let mut memory = None;
    if let (Some(dir), Some(_)) = (dir, company.plan.streams) {
        let (log, snapshot) = MemoryLog::open(dir, line.stream, &behind)?;
        if let Some(snapshot) = snapshot {
            stream
                .restore(&snapshot)
                .map_err(|e| RunError::usage(e.message))?;
        }
        memory = Some(log);
    }
    Ok(Some(Row {
        line,
        stream,
        memory,
    }))
}
