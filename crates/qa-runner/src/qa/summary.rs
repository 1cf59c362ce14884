//! What a question run came to: the runner's one object, and a report for each task.

use super::item::uid;
use super::marker::ItemGrader;
use super::plan::{QaPlan, Questions};
use agent_client::ModelRole;
use agent_client::memory::FeedbackMode;
use agent_client::meter::Used;
use qa_scoring::aggregate::{FamilyMean, family_means_of};
use qa_scoring::grade::Grade;
use qa_scoring::score::GradedItem;
use qa_scoring::{MetricFamily, Profile, SetReport, Task, report_of};
use run_engine::engine::finished::{RunSummary, json};
use run_engine::engine::model::backends::Models;
use run_engine::engine::summary::{ItemRunAbout, ModelUsage, Summary, UNSCORED};
use run_engine::error::RunError;
use run_engine::run_dir::RunPlan as _;
use run_engine::words::counted;
use serde::Serialize;
use sim_core::ScoreRange;
use std::collections::BTreeMap;
use std::fmt;

/// An answered item, kept small.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its task.
    pub task: Task,
    /// The stream in which it was met.
    pub stream: u64,
    /// Its place in the stream.
    pub place: u64,
    /// Its name over all tasks.
    pub item: String,
    /// Its score, 0 to 1; absent when no judge could be read.
    pub score: Option<f64>,
    /// Replies and tokens.
    pub used: Used,
    /// The scorer's grade.
    pub grade: Grade,
}

/// The report of a task in one stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskSummary {
    /// The stream, from 0.
    pub stream: u64,
    /// Items of the task's file that are not asked because they have no right answer.
    pub without_answer: usize,
    /// The figures, without the single grades: those are in the folder.
    #[serde(flatten)]
    pub report: SetReport,
}

/// What `boardroom run qa --json` prints: the object of every run, and the reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QaSummary {
    /// As for every run; scores run from 0 to 1.
    #[serde(flatten)]
    pub summary: Summary,
    /// By which rules answers were judged.
    pub profile: Profile,
    /// Whether per cent signs and scale words of numbers were applied too.
    pub lenient: bool,
    /// What the memory could learn from.
    pub feedback: FeedbackMode,
    /// The judge, where there is one.
    pub judge: Option<String>,
    /// One report a task and stream.
    pub tasks: Vec<TaskSummary>,
    /// Figures over the tasks, by family of metrics, weighted by items.
    pub families: BTreeMap<MetricFamily, FamilyMean>,
    /// Number of items without a grade, by reason; these items are not in the figures.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ungraded: BTreeMap<String, u64>,
    /// What each role cost.
    pub roles: BTreeMap<String, ModelUsage>,
}

/// What the run of `plan` is.
#[must_use]
pub fn about(plan: &QaPlan) -> ItemRunAbout {
    let tasks = plan.tasks.iter();
    let names: Vec<String> = tasks.map(|task| task.task.to_string()).collect();
    ItemRunAbout {
        workload: "qa",
        record: QaPlan::UNIT,
        version: plan.version,
        preset: names.join(","),
        seed: plan.seed,
        agent: plan.agent.clone(),
        method: Some(plan.method.label()),
        unit: "share of the full score of an item",
        range: ScoreRange::SHARE,
    }
}

