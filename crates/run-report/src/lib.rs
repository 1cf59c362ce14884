//! Compares runs and writes reports.
//!
//! `runs` reads folders and groups them: shards of one run, seeds of one agent. `compare` computes the
//! paired difference of agents, `report` writes one HTML page, `export` writes tables. `questions` reads and scores files
//! of answers, `route` learns which agent method to use for which question.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod case_files;
pub mod compare;
mod csv;
pub mod export;
pub mod heat_map;
pub mod listing;
mod others;
pub mod paper;
pub mod picture;
pub mod questions;
pub mod report;
pub mod rescore;
pub mod route;
pub mod runs;
pub mod text_table;
