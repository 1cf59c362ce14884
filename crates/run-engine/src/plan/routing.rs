//! A method for each instance, chosen by a policy before the run.

use agent_client::method::MethodSpec;
use qa_scoring::taxonomy::TaxonomyLabel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the method of a run is called where each instance has its own.
pub const ROUTED: &str = "aoa";

/// The methods that a policy chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routing {
    /// The policy.
    pub policy: Value,
    /// What is known of the instances besides their text, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, TaxonomyLabel>,
    /// The methods, by the names that the policy has for them.
    pub methods: BTreeMap<String, MethodSpec>,
    /// The name of the method of each instance of the list.
    pub chosen: Vec<String>,
}

impl Routing {
    /// The method of the instance at `place` of the list.
    #[must_use]
    pub fn method(&self, place: u64) -> Option<&MethodSpec> {
        let name = self.chosen.get(usize::try_from(place).ok()?)?;
        self.methods.get(name)
    }
}
