//! Sampling and further fields of a model's requests, as a plan file states them.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// How a model is sampled; the server's default where a value is absent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sampling {
    /// Sampling temperature.
    pub(crate) temperature: Option<f64>,
    /// Share of the probability from which tokens are drawn.
    pub(crate) top_p: Option<f64>,
    /// Most tokens of a reply.
    pub(crate) max_tokens: Option<u32>,
    /// The field that holds them.
    pub(crate) token_field: Option<TokenFieldName>,
    /// Weaker ways in which the server is asked from the start.
    pub(crate) weaker: Vec<agent_client::wire::ways::Way>,
    /// Further fields of every request, by name.
    pub(crate) model_args: BTreeMap<String, Value>,
}

/// The field of a request that holds the most tokens of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenFieldName {
    /// The older name.
    MaxTokens,
    /// What newer models of OpenAI want.
    MaxCompletionTokens,
}

impl TokenFieldName {
    /// Its name in requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}
