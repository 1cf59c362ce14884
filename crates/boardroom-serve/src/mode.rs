//! What clients may do.

/// What clients may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Clients open episodes and see scores: for people, demonstrations, training.
    Play,
    /// One episode that is there from the start: for judging an agent.
    Eval,
}
