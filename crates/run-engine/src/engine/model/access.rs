//! How the models of a run were reached, so that a plain `resume` reaches them again: addresses and names of
//! environment variables, never a key.

use crate::error::RunError;
use crate::error::json;
use crate::files::{regular, run_file};
use crate::plan::model::RunBudget;
use crate::run_dir::ACCESS;
use crate::secrets;
use agent_client::client::ClientSettings;
use agent_client::layer::retry::RetrySettings;
use agent_client::wire::{ApiKind, Dialect};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The content of `access.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Access {
    /// The servers, one for each API.
    servers: Vec<ServerAccess>,
    /// The price file, as it was named last; the prices are in `prices.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prices: Option<PathBuf>,
    /// Longest time for one attempt at a request \[s\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout: Option<f64>,
    /// How often a failed request is sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retries: Option<u32>,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerAccess {
    /// Its API.
    api: ApiKind,
    /// Its base address; absent if it holds a password or a query, which may be secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    /// The variable that names the base address.
    base_variable: String,
    /// The variable that holds the key, if one was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_variable: Option<String>,
}

impl Access {
    /// What is known of the run in `dir`; nothing if it has no such file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn of(dir: Option<&Path>) -> Result<Self, RunError> {
        let kept = dir.map(|dir| run_file::read(&dir.join(ACCESS), regular::MOST_TOML));
        Ok(kept.transpose()?.flatten().unwrap_or_default())
    }

    /// The settings of a client of `dialect`: as the environment and `means` say, else as before.
    ///
    /// # Errors
    /// When the server cannot be reached in this way, such as without a key, or its address is not known.
    pub(crate) fn settings(
        &self,
        dialect: &Dialect,
        means: &RunBudget,
    ) -> Result<ClientSettings, RunError> {
        let kept = self
            .servers
            .iter()
            .find(|server| server.api == dialect.kind);
        let base = kept.and_then(|server| server.base.as_deref());
        let variable = dialect.kind.base_variable();
        let named = std::env::var_os(variable);
        let is_named = named.is_some_and(|base| !base.to_string_lossy().trim().is_empty());
        // Otherwise the requests, and the key, would go to the provider, whom nobody named.
        if kept.is_some() && base.is_none() && !is_named {
            return Err(RunError::usage(format!(
                "the run began at an address that is not kept, because it may hold a password or a key; \
                 set {variable} to it"
            )));
        }
        let mut settings = ClientSettings::from_env_or(dialect.clone(), base)
            .map_err(|e| RunError::usage(e.to_string()))?;
        if let Some(seconds) = means.timeout.or(self.timeout) {
            settings.transport.attempt_timeout = seconds;
        }
        if let Some(retries) = means.retries.or(self.retries) {
            let attempts = retries.saturating_add(1);
            // As many as are asked for, also if each fails alike.
            settings.retry = RetrySettings {
                attempts,
                identical: attempts,
                ..settings.retry
            };
        }
        Ok(settings)
    }

    /// Writes how this process reaches its models into `dir`, if that is new.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn keep(
        &self,
        dir: &Path,
        settings: &[ClientSettings],
        means: &RunBudget,
    ) -> Result<(), RunError> {
        let mut now = self.clone();
        for client in settings {
            // One server for each API and not for each model: the variables of the environment, which name the
            // addresses, are those of an API.
            let api = client.dialect.kind;
            now.servers.retain(|server| server.api != api);
            now.servers.push(ServerAccess {
                api,
                base: Some(client.base.clone()).filter(|base| is_public(base)),
                base_variable: api.base_variable().to_owned(),
                key_variable: client.key.as_ref().map(|_| api.key_variable().to_owned()),
            });
        }
        now.servers.sort_by_key(|server| server.api);
        now.prices = means.prices.clone().or(now.prices);
        now.timeout = means.timeout.or(now.timeout);
        now.retries = means.retries.or(now.retries);
        if now == *self {
            return Ok(());
        }
        run_file::replace(&dir.join(ACCESS), &(json(&now)? + "\n"), true)
    }
}

/// Whether an address holds nothing that may be secret: no password, no query, no key.
fn is_public(base: &str) -> bool {
    // `@` comes after a password, and `?` and `#` before parts in which some gateways take a key.
    // The scrubber alone is not enough: it knows only the keys in the environment of this process.
    !base.contains(['@', '?', '#']) && secrets::scrub().text(base) == base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_secrets_are_not_kept() {
        for (base, public) in [
            ("http://127.0.0.1:8080/v1", true),
            ("https://me:word@host/v1", false),
            ("https://host/v1?key=3", false),
        ] {
            assert_eq!(is_public(base), public, "{base}");
        }
    }

    #[test]
    fn an_address_that_was_not_kept_is_asked_for() {
        let dialect = Dialect::new(ApiKind::Anthropic, "m");
        let kept = Access {
            servers: vec![ServerAccess {
                api: ApiKind::Anthropic,
                base: None,
                base_variable: "ANTHROPIC_BASE_URL".to_owned(),
                key_variable: Some("ANTHROPIC_API_KEY".to_owned()),
            }],
            ..Access::default()
        };
        let error = kept.settings(&dialect, &RunBudget::default()).unwrap_err();
        assert!(error.to_string().contains("not kept"), "{error}");
    }

    #[test]
    fn what_is_named_now_goes_before_what_was_kept() {
        let dialect = Dialect::new(ApiKind::OpenAi, "m");
        let kept = Access {
            servers: vec![ServerAccess {
                api: ApiKind::OpenAi,
                base: Some("http://127.0.0.1:9/v1".to_owned()),
                base_variable: "OPENAI_BASE_URL".to_owned(),
                key_variable: None,
            }],
            timeout: Some(20.0),
            retries: Some(0),
            ..Access::default()
        };
        let means = RunBudget {
            timeout: Some(5.0),
            ..RunBudget::default()
        };
        let settings = kept.settings(&dialect, &means).unwrap();
        assert_eq!(settings.transport.attempt_timeout, 5.0);
        assert_eq!((settings.retry.attempts, settings.retry.identical), (1, 1));
        let dir = tempfile::tempdir().unwrap();
        kept.keep(dir.path(), &[settings], &means).unwrap();
        let again = Access::of(Some(dir.path())).unwrap();
        assert_eq!((again.timeout, again.retries), (Some(5.0), Some(0)));
    }
}
