//! A model that chooses agents instead of rules.

use super::{Ask, head_and_tail};
use crate::agents::Agents;
use crate::policy::RoutingPlaybook;
use crate::sample::Sample;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of the part of a question that is shown [Unicode characters].
const QUESTION_CHARS: usize = 4_000;

/// What a model that routes answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The agent.
    pub choose: String,
    /// Why, in a sentence.
    #[serde(default)]
    pub rationale: String,
}

impl Pick {
    /// The JSON Schema of an answer that chooses among `agents`.
    #[must_use]
    pub fn schema(agents: &Agents) -> Value {
        agents.named_in(schemars::schema_for!(Self).to_value())
    }

    /// Checks that the agent exists.
    ///
    /// # Errors
    /// When it does not; the message is for the model.
    pub fn check(&self, agents: &Agents) -> Result<(), String> {
        agents.known(&self.choose).map(drop)
    }
}

/// Asks which of `agents` should answer a question; the answer has the form of [`Pick`].
///
/// The request names each agent with its number of requests, the findings and the rules; of the question at
/// most 4,000 characters.
#[must_use]
pub fn choice(playbook: &RoutingPlaybook, agents: &Agents, sample: &Sample, question: &str) -> Ask {
    let findings: Vec<String> = playbook
        .meta_findings
        .iter()
        .map(|it| format!("- {} ({})", it.summary, it.evidence))
        .collect();
    let rules: Vec<String> = playbook
        .routing_policy
        .rules
        .iter()
        // With reasons, since the model may depart from a rule where its reason does not hold.
        .map(|rule| format!("- {}: {}. {}", rule.when, rule.choose, rule.rationale))
        .collect();
    let calls: Vec<String> = agents
        .as_slice()
        .iter()
        .map(|agent| match (agent.calls * 100.0).round() / 100.0 {
            // Infinite where it is not known.
            calls if calls.is_finite() => format!("{} ({calls} requests)", agent.name),
            _ => agent.name.clone(),
        })
        .collect();
    Ask {
        system: format!(
            "You decide which agent answers a question. Agents: {}.\n\nWhat is known of them:\n{}\n\n\
             Rules that were found:\n{}\n\nFollow the rules unless the question itself is a good \
             reason not to. Where nothing speaks for another agent choose {}.",
            calls.join(", "),
            listed(&findings),
            listed(&rules),
            playbook.routing_policy.default_agent
        ),
        user: format!(
            "<sample>\n{}\n</sample>\n\n<question>\n{}\n</question>",
            sim_core::bytes::canonical_text(&sim_core::bytes::json(sample)),
            head_and_tail(question, QUESTION_CHARS)
        ),
    }
}

fn listed(lines: &[String]) -> String {
    if lines.is_empty() {
        return "- nothing".to_owned();
    }
    lines.join("\n")
}
