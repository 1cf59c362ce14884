//! The repository's rules checked on the repository itself, and `fresh` on a small one.

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
