//! Tests of the public API, on runs that are played for them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop where an expectation fails"
)]

mod questions;
