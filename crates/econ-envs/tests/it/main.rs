//! Tests of the crate through its public face.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "tests"
)]

mod action_text;
mod hostile;
mod levels;
mod litmus;
mod play;
mod plots;
mod pricing;
mod procurement;
mod ranges;
mod scheduling;
mod shared;
