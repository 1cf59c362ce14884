//! Reads policy files from untrusted sources.

use super::{RoutingPlaybook, RoutingPolicy};
use crate::agents::Agents;
use crate::features::{Countable, FEATURE_VERSION};
use crate::json_path::{Step, line, path, remove_unknown};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sim_core::error::{self, clip};
use sim_core::{ConfigError, strict};
use strum::VariantArray;

/// Maximum size of a file \[bytes\].
pub const MAX_BYTES: usize = 4 << 20;

/// Maximum number of rules of a policy.
pub const MAX_RULES: usize = 1_000;

/// Maximum length of a text in a file [Unicode characters].
pub const MAX_TEXT: usize = 20_000;

/// What happens with unknown fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Strictness {
    /// Refuse the file.
    #[default]
    Strict,
    /// Ignore them and report them.
    Lenient,
}

/// The result of reading.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyReading<T> {
    /// The value.
    pub value: T,
    /// Positions of the fields that were ignored.
    pub left_out: Vec<String>,
}

impl RoutingPlaybook {
    /// Reads a policy file whose rules may choose among `agents`.
    ///
    /// # Errors
    /// When it is not a policy: invalid, too long or too deep, with an unknown field or agent, of a
    /// newer version, or with conditions that no sample can satisfy. The message names the position
    /// and the line.
    ///
    /// # Example
    /// ```
    /// use aoa_router::{Agents, RoutingPlaybook, Strictness};
    /// let text = "{\"routing_policy\": {\n  \"default_agent\": \"oracle\"}}";
    /// let error = RoutingPlaybook::read(text, &Agents::methods(), Strictness::Strict).unwrap_err();
    /// assert!(error.to_string().contains("routing_policy.default_agent (line 2)"), "{error}");
    /// ```
    pub fn read(
        text: &str,
        agents: &Agents,
        strictness: Strictness,
    ) -> Result<PolicyReading<Self>, ConfigError> {
        let reading: PolicyReading<Self> = read(text, strictness)?;
        // Only errors call this: to find a line, the text is read once more.
        let at = |steps: &[Step<'_>], message: String| {
            let place = path(steps);
            let place = match line(text, steps) {
                Some(line) => format!("{place} (line {line})"),
                None => place,
            };
            ConfigError::new(place, message)
        };
        reading.value.check(agents, &at)?;
        Ok(reading)
    }

    /// Checks that it can be followed with `agents`, for a policy that was not read from a file.
    ///
    /// # Errors
    /// As [`read`](Self::read), without lines.
    pub fn check_agents(&self, agents: &Agents) -> Result<(), ConfigError> {
        self.check(agents, &|steps, message| {
            ConfigError::new(path(steps), message)
        })
    }

    /// The JSON Schema of a policy file.
    #[must_use]
    pub fn schema() -> Value {
        schemars::schema_for!(Self).to_value()
    }

    /// The same for a model, which chooses among `agents`.
    #[must_use]
    pub fn schema_with(agents: &Agents) -> Value {
        agents.named_in(Self::schema())
    }

