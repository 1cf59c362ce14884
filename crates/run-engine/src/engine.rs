//! Plays the episodes of a plan, computes their summary, and verifies run folders.

pub mod drive;
pub mod episode;
pub mod episodes;
pub mod execute;
pub mod finished;
pub mod live;
pub mod model;
pub mod others;
mod sequence;
pub mod summary;
pub mod verify;
