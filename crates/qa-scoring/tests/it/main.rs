//! Scoring compared with the stored vectors and with simple implementations, and tested on random
//! input.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "tests"
)]

mod analysis;
mod careful;
mod companions;
mod construct;
mod falls;
mod families;
mod files;
mod fixtures;
mod forms;
mod golden;
mod interviews;
mod kinds;
mod letters;
mod load;
mod math_verify;
mod noise;
mod numbers;
mod plain_rouge;
mod python;
mod questions;
mod replication;
mod replies;
mod rouge;
mod rules;
