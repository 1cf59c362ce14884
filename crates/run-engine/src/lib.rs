//! Plans, plays, stores, resumes and verifies runs.
//!
//! ```text
//! Request ─► Plan ─► Source (instances) ─► Table (plays one) ─► execute (all cores)
//!                                                                  │
//!                 Folder (manifest, records) ◄─────────────────────┤
//!                 Summary (scores, interval, reference) ◄──────────┘
//! ```
//!
//! This crate does not depend on any simulator: a program adds the environments that it offers to a
//! [`Registry`].

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod clock;
pub mod engine;
pub mod environments;
pub mod error;
pub mod files;
pub mod interrupt;
pub mod plan;
pub mod ranges;
pub mod registry;
pub mod run_dir;
pub mod secrets;
pub mod sweep;
pub mod terminal;
pub mod verify;
pub mod words;

pub use engine::workload::Workload;
pub use environments::Environments;
pub use error::RunError;
pub use registry::Registry;
