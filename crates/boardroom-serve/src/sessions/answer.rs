//! Answers to clients.

use serde_json::{Value, json};

/// An answer to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientAnswer {
    /// The text for the model.
    pub text: String,
    /// The text that follows if the turn continues.
    pub reminder: Option<String>,
    /// The same content and more as JSON.
    pub value: Value,
    /// Whether the call was refused.
    pub error: bool,
}

impl ClientAnswer {
    pub(crate) fn told(text: String, value: Value) -> Self {
        Self {
            text,
            reminder: None,
            value,
            error: false,
        }
    }

    pub(crate) fn refused(code: &str, message: impl Into<String>) -> Self {
        let text = message.into();
        let value = json!({"rejected": code, "message": text});
        Self {
            error: true,
            ..Self::told(text, value)
        }
    }
}
