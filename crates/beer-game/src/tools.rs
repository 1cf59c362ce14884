//! The tools of a seat: names, arguments, replies.
//!
//! | tool | kind | arguments |
//! |---|---|---|
//! | [`GET_STOCK`] | getter | none |
//! | [`GET_HISTORY`] | getter | `weeks` (optional): only the last `weeks` weeks |
//! | [`PLACE_ORDER`] | action, ends the seat's week | `quantity`: a whole number of units |
//!
//! Getters are free and change nothing. [`sim_core::ToolAdapter`] turns a [`BeerGame`]
//! into an object that answers calls, so that a language model or a remote client plays
//! without the types:
//!
//! ```
//! use beer_game::{BeerGame, Config, Instance, tools};
//! use serde_json::json;
//! use sim_core::{Episode, Seed, ToolAdapter, ToolEnvironment};
//! use std::sync::Arc;
//!
//! let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
//! let mut game = ToolAdapter::new(BeerGame::new(Arc::new(game))?);
//! assert!(game.call(tools::GET_STOCK, &json!({})).text().contains("400"));
//!
//! let refused = game.call(tools::PLACE_ORDER, &json!({"quantity": 2.5}));
//! assert!(refused.is_rejected(), "and the week still waits for an order");
//! assert!(!game.call(tools::PLACE_ORDER, &json!({"quantity": 400})).is_rejected());
//! assert!(game.call(tools::GET_HISTORY, &json!({"weeks": 1})).text().contains("400"));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! A seat is shown its own stage only. What it sees as text and as JSON value has the
//! same content; [`Observation`](crate::Observation) has the fields.

use crate::action::Action;
use crate::env::BeerGame;
use crate::env::WeekRecord;
use crate::observation::Feedback;
use crate::prompt;
use crate::role::Role;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::tool::{from_one, known_arguments, read_arguments};
use sim_core::{
    ActionError, Environment, PeriodCount, Prompt, Seat, ToolInterface, ToolKind, ToolOutput,
    ToolSpec,
};

/// The getter of what the seat sees now.
///
/// Its JSON value is the [`Observation`](crate::Observation) of the seat in turn.
pub const GET_STOCK: &str = "get_stock";
/// The getter of the seat's own past.
///
/// Its JSON value is a list, oldest week first, of a [`WeekRecord`] with its `week`.
pub const GET_HISTORY: &str = "get_history";
/// The decision.
///
/// Its JSON value is the [`Feedback`]. An order out of range is refused or clipped, as
/// the game says.
pub const PLACE_ORDER: &str = "place_order";

/// Arguments of [`GET_HISTORY`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryArguments {
    #[serde(default, deserialize_with = "from_one")]
    weeks: Option<u32>,
}

/// One line of the history as JSON.
#[derive(Serialize)]
struct HistoryLine {
    week: u32,
    #[serde(flatten)]
    line: WeekRecord,
}

impl BeerGame {
    /// The past weeks of the role in turn, oldest first, at most the last `limit`.
    fn history(&self, limit: Option<u32>) -> Vec<(u32, WeekRecord)> {
        let role = self.role_in_turn();
        let log = &self.state().log;
        let skip = limit.map_or(0, |limit| log.len().saturating_sub(limit as usize));
        let weeks = (1..).zip(log).skip(skip);
        weeks.map(|(week, lines)| (week, lines[role])).collect()
    }
}

impl ToolInterface for BeerGame {
    type Shown = Feedback;

    fn tools(&self) -> Vec<ToolSpec> {
        let largest = self.instance().play.largest_order;
        vec![
            ToolSpec::new(
                GET_STOCK,
                ToolKind::Getter,
                "Your stock, backlog, newest order and delivery, what is on order, and cost so far.",
            ),
            ToolSpec::new(
                GET_HISTORY,
                ToolKind::Getter,
                "Your own past weeks: asked for, received, shipped, ordered, stock, backlog, cost.",
            )
            .with_optional(
                "weeks",
                json!({
                    "type": "integer", "minimum": 1,
                    "description": "Only the last so many weeks; all when left out."
                }),
            ),
            ToolSpec::new(
                PLACE_ORDER,
                ToolKind::Action,
                "Send this week's order to your supplier. Ends your week.",
            )
            .with(
                "quantity",
                json!({
                    "type": "integer", "minimum": 0, "maximum": largest,
                    "description": "Units to order, a whole number."
                }),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        prompt::briefing(self)
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.state().chain.weeks_closed,
            total: Some(self.instance().weeks()),
            unit: "week",
        }
    }

    fn get(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ActionError> {
        match tool {
            GET_STOCK => {
                known_arguments(arguments, &[])?;
                // Text and value from one observation, so that they cannot say different things.
                let seen = self.observe();
                let text = prompt::situation(self.instance(), &seen);
                Ok(ToolOutput {
                    text,
                    value: serde_json::to_value(&seen).ok(),
                })
            }
            GET_HISTORY => {
                let HistoryArguments { weeks } = read_arguments(arguments)?;
                let lines = self.history(weeks);
                let text = prompt::history(&lines);
                let value = lines
                    .into_iter()
                    .map(|(week, line)| serde_json::to_value(HistoryLine { week, line }))
                    .collect::<Result<Value, _>>();
                Ok(ToolOutput {
                    text,
                    value: value.ok(),
                })
            }
            other => Err(ActionError::unknown_tool(
                other,
                &[GET_STOCK, GET_HISTORY, PLACE_ORDER],
            )),
        }
    }

    fn read_call(&self, tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        match tool {
            PLACE_ORDER => Action::read(arguments),
            other => Err(ActionError::unknown_tool(other, &[PLACE_ORDER])),
        }
    }

    fn feedback_text(&self, feedback: &Feedback) -> String {
        prompt::feedback(feedback)
    }

    fn feedback_value<'a>(&self, feedback: &'a Feedback) -> Option<&'a Feedback> {
        Some(feedback)
    }

    /// With several seats, only the feedback of the last one to decide tells the result of the
    /// week. With one seat its feedback tells everything, so the list is empty.
    fn outcomes(&self) -> Vec<(Seat, Value)> {
        let seats = &self.instance().play.controlled;
        if seats.len() < 2 {
            return Vec::new();
        }
        let of = |role: &Role| {
            let result = serde_json::to_value(self.last_week(*role)?).ok()?;
            Some((Seat::named(role.name()), result))
        };
        seats.iter().filter_map(of).collect()
    }

    /// With several seats, all but the last one to decide are told nothing of their week right away.
    fn feedback_at_end(&self, seat: &Seat, period: u32, order: &Action) -> Option<Feedback> {
        let play = &self.instance().play;
        let role = Role::of_seat(seat).filter(|role| play.controlled.contains(role))?;
        let week = period.checked_add(1)?;
        Some(Feedback {
            role,
            week,
            decided: Some(order.permitted(play).ok()?),
            outcome: Some(self.week_result(role, week)?),
        })
    }
}
