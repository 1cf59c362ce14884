//! Who plays the seats that are not under test.

use run_engine::plan::Plan;
use sim_core::DynEnvironmentSpec;
use std::collections::BTreeMap;

/// Who plays the seats of `plan` that are not under test, by role: `interviewer` and `rules`, `judge` and `openai:a and
/// openai:b`. Of five judges only those that mark are there.
pub(crate) fn others(plan: &Plan, kind: &dyn DynEnvironmentSpec) -> BTreeMap<String, String> {
    let judges = plan
        .config
        .get("judges")
        .and_then(serde_json::Value::as_u64);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (seat, words) in plan.cast_aside(kind) {
        let (role, number) = seat.split_once('_').unwrap_or((seat, ""));
        let number = number.parse::<u64>().ok();
        // All five have an agent by default, also those that a run does not use.
        if number.is_some_and(|number| Some(number) > judges) {
            continue;
        }
        let said = found.entry(role.to_owned()).or_default();
        *said = match said.as_str() {
            "" => words,
            before => format!("{before} and {words}"),
        };
    }
    found
}

/// The same in words, but for seats without a player and for what runs programs: `interviewer rules, judge rules`.
pub(crate) fn others_in_words(plan: &Plan, kind: &dyn DynEnvironmentSpec) -> String {
    let others = others(plan, kind).into_iter();
    let words = others.filter(|(_, words)| !["none", "python"].contains(&words.as_str()));
    let words: Vec<String> = words
        .map(|(role, words)| format!("{role} {words}"))
        .collect();
    words.join(", ")
}
