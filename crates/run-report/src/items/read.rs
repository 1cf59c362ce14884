//! Reads folders of questions and interviews as runs of items.

use super::{Dirs, ItemRow, ItemRun, Measure};
use crate::runs::labels::tell_apart;
use crate::runs::parts::put_together;
use agent_client::interview::InterviewRecord;
use agent_client::method::ItemRecord;
use agent_client::wire::Dialect;
use qa_runner::interview::plan::{CandidatePlan, InterviewDir, InterviewPlan};
use qa_runner::qa::folder::{QaDir, records};
use qa_runner::qa::plan::QaPlan;
use qa_runner::{interview, qa};
use qa_scoring::Settings;
use run_engine::error::RunError;
use run_engine::plan::model::sampling_traits;
use run_engine::plan::setting::{in_words, leaves};
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::run_dir::{RunDir, RunPlan, manifest};
use run_engine::terminal::shown_path;
use run_engine::words::{counted, name_of};
use serde::Serialize;
use sim_core::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Whether the run in `path` holds interviews or answers to questions.
#[must_use]
pub fn is_items(path: &Path) -> bool {
    matches!(
        manifest::kind_of(path),
        Some(InterviewPlan::KEY | QaPlan::KEY)
    )
}

/// Whether the run in `path` holds answers to questions.
#[must_use]
pub fn is_questions(path: &Path) -> bool {
    manifest::kind_of(path) == Some(QaPlan::KEY)
}

/// Reads folders that hold items of one kind and puts shards of one run together; `None` if none of
/// them holds any.
///
/// # Errors
/// When kinds are mixed, a folder is named twice, one cannot be read, or shards overlap.
pub fn read_items(paths: &[PathBuf]) -> Result<Option<Vec<ItemRun>>, RunError> {
    let kinds: BTreeSet<_> = paths.iter().map(|path| manifest::kind_of(path)).collect();
    let is_of = |key: &&str| kinds.contains(&Some(*key));
    let Some(key) = [InterviewPlan::KEY, QaPlan::KEY]
        .iter()
        .find(|key| is_of(key))
    else {
        return Ok(None);
    };
    if kinds.len() > 1 {
        // A folder that does not exist is not of another kind.
        for path in paths {
            manifest::find(path)?;
        }
        return Err(RunError::usage(
            "episodes, interviews and answers to questions cannot be compared with each other; name \
             folders of one kind, or the folder that holds all of them",
        ));
    }
    let mut runs = if *key == InterviewPlan::KEY {
        let runs = put_together(paths)?.into_iter().map(of_interviews);
        runs.collect::<Result<Vec<_>, _>>()?
    } else {
        let runs = put_together(paths)?.into_iter().map(of_questions);
        runs.collect::<Result<Vec<_>, _>>()?
    };
    tell_apart(&mut runs);
    Ok(Some(runs))
}

/// Rows of all shards, by stream and place.
fn in_order(mut rows: Vec<ItemRow>, folder: &Path) -> Result<Vec<ItemRow>, RunError> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = rows.iter().find(|row| !seen.insert(row.header.key())) {
        return Err(RunError::usage(format!(
            "`{}` has two records in the run of {}; remove one of the two lines, or name the folders of \
             one division into shards",
            twice.header.item,
            shown_path(folder)
        )));
    }
    rows.sort_by(|a, b| {
        let key = |row: &ItemRow| (row.header.stream, row.header.place, row.header.item.clone());
        key(a).cmp(&key(b))
    });
    Ok(rows)
}

pub(super) fn digest(parts: &impl Serialize) -> Result<Digest, RunError> {
    Digest::of(parts).map_err(|e| RunError::Failed(e.to_string()))
}

fn no_folder() -> RunError {
    RunError::usage("there is no run in these folders")
}

/// A part of how scores are measured: what decides it, and its words.
fn part(decides: &impl Serialize, words: String) -> Result<(Digest, String), RunError> {
    Ok((digest(decides)?, words))
}

/// Names of participants, or the rules in their place.
fn names<'a>(dialects: impl IntoIterator<Item = &'a Dialect>) -> String {
    let names: Vec<String> = dialects.into_iter().map(Dialect::name).collect();
    if names.is_empty() {
        "rules".to_owned()
    } else {
        names.join(", ")
    }
}

fn of_interviews(dirs: Vec<InterviewDir>) -> Result<ItemRun, RunError> {
    let first = dirs.first().ok_or_else(no_folder)?;
    let (plan, folder) = (first.plan().whole(), first.path().to_owned());
    let mut rows = Vec::new();
    for (place, dir) in dirs.iter().enumerate() {
        let numbers = dir.plan().numbers();
        let found = dir.scan(|record| {
            let header = &record.header;
            let number = numbers.get(&(header.stream, header.place)).copied();
            let foreign = || {
                RunError::usage(format!(
                    "{}: place {} of stream {} has a record but is not part of the plan",
                    shown_path(dir.path()),
                    header.place,
                    header.stream
                ))
            };
            let number = number.ok_or_else(foreign)?;
            Ok(interview_row(record, (place, number)))
        })?;
        rows.extend(found.results);
    }
    let (interviewer, judges) = (names(&plan.interviewer), names(&plan.judges));
    Ok(ItemRun {
        about: interview::summary::about(&plan),
        mark: None,
        streams: plan.streams.unwrap_or(1),
        measured_by: format!("interviewer {interviewer}, marks by {judges}"),
        sample: None,
        measure: Measure::from([
            ("version", part(&plan.version, plan.version.to_string())?),
            ("interviewer", part(&plan.interviewer, interviewer)?),
            ("judge", part(&plan.judges, judges)?),
            (
                "rounds",
                part(&plan.settings, plan.settings.rounds.to_string())?,
            ),
        ]),
        items: digest(&plan.cases)?,
        asked: Some(plan.asked()),
        exact: plan.dialects().is_empty(),
        asking: match &plan.candidate {
            CandidatePlan::Model(model) => sampling_traits(&model.dialect),
            CandidatePlan::Script(_) => BTreeMap::new(),
        },
        verified: VerifyStatus::of_all(dirs.iter().map(RunDir::path))?,
        rows: in_order(rows, &folder)?,
        dirs: Dirs::Interviews(dirs),
        folder,
    })
}

