//! Runs of questions and interviews: asking, scoring, building sets of questions, routing.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod interview;
pub mod qa;
pub mod route;
