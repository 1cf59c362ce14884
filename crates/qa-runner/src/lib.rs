//! Runs questions and interviews.
//!
//! `qa` asks questions and scores the answers, `interview` holds consulting interviews, `route` learns
//! which agent method to use for which question. Each of the two kinds of runs is a `Workload` of
//! `run-engine`, which resumes, verifies and replays its folders.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod interview;
pub mod labels;
pub mod policy;
pub mod qa;
pub mod route;
