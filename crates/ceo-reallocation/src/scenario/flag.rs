//! An advisor's opposition condition as a rule that can be measured.
//!
//! Agents read the condition as text; the scorer measures it. A breach counts for the
//! advisor's part of constraint respect: fully for a veto, and in proportion to its size
//! for a concern (5 pp, one month or 0.25x count in full).

use super::UnitId;
use serde::{Deserialize, Serialize};

/// Severity of a flag whose condition is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Any breach counts in full.
    Veto,
    /// A breach counts in proportion to its size.
    Concern,
}

/// One condition of an advisor. The fields that a kind needs stand beside `kind` in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Flag {
    /// The condition.
    // Without `deny_unknown_fields` here: serde hands the kind every field but the other two, and
    // the kind refuses those that are not its own.
    #[serde(flatten)]
    pub kind: FlagKind,
    /// Severity of a breach.
    pub severity: Severity,
    /// Weight among the flags of the same advisor, above 0 (default 1).
    #[serde(default = "one")]
    pub weight: f64,
}

/// The value that a flag measures. `r` is the total moved.
///
/// Bounds are inclusive, with a tolerance of 0.05 pp (1e-6 for runway and leverage).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FlagKind {
    /// `r` at most `pp`.
    MaxTotal {
        /// Limit \[pp\].
        pp: f64,
    },
    /// `r` at least `pp`.
    MinTotal {
        /// Limit \[pp\].
        pp: f64,
    },
    /// The unit receives at most `pp`.
    MaxAdd {
        /// The unit.
        unit: UnitId,
        /// Limit \[pp\].
        pp: f64,
    },
    /// The unit receives at least `pp`.
    MinAdd {
        /// The unit.
        unit: UnitId,
        /// Limit \[pp\].
        pp: f64,
    },
    /// The units together receive at least `pp`.
    MinAddSum {
        /// The units.
        units: Vec<UnitId>,
        /// Limit \[pp\].
        pp: f64,
    },
    /// The unit receives nothing.
    NoAdd {
        /// The unit.
        unit: UnitId,
    },
    /// The unit loses nothing.
    NoCut {
        /// The unit.
        unit: UnitId,
    },
    /// The unit loses at most `pp`.
    MaxCut {
        /// The unit.
        unit: UnitId,
        /// Limit \[pp\].
        pp: f64,
    },
    /// The unit loses at least `pp`.
    MinCut {
        /// The unit.
        unit: UnitId,
        /// Limit \[pp\].
        pp: f64,
    },
    /// The unit's share afterwards is at least `pp`.
    MinShareAfter {
        /// The unit.
        unit: UnitId,
        /// Limit \[pp\].
        pp: f64,
    },
    /// If one unit receives more than a threshold, another receives at least so much.
    Prereq {
        /// The unit that sets it off.
        if_unit: UnitId,
        /// Threshold \[pp\].
        if_add_gt: f64,
        /// The unit that must then be raised.
        then_unit: UnitId,
        /// By at least this \[pp\].
        then_add_ge: f64,
    },
    /// Runway after the move at least `months`.
    MinRunwayAfter {
        /// Limit \[months\].
        months: f64,
    },
    /// Leverage after the move at most `x`.
    MaxLeverageAfter {
        /// Limit \[x debt to EBITDA\].
        x: f64,
    },
}

impl FlagKind {
    /// The units it speaks of.
    #[must_use]
    pub fn units(&self) -> Vec<&UnitId> {
        match self {
            Self::MaxTotal { .. }
            | Self::MinTotal { .. }
            | Self::MinRunwayAfter { .. }
            | Self::MaxLeverageAfter { .. } => Vec::new(),
            Self::MaxAdd { unit, .. }
            | Self::MinAdd { unit, .. }
            | Self::NoAdd { unit }
            | Self::NoCut { unit }
            | Self::MaxCut { unit, .. }
            | Self::MinCut { unit, .. }
            | Self::MinShareAfter { unit, .. } => vec![unit],
            Self::MinAddSum { units, .. } => units.iter().collect(),
            Self::Prereq {
                if_unit, then_unit, ..
            } => vec![if_unit, then_unit],
        }
    }
}

fn one() -> f64 {
    1.0
}
