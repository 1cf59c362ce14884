//! The fields of an error answer that say why, and the class that follows from them.

use super::fault::Generation;
use crate::error::ErrorClass;
use crate::reply::Finish;
use crate::tokens::TokenCount;
use serde_json::Value;
use std::time::Duration;

mod words;

use words::{
    BROKEN, DENIED, EXCEEDED, FILTERED, LASTING, NO_MODEL, NO_ROUTE, NOTHING_ALLOWED, OVERFLOW,
    QUOTA, QUOTA_CODES, RATE, SIZES, STREAM_ONLY, THROTTLED,
};

/// A limit whose pause is longer counts as one that lasts.
const SHORT: Duration = Duration::from_secs(60);

/// What the body of an error answer is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// A JSON object.
    #[default]
    Object,
    /// A line or nothing.
    Line,
    /// A page of HTML.
    Page,
}

/// The parts of an error answer that may contain the reason.
#[derive(Debug, Default)]
pub(super) struct Reason {
    /// The server's words.
    pub(super) message: String,
    /// Codes, types and statuses, in lower case.
    codes: Vec<String>,
    /// Codes and prose, in lower case.
    all: String,
    /// A status that stands in the body.
    number: Option<u16>,
    /// What the model wrote.
    generation: Option<String>,
    /// A structured pause.
    delay: Option<Duration>,
    /// Whether a daily quota is named as violated.
    is_daily: bool,
    /// Whether a structured field says that a moderation flagged the input.
    is_flagged: bool,
    body: Body,
}

impl Reason {
    /// The parts in `json`, or in `text` if it is not JSON.
    pub(super) fn of(json: &Value, text: &str) -> Self {
        let json = match json {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            json => json,
        };
        let mut reason = Self {
            body: match json.is_object() {
                true => Body::Object,
                false if text.trim_start().starts_with('<') => Body::Page,
                false => Body::Line,
            },
            ..Self::default()
        };
        reason.read(json, 0);
        if reason.message.is_empty() {
            text.trim().clone_into(&mut reason.message);
        }
        // Only what is meant to say why: an answer may also quote the chat, whose words say nothing.
        reason.all = format!("{} {}", reason.codes.join(" "), reason.message).to_lowercase();
        reason
    }

    /// Reads one level of the answer. Gateways quote the answer of the provider behind them as text.
    fn read(&mut self, json: &Value, depth: u8) {
        // A gateway may quote a gateway, but a text that quotes on and on must end.
        if depth > 3 {
            return;
        }
        let error = match ["error", "base_resp"]
            .iter()
            .find_map(|name| json.get(*name))
        {
            Some(Value::Null) | None => json,
            Some(error) => error,
        };
        // The inner level first: of several numbers the first one counts.
        for level in [error, json] {
            for name in [
                "code",
                "type",
                "status",
                "status_code",
                "reason",
                "param",
                "object",
            ] {
                match level.get(name) {
                    Some(Value::String(text)) => self.codes.push(text.to_lowercase()),
                    Some(value @ Value::Number(n)) => {
                        self.codes.push(n.to_string());
                        let number = TokenCount::read(value).ok();
                        let number = number.and_then(|n| u16::try_from(n.get()).ok());
                        // Any other number is a code of the provider's own.
                        let number = number.filter(|n| (400..600).contains(n));
                        self.number = self.number.or(number);
                    }
                    _ => {}
                }
            }
            self.flag(level);
            self.delay = self.delay.or_else(|| told_pause(level));
        }
        // A code in text may be a status as well.
        let number = self.codes.iter().find_map(|code| code.parse::<u16>().ok());
        self.number = self.number.or(number.filter(|n| (400..600).contains(n)));
        if let Some(code) = error.pointer("/innererror/code").and_then(Value::as_str) {
            self.codes.push(code.to_lowercase());
        }
        for level in [error, json] {
            if let Some(text) = level.get("failed_generation").and_then(Value::as_str) {
                self.generation.get_or_insert_with(|| text.to_owned());
            }
        }
        self.details(error);
        let message = Self::prose(error).or_else(|| Self::prose(json));
        if let Some(text) = message {
            // The innermost words say most: `Provider returned error` is what a gateway puts around them.
            if self.message.is_empty() {
                self.message.clone_from(&text);
            } else if !self.message.contains(&text) {
                self.message = format!("{}: {text}", self.message);
            }
            self.quoted(&text, depth);
        }
        if let Some(raw) = error.pointer("/metadata/raw") {
            match raw {
                Value::String(text)
                    if crate::json_text::lossy(text)
                        .is_ok_and(|v| v.is_object() || v.is_array()) =>
                {
                    self.quoted(text, depth);
                }
                Value::String(text) => self.message = format!("{}: {text}", self.message),
                raw => self.read(raw, depth + 1),
            }
        }
    }

