use crate::contract::case;
use serde_json::{Value, json};
use sim_core::{NoteLimits, ToolEnvironment, ToolReply, WithNotes};

fn with_notes() -> WithNotes {
    let limits = NoteLimits {
        bytes_per_period: 20,
        bytes_in_all: 30,
    };
    WithNotes::new(case(0).open().unwrap(), limits)
}

fn write(env: &mut dyn ToolEnvironment, text: &str) -> ToolReply {
    env.call("write_notes", &json!({"notes": text}))
}

fn read(env: &mut dyn ToolEnvironment, period: impl Into<Value>) -> String {
    env.call("read_notes", &json!({"period": period.into()}))
        .text()
        .to_owned()
}

#[test]
fn notes_stand_before_the_action_tools() {
    let names: Vec<String> = with_notes()
        .tools()
        .iter()
        .map(|t| t.name.clone())
        .collect();
    assert_eq!(
        names,
        ["get_yesterday", "write_notes", "read_notes", "order"]
    );
}

#[test]
fn notes_append_and_outlive_days_restarts_and_snapshots() {
    let mut env = with_notes();
    write(&mut env, "a");
    env.restart_period();
    write(&mut env, "b");
    env.act(&json!({"papers": 1}));
    assert_eq!(read(&mut env, 0), "ab");
    assert_eq!(read(&mut env, "0"), "ab");
    assert_eq!(read(&mut env, 1), "");
    let mut other = with_notes();
    other.restore(&env.snapshot()).unwrap();
    assert_eq!(read(&mut other, 0), "ab");
    assert_eq!(read(&mut *other.fork(), 0), "ab");
}

#[test]
fn notes_are_bounded_and_their_errors_tell_how() {
    let mut env = with_notes();
    let full = write(&mut env, &"x".repeat(21));
    assert_eq!(
        full.text(),
        "the note has 21 bytes, there is room for 20; write less"
    );
    assert!(!write(&mut env, &"x".repeat(20)).is_rejected());
    env.act(&json!({"papers": 1}));
    assert!(
        write(&mut env, &"x".repeat(11)).is_rejected(),
        "30 bytes in all"
    );
    assert_eq!(
        read(&mut env, 5),
        "there are notes for day 0 to 1, not for `5`"
    );
    assert!(read(&mut env, -1).contains("not for `-1`"));
    assert!(env.call("write_notes", &json!({})).is_rejected());
    let unknown = env.call("nothing", &json!({}));
    assert!(
        unknown
            .text()
            .contains("get_yesterday, write_notes, read_notes, order")
    );
}
