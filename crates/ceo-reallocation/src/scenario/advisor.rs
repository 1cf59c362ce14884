//! The four advisors.

use super::{Flag, UnitId};
use serde::{Deserialize, Serialize};
use sim_core::Ranges;
use std::collections::BTreeMap;

/// One of the four advisors, in the order in which they speak.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "UPPERCASE")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Officer {
    /// Chief financial officer: capital discipline, downside.
    #[default]
    Cfo,
    /// Chief technology officer: what can be built, and on what base.
    Cto,
    /// Chief operating officer: continuity, capacity to execute.
    Coo,
    /// Chief marketing officer: timing, demand.
    Cmo,
}

impl Officer {
    /// All four, in the order in which they speak.
    pub const ALL: [Self; 4] = [Self::Cfo, Self::Cto, Self::Coo, Self::Cmo];

    /// Position in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name in lower case: the name of the seat and the end of `follow-cfo`.
    #[must_use]
    pub const fn seat(self) -> &'static str {
        match self {
            Self::Cfo => "cfo",
            Self::Cto => "cto",
            Self::Coo => "coo",
            Self::Cmo => "cmo",
        }
    }
}

/// An advisor: knowledge, preference and conditions.
///
/// Agents see the texts and the preference; `salience`, `bias_risk`, `private_signal` and
/// `flags` are shown according to [`Visibility`](crate::config::Visibility) or not at
/// all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Advisor {
    /// Weight of the advisor in this scenario; the four sum to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub salience: f64,
    /// The move this advisor asks for, by unit; sums to 0 \[pp\].
    pub preference_pp: BTreeMap<UnitId, f64>,
    /// Private knowledge of the advisor.
    pub private_signal: String,
    /// Why, in words.
    pub rationale: String,
    /// The main risk in the advisor's view.
    pub primary_risk: String,
    /// The condition under which the advisor would oppose the plan, in words.
    pub opposition_condition: String,
    /// The known bias of this role.
    pub bias_risk: String,
    /// The opposition condition as rules. Never shown.
    pub flags: Vec<Flag>,
}

/// The four advisors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisors {
    /// Chief financial officer.
    #[serde(rename = "CFO")]
    pub cfo: Advisor,
    /// Chief technology officer.
    #[serde(rename = "CTO")]
    pub cto: Advisor,
    /// Chief operating officer.
    #[serde(rename = "COO")]
    pub coo: Advisor,
    /// Chief marketing officer.
    #[serde(rename = "CMO")]
    pub cmo: Advisor,
}

impl Advisors {
    /// One of the four.
    #[must_use]
    pub fn of(&self, officer: Officer) -> &Advisor {
        match officer {
            Officer::Cfo => &self.cfo,
            Officer::Cto => &self.cto,
            Officer::Coo => &self.coo,
            Officer::Cmo => &self.cmo,
        }
    }

    /// All four, in the order in which they speak.
    pub fn iter(&self) -> impl Iterator<Item = (Officer, &Advisor)> {
        Officer::ALL
            .into_iter()
            .map(|officer| (officer, self.of(officer)))
    }
}
