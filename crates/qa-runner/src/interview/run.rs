//! Holding interviews: many at once where nothing is learnt from them, one after the other where
//! something is.

use super::plan::{CandidatePlan, InterviewDir, InterviewPlan, InterviewStream};
use super::summary::{InterviewSummary, summarise};
use agent_client::backend::AgentBackend;
use agent_client::interview::{CaseStudy, InterviewRecord, InterviewTeam, InterviewWork};
use agent_client::method::{LearningStream, Team};
use run_engine::clock::Stopwatch;
use run_engine::engine::drive::{Drive, RunHandle, UnitOutcome, drive};
use run_engine::engine::finished::{Finished, named};
use run_engine::engine::model::ask::{self, MAX_ATTEMPTS, ask, unless_stopped};
use run_engine::engine::model::backends::Models;
use run_engine::engine::model::memory::{MemoryLine, MemoryLog};
use run_engine::engine::workload::Resume;
use run_engine::error::RunError;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A finished interview.
pub(crate) struct Held {
    pub(crate) record: Box<InterviewRecord>,
    /// The changes that it made to the memory.
    pub(crate) learnt: Box<MemoryLine>,
}

/// The participants of an interview, from which streams are made.
#[derive(Clone)]
pub(crate) struct Participants {
    plan: Arc<InterviewPlan>,
    cases: Arc<Vec<CaseStudy>>,
    agent: Option<Arc<dyn AgentBackend>>,
    other_side: InterviewTeam,
}

