//! The evaluation of a scenario. It is never shown to an agent.
//!
//! A good answer is not one number. A scenario has one or more *profiles*, acceptable
//! strategies with a range for the total, preferred sources and destinations; a plan is
//! compared with the profile that suits it best.

use super::UnitId;
use crate::plan::ReallocationPlan;
use crate::scoring::Posture;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;
use std::collections::BTreeMap;

/// Tolerances of a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Tolerances {
    /// Cut of a protected unit that costs nothing \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub protected_cut_pp: f64,
    /// Addition above the absorptive capacity that costs nothing \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub absorb_excess_pp: f64,
}

/// One acceptable strategy (paper, section 3.3 "Multiple acceptable profiles").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct StrategyProfile {
    /// Its id.
    pub id: String,
    /// Its attitude.
    pub posture: Posture,
    /// Boldness earned inside its range, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub weight: f64,
    /// Least to move \[pp\], above 0.
    pub r_min_pp: f64,
    /// Most to move \[pp\].
    pub r_max_pp: f64,
    /// Units that should give money.
    pub preferred_sources: Vec<UnitId>,
    /// Units that should receive it.
    pub preferred_destinations: Vec<UnitId>,
    /// Its tolerances.
    pub tolerances: Tolerances,
}

/// The totals at which a decision counts as moderate and as bold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct DecisionBands {
    /// Below this a decision is conservative \[pp\].
    pub moderate_from_pp: f64,
    /// From this it is bold \[pp\].
    #[schemars(range(min = 0.0, max = 100.0))]
    pub bold_from_pp: f64,
}

/// The direction of a due reversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Money must leave the unit.
    Defund,
    /// Money must reach it.
    Fund,
}

/// A change of course that the situation asks for.
///
/// Example: a unit that lost its market after two rounds of funding must be drawn down,
/// by at least `target_min_pp`, but not by more than `stage_max_pp` at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Reversal {
    /// The unit whose course must change.
    pub unit: UnitId,
    /// The direction.
    pub direction: Direction,
    /// Move that earns the whole bonus \[pp\].
    // A tenth of a point at least, because the bonus is divided by it.
    #[schemars(range(min = 0.1, max = 100.0))]
    pub target_min_pp: f64,
    /// Most that the organisation can take in one stage \[pp\].
    pub stage_max_pp: f64,
}

/// The five failure labels, in the order of the paper's appendix C.5 and of the co-occurrence table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum StrategyLabel {
    /// A hard rule is broken or the plan cannot be read.
    InvalidPlan,
    /// Less is moved than any acceptable strategy asks for.
    NotBoldEnough,
    /// More is moved than any acceptable strategy asks for.
    TooAggressive,
    /// The money goes to, or comes from, the wrong units.
    Misallocated,
    /// The plan contradicts what earlier rounds should have taught.
    HistoryInconsistent,
}

/// The evaluation: acceptable strategies, and a reference plan. Never shown to an agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioEvaluation {
    /// Acceptable strategies, the main one first.
    pub profiles: Vec<StrategyProfile>,
    /// The sizes from which a decision is moderate and bold.
    pub decision_bands: DecisionBands,
    /// A change of course that is due, if one is.
    #[serde(default)]
    pub reversal: Option<Reversal>,
    /// A plan that is valid and scores at least 85.
    pub reference_plan: ReallocationPlan,
    /// Labels that simple policies are meant to earn here; documentation for authors, not scored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub intended_labels: BTreeMap<String, Vec<StrategyLabel>>,
}