    /// Reads a text that is itself an error answer, or ends in one (`400 {"error": ..}`).
    fn quoted(&mut self, text: &str, depth: u8) {
        let Some(at) = text.find(['{', '[']) else {
            return;
        };
        let rest = text.get(at..).unwrap_or_default();
        if let Ok(inner) = crate::json_text::lossy(rest) {
            let inner = match inner {
                Value::Array(items) => items.into_iter().next().unwrap_or_default(),
                inner => inner,
            };
            if inner.is_object() {
                self.read(&inner, depth + 1);
            }
        }
    }

    /// The words of one level.
    fn prose(level: &Value) -> Option<String> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            // FastAPI: `{"detail": [{"msg": .., "loc": [..]}]}`.
            Value::Array(items) => {
                let parts: Vec<String> = items
                    .iter()
                    .filter_map(|item| match item {
                        Value::String(text) => Some(text.clone()),
                        item => {
                            let said = ["msg", "message"]
                                .iter()
                                .find_map(|n| item.get(*n)?.as_str());
                            let place = item.get("loc").map(Value::to_string);
                            said.map(|said| format!("{said} {}", place.unwrap_or_default()))
                        }
                    })
                    .collect();
                (!parts.is_empty()).then(|| parts.join("; "))
            }
            Value::Object(_) => Self::prose(value),
            _ => None,
        };
        if let Value::String(words) = level {
            return Some(words.clone());
        }
        let names = [
            "message",
            "msg",
            "status_msg",
            "detail",
            "details",
            "error_description",
            "title",
            "errors",
            // Ollama wrote the words under a key of their own for a while.
            "error parsing tool call",
        ];
        names
            .iter()
            .filter_map(|name| {
                let found = text(level.get(*name)?)?;
                let is_key = name.contains(' ');
                Some(if is_key {
                    format!("{name}: {found}")
                } else {
                    found
                })
            })
            .find(|found| !found.trim().is_empty())
    }

    /// Notes what moderations say in fields of their own (OpenRouter).
    fn flag(&mut self, level: &Value) {
        let metadata = level.get("metadata");
        let has = |name: &str| metadata.is_some_and(|m| m.get(name).is_some());
        self.is_flagged |= has("flagged_input") || (has("reasons") && has("provider_name"));
    }

    /// Reads the typed details of Google's errors.
    fn details(&mut self, error: &Value) {
        let details = error.get("details").and_then(Value::as_array);
        for detail in details.map(Vec::as_slice).unwrap_or_default() {
            if let Some(delay) = detail.get("retryDelay").and_then(Value::as_str) {
                self.delay = self.delay.or_else(|| duration(delay));
            }
            let violations = detail.get("violations").and_then(Value::as_array);
            for violation in violations.map(Vec::as_slice).unwrap_or_default() {
                let id = violation.get("quotaId").and_then(Value::as_str);
                self.is_daily |= id.is_some_and(|id| id.to_lowercase().contains("perday"));
            }
        }
    }

    /// The status that stands in the body.
    pub(super) fn status(&self) -> Option<u16> {
        let named = |code: &String| match code.as_str() {
            "rate_limit_error" | "rate_limit_exceeded" | "resource_exhausted" => Some(429),
            "overloaded_error" | "unavailable" => Some(503),
            "authentication_error" | "unauthenticated" | "invalid_api_key" => Some(401),
            "permission_error" | "permission_denied" => Some(403),
            "invalid_request_error" | "invalid_argument" | "badrequesterror" => Some(400),
            "not_found_error" | "not_found" | "model_not_found" => Some(404),
            "request_too_large" => Some(413),
            "billing_error" | "insufficient_quota" => Some(402),
            "timeout_error" | "deadline_exceeded" => Some(504),
            _ => None,
        };
        self.number.or_else(|| self.codes.iter().find_map(named))
    }

    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.all.contains(word))
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    /// Whether the chat does not fit the model. A failure of status 500 must say that a size is exceeded, or use words
    /// that mean nothing else.
    fn is_overflow(&self, status: u16) -> bool {
        let is_vague = |word: &&str| SIZES.contains(word);
        let mut found = OVERFLOW.iter().filter(|word| self.all.contains(**word));
        match status {
            500.. => found.any(|word| !is_vague(word) || self.has(&EXCEEDED)) && !self.has(&BROKEN),
            _ => found.next().is_some(),
        }
    }

    /// Whether the limit lasts: one of a day, of an account, or of a size that the request will always have.
    fn is_lasting(&self) -> bool {
        self.is_daily
            || self.has(&NOTHING_ALLOWED)
            || (self.has(&LASTING) && self.retry_after().is_none_or(|pause| pause > SHORT))
    }

    /// Whether the limit is one that passes by itself.
    fn is_rate(&self) -> bool {
        !self.is_daily && (self.delay.is_some() || self.has(&RATE))
    }

    /// Whether a 404 is that of a gateway whose server is not there, and not the word of a server that has no such
    /// model or path.
    fn is_of_a_gateway(&self) -> bool {
        let is_of_a_gateway = match self.body {
            Body::Object => self.has(&NO_ROUTE),
            Body::Line => !self.all.contains("model"),
            Body::Page => true,
        };
        is_of_a_gateway || self.has(&BROKEN)
    }

    fn is_filtered(&self) -> bool {
        self.is_flagged || self.has(&FILTERED)
    }

    /// What the model wrote, where the error is about that.
    pub(super) fn generation(&self, status: u16) -> Option<Generation> {
        if !matches!(status, 400 | 422 | 424 | 500) {
            return None;
        }
        // OpenAI: a model that thinks used up the limit before it said a word.
        if self.has(&["max_tokens or model output limit was reached"]) {
            return Some(Generation {
                text: String::new(),
                finish: Finish::Length,
            });
        }
        let text = self.malformed_call()?;
        Some(Generation {
            text,
            finish: Finish::Malformed,
        })
    }

    /// What the model wrote in place of a call that the server can read; may be empty.
    fn malformed_call(&self) -> Option<String> {
        if self.generation.is_some() {
            return self.generation.clone();
        }
        if self.has_code(&[
            "tool_use_failed",
            "json_validate_failed",
            "tool_parse_error",
            "output_parse_failed",
        ]) {
            return Some(String::new());
        }
        let told = [
            "error parsing tool call",
            "failed to parse tool call",
            "failed to parse input at pos",
            "failed to parse fc related info",
            "tool call parsing failed",
            "failed to parse function call",
            "tool call validation failed",
            // Ollama, of models that write calls as XML.
            "xml syntax error on line",
            "expected element type <function>",
            // llama.cpp
            "invalid diff: now finding less tool calls",
            // vLLM, where a call is forced.
            "validation error for list[function",
            // vLLM and Ollama, of gpt-oss.
            "while expecting start token",
            "unexpected tokens remaining in message header",
            // Bedrock
            "invalid sequence as part of tooluse",
        ];
        let lower = self.message.to_lowercase();
        let at = told.iter().find_map(|words| lower.find(words))?;
        let rest = self.message.get(at..).unwrap_or_default();
        Some(raw_of(rest).unwrap_or_default().to_owned())
    }

    /// The pause that the body asks for; none if it is 0.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let lower = || self.message.to_lowercase();
        let told = || {
            let words = lower();
            BEFORE_PAUSE.iter().find_map(|before| {
                let (_, rest) = words.split_once(before)?;
                let text: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
                let unit = rest.split_whitespace().nth(1).unwrap_or_default();
                let text = match text.parse::<f64>() {
                    Ok(_) if unit.starts_with("ms") || unit.starts_with("milli") => text + "ms",
                    Ok(_) if unit.starts_with("min") => text + "m",
                    Ok(_) if unit.starts_with('s') => text + "s",
                    Ok(_) if unit.starts_with("hour") => text + "h",
                    // No pause rather than one of the wrong length.
                    Ok(_) => return None,
                    Err(_) => text,
                };
                duration(text.trim_end_matches(['.', ',', ')']))
            })
        };
        self.delay.or_else(told).filter(|delay| !delay.is_zero())
    }

    /// Codes and words to look for what is refused; of a page only that it is one, because its words are about nothing
    /// that was asked.
    pub(super) fn words(&self) -> String {
        if self.body == Body::Page {
            return "page".to_owned();
        }
        let end = (0..=self.all.len().min(4_000))
            .rev()
            .find(|at| self.all.is_char_boundary(*at));
        self.all
            .get(..end.unwrap_or(0))
            .unwrap_or_default()
            .to_owned()
    }
}

