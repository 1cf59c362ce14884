//! Experience files: what a model found in single traces.
//!
//! The form is the answer of the paper's trace-based extractor (A.3), with the sample that it came
//! from. A file holds one JSON object a line.

use crate::agents::Agents;
use crate::policy::{Confidence, PolicyReading, Strictness, read_form, short_enough};
use crate::sample::Bucket;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::ConfigError;
use sim_core::bytes::{canonical_text, json};

/// One thing that a trace teaches.
///
/// ```
/// use aoa_router::{Agents, Strictness, read_experiences};
/// let line = r#"{"bullet": "Read the units of the table first.", "tags": {"agent_method": "dc"}, "outcome": "incorrect"}"#;
/// let read = read_experiences(line, &Agents::methods(), Strictness::Strict)?;
/// assert_eq!(read.value[0].tags.agent_method, "dc");
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutingExperience {
    /// The lesson, in one sentence.
    pub bullet: String,
    /// What the trace is one of.
    pub tags: Tags,
    /// Whether the answer was right.
    pub outcome: RoutedOutcome,
    /// Cause of the failure, or of the success.
    #[serde(default)]
    pub diagnosis: String,
    /// Where samples of this kind should go.
    #[serde(default)]
    pub routing_hint: RoutingHint,
    /// How sure it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The sample of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sample_id: Option<String>,
}

/// What a trace is one of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tags {
    /// The agent.
    pub agent_method: String,
    /// The task.
    pub task_name: String,
    /// The capability.
    pub capability: String,
    /// The difficulty: easy, middle, hard or NA.
    pub difficulty_bucket: Bucket,
}

/// Whether an answer was right.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RoutedOutcome {
    /// It was.
    Correct,
    /// It was not.
    Incorrect,
}

/// Where samples of a kind should go.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoutingHint {
    /// To this agent; may be empty.
    pub prefer_agent: String,
    /// Not to this agent; may be empty.
    pub avoid_agent: String,
    /// Under this condition, in words.
    pub when: String,
}

impl RoutingExperience {
    /// The JSON Schema of one line.
    #[must_use]
    pub fn schema() -> Value {
        schemars::schema_for!(Self).to_value()
    }

    /// The same for a model, which chooses among `agents`.
    #[must_use]
    pub fn schema_with(agents: &Agents) -> Value {
        agents.named_in(Self::schema())
    }

    /// Whether everything in it can be used.
    ///
    /// # Errors
    /// When it says nothing, or names an agent that does not exist.
    pub fn check(&self, agents: &Agents) -> Result<(), ConfigError> {
        if self.bullet.trim().is_empty() {
            return Err(ConfigError::new("bullet", "there is no lesson in it"));
        }
        let named = [
            ("tags.agent_method", &self.tags.agent_method),
            ("routing_hint.prefer_agent", &self.routing_hint.prefer_agent),
            ("routing_hint.avoid_agent", &self.routing_hint.avoid_agent),
        ];
        for (place, name) in named {
            // A lesson need not prefer or avoid anybody, and the paper's form has the fields all the same.
            if !name.trim().is_empty() {
                agents.known_at(place, name)?;
            }
        }
        Ok(())
    }
}

/// Reads an experience file: one experience a line, blank lines between them allowed.
///
/// # Errors
/// At the first line that is not an experience, or names an unknown agent; says which line, and where in it.
pub fn read_experiences(
    text: &str,
    agents: &Agents,
    strictness: Strictness,
) -> Result<PolicyReading<Vec<RoutingExperience>>, ConfigError> {
    short_enough(text)?;
    let mut all = PolicyReading {
        value: Vec::new(),
        left_out: Vec::new(),
    };
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|it| !it.1.trim().is_empty())
    {
        let at = format!("line {}", number + 1);
        let reading =
            read_form::<RoutingExperience>(line, strictness).map_err(|e| e.within(&at))?;
        reading.value.check(agents).map_err(|e| e.within(&at))?;
        all.value.push(reading.value);
        all.left_out
            .extend(reading.left_out.iter().map(|it| format!("{at}: {it}")));
    }
    Ok(all)
}

/// Writes an experience file.
#[must_use]
pub fn write_experiences(experiences: &[RoutingExperience]) -> String {
    let lines = experiences.iter().map(|it| canonical_text(&json(it)));
    lines.map(|line| line + "\n").collect()
}
