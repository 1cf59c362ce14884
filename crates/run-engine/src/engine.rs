//! Plays the episodes of a plan, sums them up, and verifies what was kept.

pub mod episode;
pub mod execute;
pub mod model;
pub mod summary;
pub mod verify;
