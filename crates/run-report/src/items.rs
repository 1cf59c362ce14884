//! Runs of items (interviews and answers to questions), read side by side like runs of episodes.

pub mod table;

use crate::compare::{Comparison, Measured, Met, Scale, Work, compare_measured};
use crate::runs::labels::{Named, tell_apart};
use crate::runs::parts::put_together;
use crate::runs::unfinished::{Part, Whole, shorten};
use crate::task::Task;
use agent_client::interview::InterviewRecord;
use agent_client::method::{ItemHeader, ItemRecord};
use qa_runner::interview::plan::{InterviewDir, InterviewPlan};
use qa_runner::qa::folder::{QaDir, records};
use qa_runner::qa::plan::QaPlan;
use qa_runner::{interview, qa};
use run_engine::engine::summary::{ItemRunAbout, Summary};
use run_engine::engine::verify::derive::ScorePair;
use run_engine::error::RunError;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::run_dir::{RunDir, RunPlan, manifest};
use run_engine::words::counted;
use serde::Serialize;
use sim_core::{Digest, Sense};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders of a run of items.
#[derive(Debug)]
enum Dirs {
    Interviews(Vec<InterviewDir>),
    Questions(Vec<QaDir>),
}

/// A run of items, read from one folder or from those of its shards.
#[derive(Debug)]
pub struct ItemRun {
    dirs: Dirs,
    /// Path of the first folder.
    folder: PathBuf,
    about: ItemRunAbout,
    /// What tells it from other runs of the same name that were read with it.
    mark: Option<String>,
    /// Number of times that the items were met, each in an order of its own.
    streams: u64,
    /// What must be equal for two runs to be measured alike: rules, interviewer, judges.
    measure: Digest,
    /// The same in words.
    measured_by: String,
    /// Digest of what decides the items.
    items: Digest,
    /// Number of items to be met in all shards; absent if the files of the questions cannot be read.
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
    /// Absent if no mark could be read.
    score: Option<f64>,
    metrics: BTreeMap<String, f64>,
    /// Place of the folder among those of the run, and number of the record in it.
    at: (usize, u64),
}

/// Whether the run in `path` holds interviews or answers to questions.
#[must_use]
pub fn is_items(path: &Path) -> bool {
    manifest::has(path, InterviewPlan::KEY) || manifest::has(path, QaPlan::KEY)
}

/// Whether the run in `path` holds answers to questions.
#[must_use]
pub fn is_questions(path: &Path) -> bool {
    manifest::has(path, QaPlan::KEY)
}

/// Reads folders that hold items of one kind and puts shards of one run together; `None` if none of
/// them holds any.
///
/// # Errors
/// When kinds are mixed, a folder is named twice, one cannot be read, or shards overlap.
pub fn read_items(paths: &[PathBuf]) -> Result<Option<Vec<ItemRun>>, RunError> {
    let count = |key| paths.iter().filter(|path| manifest::has(path, key)).count();
    let (interviews, questions) = (count(InterviewPlan::KEY), count(QaPlan::KEY));
    if interviews + questions == 0 {
        return Ok(None);
    }
    if interviews != paths.len() && questions != paths.len() {
        // A folder that does not exist is not of another kind.
        for path in paths {
            manifest::find(path)?;
        }
        return Err(RunError::usage(
            "episodes, interviews and answers to questions do not go into one table; name folders \
             of one kind",
        ));
    }
    let mut runs = if interviews > 0 {
        let runs = put_together(paths)?.into_iter().map(of_interviews);
        runs.collect::<Result<Vec<_>, _>>()?
    } else {
        let runs = put_together(paths)?.into_iter().map(of_questions);
        runs.collect::<Result<Vec<_>, _>>()?
    };
    tell_apart(&mut runs);
    Ok(Some(runs))
}

/// Compares runs of items with the first of them, item by item.
///
/// # Errors
/// When there are fewer than two, they were measured in different ways, or share no item.
pub fn compare_items(runs: &[ItemRun]) -> Result<Comparison, RunError> {
    let Some(first) = runs.first() else {
        return Err(RunError::usage("there is no run in these folders"));
    };
    if let Some(other) = runs.iter().find(|run| run.measure != first.measure) {
        return Err(RunError::usage(format!(
            "{} and {} were not measured alike: version, rules, interviewer or judges differ",
            first.folder.display(),
            other.folder.display()
        )));
    }
    let measured: Vec<Measured> = runs.iter().map(ItemRun::measured).collect();
    compare_measured(first.scale(), &measured)
}

