//! Runs of items (interviews and answers to questions) read side by side, for `compare` and
//! `export`. They have no episodes, so nothing of theirs can be played again or drawn as a curve.

pub mod table;

use crate::compare::{Comparison, Measured, Met, Scale, Work, compare_measured};
use crate::runs::labels::{Named, tell_apart};
use crate::runs::parts::put_together;
use agent_client::interview::InterviewRecord;
use agent_client::method::{ItemHeader, ItemRecord};
use qa_runner::interview::plan::{CandidatePlan, InterviewDir, InterviewPlan};
use qa_runner::qa::folder::{QaDir, records};
use qa_runner::qa::plan::QaPlan;
use run_engine::error::RunError;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::run_dir::{RunPlan, manifest};
use run_engine::words::counted;
use serde::Serialize;
use sim_core::{Digest, Sense};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which kind of items a run holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// Consulting interviews.
    Interviews,
    /// Answers to questions.
    Questions,
}

/// A run of items, read from one folder or from those of its shards.
#[derive(Debug)]
pub struct ItemRun {
    kind: ItemKind,
    /// The first of its folders.
    folder: PathBuf,
    version: u32,
    preset: String,
    agent: String,
    /// What tells it from other runs of the same name that were read with it.
    mark: Option<String>,
    seed: u64,
    /// Times that the items were met, each in an order of its own.
    streams: u64,
    /// What must be equal for two runs to be measured alike: rules, interviewer, judges.
    measure: Digest,
    /// Digest of what decides the items.
    items: Digest,
    /// Items that were to be met; absent where only the files of the questions say.
    asked: Option<u64>,
    exact: bool,
    /// Whether the records were verified.
    verified: VerifyStatus,
    rows: Vec<ItemRow>,
}

/// One item that was met.
#[derive(Debug)]
struct ItemRow {
    header: ItemHeader,
    /// Absent where no mark could be read.
    score: Option<f64>,
    metrics: BTreeMap<String, f64>,
}

/// The kind of items that the run in `path` holds; `None` where it holds none.
#[must_use]
pub fn item_kind(path: &Path) -> Option<ItemKind> {
    if manifest::has(path, InterviewPlan::KEY) {
        Some(ItemKind::Interviews)
    } else if manifest::has(path, QaPlan::KEY) {
        Some(ItemKind::Questions)
    } else {
        None
    }
}

/// Reads folders that hold items of one kind and puts shards of one run together; `None` where
/// none of them holds any.
///
/// # Errors
/// When kinds are mixed, a folder is named twice, one cannot be read, or shards overlap.
pub fn read_items(paths: &[PathBuf]) -> Result<Option<Vec<ItemRun>>, RunError> {
    let kinds: Vec<_> = paths.iter().map(|path| item_kind(path)).collect();
    let Some(kind) = kinds.iter().flatten().next().copied() else {
        return Ok(None);
    };
    if kinds.iter().any(|other| *other != Some(kind)) {
        return Err(RunError::usage(
            "episodes, interviews and answers to questions do not go into one table; name folders \
             of one kind",
        ));
    }
    let mut runs = match kind {
        ItemKind::Interviews => put_together(paths)?
            .iter()
            .filter_map(|folders| interviews(folders).transpose())
            .collect::<Result<Vec<_>, _>>()?,
        ItemKind::Questions => put_together(paths)?
            .iter()
            .filter_map(|folders| questions(folders).transpose())
            .collect::<Result<Vec<_>, _>>()?,
    };
    tell_apart(&mut runs);
    Ok(Some(runs))
}

/// Compares runs of items with the first of them, item by item.
///
/// # Errors
/// When there are fewer than two, they were measured in different ways, or share no item.
pub fn compare_items(runs: &[ItemRun]) -> Result<Comparison, RunError> {
    if let Some(first) = runs.first()
        && let Some(other) = runs.iter().find(|run| run.measure != first.measure)
    {
        return Err(RunError::usage(format!(
            "{} and {} were not measured alike: version, rules, interviewer or judges differ",
            first.folder.display(),
            other.folder.display()
        )));
    }
    let (name, unit) = match runs.first().map(|run| run.kind) {
        Some(ItemKind::Questions) => ("qa", "share of the full score of an item"),
        _ => ("consulting", "marks of 10"),
    };
    let scale = Scale {
        name: name.to_owned(),
        sense: Some(Sense::Maximise),
        unit: unit.to_owned(),
    };
    let measured: Vec<Measured> = runs.iter().map(ItemRun::measured).collect();
    compare_measured(scale, &measured)
}

