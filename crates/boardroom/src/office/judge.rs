//! A model that judges runs of the office with a rubric, beside the score by rules.

use super::pipeline::readable;
use super::tasks_of;
use crate::registry::Registry;
use agent_client::backend::AgentBackend;
use agent_client::message::Message;
use agent_client::parallel::in_order;
use agent_client::request::{ModelRole, Request, Schema, Slot};
use agent_client::{AgentError, structured};
use enterprise_sandbox::OfficeTask;
use enterprise_sandbox::tasks::judge::{Judging, Marked, ORDER, graded, words};
use qa_scoring::correlate::pearson;
use run_engine::engine::model::ask::{CONCURRENCY, runtime};
use run_engine::error::RunError;
use run_report::runs::Run;
use serde::Deserialize;
use serde_json::json;
use sim_core::{Environment as _, ToolAdapter, ToolInterface as _};
use std::sync::Arc;

/// What the judge writes.
#[derive(Debug, Deserialize)]
struct Verdict {
    #[serde(rename = "feedback")]
    _feedback: String,
    mark: u8,
}

fn schema() -> Schema {
    Schema::new(
        "verdict",
        "the feedback and the mark from 1 to 5",
        json!({
            "type": "object",
            "properties": {
                "feedback": {"type": "string"},
                "mark": {"type": "integer", "minimum": 1, "maximum": 5},
            },
            "required": ["feedback", "mark"],
            "additionalProperties": false,
        }),
    )
}

/// One episode for the judge, with the result by rules.
struct Case {
    slot: Slot,
    words: String,
    success: bool,
    grade: Option<f64>,
}

/// What the judge is told of an episode.
fn told(played: &OfficeTask) -> String {
    let (task, state) = (&played.instance().task, played.state());
    let request = played.briefing().opening;
    let end = (&state.office, &state.ending);
    words(task, &request, played.office(), end)
}

/// The episodes of a run as the judge gets them, in the order of the records.
fn cases(registry: &Registry, run: &Run) -> Result<Vec<Case>, RunError> {
    let source = tasks_of(registry, run)?;
    run.scan(|record| {
        let mut env = source.case(record.header.episode)?.open()?;
        for entry in &record.entries {
            env.apply(&entry.input);
        }
        let adapter = env.as_any().downcast_ref::<ToolAdapter<OfficeTask>>();
        let played = adapter.ok_or_else(|| {
            RunError::Failed("the environment of the run is not the office".to_owned())
        })?;
        let slot = Slot::new("judge").child("episode", record.header.episode);
        Ok(Case {
            slot: match record.header.trial {
                0 => slot,
                // Only for further trials: the slot of the first one is that of a run without
                // trials.
                trial => slot.child("trial", trial),
            },
            words: told(played.env()),
            // The rules give 0 or 1.
            success: record.score.value() > 0.5,
            grade: record.score.metrics().get("grade").copied(),
        })
    })
}

/// Asks the judge for the mark of one episode; `None` if it cannot be read.
async fn mark(
    judge: Arc<dyn AgentBackend>,
    slot: Slot,
    words: String,
) -> Result<Option<u8>, AgentError> {
    let messages = vec![Message::system(ORDER), Message::user(words)];
    let request = Request::new(ModelRole::Judge, slot, messages);
    let check = |verdict: &Verdict| match verdict.mark {
        1..=5 => Ok(()),
        other => Err(format!("the mark must be 1 to 5, not `{other}`")),
    };
    let asked = structured::ask_with(&*judge, request, &schema(), check, 1).await;
    Ok(readable(asked)?.map(|typed| typed.value.mark))
}

/// Has every episode of a run judged. Returns the figures, and the mark of each episode in the order of
/// the records.
///
/// # Errors
/// When it is not a run of the office, its tasks cannot be drawn again, or the judge does not answer.
pub fn judge_run(
    registry: &Registry,
    run: &Run,
    judge: &Arc<dyn AgentBackend>,
) -> Result<(Judging, Vec<Option<u8>>), RunError> {
    let cases = cases(registry, run)?;
    let work: Vec<_> = cases
        .iter()
        // All are collected before the first error is looked at: answered requests are stored and
        // paid for.
        .map(|case| mark(Arc::clone(judge), case.slot.clone(), case.words.clone()))
        .collect();
    let mut marks = Vec::new();
    runtime()?.block_on(in_order(work, CONCURRENCY, |_, mark| marks.push(mark)));
    let marks = marks
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| RunError::Failed(format!("the judge {}: {e}", judge.name())))?;
    let marked = marks.iter().zip(&cases);
    let marked = marked.filter_map(|(mark, case)| {
        Some(Marked {
            mark: (*mark)?,
            success: case.success,
            grade: case.grade,
        })
    });
    let marked: Vec<Marked> = marked.collect();
    let (x, y) = graded(&marked);
    let correlation = pearson(&x, &y).map(|found| found.coefficient);
    let judging = Judging::of(judge.name(), &marked, marks.len(), correlation);
    Ok((judging, marks))
}
