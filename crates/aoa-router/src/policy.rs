//! The policy file: what was learnt about agents, and the rules that follow from it.
//!
//! The form is the paper's (A.3, the answer of its meta-level synthesiser), so that a published
//! policy loads as it is. Boardroom adds fields that may be absent: `schema`, `feature_version`,
//! `conflict`, and the `evidence` of a rule.

mod condition;
mod read;

pub use condition::{FeatureConditions, Part, When};
pub use read::{MAX_BYTES, MAX_RULES, MAX_TEXT, PolicyReading, Strictness};
pub(crate) use read::{read as read_form, short_enough};

use crate::features::FEATURE_VERSION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A policy file.
///
/// ```
/// use aoa_router::{RoutingPlaybook, RoutingPolicy};
/// let policy = RoutingPlaybook::new(RoutingPolicy::always("gepa"));
/// assert!(policy.routing_policy.rules.is_empty());
/// assert_eq!(policy.routing_policy.min_margin, 0.01);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingPlaybook {
    /// Number of this form (default: 1).
    #[serde(default = "first")]
    pub schema: u32,
    /// Number of the definitions of the features that the rules speak of (default: the present one).
    #[serde(default = "crate::features::current")]
    pub feature_version: u32,
    /// What was found out, for people and for a model that routes.
    #[serde(default)]
    pub meta_findings: Vec<MetaFinding>,
    /// The rules.
    pub routing_policy: RoutingPolicy,
}

// Published policies name no form, and theirs is the first.
fn first() -> u32 {
    1
}

/// Something that was found out about agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetaFinding {
    /// Its name (`M1`).
    pub id: String,
    /// The finding, in one sentence.
    pub summary: String,
    /// What it rests on.
    #[serde(default)]
    pub evidence: String,
    /// How sure it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
}

/// How sure a finding or a rule is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Well founded.
    High,
    /// Plausible.
    Medium,
    /// A guess.
    Low,
}

/// Which agent gets which sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingPolicy {
    /// Gets every sample that no rule matches.
    pub default_agent: String,
    /// Settles rules that are equally good (default: the default agent).
    #[serde(default)]
    pub tie_breaker: TieBreaker,
    /// Gain in accuracy that matters, 0 to 1 (default: 0.01). A rule is learnt only for a gain of
    /// at least this, and rules whose gains differ by less are equally good.
    #[serde(default = "usual_margin")]
    pub min_margin: f64,
    /// Which of several matching rules comes first (default: the first in the file).
    #[serde(default, skip_serializing_if = "Conflict::is_default")]
    pub conflict: Conflict,
    /// The rules.
    #[serde(default)]
    pub rules: Vec<RoutingRule>,
}

fn usual_margin() -> f64 {
    0.01
}

/// What settles rules that are equally good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TieBreaker {
    /// The default agent if it is among them, else the rule that comes first.
    #[default]
    PreferDefault,
    /// The agent that needs the fewest model requests.
    PreferSimpler,
    /// The agent `ace` if it is among them, else the rule that comes first.
    PreferAce,
}

/// Which of several matching rules comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::VariantArray)]
#[non_exhaustive]
pub enum Conflict {
    /// The first in the file.
    #[default]
    FirstMatch,
    /// The one with the most parts; of equals the first in the file.
    MostSpecific,
}

impl Conflict {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingRule {
    /// Which samples it is about.
    #[serde(default)]
    pub when: When,
    /// Who gets them.
    pub choose: String,
    /// Why.
    #[serde(default)]
    pub rationale: String,
    /// How sure it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// What was measured; absent for rules that somebody wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What was measured of a rule, on the samples that reach it.
///
/// Written by [`learn`](crate::learn()); rules that a person or a model wrote have none, and without it a rule never ties.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Samples.
    pub n: usize,
    /// Gain in accuracy over the default agent, drawn towards that of the wider group [-1 to 1].
    pub gain: f64,
    /// Lower end of the interval of the gain as it was counted.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of so many more right answers if both agents were equal (one-sided sign test).
    pub p: f64,
    /// Number of folds of the cross-fitting without which the rule was found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folds: Option<u32>,
}

impl RoutingPlaybook {
    /// A policy of this form without findings.
    #[must_use]
    pub fn new(routing_policy: RoutingPolicy) -> Self {
        Self {
            schema: first(),
            feature_version: FEATURE_VERSION,
            meta_findings: Vec::new(),
            routing_policy,
        }
    }

    /// The same without the rules' evidence: numbers that nobody measured must not settle ties.
    #[must_use]
    pub fn without_evidence(mut self) -> Self {
        for rule in &mut self.routing_policy.rules {
            rule.evidence = None;
        }
        self
    }
}

impl RoutingPolicy {
    /// A policy of the default agent alone.
    pub fn always(default_agent: impl Into<String>) -> Self {
        Self {
            default_agent: default_agent.into(),
            tie_breaker: TieBreaker::default(),
            min_margin: usual_margin(),
            conflict: Conflict::default(),
            rules: Vec::new(),
        }
    }
}
