//! An advisor's opposition condition as a rule that can be measured.
//!
//! Agents read the condition as text; the scorer measures it. A breach counts for the
//! advisor's part of constraint respect: fully for a veto, and in proportion to its size
//! for a concern (5 pp, one month or 0.25x count in full).

use super::UnitId;
use serde::{Deserialize, Serialize};

/// Severity of a flag whose condition is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Any breach counts in full.
    Veto,
    /// A breach counts in proportion to its size.
    Concern,
}

/// One condition of an advisor. The fields that a kind needs stand beside `kind` in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "RawFlag", into = "RawFlag")]
#[schemars(with = "RawFlag")]
pub struct Flag {
    /// The condition.
    pub kind: FlagKind,
    /// Severity of a breach.
    pub severity: Severity,
    /// Weight among the flags of the same advisor, above 0 (default 1).
    pub weight: f64,
}

/// The value that a flag measures. `r` is the total moved.
///
/// Bounds are inclusive, with a tolerance of 0.05 pp (1e-6 for runway and leverage).
#[derive(Debug, Clone, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(FlagName),
    doc = "Name of a flag kind in files.",
    derive(Serialize, Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case"),
    derive(strum::Display, strum::IntoStaticStr, strum::VariantArray),
    strum(serialize_all = "snake_case")
)]
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

/// The form of a flag in a file: all parameters beside `kind`, only those of the kind present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawFlag {
    kind: FlagName,
    severity: Severity,
    #[serde(default = "one")]
    weight: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pp: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<UnitId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    units: Option<Vec<UnitId>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    if_unit: Option<UnitId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    if_add_gt: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    then_unit: Option<UnitId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    then_add_ge: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    months: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<f64>,
}

fn one() -> f64 {
    1.0
}

impl RawFlag {
    fn empty(kind: FlagName, severity: Severity, weight: f64) -> Self {
        Self {
            kind,
            severity,
            weight,
            pp: None,
            unit: None,
            units: None,
            if_unit: None,
            if_add_gt: None,
            then_unit: None,
            then_add_ge: None,
            months: None,
            x: None,
        }
    }
}

fn taken<T>(field: &mut Option<T>, kind: FlagName, name: &str) -> Result<T, String> {
    field
        .take()
        .ok_or_else(|| format!("a flag of kind `{kind}` needs `{name}`"))
}

impl TryFrom<RawFlag> for Flag {
    type Error = String;

    fn try_from(mut raw: RawFlag) -> Result<Self, String> {
        let name = raw.kind;
        let kind = match name {
            FlagName::MaxTotal => FlagKind::MaxTotal {
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::MinTotal => FlagKind::MinTotal {
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::MaxAdd => FlagKind::MaxAdd {
                unit: taken(&mut raw.unit, name, "unit")?,
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::MinAdd => FlagKind::MinAdd {
                unit: taken(&mut raw.unit, name, "unit")?,
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::MinAddSum => FlagKind::MinAddSum {
                units: taken(&mut raw.units, name, "units")?,
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::NoAdd => FlagKind::NoAdd {
                unit: taken(&mut raw.unit, name, "unit")?,
            },
            FlagName::NoCut => FlagKind::NoCut {
                unit: taken(&mut raw.unit, name, "unit")?,
            },
            FlagName::MaxCut => FlagKind::MaxCut {
                unit: taken(&mut raw.unit, name, "unit")?,
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::MinCut => FlagKind::MinCut {
                unit: taken(&mut raw.unit, name, "unit")?,
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::MinShareAfter => FlagKind::MinShareAfter {
                unit: taken(&mut raw.unit, name, "unit")?,
                pp: taken(&mut raw.pp, name, "pp")?,
            },
            FlagName::Prereq => FlagKind::Prereq {
                if_unit: taken(&mut raw.if_unit, name, "if_unit")?,
                if_add_gt: taken(&mut raw.if_add_gt, name, "if_add_gt")?,
                then_unit: taken(&mut raw.then_unit, name, "then_unit")?,
                then_add_ge: taken(&mut raw.then_add_ge, name, "then_add_ge")?,
            },
            FlagName::MinRunwayAfter => FlagKind::MinRunwayAfter {
                months: taken(&mut raw.months, name, "months")?,
            },
            FlagName::MaxLeverageAfter => FlagKind::MaxLeverageAfter {
                x: taken(&mut raw.x, name, "x")?,
            },
        };
        // What the kind needs was taken out of it, so that whatever is left belongs to another
        // kind.
        if raw != RawFlag::empty(name, raw.severity, raw.weight) {
            return Err(format!(
                "a flag of kind `{name}` has a field that does not belong to it"
            ));
        }
        Ok(Self {
            kind,
            severity: raw.severity,
            weight: raw.weight,
        })
    }
}

impl From<Flag> for RawFlag {
    fn from(flag: Flag) -> Self {
        // All fields empty first, so that a file holds those of the kind only.
        let mut raw = Self::empty(FlagName::from(&flag.kind), flag.severity, flag.weight);
        match flag.kind {
            FlagKind::MaxTotal { pp } | FlagKind::MinTotal { pp } => raw.pp = Some(pp),
            FlagKind::NoAdd { unit } | FlagKind::NoCut { unit } => raw.unit = Some(unit),
            FlagKind::MaxAdd { unit, pp }
            | FlagKind::MinAdd { unit, pp }
            | FlagKind::MaxCut { unit, pp }
            | FlagKind::MinCut { unit, pp }
            | FlagKind::MinShareAfter { unit, pp } => {
                raw.unit = Some(unit);
                raw.pp = Some(pp);
            }
            FlagKind::MinAddSum { units, pp } => {
                raw.units = Some(units);
                raw.pp = Some(pp);
            }
            FlagKind::Prereq {
                if_unit,
                if_add_gt,
                then_unit,
                then_add_ge,
            } => {
                raw.if_unit = Some(if_unit);
                raw.if_add_gt = Some(if_add_gt);
                raw.then_unit = Some(then_unit);
                raw.then_add_ge = Some(then_add_ge);
            }
            FlagKind::MinRunwayAfter { months } => raw.months = Some(months),
            FlagKind::MaxLeverageAfter { x } => raw.x = Some(x),
        }
        raw
    }
}
