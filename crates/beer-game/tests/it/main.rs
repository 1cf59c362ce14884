//! Tests of the crate as a whole.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "tests"
)]

mod batch;
mod contract;
mod games;
mod golden;
mod optima;
mod players;
mod plots;
mod prompts;
mod properties;
