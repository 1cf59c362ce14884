//! One lesson from one trace.
//!
//! The paper's trace-based extractor (A.3): a model sees one question and one answer, and writes down what
//! they teach about the agent.

use super::{Ask, head_and_tail};
use crate::agents::Agents;
use crate::trace::TraceRecord;

/// Maximum length of the part of a question or a trace that is shown [Unicode characters].
pub const TRACE_CHARS: usize = 6_000;

/// Asks for the experience in `trace`; the answer has the form of
/// [`Experience`](crate::RoutingExperience).
#[must_use]
pub fn extraction(trace: &TraceRecord, agents: &Agents) -> Ask {
    let system = format!(
        "You study how agents answer business questions. You see one question and what one agent \
         did with it, and you write down one lesson that helps either to use this agent better or \
         to send questions like this one to another agent.\n\n\
         - Say what happened here, in terms of the question and the work shown: which figure, which \
         row, which step, which format. A lesson that fits any question is worth nothing.\n\
         - If the answer is wrong, find the likeliest cause. If it is right, find what made it \
         right.\n\
         - In `routing_hint` name an agent to prefer or to avoid only if this trace is a reason to; \
         otherwise leave the field empty. The agents are: {agents}.\n\
         - `confidence` is how likely the lesson holds for other questions of this kind."
    );
    let sample = trace.sample();
    let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "NA".to_owned());
    let user = format!(
        "agent_method: {}\ntask_name: {}\ncapability: {}\ndifficulty_bucket: {}\n\
         source_sample_id: {}\noutcome: {}\nscore: {}\n\n<question>\n{}\n</question>\n\n\
         <trace>\n{}\n</trace>",
        trace.method,
        or_unknown(&sample.task_name),
        or_unknown(&sample.capability),
        sample.difficulty_bucket,
        trace.sample_id,
        if trace.correct {
            "correct"
        } else {
            "incorrect"
        },
        trace.score,
        head_and_tail(
            trace.question.as_deref().unwrap_or("(not recorded)"),
            TRACE_CHARS
        ),
        head_and_tail(&trace.prediction, TRACE_CHARS),
    );
    Ask { system, user }
}
