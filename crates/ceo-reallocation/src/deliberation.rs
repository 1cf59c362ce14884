//! Deliberation: four advisors that are agents of their own.
//!
//! ```text
//! stage 0   CFO  CTO  COO  CMO   reports, each for itself
//! stage 1   CFO  CTO  COO  CMO   messages (to one or to all), reports may change   } rounds, 0 to 3
//! ...                                                                              }
//! then      CEO                  the plan
//! ```
//!
//! All four act in a stage before any of them sees its messages: they are sealed in the state until
//! the last advisor is done. Each advisor sees the common state, its own
//! private facts, its own staff proposal, and messages to it. The chief executive sees reports,
//! messages to it or to all, and those private facts that an advisor chose to disclose.
//!
//! ```
//! use ceo_reallocation::config::{Config, DeliberationConfig, Visibility};
//! use ceo_reallocation::deliberation::{AdvisorReport, facts};
//! use ceo_reallocation::scenario::Officer;
//! use ceo_reallocation::{Action, CeoReallocation, Instance, Observation};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let config = Config {
//!     visibility: Visibility::Deliberation,
//!     deliberation: DeliberationConfig { rounds: 0, ..DeliberationConfig::default() },
//!     ..Config::of_scenario("C3-R3")
//! };
//! let instance = Instance::generate(&config, Episode::of_run(Seed(0), 0))?;
//! let mut env = CeoReallocation::new(Arc::new(instance))?;
//! assert_eq!(env.seats().len(), 5);
//! for officer in Officer::ALL {
//!     let Observation::Advisor(brief) = env.observe() else { return Err("an advisor's turn".into()) };
//!     assert_eq!(brief.officer, officer);
//!     // Each advisor repeats the proposal of its staff and tells what it knows.
//!     let known = facts(env.scenario(), officer);
//!     let disclosed_facts = known.into_iter().map(|fact| fact.id).collect();
//!     env.step(&Action::Report(AdvisorReport { disclosed_facts, ..brief.staff_proposal.clone() }))?;
//! }
//! // Now the chief executive sees the four reports with the facts.
//! let Observation::Chief(view) = env.observe() else { return Err("the chief's turn".into()) };
//! assert!(view.advisors.iter().all(|advisor| advisor.private_signal.is_some()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::config::DeliberationConfig;
use crate::project::project;
use crate::scenario::{MAX_UNITS, Officer, Scenario, UnitId, no_unit};
use crate::score::{Scorer, UnitArray, similarity};
use serde::{Deserialize, Serialize};
use sim_core::ActionError;
use sim_core::error::clip;
use std::collections::BTreeMap;

/// The report of an advisor in its turn.
///
/// In stage 0 it is complete; in later stages an advisor gives only what changes, and
/// what it once disclosed stays disclosed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdvisorReport {
    /// The move it asks for, by unit, positive for what a unit receives \[pp\]. In later stages an
    /// empty preference leaves the earlier one as it is.
    pub preference_pp: BTreeMap<UnitId, f64>,
    /// The reason, in two or three sentences.
    pub rationale: String,
    /// The main risk in its view.
    pub primary_risk: String,
    /// The condition under which it would oppose the plan.
    pub opposition_condition: String,
    /// Ids of its private facts that the others may know from now on (`cfo-1`).
    pub disclosed_facts: Vec<String>,
    /// Messages; not in stage 0.
    pub messages: Vec<MessageDraft>,
}

/// A message before it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageDraft {
    /// To whom: `CFO`, `CTO`, `COO`, `CMO`, `CEO` or `all` (the default).
    #[serde(default = "all")]
    pub to: String,
    /// The text.
    pub text: String,
}

fn all() -> String {
    ALL.to_owned()
}

const ALL: &str = "all";
const CEO: &str = "CEO";

/// A message on the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardMessage {
    /// Stage in which it was sent, from 1.
    pub stage: u32,
    /// The sender.
    pub from: Officer,
    /// To whom, as in [`MessageDraft::to`].
    pub to: String,
    /// The text.
    pub text: String,
}

impl BoardMessage {
    fn is_for(&self, name: &str) -> bool {
        self.to == ALL || self.to == name
    }
}

/// A fact that one advisor alone knows.
///
/// Ids are the seat and a number from 1, in the order of the private signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivateFact {
    /// Its id (`cfo-1`).
    pub id: String,
    /// The fact.
    pub text: String,
}

