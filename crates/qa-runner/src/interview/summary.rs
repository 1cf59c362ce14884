//! What a run of interviews came to.

use super::plan::{CandidatePlan, InterviewPlan};
use agent_client::interview::{InterviewEnd, InterviewRecord};
use run_engine::engine::finished::{RunSummary, json};
use run_engine::engine::summary::{ItemRunAbout, Summary, UNSCORED};
use run_engine::error::RunError;
use run_engine::run_dir::RunPlan as _;
use serde::Serialize;
use sim_core::ScoreRange;
use std::collections::BTreeMap;
use std::fmt;

/// The summary of a run of interviews: that of every run, and who sat on the other side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InterviewSummary {
    /// Scores (the judge's overall mark, 0 to 10), metrics, costs.
    #[serde(flatten)]
    pub summary: Summary,
    /// Who interviewed.
    pub interviewer: String,
    /// Who gave marks; their identity belongs to the result.
    pub judges: Vec<String>,
    /// What a method with a memory may learn from, where a model answered.
    pub feedback: Option<String>,
}

/// What the run of `plan` is.
#[must_use]
pub fn about(plan: &InterviewPlan) -> ItemRunAbout {
    ItemRunAbout {
        workload: "consulting",
        record: InterviewPlan::UNIT,
        version: plan.version,
        preset: plan.preset.clone(),
        seed: plan.seed,
        agent: plan.agent.clone(),
        method: match &plan.candidate {
            CandidatePlan::Model(model) => Some(model.method.label()),
            CandidatePlan::Script(_) => None,
        },
        unit: "marks of 10",
        range: ScoreRange::new(0.0, 10.0),
    }
}

/// Sums up records.
#[must_use]
pub fn summarise(plan: &InterviewPlan, records: &[InterviewRecord]) -> InterviewSummary {
    let overall = records.iter().filter_map(|record| {
        let scores = record.interview.panel.scores.as_ref()?;
        Some((record.header.item.as_str(), scores.overall))
    });
    let overall: Vec<(&str, f64)> = overall.collect();
    let feedback = match &plan.candidate {
        CandidatePlan::Model(model) => Some(model.feedback.name().to_owned()),
        CandidatePlan::Script(_) => None,
    };
    let name = |dialect: Option<&agent_client::wire::Dialect>| {
        dialect.map_or_else(|| "rules".to_owned(), agent_client::wire::Dialect::name)
    };
    let judges: Vec<String> = plan.judges.iter().map(|judge| name(Some(judge))).collect();
    let mut summary = Summary {
        flags: flags(records),
        ..Summary::of_items(about(plan), &overall, plan.dialects().is_empty())
    };
    summary.set_metrics(&metrics(records));
    records
        .iter()
        .for_each(|record| summary.count_used(&record.used));
    InterviewSummary {
        summary,
        interviewer: name(plan.interviewer.as_ref()),
        judges: if judges.is_empty() {
            vec![name(None)]
        } else {
            judges
        },
        feedback,
    }
}

fn metrics(records: &[InterviewRecord]) -> BTreeMap<String, Vec<f64>> {
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut add = |name: &str, value| columns.entry(name.to_owned()).or_default().push(value);
    for InterviewRecord { interview, .. } in records {
        if let Some(scores) = &interview.panel.scores {
            for (name, mark) in scores.marks() {
                // The overall mark is the score itself.
                if name != "overall" {
                    add(name, mark);
                }
            }
            add("mean4", scores.mean4());
        }
        if let Some(spread) = interview.panel.spread_of_judges() {
            add("judges_spread", spread);
        }
        add("rounds", f64::from(interview.rounds));
        let facts = u32::try_from(interview.facts_unlocked.len()).unwrap_or(u32::MAX);
        add("facts_unlocked", f64::from(facts));
        add("redirects", f64::from(interview.redirects));
    }
    columns
}

fn flags(records: &[InterviewRecord]) -> BTreeMap<String, u64> {
    let count =
        |is: &dyn Fn(&InterviewRecord) -> bool| records.iter().filter(|r| is(r)).count() as u64;
    let ended = |how: InterviewEnd| count(&|r| r.interview.ended == how);
    let leaks = records.iter().map(|r| r.interview.leaks.len() as u64).sum();
    let stray = records
        .iter()
        .map(|r| u64::from(r.interview.stray_tokens))
        .sum();
    BTreeMap::from([
        (
            UNSCORED.to_owned(),
            count(&|r| r.interview.panel.scores.is_none()),
        ),
        ("ended_by_cap".to_owned(), ended(InterviewEnd::Cap)),
        (
            "candidate_error".to_owned(),
            ended(InterviewEnd::CandidateError),
        ),
        (
            "interviewer_error".to_owned(),
            ended(InterviewEnd::InterviewerError),
        ),
        ("leaks".to_owned(), leaks),
        ("stray_tokens".to_owned(), stray),
    ])
}

impl RunSummary for InterviewSummary {
    fn json(&self) -> Result<String, RunError> {
        json(self)
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl fmt::Display for InterviewSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // With the options of the caller: `{:#}` shows the metrics too.
        self.summary.fmt(f)?;
        let by_rules = if self.judges.iter().any(|judge| judge == "rules") {
            " (for tests, not the published metric)"
        } else {
            ""
        };
        writeln!(
            f,
            "  interviewer {}, marks by {}{by_rules}",
            self.interviewer,
            self.judges.join(", ")
        )
    }
}
