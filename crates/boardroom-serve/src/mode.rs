//! The mode of a server.

/// The mode of a server: what its clients may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerMode {
    /// Clients open episodes and see scores; for people, demonstrations and training.
    Play,
    /// The server opens one episode at its start; for the evaluation of an agent.
    Eval,
}
