//! The scenario of one decision: the company, its units, the rules, the advisors, the
//! past, and (hidden from every agent) what a good answer is.
//!
//! All shares and amounts are percentage points \[pp\] of the company's capital, 0 to 100. Units
//! are kept in the order of the file and compiled in the order of their ids, so that sums do not
//! depend on the order in which a file lists them.
//!
//! ```
//! use ceo_reallocation::scenario::{Scenario, authored};
//!
//! let catalogue = authored();
//! let case = catalogue.scenario("C3-R3").ok_or("no such scenario")?;
//! assert_eq!((case.round, case.history.len(), case.units.len()), (3, 2, 4));
//!
//! // A variant: the same case with a lower cap. `check` says whether it is still a scenario,
//! // and here it is not: the plan that the marketing officer argues for moves too much.
//! let mut variant = Scenario { id: "my-case".to_owned(), ..case.clone() };
//! variant.check()?;
//! variant.constraints.max_realloc_pp = 20.0;
//! let refused = variant.check().expect_err("an advisor proposes 22 pp");
//! assert_eq!(refused.place, "advisors.CMO.preference_pp");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};
use sim_core::error::clip;

mod advisor;
mod catalogue;
mod company;
mod evaluation;
mod flag;
mod past;
mod rule;

pub use crate::scoring::Posture;
pub use crate::unit_id::UnitId;
pub use advisor::{Advisor, Advisors, Officer};
pub use catalogue::{AUTHORED_IDS, Catalogue, CatalogueCompany, Drift, authored};
pub use company::{
    CapacityConstraint, CompanyState, MarginProfile, MarginTrend, Proforma, RoiTrend, Unit,
    UnitRole,
};
pub use evaluation::{
    DecisionBands, Direction, Reversal, ScenarioEvaluation, StrategyLabel, StrategyProfile,
    Tolerances,
};
pub use flag::{Flag, FlagKind, Severity};
pub use past::{PastDecision, Shock, ShockKind};
pub use rule::{Constraints, TransferRule};

/// Fewest units of a company.
pub const MIN_UNITS: usize = 4;
/// Most units of a company; the scorer keeps its numbers in arrays of this length.
pub const MAX_UNITS: usize = 8;

/// Difficulty of a scenario (paper, table 3).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Room to move, little conflict.
    #[default]
    Easy,
    /// Two good aims that exclude each other in part.
    Tension,
    /// Little runway, high leverage, thin capacity.
    Fragile,
    /// The loudest signal is wrong, or a reversal is due.
    Adversarial,
}

/// One decision of one chief executive.
///
/// To build one, begin with an authored one and change fields, or fill
/// `Scenario::default()`, which is empty and passes [`Scenario::check`] only when
/// everything that it needs is there.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its id (`C3-R3`).
    pub id: String,
    /// The company (`C3`).
    pub company_id: String,
    /// Date of the decision, `YYYY-MM-DD`; with the company it is the key of an instance (paper,
    /// section 3.1).
    pub target_date: String,
    /// Round, from 1.
    pub round: u32,
    /// Difficulty.
    pub tier: Tier,
    /// One line for people.
    pub title: String,
    /// The company.
    pub company_state: CompanyState,
    /// Its 4 to 8 units.
    pub units: Vec<Unit>,
    /// Hard limits.
    pub constraints: Constraints,
    /// The four advisors.
    pub advisors: Advisors,
    /// Decisions of all earlier rounds, oldest first.
    #[serde(default)]
    pub history: Vec<PastDecision>,
    /// Outside events, past and to come; those to come are never shown.
    #[serde(default)]
    pub shocks: Vec<Shock>,
    /// The evaluation. Never shown to an agent.
    pub evaluation: ScenarioEvaluation,
}

/// What is said about an id that none of the units has.
pub(crate) fn no_unit<'a>(id: &UnitId, units: impl IntoIterator<Item = &'a Unit>) -> String {
    let units: Vec<&str> = units.into_iter().map(|unit| unit.id.as_str()).collect();
    format!(
        "there is no unit `{}`; the units are {}",
        clip(id.as_str()),
        units.join(", ")
    )
}

impl Scenario {
    /// The unit called `id`.
    ///
    /// `None` when the scenario has no such unit; ids are case-sensitive.
    #[must_use]
    pub fn unit(&self, id: &str) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.id.as_str() == id)
    }

    /// Whether a unit's share may not change.
    #[must_use]
    pub fn is_locked(&self, id: &str) -> bool {
        self.constraints
            .locked_units
            .iter()
            .any(|unit| unit.as_str() == id)
    }

    /// Units in the order of their ids: the order of every sum in this crate.
    #[must_use]
    pub fn units_by_id(&self) -> Vec<&Unit> {
        let mut units: Vec<&Unit> = self.units.iter().collect();
        // Sums of floats depend on their order, and a file may list units in any.
        units.sort_by(|a, b| a.id.cmp(&b.id));
        units
    }
}