/// What Ollama and llama.cpp quote of the model's words: `raw='..', err=..` and `at pos 0: ..`.
fn raw_of(rest: &str) -> Option<&str> {
    if let Some((_, raw)) = rest.split_once("raw='") {
        // From behind, because the model's own words may hold quotes.
        let end = raw.rfind("', err=").or_else(|| raw.rfind('\''));
        return raw.get(..end.unwrap_or(raw.len()));
    }
    let (head, raw) = rest.split_once(": ")?;
    head.to_lowercase().contains("at pos").then_some(raw)
}

/// Words before a pause in prose.
const BEFORE_PAUSE: [&str; 8] = [
    "retry in ",
    "try again in ",
    "retry after ",
    "try again after ",
    "wait for ",
    "wait ",
    "reset in ",
    "reset after ",
];

/// A pause in a field of its own: of gateways, and of Hugging Face while a model is loaded. A pause of 0 is ignored.
fn told_pause(level: &Value) -> Option<Duration> {
    let names = [
        ("retry_after", 1.0),
        ("retry_after_seconds", 1.0),
        ("retry_after_ms", 0.001),
        ("estimated_time", 1.0),
    ];
    let places = [Some(level), level.get("metadata")];
    places.into_iter().flatten().find_map(|place| {
        names.iter().find_map(|(name, unit)| {
            let seconds = place.get(*name)?.as_f64()? * unit;
            let pause = Duration::try_from_secs_f64(seconds).ok();
            pause.filter(|pause| !pause.is_zero())
        })
    })
}

