//! Strategies for the crate `proptest`: configurations, games and orders, for property tests here
//! and in crates that build on this one. Needs the feature `proptest`.
//!
//! ```
//! use beer_game::{BeerGame, strategy};
//! use proptest::prelude::*;
//! use sim_core::Environment;
//! use std::sync::Arc;
//!
//! let game_and_order = strategy::instance().prop_flat_map(|game| {
//!     let order = strategy::action(&game);
//!     (Just(game), order)
//! });
//! proptest!(|((game, order) in game_and_order)| {
//!     let mut env = BeerGame::new(Arc::new(game)).expect("a drawn game can be played");
//!     prop_assert!(env.step(&order).is_ok());
//! });
//! ```

use crate::action::Action;
use crate::config::{
    Charged, Config, Demand, Objective, Observe, OrderBasis, Rounding, SupplyLine,
};
use crate::instance::Instance;
use crate::role::{ByRole, Role};
use crate::rule::{Lineup, OrderingRule};
use proptest::prelude::*;
use sim_core::{Episode, Seed};

/// Longest game of a drawn configuration \[weeks\].
const MAX_WEEKS: usize = 29;

/// Ordering rules: every formula, with parameters as their names carry them.
pub fn rule() -> impl Strategy<Value = OrderingRule> {
    let names = [
        "typical",
        "smoothing-4",
        "smoothing-8",
        "smoothing:4",
        "ignore-backorder",
        "base-stock",
        "include-supply-line",
        "slow-adjustment",
        "order-balance",
        "system-dynamics",
        "order-up-to",
        "sterman",
        "follow-demand",
        "constant:120",
    ];
    prop::sample::select(names.to_vec())
        .prop_filter_map("a rule's name", |name| OrderingRule::from_name(name).ok())
}

prop_compose! {
    fn demands()(
        units in prop::collection::vec(0_u32..600, 1..=MAX_WEEKS),
    ) -> (u32, Demand) {
        // The range of the collection bounds the length.
        (u32::try_from(units.len()).unwrap_or_default(), Demand::Script { units })
    }
}

prop_compose! {
    /// Configurations that can be played: 1 to 29 weeks of scripted demand, delays of 1 to 4 weeks,
    /// another rule for every role, every combination of the switches, one to four seats.
    pub fn config()(
        (weeks, demand) in demands(),
        rules in prop::array::uniform4(rule()).prop_map(ByRole::new),
        delays in (1_u32..5, 1_u32..5, 1_u32..5),
        stock in (0_u32..600, 0_u32..200, 0_u32..500, 0_u32..4),
        end in any::<bool>(),
        current in any::<bool>(),
        on_order in any::<bool>(),
        rounding in 0..3,
        self_order in prop::bool::weighted(0.2),
        lagged in prop::bool::weighted(0.2),
        minimum in prop::sample::select(vec![0.0, 200.0]),
        controlled in prop::sample::subsequence(Role::ALL.to_vec(), 1..=4),
        chain in any::<bool>(),
    ) -> Config {
        let mut config = Config::paper();
        config.weeks = weeks;
        config.demand = demand;
        config.opponents = vec![Lineup { rules }];
        let board = &mut config.board;
        (board.order_delay, board.ship_delay, board.production_delay) = delays;
        (board.initial_inventory, board.initial_flow, board.target_inventory, board.forced_weeks) =
            stock;
        board.order_on = if end { OrderBasis::EndOfWeek } else { OrderBasis::StartOfWeek };
        board.supply_line = if on_order { SupplyLine::OnOrder } else { SupplyLine::InTransit };
        board.rounding = match rounding {
            0 => Rounding::Exact,
            1 => Rounding::Orders,
            // Lagged booking and whole costs exclude each other.
            _ if lagged => Rounding::Orders,
            _ => Rounding::OrdersAndCosts,
        };
        board.brewery_self_order = self_order;
        config.cost.minimum = minimum;
        config.cost.charged = if lagged { Charged::LaggedStock } else { Charged::EndOfWeek };
        config.play.controlled = controlled;
        config.play.observe = if current { Observe::CurrentWeek } else { Observe::PreviousWeek };
        config.play.objective =
            if chain { Objective::ChainCost } else { Objective::OwnCost };
        config
    }
}

/// Games of drawn [`config`].
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>()).prop_filter_map("a playable configuration", |(config, run)| {
        Instance::generate(&config, Episode::of_run(Seed(run), 0)).ok()
    })
}

/// Orders that `instance` permits, with small ones, none and the largest one drawn often.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let largest = i64::from(instance.play.largest_order);
    prop_oneof![0..=largest.min(900), 0..=largest, Just(0), Just(largest)].prop_map(Action::of)
}
