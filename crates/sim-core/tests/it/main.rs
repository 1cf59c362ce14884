//! The contract, exercised on the walk-through simulator and on a two-seat toy.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "tests"
)]

mod contract;
mod coverage;
mod limits;
#[path = "../../examples/new_simulator.rs"]
mod newsvendor;
mod notes;
mod records;
mod restart;
mod rollout;
mod seats;
