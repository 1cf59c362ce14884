//! Policies, traces and what they are worth, computed by hand and tested on random input.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::float_cmp,
    missing_docs,
    reason = "tests"
)]

mod ask;
mod evaluate;
mod experience;
mod matrix;
mod paired;
mod policy;
mod router;
mod sample;
mod trace;

use aoa_router::{Agents, RoutingPlaybook, RoutingRule, Strictness, When};
use sim_core::ConfigError;

/// The policy of the paper's Table 4.
const TABLE_4: &str = include_str!("../fixtures/table_4.json");

/// The policy file `text`, with the agents of the paper.
fn read(text: &str) -> Result<RoutingPlaybook, ConfigError> {
    RoutingPlaybook::read(text, &Agents::methods(), Strictness::Strict).map(|reading| reading.value)
}

/// A rule that sends what `when` describes to `choose`.
fn rule(when: When, choose: &str) -> RoutingRule {
    RoutingRule {
        when,
        choose: choose.to_owned(),
        rationale: String::new(),
        confidence: None,
        evidence: None,
    }
}
