//! Runs of items (interviews and answers to questions), read side by side like runs of episodes.

mod compare;
mod read;
mod table;

pub use compare::{comparable, compare_items};
pub use read::{is_items, is_questions, read_items};

use crate::compare::{Measured, Met, MetInstance, Scale, Work, learnt};
use crate::runs::all_failures;
use crate::runs::labels::Named;
use crate::runs::unfinished::{Part, RunProgress, Whole, shorten};
use crate::task::Task;
use agent_client::meter::Used;
use agent_client::method::ItemHeader;
use qa_runner::interview::plan::{CandidatePlan, InterviewDir, InterviewPlan};
use qa_runner::qa::folder::QaDir;
use qa_runner::qa::plan::QaPlan;
use qa_runner::qa::routed::Routing;
use qa_runner::{interview, qa};
use run_engine::engine::summary::{ItemRunAbout, Summary, UNSCORED};
use run_engine::engine::verify::derive::ScorePair;
use run_engine::error::RunError;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::run_dir::{FailedUnit, RunDir, RunPlan};
use run_engine::words::counted;
use sim_core::{Causes, Digest, Sense};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders of a run of items.
#[derive(Debug)]
enum Dirs {
    Interviews(Vec<InterviewDir>),
    Questions(Vec<QaDir>),
}

/// Most tasks that a name lists; more are counted.
const LISTED: usize = 3;

/// How scores are measured: each part by name, with what decides it and its words. Runs are comparable
/// if all parts are equal.
type Measure = BTreeMap<&'static str, (Digest, String)>;

/// A run of items, read from one folder or from those of its shards.
#[derive(Debug)]
pub struct ItemRun {
    dirs: Dirs,
    /// Path of the first folder.
    folder: PathBuf,
    about: ItemRunAbout,
    /// What distinguishes it from other runs of the same name that were read with it.
    mark: Option<String>,
    /// Number of times that the items were met, each in an order of its own.
    streams: u64,
    /// What must be equal for two runs to be compared: rules, interviewer, judges.
    measure: Measure,
    /// The same in words.
    measured_by: String,
    /// The part of each task's questions that was asked, in words, if not all of them.
    sample: Option<String>,
    /// Digest of what decides the items.
    items: Digest,
    /// Number of items to be met in all shards; absent if the manifest does not state it.
    asked: Option<u64>,
    exact: bool,
    /// How the model was asked, as key and words.
    asking: BTreeMap<String, String>,
    /// Whether the records were verified.
    verified: VerifyStatus,
    rows: Vec<ItemRow>,
}

/// One item that was met.
#[derive(Debug)]
pub(crate) struct ItemRow {
    /// What was met, and by which method.
    pub(crate) header: ItemHeader,
    /// Absent if no mark could be read.
    pub(crate) score: Option<f64>,
    /// Its metrics by name.
    pub(crate) metrics: BTreeMap<String, f64>,
    /// Range of the judges' overall marks of an interview; absent for answers to questions, and where
    /// fewer than two judges gave marks.
    pub(crate) spread: Option<f64>,
    /// Replies and tokens by role.
    pub(crate) used: Used,
    /// Place of the folder among those of the run, and number of the record in it.
    at: (usize, u64),
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

    /// Whether this run and `other` are to be compared: they were measured in the same way and have items
    /// in common, or were to meet the same items.
    pub(crate) fn is_comparable(&self, other: &Self) -> bool {
        let alike = self.about.workload == other.about.workload && self.measure == other.measure;
        alike && (self.items == other.items || !self.met().is_disjoint(&other.met()))
    }

    /// The different items that have a record.
    fn met(&self) -> BTreeSet<(&str, Digest)> {
        let rows = self.rows.iter();
        rows.map(|row| (row.header.item.as_str(), row.header.digest))
            .collect()
    }

