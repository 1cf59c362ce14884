//! Verifies a folder of interviews: holds each of them again, with the stored replies of models.

use crate::interview::plan::{InterviewDir, InterviewPlan, InterviewStream};
use crate::interview::run::{Participants, hold_line};
use agent_client::interview::InterviewRecord;
use run_engine::engine::drive::RunHandle;
use run_engine::engine::verify::calls::Calls;
use run_engine::engine::verify::derive;
use run_engine::engine::verify::derive::{
    LinePlace, Made, ScorePair, StoredLines, all_made, find_removed, made_line, rederive,
    score_pairs,
};
use run_engine::engine::verify::lines;
use run_engine::engine::verify::memory;
use run_engine::error::RunError;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::outcome::{Check, Verified};
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use sim_core::Stored as _;
use std::collections::{BTreeMap, BTreeSet};

/// The interviews of a folder, ready to be held again.
struct Again {
    stored: StoredLines,
    calls: Option<Calls>,
    work: Vec<derive::Piece>,
    /// The interviews without a memory that have no record although later ones have.
    gaps: Vec<derive::Piece>,
    /// Number of records that belong to the plan.
    held: u64,
}

/// Checks the manifest and the set of interviews, and holds every interview again.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn verify(dir: &InterviewDir) -> Result<Verified, RunError> {
    let mut found = Verified::default();
    if let Err(e) = dir.plan().check_version() {
        found.find(Check::Manifest, "manifest.json", e.to_string());
        found.leave(Check::Replay, "the records", "the plan cannot be run");
        return Ok(found);
    }
    // Reading the folder has checked it.
    found.prove(Check::Manifest, "the plan");
    let Some(again) = prepare(dir, &mut found)? else {
        return Ok(found);
    };
    let same = rederive(again.work, &again.stored, &mut found)?;
    let what = format!("{}, with their marks", counted(same, "interview"));
    let whole = same == again.held;
    match again.calls {
        Some(calls) => {
            calls.check_learnt(&dir.manifest.learnt, &mut found);
            calls.settle(whole.then_some(what), &again.stored.causes(), &mut found);
        }
        None if whole => found.prove(Check::Decisions, format!("{what}, repeated by rules")),
        None => {}
    }
    find_removed(again.gaps, dir, &mut found)?;
    Ok(found)
}

/// The stored overall marks of the interviews in `dir` beside those that this program gives to the
/// same answers.
///
/// # Errors
/// When the folder cannot be read, or the records do not belong to the plan.
pub fn rescore(dir: &InterviewDir) -> Result<Vec<ScorePair>, RunError> {
    let mut found = Verified::default();
    let again = prepare(dir, &mut found)?;
    if found.failed(Check::Records) || found.failed(Check::Calls) {
        let text = format!("{}: {}", shown_path(dir.path()), found.in_short());
        return Err(RunError::usage(text));
    }
    again.map_or(Ok(Vec::new()), |again| {
        let score = "/interview/panel/scores/overall";
        score_pairs(again.work, &again.stored, Check::Decisions, score)
    })
}