/// The private facts of an advisor: the sentences and clauses of its private signal.
///
/// A fact ends at a full stop or a semicolon that white space follows; a stop inside of a
/// number does not end one.
#[must_use]
pub fn facts(scenario: &Scenario, officer: Officer) -> Vec<PrivateFact> {
    let signal = &scenario.advisors.of(officer).private_signal;
    let mut parts = Vec::new();
    let mut rest = signal.as_str();
    // A full stop inside of a number ends nothing.
    while let Some(end) = rest
        .char_indices()
        .find(|(at, c)| {
            let after = rest.get(at + c.len_utf8()..).unwrap_or_default();
            matches!(c, '.' | ';') && (after.is_empty() || after.starts_with(char::is_whitespace))
        })
        .map(|(at, c)| at + c.len_utf8())
    {
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
        .into_iter()
        .map(|part| part.trim().trim_end_matches(';'))
        .filter(|part| part.chars().any(char::is_alphanumeric))
        .zip(1..)
        .map(|(text, n)| PrivateFact {
            id: format!("{}-{n}", officer.seat()),
            text: text.to_owned(),
        })
        .collect()
}

/// Progress of a deliberation.
///
/// It is part of the state of the environment, so an episode can be stored in the middle
/// of a deliberation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Talk {
    /// Stage, from 0; one more than the last when the chief executive is in turn.
    pub stage: u32,
    /// Number of advisors that have acted in it.
    pub acted: u32,
    /// Reports of stage 0, in the order in which the advisors act; `None` for an
    /// advisor who did not.
    pub first: Vec<Option<AdvisorReport>>,
    /// The current reports.
    pub now: Vec<Option<AdvisorReport>>,
    /// Messages of the running stage, visible from the next one on.
    pub sealed: Vec<Option<AdvisorReport>>,
    /// All messages of earlier stages.
    pub messages: Vec<BoardMessage>,
}

/// Metrics of a deliberation.
///
/// All but `gain` lie in 0 to 1. Similarities are those of [`similarity`], between preferences
/// projected on the valid plans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TalkMetrics {
    /// Distance that the advisors moved from their first report to their last: mean of 1 - similarity.
    pub drift: f64,
    /// Mean similarity of the last preferences, over the six pairs.
    pub agreement: f64,
    /// Part of the private facts that reached the chief executive.
    pub disclosed: f64,
    /// Score under the last preferences less the score had the advisors stayed with their first ones
    /// \[points\]; 0 unless live preferences count.
    pub gain: f64,
}

impl Talk {
    /// The advisor in turn; `None` for the chief executive.
    #[must_use]
    pub fn officer(&self, config: &DeliberationConfig) -> Option<Officer> {
        if self.stage > config.rounds {
            return None;
        }
        Officer::ALL.get(self.acted as usize).copied()
    }

    /// Records the report of an advisor; `None` if it did not give one.
    pub(crate) fn take(&mut self, report: Option<AdvisorReport>, config: &DeliberationConfig) {
        self.sealed.push(report);
        self.acted += 1;
        if (self.acted as usize) < Officer::ALL.len() {
            return;
        }
        // The stage is complete: its seals break.
        let said = std::mem::take(&mut self.sealed);
        // The first reports are kept beside the current ones, because the metrics compare
        // where an advisor began and ended.
        if self.stage == 0 {
            self.now = said.clone();
            self.first = said;
        } else {
            for ((officer, slot), report) in Officer::ALL.into_iter().zip(&mut self.now).zip(said) {
                let Some(report) = report else { continue };
                for draft in &report.messages {
                    self.messages.push(BoardMessage {
                        stage: self.stage,
                        from: officer,
                        to: draft.to.clone(),
                        text: limited(&draft.text, config.word_limit),
                    });
                }
                *slot = Some(merged(slot.take(), report));
            }
        }
        self.acted = 0;
        self.stage += 1;
    }

    /// The current report of an advisor.
    #[must_use]
    pub fn report(&self, officer: Officer) -> Option<&AdvisorReport> {
        self.now.get(officer.index()).and_then(Option::as_ref)
    }

    /// Messages that an advisor sees.
    pub fn heard_by(&self, officer: Officer) -> impl Iterator<Item = &BoardMessage> {
        self.messages
            .iter()
            // Its own messages too: the observation is all that an agent has of earlier stages.
            .filter(move |m| m.from == officer || m.is_for(officer.into()))
    }

    /// Messages that the chief executive sees.
    pub fn heard_by_chief(&self) -> impl Iterator<Item = &BoardMessage> {
        self.messages.iter().filter(|m| m.is_for(CEO))
    }

    /// Facts that an advisor has disclosed.
    #[must_use]
    pub fn disclosed(&self, scenario: &Scenario, officer: Officer) -> Vec<PrivateFact> {
        let ids = self
            .report(officer)
            .map(|r| r.disclosed_facts.as_slice())
            .unwrap_or_default();
        facts(scenario, officer)
            .into_iter()
            .filter(|fact| ids.contains(&fact.id))
            .collect()
    }

    /// The four preferences as numbers, each projected on the valid plans.
    #[must_use]
    pub(crate) fn preferences(
        &self,
        scorer: &Scorer,
        reports: &[Option<AdvisorReport>],
    ) -> [UnitArray; 4] {
        let mut preferences = [[0.0; MAX_UNITS]; 4];
        for (slot, report) in preferences.iter_mut().zip(reports) {
            // An advisor that gave no report stands for moving nothing.
            if let Some(report) = report {
                *slot = project(scorer, &array(scorer, &report.preference_pp));
            }
        }
        preferences
    }

