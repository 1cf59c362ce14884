//! Two seats that name a number at the same time; the second must not see the first's.

use crate::limits::header;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{
    ActionError, Environment, Input, Limits, NotFinite, PeriodCount, Prompt, RestoreError, Score,
    Seat, Session, ToolAdapter, ToolEnvironment, ToolInterface, ToolKind, ToolOutput, ToolSpec,
};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    round: u32,
    sealed: Option<i64>,
    sum: i64,
}

#[derive(Debug, Clone)]
struct Table(State);

const SEATS: [Seat; 2] = [Seat::named("odd"), Seat::named("even")];

impl Environment for Table {
    type State = State;
    type Action = i64;
    type Observation = (u32, i64);
    type Feedback = i64;

    fn state(&self) -> &State {
        &self.0
    }
    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        self.0 = state;
        Ok(())
    }
    fn seats(&self) -> Vec<Seat> {
        SEATS.to_vec()
    }
    fn turn(&self) -> Seat {
        SEATS[usize::from(self.0.sealed.is_some())].clone()
    }
    fn observe(&self) -> (u32, i64) {
        (self.0.round, self.0.sum)
    }
    fn step(&mut self, action: &i64) -> Result<i64, ActionError> {
        match self.0.sealed.take() {
            None => self.0.sealed = Some(*action),
            Some(first) => {
                self.0.sum += first + action;
                self.0.round += 1;
            }
        }
        Ok(self.0.sum)
    }
    fn forfeit(&mut self) -> i64 {
        self.step(&0).unwrap_or(0)
    }
    fn is_over(&self) -> bool {
        self.0.round >= 2
    }
    fn score(&self) -> Result<Score, NotFinite> {
        Score::new(self.0.sum as f64)
    }
}

impl ToolInterface for Table {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        vec![
            ToolSpec::new(
                &format!("say_{}", self.turn()),
                ToolKind::Action,
                "name a number",
            )
            .with("number", json!({"type": "integer"})),
        ]
    }
    fn briefing(&self) -> Prompt {
        Prompt {
            system: format!("you are {}", self.turn()),
            ..Prompt::default()
        }
    }
    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.0.round,
            total: Some(2),
            unit: "round",
        }
    }
    fn get(&self, _: &str, _: &Value) -> Result<ToolOutput, ActionError> {
        Ok(ToolOutput::default())
    }
    fn read_call(&self, _: &str, arguments: &Value) -> Result<i64, ActionError> {
        arguments["number"]
            .as_i64()
            .ok_or_else(|| ActionError::bad_arguments("a number"))
    }
    fn feedback_text(&self, sum: &i64) -> String {
        format!("sum {sum}")
    }
    fn feedback_value<'a>(&self, _: &'a i64) -> Option<&'a ()> {
        None
    }
}

pub fn table() -> Box<dyn ToolEnvironment> {
    Box::new(ToolAdapter::new(Table(State::default())))
}

#[test]
fn seats_take_turns_with_tools_of_their_own() {
    let mut session = Session::new(table(), header(), Limits::default());
    assert!(session.env_of(&SEATS[1]).is_none(), "not in turn");
    let first = session.env().observation();
    assert_eq!(session.env().tools()[0].name, "say_odd");
    session.apply(Input::Call {
        tool: "say_odd".to_owned(),
        arguments: json!({"number": 5}),
    });
    assert_eq!(session.env().turn(), SEATS[1]);
    assert_eq!(session.env().briefing().system, "you are even");
    assert_eq!(session.env().tools()[0].name, "say_even");
    assert_eq!(
        session.env().observation(),
        first,
        "the sealed number shows nowhere"
    );
    session.apply(Input::Act(json!(2)));
    session.forfeit();
    session.apply(Input::Act(json!(1)));
    let record = session.finish().unwrap();
    assert_eq!(record.score.value(), 8.0);
    let seats: Vec<String> = record
        .entries
        .iter()
        .map(|e| e.seat.as_ref().unwrap().to_string())
        .collect();
    assert_eq!(seats, ["odd", "even", "odd", "even"]);
    record.verify(table()).unwrap();
    let mut swapped = record;
    swapped.entries[1].seat = Some(SEATS[0].clone());
    let error = swapped.verify(table()).unwrap_err().to_string();
    assert_eq!(error, "round 1: another seat is in turn");
}

#[test]
fn a_week_cut_between_two_seats_starts_anew() {
    let mut session = Session::new(table(), header(), Limits::default());
    for number in [1, 2, 3] {
        session.apply(Input::Act(json!(number)));
    }
    let entries = session.entries().to_vec();
    let resumed = Session::resume(table(), header(), Limits::default(), entries).unwrap();
    assert_eq!(resumed.entries().len(), 2);
    assert_eq!(resumed.env().turn(), SEATS[0]);
}

/// One seat that sleeps ends the game; three seats that each miss one turn do not.
#[test]
fn forfeits_are_counted_by_seat() {
    let limits = Limits {
        forfeits_in_row: 2,
        ..Limits::default()
    };
    let mut session = Session::new(table(), header(), limits);
    session.forfeit();
    session.forfeit();
    assert!(!session.env().is_over(), "one turn of each");
    session.forfeit();
    let record = session.finish().unwrap();
    assert_eq!(record.ending, sim_core::Ending::Forfeited);
    record.verify_within(table(), limits).unwrap();
    let error = record.verify(table()).unwrap_err().to_string();
    assert!(error.contains("ends as Forfeited"), "{error}");
}
