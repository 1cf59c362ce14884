//! The past: earlier decisions and outside events.

use super::UnitId;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;
use std::collections::BTreeMap;

/// A decision of an earlier round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastDecision {
    /// Round, from 1.
    pub round: u32,
    /// Its date, `YYYY-MM-DD`.
    pub date: String,
    /// Signed moves by unit; they sum to 0 \[pp\].
    pub deltas_pp: BTreeMap<UnitId, f64>,
    /// Name of the decision type.
    pub decision_type: String,
    /// Why, in words.
    pub rationale: String,
    /// Units that were warned of overload at that time.
    pub capacity_warnings: Vec<UnitId>,
}

/// The value that an outside event changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShockKind {
    /// Market and outlook of a unit, times (1 + magnitude).
    MarketSize,
    /// Absorptive capacity of a unit, times (1 + magnitude).
    Capacity,
    /// Leverage, plus magnitude \[x\].
    Financing,
    /// Runway, plus magnitude \[months\].
    Cost,
}

/// An outside event.
///
/// Shocks of rounds to come stand in the scenario and are never shown; a policy that is
/// an oracle may read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Shock {
    /// The round at whose start it is felt.
    pub round: u32,
    /// The unit it hits; none for the whole company.
    #[serde(default)]
    pub unit: Option<UnitId>,
    /// The value that it changes.
    pub kind: ShockKind,
    /// By how much, see [`ShockKind`].
    #[schemars(range(min = -100.0, max = 100.0))]
    pub magnitude: f64,
}
