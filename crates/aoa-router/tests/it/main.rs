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

use aoa_router::{Agents, Router, RoutingPlaybook, RoutingPolicy, RoutingRule, Strictness, When};
use sim_core::ConfigError;
use std::fmt::Debug;

/// The policy of the paper's Table 4.
const TABLE_4: &str = include_str!("../fixtures/table_4.json");

/// The policy file `text`, with the agents of the paper.
fn read(text: &str) -> Result<RoutingPlaybook, ConfigError> {
    RoutingPlaybook::read(text, &Agents::methods(), Strictness::Strict).map(|reading| reading.value)
}

/// A router by `policy` over the agents of the paper.
fn router(policy: &RoutingPolicy) -> Router {
    Router::new(policy, &Agents::methods()).unwrap()
}

/// Asserts that the error of a file says where its second line is wrong. The first line of the file is `line`;
/// in the second, a case replaces its first text by its second, and the place must begin with its third.
fn names_the_place<T: Debug>(
    line: &str,
    cases: &[(&str, &str, &str)],
    read: impl Fn(&str) -> Result<T, ConfigError>,
) {
    for (from, to, place) in cases {
        let error = read(&format!("{line}\n{}", line.replace(from, to))).unwrap_err();
        assert!(error.place.starts_with(place), "{error}");
    }
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
