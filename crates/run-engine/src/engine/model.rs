//! Models as players: which model, asked how, within which means.
//!
//! ```text
//!  ModelPlan ─► backends (budget, recording, retries) ─► Line of episodes ─► run ─► records in order
//!                                                          │  one after the other where something
//!                                                          ▼  is learnt, side by side elsewhere
//!                                                       memory, kept after each episode
//! ```

mod access;
pub mod ask;
pub mod backends;
pub mod evolve;
pub mod gold;
pub mod memory;
pub mod paid;
pub(crate) mod players;
pub mod run;
mod status;
pub mod sweep_budget;
