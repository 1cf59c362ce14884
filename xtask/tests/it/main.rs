//! The rules of the house, held against the repository itself, and `fresh` against a small one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

mod fresh;
mod house;
