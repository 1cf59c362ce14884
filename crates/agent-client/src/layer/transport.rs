//! Last stage: the network.
//!
//! One call is one HTTP POST. Redirects are not followed and nothing is retried here. A proxy from the
//! environment is used, except for servers on this machine. The bytes that come back become an
//! [`Answer`] or a classified error, and API keys are removed from it before anything else sees it.

use super::clean::clean;
use super::{Answer, Call, Final, Pending};
use crate::error::{AgentError, ErrorClass, one_line};
use crate::json_text;
use crate::reply::ReplySource;
use crate::secret::ApiKey;
use crate::wire::ways::Way;
use crate::wire::{ApiKind, anthropic, fault, stream};
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::error::feature_is_off;
use sim_core::scrub::Scrub;
use std::io::Read as _;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};
use tower::Service;

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

/// An answer as it came over the wire.
#[derive(Debug, Clone)]
pub struct Raw {
    /// HTTP status.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
}

impl Raw {
    /// A final answer to `call` without API keys, or the failure of the attempt.
    ///
    /// # Errors
    /// The failure, classified.
    pub fn read(&self, call: &Call, scrub: &Scrub) -> Result<Answer, AgentError> {
        let status = self.status;
        let fail = |class: ErrorClass, message: String| {
            let mut error = AgentError::new(class, message);
            error.status = Some(status);
            error.retry_after = self.retry_after;
            error
        };
        let body = if (200..300).contains(&status) {
            // Lossy on what nobody reads: a reply that was paid for is not lost to one byte in a name.
            let text = String::from_utf8_lossy(&self.body);
            if stream::is_stream(&text) {
                stream::joined(&text).map_err(|what| fail(ErrorClass::Garbled, what))
            } else {
                json_text::body(&text).map_err(|e| {
                    let mut error = fail(ErrorClass::Garbled, not_json(&text, &e, scrub));
                    if text.trim_start().starts_with('<') {
                        // For the stage that looks for the right address.
                        "page".clone_into(&mut error.words);
                    }
                    error
                })
            }?
        } else {
            // Scrub before truncating the message: half a key is hard to find.
            let text = String::from_utf8_lossy(&self.body);
            let text = scrub.line(&text);
            let fault = fault::of_status(status, text.as_bytes());
            if !fault.class.is_an_answer() && fault.generation.is_none() {
                let mut error = fail(fault.class, fault.message);
                error.retry_after = self.retry_after.or(fault.retry_after);
                error.words = fault.words;
                return Err(error);
            }
            json_text::lossy(&text).unwrap_or_else(|_| Value::String(text.into_owned()))
        };
        let answer = Final { status, body };
        let answer = clean(call, answer, scrub);
        let answer = Answer::new(call, answer, ReplySource::Server, 1);
        match answer.reply {
            Err(error) if !error.class.is_an_answer() => Err(AgentError {
                retry_after: self.retry_after.or(error.retry_after),
                ..error
            }),
            _ => Ok(answer),
        }
    }
}

/// Why `text`, which `error` refuses, is no answer.
fn not_json(text: &str, error: &serde_json::Error, scrub: &Scrub) -> String {
    let begun = text.trim_start();
    if begun.is_empty() {
        return "the answer is empty".to_owned();
    }
    // The place of the mistake says more about damaged JSON than its beginning does.
    if begun.starts_with(['{', '[']) {
        return format!("the answer is not taken as JSON: {error}");
    }
    // A page or a stream of events: a wrong address or another kind of server. Scrub before truncating, because half
    // a key is hard to find.
    let clean = scrub.text(begun);
    format!(
        "the answer is not JSON but begins with `{}`",
        one_line(&clean, SHOWN_ANSWER)
    )
}

/// Number of characters that a message shows of an answer that is not JSON.
const SHOWN_ANSWER: usize = 60;

