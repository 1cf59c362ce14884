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
pub mod cli;
pub mod form;
pub mod office;
pub mod play;
pub mod registry;

pub use cli::{Cli, dispatch};
pub use registry::Registry;
pub use run_engine::RunError;
