//! Integration tests of the office.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    missing_docs,
    reason = "tests"
)]

mod access;
#[cfg(feature = "cedar")]
mod cedar;
mod contract;
mod facade;
mod figures;
mod import;
mod pairs;
mod plots;
mod proposals;
mod records;
mod snoop;
mod support;
mod synth;
mod tasks;
mod tools;
mod toolsets;
