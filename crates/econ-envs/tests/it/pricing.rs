//! The pricing environment.

mod contract;
mod generator;
mod golden;
mod hostile;
mod policies;
mod properties;