/// Number of characters that a message shows of an address.
const SHOWN_ADDRESS: usize = 160;

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
            .retry(reqwest::retry::never())
            .build()
            .map_err(|e| AgentError::setup(format!("no HTTP client: {}", e.without_url())))?;
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
        let mut body = Vec::new();
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
        let body = unpacked(body, self.settings.largest_answer);
        let raw = Raw {
            status,
            body,
            retry_after,
        };
        raw.read(&call, &self.scrub).map_err(|e| self.located(e))
    }

    /// The same failure; if the answer is not a reply or the server has no such model or path, the message also
    /// names the address, which may be the wrong one.
    fn located(&self, mut error: AgentError) -> AgentError {
        if matches!(error.class, ErrorClass::Garbled | ErrorClass::NotFound) {
            let (what, base, path) = (&error.message, &self.shown, self.kind.path());
            error.message = one_line(&format!("{what}; the address is {base}/{path}"), 400);
        }
        error
    }

    /// The class of a failure below HTTP, and what happened in one sentence.
    fn failure(&self, error: reqwest::Error) -> AgentError {
        #[cfg(feature = "tls")]
        let refused = super::tls::is_refused_certificate(&error);
        #[cfg(not(feature = "tls"))]
        let refused = false;
        // Not transient: another attempt would meet the same certificate.
        let class = if refused {
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
            // The name of the host is not known, or something answers that is no such server.
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
        Some(rest) if call.dialect.kind != ApiKind::Embeddings => {
            format!("{rest},\"stream\":false}}")
        }
        _ => call.text.to_string(),
    }
}

/// The failure and the failures that caused it, from the outside to the inside.
fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

/// All causes of a failure in one line.
fn chain(error: &reqwest::Error) -> String {
    causes(error)
        .map(ToString::to_string)
        .reduce(|message, text| match message.contains(&text) {
            true => message,
            false => format!("{message}: {text}"),
        })
        .unwrap_or_default()
}

/// The innermost cause of a failure, without the number that the system gives it.
fn reason(error: &reqwest::Error) -> String {
    let text = causes(error).last().map(ToString::to_string);
    let text = text.unwrap_or_default();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Whether the operating system reported the failure, such as a refused connection.
fn is_of_the_system(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.raw_os_error().is_some())
    })
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

/// The address of the API below `base`; refuses schemes that this build cannot use.
fn address(kind: ApiKind, base: &str) -> Result<reqwest::Url, AgentError> {
    let wrong = |why: &str| {
        AgentError::setup(format!(
            "the base address is unusable ({why}); write it like http://127.0.0.1:8080/v1"
        ))
    };
    let mut url = reqwest::Url::parse(base.trim()).map_err(|e| wrong(&e.to_string()))?;
    let path = format!("{}/{}", url.path().trim_end_matches('/'), kind.path());
    url.set_path(&path);
    match url.scheme() {
        "http" => Ok(url),
        "https" if cfg!(feature = "tls") => Ok(url),
        "https" => Err(AgentError::setup(feature_is_off(
            "tls",
            "an address that begins with https://",
        ))),
        other => Err(wrong(&format!("`{other}:` is not http or https"))),
    }
}

/// The headers of a request; with `other` the key is in the header that the other kind of server reads.
fn headers(kind: ApiKind, key: Option<&ApiKey>, other: bool) -> Result<HeaderMap, AgentError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
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

