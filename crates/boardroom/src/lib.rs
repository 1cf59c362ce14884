//! The runner of Boardroom: combines simulators, agents and judges, and stores their records.
//!
//! The program `boardroom` is a thin shell over [`dispatch`]; all of its functions are available as
//! a library. The path of an episode:
//!
//! ```text
//! Request ─► Plan ─► InstanceSource ─► EpisodeRunner (plays one) ─► execute (all cores)
//!                                                                      │
//!                 Folder (manifest, records) ◄─────────────────────────┤
//!                 Summary (scores, interval, reference) ◄──────────────┘
//! ```

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod about;
pub mod cli;
pub mod features;
mod layout;
pub mod office;
pub mod play;
pub mod registry;

pub use cli::{Cli, dispatch};
pub use registry::Registry;
pub use run_engine::RunError;
