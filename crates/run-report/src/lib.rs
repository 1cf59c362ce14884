//! Runs side by side.
//!
//! `runs` reads folders together: shards of one run, seeds of one agent. `compare` takes the paired
//! difference of agents, `report` draws one HTML page, `export` and `items` write tables.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod compare;
mod csv;
pub mod export;
pub mod items;
pub mod report;
pub mod rescore;
pub mod runs;
