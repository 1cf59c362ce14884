//! The company as a whole, and its units.
//!
//! Ranges are those of [`Scenario::check_form`](super::Scenario::check_form): runway 0 to
//! 1,200 months, leverage 0 to 100, growth -100 to 1,000 %, pressure 0 to 100, shares and
//! limits 0 to 100 pp, outlook, risk and importance 0 to 1.

use super::UnitId;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;

/// Strategic role of a unit (paper, section 3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitRole {
    /// Earns the cash today.
    LegacyCashGenerator,
    /// Keeps customers.
    CustomerRetention,
    /// Bets on demand to come.
    #[default]
    Growth,
    /// Lowers cost or enables the others.
    Productivity,
}

/// Direction of a unit's return on investment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RoiTrend {
    /// Falling.
    Declining,
    /// Not to be read yet.
    Uncertain,
    /// Flat.
    #[default]
    Stable,
    /// First good signs.
    Emerging,
    /// Rising.
    Improving,
}

/// Direction of the gross margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MarginTrend {
    /// Rising.
    Rising,
    /// Flat.
    #[default]
    Flat,
    /// Falling.
    Falling,
}

/// The amount of change that the organisation can take at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CapacityConstraint {
    /// Hardly limited.
    Low,
    /// Limited.
    #[default]
    Medium,
    /// Tightly limited.
    High,
}

/// Gross margin of the company.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct MarginProfile {
    /// Gross margin \[% of revenue\].
    #[schemars(range(min = -100.0, max = 100.0))]
    pub gross_pct: f64,
    /// Its direction.
    pub trend: MarginTrend,
}

/// Linear cost of moving money, used by the chief financial officer's conditions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Proforma {
    /// Runway lost per point moved \[months / pp\].
    #[schemars(range(min = 0.0, max = 10.0))]
    pub runway_months_per_pp: f64,
    /// Leverage gained per point moved \[x debt to EBITDA / pp\].
    #[schemars(range(min = 0.0, max = 10.0))]
    pub leverage_per_pp: f64,
}

/// The company as a whole (paper, section 3.3 "Organizational state").
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct CompanyState {
    /// Months until the cash runs out.
    #[schemars(range(min = 0.0, max = 1200.0))]
    pub cash_runway_months: f64,
    /// Debt over EBITDA \[x\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub leverage: f64,
    /// Revenue growth \[% a year\].
    #[schemars(range(min = -100.0, max = 1000.0))]
    pub revenue_growth_pct: f64,
    /// Gross margin.
    pub margin_profile: MarginProfile,
    /// Urgency of change, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub transformation_pressure: f64,
    /// The amount of change that the organisation can take at once.
    pub capacity_constraint: CapacityConstraint,
    /// The demand of the board, in words.
    pub board_priority: String,
    /// Linear cost of moving money.
    pub proforma: Proforma,
}

/// One business unit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// Its id.
    pub id: UnitId,
    /// Its name in texts.
    pub name: String,
    /// Its strategic role.
    pub role: UnitRole,
    /// Share of the company's capital now \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub share_pp: f64,
    /// Direction of its return.
    pub roi_trend: RoiTrend,
    /// Growth outlook, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub growth_outlook: f64,
    /// Execution risk, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub execution_risk: f64,
    /// The largest addition that it can absorb in this round \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub absorptive_capacity_pp: f64,
    /// Strategic importance, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub strategic_importance: f64,
    /// Lowest share allowed \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub floor_pp: f64,
    /// Highest share allowed \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub ceiling_pp: f64,
    /// Whether it needs stable support.
    pub protected: bool,
    /// Whether it is warned of overload now.
    pub capacity_warning: bool,
}
