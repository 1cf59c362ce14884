//! The state of an episode: everything that changes.
//!
//! It is written to a record or a checkpoint as JSON and read back by
//! [`sim_core::Environment::set_state`], which checks that it belongs to the instance.
//! The scorer is not part of it: it follows from the scenario.

use crate::deliberation::{Talk, TalkMetrics};
use crate::score::ScoreCard;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// The way in which a round ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundEnd {
    /// With a plan, valid or not.
    Plan,
    /// With a reply that could not be read.
    Unreadable,
    /// Without a decision.
    Forfeited,
}

/// A finished round.
///
/// The record of a round keeps the whole [`ScoreCard`], so a report needs no second
/// evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundResult {
    /// Round of the company, from 1.
    pub round: u32,
    /// The way in which it ended.
    pub ended: RoundEnd,
    /// Its evaluation.
    pub card: ScoreCard,
    /// Score of the older rubric, where the configuration asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_rubric: Option<f64>,
    /// Metrics of the deliberation, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub talk: Option<TalkMetrics>,
    /// Number of advisors that did not report.
    #[serde(default)]
    pub silent: u32,
}

/// Everything that changes during an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The company now.
    pub world: World,
    /// Finished rounds.
    pub results: Vec<RoundResult>,
    /// Unreadable replies in the running round.
    pub unreadable: u32,
    /// Progress of the deliberation; unused in the other modes.
    pub talk: Talk,
    /// Whether the company is in distress, which ends the episode.
    pub distress: bool,
}
