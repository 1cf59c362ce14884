//! Tests of the public API.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop where an expectation fails"
)]

mod drive;
mod ground_truth;
mod lists;
mod own_agents;