/// One sentence for each thing that is missing in `runs`.
///
/// # Errors
/// When a folder cannot be read.
pub fn unfinished_items(runs: &[ItemRun]) -> Result<Vec<String>, RunError> {
    let mut found = Vec::new();
    for run in runs {
        found.extend(run.unfinished()?);
    }
    Ok(shorten(found))
}

impl ItemRun {
    /// What is measured, and in what direction.
    pub(crate) fn scale(&self) -> Scale {
        Scale {
            name: self.about.workload.to_owned(),
            sense: Some(Sense::Maximise),
            unit: self.about.unit.to_owned(),
        }
    }

    /// What decides which runs stand in one table: workload, items, and how they were measured.
    pub(crate) fn task(&self) -> (&'static str, String, Digest, Digest) {
        let about = &self.about;
        (
            about.workload,
            about.preset.clone(),
            self.items,
            self.measure,
        )
    }

    /// The run as a task of the report.
    pub(crate) fn report_task(&self) -> Task {
        let (about, work) = match self.dirs {
            Dirs::Interviews(_) => ("consulting interviews on business cases", Work::Interviews),
            Dirs::Questions(_) => ("questions of published data sets", Work::Answers),
        };
        Task {
            // Different rules, judges or items make different tasks of one preset.
            title: format!(
                "{} · {} · {}",
                self.about.workload, self.about.preset, self.measured_by
            ),
            about,
            unit: self.about.unit,
            sense: Some(Sense::Maximise),
            ends: ["best", "worst"],
            record: work.record(),
            met: work.met(),
        }
    }

