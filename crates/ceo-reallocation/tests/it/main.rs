//! Integration tests of `ceo-reallocation`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

mod case_studies;
mod contract;
mod deliberation;
mod faults;
mod generator;
mod golden;
mod naive;
mod optima;
mod plots;
mod prompts;
mod properties;
mod reading;
mod rolling;
mod rubric;
