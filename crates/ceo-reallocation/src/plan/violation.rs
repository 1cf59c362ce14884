//! Violations of hard limits.

use serde::{Deserialize, Serialize};

/// The rule that a plan breaks. `E` codes make a plan unreadable: every dimension is 0. `V` codes
/// make it invalid: the validity dimension is 0.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[non_exhaustive]
pub enum ViolationCode {
    /// No plan object was found.
    #[serde(rename = "E_PARSE")]
    #[strum(serialize = "E_PARSE")]
    Parse,
    /// A unit that the scenario does not have.
    #[serde(rename = "E_UNKNOWN_UNIT")]
    #[strum(serialize = "E_UNKNOWN_UNIT")]
    UnknownUnit,
    /// An amount that is not a number between 0 and 100.
    #[serde(rename = "E_AMOUNT")]
    #[strum(serialize = "E_AMOUNT")]
    Amount,
    /// A unit that both gives and receives.
    #[serde(rename = "E_BOTH_SIDES")]
    #[strum(serialize = "E_BOTH_SIDES")]
    BothSides,
    /// More or less is given than taken (paper, C.1 check 1).
    #[serde(rename = "V1_MASS_BALANCE")]
    #[strum(serialize = "V1_MASS_BALANCE")]
    MassBalance,
    /// The declared total is not what the plan moves.
    #[serde(rename = "V1_DECLARED_TOTAL")]
    #[strum(serialize = "V1_DECLARED_TOTAL")]
    DeclaredTotal,
    /// More is moved than allowed (C.1 check 2).
    #[serde(rename = "V2_REALLOC_CAP")]
    #[strum(serialize = "V2_REALLOC_CAP")]
    ReallocCap,
    /// A share falls below its floor (C.1 check 3).
    #[serde(rename = "V3_FLOOR")]
    #[strum(serialize = "V3_FLOOR")]
    Floor,
    /// A share rises above its ceiling (C.1 check 4).
    #[serde(rename = "V4_CEILING")]
    #[strum(serialize = "V4_CEILING")]
    Ceiling,
    /// A locked unit is touched (C.1 check 5).
    #[serde(rename = "V5_LOCKED")]
    #[strum(serialize = "V5_LOCKED")]
    Locked,
    /// A rule over several units is broken (paper, section 3.4.4).
    #[serde(rename = "V6_TRANSFER")]
    #[strum(serialize = "V6_TRANSFER")]
    Transfer,
}

impl ViolationCode {
    /// Whether the plan cannot be read at all, so that every dimension is 0.
    ///
    /// These four leave no amounts that could be scored. The other codes leave amounts,
    /// so boldness, history and roles still count.
    #[must_use]
    pub const fn is_unreadable(self) -> bool {
        matches!(
            self,
            Self::Parse | Self::UnknownUnit | Self::Amount | Self::BothSides
        )
    }
}

/// One thing that is wrong with a plan.
///
/// A plan may have many; the scorer collects all of them in the order of the codes, and a
/// stored evaluation keeps the first 50.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Violation {
    /// The rule.
    pub code: ViolationCode,
    /// The value in the plan and the limit, in one line.
    pub message: String,
}

impl Violation {
    /// A breach of `code`, explained by `message`.
    pub fn new(code: ViolationCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The reply holds no plan.
    #[must_use]
    pub fn no_plan() -> Self {
        Self::new(
            ViolationCode::Parse,
            "no reallocation plan found in the reply",
        )
    }
}

/// Something odd about a plan that costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Warning {
    /// The amounts look like fractions of 1 instead of percentage points. They are taken as
    /// written: following the unit is part of the task.
    #[serde(rename = "W_FRACTION")]
    Fraction,
}