impl Participants {
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
    pub(crate) fn stream(
        &self,
        line: &InterviewStream,
    ) -> Result<LearningStream<InterviewWork>, RunError> {
        let settings = self.plan.settings;
        let Some(first) = line.met.first() else {
            return Err(RunError::Failed("there is no interview to hold".to_owned()));
        };
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

/// Holds the interviews of `line` and reports the outcome of each.
pub(crate) async fn hold_line(
    company: Participants,
    mut stream: LearningStream<InterviewWork>,
    line: InterviewStream,
    mut memory: Option<MemoryLog>,
    handle: RunHandle<Held>,
) {
    let mut goes_on = true;
    // Interviews by rules take hardly any time. An interview that was begun is finished, so that a stopped
    // run has no gap, which `verify` would report as a removed record.
    let never = AtomicBool::new(false);
    let by_rules = company.plan.dialects().is_empty();
    for (number, _, case) in line.met {
        let stop = if by_rules { &never } else { handle.stop_flag() };
        let outcome = match company.cases.get(case) {
            Some(case) if goes_on => one(&mut stream, case, number, memory.as_mut(), stop).await,
            _ => UnitOutcome::Stopped,
        };
        goes_on &= matches!(outcome, UnitOutcome::Done(_));
        handle.report(number, outcome);
    }
}

async fn one(
    stream: &mut LearningStream<InterviewWork>,
    case: &CaseStudy,
    number: u64,
    memory: Option<&mut MemoryLog>,
    stop: &AtomicBool,
) -> UnitOutcome<Held> {
    let mut tries = 0;
    let record = loop {
        tries += 1;
        if stop.load(Ordering::Relaxed) {
            return UnitOutcome::Stopped;
        }
        match unless_stopped(stream.next(case), stop).await {
            None => return UnitOutcome::Stopped,
            Some(Ok(record)) => break record,
            Some(Err(e)) if e.class.is_transient() && tries < MAX_ATTEMPTS => {}
            Some(Err(error)) => return ask::failed(&error, tries),
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
        Ok(()) => UnitOutcome::Done(Held {
            record: Box::new(record),
            learnt: Box::new(line),
        }),
        Err(e) => UnitOutcome::Trouble(e),
    }
}

/// Holds every interview of `plan` that `folder` does not hold yet.
///
/// # Errors
/// When a model cannot be set up or the folder cannot be read or written. Failed interviews are
/// listed in what is returned; an exhausted budget is [`RunError::Budget`].
pub fn execute(
    plan: &InterviewPlan,
    how: &Resume<'_>,
    out: Option<&InterviewDir>,
) -> Result<Finished<InterviewSummary>, RunError> {
    let watch = Stopwatch::start();
    plan.check_version()?;
    let cases = plan.cases()?;
    let dialects = plan.dialects();
    let dir = out.map(InterviewDir::path);
    let mut held = match out {
        Some(dir) => dir.scan(Ok)?.results,
        None => Vec::new(),
    };
    let is_new = held.is_empty();
    let mut numbers = plan.numbers();
    let number =
        |record: &InterviewRecord| numbers.remove(&(record.header.stream, record.header.place));
    let done: BTreeSet<u64> = held.iter().filter_map(number).collect();
    if done.len() != held.len() {
        return Err(RunError::usage(
            "there is a record twice, or one that belongs to another run than the manifest",
        ));
    }
    let mut lines = Vec::new();
    for line in plan.lines() {
        lines.extend(left(line, &done)?);
    }
    let is_whole = lines.is_empty();
    let models = if is_whole {
        Models::of_finished(&dialects, out)?
    } else {
        Models::open_in(out, &plan.agent, &dialects, how.means)?
    };
    let company = Participants::new(plan, cases, Some(&models))?;
    let mut rows = Vec::new();
    for (line, leading) in lines {
        rows.push(row(&company, line, leading, dir)?);
    }
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
    let order: Vec<u64> = places.into_iter().map(|(_, _, number)| number).collect();
    let drives = Drive {
        units: "interviews",
        asked: order.len() as u64,
        status: Some(&models),
        progress: how.progress,
        stop: how.stop,
        out: dir,
    };
    let mut file = match out {
        Some(dir) if is_whole => dir.set_torn_aside().map(|()| None)?,
        Some(dir) => Some(dir.appender()?),
        None => None,
    };
    let feed = |handle: RunHandle<Held>| {
        let rows = rows.into_iter().map(|row| {
            let (company, handle) = (company.clone(), handle.clone());
            hold_line(company, row.stream, row.line, row.memory, handle)
        });
        ask(&handle, how.means, how.stop, rows)
    };
    let driven = drive(&drives, order, feed, |_, interview: Held| {
        if let Some(file) = &mut file {
            file.keep(&*interview.record)?;
            file.sync()?;
        }
        held.push(*interview.record);
        Ok(())
    })?;
    if let Some(dir) = out {
        dir.write_errors(&driven.errors("interview"))?;
        if !is_new {
            dir.sort_records(|record| (record.header.place, record.header.stream))?;
        }
        dir.check_still_there()?;
    }
    let unplayed = driven.left(&drives)?;
    let mut summary = summarise(plan, &held);
    if let CandidatePlan::Model(model) = &plan.candidate {
        summary.summary.set_sampling(&model.dialect);
    }
    if let Some(dir) = out {
        summary.summary.notes.clone_from(&dir.manifest.notes);
    }
    summary.summary.usage = models.usage();
    summary.summary.failed = driven.failures.len() as u64;
    summary.summary.count_failures(driven.failures.values());
    summary.summary.seconds = watch.elapsed().as_secs_f64();
    summary.summary.out = dir.map(|dir| dir.to_string_lossy().into_owned());
    let failures = driven.failures.into_iter();
    Ok(Finished {
        summary,
        steps: Vec::new(),
        failures: named(
            "interview",
            failures.map(|(number, failure)| (number, failure.error)),
        ),
        unplayed,
        unit: "interview",
        notes: Vec::new(),
    })
}

/// The line with the number of its interviews that have records, which are its first; `None` if nothing is
/// left of it.
fn left(
    line: InterviewStream,
    done: &BTreeSet<u64>,
) -> Result<Option<(InterviewStream, usize)>, RunError> {
    let leading = line
        .met
        .iter()
        .take_while(|met| done.contains(&met.0))
        .count();
    let mut behind = line.met.iter().skip(leading);
    if let Some(later) = behind.find(|met| done.contains(&met.0)) {
        return Err(RunError::usage(format!(
            "interview {} has a record, but one before it in stream {} has none: what the missing interview taught \
             cannot be restored, so play the run again in another folder",
            later.0, line.stream
        )));
    }
    Ok((leading < line.met.len()).then_some((line, leading)))
}

/// What is left of a line, with its stream and memory.
struct Row {
    line: InterviewStream,
    stream: LearningStream<InterviewWork>,
    memory: Option<MemoryLog>,
}

fn row(
    company: &Participants,
    mut line: InterviewStream,
    leading: usize,
    dir: Option<&Path>,
) -> Result<Row, RunError> {
    let mut stream = company.stream(&line)?;
    let behind: Vec<u64> = line.met.drain(..leading).map(|met| met.0).collect();
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
    Ok(Row {
        line,
        stream,
        memory,
    })
}
