//! One error type per phase: loading a configuration, acting, restoring, passing buffers.
//!
//! Messages are lower case, show the wrong value in backticks and say what is valid. Agents read
//! [`ActionError`]; its message helps the next attempt to succeed.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Display;

/// A configuration or an instance that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if place.is_empty() { String::new() } else { format!("{place}: ") })]
#[non_exhaustive]
pub struct ConfigError {
    /// Dotted path of the value at fault, empty when the whole input is (for example `cost.holding`).
    pub place: String,
    /// The fault and what is valid.
    pub message: String,
}

impl ConfigError {
    /// An error at `place`, a dotted path that may be empty.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }

    /// Checks that `low <= value <= high`. NaN is in no range.
    ///
    /// # Errors
    /// The error at `place`, which shows the value and the range.
    ///
    /// ```
    /// use sim_core::ConfigError;
    ///
    /// assert!(ConfigError::check_range("periods", 100, 1, 10_000).is_ok());
    /// let error = ConfigError::check_range("sigma", f64::NAN, 0.0, 0.99).expect_err("NaN");
    /// assert_eq!(error.to_string(), "sigma: `NaN` is out of range, it must be 0 to 0.99");
    /// ```
    pub fn check_range<T: PartialOrd + Display + Copy>(
        place: impl Display,
        value: T,
        low: T,
        high: T,
    ) -> Result<(), Self> {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        Err(Self::new(
            place.to_string(),
            format!("`{value}` is out of range, it must be {low} to {high}"),
        ))
    }

    /// The same error one level further out: `outer.place`.
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

/// The message for `what`, which needs the feature `feature` in a program that was built without it.
#[must_use]
pub fn feature_is_off(feature: &str, what: &str) -> String {
    format!(
        "{what} needs the feature `{feature}`, which this program was built without: \
         cargo build --release -p boardroom --features {feature}"
    )
}

/// A refused action or tool call. The environment is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[serde(deny_unknown_fields)]
pub struct ActionError {
    /// Short stable name of the rule that was broken, in snake case (`negative_order`).
    pub code: Cow<'static, str>,
    /// The fault, its place and what is valid; one line, for the agent.
    pub message: String,
}

impl ActionError {
    /// A refusal named `code`, explained to the agent by `message`.
    ///
    /// The message is cut to one line of at most 1,000 characters, because it may quote arbitrary input.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code: code.into(),
            message: one_line(&message, 1_000),
        }
    }

    /// The arguments of a tool call do not match its schema.
    pub fn bad_arguments(message: impl Into<String>) -> Self {
        Self::new("bad_arguments", message)
    }

    /// The tool does not exist; `offered` are the names of the tools that do.
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

    /// The episode has ended; no further action is possible.
    #[must_use]
    pub fn episode_over() -> Self {
        Self::new(
            "episode_over",
            "the episode is over; no further action is possible",
        )
    }
}

/// A snapshot that does not fit its environment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("snapshot not usable at {place}: {message}")]
pub struct RestoreError {
    /// Path inside the snapshot.
    pub place: String,
    /// The fault.
    pub message: String,
}

/// A buffer of the wrong length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{buffer} has length {got}, the layout needs {needed}")]
pub struct ShapeError {
    /// Name of the buffer (`actions`, `obs`, `rewards`, `dones`).
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

/// Shortens agent-written text for an error message: at most 60 characters, control characters replaced by
/// a space, so that the message stays one readable line.
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
