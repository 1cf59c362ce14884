//! Observation and feedback of a seat. The types have no fields for hidden values (evaluation,
//! salience, flags, future shocks, undercurrents, other advisors' private signals), so these cannot
//! leak.
//!
//! | seat | observation | when |
//! |---|---|---|
//! | chief executive | [`ChiefView`] | always |
//! | an advisor | [`BriefView`] | on its turn in deliberation |
//!
//! All records have a `Default`, so a test of a policy fills only what the policy reads:
//!
//! ```
//! use ceo_reallocation::Observation;
//! use ceo_reallocation::observation::{ChiefView, CommonView};
//! use ceo_reallocation::scenario::Unit;
//!
//! let unit = |id: &str, share_pp| Unit { id: id.into(), share_pp, ..Unit::default() };
//! let seen = Observation::Chief(Box::new(ChiefView {
//!     common: CommonView { units: vec![unit("A", 60.0), unit("B", 40.0)], ..CommonView::default() },
//!     ..ChiefView::default()
//! }));
//! assert_eq!(seen.common().units.len(), 2);
//! ```

use crate::deliberation::{AdvisorReport, BoardMessage, PrivateFact};
use crate::scenario::{
    Advisor, CompanyState, Constraints, Officer, PastDecision, Scenario, Shock, Unit, UnitId,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod feedback;

pub use feedback::Feedback;

/// The part that all seats see.
///
/// Units stand in the order of the scenario, which need not be that of their ids;
/// [`Action::Moves`](crate::Action::Moves) uses the order of ids.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CommonView {
    /// Id of the scenario.
    pub scenario: String,
    /// Name of the company.
    pub company: String,
    /// Line of business.
    pub sector: String,
    /// Date of the decision.
    pub date: String,
    /// Round of the company, from 1.
    pub round: u32,
    /// Decisions still to take in this episode, this one included.
    pub decisions_left: u32,
    /// The company.
    pub company_state: CompanyState,
    /// Its units.
    pub units: Vec<Unit>,
    /// Hard limits.
    pub constraints: Constraints,
    /// Earlier decisions, oldest first.
    pub history: Vec<PastDecision>,
    /// Outside events up to now.
    pub shocks: Vec<Shock>,
}

/// An advisor as the chief executive sees it.
///
/// Salience and the structured conditions ([`Flag`](crate::scenario::Flag)) are never in
/// it; their content is in the texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdvisorView {
    /// The advisor.
    pub officer: Officer,
    /// The move it asks for \[pp\]; empty when it said nothing.
    pub preference_pp: BTreeMap<UnitId, f64>,
    /// Reason for the preference.
    pub rationale: String,
    /// The main risk in its view.
    pub primary_risk: String,
    /// The condition under which it would oppose the plan.
    pub opposition_condition: String,
    /// Its private knowledge: all of it in full visibility, the disclosed part in deliberation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_signal: Option<String>,
    /// Its known bias: in full visibility only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias_risk: Option<String>,
}

/// The observation of the chief executive.
///
/// The four advisors come in the order of [`Officer::ALL`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChiefView {
    /// The part that all seats see.
    #[serde(flatten)]
    pub common: CommonView,
    /// The four advisors.
    pub advisors: Vec<AdvisorView>,
    /// Messages to the chief executive or to all, in deliberation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<BoardMessage>,
    /// Replies without a readable plan that may still be repeated in this round.
    pub retries_left: u32,
}

/// The observation of an advisor in its turn.
///
/// An advisor sees the public state, its own facts and its own proposal, and no other
/// advisor's private knowledge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BriefView {
    /// The advisor.
    pub officer: Officer,
    /// Stage: 0 for the private report, then rounds of messages.
    pub stage: u32,
    /// Last stage.
    pub last_stage: u32,
    /// The part that all seats see.
    #[serde(flatten)]
    pub common: CommonView,
    /// Facts that only this advisor knows.
    pub facts: Vec<PrivateFact>,
    /// Its known bias.
    pub bias_risk: String,
    /// The condition under which it must oppose a plan.
    pub opposition_condition: String,
    /// The proposal of its staff: preference, reason and main risk.
    pub staff_proposal: AdvisorReport,
    /// Its current report; none before its first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<AdvisorReport>,
    /// Messages to it or to all, and its own.
    pub messages: Vec<BoardMessage>,
}

/// The observation of the seat in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Observation {
    /// The chief executive.
    Chief(Box<ChiefView>),
    /// An advisor, in deliberation.
    Advisor(Box<BriefView>),
}

impl Observation {
    /// The part that all seats see.
    #[must_use]
    pub fn common(&self) -> &CommonView {
        match self {
            Self::Chief(view) => &view.common,
            Self::Advisor(view) => &view.common,
        }
    }
}

impl CommonView {
    /// The public part of a scenario.
    pub(crate) fn new(scenario: &Scenario, company: &str, sector: &str, left: u32) -> Self {
        Self {
            scenario: scenario.id.clone(),
            company: company.to_owned(),
            sector: sector.to_owned(),
            date: scenario.target_date.clone(),
            round: scenario.round,
            decisions_left: left,
            company_state: scenario.company_state.clone(),
            units: scenario.units.clone(),
            constraints: scenario.constraints.clone(),
            history: scenario.history.clone(),
            shocks: scenario
                .shocks
                .iter()
                // Those to come are part of the scenario and hidden from every seat.
                .filter(|shock| shock.round <= scenario.round)
                .cloned()
                .collect(),
        }
    }
}

impl AdvisorView {
    /// An advisor's authored view; `full` adds its private signal and its bias.
    pub(crate) fn authored(officer: Officer, advisor: &Advisor, full: bool) -> Self {
        Self {
            officer,
            preference_pp: advisor.preference_pp.clone(),
            rationale: advisor.rationale.clone(),
            primary_risk: advisor.primary_risk.clone(),
            opposition_condition: advisor.opposition_condition.clone(),
            private_signal: full.then(|| advisor.private_signal.clone()),
            bias_risk: full.then(|| advisor.bias_risk.clone()),
        }
    }

    /// The report of an advisor, with the facts it disclosed.
    pub(crate) fn live(
        officer: Officer,
        report: Option<&AdvisorReport>,
        disclosed: &[PrivateFact],
    ) -> Self {
        // Empty and not absent: the chief executive is told that this advisor said nothing.
        let report = report.cloned().unwrap_or_default();
        let facts: Vec<&str> = disclosed.iter().map(|fact| fact.text.as_str()).collect();
        Self {
            officer,
            preference_pp: report.preference_pp,
            rationale: report.rationale,
            primary_risk: report.primary_risk,
            opposition_condition: report.opposition_condition,
            private_signal: (!facts.is_empty()).then(|| facts.join(" ")),
            // An agent at this seat has biases of its own, not those of the scenario.
            bias_risk: None,
        }
    }
}

/// The staff proposal of an advisor: its preference and reasons as the scenario states them.
pub(crate) fn staff_proposal(advisor: &Advisor) -> AdvisorReport {
    AdvisorReport {
        preference_pp: advisor.preference_pp.clone(),
        rationale: advisor.rationale.clone(),
        primary_risk: advisor.primary_risk.clone(),
        opposition_condition: advisor.opposition_condition.clone(),
        ..AdvisorReport::default()
    }
}
