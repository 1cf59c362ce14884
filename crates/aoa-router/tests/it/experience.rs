use crate::names_the_place;
use aoa_router::experience::RoutedOutcome;
use aoa_router::policy::PolicyReading;
use aoa_router::{Agents, RoutingExperience, Strictness, read_experiences, write_experiences};
use sim_core::ConfigError;

const LINE: &str = r#"{"bullet": "Copies the wrong row when two tables share a header.",
    "tags": {"agent_method": "CoT", "task_name": "tatqa", "capability": "IE",
             "difficulty_bucket": "NA"},
    "outcome": "incorrect", "diagnosis": "wrong row",
    "routing_hint": {"prefer_agent": "DC", "avoid_agent": "", "when": "two tables or more"},
    "confidence": "medium", "source_sample_id": "tatqa:3"}"#;

/// The lessons in `text`, with the agents of the paper.
fn read(
    text: &str,
    strictness: Strictness,
) -> Result<PolicyReading<Vec<RoutingExperience>>, ConfigError> {
    read_experiences(text, &Agents::methods(), strictness)
}

#[test]
fn files_round_trip() {
    let line = LINE.replace('\n', " ");
    let text = format!("{line}\n\n{line}\n");
    let found = read(&text, Strictness::Strict).unwrap();
    assert_eq!(found.value.len(), 2);
    assert_eq!(found.value[0].outcome, RoutedOutcome::Incorrect);
    let again = write_experiences(&found.value);
    assert_eq!(read(&again, Strictness::Strict).unwrap(), found);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let line = LINE.replace('\n', " ");
    let cases = [
        ("\"CoT\"", "\"CoTT\"", "line 2.tags.agent_method"),
        ("\"DC\"", "\"DD\"", "line 2.routing_hint.prefer_agent"),
        ("\"incorrect\"", "\"wrong\"", "line 2.outcome"),
        ("\"NA\"", "\"medium\"", "line 2.tags.difficulty_bucket"),
        ("\"when\"", "\"where\"", "line 2.routing_hint.where"),
        ("\"bullet\": \"C", "\"bullet\": \"\", \"C", "line 2"),
    ];
    names_the_place(&line, &cases, |text| read(text, Strictness::Strict));
    let odd = line.replace("\"when\"", "\"where\": 1, \"when\"");
    let found = read(&odd, Strictness::Lenient).unwrap();
    assert_eq!(found.left_out, ["line 1: routing_hint.where"]);
}
