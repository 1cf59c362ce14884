//! The content of a report as data.

use super::matrix::Share;
use crate::compare::{Compared, Extent};
use run_engine::engine::summary::Summary;
use run_engine::run_dir::FailedUnit;
use run_engine::run_dir::stamp::VerifyStatus;
use serde::Serialize;
use sim_core::Sense;
use std::collections::BTreeMap;

/// What `boardroom report --json` prints: the content of the page without its plots. Numbers that are undefined are
/// `null`.
#[derive(Debug, Clone, Serialize)]
pub struct ReportContent {
    /// Numbers of tasks, agents and records in words.
    pub what: String,
    /// What is missing, such as records of unfinished runs, one sentence each.
    pub open: Vec<String>,
    /// The tasks.
    pub tasks: Vec<ReportTask>,
}

/// One environment in one setting, or one set of items.
#[derive(Debug, Clone, Serialize)]
pub struct ReportTask {
    /// Environment, preset and settings, or the questions and how they were graded.
    pub title: String,
    /// Description of the task and its score, with a note if the servers took requests in different ways.
    pub about: String,
    /// Unit of the scores.
    pub unit: String,
    /// Whether larger or smaller scores are better; absent if neither is.
    pub sense: Option<Sense>,
    /// The result in one sentence.
    pub headline: String,
    /// The agents, the best first.
    pub agents: Vec<ReportAgent>,
}

/// An agent of a task.
#[derive(Debug, Clone, Serialize)]
pub struct ReportAgent {
    /// Scores, reference, metrics, causes of replies and usage, as in `run --json`.
    pub summary: Summary,
    /// What the scores were measured on.
    pub extent: Extent,
    /// The score on the scale from the baseline (0) to the optimum (1), where both are known.
    pub normalised: Option<Share>,
    /// Comparison with the first agent on the instances of both; absent for the first, and if the two share none.
    pub against_first: Option<Compared>,
    /// Whether its records were verified.
    pub verified: VerifyStatus,
    /// Whether the records of each folder were verified.
    pub folders: BTreeMap<String, VerifyStatus>,
    /// Number of episodes that were played again to count refused inputs.
    pub replayed: usize,
    /// Refused inputs in them, by code.
    pub refusals: BTreeMap<String, u64>,
    /// The units that failed.
    pub failures: Vec<FailedUnit>,
    /// The best record as a transcript.
    pub best: Option<String>,
    /// The worst record as a transcript.
    pub worst: Option<String>,
}
