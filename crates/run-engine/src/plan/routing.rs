//! A method for each instance, chosen by a policy before the run.

use super::model::ModelPlan;
use crate::error::RunError;
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
    /// Labels of the instances, by the names of the instances.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, TaxonomyLabel>,
    /// The methods, by the names that the policy has for them.
    pub methods: BTreeMap<String, MethodSpec>,
    /// The name of the method of each instance of the list.
    pub chosen: Vec<String>,
}

impl Routing {
    /// `model` with the method of the default agent under its own name.
    ///
    /// # Errors
    /// When that is not a method of the routing, or one of the methods has other parts than its name says.
    pub(crate) fn default_model(&self, model: &ModelPlan) -> Result<ModelPlan, RunError> {
        // Manifests hold these parts too, so a changed one may have other parts under a known name.
        for method in self.methods.values() {
            method.check().map_err(|e| RunError::usage(e.message))?;
        }
        if model.method.name != ROUTED {
            return Ok(model.clone());
        }
        let routed = |method: &&MethodSpec| {
            // In the plan the method bears the name of the whole, so only its parts say which one
            // it is.
            let renamed = MethodSpec {
                name: ROUTED.to_owned(),
                ..(*method).clone()
            };
            renamed == model.method
        };
        let method = self.methods.values().find(routed).ok_or_else(|| {
            RunError::usage(
                "the method of the plan is not one of the methods of its routing policy",
            )
        })?;
        Ok(ModelPlan {
            method: method.clone(),
            ..model.clone()
        })
    }

    /// The method of the instance at `place` of the list.
    #[must_use]
    pub fn method(&self, place: u64) -> Option<&MethodSpec> {
        let name = self.chosen.get(usize::try_from(place).ok()?)?;
        self.methods.get(name)
    }
}
