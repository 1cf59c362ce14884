//! The client against a server that misbehaves, the loop against a small simulator, the methods
//! and the interview against scripts.
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

mod budgets;
mod cassettes;
mod episodes;
mod faults;
mod interviews;
#[cfg(feature = "live-llm")]
mod live;
mod methods;
mod methods_play;
#[path = "../../../../examples/new_simulator.rs"]
mod newsvendor;
mod numbers;
mod overnight;
mod recorded;
mod seats;
mod secrets;
mod server;
mod structured;
mod wire;
