//! Traces: out of question runs, and out of files of trace records.

use super::policy::{routed_name, sample, traces_text};
use crate::questions::labels::{Labels, label_of, read_labels};
use crate::questions::{Answered, QUESTIONS, answers};
use crate::report::spending::spending_by_episode;
use crate::runs::read_runs;
use agent_client::ledger::UsageTotals;
use agent_client::money::Money;
use aoa_router::trace::{AnswerUsage, TraceRef};
use aoa_router::{FEATURE_VERSION, TraceRecord, read_traces};
use qa_scoring::env::told;
use qa_scoring::taxonomy::TaxonomyLabel;
use run_engine::error::RunError;
use run_engine::files::with_extension;
use run_engine::registry::Registry;
use run_engine::run_dir::manifest;
use run_engine::terminal::shown_path;
use sim_core::error::clip;
use sim_core::{Digest, Stored as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Traces with what was odd about them.
#[derive(Debug, Default)]
pub struct Traces {
    /// The traces, in the order of the paths.
    pub records: Vec<TraceRecord>,
    /// What was left out.
    pub remarks: Vec<String>,
}

/// Reads traces: each path is the folder of a question run, a folder of trace files (`*.jsonl`), or a
/// trace file. `labels` says of each question what it asks for and how hard it is, as `qa label` does.
///
/// # Errors
/// When a path cannot be read or holds no trace; says where.
pub fn read(
    registry: &Registry,
    paths: &[PathBuf],
    labels: Option<&Path>,
) -> Result<Traces, RunError> {
    let labels = match labels {
        Some(path) => Some(read_labels(path)?),
        None => None,
    };
    let mut traces = Traces::default();
    for path in paths {
        let before = traces.records.len();
        let environment = manifest::environment_of(path);
        if environment.as_deref() == Some(QUESTIONS) {
            of_run(registry, path, labels.as_ref(), &mut traces)?;
        } else if let Some(other) = environment {
            return Err(RunError::usage(format!(
                "{} is a run of `{}`; a policy chooses an agent for each question and learns from runs of `{QUESTIONS}`",
                shown_path(path),
                clip(&other)
            )));
        } else {
            for file in with_extension(path, "jsonl")? {
                let name = shown_path(&file);
                let read = read_traces(&name, &traces_text(&file)?)?;
                // As runs and policies name tasks.
                traces
                    .records
                    .extend(read.into_iter().map(|trace| TraceRecord {
                        task_name: trace.task_name.as_deref().map(routed_name),
                        ..trace
                    }));
            }
        }
        // A path without traces is more likely a wrong one than an empty run.
        if traces.records.len() == before {
            return Err(RunError::usage(format!(
                "{} holds no traces: name a question run, or a folder or file of trace records (JSON \
                 lines)",
                shown_path(path)
            )));
        }
    }
    Ok(traces)
}

/// The traces of a question run: its first stream, because a sample has one answer of an agent.
fn of_run(
    registry: &Registry,
    path: &Path,
    labels: Option<&Labels>,
    traces: &mut Traces,
) -> Result<(), RunError> {
    let place = shown_path(path);
    let (mut unscored, mut unlabelled, mut other_streams) = (0, 0, 0);
    for run in read_runs(&[path.to_owned()])? {
        let all = answers(registry, &run)?;
        // A label may name a question by its identifier alone, which is clear only if there is one
        // task.
        let tasks: BTreeSet<_> = all.iter().map(|answered| answered.question.task).collect();
        let model = run
            .plan
            .model
            .as_ref()
            .map(|model| model.dialect.model.clone());
        let folders = run.folders.iter();
        let spent = spending_by_episode(folders.map(|folder| folder.path()))?;
        for answered in all {
            if answered.header.stream.unwrap_or(0) > 0 || answered.header.trial > 0 {
                other_streams += 1;
                continue;
            }
            let (name, id) = (answered.question.uid(), &answered.question.item.id);
            let label = labels.and_then(|labels| label_of(labels, &name, id, tasks.len() == 1));
            unlabelled += usize::from(labels.is_some() && label.is_none());
            match trace(&answered, spent.get(&answered.header.episode), label) {
                Some(trace) => traces.records.push(TraceRecord {
                    model: model.clone(),
                    seed: Some(run.plan.seed.0),
                    ..trace
                }),
                None => unscored += 1,
            }
        }
    }
    let odd = [
        (unscored, "answers that nobody could judge"),
        (unlabelled, "questions without a label"),
        (other_streams, "answers of further streams, left out"),
    ];
    for (count, what) in odd.iter().filter(|odd| odd.0 > 0) {
        traces.remarks.push(format!("{place}: {count} {what}"));
    }
    Ok(())
}

/// The trace of an answer on which its agent `spent` this; `None` where it was not judged.
fn trace(
    answered: &Answered,
    spent: Option<&UsageTotals>,
    label: Option<&TaxonomyLabel>,
) -> Option<TraceRecord> {
    // Neither right nor wrong: as a wrong answer it would speak against the agent.
    answered.grade.value?;
    let question = &answered.question;
    let told = told(question.task, &answered.grade);
    let known = sample(question.task, &question.item, label);
    let text = answered.reply.as_str();
    Some(TraceRecord {
        schema: TraceRecord::SCHEMA,
        sample_id: question.uid(),
        task_name: known.task_name,
        capability: known.capability,
        difficulty_score: label.and_then(|label| label.difficulty),
        difficulty_bucket: Some(known.difficulty_bucket),
        feature_version: FEATURE_VERSION,
        features: known.features,
        question: Some(match &question.item.context {
            Some(context) => format!("{}\n\n{context}", question.item.question),
            None => question.item.question.clone(),
        }),
        method: answered.header.method.clone().unwrap_or_default(),
        prediction: text.to_owned(),
        correct: told.correct,
        score: told.score,
        trace_ref: Some(TraceRef {
            path: "episodes.jsonl".to_owned(),
            hash: Digest::of_bytes(text.as_bytes()),
        }),
        usage: spent.map(|spent| AnswerUsage {
            calls: u32::try_from(spent.requests).unwrap_or(u32::MAX),
            input: spent.usage.input,
            output: spent.usage.output,
            // Without prices nothing was counted.
            cost: (spent.cost > Money::ZERO).then(|| spent.cost.dollars()),
        }),
        model: None,
        seed: None,
        order_index: Some(answered.header.episode),
        feedback_mode: answered.header.feedback.clone(),
    })
}
