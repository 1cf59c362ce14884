//! What a seat sees, and what it learns from its decision.

use crate::chain::{Chain, Setup};
use crate::config::Observe;
use crate::game::Game;
use crate::role::Role;
use crate::rule::View;
use crate::state::{Line, State};
use crate::units;
use serde::Serialize;

/// What one role sees when it is to order. Nothing of another role's stock, of its decision, or
/// of demand to come can be in it.
///
/// Where a seat decides before the week begins (`previous-week`), the `incoming_*` and
/// `outgoing_*` fields and `last_cost` tell of the week before, and are 0 before the first. Where
/// it sees the running week (`current-week`), they tell of that.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// Who sees.
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
    /// By which rule the others order, where the game tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponents: Option<String>,
    /// What the role is asked for that stock and backlog do not reflect yet \[units\]: this week's
    /// order where they are those of the start of the week. For rules; not shown.
    #[serde(skip)]
    unmet: f64,
}

impl Observation {
    pub(crate) fn of(game: &Game, state: &State, role: Role) -> Self {
        let (instance, chain) = (&game.instance, &state.chain);
        let view = seen(&game.setup, chain, instance.play.observe, role);
        let stage = chain.stage(role);
        Self {
            role,
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
            opponents: instance
                .play
                .reveal_opponents
                .then(|| instance.opponents.to_string()),
            unmet: view.unmet,
        }
    }

    /// The same in the form that ordering rules take.
    #[must_use]
    pub fn view(&self) -> View {
        View {
            incoming_order: self.incoming_order,
            inventory: self.inventory,
            backlog: self.backlog,
            on_order: self.on_order,
            in_transit: self.in_transit,
            unmet: self.unmet,
        }
    }
}

/// What a seat knows of its own stage.
pub(crate) fn seen(setup: &Setup, chain: &Chain, observe: Observe, role: Role) -> View {
    if observe == Observe::CurrentWeek && chain.is_open {
        return chain.view(setup, role);
    }
    // Between two weeks there is one state only.
    let stage = chain.stage(role);
    View {
        incoming_order: stage.incoming_order,
        inventory: stage.inventory,
        backlog: stage.backlog,
        on_order: stage.on_order,
        in_transit: stage.inbound.total(),
        unmet: 0.0,
    }
}

/// What a seat learns right after it decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Feedback {
    /// Who decided.
    pub role: Role,
    /// The week, counted from 1.
    pub week: u32,
    /// The decision as it counts \[units\]; `None` for a forfeit, which orders nothing.
    pub decided: Option<u32>,
    /// How the role's week ended; `None` while other seats are still to decide.
    pub outcome: Option<Outcome>,
}

/// How a role's week ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outcome {
    /// What happened to the role in the week.
    #[serde(flatten)]
    pub line: Line,
    /// Cost so far \[cost\].
    #[serde(serialize_with = "units::serialize")]
    pub total_cost: f64,
    /// Whether it was the last week.
    pub game_over: bool,
}
