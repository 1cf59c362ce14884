use aoa_router::experience::RoutedOutcome;
use aoa_router::{Agents, Strictness, read_experiences, write_experiences};

const LINE: &str = r#"{"bullet": "Copies the wrong row when two tables share a header.",
    "tags": {"agent_method": "CoT", "task_name": "tatqa", "capability": "IE",
             "difficulty_bucket": "NA"},
    "outcome": "incorrect", "diagnosis": "wrong row",
    "routing_hint": {"prefer_agent": "DC", "avoid_agent": "", "when": "two tables or more"},
    "confidence": "medium", "source_sample_id": "tatqa:3"}"#;

#[test]
fn files_round_trip() {
    let line = LINE.replace('\n', " ");
    let agents = Agents::methods();
    let text = format!("{line}\n\n{line}\n");
    let read = read_experiences(&text, &agents, Strictness::Strict).unwrap();
    assert_eq!(read.value.len(), 2);
    assert_eq!(read.value[0].outcome, RoutedOutcome::Incorrect);
    let again = write_experiences(&read.value);
    let read_again = read_experiences(&again, &agents, Strictness::Strict).unwrap();
    assert_eq!(read_again, read);
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
    for (from, to, place) in cases {
        let text = format!("{line}\n{}", line.replace(from, to));
        let error = read_experiences(&text, &Agents::methods(), Strictness::Strict).unwrap_err();
        assert!(error.place.starts_with(place), "{error}");
    }
    let odd = line.replace("\"when\"", "\"where\": 1, \"when\"");
    let read = read_experiences(&odd, &Agents::methods(), Strictness::Lenient).unwrap();
    assert_eq!(read.left_out, ["line 1: routing_hint.where"]);
}
