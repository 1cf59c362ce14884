//! Success of office runs by kind of task.

use super::tasks_of;
use crate::registry::Registry;
use enterprise_sandbox::tasks::breakdown::{Breakdown, PlayedTask};
use enterprise_sandbox::{Instance, Spec};
use run_engine::error::RunError;
use run_report::runs::Run;
use serde_json::Value;
use sim_core::{Environment as _, EnvironmentSpec as _};
use std::sync::Arc;

/// Breaks a run down by kind of task. `marks` are those of a judge, one for each record in their order, or
/// none.
///
/// # Errors
/// When it is not a run of the office, or its tasks cannot be drawn again.
pub fn breakdown(
    registry: &Registry,
    run: &Run,
    marks: &[Option<u8>],
) -> Result<Breakdown, RunError> {
    let source = tasks_of(registry, run)?;
    let mut played = run.scan(|record| {
        let case = source.case(record.header.episode)?;
        let score = &record.score;
        Ok(PlayedTask {
            task: record.header.instance,
            kinds: kinds(registry.office(), case.instance())?,
            // The rules give 0 or 1.
            success: score.value() > 0.5,
            metrics: score.metrics().clone(),
            incidents: score
                .all_incidents()
                .iter()
                .map(|i| i.code.clone())
                .collect(),
            mark: None,
        })
    })?;
    for (episode, mark) in played.iter_mut().zip(marks) {
        episode.mark = *mark;
    }
    Ok(Breakdown::of(run.name(), &played, run.plan.seed))
}

/// The groups of a task, by grouping.
fn kinds(spec: &Spec, instance: &Value) -> Result<[(&'static str, String); 5], RunError> {
    let instance: Instance = serde_json::from_value(instance.clone()).map_err(RunError::failed)?;
    let category = <&str>::from(instance.task.category).to_owned();
    let difficulty = <&str>::from(instance.task.difficulty).to_owned();
    let domain = instance.task.domain.to_string();
    let env = spec.begin(Arc::new(instance))?;
    let persona = env.observe().persona;
    let level = persona.get("level").and_then(Value::as_str).into_iter();
    Ok([
        ("all", "tasks".to_owned()),
        ("domain", domain),
        ("category", category),
        ("difficulty", difficulty),
        // `EN10`: the domain already names the department.
        (
            "level",
            level
                .flat_map(str::chars)
                .filter(char::is_ascii_digit)
                .collect(),
        ),
    ])
}
