//! Last stage: the network.
//!
//! One call is one HTTP POST. Redirects are not followed and nothing is retried here. A proxy from the
//! environment is used, except for servers on this machine. The bytes that come back become an
//! [`Answer`] or a classified error, and API keys are removed from it before anything else sees it.

use super::{Answer, Call, Pending};
use crate::error::{AgentError, ErrorClass, one_line};
use crate::secret::ApiKey;
use crate::wire::ways::Way;
use crate::wire::{ApiKind, anthropic};
use address::{address, is_loopback, shown, versioned};
use body::unpacked;
use failure::{chain, is_of_the_system, reason};
use pause::{reset, retry_after, wall_clock};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use sim_core::scrub::Scrub;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::Service;

mod address;
mod body;
mod failure;
mod pause;

pub(crate) use address::{is_on_this_machine, names_version, secrets};
pub use body::Raw;

/// Time and size limits of an attempt.
///
/// Values are checked when a client is made: times above 0 and at most a day, sizes 1 byte to 128 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransportSettings {
    /// Time to connect \[s\] (default 10).
    pub connect_timeout: f64,
    /// Time for one attempt, from sending to the last byte \[s\] (default 300).
    pub attempt_timeout: f64,
    /// Largest answer \[bytes\] (default 8 MiB).
    pub largest_answer: usize,
}

impl TransportSettings {
    /// Longest timeout that may be set \[s\]: one day.
    pub const LONGEST_TIMEOUT: f64 = 86_400.0;

    /// Largest value of `largest_answer` \[bytes\]: several copies of an answer are held in memory.
    pub const MOST_BYTES: usize = 128 * 1024 * 1024;
}

impl Default for TransportSettings {
    fn default() -> Self {
        Self {
            connect_timeout: 10.0,
            attempt_timeout: 300.0,
            largest_answer: 8 * 1024 * 1024,
        }
    }
}

/// Sends calls over HTTP.
#[derive(Clone)]
pub struct Transport {
    client: reqwest::Client,
    kind: ApiKind,
    address: reqwest::Url,
    /// The address with `/v1`, if it has none.
    versioned: reqwest::Url,
    /// The base address as messages show it.
    shown: String,
    headers: HeaderMap,
    /// The same with the key in the other header.
    other_headers: HeaderMap,
    settings: TransportSettings,
    scrub: Scrub,
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password and the headers hold the key.
        f.debug_struct("Transport")
            .field("host", &self.address.host_str())
            .finish_non_exhaustive()
    }
}

impl Transport {
    /// A transport to the server of `kind` at `base` (such as `http://127.0.0.1:8080/v1`).
    ///
    /// # Errors
    /// When the address cannot be used.
    ///
    /// The path of the API is appended to the path of `base`. `https` needs the feature `tls`. The key is sent as
    /// `authorization: Bearer` or `x-api-key`, as the API wants it, and is never printed.
    pub fn new(
        kind: ApiKind,
        base: &str,
        key: Option<&ApiKey>,
        settings: TransportSettings,
        scrub: Scrub,
    ) -> Result<Self, AgentError> {
        let address = address(kind, base)?;
        // Azure takes a key in a header of its own; there, `authorization` is for other credentials.
        let is_azure = address
            .host_str()
            .is_some_and(|host| host.ends_with(".azure.com"));
        let headers = headers(kind, key, is_azure)?;
        let other_headers = self::headers(kind, key, !is_azure)?;
        let seconds = |name: &str, s: f64| {
            let most = TransportSettings::LONGEST_TIMEOUT;
            Duration::try_from_secs_f64(s)
                .ok()
                .filter(|d| !d.is_zero() && s <= most)
                .ok_or_else(|| {
                    AgentError::setup(format!(
                        "{name} must be more than 0 and at most {most} seconds, not `{s}`"
                    ))
                })
        };
        let most = TransportSettings::MOST_BYTES;
        if !(1..=most).contains(&settings.largest_answer) {
            return Err(AgentError::setup(format!(
                "largest_answer must be 1 to {most} bytes, not `{}`",
                settings.largest_answer
            )));
        }
        let mut builder = reqwest::Client::builder();
        if is_loopback(&address) {
            builder = builder.no_proxy();
        }
        #[cfg(feature = "tls")]
        {
            builder = builder
                .tls_backend_preconfigured(super::tls::client_config(address.scheme() == "https")?);
        }
        let client = builder
            .connect_timeout(seconds("connect_timeout", settings.connect_timeout)?)
            .timeout(seconds("attempt_timeout", settings.attempt_timeout)?)
            // A redirect would send the chat to a host that the user did not name.
            .redirect(reqwest::redirect::Policy::none())
            // The retry stage counts attempts and makes pauses; attempts in here would be counted
            // by nobody.
            .retry(reqwest::retry::never())
            .build()
            .map_err(|e| {
                AgentError::setup(format!(
                    "the HTTP client cannot be made: {}",
                    e.without_url()
                ))
            })?;
        Ok(Self {
            client,
            kind,
            shown: shown(kind, &address, &scrub),
            versioned: versioned(kind, &address),
            address,
            headers,
            other_headers,
            settings,
            scrub,
        })
    }