    /// Paths of its folders.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match &self.dirs {
            Dirs::Interviews(dirs) => dirs.iter().map(RunDir::path).collect(),
            Dirs::Questions(dirs) => dirs.iter().map(RunDir::path).collect(),
        }
    }

    /// Whether the records were verified.
    pub(crate) fn verified(&self) -> &VerifyStatus {
        &self.verified
    }

    /// The scores, with what was met for each.
    pub(crate) fn measured(&self) -> Measured {
        let scored = self.rows.iter().filter_map(|row| {
            let header = &row.header;
            // Streams and repetitions measure an item more precisely but add no item. The digest
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
            work: match self.dirs {
                Dirs::Interviews(_) => Work::Interviews,
                Dirs::Questions(_) => Work::Answers,
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

    /// The scores as the summary of a run, with the mean of each metric, and of each task where the
    /// questions are of several.
    pub(crate) fn summary(&self) -> Summary {
        let scores: Vec<f64> = self.rows.iter().filter_map(|row| row.score).collect();
        let about = ItemRunAbout {
            agent: self.agent(),
            preset: self.about.preset.clone(),
            method: self.about.method.clone(),
            ..self.about
        };
        let mut summary = Summary::of_items(about, &scores, self.exact);
        let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in &self.rows {
            if let (Dirs::Questions(_), Some(score)) = (&self.dirs, row.score)
                && let Some((task, _)) = row.header.item.split_once(':')
            {
                columns.entry(task.to_owned()).or_default().push(score);
            }
            for (name, value) in &row.metrics {
                columns.entry(name.clone()).or_default().push(*value);
            }
        }
        summary.set_metrics(&columns);
        let unscored = self.rows.len() - scores.len();
        summary.flags = BTreeMap::from([("unscored".to_owned(), unscored as u64)]);
        summary
    }

    /// The scores, by stream and place.
    pub(crate) fn scores(&self) -> Vec<f64> {
        self.rows.iter().filter_map(|row| row.score).collect()
    }

    /// Number of different items with a score.
    pub(crate) fn different(&self) -> usize {
        let scored = self.rows.iter().filter(|row| row.score.is_some());
        let items: BTreeSet<_> = scored
            .map(|row| (&row.header.item, row.header.digest))
            .collect();
        items.len()
    }

    /// The best and the worst record as readable text.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub(crate) fn best_and_worst(&self) -> Result<(Option<String>, Option<String>), RunError> {
        let scored = || self.rows.iter().filter_map(|row| Some((row.score?, row)));
        let best = scored().rev().max_by(|(a, _), (b, _)| a.total_cmp(b));
        let worst = scored().min_by(|(a, _), (b, _)| a.total_cmp(b));
        let best = best.map(|(_, row)| row.at);
        let worst = worst.map(|(_, row)| row.at).filter(|at| Some(*at) != best);
        let text = |at: Option<(usize, u64)>| at.map(|at| self.transcript(at)).transpose();
        Ok((text(best)?, text(worst)?))
    }

    fn transcript(&self, (dir, number): (usize, u64)) -> Result<String, RunError> {
        let gone = || RunError::Failed("a folder of the run is gone".to_owned());
        match &self.dirs {
            Dirs::Interviews(dirs) => interview::text_of(dirs.get(dir).ok_or_else(gone)?, number),
            Dirs::Questions(dirs) => qa::text_of(dirs.get(dir).ok_or_else(gone)?, number),
        }
    }

    /// The stored scores beside those that this program gives.
    ///
    /// # Errors
    /// When a folder cannot be read, or its records do not belong to its plan.
    pub(crate) fn score_pairs(&self) -> Result<Vec<ScorePair>, RunError> {
        let mut all = Vec::new();
        match &self.dirs {
            Dirs::Interviews(dirs) => {
                for dir in dirs {
                    all.extend(interview::verify::rescore(dir)?);
                }
            }
            Dirs::Questions(dirs) => {
                for dir in dirs {
                    all.extend(qa::verify::rescore(dir)?);
                }
            }
        }
        Ok(all)
    }

    /// Version of the rules that gave the stored scores, and that of this program.
    pub(crate) fn versions(&self) -> (u32, u32) {
        let present = match self.dirs {
            Dirs::Interviews(_) => interview::plan::VERSION,
            Dirs::Questions(_) => qa_scoring::VERSION,
        };
        (self.about.version, present)
    }

    /// Name of a unit.
    pub(crate) fn unit(&self) -> &'static str {
        match self.dirs {
            Dirs::Interviews(_) => InterviewPlan::UNIT,
            Dirs::Questions(_) => QaPlan::UNIT,
        }
    }

    fn unfinished(&self) -> Result<Vec<String>, RunError> {
        if let Dirs::Questions(dirs) = &self.dirs
            && let Some(Err(e)) = dirs.first().map(|dir| dir.plan().asked())
        {
            let name = self.plain_name();
            return Ok(vec![format!(
                "{name}: it cannot be told how many questions have no record: {e}"
            )]);
        }
        let whole = |parts| Whole {
            name: self.plain_name(),
            unit: self.unit(),
            total: self.asked,
            parts,
        };
        Ok(match &self.dirs {
            Dirs::Interviews(dirs) => whole(parts(dirs, |plan| Some(plan.asked()))?),
            Dirs::Questions(dirs) => whole(parts(dirs, |plan| plan.asked().ok())?),
        }
        .missing())
    }

    /// Who answered, with what tells this run from others of the same name.
    pub(crate) fn agent(&self) -> String {
        let about = &self.about;
        let method = about.method.iter().map(|method| format!(" {method}"));
        let mark = self.mark.iter().map(|mark| format!(" ({mark})"));
        std::iter::once(about.agent.clone())
            .chain(method)
            .chain(mark)
            .collect()
    }
}

fn parts<P: RunPlan>(
    dirs: &[RunDir<P>],
    asked: impl Fn(&P) -> Option<u64>,
) -> Result<Vec<Part>, RunError> {
    let part = |dir: &RunDir<P>| {
        Ok(Part {
            shard: dir.plan().shard(),
            asked: asked(dir.plan()),
            records: dir.records()?,
            how_to_finish: dir.how_to_finish(),
        })
    };
    dirs.iter().map(part).collect()
}

impl Named for ItemRun {
    fn plain_name(&self) -> String {
        let about = &self.about;
        format!("{} {} {}", about.workload, about.preset, self.agent())
    }

    fn traits(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("seed".to_owned(), format!("seed {}", self.about.seed.0)),
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
            "`{}` has two records in the run of {}; remove one of the two lines, or name the folders of \
             one division into shards",
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

fn digest(parts: &impl Serialize) -> Result<Digest, RunError> {
    Digest::of(parts).map_err(|e| RunError::Failed(e.to_string()))
}

fn no_folder() -> RunError {
    RunError::usage("there is no run in these folders")
}

fn of_interviews(dirs: Vec<InterviewDir>) -> Result<ItemRun, RunError> {
    let first = dirs.first().ok_or_else(no_folder)?;
    let (plan, folder) = (first.plan().whole(), first.path().to_owned());
    let mut rows = Vec::new();
    for (place, dir) in dirs.iter().enumerate() {
        let found = dir.scan(|record| {
            let number = dir.plan().number(&record);
            Ok(interview_row(record, (place, number.unwrap_or(u64::MAX))))
        })?;
        rows.extend(found.results);
    }
    Ok(ItemRun {
        about: interview::summary::about(&plan),
        mark: None,
        streams: plan.streams.unwrap_or(1),
        measure: digest(&(plan.version, &plan.interviewer, &plan.judges, plan.settings))?,
        measured_by: {
            let name = |dialect: &agent_client::wire::Dialect| dialect.name();
            let interviewer = plan.interviewer.as_ref().map_or("rules".to_owned(), name);
            let judges: Vec<String> = plan.judges.iter().map(name).collect();
            let judges = if judges.is_empty() {
                "rules".to_owned()
            } else {
                judges.join(", ")
            };
            format!("interviewer {interviewer}, marks by {judges}")
        },
        items: digest(&plan.cases)?,
        asked: Some(plan.asked()),
        exact: plan.dialects().is_empty(),
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
    ItemRow {
        score: interview.panel.scores.as_ref().map(|scores| scores.overall),
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
    Ok(ItemRun {
        about: qa::summary::about(&plan),
        mark: None,
        streams: plan.streams,
        measure: digest(&(plan.version, &plan.scoring, plan.python, &plan.judge))?,
        measured_by: {
            let judge = plan.judge.as_ref();
            let judge = judge.map_or_else(String::new, |judge| format!(", judge {}", judge.name()));
            let items = plan.items.map_or_else(String::new, |items| {
                format!(
                    ", {} a task by seed {}",
                    counted(items, "item"),
                    plan.seed.0
                )
            });
            format!("rules {}{judge}{items}", plan.scoring.profile)
        },
        items: digest(&(&plan.tasks, plan.items, plan.items.map(|_| plan.seed)))?,
        asked: plan.asked().ok(),
        exact: false,
        verified: VerifyStatus::of_all(dirs.iter().map(RunDir::path))?,
        rows: in_order(rows, &folder)?,
        dirs: Dirs::Questions(dirs),
        folder,
    })
}

fn question_row(record: ItemRecord, at: (usize, u64)) -> ItemRow {
    ItemRow {
        score: record.grade.map(|grade| grade.score),
        header: record.header,
        metrics: BTreeMap::new(),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client::memory::Feedback;
    use sim_core::Seed;

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
            at: (0, item),
        });
        ItemRun {
            dirs: Dirs::Questions(Vec::new()),
            folder: PathBuf::from(agent),
            about: ItemRunAbout {
                workload: "qa",
                version: 1,
                preset: "FPB".to_owned(),
                seed: Seed(0),
                agent: agent.to_owned(),
                method: None,
                unit: "share",
            },
            mark: None,
            streams,
            measure: digest(&1).unwrap(),
            measured_by: "rules paper".to_owned(),
            items: digest(&text).unwrap(),
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
        let wrong = compare_items(&runs).unwrap_err();
        assert!(matches!(wrong, RunError::Usage(_)), "{wrong:?}");
        assert!(wrong.to_string().contains("questions"), "{wrong}");
    }

    /// An answer whose score could not be read still has a record.
    #[test]
    fn what_has_no_score_is_not_said_to_have_no_record() {
        let mut other = run("b", "what", 8, 1, 0.5);
        other.rows[3].score = None;
        other.rows.pop();
        let runs = [run("a", "what", 8, 1, 0.5), other];
        let text = compare_items(&runs).unwrap().to_string();
        for said in [
            "0.85",
            "8 answers",
            "6 shared questions",
            "2 of a alone",
            "0 of b alone",
            "1 answer of b has no record",
            "1 answer of b has no score",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert!(
            !text.contains("episode") && !text.contains("instance"),
            "{text}"
        );
    }
}
