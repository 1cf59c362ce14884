//! Verifies a folder of answers to questions: derives each answer again from the stored replies, and
//! judges it again.

use super::remade::Share;
use crate::qa::folder::{GRADES, QaDir};
use crate::qa::pieces::{Piece, pieces};
use crate::qa::plan::{QaPlan, Questions};
use agent_client::method::ItemRecord;
use agent_client::wire::Dialect;
use qa_scoring::{Task, VERSION};
use run_engine::engine::verify::calls::Calls;
use run_engine::engine::verify::derive;
use run_engine::engine::verify::derive::{
    ScorePair, StoredLines, find_removed, rederive, score_pairs,
};
use run_engine::engine::verify::lines;
use run_engine::error::RunError;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::outcome::{Check, Verified};
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use serde_json::Value;
use sim_core::{Digest, Stored as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Position of an answer: number of the piece, and place in it.
type Met = BTreeMap<Digest, (usize, u64)>;

/// The answers of a folder, ready to be derived again.
struct Again {
    stored: StoredLines,
    calls: Calls,
    work: Vec<derive::Piece>,
    /// The items without a memory that have no record although later ones have.
    gaps: Vec<derive::Piece>,
    /// Number of records that belong to the plan.
    held: u64,
}

/// Checks the manifest and the set of answers, and derives and judges every answer again.
///
/// # Errors
/// When the folder or the questions cannot be read.
pub(crate) fn verify(dir: &QaDir) -> Result<Verified, RunError> {
    let plan = dir.plan();
    let mut found = Verified::default();
    // The grades of an older version are derived with the present rules: grades that the rules changed
    // are findings, because they cannot be told from forged ones.
    if plan.version > VERSION
        && let Err(e) = plan.check_version()
    {
        found.find(Check::Manifest, "manifest.json", e.to_string());
        found.leave(Check::Replay, "the records", "the plan cannot be run");
        return Ok(found);
    }
    found.prove(Check::Manifest, "the plan");
    let Some(again) = prepare(dir, &mut found)? else {
        return Ok(found);
    };
    let same = rederive(again.work, &again.stored, &mut found)?;
    let whole = same == again.held && same > 0;
    let what = format!("{}, with their grades", counted(same, "answer"));
    again.calls.check_learnt(&dir.manifest.learnt, &mut found);
    let causes = again.stored.causes();
    again
        .calls
        .settle(whole.then_some(what), &causes, &mut found);
    find_removed(again.gaps, dir, &mut found)?;
    found.leave(
        Check::Records,
        "that the questions are the published ones",
        format!("they are read from {}", shown_path(&plan.data)),
    );
    Ok(found)
}

/// The stored scores of the answers in `dir` beside those that this program gives to the same replies.
///
/// # Errors
/// When the folder or the questions cannot be read, or the records do not belong to the plan.
pub fn rescore(dir: &QaDir) -> Result<Vec<ScorePair>, RunError> {
    let mut found = Verified::default();
    match prepare(dir, &mut found)? {
        Some(again) if !found.failed(Check::Records) && !found.failed(Check::Calls) => {
            score_pairs(again.work, &again.stored, Check::Decisions, "/grade/score")
        }
        _ => Err(RunError::usage(format!(
            "{}: {}",
            shown_path(dir.path()),
            found.in_short()
        ))),
    }
}

/// Reads the records, the grades, the memories and the calls of `dir`; `None` if the questions have
/// changed or there are no calls.
fn prepare(dir: &QaDir, found: &mut Verified) -> Result<Option<Again>, RunError> {
    let (path, plan) = (dir.path(), dir.plan());
    let Some(questions) = questions(plan, found)? else {
        return Ok(None);
    };
    let pieces = pieces(plan, &questions)?;
    let planned = pieces.iter().map(|piece| piece.items.len() as u64).sum();
    found.planned = Some(planned);
    if let Some(stated) = dir.manifest.units.filter(|units| units.folder != planned) {
        let what = format!(
            "`units` states {} for this folder, and its plan has {planned}",
            counted(stated.folder, "question")
        );
        found.find(Check::Manifest, "manifest.json", what);
    }
    found.records = dir.records()?;
    let dialects: Vec<&Dialect> = std::iter::once(&plan.dialect).chain(&plan.judge).collect();
    let Some(calls) = Calls::open(path, &plan.agent, &dialects, found)? else {
        return Ok(None);
    };
    let share = Share::new(plan, &questions, &calls.models(&dialects)?)?;
    let mut met = Met::new();
    for (number, piece) in pieces.iter().enumerate() {
        let places = piece.items.iter().map(|item| (number, item.0));
        met.extend(share.keys(piece)?.into_iter().zip(places));
    }
    let mut stored = StoredLines::default();
    let (held, places) = records(path, &met, &pieces, &mut stored, found)?;
    found.claim_records(QaPlan::UNIT);
    found.claim_order(dir, &places, true);
    grades(path, &held, &mut stored, found)?;
    let mut there: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
    for (number, place) in held.iter().filter_map(|key| met.get(key)) {
        there.entry(*number).or_default().insert(*place);
    }
    let end = there.keys().next_back().copied();
    let (mut work, mut gaps) = (Vec::<derive::Piece>::new(), Vec::<derive::Piece>::new());
    for (number, mut piece) in pieces.into_iter().enumerate() {
        let Some(places) = there.get(&number) else {
            if !piece.online && Some(number) < end {
                gaps.push(Box::pin(share.again(path, piece, &mut stored, found)?));
            }
            continue;
        };
        // Each answer depends on what was learnt from the answers before it.
        piece.items.retain(|item| Some(&item.0) <= places.last());
        for (_, item) in piece.items.iter().filter(|item| !places.contains(&item.0)) {
            let what = "it has no record, but a later one in its stream has";
            found.find(Check::Records, &*item.id, what);
        }
        work.push(Box::pin(share.again(path, piece, &mut stored, found)?));
    }
    Ok(Some(Again {
        stored,
        calls,
        work,
        gaps,
        held: held.len() as u64,
    }))
}

/// The questions of the plan; `None` if they have changed.
fn questions(
    plan: &QaPlan,
    found: &mut Verified,
) -> Result<Option<BTreeMap<Task, Questions>>, RunError> {
    plan.check_data()?;
    let (mut all, mut same) = (BTreeMap::new(), true);
    for task in &plan.tasks {
        let read = Questions::read(&plan.data, task.task)?;
        if read.digest()? != task.digest {
            let what = format!(
                "they are not the questions of {} that were asked",
                task.task
            );
            found.find(Check::Records, shown_path(&plan.data), what);
            same = false;
        }
        all.insert(task.task, read);
    }
    Ok(same.then_some(all))
}

/// Keys of answers, and the position of each of them.
type Held = (BTreeSet<Digest>, Vec<(usize, u64)>);

/// Reads the records; returns the keys of those that belong to the plan, and their positions in the
/// order of the file.
fn records(
    path: &Path,
    met: &Met,
    pieces: &[Piece],
    stored: &mut StoredLines,
    found: &mut Verified,
) -> Result<Held, RunError> {
    let (mut held, mut places) = (BTreeSet::new(), Vec::new());
    let mut last: BTreeMap<usize, u64> = BTreeMap::new();
    let ends = lines::each(
        path,
        QaPlan::RECORDS,
        Check::Records,
        found,
        |line, found| {
            let place = format!("{} line {}", QaPlan::RECORDS, line.number);
            let record = match ItemRecord::read(line.value) {
                Ok(record) => record,
                Err(e) => return found.find(Check::Records, place, e.to_string()),
            };
            let key = record.header.key();
            let Some((number, at)) = met.get(&key) else {
                let item = &record.header.item;
                let what =
                    format!("the header of `{item}` does not belong to the run in the manifest");
                return found.find(Check::Records, place, what);
            };
            let at_key = (QaPlan::RECORDS.to_owned(), key.to_string());
            if let Some(first) = stored.add(at_key, line.number, line.text) {
                let what = format!("line {first} is a record of the same answer");
                return found.find(Check::Records, place, what);
            }
            held.insert(key);
            places.push((*number, *at));
            let before = last.insert(*number, *at);
            let online = pieces.get(*number).is_some_and(|piece| piece.online);
            if online && before.is_some_and(|before| before > *at) {
                let what = "it follows a record that comes later in its stream";
                found.find(Check::Order, place, what);
            }
        },
    )?;
    found.torn = ends.map_or(0, |ends| ends.torn);
    Ok((held, places))
}

/// Reads the grades of the records `held`. A grade is written before its record, so a killed process
/// may leave a grade twice, or a grade without a record.
fn grades(
    path: &Path,
    held: &BTreeSet<Digest>,
    stored: &mut StoredLines,
    found: &mut Verified,
) -> Result<(), RunError> {
    let keys: BTreeSet<String> = held.iter().map(Digest::to_string).collect();
    let mut alone = 0;
    lines::each(path, GRADES, Check::Judgements, found, |line, found| {
        let place = format!("{GRADES} line {}", line.number);
        let key = line
            .value
            .get("key")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let Some(key) = key else {
            return found.find(
                Check::Judgements,
                place,
                "it does not name the answer that it grades",
            );
        };
        if !keys.contains(&key) {
            alone += 1;
            return;
        }
        let at = (GRADES.to_owned(), key);
        let same = stored.text(&at) == Some(line.text.as_str());
        if let (Some(first), false) = (stored.add(at, line.number, line.text), same) {
            let what = format!("line {first} grades the same answer in another way");
            found.find(Check::Judgements, place, what);
        }
    })?;
    if alone > 0 {
        let text = format!("{GRADES}: {} without a record", counted(alone, "line"));
        found.remarks.push(text);
    }
    Ok(())
}
