//! Runs side by side: paired comparison, pools of seeds and shards, tables, plots, HTML, CSV.

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
