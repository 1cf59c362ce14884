//! Hard limits of a plan.
//!
//! A plan says what each unit gives and receives, and not where the money of one unit
//! goes. Rules about pairs therefore mean "some assignment of the removed to the added
//! money satisfies them".

use super::UnitId;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;
use std::fmt;

/// A rule that ties several units together.
///
/// Bounds are inclusive. All rules of the kind `ForbidFlow` are checked together, because
/// one assignment must satisfy all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Ranges)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TransferRule {
    /// A unit may receive at most so much.
    MaxAdd {
        /// The unit.
        unit: UnitId,
        /// The most it may receive \[pp\].
        #[schemars(range(min = 0.0, max = 100.0))]
        pp: f64,
    },
    /// A unit must keep at least this share afterwards.
    MinShare {
        /// The unit.
        unit: UnitId,
        /// The least share \[pp\].
        #[schemars(range(min = 0.0, max = 100.0))]
        pp: f64,
    },
    /// A part of what leaves the sources must reach the destinations.
    RetainFraction {
        /// Units whose removals count.
        sources: Vec<UnitId>,
        /// Units whose additions count.
        destinations: Vec<UnitId>,
        /// The part, 0 to 1.
        #[schemars(range(min = 0.0, max = 1.0))]
        fraction: f64,
    },
    /// Raising one unit by more than a threshold asks for raising another.
    ConditionalMinAdd {
        /// The unit that sets the rule off.
        if_unit: UnitId,
        /// Additions above this set it off \[pp\].
        #[schemars(range(min = 0.0, max = 100.0))]
        if_add_gt: f64,
        /// The unit that must then be raised.
        then_unit: UnitId,
        /// By at least this \[pp\].
        #[schemars(range(min = 0.0, max = 100.0))]
        then_add_ge: f64,
    },
    /// Money may not flow from these sources to these destinations.
    ForbidFlow {
        /// Units from which the money may not come.
        sources: Vec<UnitId>,
        /// Units to which it may not go.
        destinations: Vec<UnitId>,
    },
}

impl fmt::Display for TransferRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |units: &[UnitId]| {
            units
                .iter()
                .map(UnitId::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Self::MaxAdd { unit, pp } => write!(f, "'{unit}' may receive at most {pp} pp"),
            Self::MinShare { unit, pp } => write!(f, "'{unit}' must keep at least {pp} pp"),
            Self::RetainFraction {
                sources,
                destinations,
                fraction,
            } => write!(
                f,
                "of what leaves {} at least {}% must go to {}",
                list(sources),
                // One decimal: 0.07 times 100 is 7.000000000000001.
                (fraction * 1000.0).round() / 10.0,
                list(destinations)
            ),
            Self::ConditionalMinAdd {
                if_unit,
                if_add_gt,
                then_unit,
                then_add_ge,
            } => write!(
                f,
                "raising '{if_unit}' by more than {if_add_gt} pp requires raising '{then_unit}' by at least {then_add_ge} pp"
            ),
            Self::ForbidFlow {
                sources,
                destinations,
            } => write!(
                f,
                "money from {} may not go to {}",
                list(sources),
                list(destinations)
            ),
        }
    }
}

/// Hard limits of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Constraints {
    /// The most that may be moved \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub max_realloc_pp: f64,
    /// Units whose share may not change.
    #[serde(default)]
    pub locked_units: Vec<UnitId>,
    /// Rules over several units.
    #[serde(default)]
    pub transfer_rules: Vec<TransferRule>,
}
