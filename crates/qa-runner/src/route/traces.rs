//! Traces: out of question runs, and out of files of trace records.

use crate::labels::{Labels, label_of, read_labels};
use crate::policy::{read_text, sample};
use crate::qa::folder::{QaDir, records};
use crate::qa::item::uid;
use crate::qa::plan::QaPlan;
use agent_client::method::ItemRecord;
use aoa_router::trace::{AnswerUsage, TraceRef};
use aoa_router::{FEATURE_VERSION, TraceRecord, read_traces};
use qa_scoring::taxonomy::TaxonomyLabel;
use qa_scoring::{Item, Task};
use run_engine::error::RunError;
use run_engine::files::with_extension;
use run_engine::run_dir::{RunPlan as _, manifest};
use run_engine::terminal::shown_path;
use sim_core::{Digest, Stored as _};
use std::collections::BTreeMap;
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
pub fn read(paths: &[PathBuf], labels: Option<&Path>) -> Result<Traces, RunError> {
    let labels = match labels {
        Some(path) => Some(read_labels(path)?),
        None => None,
    };
    let mut traces = Traces::default();
    for path in paths {
        let before = traces.records.len();
        if manifest::kind_of(path) == Some(QaPlan::KEY) {
            of_run(path, labels.as_ref(), &mut traces)?;
        } else {
            for file in with_extension(path, "jsonl")? {
                let name = shown_path(&file);
                traces
                    .records
                    .extend(read_traces(&name, &read_text(&file)?)?);
            }
        }
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
fn of_run(path: &Path, labels: Option<&Labels>, traces: &mut Traces) -> Result<(), RunError> {
    let folder = QaDir::read(path)?;
    let plan = folder.plan();
    let mut items: BTreeMap<String, (Task, Item)> = BTreeMap::new();
    for (task, questions) in plan.questions()? {
        let all = questions.items.into_iter();
        items.extend(all.map(|item| (uid(task, &item.id), (task, item))));
    }
    let one_task = plan.tasks.len() == 1;
    let place = shown_path(path);
    let (mut unscored, mut unlabelled, mut other_streams) = (0, 0, 0);
    for (record, _) in records(&folder)?.into_values() {
        if record.header.stream > 0 || record.header.trial > 0 {
            other_streams += 1;
            continue;
        }
        let Some((task, item)) = items.get(&record.header.item) else {
            let name = &record.header.item;
            return Err(RunError::usage(format!(
                "{place}: `{name}` is not a question of the run"
            )));
        };
        let label =
            labels.and_then(|labels| label_of(labels, &record.header.item, &item.id, one_task));
        unlabelled += usize::from(labels.is_some() && label.is_none());
        match trace(&record, *task, item, label) {
            Some(trace) => traces.records.push(TraceRecord {
                model: Some(plan.dialect.model.clone()),
                seed: Some(plan.seed.0),
                ..trace
            }),
            None => unscored += 1,
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

/// The trace of a record; `None` where it was not judged.
#[must_use]
pub fn trace(
    record: &ItemRecord,
    task: Task,
    item: &Item,
    label: Option<&TaxonomyLabel>,
) -> Option<TraceRecord> {
    let grade = record.grade.as_ref()?;
    let mut used = agent_client::reply::Usage::default();
    for role in record.used.roles.values() {
        used += role.usage;
    }
    let known = sample(task, item, label);
    Some(TraceRecord {
        schema: TraceRecord::SCHEMA,
        sample_id: record.header.item.clone(),
        task_name: known.task_name,
        capability: known.capability,
        difficulty_score: label.and_then(|label| label.difficulty),
        difficulty_bucket: Some(known.difficulty_bucket),
        feature_version: FEATURE_VERSION,
        features: known.features,
        question: Some(match &item.context {
            Some(context) => format!("{}\n\n{context}", item.question),
            None => item.question.clone(),
        }),
        method: record.header.method.clone(),
        prediction: record.text.clone(),
        correct: grade.correct,
        score: grade.score.clamp(0.0, 1.0),
        trace_ref: Some(TraceRef {
            path: "items.jsonl".to_owned(),
            hash: Digest::of_bytes(record.text.as_bytes()),
        }),
        usage: Some(AnswerUsage {
            calls: record.used.replies(),
            input: used.input,
            output: used.output,
            cost: None,
        }),
        model: None,
        seed: None,
        order_index: Some(record.header.place),
        feedback_mode: Some(record.header.feedback.name().to_owned()),
    })
}