    /// Sends the call and reads the whole answer, up to the largest size.
    async fn send(self, call: Call) -> Result<Answer, AgentError> {
        let request = self
            .client
            .post(match call.ways.contains(&Way::V1) {
                true => self.versioned.clone(),
                false => self.address.clone(),
            })
            .headers(match call.ways.contains(&Way::KeyHeader) {
                true => self.other_headers.clone(),
                false => self.headers.clone(),
            })
            .body(whole_reply(&call));
        let mut response = request.send().await.map_err(|e| self.failure(e))?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers(), wall_clock);
        let reset = reset(response.headers(), wall_clock);
        // LiteLLM says what a reply cost in a head line alone.
        let cost = response.headers().get("x-litellm-response-cost");
        let cost = cost.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let encoding = response.headers().get(CONTENT_ENCODING);
        let encoding = encoding.and_then(|value| value.to_str().ok());
        let encoding = encoding.unwrap_or_default().trim().to_owned();
        let mut body = Vec::new();
        // Chunk by chunk: a server may send without end, and a header with the length may be
        // missing or wrong.
        while let Some(chunk) = response.chunk().await.map_err(|e| self.failure(e))? {
            if body.len().saturating_add(chunk.len()) > self.settings.largest_answer {
                let mut error = AgentError::new(
                    ErrorClass::Oversized,
                    format!(
                        "the answer is larger than {} bytes",
                        self.settings.largest_answer
                    ),
                );
                error.status = Some(status);
                return Err(error);
            }
            body.extend_from_slice(&chunk);
        }
        let body = unpacked(body, &encoding, self.settings.largest_answer);
        let raw = Raw {
            status,
            body,
            retry_after,
            reset,
            cost,
        };
        let answer = raw.read(&call, &self.scrub).map_err(|mut error| {
            let known = ["", "identity", "gzip", "x-gzip", "deflate"];
            if error.class == ErrorClass::Garbled && !known.contains(&&*encoding.to_lowercase()) {
                error.message = format!(
                    "the answer is compressed (content-encoding: {}), although the request asks for none that is",
                    one_line(&encoding, 40)
                );
            }
            error
        });
        answer.map_err(|e| self.located(e))
    }

    /// The same failure; if the answer is not a reply or the server has no such model or path, the message also
    /// names the address, which may be the wrong one.
    fn located(&self, mut error: AgentError) -> AgentError {
        let may_be_wrong = matches!(error.class, ErrorClass::Garbled | ErrorClass::NotFound);
        if may_be_wrong || error.status == Some(404) {
            let (what, base, path) = (&error.message, &self.shown, self.kind.path());
            let who = match error.class == ErrorClass::Garbled && error.words == "page" {
                true => "; a proxy or a login may have answered in place of the server",
                false => "",
            };
            error.message = one_line(&format!("{what}{who}; the address is {base}/{path}"), 400);
        }
        error
    }

    /// The class of a failure below HTTP, and what happened in one sentence.
    fn failure(&self, error: reqwest::Error) -> AgentError {
        #[cfg(feature = "tls")]
        let (refused, plain) = (
            super::tls::is_refused_certificate(&error),
            super::tls::is_not_tls(&error),
        );
        #[cfg(not(feature = "tls"))]
        let (refused, plain) = (false, false);
        // Not transient: another attempt would meet the same certificate.
        let class = if refused || plain {
            ErrorClass::Setup
        } else if error.is_timeout() {
            ErrorClass::Timeout
        } else if error.is_connect() {
            ErrorClass::Connect
        } else if error.is_builder() {
            ErrorClass::Setup
        } else {
            ErrorClass::Reset
        };
        let is_connect = error.is_connect();
        // The address may hold a password.
        let error = error.without_url();
        let base = &self.shown;
        let message = match class {
            _ if plain => format!(
                "the server at {base} does not speak TLS; try http:// in {}",
                self.kind.base_variable()
            ),
            // The whole chain: which part of the settings is wrong may be named anywhere in it.
            ErrorClass::Setup => chain(&error),
            ErrorClass::Timeout if is_connect => {
                format!("no server answers at {base} in time; {}", self.advice())
            }
            ErrorClass::Timeout => format!(
                "the whole answer of the server at {base} did not come in time (an attempt may take {} seconds)",
                self.settings.attempt_timeout
            ),
            ErrorClass::Connect if is_of_the_system(&error) => format!(
                "no server answers at {base} ({}); {}",
                reason(&error),
                self.advice()
            ),
            // The name of the host is not known, or something else than such a server answers.
            ErrorClass::Connect => format!(
                "no connection to {base} ({}); {}",
                reason(&error),
                self.advice()
            ),
            _ => format!(
                "the connection to the server at {base} broke before the answer was complete ({})",
                reason(&error)
            ),
        };
        AgentError::new(class, &*self.scrub.text(&message))
    }

    /// What to check if no connection is established.
    fn advice(&self) -> String {
        let variable = self.kind.base_variable();
        if is_loopback(&self.address) {
            format!("check {variable}")
        } else {
            // The refusal may be that of the proxy, which the failure does not name.
            format!("check {variable}, the network and the proxy, if there is one")
        }
    }
}

