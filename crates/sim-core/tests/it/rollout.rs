//! Episodes without a log come out as those of a session, also where a policy is refused, writes before it
//! decides, or gives up.

use crate::limits::header;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{
    ActionError, ConfigError, DynEnvironmentSpec as _, Effort, Environment, EnvironmentAbout,
    EnvironmentSpec, Episode, Input, Limits, NotFinite, PeriodCount, Policy, PolicyContext,
    PolicySpec, Preset, Prompt, Reference, RestoreError, Score, Seat, Seed, Sense, Session, Stream,
    ToolInterface, ToolKind, ToolOutput, ToolSpec,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const SEATS: [Seat; 3] = [Seat::named("a"), Seat::named("b"), Seat::named("c")];
const ROUNDS: u32 = 5;

/// Three seats in turn: below 0 is refused, 0 is noted and the turn goes on, above 0 ends the turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Round {
    decided: u32,
    notes: i64,
    sum: i64,
}

impl Environment for Round {
    type State = Self;
    type Action = i64;
    type Observation = i64;
    type Feedback = i64;

    fn state(&self) -> &Self {
        self
    }
    fn set_state(&mut self, state: Self) -> Result<(), RestoreError> {
        *self = state;
        Ok(())
    }
    fn seats(&self) -> Vec<Seat> {
        SEATS.to_vec()
    }
    fn turn(&self) -> Seat {
        SEATS[self.decided as usize % SEATS.len()].clone()
    }
    fn observe(&self) -> i64 {
        self.sum
    }
    fn step(&mut self, action: &i64) -> Result<i64, ActionError> {
        match *action {
            ..0 => return Err(ActionError::new("below_zero", "a number from 0 on")),
            0 => self.notes += 1,
            more => {
                self.sum = self.sum * 3 % 1_000_003 + more + self.notes;
                self.decided += 1;
            }
        }
        Ok(self.sum + self.notes)
    }
    fn forfeit(&mut self) -> i64 {
        self.decided += 1;
        self.sum += 7;
        -self.sum
    }
    fn is_over(&self) -> bool {
        self.decided >= ROUNDS * 3
    }
    fn score(&self) -> Result<Score, NotFinite> {
        Ok(Score::new(self.sum as f64)?.metric("notes", self.notes as f64))
    }
}

impl ToolInterface for Round {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        vec![
            ToolSpec::new("note", ToolKind::Write, "notes something"),
            ToolSpec::new("decide", ToolKind::Action, "decides"),
        ]
    }
    fn briefing(&self) -> Prompt {
        Prompt::default()
    }
    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.decided / 3,
            total: Some(ROUNDS),
            unit: "round",
        }
    }
    fn get(&self, tool: &str, _: &Value) -> Result<ToolOutput, ActionError> {
        Err(ActionError::unknown_tool(tool, &[]))
    }
    fn read_call(&self, tool: &str, _: &Value) -> Result<i64, ActionError> {
        Err(ActionError::unknown_tool(tool, &[]))
    }
    fn feedback_text(&self, told: &i64) -> String {
        told.to_string()
    }
    fn feedback_value<'a>(&self, _: &'a i64) -> Option<&'a ()> {
        None
    }
}

/// Draws from -1, 0 and 1; what it was told last decides how often it is refused.
struct Unsteady {
    draws: Stream,
    told: i64,
}

impl Policy<Round> for Unsteady {
    fn act(&mut self, sum: &i64) -> i64 {
        match (self.draws.below(4), (self.told + sum) % 3) {
            (0, _) | (1, 0) => -1,
            (1 | 2, 1) => 0,
            (more, _) => 1 + more as i64,
        }
    }
    fn learn(&mut self, told: &i64) {
        self.told = self
            .told
            .wrapping_mul(5)
            .wrapping_add(*told)
            .rem_euclid(1_001);
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Clone)]
struct Spec;

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "round",
        version: 1,
        about: "three seats name numbers",
        unit: "points",
        sense: Sense::Maximise,
        ..EnvironmentAbout::DEFAULT
    };
    type Env = Round;
    type Config = Nothing;
    type Instance = Nothing;

    fn presets(&self) -> Vec<Preset<Nothing>> {
        vec![Preset::new("round", "the only one", Nothing {})]
    }
    fn check(&self, _: &Nothing) -> Result<(), ConfigError> {
        Ok(())
    }
    fn generate(&self, _: &Nothing, _: Episode) -> Result<Nothing, ConfigError> {
        Ok(Nothing {})
    }
    fn begin(&self, _: Arc<Nothing>) -> Result<Round, ConfigError> {
        Ok(Round::default())
    }
    fn reference(&self, _: &Nothing, _: Effort) -> Reference {
        Reference::none()
    }
    fn policies(&self) -> Vec<PolicySpec<Round, Nothing>> {
        let make = |making: PolicyContext<'_, Nothing>| {
            Ok(Unsteady {
                draws: making.seed.stream("draws", 0),
                told: 0,
            })
        };
        vec![PolicySpec::new("unsteady", "names any number", make).random()]
    }
}

proptest! {
    #[test]
    fn without_a_log_the_same_episode_is_played(seed: u64, tries in 1_u32..5, inputs in 1_u32..8, forfeits in 1_u32..4) {
        let limits = Limits {
            tries_per_period: tries,
            inputs_per_period: inputs,
            forfeits_in_row: forfeits,
            ..Limits::default()
        };
        let seed = |seat: &Seat| Seed(seed).child(seat.name(), 0);
        let instance = Spec.draw(&serde_json::json!({}), Seed(0), 0).unwrap();

        let mut session = Session::new(instance.open().unwrap(), header(), limits);
        let mut players = BTreeMap::new();
        for seat in SEATS {
            players.insert(seat.clone(), instance.policy("unsteady", &seat, seed(&seat)).unwrap());
        }
        let mut refused = 0;
        while !session.env().is_over() {
            let player = players.get_mut(&session.env().turn()).unwrap();
            let action = player.act(session.env()).unwrap();
            refused += u64::from(session.apply(Input::Act(action)).reply.is_rejected());
            player.learn(session.env());
        }
        let record = session.finish().unwrap();
        let periods = u64::from(record.entries.last().unwrap().period) + 1;

        let rollout = instance.rollout("unsteady", &seed, Effort::Quick, limits).unwrap().unwrap();
        prop_assert_eq!(&rollout.score, &record.score);
        prop_assert_eq!((rollout.tally, rollout.refused, rollout.periods), (record.tally(), refused, periods));
        let hidden = Limits { faithful_errors: true, ..limits };
        prop_assert!(instance.rollout("unsteady", &seed, Effort::Quick, hidden).unwrap().is_none());
    }
}
