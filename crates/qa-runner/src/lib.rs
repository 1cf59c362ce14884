//! Runs of questions and interviews.
//!
//! `qa` asks questions and scores the answers, `interview` holds consulting interviews, `route` learns
//! which agent method suits which question. Both kinds of runs are a `Workload` of `run-engine`, so
//! their folders are resumed, verified and replayed like any other.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod interview;
pub mod policy;
pub mod qa;
pub mod route;
