//! Plans, plays, stores, resumes and verifies runs.
//!
//! ```text
//! RunRequest ─► Plan ─► InstanceSource ─► EpisodeRunner (plays one) ─► drive (all cores, or models)
//!                                                                        │
//!                        Folder (manifest, records) ◄────────────────────┤
//!                        Summary (scores, interval, reference) ◄─────────┘
//! ```
//!
//! This crate does not depend on any simulator. A program that wants one environment uses
//! [`EpisodeRun`], with a policy or with an agent of its own; a program with many adds them to a
//! [`Registry`].

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod clock;
pub mod engine;
pub mod episode_run;
pub mod error;
pub mod executor;
pub mod files;
pub mod interrupt;
pub mod plan;
pub mod registry;
pub mod run_dir;
pub mod secrets;
pub mod shard;
pub mod sweep;
pub mod terminal;
pub mod verify;
pub mod words;

pub use episode_run::EpisodeRun;
pub use error::RunError;
pub use registry::Registry;
