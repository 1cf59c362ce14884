//! Experience files: what a model found in single traces.
//!
//! The form is the answer of the paper's trace-based extractor (A.3), with the sample that it came
//! from. A file holds one JSON object a line.

use crate::agents::Agents;
use crate::policy::read_form;
use crate::policy::{Confidence, MAX_BYTES, PolicyReading, Strictness};
use crate::sample::Bucket;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::ConfigError;
use sim_core::bytes::{canonical_text, json};
use sim_core::error::clip;

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
    #[schemars(with = "String")]
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
            if !name.trim().is_empty() && agents.find(name).is_none() {
                let name = clip(name);
                let text = format!("there is no agent `{name}`; there are {agents}");
                return Err(ConfigError::new(place, text));
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
    if text.len() > MAX_BYTES {
        let text = format!("{} bytes; at most {MAX_BYTES}", text.len());
        return Err(ConfigError::new("", text));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"bullet": "Copies the wrong row when two tables share a header.",
        "tags": {"agent_method": "CoT", "task_name": "tatqa", "capability": "IE",
                 "difficulty_bucket": "NA"},
        "outcome": "incorrect", "diagnosis": "wrong row",
        "routing_hint": {"prefer_agent": "DC", "avoid_agent": "", "when": "two tables or more"},
        "confidence": "medium", "source_sample_id": "tatqa:3"}"#;

    #[test]
    fn files_round_trip() {
        let line = LINE.replace('\n', " ");
        let agents = Agents::methods();
        let text = format!("{line}\n\n{line}\n");
        let read = read_experiences(&text, &agents, Strictness::Strict).unwrap();
        assert_eq!(read.value.len(), 2);
        assert_eq!(read.value[0].outcome, RoutedOutcome::Incorrect);
        let again = write_experiences(&read.value);
        let read_again = read_experiences(&again, &agents, Strictness::Strict).unwrap();
        assert_eq!(read_again, read);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let line = LINE.replace('\n', " ");
        let cases = [
            ("\"CoT\"", "\"CoTT\"", "line 2.tags.agent_method"),
            ("\"DC\"", "\"DD\"", "line 2.routing_hint.prefer_agent"),
            ("\"incorrect\"", "\"wrong\"", "line 2.outcome"),
            ("\"NA\"", "\"medium\"", "line 2.tags.difficulty_bucket"),
            ("\"when\"", "\"where\"", "line 2.routing_hint.where"),
            ("\"bullet\": \"C", "\"bullet\": \"\", \"C", "line 2"),
        ];
        for (from, to, place) in cases {
            let text = format!("{line}\n{}", line.replace(from, to));
            let error =
                read_experiences(&text, &Agents::methods(), Strictness::Strict).unwrap_err();
            assert!(error.place.starts_with(place), "{error}");
        }
        let odd = line.replace("\"when\"", "\"where\": 1, \"when\"");
        let read = read_experiences(&odd, &Agents::methods(), Strictness::Lenient).unwrap();
        assert_eq!(read.left_out, ["line 1: routing_hint.where"]);
    }
}
