//! What the agent sees before an action and learns from it. All amounts are rounded to cents.
//!
//! ```
//! use econ_envs::pricing::observation::{Feedback, Observation, Sale};
//!
//! // What a policy sees in the second period of a market with one product.
//! let sale = Sale { price: 12.0, quantity: 8.0, profit: 6.0, cost: 1.25 };
//! let seen = Observation {
//!     products: 1,
//!     attempt: 1,
//!     ceiling: 30.0,
//!     previous: Some(Feedback { attempt: 0, sales: Some(vec![sale]) }),
//! };
//! // Profit over quantity plus cost is the real price; price over real price is the sensitivity.
//! let real = sale.profit / sale.quantity + sale.cost;
//! assert_eq!(sale.price / real, 6.0);
//! assert_eq!(seen.previous.map(|past| past.attempt), Some(0));
//! ```

use serde::{Deserialize, Serialize};

pub use super::money::round_cents;

/// What the agent sees at the start of a period.
///
/// It holds the last period only; a policy that needs more keeps a record of its own.
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
///
/// `profit` is `(price / sensitivity - cost) * quantity` before rounding: amounts are in
/// real terms, not in the units of the price.
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