    /// Its metrics, for a plan whose score is `gain` higher than under the first preferences.
    #[must_use]
    pub(crate) fn metrics(&self, scenario: &Scenario, scorer: &Scorer, gain: f64) -> TalkMetrics {
        let (first, last) = (
            self.preferences(scorer, &self.first),
            self.preferences(scorer, &self.now),
        );
        let moved: f64 = first
            .iter()
            .zip(&last)
            .map(|(a, b)| 1.0 - similarity(a, b))
            .sum();
        // Preferences after projection: two wishes that nobody could carry out may differ on paper
        // and be the same in practice.
        let mut pairs = 0.0;
        for (n, a) in last.iter().enumerate() {
            for b in last.iter().skip(n + 1) {
                pairs += similarity(a, b);
            }
        }
        let (mut known, mut all) = (0_u32, 0_u32);
        for officer in Officer::ALL {
            all += u32::try_from(facts(scenario, officer).len()).unwrap_or(0);
            known += u32::try_from(self.disclosed(scenario, officer).len()).unwrap_or(0);
        }
        TalkMetrics {
            drift: moved / 4.0,
            agreement: pairs / 6.0,
            disclosed: f64::from(known) / f64::from(all.max(1)),
            gain,
        }
    }
}

/// A preference as numbers in the order of ids.
pub(crate) fn array(scorer: &Scorer, deltas: &BTreeMap<UnitId, f64>) -> UnitArray {
    let mut array = [0.0; MAX_UNITS];
    for (slot, id) in array.iter_mut().zip(scorer.ids()) {
        *slot = deltas.get(id).copied().unwrap_or(0.0);
    }
    array
}

/// The earlier report with what a later one changes.
fn merged(before: Option<AdvisorReport>, mut later: AdvisorReport) -> AdvisorReport {
    // They are on the record by now; a report holds what its advisor stands for.
    later.messages.clear();
    let Some(before) = before else { return later };
    if later.preference_pp.is_empty() {
        later.preference_pp = before.preference_pp;
    }
    for (now, then) in [
        (&mut later.rationale, before.rationale),
        (&mut later.primary_risk, before.primary_risk),
        (&mut later.opposition_condition, before.opposition_condition),
    ] {
        if now.trim().is_empty() {
            *now = then;
        }
    }
    // What is out stays out.
    for fact in before.disclosed_facts {
        if !later.disclosed_facts.contains(&fact) {
            later.disclosed_facts.push(fact);
        }
    }
    later
}

/// The first words of a text.
fn limited(text: &str, words: u32) -> String {
    let mut rest = text.split_whitespace();
    let kept: Vec<&str> = rest.by_ref().take(words as usize).collect();
    let mut kept = kept.join(" ");
    if rest.next().is_some() {
        kept.push_str(" …");
    }
    kept
}

impl AdvisorReport {
    /// Checks the report of an advisor: units, amounts, facts and addressees must exist. The preference need not
    /// be a valid plan; an invalid one is projected on the valid plans.
    ///
    /// # Errors
    /// Says what would be right.
    ///
    /// Codes: `unknown_unit`, `amount`, `unknown_fact`, `too_early` (a message in stage
    /// 0), `too_many_messages`, `unknown_addressee`.
    pub fn check(
        &self,
        scenario: &Scenario,
        officer: Officer,
        stage: u32,
        config: &DeliberationConfig,
    ) -> Result<(), ActionError> {
        let refuse = |code: &'static str, message: String| Err(ActionError::new(code, message));
        for (id, pp) in &self.preference_pp {
            if scenario.unit(id.as_str()).is_none() {
                return refuse("unknown_unit", no_unit(id, scenario.units.iter()));
            }
            if !(-100.0..=100.0).contains(pp) {
                return refuse(
                    "amount",
                    format!("the amount for '{id}' must be between -100 and 100, got {pp}"),
                );
            }
        }
        let known = facts(scenario, officer);
        for id in &self.disclosed_facts {
            if !known.iter().any(|fact| fact.id == *id) {
                let ids: Vec<&str> = known.iter().map(|fact| fact.id.as_str()).collect();
                return refuse(
                    "unknown_fact",
                    format!(
                        "you have no fact `{}`; yours are {}",
                        clip(id),
                        ids.join(", ")
                    ),
                );
            }
        }
        if stage == 0 && !self.messages.is_empty() {
            return refuse(
                "too_early",
                "the first report is private; messages follow in the next stage".to_owned(),
            );
        }
        if self.messages.len() > config.messages_per_round as usize {
            return refuse(
                "too_many_messages",
                format!(
                    "at most {} messages in one turn, got {}",
                    config.messages_per_round,
                    self.messages.len()
                ),
            );
        }
        for draft in &self.messages {
            let addressee = draft.to == ALL
                || draft.to == CEO
                || Officer::ALL
                    .iter()
                    .any(|o| <&str>::from(o) == draft.to && *o != officer);
            if !addressee {
                return refuse(
                    "unknown_addressee",
                    format!(
                        "a message goes to another of CFO, CTO, COO, CMO, to CEO or to all, not to `{}`",
                        clip(&draft.to)
                    ),
                );
            }
        }
        Ok(())
    }
}
