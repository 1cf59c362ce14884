//! What the agents of a group of the report did.

use sim_core::{DynEnvironmentSpec, Sense};

/// What the agents of a group did.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) title: String,
    /// One line of description.
    pub(crate) about: String,
    /// Unit of the scores.
    pub(crate) unit: &'static str,
    /// Whether larger or smaller scores are better; absent if neither is.
    pub(crate) sense: Option<Sense>,
    /// Names of the first and the last in the order of scores.
    pub(crate) ends: [&'static str; 2],
    /// What one record is of: `episode`.
    pub(crate) record: &'static str,
    /// What different agents may have in common: `instance`.
    pub(crate) met: &'static str,
}

impl Task {
    /// Episodes of an environment.
    pub(crate) fn episodes(spec: &dyn DynEnvironmentSpec, title: String) -> Self {
        Self {
            title,
            about: spec.about().to_owned(),
            unit: spec.unit(),
            sense: spec.is_ranked().then(|| spec.sense()),
            ends: match (spec.is_ranked(), spec.sense()) {
                (true, _) => ["best", "worst"],
                (false, Sense::Maximise) => ["highest", "lowest"],
                (false, Sense::Minimise) => ["lowest", "highest"],
            },
            record: "episode",
            met: "instance",
        }
    }
}
