//! What a seat may see. Types of their own, so that what is hidden cannot leak: evaluation,
//! salience, flags, shocks to come, undercurrents and other advisors' private signals have no place
//! in them.

use crate::deliberation::{Fact, Message, Report};
use crate::scenario::{
    Advisor, CompanyState, Constraints, Officer, Past, Scenario, Shock, Unit, UnitId,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// What everybody sees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonView {
    /// Id of the scenario.
    pub scenario: String,
    /// Name of the company.
    pub company: String,
    /// What it does.
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
    pub history: Vec<Past>,
    /// Outside events up to now.
    pub shocks: Vec<Shock>,
}

/// An advisor as the chief executive sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdvisorView {
    /// Who.
    pub officer: Officer,
    /// The move it asks for \[pp\]; empty when it said nothing.
    pub preference_pp: BTreeMap<UnitId, f64>,
    /// Why.
    pub rationale: String,
    /// What it fears most.
    pub primary_risk: String,
    /// When it would oppose the plan.
    pub opposition_condition: String,
    /// What only it knows: in full visibility everything, in deliberation what it disclosed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_signal: Option<String>,
    /// Its known bias: in full visibility only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias_risk: Option<String>,
}

/// What the chief executive sees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChiefView {
    /// What everybody sees.
    #[serde(flatten)]
    pub common: CommonView,
    /// The four advisors.
    pub advisors: Vec<AdvisorView>,
    /// What was said to the chief executive or to all, in deliberation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// Replies without a readable plan that may still be repeated in this round.
    pub retries_left: u32,
}

/// What an advisor sees in its turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BriefView {
    /// Who it is.
    pub officer: Officer,
    /// Stage: 0 for the private report, then rounds of messages.
    pub stage: u32,
    /// Last stage.
    pub last_stage: u32,
    /// What everybody sees.
    #[serde(flatten)]
    pub common: CommonView,
    /// What only it knows.
    pub facts: Vec<Fact>,
    /// Its known bias.
    pub bias_risk: String,
    /// When it must oppose a plan.
    pub opposition_condition: String,
    /// What its staff proposes: wish, reason and main risk.
    pub staff_proposal: Report,
    /// What it holds now; none before its first report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// Messages to it or to all, and its own.
    pub messages: Vec<Message>,
}

/// What the seat in turn sees.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Observation {
    /// The chief executive.
    Chief(Box<ChiefView>),
    /// An advisor, in deliberation.
    Advisor(Box<BriefView>),
}

impl Observation {
    /// What everybody sees.
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
                .filter(|shock| shock.round <= scenario.round)
                .cloned()
                .collect(),
        }
    }
}

impl AdvisorView {
    /// An advisor's authored view, with or without what is private.
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

    /// What an advisor reported, with the facts it disclosed.
    pub(crate) fn live(officer: Officer, report: Option<&Report>, disclosed: &[Fact]) -> Self {
        let report = report.cloned().unwrap_or_default();
        let facts: Vec<&str> = disclosed.iter().map(|fact| fact.text.as_str()).collect();
        Self {
            officer,
            preference_pp: report.preference_pp,
            rationale: report.rationale,
            primary_risk: report.primary_risk,
            opposition_condition: report.opposition_condition,
            private_signal: (!facts.is_empty()).then(|| facts.join(" ")),
            bias_risk: None,
        }
    }
}

/// The staff proposal of an advisor: what it would say if it just read out its file.
pub(crate) fn staff_proposal(advisor: &Advisor) -> Report {
    Report {
        preference_pp: advisor.preference_pp.clone(),
        rationale: advisor.rationale.clone(),
        primary_risk: advisor.primary_risk.clone(),
        opposition_condition: advisor.opposition_condition.clone(),
        ..Report::default()
    }
}