impl ItemRun {
    fn measured(&self) -> Measured {
        let scored = self.rows.iter().filter_map(|row| {
            let header = &row.header;
            // Streams and repetitions measure an item better; they are no further items. The digest
            // keeps apart what only shares a name.
            let met = Met {
                instance: format!("{} {}", header.item, header.digest),
                trial: None,
            };
            Some((met, row.score?))
        });
        Measured {
            name: self.plain_name(),
            agent: self.agent(),
            work: match self.kind {
                ItemKind::Interviews => Work::Interviews,
                ItemKind::Questions => Work::Answers,
            },
            values: scored.collect(),
            settled: self.exact,
            exact: self.exact,
            setting: Some(self.items),
            seeds: Vec::new(),
            mean_ci95: None,
            played: None,
            clairvoyant: false,
            verified: self.verified.clone(),
            drawn: false,
            asked: self.asked,
            records: self.rows.len() as u64,
        }
    }

    /// Who answered, with what tells this run from others of the same name.
    fn agent(&self) -> String {
        let (agent, mark) = (&self.agent, self.mark.as_ref());
        mark.map_or_else(|| agent.clone(), |mark| format!("{agent} ({mark})"))
    }

    fn set(&self) -> &'static str {
        match self.kind {
            ItemKind::Interviews => "consulting",
            ItemKind::Questions => "qa",
        }
    }
}

impl Named for ItemRun {
    fn plain_name(&self) -> String {
        format!("{} {} {}", self.set(), self.preset, self.agent())
    }

    fn traits(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("seed".to_owned(), format!("seed {}", self.seed)),
            ("streams".to_owned(), counted(self.streams, "stream")),
        ])
    }

    fn first_folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    fn mark(&mut self, mark: Option<String>) {
        self.mark = mark;
    }
}

/// Rows of all shards, by stream and place.
fn in_order(mut rows: Vec<ItemRow>, folder: &Path) -> Result<Vec<ItemRow>, RunError> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = rows.iter().find(|row| !seen.insert(row.header.key())) {
        return Err(RunError::usage(format!(
            "`{}` has two records in the run of {}: its shards overlap",
            twice.header.item,
            folder.display()
        )));
    }
    rows.sort_by(|a, b| {
        let key = |row: &ItemRow| (row.header.stream, row.header.place, row.header.item.clone());
        key(a).cmp(&key(b))
    });
    Ok(rows)
}

fn measure(parts: &impl Serialize) -> Result<Digest, RunError> {
    Digest::of(parts).map_err(|e| RunError::Failed(e.to_string()))
}

fn interviews(folders: &[InterviewDir]) -> Result<Option<ItemRun>, RunError> {
    let Some(first) = folders.first() else {
        return Ok(None);
    };
    let plan = first.plan().whole();
    let method = match &plan.candidate {
        CandidatePlan::Model(model) => format!(" {}", model.method.name),
        CandidatePlan::Script(_) => String::new(),
    };
    let mut rows = Vec::new();
    for folder in folders {
        rows.extend(folder.scan(|record| Ok(interview_row(record)))?.results);
    }
    Ok(Some(ItemRun {
        kind: ItemKind::Interviews,
        folder: first.path().to_owned(),
        version: plan.version,
        preset: plan.preset.clone(),
        agent: format!("{}{method}", plan.agent),
        mark: None,
        seed: plan.seed.0,
        streams: plan.streams.unwrap_or(1),
        measure: measure(&(plan.version, &plan.interviewer, &plan.judges, plan.settings))?,
        items: measure(&plan.cases)?,
        asked: Some(plan.lines().iter().map(|line| line.met.len() as u64).sum()),
        exact: plan.dialects().is_empty(),
        verified: VerifyStatus::of_all(folders.iter().map(InterviewDir::path))?,
        rows: in_order(rows, first.path())?,
    }))
}

fn interview_row(record: InterviewRecord) -> ItemRow {
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
    ItemRow {
        score: interview.panel.scores.as_ref().map(|scores| scores.overall),
        header: record.header,
        metrics,
    }
}

