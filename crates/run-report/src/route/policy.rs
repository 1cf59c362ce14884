//! Reads the policy files of the router, and collects what is known of a question before it is answered.

use aoa_router::policy::MAX_BYTES;
use aoa_router::sample::short_capability;
use aoa_router::{Agents, Bucket, Features, RoutingPlaybook, Sample, Strictness};
use qa_scoring::taxonomy::TaxonomyLabel;
use qa_scoring::{Item, Task};
use run_engine::error::RunError;
use run_engine::files::regular;
use std::path::Path;

/// Largest file of traces that is read \[bytes\].
const MOST_TRACES: u64 = 1 << 30;

/// Reads a policy file, with what was left out of it.
///
/// # Errors
/// When it cannot be read or is not a policy for these agents; names the place.
pub fn read_policy(
    path: &Path,
    agents: &Agents,
    strictness: Strictness,
) -> Result<(RoutingPlaybook, Vec<String>), RunError> {
    let text = regular::json_text(path, MAX_BYTES as u64).map_err(RunError::file(path))?;
    let mut reading =
        RoutingPlaybook::read(&text, agents, strictness).map_err(RunError::in_file(path))?;
    for rule in &mut reading.value.routing_policy.rules {
        let task = rule.when.task_name.take();
        rule.when.task_name = task.map(|name| routed_name(&name));
    }
    Ok((reading.value, reading.left_out))
}

/// The name by which the router knows a task: `FPB` for `application/FPB`. Any other name stays as it is.
///
/// ```
/// use run_report::route::policy::routed_name;
/// assert_eq!(routed_name("knowledge/fin/single"), "fin/single");
/// assert_eq!(routed_name("my/own"), "my/own");
/// ```
#[must_use]
pub fn routed_name(name: &str) -> String {
    match name.parse::<Task>() {
        // Whole names only: a part such as `single` may be a name of the user's own.
        Ok(task) if task.to_string().eq_ignore_ascii_case(name.trim()) => task.short_name(),
        _ => name.to_owned(),
    }
}

/// The text of a file of traces.
pub(crate) fn traces_text(path: &Path) -> Result<String, RunError> {
    regular::json_text(path, MOST_TRACES).map_err(RunError::file(path))
}

/// What is known of a question before it is answered.
#[must_use]
pub fn sample(task: Task, item: &Item, label: Option<&TaxonomyLabel>) -> Sample {
    let capability = label.and_then(|label| label.capability);
    Sample {
        task_name: Some(task.short_name()),
        capability: capability.map(|it| short_capability(it.into()).to_owned()),
        difficulty_bucket: Bucket::of(label.and_then(|label| label.difficulty)),
        features: Features::of(&item.question, item.context.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aoa_router::Router;
    use qa_scoring::Gold;

    #[test]
    fn a_rule_may_name_its_task_with_the_family() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("policy.json");
        let item = Item::new("1", "x", Gold::Text("positive".to_owned()));
        for (full, other) in [
            ("application/FPB", "fin/single"),
            ("knowledge/fin/single", "FPB"),
        ] {
            let policy = format!(
                r#"{{"routing_policy": {{"default_agent": "cot", "rules": [
                    {{"when": {{"task_name": "{full}"}}, "choose": "direct"}}]}}}}"#
            );
            std::fs::write(&path, policy).unwrap();
            let agents = Agents::methods();
            let (playbook, _) = read_policy(&path, &agents, Strictness::Strict).unwrap();
            let router = Router::new(&playbook.routing_policy, &agents).unwrap();
            let agent = |task: &str| {
                let sample = sample(task.parse().unwrap(), &item, None);
                router.choose(&sample).agent.to_owned()
            };
            assert_eq!(agent(full), "direct", "{full}");
            assert_eq!(agent(other), "cot", "{full}");
        }
    }
}
