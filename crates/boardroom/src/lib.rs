//! The runner of Boardroom: composes simulators, agents and judges, and keeps what they did.
//!
//! The program `boardroom` is a thin shell over [`dispatch`]; everything it can do is here as a
//! library. The way of an episode:
//!
//! ```text
//! Request ─► Plan ─► Source (instances) ─► Table (plays one) ─► execute (all cores)
//!                                                                  │
//!                 Folder (manifest, records) ◄─────────────────────┤
//!                 Summary (scores, interval, reference) ◄──────────┘
//! ```

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod about;
pub mod agent;
pub mod cli;
pub mod clock;
pub mod compare;
mod csv;
pub mod episode;
pub mod error;
pub mod execute;
pub mod export;
pub mod folder;
pub mod form;
mod hints;
pub mod interrupt;
pub mod interview;
pub mod items;
pub mod model;
pub mod office;
pub mod plan;
pub mod play;
pub mod progress;
pub mod qa;
mod ranges;
pub mod references;
pub mod registry;
mod regular;
pub mod report;
pub mod rescore;
pub mod route;
pub mod runs;
pub mod script;
#[cfg(feature = "mcp")]
pub mod serve;
pub mod setting;
pub mod source;
pub mod summary;
pub mod sweep;
pub mod terminal;
pub mod verify;

pub use cli::{Cli, dispatch};
pub use error::RunError;
pub use registry::Registry;