    /// A group of comparable runs, of which this is one, as a task of the report.
    pub(crate) fn report_task(&self, group: &[Self]) -> Task {
        let (about, work) = match self.dirs {
            Dirs::Interviews(_) => ("consulting interviews on business cases", Work::Interviews),
            Dirs::Questions(_) => ("questions of published data sets", Work::Answers),
        };
        let mut tasks: Vec<&str> = Vec::new();
        for task in group.iter().flat_map(|run| run.about.preset.split(',')) {
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        // Different rules, judges or items make different tasks of one preset.
        let title = [self.about.workload, &in_short(&tasks), &self.measured_by].join(" · ");
        let sample = self
            .sample
            .iter()
            .filter(|_| group.iter().all(|run| run.sample == self.sample));
        let sample: String = sample.map(|sample| format!(", {sample}")).collect();
        let met = self.met();
        let same = group.iter().all(|run| run.met() == met);
        Task {
            title: title + &sample,
            about: if same {
                about.to_owned()
            } else {
                format!(
                    "{about}; the agents do not have records of the same {}s, so compare the differences \
                     to the first agent, not the means",
                    work.met()
                )
            },
            unit: self.about.unit,
            sense: Some(Sense::Maximise),
            ends: ["best", "worst"],
            record: work.record(),
            met: work.met(),
        }
    }

    /// The units that failed.
    ///
    /// # Errors
    /// When a list of failures cannot be read.
    pub(crate) fn failures(&self) -> Result<Vec<FailedUnit>, RunError> {
        match &self.dirs {
            Dirs::Interviews(dirs) => all_failures(dirs),
            Dirs::Questions(dirs) => all_failures(dirs),
        }
    }

    /// What the servers of its models refused.
    pub(crate) fn refused_by_servers(&self) -> BTreeSet<String> {
        match &self.dirs {
            Dirs::Interviews(dirs) => refused_by_servers(dirs),
            Dirs::Questions(dirs) => refused_by_servers(dirs),
        }
    }

    /// Path of its first folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
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
                instance: MetInstance::Item(format!("{} {}", header.item, header.digest)),
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
            observations: self.different(),
            settled: self.exact,
            exact: self.exact,
            setting: Some(self.items),
            seeds: Vec::new(),
            mean_ci95: None,
            played: None,
            oracle: false,
            verified: self.verified.clone(),
            drawn: false,
            asked: self.asked,
            records: self.rows.len() as u64,
            causes: self.causes(),
            learnt: match &self.dirs {
                Dirs::Interviews(dirs) => learnt(dirs, |plan| match &plan.candidate {
                    CandidatePlan::Model(model) => vec![model.dialect.name()],
                    CandidatePlan::Script(_) => Vec::new(),
                }),
                Dirs::Questions(dirs) => learnt(dirs, |plan| vec![plan.dialect.name()]),
            },
        }
    }

    /// Causes of the agent's replies in all records.
    fn causes(&self) -> Causes {
        let mut sum = Causes::default();
        self.rows.iter().for_each(|row| sum.add(&row.used.causes()));
        sum
    }

    /// The scores as the summary of a run, with the mean of each metric, and of each task where the
    /// questions are of several.
    pub(crate) fn summary(&self) -> Summary {
        let scores = self.rows.iter().filter_map(|row| {
            let item = (row.header.item.as_str(), row.header.digest);
            Some((item, row.score?))
        });
        let scores: Vec<_> = scores.collect();
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
        summary.flags = BTreeMap::from([(UNSCORED.to_owned(), unscored as u64)]);
        self.rows
            .iter()
            .for_each(|row| summary.count_used(&row.used));
        summary
    }

    /// The records, by stream and place.
    pub(crate) fn rows(&self) -> &[ItemRow] {
        &self.rows
    }

    /// Who answered, as on the command line.
    pub(crate) fn who(&self) -> &str {
        &self.about.agent
    }

    /// The method of a model.
    pub(crate) fn method(&self) -> Option<&str> {
        self.about.method.as_deref()
    }

    /// The policy that chose the method of each question, where one did.
    pub(crate) fn routing(&self) -> Option<&Routing> {
        self.questions()?.routing.as_ref()
    }

    /// Its plan, if it is of questions.
    pub(crate) fn questions(&self) -> Option<&QaPlan> {
        match &self.dirs {
            Dirs::Questions(dirs) => dirs.first().map(RunDir::plan),
            Dirs::Interviews(_) => None,
        }
    }

    /// Its plan, if it is of interviews.
    pub(crate) fn interviews(&self) -> Option<&InterviewPlan> {
        match &self.dirs {
            Dirs::Interviews(dirs) => dirs.first().map(RunDir::plan),
            Dirs::Questions(_) => None,
        }
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
        if self.asked.is_none() {
            return Ok(vec![format!(
                "{}: it cannot be told how many {}s have no record: its manifest has no `units`",
                self.plain_name(),
                self.unit()
            )]);
        }
        let whole = Whole {
            name: self.plain_name(),
            unit: self.unit(),
            total: self.asked,
            parts: self.parts()?,
        };
        Ok(whole.missing())
    }

    /// Its folders, with the records that they hold and those that are planned.
    fn parts(&self) -> Result<Vec<Part>, RunError> {
        match &self.dirs {
            Dirs::Interviews(dirs) => parts(dirs, |dir| Some(dir.plan().asked())),
            Dirs::Questions(dirs) => parts(dirs, |dir| dir.manifest.units.map(|n| n.folder)),
        }
    }

    /// How far it came, with the mean of its scores.
    pub(crate) fn progress(&self) -> Result<RunProgress, RunError> {
        let parts = self.parts()?;
        let scores: Vec<f64> = self.rows.iter().filter_map(|row| row.score).collect();
        Ok(RunProgress {
            environment: self.about.workload.to_owned(),
            preset: self.about.preset.clone(),
            agent: self.agent(),
            records: parts.iter().map(|part| part.records).sum(),
            planned: parts.iter().map(|part| part.asked).sum::<Option<u64>>(),
            score: sim_core::stats::mean(&scores),
            is_open: false,
        })
    }

    /// Who answered, with what distinguishes this run from others of the same name.
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

