//! Observation and feedback of a seat.
//!
//! What a seat sees is a plain record. At the start of the paper's game:
//!
//! ```
//! use beer_game::{BeerGame, Config, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
//! let seen = BeerGame::new(Arc::new(game))?.observe();
//! assert_eq!((seen.week, seen.inventory, seen.backlog), (1, 400.0, 0.0));
//! // Two weeks of goods and one of order slips are in transit, 100 units each.
//! assert_eq!((seen.in_transit, seen.on_order), (200.0, 300.0));
//! // The seat writes its order before the week begins and has seen no customer yet.
//! assert_eq!(seen.incoming_order, 0.0);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! A test of a policy builds the situation that it is about:
//!
//! ```
//! use beer_game::Observation;
//!
//! let short = Observation { backlog: 70.0, incoming_order: 120.0, ..Observation::default() };
//! assert_eq!(short.view().backlog, 70.0);
//! ```
//!
//! Amounts are doubles because opponents may order fractions. In JSON whole amounts have
//! no decimal point.

use crate::chain::{Chain, Setup, after_receipts};
use crate::config::Observe;
use crate::env::{State, WeekRecord};
use crate::game::Game;
use crate::role::Role;
use crate::rule::RuleInput;
use crate::units;
use serde::{Deserialize, Serialize};

/// The observation of the role that is to order. It contains nothing about other roles' stock,
/// decisions that are still sealed, or future demand.
///
/// Where a seat decides before the week begins (`previous-week`), the `incoming_*` and
/// `outgoing_*` fields and `last_cost` are those of the week before, and 0 in the first week. Where
/// it sees the running week (`current-week`), they are those of the running week.
///
/// Tests can build one: `Observation { inventory: 400.0, ..Observation::default() }`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Observation {
    /// The role that observes.
    pub role: Role,
    /// The week to decide, counted from 1.
    pub week: u32,
    /// Length of the game \[weeks\].
    pub weeks: u32,
    /// Stock on hand \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub inventory: f64,
    /// Orders received and not yet shipped \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub backlog: f64,
    /// The newest order from the buyer, or the customer's demand \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub incoming_order: f64,
    /// Goods received with it \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub incoming_delivery: f64,
    /// Goods shipped in answer to it \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub outgoing_delivery: f64,
    /// Goods on their way to the role; at the brewery, beer in production \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub in_transit: f64,
    /// Ordered and not received, wherever it is \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub on_order: f64,
    /// The role's previous order \[units\], 0 before the first.
    #[serde(serialize_with = "units::serialize")]
    pub last_order: f64,
    /// Cost of the previous week \[cost\].
    #[serde(serialize_with = "units::serialize")]
    pub last_cost: f64,
    /// Cost so far \[cost\].
    #[serde(serialize_with = "units::serialize")]
    pub total_cost: f64,
    /// Largest permitted order \[units\].
    pub largest_order: u32,
    /// The rule by which the others order, where the game reveals it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<String>,
    /// The part of `incoming_order` that stock and backlog do not reflect yet \[units\]: all of it
    /// where they are those of the start of the week, else 0. Ordering rules use it; it is not
    /// serialized, because agents are not shown it, and it is 0 after reading.
    #[serde(skip)]
    pub unmet: f64,
}

impl Observation {
    pub(crate) fn of(game: &Game, state: &State, role: Role) -> Self {
        let (instance, chain) = (&game.instance, &state.chain);
        let view = seen(&game.setup, chain, instance.play.observe, role);
        let stage = chain.stage(role);
        Self {
            role,
            // After the end there is no next week; the last one is shown.
            week: (chain.weeks_closed + 1).min(instance.weeks()),
            weeks: instance.weeks(),
            inventory: view.inventory,
            backlog: view.backlog,
            incoming_order: stage.incoming_order,
            incoming_delivery: stage.incoming_delivery,
            outgoing_delivery: stage.outgoing_delivery,
            in_transit: view.in_transit,
            on_order: view.on_order,
            last_order: stage.order,
            last_cost: stage.cost,
            total_cost: stage.total_cost,
            largest_order: instance.play.largest_order,
            opponents: instance.revealed(),
            unmet: view.unmet,
        }
    }

    /// The observation as the input of an ordering rule.
    ///
    /// With it a policy can ask any [`Rule`](crate::rule::OrderingRule) what it would order, and
    /// deviate.
    #[must_use]
    pub fn view(&self) -> RuleInput {
        RuleInput {
            incoming_order: self.incoming_order,
            inventory: self.inventory,
            backlog: self.backlog,
            on_order: self.on_order,
            in_transit: self.in_transit,
            unmet: self.unmet,
        }
    }
}

/// The part of its own stage that a seat observes.
pub(crate) fn seen(setup: &Setup, chain: &Chain, observe: Observe, role: Role) -> RuleInput {
    if observe == Observe::CurrentWeek && chain.is_open {
        return chain.view(setup, role);
    }
    // Between two weeks, start and end of week are the same state.
    let stage = chain.stage(role);
    after_receipts(stage, stage.inbound.total())
}

/// The feedback that a seat gets right after its decision.
///
/// ```
/// use beer_game::{Action, BeerGame, Config, Instance};
/// use sim_core::{Environment, Episode, Seed};
/// use std::sync::Arc;
///
/// let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
/// let told = BeerGame::new(Arc::new(game))?.step(&Action::of(400))?;
/// assert_eq!((told.week, told.decided), (1, Some(400)));
/// let week = told.outcome.expect("the only seat has decided, so the week is over");
/// assert_eq!((week.line.inventory, week.total_cost), (400.0, 200.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Feedback {
    /// The role that decided.
    pub role: Role,
    /// The week, counted from 1.
    pub week: u32,
    /// The order after clipping \[units\]; `None` for a forfeit, which orders nothing.
    ///
    /// In the board's forced weeks the chain orders the initial flow instead, which
    /// `outcome` shows.
    pub decided: Option<u32>,
    /// The result of the role's week; `None` while other seats have not decided yet.
    pub outcome: Option<WeekResult>,
}

/// The result of a role's week.
///
/// With one seat and the objective `own-cost`, the reward of the week in a batch is minus
/// `line.cost`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WeekResult {
    /// The record of the week.
    #[serde(flatten)]
    pub line: WeekRecord,
    /// Cost so far \[cost\].
    #[serde(serialize_with = "units::serialize")]
    pub total_cost: f64,
    /// Whether it was the last week.
    pub game_over: bool,
}