/// Sums up, in the order of tasks, streams and places, so that threads cannot move a digit.
#[must_use]
pub fn summarise(
    plan: &QaPlan,
    questions: &BTreeMap<Task, Questions>,
    marker: &ItemGrader,
    mut answered: Vec<Asked>,
) -> QaSummary {
    answered.sort_by_key(|asked| (asked.task, asked.stream, asked.place));
    let scores = answered.iter();
    let scores = scores.filter_map(|asked| Some((asked.item.clone(), asked.score?)));
    let scores: Vec<(String, f64)> = scores.collect();
    let unscored = answered.len().saturating_sub(scores.len()) as u64;
    let mut summary = Summary::of_items(about(plan), &scores, false);
    summary.flags = BTreeMap::from([(UNSCORED.to_owned(), unscored)]);
    let mut ungraded = BTreeMap::<String, u64>::new();
    for asked in &answered {
        summary.count_used(&asked.used);
        if asked.score.is_none() {
            *ungraded.entry(why_ungraded(asked)).or_default() += 1;
        }
    }
    let mut sets: BTreeMap<(Task, u64), Vec<(String, Grade)>> = BTreeMap::new();
    for asked in answered {
        sets.entry((asked.task, asked.stream))
            .or_default()
            .push((asked.item, asked.grade));
    }
    let reports: Vec<(u64, SetReport)> = sets
        .into_iter()
        .map(|((task, stream), grades)| {
            let prefix = uid(task, "");
            let grades = grades
                .into_iter()
                .map(|(item, grade)| GradedItem {
                    id: item.strip_prefix(&prefix).unwrap_or(&item).to_owned(),
                    grade,
                })
                .collect();
            (
                stream,
                report_of(task, marker.settings(), grades, marker.has_judge()),
            )
        })
        .collect();
    let bare: Vec<SetReport> = reports.iter().map(|(_, report)| report.clone()).collect();
    let families = family_means_of(&bare);
    let tasks = reports
        .into_iter()
        .map(|(stream, mut report)| {
            report.grades.clear();
            TaskSummary {
                stream,
                without_answer: questions
                    .get(&report.task)
                    .map_or(0, |questions| questions.without_answer),
                report,
            }
        })
        .collect();
    QaSummary {
        summary,
        profile: marker.settings().profile,
        lenient: marker.settings().lenient,
        feedback: plan.feedback,
        judge: plan.judge.as_ref().map(|judge| judge.name()),
        tasks,
        families,
        ungraded,
        roles: BTreeMap::new(),
    }
}

/// Why an item has no grade. Replies of the judge that did not come are named by their causes, because the words of a
/// server may differ from request to request.
fn why_ungraded(asked: &Asked) -> String {
    let judge = asked.used.roles.get(&ModelRole::Judge);
    let causes = judge.map(|judge| &judge.causes);
    if let Some(causes) = causes.filter(|all| !all.is_empty() && all.not_said() == all.total()) {
        let causes: Vec<String> = causes.iter().map(|(cause, _)| cause.to_string()).collect();
        return format!("the judge gave no reply: {}", causes.join(", "));
    }
    let note = asked.grade.note.as_deref();
    note.unwrap_or("no reason is given").to_owned()
}

impl QaSummary {
    /// Enters what was spent.
    pub fn charge(&mut self, models: &Models) {
        self.summary.usage = models.usage();
        let spending = models.ledger.spending();
        let roles = spending.roles.iter();
        self.roles = roles
            .map(|(role, totals)| (role.name().to_owned(), ModelUsage::of(totals)))
            .collect();
    }
}

impl RunSummary for QaSummary {
    fn json(&self) -> Result<String, RunError> {
        json(self)
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl fmt::Display for QaSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = self.tasks.iter().any(|task| task.stream > 0);
        for task in &self.tasks {
            super::score::show(f, &task.report)?;
            if several {
                writeln!(f, "  stream {}", task.stream)?;
            }
            if task.without_answer > 0 {
                writeln!(
                    f,
                    "  {} without a right answer not asked",
                    counted(task.without_answer as u64, "item")
                )?;
            }
        }
        writeln!(
            f,
            "answered by {}, {}, feedback {}",
            self.summary.agent,
            self.summary.how(),
            self.feedback
        )?;
        for (role, usage) in &self.roles {
            writeln!(
                f,
                "  {role:<12}{}, {} tokens read, {} written, {}",
                counted(usage.requests, "request"),
                usage.tokens_in,
                usage.tokens_out,
                usage.cost_words()
            )?;
        }
        for (why, count) in &self.ungraded {
            // With one reason, the number of items stands above.
            let count = if self.ungraded.len() == 1 {
                String::new()
            } else {
                format!("{}, ", counted(*count, "item"))
            };
            writeln!(f, "  note: {count}no grade: {why}")?;
        }
        self.summary.write_notes(f)?;
        if self.summary.failed > 0 {
            writeln!(f, "  {} failed", counted(self.summary.failed, "item"))?;
        }
        self.summary.write_end(f)
    }
}