/// Whether a part of an address names a version (`v1`, `v1beta`).
pub(crate) fn names_version(address: &str) -> bool {
    address.split('/').any(|part| {
        let number = part.strip_prefix('v').unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// `address` with `/v1` before the path of the API, unless its path names a version.
fn versioned(kind: ApiKind, address: &reqwest::Url) -> reqwest::Url {
    let mut url = address.clone();
    let base = url
        .path()
        .strip_suffix(kind.path())
        .unwrap_or_default()
        .trim_end_matches('/');
    if !names_version(base) {
        let path = format!("{base}/v1/{}", kind.path());
        url.set_path(&path);
    }
    url
}

/// A body that a gateway compressed although nobody asked for it (gzip); any other body as it is.
fn unpacked(body: Vec<u8>, most: usize) -> Vec<u8> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return body;
    }
    let mut out = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let read = flate2::read::MultiGzDecoder::new(&*body)
        .take(limit)
        .read_to_end(&mut out);
    match read {
        Ok(length) if length <= most => out,
        _ => body,
    }
}

/// The base address of `address` for messages: made only of scheme, host, port and path, because user, password and
/// query may be secret.
fn shown(kind: ApiKind, address: &reqwest::Url, scrub: &Scrub) -> String {
    let path = address.path();
    let rest = [Some(path), address.query(), address.fragment()];
    // A password with a slash makes its beginning the host, and its end a part of the path.
    if rest.into_iter().flatten().any(|part| part.contains('@')) {
        return "the address that was given".to_owned();
    }
    let path = path.strip_suffix(kind.path()).unwrap_or(path);
    let (scheme, host) = (address.scheme(), address.host_str().unwrap_or_default());
    let port = address.port().map(|port| format!(":{port}"));
    let text = format!("{scheme}://{host}{}{path}", port.unwrap_or_default());
    one_line(&scrub.text(text.trim_end_matches('/')), SHOWN_ADDRESS)
}

/// Whether the base address `base` leads to this machine.
pub(crate) fn is_on_this_machine(base: &str) -> bool {
    reqwest::Url::parse(base.trim()).is_ok_and(|url| is_loopback(&url))
}

/// Whether the server is this machine, which no proxy can reach for us.
fn is_loopback(address: &reqwest::Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

/// The pause that the server asks for: `retry-after-ms`, seconds, or a date.
///
/// A date is compared with the server's own `Date`, so that its clock and ours may differ; our
/// clock is used only if there is no `Date`.
fn retry_after(headers: &HeaderMap, now: fn() -> SystemTime) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|v| v.to_str().ok())
            .map(str::trim)
    };
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| *n >= 0.0);
    // A pause of 0, or one that is over, says nothing: the own, growing pause is taken.
    let pause = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|d| !d.is_zero())
    };
    if let Some(pause) = text("retry-after-ms")
        .and_then(number)
        .and_then(|ms| pause(ms / 1_000.0))
    {
        return Some(pause);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Some(seconds) = number(value) {
        return pause(seconds);
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let from = text(DATE.as_str())
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or_else(now);
    until
        .duration_since(from)
        .ok()
        .filter(|pause| !pause.is_zero())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a server's Retry-After may be a date; no result depends on it"
)]
fn wall_clock() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use crate::request::{ModelRole, Request, Slot};
    use crate::tokens::{CountName, Refusal, RefusedCount};
    use crate::wire::Dialect;
    use serde_json::json;
    use std::sync::Arc;

    const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

    fn classified(kind: ApiKind, body: &str, scrub: &Scrub) -> Result<Answer, AgentError> {
        let asked = Message::User {
            text: "order".to_owned(),
        };
        let request = Request::new(ModelRole::Agent, Slot::new("episode-0"), vec![asked]);
        let call = Call::new(&Arc::new(Dialect::new(kind, "m")), &request);
        let raw = Raw {
            status: 200,
            body: body.as_bytes().to_vec(),
            retry_after: None,
        };
        raw.read(&call, scrub)
    }

    /// A reply that calls a tool with `arguments` as an object.
    fn calling(kind: ApiKind, arguments: &str) -> String {
        match kind {
            ApiKind::OpenAi => format!(
                r#"{{"choices": [{{"message": {{"tool_calls": [{{"id": "1", "type": "function",
                "function": {{"name": "order", "arguments": {arguments}}}}}]}}}}]}}"#
            ),
            ApiKind::Anthropic => format!(
                r#"{{"content": [{{"type": "tool_use", "id": "1", "name": "order",
                "input": {arguments}}}]}}"#
            ),
            ApiKind::Embeddings => r#"{"data": []}"#.to_owned(),
        }
    }

    #[test]
    fn a_reply_that_names_a_key_twice_or_holds_too_many_values_is_asked_again() {
        for kind in [ApiKind::OpenAi, ApiKind::Anthropic] {
            let class = |arguments: &str| {
                let answer = classified(kind, &calling(kind, arguments), &Scrub::default());
                answer.map_err(|error| error.class).err()
            };
            assert_eq!(class(r#"{"papers": 4}"#), None);
            let twice = r#"{"papers": 4, "papers": 400}"#;
            assert_eq!(class(twice), Some(ErrorClass::Garbled));
            let many = format!("{{\"papers\": [{}0]}}", "0,".repeat(100_000));
            assert_eq!(class(&many), Some(ErrorClass::Garbled));
        }
        assert!(ErrorClass::Garbled.is_transient());
    }

    #[test]
    fn a_refused_count_is_noted_also_where_the_reply_holds_a_key() {
        let scrub = Scrub::new([KEY]);
        let bad = [
            (json!(-1), Refusal::Negative),
            (json!(1.5), Refusal::Fractional),
            (json!(2_000_000_000), Refusal::AboveLimit),
            (json!("many"), Refusal::NotANumber),
        ];
        for (count, reason) in bad {
            let openai = json!({
                "choices": [{"message": {"content": KEY}}],
                "usage": {"prompt_tokens": 7, "completion_tokens": count},
            });
            let anthropic = json!({
                "content": [{"type": "text", "text": KEY}],
                "usage": {"input_tokens": 7, "output_tokens": count},
            });
            for (kind, body) in [(ApiKind::OpenAi, openai), (ApiKind::Anthropic, anthropic)] {
                let answer = classified(kind, &body.to_string(), &scrub).unwrap();
                let reply = answer.reply.unwrap();
                assert_eq!(reply.said.text, "[key]");
                let output = RefusedCount {
                    count: CountName::Output,
                    reason,
                };
                assert_eq!(reply.refused, [output], "{kind}");
                assert_eq!((reply.usage.input, reply.usage.estimated), (7, true));
            }
        }
        // A part that is larger than the whole.
        let body = json!({
            "choices": [{"message": {"content": KEY}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3,
                "prompt_tokens_details": {"cached_tokens": 8}},
        });
        let answer = classified(ApiKind::OpenAi, &body.to_string(), &scrub).unwrap();
        let cached = RefusedCount {
            count: CountName::Cached,
            reason: Refusal::AboveTotal,
        };
        assert_eq!(answer.reply.unwrap().refused, [cached]);
    }

    #[test]
    fn retry_after_is_read_in_all_forms() {
        let now = || SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        type Case = (&'static [(&'static str, &'static str)], Option<u64>);
        let cases: &[Case] = &[
            (&[("retry-after", "2")], Some(2_000)),
            (&[("retry-after", " 0.25 ")], Some(250)),
            (&[("retry-after", "9"), ("retry-after-ms", "30")], Some(30)),
            // RFC 9110, 5.6.7: this date is 784111777.
            (
                &[("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")],
                Some(3_000),
            ),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")], None),
            (&[("retry-after", "0")], None),
            (
                &[("retry-after", "9"), ("retry-after-ms", "0")],
                Some(9_000),
            ),
            (
                &[
                    ("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT"),
                    ("date", "Sun, 06 Nov 1994 08:49:55 GMT"),
                ],
                Some(5_000),
            ),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[], None),
        ];
        for (fields, expected) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in *fields {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            let found = retry_after(&headers, now).map(|d| d.as_millis());
            assert_eq!(found, expected.map(u128::from), "{fields:?}");
        }
    }

    #[test]
    fn an_answer_that_is_not_json_is_shown() {
        let scrub = Scrub::new([KEY]);
        let message = |body: &str| {
            let error = classified(ApiKind::OpenAi, body, &scrub).unwrap_err();
            assert_eq!(error.class, ErrorClass::Garbled, "{body}");
            error.message
        };
        assert_eq!(
            message("\n<!DOCTYPE html>\n<html>  <p>hello</p></html>"),
            "the answer is not JSON but begins with `<!DOCTYPE html> <html> <p>hello</p></html>`"
        );
        assert_eq!(message(" \n"), "the answer is empty");
        let cut = message("{\"choices\": [");
        assert!(
            cut.starts_with("the answer is not taken as JSON: EOF"),
            "{cut}"
        );
        // The key begins before the place where the answer is truncated.
        for blanks in 30..70 {
            let page = format!("<html>{}{KEY}</html>", "x".repeat(blanks));
            let message = message(&page);
            assert!(!message.contains("sk-live"), "{message}");
            let shown = message.split('`').nth(1).unwrap().chars().count();
            assert!(shown <= SHOWN_ANSWER + 1, "{message}");
        }
    }

    #[test]
    fn addresses_are_shown_without_what_may_be_secret() {
        let scrub = Scrub::new([KEY]);
        let shown = |kind: ApiKind, base: &str| {
            let address = address(kind, base).unwrap();
            super::shown(kind, &address, &scrub)
        };
        for (base, expected) in [
            ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
            ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://host", "http://host"),
            ("http://me:word@host/v1?key=3#here", "http://host/v1"),
            ("http://me/word@host/v1", "the address that was given"),
            ("http://me:2024?word@host/v1", "the address that was given"),
            ("http://me:2024#word@host/v1", "the address that was given"),
            (&format!("http://host/{KEY}/v1"), "http://host/[key]/v1"),
        ] {
            for kind in [ApiKind::OpenAi, ApiKind::Anthropic, ApiKind::Embeddings] {
                assert_eq!(shown(kind, base), expected);
            }
        }
        let long = shown(ApiKind::OpenAi, &format!("http://host/{}", "x".repeat(999)));
        assert_eq!(long.chars().count(), SHOWN_ADDRESS + 1);
    }

    #[test]
    fn addresses_are_checked() {
        let url = address(ApiKind::OpenAi, " http://127.0.0.1:8080/v1/ ").unwrap();
        assert_eq!(url.as_str(), "http://127.0.0.1:8080/v1/chat/completions");
        for wrong in ["", "127.0.0.1", "ftp://x/v1", "http://"] {
            assert_eq!(
                address(ApiKind::OpenAi, wrong).unwrap_err().class,
                ErrorClass::Setup
            );
        }
        if cfg!(not(feature = "tls")) {
            let error = address(ApiKind::Anthropic, "https://x/v1").unwrap_err();
            assert!(error.message.contains("tls"), "{error}");
        }
    }
}
