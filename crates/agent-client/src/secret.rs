//! Keys, and keeping them out of everything that is written.

use crate::error::AgentError;
use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The key of an account. It prints as `[key]` and cannot be serialised.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// A key.
    ///
    /// # Errors
    /// When it holds characters that no HTTP header can carry. The message does not quote it.
    pub fn new(key: impl Into<String>) -> Result<Self, AgentError> {
        let key: String = key.into();
        let key = key.trim();
        if key.is_empty() || !key.bytes().all(|b| (0x21..0x7f).contains(&b)) {
            return Err(AgentError::setup(
                "the key is empty or holds blanks or signs that no header can carry",
            ));
        }
        Ok(Self(SecretString::from(key.to_owned())))
    }

    /// The key in the environment variable `name`, if it is set and not empty.
    ///
    /// # Errors
    /// When it holds characters that no HTTP header can carry.
    pub fn from_env(name: &str) -> Result<Option<Self>, AgentError> {
        match std::env::var(name) {
            Ok(key) if !key.trim().is_empty() => match Self::new(key) {
                Ok(key) => Ok(Some(key)),
                Err(e) => Err(AgentError::setup(format!("{name}: {}", e.message))),
            },
            _ => Ok(None),
        }
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Scrub::MARK)
    }
}

/// Replaces keys, plain or in base64, by `[key]` in text that is to be written: servers like to
/// quote the key that they refuse.
#[derive(Clone, Default)]
pub struct Scrub {
    needles: Arc<[SecretString]>,
}

impl Scrub {
    pub(crate) const MARK: &'static str = "[key]";
    /// Shorter words stand for "no key" at local servers and may occur in any text.
    const SHORTEST: usize = 8;

    /// A scrubber for these keys.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a ApiKey>) -> Self {
        let mut needles = Vec::new();
        for key in keys {
            let key = key.expose();
            if key.len() >= Self::SHORTEST {
                needles.push(SecretString::from(key.to_owned()));
                for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                    needles.extend((0..3).filter_map(|shift| inside(engine, key, shift)));
                }
            }
        }
        // Longer ones first: a short one may be part of them.
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.expose_secret().len()));
        Self {
            needles: needles.into(),
        }
    }

    /// `text` without keys.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for needle in &*self.needles {
            if out.contains(needle.expose_secret()) {
                out = out.replace(needle.expose_secret(), Self::MARK);
            }
        }
        out
    }

    /// `value` without keys in its strings and names.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(name, item)| (self.text(name), self.value(item)))
                .collect(),
            other => other.clone(),
        }
    }
}

/// What of `key` is the same in the base64 of every text in which it stands behind `shift` bytes
/// (modulo 3): all but the first and the last few characters.
fn inside(engine: &GeneralPurpose, key: &str, shift: usize) -> Option<SecretString> {
    let padded = format!("{}{key}", "-".repeat(shift));
    let encoded = engine.encode(&padded);
    let whole = padded.len() / 3 * 4;
    let first = [0, 2, 3].get(shift)?;
    encoded
        .get(*first..whole)
        .map(|part| SecretString::from(part.to_owned()))
}

impl fmt::Debug for Scrub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scrub")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_do_not_show() {
        let key = ApiKey::new("sk-test-0123456789").unwrap();
        assert_eq!(format!("{key:?} {key:#?}"), "[key] [key]");
        let scrub = Scrub::new([&key]);
        assert!(!format!("{scrub:?}").contains("0123"));
        let base64 = STANDARD_NO_PAD.encode("sk-test-0123456789");
        let dirty = json!({"a sk-test-0123456789": [format!("x{base64}="), 4, null]});
        assert_eq!(
            scrub.value(&dirty),
            json!({"a [key]": ["x[key]=", 4, null]})
        );
        let error = ApiKey::new("two words").unwrap_err();
        assert!(!error.to_string().contains("two"));
        assert!(
            ApiKey::from_env("BOARDROOM_NO_SUCH_VARIABLE")
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn short_placeholders_are_no_secrets() {
        let scrub = Scrub::new([&ApiKey::new("none").unwrap()]);
        assert_eq!(scrub.text("none of them"), "none of them");
    }
}
