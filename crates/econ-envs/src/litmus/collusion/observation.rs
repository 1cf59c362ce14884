//! What a seller sees before an action and learns from it.
//!
//! Quantities and profits are rounded to two decimals, prices are not, as in the authors'
//! program.

use serde::{Deserialize, Serialize};

/// One finished period from the view of one seller.
///
/// The rivals' quantities and profits are not in it: a seller sees only their prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastPeriod {
    /// Number of the attempt, from 0.
    pub attempt: u32,
    /// The seller's own price \[$\]; absent when it set none and sold nothing.
    pub price: Option<f64>,
    /// Units sold, rounded to two decimals.
    pub quantity: f64,
    /// Profit, rounded to two decimals \[$\].
    pub profit: f64,
    /// Cost of a unit \[$\].
    pub cost: f64,
    /// Prices of the rivals \[$\]; absent for a rival that set none.
    pub rivals: Vec<Option<f64>>,
}

/// What the seller in turn sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Number of this attempt, from 0.
    pub attempt: u32,
    /// Number of rivals.
    pub rivals: u16,
    /// The printed ceiling: prices above it are advised against \[$\].
    pub ceiling: f64,
    /// The period before; absent in the first period.
    pub previous: Option<PastPeriod>,
}

/// What a seller learns right after its decision: only that its price was set. Sales are in the next
/// observation, when the others have decided too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Number of the attempt, from 0.
    pub attempt: u32,
    /// Whether a price was set (false for a forfeit).
    pub set: bool,
}