fn interview_row(record: InterviewRecord, at: (usize, u64)) -> ItemRow {
    let interview = &record.interview;
    let facts = u32::try_from(interview.facts_unlocked.len()).unwrap_or(u32::MAX);
    let mut metrics = BTreeMap::from([
        ("rounds".to_owned(), f64::from(interview.rounds)),
        ("facts_unlocked".to_owned(), f64::from(facts)),
        ("redirects".to_owned(), f64::from(interview.redirects)),
    ]);
    if let Some(scores) = &interview.panel.scores {
        for (name, mark) in [
            ("structure", scores.structure),
            ("quant", scores.quant),
            ("business_sense", scores.business_sense),
            ("communication", scores.communication),
            ("mean4", scores.mean4()),
        ] {
            metrics.insert(name.to_owned(), mark);
        }
    }
    let spread = interview.panel.spread_of_judges();
    metrics.extend(spread.map(|spread| ("judges_spread".to_owned(), spread)));
    ItemRow {
        score: interview.panel.scores.as_ref().map(|scores| scores.overall),
        spread,
        used: record.used,
        header: record.header,
        metrics,
        at,
    }
}

fn of_questions(dirs: Vec<QaDir>) -> Result<ItemRun, RunError> {
    let first = dirs.first().ok_or_else(no_folder)?;
    let (plan, folder) = (first.plan().whole(), first.path().to_owned());
    let mut rows = Vec::new();
    for (place, dir) in dirs.iter().enumerate() {
        // A record without a grade is an error, as in every other command.
        records(dir)?;
        let found = dir.scan(Ok)?.results.into_iter().zip(0..);
        rows.extend(found.map(|(record, number)| question_row(record, (place, number))));
    }
    let (rules, judge) = (
        rules(&plan.scoring)?,
        plan.judge.as_ref().map(Dialect::name),
    );
    let sample = plan
        .items
        .map(|items| format!("{} a task by seed {}", counted(items, "item"), plan.seed.0));
    let judged = judge.iter().map(|judge| format!(", judge {judge}"));
    Ok(ItemRun {
        about: qa::summary::about(&plan),
        mark: None,
        streams: plan.streams,
        measured_by: std::iter::once(format!("rules {rules}"))
            .chain(judged)
            .collect(),
        sample,
        measure: Measure::from([
            ("version", part(&plan.version, plan.version.to_string())?),
            ("rules", part(&plan.scoring, rules)?),
            ("python", part(&plan.python, name_of(&plan.python)?)?),
            (
                "judge",
                part(&plan.judge, judge.unwrap_or_else(|| "none".to_owned()))?,
            ),
        ]),
        items: digest(&(
            &plan.tasks,
            plan.items,
            plan.shots,
            &plan.split,
            (plan.items.is_some() || plan.shots.is_some() || plan.split.is_some())
                .then_some(plan.seed),
        ))?,
        asked: first.manifest.units.map(|units| units.run),
        exact: false,
        asking: {
            let mut asking = sampling_traits(&plan.dialect);
            let shots = plan
                .shots
                .map(|shots| ("shots".to_owned(), format!("{shots} shots")));
            let roles = plan.roles.then(|| ("roles".to_owned(), "roles".to_owned()));
            asking.extend(shots.into_iter().chain(roles));
            asking
        },
        verified: VerifyStatus::of_all(dirs.iter().map(RunDir::path))?,
        rows: in_order(rows, &folder)?,
        dirs: Dirs::Questions(dirs),
        folder,
    })
}

/// The profile, with the rules that it does not imply.
fn rules(settings: &Settings) -> Result<String, RunError> {
    let usual = Settings {
        profile: settings.profile,
        ..Settings::default()
    };
    let of = |settings: &Settings| serde_json::to_value(settings).map(|value| leaves(&value));
    let failed = |e: serde_json::Error| RunError::Failed(e.to_string());
    let (ours, usual) = (of(settings).map_err(failed)?, of(&usual).map_err(failed)?);
    let other = ours
        .iter()
        .filter(|(path, value)| usual.get(*path) != Some(value));
    let other = other.map(|(path, value)| format!(", {}", in_words(path, value)));
    Ok(std::iter::once(settings.profile.to_string())
        .chain(other)
        .collect())
}

fn question_row(record: ItemRecord, at: (usize, u64)) -> ItemRow {
    ItemRow {
        score: record.grade.map(|grade| grade.score),
        used: record.used,
        header: record.header,
        metrics: BTreeMap::new(),
        spread: None,
        at,
    }
}
