//! Verifies a folder of interviews: holds each of them again, with the stored replies of models.

use crate::interview::plan::{InterviewDir, InterviewPlan, Line};
use crate::interview::run::{Participants, hold_line};
use agent_client::interview::InterviewRecord;
use run_engine::engine::drive::RunHandle;
use run_engine::engine::verify::calls::Calls;
use run_engine::engine::verify::derive::{Made, Place, Stored, all_made, made_line, rederive};
use run_engine::engine::verify::lines;
use run_engine::engine::verify::memory;
use run_engine::error::RunError;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::outcome::{Check, Verified};
use run_engine::words::counted;
use sim_core::Stored as _;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the manifest and the set of interviews, and holds every interview again.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn verify(folder: &InterviewDir) -> Result<Verified, RunError> {
    let plan = folder.plan();
    let mut found = Verified {
        torn: folder.torn_bytes()?,
        ..Verified::default()
    };
    // Reading the folder has checked it.
    found.prove(Check::Manifest, "the plan");
    let cases = plan.cases()?;
    let lines = plan.lines();
    let planned: u64 = lines.iter().map(|line| line.met.len() as u64).sum();
    found.planned = Some(planned);
    let mut stored = Stored::default();
    let (held, places) = read(folder, &lines, &mut stored, &mut found)?;
    found.claim_records(InterviewPlan::UNIT);
    found.claim_order(folder, InterviewPlan::RECORDS, &places);
    let dialects = plan.dialects();
    let calls = if dialects.is_empty() || held.is_empty() {
        None
    } else {
        match Calls::open(folder.path(), &plan.agent, &dialects, &mut found)? {
            Some(calls) => Some(calls),
            None => return Ok(found),
        }
    };
    let models = match &calls {
        Some(calls) => Some(calls.models(&dialects)?),
        None => None,
    };
    if held.is_empty() {
        return Ok(found);
    }
    let company = Participants::new(plan, cases, models.as_ref())?;
    let mut pieces = Vec::new();
    for mut line in lines {
        let last = line.met.iter().rposition(|met| held.contains(&met.0));
        line.met.truncate(last.map_or(0, |last| last + 1));
        if line.met.is_empty() {
            continue;
        }
        if plan.streams.is_some() {
            let met: Vec<u64> = line.met.iter().map(|met| met.0).collect();
            memory::read(folder.path(), line.stream, &met, &mut stored, &mut found)?;
        }
        for missing in line.met.iter().filter(|met| !held.contains(&met.0)) {
            let what = format!(
                "it has no record, but a later one in stream {} has",
                line.stream
            );
            found.find(Check::Records, format!("interview {}", missing.0), what);
        }
        pieces.push(piece(&company, plan, line)?);
    }
    let same = rederive(pieces, &stored, &mut found)?;
    let what = format!("{}, with their marks", counted(same, "interview"));
    let whole = same == held.len() as u64;
    match calls {
        Some(calls) => calls.settle(whole.then_some(what), &mut found),
        None if whole => found.prove(Check::Decisions, format!("{what}, held again by rules")),
        None => {}
    }
    Ok(found)
}

fn record_at(number: u64) -> Place {
    (InterviewPlan::RECORDS.to_owned(), number.to_string())
}

/// Reads the records; returns the numbers of the interviews that have one, and the place and stream of
/// each in the order of the file.
fn read(
    folder: &InterviewDir,
    lines: &[Line],
    stored: &mut Stored,
    found: &mut Verified,
) -> Result<(BTreeSet<u64>, Vec<(u64, u64)>), RunError> {
    let numbers: BTreeMap<(u64, u64), u64> = lines
        .iter()
        .flat_map(|line| line.met.iter().map(|met| ((line.stream, met.1), met.0)))
        .collect();
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
    line: Line,
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
