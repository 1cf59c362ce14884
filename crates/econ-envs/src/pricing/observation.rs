//! What the agent sees before an action and learns from it. All amounts are rounded to cents.

use serde::{Deserialize, Serialize};

pub use super::money::round_cents;

/// What the agent sees at the start of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Number of products.
    pub products: u16,
    /// Number of this period (attempt), from 0.
    pub attempt: u32,
    /// The printed ceiling: prices above it are advised against \[$\].
    pub ceiling: f64,
    /// Feedback of the period before; absent in the first period.
    pub previous: Option<Feedback>,
}

/// The result of one period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Number of the period (attempt), from 0.
    pub attempt: u32,
    /// Sales of each product; absent when the period was forfeited.
    pub sales: Option<Vec<Sale>>,
}

/// Sales of one product in one period, rounded to two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sale {
    /// Price that was set \[$\].
    pub price: f64,
    /// Units sold.
    pub quantity: f64,
    /// Profit earned \[$\].
    pub profit: f64,
    /// Cost of a unit \[$\].
    pub cost: f64,
}