/// Reads the records, the memories and the calls of `dir`; `None` if there are no records, or no
/// calls although models were asked.
fn prepare(dir: &InterviewDir, found: &mut Verified) -> Result<Option<Again>, RunError> {
    let plan = dir.plan();
    found.torn = dir.torn_bytes()?;
    let cases = plan.cases()?;
    let lines = plan.lines();
    found.planned = Some(lines.iter().map(|line| line.met.len() as u64).sum());
    let mut stored = StoredLines::default();
    let (held, places) = read(dir, &mut stored, found)?;
    found.claim_records(InterviewPlan::UNIT);
    let asks = !plan.dialects().is_empty();
    found.claim_order(dir, &places, asks);
    if held.is_empty() {
        return Ok(None);
    }
    let dialects = plan.dialects();
    let mut calls = None;
    if !dialects.is_empty() {
        let Some(found) = Calls::open(dir.path(), &plan.agent, &dialects, found)? else {
            return Ok(None);
        };
        calls = Some(found);
    }
    let models = match &calls {
        Some(calls) => Some(calls.models(&dialects)?),
        None => None,
    };
    let company = Participants::new(plan, cases, models.as_ref())?;
    let (mut work, mut gaps) = (Vec::<derive::Piece>::new(), Vec::<derive::Piece>::new());
    for mut line in lines {
        if plan.streams.is_none()
            && let [(number, ..)] = line.met[..]
            && !held.contains(&number)
            && Some(&number) < held.last()
        {
            gaps.push(Box::pin(piece(&company, plan, line)?));
            continue;
        }
        let last = line.met.iter().rposition(|met| held.contains(&met.0));
        line.met.truncate(last.map_or(0, |last| last + 1));
        if line.met.is_empty() {
            continue;
        }
        if plan.streams.is_some() {
            let met: Vec<u64> = line.met.iter().map(|met| met.0).collect();
            memory::read(dir.path(), line.stream, &met, &mut stored, found)?;
        }
        for missing in line.met.iter().filter(|met| !held.contains(&met.0)) {
            let what = format!(
                "it has no record, but a later one in stream {} has",
                line.stream
            );
            found.find(Check::Records, format!("interview {}", missing.0), what);
        }
        work.push(Box::pin(piece(&company, plan, line)?));
    }
    Ok(Some(Again {
        stored,
        calls,
        work,
        gaps,
        held: held.len() as u64,
    }))
}

fn record_at(number: u64) -> LinePlace {
    (InterviewPlan::RECORDS.to_owned(), number.to_string())
}

/// Numbers of interviews, and place and stream of each of them.
type Held = (BTreeSet<u64>, Vec<(u64, u64)>);

/// Reads the records; returns the numbers of the interviews that have one, and the place and stream of
/// each in the order of the file.
fn read(
    folder: &InterviewDir,
    stored: &mut StoredLines,
    found: &mut Verified,
) -> Result<Held, RunError> {
    let numbers = folder.plan().numbers();
    let streams = folder.plan().streams.is_some();
    let (mut held, mut places) = (BTreeSet::new(), Vec::new());
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    lines::each(
        folder.path(),
        InterviewPlan::RECORDS,
        Check::Records,
        found,
        |line, found| {
            let place = format!("{} line {}", InterviewPlan::RECORDS, line.number);
            found.records += 1;
            let record = match InterviewRecord::read(line.value) {
                Ok(record) => record,
                Err(e) => return found.find(Check::Records, place, e.to_string()),
            };
            let (stream, at) = (record.header.stream, record.header.place);
            let Some(number) = numbers.get(&(stream, at)) else {
                let what = format!("place {at} of stream {stream} is not part of the plan");
                return found.find(Check::Records, place, what);
            };
            if let Some(first) = stored.add(record_at(*number), line.number, line.text) {
                let what = format!("line {first} is already a record of interview {number}");
                return found.find(Check::Records, place, what);
            }
            held.insert(*number);
            places.push((at, stream));
            let before = last.insert(stream, at);
            if streams && before.is_some_and(|before| before > at) {
                let what = "it follows a record that comes later in its stream";
                found.find(Check::Order, place, what);
            }
        },
    )?;
    Ok((held, places))
}

/// The work of a line, which neither writes files nor sends requests.
fn piece(
    company: &Participants,
    plan: &InterviewPlan,
    line: InterviewStream,
) -> Result<impl Future<Output = Vec<Made>> + Send + use<>, RunError> {
    let stream = company.stream(&line)?;
    let (company, with_memory) = (company.clone(), plan.streams.is_some());
    Ok(async move {
        let number = line.stream;
        let met: Vec<u64> = line.met.iter().map(|met| met.0).collect();
        let (handle, outcomes) = RunHandle::new(met.len());
        hold_line(company, stream, line, None, handle).await;
        all_made(&outcomes, &met, "interview", |interview, held| {
            let record = made_line(Check::Decisions, record_at(interview), &*held.record)?;
            let place = memory::at(number, interview);
            let learnt = with_memory.then(|| made_line(Check::Files, place, &*held.learnt));
            Ok(std::iter::once(record).chain(learnt.transpose()?).collect())
        })
    })
}
