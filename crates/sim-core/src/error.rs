//! One error type a phase: loading a configuration, acting, restoring, sharing buffers.
//!
//! Messages are lower case, carry the offending value in backticks and say what would be right.
//! [`ActionError`] is the one an agent reads; it is written so that the next attempt can succeed.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A configuration or an instance that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if place.is_empty() { String::new() } else { format!("{place}: ") })]
#[non_exhaustive]
pub struct ConfigError {
    /// Dotted path of the value at fault, empty when the whole input is (for example `cost.holding`).
    pub place: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

impl ConfigError {
    /// An error at `place` (a dotted path, may be empty) with its remedy in `message`.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }

    /// The same error seen from one level further out: `outer.place`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.place = match (outer.is_empty(), self.place.is_empty()) {
            (true, _) => self.place,
            (false, true) => outer.to_owned(),
            (false, false) => format!("{outer}.{}", self.place),
        };
        self
    }
}

/// An action (or a tool call) that was refused. The environment is exactly as it was before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[serde(deny_unknown_fields)]
pub struct ActionError {
    /// Short stable name of the rule that was broken, in snake case (`negative_order`).
    pub code: Cow<'static, str>,
    /// What was wrong, where, and what would be right; one line, for the agent.
    pub message: String,
}

impl ActionError {
    /// A refusal named `code`, explained to the agent by `message`.
    ///
    /// The message is kept to one line of at most 1,000 characters, because it may quote what was
    /// sent, and that may be anything.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code: code.into(),
            message: one_line(&message, 1_000),
        }
    }

    /// The arguments of a tool call do not have the form that its schema asks for.
    pub fn bad_arguments(message: impl Into<String>) -> Self {
        Self::new("bad_arguments", message)
    }

    /// The tool does not exist; `offered` are the names that do.
    #[must_use]
    pub fn unknown_tool(tool: &str, offered: &[&str]) -> Self {
        Self::new(
            "unknown_tool",
            format!(
                "there is no tool `{}`; the tools are {}",
                clip(tool),
                offered.join(", ")
            ),
        )
    }

    /// The episode has ended, nothing more can be done in it.
    #[must_use]
    pub fn episode_over() -> Self {
        Self::new(
            "episode_over",
            "the episode is over; no further action is possible",
        )
    }
}

/// A snapshot that does not fit the environment it was handed to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("snapshot not usable at {place}: {message}")]
pub struct RestoreError {
    /// Path inside the snapshot.
    pub place: String,
    /// What does not fit.
    pub message: String,
}

/// A buffer whose length is not what the batch layout asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{buffer} has length {got}, the layout needs {needed}")]
pub struct ShapeError {
    /// Which buffer (`actions`, `obs`, `rewards`, `dones`).
    pub buffer: &'static str,
    /// Its length.
    pub got: usize,
    /// The length it must have.
    pub needed: usize,
}

impl ShapeError {
    /// Checks one buffer.
    ///
    /// # Errors
    /// When `got != needed`.
    pub fn check(buffer: &'static str, got: usize, needed: usize) -> Result<(), Self> {
        if got == needed {
            Ok(())
        } else {
            Err(Self {
                buffer,
                got,
                needed,
            })
        }
    }
}

/// Shortens agent-written text for an error message: at most 60 characters, control characters
/// shown as a space, so that a message stays one readable line whatever was sent.
#[must_use]
pub fn clip(text: &str) -> String {
    one_line(text, 60)
}

/// The first `most` characters of `text` in one line, for messages.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let mut out: String = text
        .chars()
        .take(most)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_nest_outwards() {
        let e = ConfigError::new("holding", "must not be negative").within("cost");
        assert_eq!(e.to_string(), "cost.holding: must not be negative");
        assert_eq!(
            ConfigError::new("", "not JSON").within("cost").to_string(),
            "cost: not JSON"
        );
    }

    #[test]
    fn clip_keeps_one_line() {
        assert_eq!(clip("a\nb"), "a b");
        assert_eq!(clip(&"x".repeat(61)).chars().count(), 61);
        assert_eq!(clip(&"x".repeat(60)), "x".repeat(60));
    }
}
