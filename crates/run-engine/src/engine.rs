//! Plays the episodes of a plan, computes their summary, and verifies run folders.

pub mod drive;
pub mod episode;
pub mod episodes;
pub mod execute;
pub mod finished;
pub mod live;
#[cfg(feature = "models")]
pub mod model;
#[cfg(not(feature = "models"))]
#[path = "engine/no_model.rs"]
mod model;
mod sequence;
pub mod summary;
pub mod verify;
pub mod workload;
