//! The configuration: all settings of a game before anything is drawn.
//!
//! A configuration is a plain value: take a preset, change fields, and check it. Nothing
//! is corrected silently; [`Config::check`] names the first field that cannot be played,
//! with its path and range.
//!
//! ```
//! use beer_game::Config;
//! use beer_game::config::{Cost, Demand, Objective};
//! use beer_game::role::Role;
//!
//! let mut config = Config::paper();
//! config.weeks = 12;
//! config.demand = Demand::Uniform { low: 50, high: 150 };
//! config.cost = Cost { holding: 1.0, ..Cost::default() };
//! config.play.controlled = vec![Role::Retailer, Role::Brewery];
//! config.play.objective = Objective::ChainCost;
//! config.check()?;
//!
//! config.board.ship_delay = 9;
//! let refused = config.check().expect_err("goods take 1 to 8 weeks");
//! assert_eq!(refused.to_string(), "board.ship_delay: `9` is out of range, it must be 1 to 8");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! Every part has the value of the preset `paper` as its [`Default`]: [`Board`], [`Cost`]
//! and [`Play`] can be written as `Board { ship_delay: 1, ..Board::default() }`.
//!
//! What the parts decide:
//!
//! | part | decides | a change alters |
//! |---|---|---|
//! | `weeks`, `demand` | how long the game is and what customers ask for | draws and costs |
//! | `opponents` | the rule in each seat that nobody plays | costs; the number of distinct games |
//! | `board` | delays, starting stock, event order, rounding | the dynamics |
//! | `cost` | the price list of a week | costs alone; unchanged decisions move the same goods |
//! | `play` | seats, what they see, what counts | the task of the agent |
//! | `order_up_to` | the level of one baseline policy | nothing but that policy |
//! | `disclosure` | what the prompts tell of the rules | nothing but the prompts |
//!
//! In JSON all fields but `disclosure` are needed and unknown ones are refused, so that a misspelt setting
//! cannot pass for a default.

use crate::pipeline::MAX_DELAY;
use crate::role::{ByRole, Role};
use crate::rule::MAX_AMOUNT;
pub use crate::rule::{Lineup, SupplyLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;

/// Longest game \[weeks\]: ten years.
pub(crate) const MAX_WEEKS: u32 = 520;
/// Largest demand, starting stock and permitted order \[units\].
pub(crate) const MAX_UNITS: u32 = 1_000_000;

mod check;
mod demand;
mod presets;

pub use demand::Demand;

/// A configuration; the default is the preset `paper`.
///
/// Every list by role goes downstream first: retailer, wholesaler, distributor, brewery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Length of the game \[weeks, default 25\]. Source: strategic paper, A.5.
    #[schemars(range(min = 1, max = MAX_WEEKS))]
    pub weeks: u32,
    /// Customer demand (default: 100 a week, 400 from week 3 on).
    pub demand: Demand,
    /// Rules of the roles that are not under control: episode `k` uses entry `k` modulo the length
    /// (default: `typical`, `smoothing-4`).
    pub opponents: Vec<Lineup>,
    /// Delays, starting stocks and order of events.
    pub board: Board,
    /// Cost of stock and backlog.
    pub cost: Cost,
    /// Controlled roles, their observations, and the objective.
    pub play: Play,
    /// Level of the baseline `order-up-to` for each role \[units\]. It is tuned to the preset and
    /// has no part in the rules; see `docs/beer-game.md` for how each was found.
    pub order_up_to: ByRole<f64>,
    /// What the prompts tell of the rules (default `full`). It changes no game, and is written only where it
    /// is not the default.
    #[serde(default, skip_serializing_if = "Disclosure::is_full")]
    pub disclosure: Disclosure,
}

/// What the prompts tell a seat of the rules.
///
/// Tools, replies and costs are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Disclosure {
    /// The order of events, the start and the price list; the delays unless `play.tell_delays` is false.
    #[default]
    Full,
    /// The role, the aim and the form of an order. Source: the strategic paper's section on serious games,
    /// "the internal dynamics and governing equations remain hidden".
    Paper,
}