fn questions(folders: &[QaDir]) -> Result<Option<ItemRun>, RunError> {
    let Some(first) = folders.first() else {
        return Ok(None);
    };
    let plan = first.plan();
    let tasks: Vec<String> = plan
        .tasks
        .iter()
        .map(|task| task.task.to_string())
        .collect();
    let mut rows = Vec::new();
    for folder in folders {
        let records = records(folder)?.into_values();
        rows.extend(records.map(|(record, _)| question_row(record)));
    }
    Ok(Some(ItemRun {
        kind: ItemKind::Questions,
        folder: first.path().to_owned(),
        version: plan.version,
        preset: tasks.join(","),
        agent: format!("{} {}", plan.agent, plan.method.name),
        mark: None,
        seed: plan.seed.0,
        streams: plan.streams,
        measure: measure(&(plan.version, &plan.scoring, plan.python, &plan.judge))?,
        items: measure(&(&plan.tasks, plan.items, plan.items.map(|_| plan.seed)))?,
        asked: None,
        exact: false,
        verified: VerifyStatus::of_all(folders.iter().map(QaDir::path))?,
        rows: in_order(rows, first.path())?,
    }))
}

fn question_row(record: ItemRecord) -> ItemRow {
    ItemRow {
        score: record.grade.map(|grade| grade.score),
        header: record.header,
        metrics: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client::memory::Feedback;

    /// What one agent scored on `items` in each of `streams`, all alike.
    fn run(agent: &str, text: &str, items: u64, streams: u64, score: f64) -> ItemRun {
        let met = (0..items).flat_map(|item| (0..streams).map(move |stream| (item, stream)));
        let rows = met.map(|(item, stream)| ItemRow {
            header: ItemHeader {
                set: "qa".to_owned(),
                item: format!("item {item}"),
                digest: Digest::of(&(text, item)).unwrap(),
                agent: agent.to_owned(),
                settings: Digest::of(&agent).unwrap(),
                method: "dc".to_owned(),
                feedback: Feedback::Outcome,
                stream,
                place: item,
                trial: u32::try_from(stream).unwrap(),
            },
            score: Some(score + item as f64 / 10.0),
            metrics: BTreeMap::new(),
        });
        ItemRun {
            kind: ItemKind::Questions,
            folder: PathBuf::from(agent),
            version: 1,
            preset: "FPB".to_owned(),
            agent: agent.to_owned(),
            mark: None,
            seed: 0,
            streams,
            measure: measure(&1).unwrap(),
            items: measure(&text).unwrap(),
            asked: Some(items * streams),
            exact: false,
            verified: VerifyStatus::NotVerified,
            rows: rows.collect(),
        }
    }

    #[test]
    fn streams_and_repetitions_are_no_further_items() {
        for (items, told_apart) in [(5, false), (6, true)] {
            let runs = [
                run("able", "what", items, 30, 0.5),
                run("other", "what", items, 30, 0.0),
            ];
            let compared = compare_items(&runs).unwrap();
            let other = &compared.others[0];
            assert_eq!(other.shared as u64, items);
            assert_eq!(other.difference, Some(-0.5));
            assert_eq!(other.distinguishable, told_apart, "{items} items");
        }
    }

    #[test]
    fn items_that_share_only_a_name_are_not_paired() {
        let runs = [run("a", "what", 8, 1, 0.5), run("b", "who", 8, 1, 0.5)];
        let wrong = compare_items(&runs).unwrap_err().to_string();
        assert!(
            wrong.contains("share no question: their questions differ; put the same"),
            "{wrong}"
        );
    }

    /// An answer whose score could not be read has a record all the same.
    #[test]
    fn what_has_no_score_is_not_said_to_have_no_record() {
        let mut other = run("b", "what", 8, 1, 0.5);
        other.rows[3].score = None;
        other.rows.pop();
        let runs = [run("a", "what", 8, 1, 0.5), other];
        let text = compare_items(&runs).unwrap().to_string();
        for said in [
            "mean 0.85, 8 answers",
            "on 6 shared questions",
            "2 of a alone, 0 of b alone; 1 answer of b has no record; 1 answer of b has no score",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert!(
            !text.contains("episode") && !text.contains("instance"),
            "{text}"
        );
    }
}
