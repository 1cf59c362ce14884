//! API keys. [`sim_core::scrub`] keeps them out of everything that is written or shown.
//!
//! ```
//! use agent_client::secret::ApiKey;
//! let key = ApiKey::new("a-secret-of-some-length")?;
//! assert_eq!(format!("{key:?}"), "[key]");
//! let scrub = ApiKey::scrub([&key]);
//! assert_eq!(scrub.text("sent a-secret-of-some-length"), "sent [key]");
//! # Ok::<(), agent_client::AgentError>(())
//! ```

use crate::error::AgentError;
use secrecy::{ExposeSecret, SecretString};
use sim_core::scrub::Scrub;
use std::env::VarError;
use std::fmt;

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
        // Keys are copied with a line end more often than without one.
        let key = key.trim();
        // Checked here, because the error of the HTTP library would quote the key.
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
        let Some(key) = variable(name)? else {
            return Ok(None);
        };
        Self::new(key)
            .map(Some)
            .map_err(|e| AgentError::setup(format!("{name}: {}", e.message)))
    }

    /// A scrubber for these keys.
    ///
    /// Pass it to every cassette and cache of the run; the client scrubs replies with it, too.
    pub fn scrub<'a>(keys: impl IntoIterator<Item = &'a Self>) -> Scrub {
        Scrub::new(keys.into_iter().map(Self::expose))
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// The environment variable `name`; `None` if it is not set or blank.
///
/// # Errors
/// When it is not Unicode: to ignore it would mean to use another server or key than the user named.
pub(crate) fn variable(name: &str) -> Result<Option<String>, AgentError> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(AgentError::setup(format!("{name} is not valid Unicode")))
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Scrub::MARK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_show() {
        let key = ApiKey::new("sk-test-0123456789").unwrap();
        assert_eq!(format!("{key:?} {key:#?}"), "[key] [key]");
        let error = ApiKey::new("two words").unwrap_err();
        assert!(!error.to_string().contains("two"));
        assert!(
            ApiKey::from_env("BOARDROOM_NO_SUCH_VARIABLE")
                .unwrap()
                .is_none()
        );
    }

    /// The words that agents are told.
    #[test]
    fn prompts_stay_as_they_are() {
        for key in KEYS {
            let scrub = Scrub::new([key]);
            for (_, text) in crate::prompt::TEMPLATES {
                assert_eq!(scrub.text(text), *text, "{key}");
            }
        }
    }

    const KEYS: [&str; 8] = [
        "sk-test-0123456789abcdefghij",
        "sk-live-Zb81kQ0pLr7xW2",
        "sk-ant-api03-xR_7-kQw9ZtLm2Vb8Yc4Nd6Hf0Jg1Ps3Au5Ei7OoTlKq-wAA",
        "9f86d081884c7d659a2feaa0c55ad015",
        "hV4~k.9Zq/2w+T=x",
        "sk-no-key-required",
        "password1",
        "my-secret-key",
    ];
}
