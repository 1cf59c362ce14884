//! A period with writes before its decision: a till that takes amounts and is closed for the day.

use crate::limits::header;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{
    ActionError, Environment, Input, Limits, NotFinite, PeriodCount, Prompt, RestoreError, Score,
    Session, ToolAdapter, ToolEnvironment, ToolInterface, ToolKind, ToolOutput, ToolReply,
    ToolSpec,
};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    day: u32,
    taken: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Act {
    Take(i64),
    Close,
}

#[derive(Debug, Clone)]
struct Till(State);

impl Environment for Till {
    type State = State;
    type Action = Act;
    type Observation = i64;
    type Feedback = i64;

    fn state(&self) -> &State {
        &self.0
    }
    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        if state.day > 3 {
            return Err(RestoreError {
                place: "day".to_owned(),
                message: "must be 0 to 3".to_owned(),
            });
        }
        self.0 = state;
        Ok(())
    }
    fn observe(&self) -> i64 {
        self.0.taken
    }
    fn step(&mut self, action: &Act) -> Result<i64, ActionError> {
        match action {
            Act::Take(amount) => self.0.taken += amount,
            Act::Close => self.0.day += 1,
        }
        Ok(self.0.taken)
    }
    fn forfeit(&mut self) -> i64 {
        self.0.day += 1;
        self.0.taken
    }
    fn is_over(&self) -> bool {
        self.0.day >= 3
    }
    fn score(&self) -> Result<Score, NotFinite> {
        Score::new(self.0.taken as f64)
    }
}

impl ToolInterface for Till {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        vec![
            ToolSpec::new("count", ToolKind::Getter, "what is in the till").once(),
            ToolSpec::new("take", ToolKind::Write, "take an amount")
                .with("amount", json!({"type": "integer"})),
            ToolSpec::new("close", ToolKind::Action, "close the till for the day"),
        ]
    }
    fn briefing(&self) -> Prompt {
        Prompt::default()
    }
    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.0.day,
            total: Some(3),
            unit: "day",
        }
    }
    fn get(&self, _: &str, _: &Value) -> Result<ToolOutput, ActionError> {
        Ok(ToolOutput::text(self.0.taken.to_string()))
    }
    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Act, ActionError> {
        match (tool, arguments["amount"].as_i64()) {
            ("close", _) => Ok(Act::Close),
            (_, Some(amount)) => Ok(Act::Take(amount)),
            _ => Err(ActionError::bad_arguments("an amount")),
        }
    }
    fn feedback_text(&self, taken: &i64) -> String {
        taken.to_string()
    }
    fn feedback_value<'a>(&self, _: &'a i64) -> Option<&'a ()> {
        None
    }
}

fn till() -> Box<dyn ToolEnvironment> {
    Box::new(ToolAdapter::new(Till(State::default())))
}

fn call(tool: &str, arguments: Value) -> Input {
    Input::Call {
        tool: tool.to_owned(),
        arguments,
    }
}

#[test]
fn a_restart_undoes_writes_by_call_and_by_typed_action() {
    for write in [
        call("take", json!({"amount": 5})),
        Input::Act(json!({"take": 5})),
    ] {
        let mut env = till();
        env.apply(&Input::Act(json!({"take": 100})));
        env.apply(&Input::Act(json!("close")));
        let begun = env.snapshot();
        env.apply(&call("count", json!({})));
        for _ in 0..3 {
            assert!(matches!(env.apply(&write), ToolReply::Written { .. }));
        }
        assert_eq!(env.observation(), json!(115));
        env.apply(&Input::Restart);
        assert_eq!(env.snapshot(), begun, "after {write:?}");
        let read = env.apply(&call("count", json!({})));
        assert_eq!(read.text(), "100", "it may be read again");
    }
}

#[test]
fn what_a_closed_day_wrote_is_not_undone() {
    let mut env = till();
    env.apply(&Input::Act(json!({"take": 7})));
    env.apply(&Input::Act(json!("close")));
    env.apply(&Input::Restart);
    assert_eq!(env.observation(), json!(7));
}

#[test]
fn a_record_with_a_restart_verifies_and_resumes() {
    let mut session = Session::new(till(), header(), Limits::default());
    for input in [
        Input::Act(json!({"take": 9})),
        Input::Restart,
        Input::Act(json!({"take": 2})),
        Input::Act(json!("close")),
        Input::Act(json!("close")),
        Input::Act(json!("close")),
    ] {
        session.apply(input);
    }
    let record = session.finish().unwrap();
    assert_eq!(record.score.value(), 2.0);
    record.verify(till()).unwrap();
    let mut cut = record.clone();
    cut.entries.remove(1);
    assert!(cut.verify(till()).is_err(), "the restart was part of it");
}

#[test]
fn a_snapshot_with_a_beginning_that_does_not_fit_is_refused() {
    let mut env = till();
    env.apply(&Input::Act(json!({"take": 3})));
    let good = env.snapshot();
    let mut forged = good.clone();
    forged["before_writes"]["day"] = json!(4);
    let error = env.restore(&forged).unwrap_err();
    assert_eq!(
        (error.place.as_str(), error.message.as_str()),
        ("day", "must be 0 to 3")
    );
    assert_eq!(env.snapshot(), good, "a refused snapshot changes nothing");
}