/// The tasks by name, or their number if there are many.
fn in_short(tasks: &[&str]) -> String {
    if tasks.len() > LISTED {
        counted(tasks.len() as u64, "task")
    } else {
        tasks.join(",")
    }
}

/// What the servers of the models of `dirs` refused, each line once.
pub(crate) fn refused_by_servers<'a, P: RunPlan + 'a>(
    dirs: impl IntoIterator<Item = &'a RunDir<P>>,
) -> BTreeSet<String> {
    let dirs = dirs.into_iter();
    dirs.flat_map(|dir| dir.manifest.refusals()).collect()
}

fn parts<P: RunPlan>(
    dirs: &[RunDir<P>],
    asked: impl Fn(&RunDir<P>) -> Option<u64>,
) -> Result<Vec<Part>, RunError> {
    let part = |dir: &RunDir<P>| {
        Ok(Part {
            shard: dir.plan().shard(),
            asked: asked(dir),
            records: dir.records()?,
            how_to_finish: dir.how_to_finish(),
        })
    };
    dirs.iter().map(part).collect()
}

impl Named for ItemRun {
    fn plain_name(&self) -> String {
        let about = &self.about;
        let tasks = in_short(&about.preset.split(',').collect::<Vec<_>>());
        format!("{} {tasks} {}", about.workload, self.agent())
    }

    fn traits(&self) -> BTreeMap<String, String> {
        let mut traits = self.asking.clone();
        traits.insert("seed".to_owned(), format!("seed {}", self.about.seed.0));
        traits.insert("streams".to_owned(), counted(self.streams, "stream"));
        traits
    }

    fn first_folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    fn mark(&mut self, mark: Option<String>) {
        self.mark = mark;
    }
}

#[cfg(test)]
mod tests {
    use super::read::digest;
    use super::*;
    use agent_client::memory::FeedbackMode;
    use sim_core::{ScoreRange, Seed};

    /// What one agent scored on `items` in each of `streams`, all alike.
    fn run(agent: &str, text: &str, items: u64, streams: u64, score: f64) -> ItemRun {
        let met = (0..items).flat_map(|item| (0..streams).map(move |stream| (item, stream)));
        let rows = met.map(|(item, stream)| ItemRow {
            spread: None,
            header: ItemHeader {
                set: "qa".to_owned(),
                item: format!("item {item}"),
                digest: Digest::of(&(text, item)).unwrap(),
                agent: agent.to_owned(),
                settings: Digest::of(&agent).unwrap(),
                method: "dc".to_owned(),
                feedback: FeedbackMode::Outcome,
                stream,
                place: item,
                trial: u32::try_from(stream).unwrap(),
            },
            score: Some(score + item as f64 / 10.0),
            metrics: BTreeMap::new(),
            used: Used::default(),
            at: (0, item),
        });
        ItemRun {
            dirs: Dirs::Questions(Vec::new()),
            folder: PathBuf::from(agent),
            about: ItemRunAbout {
                workload: "qa",
                record: "item",
                version: 1,
                preset: "FPB".to_owned(),
                seed: Seed(0),
                agent: agent.to_owned(),
                method: None,
                unit: "share",
                range: ScoreRange::SHARE,
            },
            mark: None,
            streams,
            measure: Measure::from([("rules", (digest(&"paper").unwrap(), "paper".to_owned()))]),
            measured_by: "rules paper".to_owned(),
            sample: None,
            items: digest(&text).unwrap(),
            asked: Some(items * streams),
            exact: false,
            asking: BTreeMap::new(),
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

    #[test]
    fn a_different_measure_is_named() {
        let judged = |run: ItemRun, judge: &str| ItemRun {
            measure: Measure::from([("judge", (digest(&judge).unwrap(), judge.to_owned()))]),
            ..run
        };
        let runs = [
            judged(run("a", "what", 8, 1, 0.5), "none"),
            judged(run("b", "what", 8, 1, 0.5), "openai:m"),
        ];
        assert!(!runs[0].is_comparable(&runs[1]));
        let wrong = compare_items(&runs).unwrap_err().to_string();
        assert!(wrong.ends_with("judge none and openai:m"), "{wrong}");
    }

    /// A report joins what `compare` compares: lists of tasks that overlap.
    #[test]
    fn runs_with_an_item_in_common_are_comparable() {
        let [one, more, other] = [("a", "what", 4), ("b", "what", 6), ("c", "who", 4)]
            .map(|(agent, text, items)| run(agent, text, items, 1, 0.5));
        let more = ItemRun {
            items: digest(&"other list").unwrap(),
            about: ItemRunAbout {
                preset: "FPB,FOMC,A,B".to_owned(),
                ..more.about
            },
            ..more
        };
        assert!(one.is_comparable(&more) && !one.is_comparable(&other));
        assert_eq!(more.plain_name(), "qa 4 tasks b");
        let task = one.report_task(&[run("a", "what", 4, 1, 0.5), more]);
        assert_eq!(task.title, "qa · 4 tasks · rules paper");
        assert!(task.about.contains("not the means"), "{}", task.about);
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
