//! Replaces `plan/model.rs` in a build without the feature `models`: no value of [`ModelPlan`] exists,
//! and a plan or a manifest that names a model is refused.

use super::agent::is_model;
use super::sampling::Sampling;
use crate::error::RunError;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sim_core::{Digest, Limits};
use std::path::PathBuf;

/// Why a model cannot play.
const WITHOUT: &str = "a model plays, but this program was built without models: enable the feature \
    `models` of the crate `run-engine`";

/// The model of a plan; this build has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum ModelPlan {}

impl<'de> Deserialize<'de> for ModelPlan {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(WITHOUT))
    }
}

/// Concurrency and cost limits, which apply to models only.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RunBudget {}

/// The settings of a model; this build has none.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ModelRequest {}

impl ModelRequest {
    pub(crate) fn sampled(
        _: Option<String>,
        _: Option<PathBuf>,
        _: Vec<(String, Value)>,
        _: Sampling,
    ) -> Self {
        Self {}
    }
}

/// Whether `agent` is a model.
///
/// # Errors
/// If it is.
pub(crate) fn is_asked(agent: &str) -> Result<bool, RunError> {
    match is_model(agent) {
        false => Ok(false),
        true => Err(RunError::usage(format!(
            "`{}`: {WITHOUT}",
            sim_core::error::clip(agent)
        ))),
    }
}

impl ModelPlan {
    pub(crate) fn new(agent: &str, _: &ModelRequest) -> Result<Option<Self>, RunError> {
        is_asked(agent).map(|_| None)
    }

    pub(crate) fn check(&self, _: &str) -> Result<(), RunError> {
        match *self {}
    }

    pub(crate) fn is_online(&self) -> Result<bool, RunError> {
        match *self {}
    }

    pub(crate) fn streams(&self, _: &ModelRequest) -> Result<Option<u64>, RunError> {
        match *self {}
    }

    pub(crate) fn is_gold(&self) -> bool {
        match *self {}
    }

    pub(crate) fn digest(&self, _: &Limits, _: Option<u64>) -> Option<Digest> {
        match *self {}
    }

    pub(crate) fn name(&self) -> String {
        match *self {}
    }

    pub(crate) fn method_name(&self) -> &str {
        match *self {}
    }

    pub(crate) fn feedback_name(&self) -> &'static str {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environments::Environments;
    use crate::plan::{Plan, RunRequest};

    #[test]
    fn a_model_is_refused_with_the_name_of_the_feature() {
        let environments = Environments::new().with_boxed(beer_game::Spec.boxed());
        let mut request = RunRequest {
            environment: "beer-game".to_owned(),
            agent: "openai:some-model".to_owned(),
            ..RunRequest::default()
        };
        let error = Plan::new(&environments, request.clone()).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error}");
        assert!(error.to_string().contains("`models`"), "{error}");
        request.agent = "order-up-to".to_owned();
        let plan = Plan::new(&environments, request).unwrap();
        let mut stored = serde_json::to_value(plan).unwrap();
        stored["model"] = serde_json::json!({"dialect": {}});
        let error = serde_json::from_value::<Plan>(stored).unwrap_err();
        assert!(error.to_string().contains("`models`"), "{error}");
    }
}