/// The bytes of a request, which asks for the reply in one piece: some gateways stream unless they are told so.
/// It does not belong to the call, whose key must not depend on it.
fn whole_reply(call: &Call) -> String {
    match call.text.strip_suffix('}') {
        // Appended to the text, in which the field cannot stand already: a dialect may not set it.
        Some(rest) if call.dialect.kind != ApiKind::Embeddings => {
            format!("{rest},\"stream\":false}}")
        }
        _ => call.text.to_string(),
    }
}

impl Service<Call> for Transport {
    type Response = Answer;
    type Error = AgentError;
    type Future = Pending<Answer>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AgentError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let transport = self.clone();
        Box::pin(async move {
            let in_flight = call.in_flight.clone();
            in_flight.begin()?;
            let outcome = transport.send(call).await;
            if outcome.is_err() {
                in_flight.fail();
            }
            outcome
        })
    }
}

/// The headers of a request; with `other` the key is in the header that the other kind of server reads.
fn headers(kind: ApiKind, key: Option<&ApiKey>, other: bool) -> Result<HeaderMap, AgentError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Without this header a server may answer in any encoding (RFC 9110, 12.5.3); some take brotli.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(key) = key {
        let (name, value) = match (kind, other) {
            (ApiKind::OpenAi | ApiKind::Embeddings, true) => ("api-key", key.expose().to_owned()),
            (ApiKind::Anthropic, false) => ("x-api-key", key.expose().to_owned()),
            _ => ("authorization", format!("Bearer {}", key.expose())),
        };
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| AgentError::setup("the key cannot be sent in a header"))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    if kind == ApiKind::Anthropic {
        let version = HeaderValue::from_static(anthropic::VERSION);
        headers.insert("anthropic-version", version);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn azure_takes_the_key_in_a_header_of_its_own() {
        let key = ApiKey::new("sk-0123456789").unwrap();
        let named = |kind, base: &str| {
            let settings = TransportSettings::default();
            let made = Transport::new(kind, base, Some(&key), settings, Scrub::default());
            let made = made.unwrap();
            let of = |headers: &HeaderMap| {
                let names = ["authorization", "api-key", "x-api-key"];
                let found = names.into_iter().filter(|name| headers.contains_key(*name));
                found.collect::<Vec<_>>().join(" ")
            };
            (of(&made.headers), of(&made.other_headers))
        };
        let both = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        for (kind, base, expected) in [
            (
                ApiKind::OpenAi,
                "http://res.openai.azure.com/openai/v1",
                both("api-key", "authorization"),
            ),
            (
                ApiKind::OpenAi,
                "http://127.0.0.1:1/v1",
                both("authorization", "api-key"),
            ),
            (
                ApiKind::OpenAi,
                "http://azure.com.example/v1",
                both("authorization", "api-key"),
            ),
            (
                ApiKind::Anthropic,
                "http://127.0.0.1:1/v1",
                both("x-api-key", "authorization"),
            ),
        ] {
            assert_eq!(named(kind, base), expected, "{base}");
        }
    }
}
