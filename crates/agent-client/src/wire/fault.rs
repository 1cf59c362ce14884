//! Classifies error answers: the one place that decides what a failure is.
//!
//! Servers put the reason into the status, into `error.code` (text or number), into `error.type` or
//! `error.status`, into a body that a gateway quotes, or only into the message. Structured fields are read
//! first and prose last, because the status alone does not distinguish "try later" (429, rate) from "pay
//! first" (429, quota), or "too long" from "wrong" (400), and prose alone is misleading: Gemini calls its
//! limit per minute a quota.
//!
//! An error may be the model's own words: Groq reports a call that it cannot parse as status 400 with
//! `failed_generation`, Ollama and llama.cpp as status 500, and OpenAI a reply without room as status 400. Then
//! [`Fault::generation`] has the words.
//!
//! Source: the error pages of the public API references, and the issue threads of the servers, of OpenAI,
//! Azure, Anthropic, Gemini, Mistral, xAI, Groq, DeepSeek, DashScope, Moonshot, Z.ai, MiniMax, Together,
//! OpenRouter, Bedrock, vLLM, SGLang, TGI, llama.cpp, Ollama and LM Studio.

use super::reason::{self, Reason};
use super::{envelope, finish};
use crate::cause::Cause;
use crate::error::{ErrorClass, one_line};
use crate::reply::Finish;
use crate::tokens::TokenCount;
use serde_json::Value;
use std::time::Duration;

/// The error that a server reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Kind of the failure.
    pub class: ErrorClass,
    /// The server's words, in one line.
    pub message: String,
    /// What the model wrote, where the server reports that as an error.
    pub generation: Option<Generation>,
    /// The pause that the body asks for.
    pub retry_after: Option<Duration>,
    /// Code, type and words in lower case, to look for what the server refuses; at most 4,000 bytes.
    pub words: String,
}

/// A reply that a server reports as an error: a call that it cannot read, or one that is cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// What the model wrote; may be empty.
    pub text: String,
    /// How the reply ended.
    pub finish: Finish,
}

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
    let text = text.trim_start_matches('\u{feff}');
    let json: Value = crate::json_text::lossy(text).unwrap_or(Value::Null);
    let reason = Reason::of(&json, text);
    fault(
        status,
        &reason,
        &format!("the server answers with status {status}"),
    )
}

/// The fault in an answer that reports an error although its status is a success; `None` for an answer that
/// is a reply.
///
/// The error is read from these places: an object at the top, unless a reply stands beside it; the first
/// choice, also where its finish reason says that the server failed; `base_resp` of MiniMax; the block reason
/// of a Gemini answer without choices; a code and words at the top of an answer without a reply.
#[must_use]
pub fn in_success(body: &Value) -> Option<Fault> {
    let body = match body {
        Value::Array(items) => items.first()?,
        body => body,
    };
    let found = |at: &Value, otherwise: u16, intro: &str| {
        let reason = Reason::of(at, "");
        // The status in the body: that of HTTP says success.
        let status = reason.status().unwrap_or(otherwise);
        Some(fault(status, &reason, intro))
    };
    let given = |value: Option<&Value>| match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        // Some gateways keep the object and write nothing into it.
        Some(Value::Object(map)) => map.values().any(|value| {
            let is_nothing = matches!(value, Value::Null | Value::Bool(false));
            !is_nothing && *value != "" && *value != 0
        }),
        Some(_) => true,
    };
    let choice = body.get("choices").map(super::foreign::first);
    let choice = choice.filter(|choice| choice.is_object());
    if let Some(choice) = choice {
        let message = choice.get("message").unwrap_or(choice);
        let is_silent = ["content", "tool_calls", "function_call", "refusal", "text"]
            .iter()
            .all(|name| !given(message.get(*name)));
        let ended = finish::ended(choice, is_silent);
        if given(choice.get("error")) {
            return found(choice, 500, "the server reports an error inside its choice");
        }
        if ended.is_some_and(finish::is_failure) {
            // The gateway may say more at the top.
            let at = if given(body.get("error")) {
                body
            } else {
                &Value::Null
            };
            let intro = format!(
                "the server ended the reply with `{}`",
                ended.unwrap_or_default()
            );
            return found(at, 500, &intro);
        }
        // A choice that was begun before the failure, and says nothing, also not that a limit or a filter ended it.
        let is_unexplained = ended.is_none_or(|word| finish::read(word).cause() == Cause::Said);
        if is_silent && is_unexplained && given(body.get("error")) {
            return found(body, 500, "the server reports an error");
        }
        return None;
    }
    if given(body.get("content")) {
        let ended = body.get("stop_reason").and_then(Value::as_str);
        return match ended {
            Some(word) if finish::is_failure(word) => found(
                &Value::Null,
                500,
                &format!("the server ended the reply with `{word}`"),
            ),
            _ => None,
        };
    }
    if let Some(state) = body
        .get("base_resp")
        .and_then(|resp| resp.get("status_code"))
        && let Ok(code) = TokenCount::read(state)
        && code.get() != 0
    {
        return found(
            body,
            reason::of_minimax(code.get()),
            "the server reports an error",
        );
    }
    let blocked = ["promptFeedback", "prompt_feedback", "prompt_filter_results"];
    let is_error = body.get("object").and_then(Value::as_str) == Some("error")
        || body.get("type").and_then(Value::as_str) == Some("error");
    if given(body.get("error")) || is_error {
        // Without a number it is treated as a failure of the server.
        return found(body, 500, "the server reports an error");
    }
    if blocked.iter().any(|name| given(body.get(*name))) {
        return Some(Fault {
            class: ErrorClass::Filtered,
            message: "the server blocked the prompt and gave no choice".to_owned(),
            generation: None,
            retry_after: None,
            words: String::new(),
        });
    }
    // `{"code": 500, "msg": "..", "data": null}` and `{"success": false, "message": ".."}` of gateways.
    let has_words = ["message", "msg", "detail", "error_msg", "errorMessage"]
        .iter()
        .any(|name| {
            body.get(*name)
                .and_then(Value::as_str)
                .is_some_and(|text| !text.is_empty())
        });
    let has_code = ["code", "success", "status", "error_code", "statusCode"]
        .iter()
        .any(|name| body.get(*name).is_some());
    // An object of errors without a reply says enough (Cloudflare).
    let has_words = has_words || given(body.get("errors"));
    let has_data = ["choices", "data", "content"]
        .iter()
        .any(|name| given(body.get(*name)));
    if has_words && has_code && !has_data && envelope::paid(body).is_none() {
        return found(body, 500, "the server reports an error");
    }
    None
}

fn fault(status: u16, reason: &Reason, intro: &str) -> Fault {
    let message = one_line(&reason.message, 300);
    let message = if message.is_empty() {
        intro.to_owned()
    } else {
        format!("{intro}: {message}")
    };
    Fault {
        class: reason::class(status, reason),
        generation: reason.generation(status),
        retry_after: reason.retry_after(),
        words: reason.words(),
        message,
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
