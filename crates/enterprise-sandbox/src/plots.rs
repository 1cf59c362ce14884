//! The pictures of a task: the calls on a time line, the records they showed, and how the outcome was
//! judged.

use crate::env::OfficeTask;
use crate::tasks::TaskEnd;
use crate::tools::office::AuditEntry;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole, Shape, Span, SpanRow};

/// The pictures of a task so far. The spans are the calls of the audit, one each, and the end.
pub(crate) fn plots(env: &OfficeTask) -> Vec<Plot> {
    let mut plots = vec![calls(env), records(env), checks(env)];
    plots.extend(facts(env));
    plots
}

fn number() -> Axis {
    Axis::new("call", "")
}

/// One row for each tool, in the order of their first calls.
fn calls(env: &OfficeTask) -> Plot {
    let state = env.state();
    let end = match &state.ending {
        TaskEnd::Answer { .. } => Some("answer"),
        TaskEnd::Refusal { .. } => Some("refuse"),
        TaskEnd::None => None,
    };
    let audit = state.office.audit.iter();
    let call = |entry: &AuditEntry| (entry.tool.clone(), entry.refused.is_some());
    let all = audit
        .map(call)
        .chain(end.map(|name| (name.to_owned(), false)));
    let mut rows: Vec<SpanRow> = Vec::new();
    for ((name, failed), to) in all.zip((1_u32..).map(f64::from)) {
        let span = Span {
            from: to - 1.0,
            to,
            value: 1.0,
            failed,
        };
        // A list, not a map: rows stand in the order of the first calls.
        match rows.iter_mut().find(|row| row.name == name) {
            Some(row) => row.spans.push(span),
            None => rows.push(SpanRow {
                name,
                spans: vec![span],
            }),
        }
    }
    let title = "Calls in order; refused ones are marked";
    let y = Axis::new("calls", "calls");
    Plot::new("calls", title, number(), y, Shape::Spans { rows })
}

/// Records shown or written so far, from 0 before the first call.
fn records(env: &OfficeTask) -> Plot {
    let mut sum = 0.0;
    let audit = env.state().office.audit.iter();
    let so_far = (1_u32..).map(f64::from).zip(audit).map(|(call, entry)| {
        sum += f64::from(entry.records);
        (call, sum)
    });
    let all = std::iter::once((0.0, 0.0)).chain(so_far);
    let title = "Records that the calls showed or wrote so far";
    Plot::lines("records", title, number(), Axis::new("records", "records"))
        .with(Series::own("records", all))
}

/// The judgement as shares: 1 is right.
fn checks(env: &OfficeTask) -> Plot {
    let judged = env.evaluation();
    let share = |right: bool| f64::from(u8::from(right));
    let rows = [
        ("success", share(judged.success)),
        ("changes right", share(judged.state.right)),
        ("facts found", judged.facts.recall),
        ("facts right", judged.facts.precision),
        ("plan covered", judged.process.plan_coverage),
    ];
    let groups = rows.iter().map(|(name, _)| (*name).to_owned()).collect();
    let y = Axis::new("right", "share");
    Plot::bars(
        "checks",
        "How the outcome was judged",
        Axis::default(),
        y,
        groups,
    )
    .bar(SeriesRole::Own, "this task", rows.map(|(_, value)| value))
}

/// Which of the facts that were asked for are right; `None` where none was asked for.
fn facts(env: &OfficeTask) -> Option<Plot> {
    let missed = env.evaluation().facts.missed;
    let required = env.instance().task.gold.facts.iter().filter(|f| f.required);
    let keys: Vec<String> = required.map(|fact| fact.key.clone()).collect();
    if keys.is_empty() {
        return None;
    }
    let right: Vec<f64> = keys
        .iter()
        .map(|key| f64::from(u8::from(!missed.contains(key))))
        .collect();
    let (x, y) = (Axis::new("fact", ""), Axis::new("right", "1 or 0"));
    let title = "Facts that were asked for";
    Some(Plot::bars("facts", title, x, y, keys).bar(SeriesRole::Own, "right", right))
}
