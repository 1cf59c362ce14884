//! The client against a server that misbehaves, the loop against a small simulator, the methods on
//! questions and interviews.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "tests"
)]

/// The page `docs/agents.md`; `None`, with a message, if the crate is not in a checkout of Boardroom.
fn page() -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents.md");
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        eprintln!("SKIPPED: {path} is not there");
    }
    text
}

mod agree;
mod asked;
mod budgets;
mod cassettes;
mod episodes;
mod faults;
mod habits;
mod live;
mod methods;
mod methods_play;
mod newsvendor;
mod numbers;
mod overnight;
mod recorded;
mod requests;
mod seats;
mod secrets;
mod server;
mod structured;
mod wire;