/// A span of time as Go and Google write it: `0.2s`, `1m30s`, `350ms`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let (mut seconds, mut rest) = (0.0, text.trim());
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest.get(..end)?.parse().ok()?;
        let tail = rest.get(end..)?;
        let (unit, after) = if let Some(after) = tail.strip_prefix("ms") {
            (0.001, after)
        } else if let Some(after) = tail.strip_prefix('s') {
            (1.0, after)
        } else if let Some(after) = tail.strip_prefix('m') {
            (60.0, after)
        } else {
            (3_600.0, tail.strip_prefix('h')?)
        };
        seconds += number * unit;
        rest = after;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// The status that fits an error number of MiniMax (public reference, "error codes").
pub(super) fn of_minimax(code: u64) -> u16 {
    match code {
        1002 | 1039 | 1041 => 429,
        1004 | 2049 => 401,
        1008 => 402,
        1026 | 1027 | 2013 => 400,
        _ => 500,
    }
}

/// The class of a failure. The order of the arms matters: structured fields stand before prose, and words
/// before the status where the status has several meanings.
pub(super) fn class(status: u16, reason: &Reason) -> ErrorClass {
    let server_side = status >= 500;
    match status {
        401 => ErrorClass::Auth,
        402 => ErrorClass::Quota,
        400 | 403 if reason.has(&DENIED) => ErrorClass::Auth,
        _ if !server_side && (reason.has_code(&QUOTA_CODES) || reason.is_daily) => {
            ErrorClass::Quota
        }
        400 | 403 | 429 if reason.is_lasting() => ErrorClass::Quota,
        // Not transient, and no other way to ask helps.
        400 | 422 if reason.has(&STREAM_ONLY) => ErrorClass::Setup,
        429 if reason.is_rate() => ErrorClass::RateLimited,
        400 | 403 | 422 if reason.is_flagged => ErrorClass::Filtered,
        // Groq says 413 for more tokens than a minute allows.
        413 => ErrorClass::Overflow,
        400 | 403 | 422 | 500 | 503 if reason.has(&THROTTLED) => ErrorClass::RateLimited,
        400 | 403 | 422 if reason.has(&BROKEN) => ErrorClass::Server,
        400 | 422 if reason.has(&NO_MODEL) => ErrorClass::NotFound,
        // A gateway without a server behind it, and one that asks for a browser.
        404 if reason.is_of_a_gateway() => ErrorClass::Server,
        403 if reason.body == Body::Page => ErrorClass::Server,
        400 | 422 | 500 if reason.is_overflow(status) => ErrorClass::Overflow,
        400 | 403 | 429 if reason.has(&QUOTA) => ErrorClass::Quota,
        429 => ErrorClass::RateLimited,
        // 424: Cloudflare. 446: Portkey.
        400 | 403 | 422 | 424 | 446 | 451 if reason.is_filtered() => ErrorClass::Filtered,
        403 => ErrorClass::Auth,
        // The server is at another address; a redirect is not followed.
        300..=399 | 404 | 410 => ErrorClass::NotFound,
        408 | 504 | 524 => ErrorClass::Timeout,
        // 424: TGI failed during generation. 499: the server itself cancelled the request (Gemini).
        409 | 424 | 425 | 499 => ErrorClass::Server,
        // 498: Groq has no capacity left.
        498 | 503 | 529 => ErrorClass::Overloaded,
        _ if reason.has_code(&["overloaded_error"]) => ErrorClass::Overloaded,
        // A feature that the server does not support will not be available later either.
        501 | 505 => ErrorClass::BadRequest,
        _ if server_side => ErrorClass::Server,
        _ => ErrorClass::BadRequest,
    }
}