    fn check(
        &self,
        agents: &Agents,
        at: &dyn Fn(&[Step<'_>], String) -> ConfigError,
    ) -> Result<(), ConfigError> {
        if self.schema != 1 {
            let text = format!("policy of form {}; this program reads form 1", self.schema);
            return Err(at(&[Step::Key("schema")], text));
        }
        if self.feature_version != FEATURE_VERSION {
            let text = format!(
                "features of version {}; this program computes version {FEATURE_VERSION}: learn \
                 the policy anew",
                self.feature_version
            );
            return Err(at(&[Step::Key("feature_version")], text));
        }
        self.routing_policy.check(agents, &|steps, message| {
            let mut all = vec![Step::Key("routing_policy")];
            all.extend_from_slice(steps);
            at(&all, message)
        })
    }
}

impl RoutingPolicy {
    /// Checks that the rules can be followed with these agents.
    ///
    /// # Errors
    /// At the first error.
    pub(crate) fn check(
        &self,
        agents: &Agents,
        at: &dyn Fn(&[Step<'_>], String) -> ConfigError,
    ) -> Result<(), ConfigError> {
        agents
            .known(&self.default_agent)
            .map_err(|text| at(&[Step::Key("default_agent")], text))?;
        if !(0.0..=1.0).contains(&self.min_margin) {
            let text = format!("the margin must be 0 to 1, not {}", self.min_margin);
            return Err(at(&[Step::Key("min_margin")], text));
        }
        if self.rules.len() > MAX_RULES {
            let text = format!("{} rules; at most {MAX_RULES}", self.rules.len());
            return Err(at(&[Step::Key("rules")], text));
        }
        for (index, rule) in self.rules.iter().enumerate() {
            let rule_at = |steps: &[Step<'_>], text| {
                let mut all = vec![Step::Key("rules"), Step::Item(index)];
                all.extend_from_slice(steps);
                at(&all, text)
            };
            agents
                .known(&rule.choose)
                .map_err(|text| rule_at(&[Step::Key("choose")], text))?;
            for of in Countable::VARIANTS {
                if let (Some(least), Some(most)) = rule.when.feature_conditions.range(*of)
                    && least > most
                {
                    let text = format!("{of} cannot be at least {least} and at most {most}");
                    let steps = [Step::Key("when"), Step::Key("feature_conditions")];
                    return Err(rule_at(&steps, text));
                }
            }
            if let Some(evidence) = rule.evidence {
                let numbers = [evidence.gain, evidence.low, evidence.high];
                // Gains decide ties, so one that nobody can have measured must not get in.
                let sound = numbers.iter().all(|n| (-1.0..=1.0).contains(n))
                    && (0.0..=1.0).contains(&evidence.p);
                if !sound {
                    let text = "gains are from -1 to 1, a probability from 0 to 1".to_owned();
                    return Err(rule_at(&[Step::Key("evidence")], text));
                }
            }
        }
        Ok(())
    }
}

/// Reads a value of type `T`.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(
    text: &str,
    strictness: Strictness,
) -> Result<PolicyReading<T>, ConfigError> {
    short_enough(text)?;
    // Syntax first: syntax errors have lines but no path.
    let mut value =
        strict::json(text.as_bytes()).map_err(|e| ConfigError::new("", e.to_string()))?;
    short_texts(&value, "")?;
    if strictness == Strictness::Strict {
        // From the text again, whose reader adds the line to the message.
        let mut reader = serde_json::Deserializer::from_str(text);
        let value = error::read_from(&mut reader)?;
        return Ok(PolicyReading {
            value,
            left_out: Vec::new(),
        });
    }
    let left_out = remove_unknown(&mut value, &schemars::schema_for!(T).to_value());
    let value = error::read(&value)?;
    Ok(PolicyReading { value, left_out })
}

/// Refuses a file above the maximum size.
pub(crate) fn short_enough(text: &str) -> Result<(), ConfigError> {
    if text.len() > MAX_BYTES {
        let text = format!("{} bytes; at most {MAX_BYTES}", text.len());
        return Err(ConfigError::new("", text));
    }
    Ok(())
}

/// Refuses texts above the maximum length.
fn short_texts(value: &Value, at: &str) -> Result<(), ConfigError> {
    match value {
        // Bytes first: a text never has fewer of them than characters, and most need no counting.
        Value::String(text) if text.len() > MAX_TEXT && text.chars().count() > MAX_TEXT => {
            let text = format!("a text of more than {MAX_TEXT} characters");
            Err(ConfigError::new(at, text))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| short_texts(item, &format!("{at}[{index}]"))),
        Value::Object(map) => map.iter().try_for_each(|(key, item)| {
            let dot = if at.is_empty() { "" } else { "." };
            short_texts(item, &format!("{at}{dot}{}", clip(key)))
        }),
        _ => Ok(()),
    }
}
