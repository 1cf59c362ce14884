//! Tests of the Enterprise Digital Twin against recorded runs, against itself and against its
//! contract.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

mod bernoulli;
mod contract;
mod firms;
mod golden;
mod goldens;
mod optima;
mod parity;
mod play;
mod plots;
mod properties;
mod scenarios;
