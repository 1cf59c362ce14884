//! Classifies error answers.
//!
//! Servers put the reason into the status, into `error.code` (text or number), into `error.type`,
//! or only into the message. All four are read, because the status alone does not distinguish "try
//! later" (429, rate) from "pay first" (429, quota), or "too long" from "wrong" (400).

use super::Fault;
use crate::error::{ErrorClass, one_line};
use crate::tokens::TokenCount;
use serde_json::Value;

const OVERFLOW: [&str; 10] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "string_above_max_length",
];
const FILTERED: [&str; 4] = [
    "content_filter",
    "content_policy",
    "content management policy",
    "responsibleaipolicyviolation",
];
const QUOTA: [&str; 5] = [
    "insufficient_quota",
    "billing",
    "credit balance",
    "exceeded your current quota",
    "payment required",
];

/// Classifies an answer whose status is not a success.
///
/// The first 64 KiB of the body are read. The table in `docs/agents.md` lists the classes.
///
/// ```
/// use agent_client::wire::fault::of_status;
/// use agent_client::ErrorClass;
/// let quota = br#"{"error": {"code": "insufficient_quota", "message": "pay first"}}"#;
/// assert_eq!(of_status(429, quota).class, ErrorClass::Quota);
/// assert_eq!(of_status(429, b"slow down").class, ErrorClass::RateLimited);
/// ```
#[must_use]
pub fn of_status(status: u16, body: &[u8]) -> Fault {
    let text = String::from_utf8_lossy(body.get(..body.len().min(65_536)).unwrap_or_default());
    let json: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let words = Words::of(&json, &text);
    let message = words.shown(&format!("the server answers with status {status}"));
    Fault {
        class: class(status, &words),
        message,
    }
}

/// The fault in an answer that reports an error although its status is a success; `None` for an
/// answer without an `error`.
///
/// An answer that holds a reply beside the error is used.
#[must_use]
pub fn in_success(body: &Value) -> Option<Fault> {
    let error = body.get("error").filter(|e| !e.is_null())?;
    if body.get("choices").is_some() || body.get("content").is_some() {
        return None;
    }
    let words = Words::of(body, "");
    let status = ["code", "status"]
        .iter()
        .find_map(|name| error.get(name).and_then(|code| TokenCount::read(code).ok()))
        .and_then(|code| u16::try_from(code.get()).ok())
        .filter(|code| (400..600).contains(code));
    Some(Fault {
        // Without a number it is treated as a failure of the server.
        class: class(status.unwrap_or(500), &words),
        message: words.shown("the server reports an error"),
    })
}

/// The fields that may contain the reason.
struct Words {
    message: String,
    /// All of them joined, in lower case.
    all: String,
}

impl Words {
    fn of(json: &Value, text: &str) -> Self {
        let error = match json.get("error") {
            Some(Value::Null) | None => json,
            Some(error) => error,
        };
        let text_of = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Number(n) => n.to_string(),
            _ => String::new(),
        };
        let field = |name: &str| error.get(name).map(text_of).unwrap_or_default();
        let mut message = field("message");
        if message.is_empty() {
            message = match error {
                Value::String(text) => text.clone(),
                _ => ["detail", "error_description", "title"]
                    .iter()
                    .map(|name| field(name))
                    .find(|text| !text.is_empty())
                    .unwrap_or_default(),
            };
        }
        if message.is_empty() {
            text.clone_into(&mut message);
        }
        let inner = error.get("innererror").and_then(|inner| inner.get("code"));
        let parts = [
            field("code"),
            field("type"),
            field("status"),
            inner.map(text_of).unwrap_or_default(),
            message.clone(),
        ];
        Self {
            all: parts.join(" ").to_lowercase(),
            message,
        }
    }

    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.all.contains(word))
    }

    fn shown(&self, otherwise: &str) -> String {
        let message = one_line(&self.message, 300);
        if message.is_empty() {
            otherwise.to_owned()
        } else {
            format!("{otherwise}: {message}")
        }
    }
}

/// The class of a failure. The order of the arms matters: words are read before the status where the
/// status has several meanings.
fn class(status: u16, words: &Words) -> ErrorClass {
    let server_side = status >= 500;
    match status {
        401 | 403 if !words.has(&FILTERED) => ErrorClass::Auth,
        402 => ErrorClass::Quota,
        429 | 400 | 403 if words.has(&QUOTA) => ErrorClass::Quota,
        429 => ErrorClass::RateLimited,
        404 | 410 => ErrorClass::NotFound,
        408 | 504 => ErrorClass::Timeout,
        409 | 425 => ErrorClass::Server,
        // Some servers report an overlong prompt as their own failure.
        400 | 413 | 422 | 500 if words.has(&OVERFLOW) => ErrorClass::Overflow,
        413 => ErrorClass::Overflow,
        _ if !server_side && words.has(&FILTERED) => ErrorClass::Filtered,
        503 | 529 => ErrorClass::Overloaded,
        _ if words.has(&["overloaded_error"]) => ErrorClass::Overloaded,
        // A feature that the server does not support will not be available later either.
        501 | 505 => ErrorClass::BadRequest,
        _ if server_side => ErrorClass::Server,
        _ => ErrorClass::BadRequest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reasons_are_found_wherever_they_stand() {
        use ErrorClass as C;
        let cases: &[(u16, &str, C)] = &[
            (
                429,
                r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#,
                C::RateLimited,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}"#,
                C::Quota,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                C::Quota,
            ),
            (402, "", C::Quota),
            (
                400,
                r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size","type":"exceed_context_size_error"}}"#,
                C::Overflow,
            ),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#,
                C::Overflow,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                C::Overflow,
            ),
            (413, "", C::Overflow),
            (
                400,
                r#"{"error":{"code":"content_filter","message":"filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
                C::Filtered,
            ),
            (400, r#"{"error":"unknown field `foo`"}"#, C::BadRequest),
            (422, r#"{"detail":[{"loc":["body"]}]}"#, C::BadRequest),
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided"}}"#,
                C::Auth,
            ),
            (403, "no", C::Auth),
            (
                404,
                r#"{"error":{"message":"model not found"}}"#,
                C::NotFound,
            ),
            (408, "", C::Timeout),
            (409, "", C::Server),
            (500, "<html>oops</html>", C::Server),
            (502, "", C::Server),
            (503, "", C::Overloaded),
            (504, "", C::Timeout),
            (501, "", C::BadRequest),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                C::Overloaded,
            ),
            (302, "", C::BadRequest),
        ];
        for (status, body, expected) in cases {
            assert_eq!(
                of_status(*status, body.as_bytes()).class,
                *expected,
                "{status} {body}"
            );
        }
        let latin = of_status(500, b"caf\xe9");
        assert_eq!(latin.class, C::Server);
    }

    #[test]
    fn an_error_under_status_200_is_an_error() {
        let fault = in_success(&json!({"error": {"code": 502, "message": "upstream"}})).unwrap();
        assert_eq!(fault.class, ErrorClass::Server);
        let fault = in_success(&json!({"error": {"code": "429", "message": "slow"}})).unwrap();
        assert_eq!(fault.class, ErrorClass::RateLimited);
        assert_eq!(in_success(&json!({"error": null, "choices": []})), None);
        assert_eq!(in_success(&json!({"choices": []})), None);
    }
}
