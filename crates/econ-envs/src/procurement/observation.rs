//! What the agent sees before an action and learns from it.
//!
//! Everything is behind an `Arc`, so observations are cheap to clone and to keep. For a
//! test, build a [`Menu`] and an empty history:
//!
//! ```
//! use econ_envs::procurement::Observation;
//! use econ_envs::procurement::menu::Menu;
//! use std::sync::Arc;
//!
//! let menu = Menu { products: vec![1], budget_cents: 100, offers: vec![] };
//! let seen = Observation { attempt: 0, menu: Arc::new(menu), history: vec![] };
//! assert_eq!(seen.menu.budget_cents, 100);
//! ```

use super::action::Lines;
use super::menu::{Menu, OfferId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the agent sees at the start of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Number of this period (attempt), from 0.
    pub attempt: u32,
    /// Products, offers and budget.
    pub menu: Arc<Menu>,
    /// The finished periods, in order.
    pub history: Vec<Arc<Feedback>>,
}

/// The result of one period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The submitted plan; absent when the period was forfeited.
    pub plan: Option<Lines>,
    /// The result of the plan.
    pub outcome: PlanOutcome,
}

/// The result of a plan.
///
/// A plan that is not allowed shows neither workers nor, unless it is over the budget,
/// its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum PlanOutcome {
    /// The plan was allowed.
    Supports {
        /// Workers, rounded to two decimals.
        workers: f64,
        /// Its cost \[cents\].
        cost_cents: i64,
    },
    /// The plan was not allowed.
    NotAllowed {
        /// Lines below their minimum quantity.
        under_minimum: Vec<Shortfall>,
        /// Its cost \[cents\] when over the budget; lines below their minimum count as 0.
        over_budget: Option<i64>,
    },
    /// No plan was submitted.
    Forfeited,
}

/// A line below its minimum quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shortfall {
    /// The offer.
    pub offer: OfferId,
    /// Number of copies in the plan.
    pub copies: u32,
    /// Smallest number of copies that is allowed.
    pub needed: u32,
}