impl Disclosure {
    pub(crate) fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

/// Delays, starting stocks and the order of events: everything physical.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// From writing an order to the supplier's reading it \[weeks, default 1\].
    #[schemars(range(min = 1, max = MAX_DELAY))]
    pub order_delay: u32,
    /// From shipping to receiving \[weeks, default 2\].
    #[schemars(range(min = 1, max = MAX_DELAY))]
    pub ship_delay: u32,
    /// From the brewery's order to its stock \[weeks, default 2\].
    #[schemars(range(min = 1, max = MAX_DELAY))]
    pub production_delay: u32,
    /// Stock of each role at the start \[units, default 400\].
    #[schemars(range(min = 0, max = MAX_UNITS))]
    pub initial_inventory: u32,
    /// Units in every slot of every pipeline at the start \[units a week, default 100\].
    #[schemars(range(min = 0, max = MAX_UNITS))]
    pub initial_flow: u32,
    /// The stock that rules aim at \[units, default 400\]; it has no other effect.
    #[schemars(range(min = 0, max = MAX_UNITS))]
    pub target_inventory: u32,
    /// Number of weeks at the start in which every role orders the initial flow, whatever it decides
    /// \[weeks, default 0; 4 on the classic board\].
    #[schemars(range(min = 0, max = MAX_WEEKS))]
    pub forced_weeks: u32,
    /// The state that an order is based on (default: the end of the week).
    pub order_on: OrderBasis,
    /// The meaning of "supply line" in rules (default: goods in transit).
    pub supply_line: SupplyLine,
    /// The amounts that are cut to whole numbers (default: orders).
    pub rounding: Rounding,
    /// Whether the brewery's own order is also added to the orders it receives (default false).
    /// The paper's program does so; stocks then grow without limit.
    pub brewery_self_order: bool,
}

/// The state of its own stage on which a role bases its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderBasis {
    /// Before the week's receipts and shipments (BPTK models).
    StartOfWeek,
    /// After them (paper's program, the board game).
    EndOfWeek,
}

/// The amounts that are cut to whole numbers, towards zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rounding {
    /// Nothing: rules may order fractions.
    Exact,
    /// Orders.
    Orders,
    /// Orders and each role's cost of the week, as the integer properties of the unmodified BPTK
    /// tutorial do.
    OrdersAndCosts,
}

/// Cost of stock and backlog, per role and week:
/// `max(minimum, holding * inventory) + backlog * backlog`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Cost of a unit in stock \[cost / unit / week, default 0.5\].
    #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
    pub holding: f64,
    /// Cost of a unit owed to the customer \[cost / unit / week, default 1\].
    #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
    pub backlog: f64,
    /// Least holding cost of a role \[cost / week, default 200\]: the storage cannot shrink below
    /// 400 units. A floor of the holding term, no extra charge.
    #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
    pub minimum: f64,
    /// When a week is charged (default: at its end).
    pub charged: Charged,
}

/// When a week's cost is booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Charged {
    /// Week `t` books the cost of the state at its end.
    EndOfWeek,
    /// Week `t` books the cost of the state at the start of week `t - 1`, week 1 books nothing:
    /// the total is a stock of the system dynamics model, which lags its inflow by a step.
    LaggedStock,
}

/// Controlled roles, their observations, and the objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The roles under control, one seat each (default: the retailer). Each at most once.
    pub controlled: Vec<Role>,
    /// The newest week whose events a seat has seen when it orders (default: the previous week's).
    pub observe: Observe,
    /// The cost that the score counts (default: own cost).
    pub objective: Objective,
    /// Largest order that a seat may place \[units, default 5000\]. Source: the paper's program.
    #[schemars(range(min = 1, max = MAX_UNITS))]
    pub largest_order: u32,
    /// Treatment of an order below 0 or above `largest_order` (default: refused).
    pub out_of_range: OutOfRange,
    /// Whether agents learn the rule by which the others order (default false; the program of the
    /// paper's authors shows it, their text says that it is unknown).
    pub reveal_opponents: bool,
    /// Whether agents learn how many weeks orders and goods take (default true). With
    /// `disclosure=paper` they never do.
    pub tell_delays: bool,
}

impl Play {
    /// Which roles are under control.
    pub(crate) fn is_controlled(&self) -> ByRole<bool> {
        ByRole::from_fn(|role| self.controlled.contains(&role))
    }

    /// Whose cost the score counts.
    // One rule for the score, the bound, the search and the lanes: a plan is optimal for the cost that is scored.
    pub(crate) fn is_counted(&self) -> ByRole<bool> {
        match self.objective {
            Objective::OwnCost => self.is_controlled(),
            Objective::ChainCost => ByRole::all(true),
        }
    }
}

/// The newest week whose events a seat has seen when it orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Observe {
    /// Those up to the end of the previous week: the order is written before the week begins.
    PreviousWeek,
    /// This week's incoming order and delivery as well.
    CurrentWeek,
}

/// The cost that the score counts; lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Objective {
    /// The cost of the roles under control.
    OwnCost,
    /// The cost of all four roles.
    ChainCost,
}

/// Treatment of an order outside the permitted range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutOfRange {
    /// It is refused with an explanation; nothing changes.
    Refuse,
    /// The nearest permitted order is taken, as the paper's program does.
    Clip,
}
