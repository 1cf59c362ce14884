//! Replies as other programs keep them, and files of other formats.

use crate::error::LoadError;
use serde_json::{Map, Value};

/// What a field with a reply holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// Null.
    Nothing,
    /// The text of the reply; the JSON text of a value that is none of the known forms.
    Text(String),
    /// The request failed, with the provider's code and message.
    Failed(String),
    /// Pairs of a likelihood and whether it is the greatest, in place of a reply.
    Likelihoods,
}

/// The reply in a value.
///
/// | program | form |
/// |---|---|
/// | `OpenAI` batch, Chat Completions | `{status_code, body: {choices: [{message: {content}}]}}` |
/// | `OpenAI` batch, Responses | `{body: {output: [{type: "message", content: [{text}]}]}}` |
/// | Anthropic batch | `{type: "succeeded", message: {content: [{type: "text", text}]}}`, or `errored`, `canceled`, `expired` |
/// | Gemini batch | `{candidates: [{content: {parts: [{text}]}}]}` |
/// | Bedrock batch | Anthropic's form, `{output: {message}}`, `{generation}`, `{results: [{outputText}]}`, `{outputs: [{text}]}` |
/// | Ollama | `{message}` or `{response, done}` |
/// | lm-evaluation-harness | `[[text]]` (`resps`) or `[text]` (`filtered_resps`) |
/// | inspect | `{completion, choices: [{message: {content}}]}` |
/// | HELM, promptfoo, `FastChat` | `{completions: [{text}]}`, `{output, tokenUsage}`, `[{turns: [text]}]` |
/// | chats | `[{role, content}, ..]` or `[{from, value}, ..]`: the last message of the assistant |
pub(super) fn said(value: &Value) -> Said {
    match value {
        Value::Null => Said::Nothing,
        Value::String(text) => Said::Text(text.clone()),
        Value::Object(fields) => of_object(fields).unwrap_or_else(|| Said::Text(value.to_string())),
        Value::Array(list) => of_list(list).unwrap_or_else(|| Said::Text(value.to_string())),
        other => Said::Text(other.to_string()),
    }
}

fn of_object(fields: &Map<String, Value>) -> Option<Said> {
    let kind = fields.get("type").and_then(Value::as_str);
    if let Some(kind @ ("errored" | "canceled" | "expired")) = kind {
        return Some(failed(fields.get("error"), kind));
    }
    let status = fields.get("status_code").and_then(Value::as_u64);
    // A status of 400 or more has a body too, which says what failed and holds no reply.
    if let Some(body) = fields.get("body").and_then(Value::as_object) {
        if let Some(status) = status.filter(|status| *status >= 400) {
            return Some(failed(body.get("error"), &status.to_string()));
        }
        return of_object(body);
    }
    // Before `choices`: inspect writes both, and this is the text that its own scorers read.
    if let Some(Value::String(text)) = fields.get("completion") {
        return Some(Said::Text(text.clone()));
    }
    if let Some(choice) = first(fields, "choices") {
        return of_choice(choice);
    }
    if let Some(candidate) = first(fields, "candidates") {
        let parts = candidate.pointer("/content/parts");
        return Some(content(parts.unwrap_or(&Value::Null)));
    }
    // A prompt that was filtered has no choices and no candidates.
    let is_reply = fields.contains_key("usage") || fields.contains_key("promptFeedback");
    if is_reply && (fields.contains_key("choices") || fields.contains_key("promptFeedback")) {
        return Some(Said::Text(String::new()));
    }
    if let Some(Value::Array(output)) = fields.get("output")
        && !output.is_empty()
        && output.iter().all(|item| item.get("type").is_some())
    {
        let of = |item: &&Value| item.get("type").and_then(Value::as_str) == Some("message");
        let message = output.iter().rfind(of).and_then(|item| item.get("content"));
        return Some(content(message.unwrap_or(&Value::Null)));
    }
    let inner = fields
        .get("output")
        .and_then(|output| output.get("message"));
    if let Some(message @ Value::Object(_)) = fields.get("message").or(inner) {
        return Some(content(message.get("content")?));
    }
    // These names occur in any JSON, so each counts only beside a field that the same program
    // writes.
    let beside = |name: &str, others: &[&str]| {
        let text = fields.get(name)?.as_str()?;
        let known = others.iter().any(|other| fields.contains_key(*other));
        known.then_some(text)
    };
    let text = beside("response", &["done"])
        .or_else(|| beside("generation", &["stop_reason"]))
        .or_else(|| beside("output", &["tokenUsage"]))
        .or_else(|| first(fields, "results")?.get("outputText")?.as_str())
        .or_else(|| first(fields, "outputs")?.get("text")?.as_str())
        .or_else(|| first(fields, "completions")?.get("text")?.as_str());
    if let Some(text) = text {
        return Some(Said::Text(text.to_owned()));
    }
    if fields.contains_key("role") || kind == Some("message") {
        return Some(content(fields.get("content")?));
    }
    if let Some(Value::String(text)) = fields.get("generated_text") {
        return Some(Said::Text(text.clone()));
    }
    // An error of a provider on its own, and nothing that could be an answer in JSON.
    let is_error = fields.contains_key("message")
        && fields
            .keys()
            .all(|key| ["code", "message", "type", "param", "status"].contains(&key.as_str()));
    if is_error {
        return Some(failed(Some(&Value::Object(fields.clone())), "provider"));
    }
    let error = fields.get("error").filter(|_| fields.len() == 1)?;
    Some(failed(Some(error), "provider"))
}

fn of_choice(choice: &Value) -> Option<Said> {
    if let Some(Value::Array(turns)) = choice.get("turns") {
        return turns.last().map(said);
    }
    let said = choice.get("message").or_else(|| choice.get("text"))?;
    Some(content(said.get("content").unwrap_or(said)))
}

fn first<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name)?.as_array()?.first()
}

/// A failure with what the provider says of it.
pub(super) fn failed(error: Option<&Value>, code: &str) -> Said {
    // Anthropic's batches wrap the error once more.
    let error = error.map(|error| error.get("error").unwrap_or(error));
    let part = |name: &str| {
        let part = |name: &str| error?.get(name).filter(|part| !part.is_null());
        // Bedrock names them after the error.
        part(name).or_else(|| {
            part(if name == "code" {
                "errorCode"
            } else {
                "errorMessage"
            })
        })
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let code = part("code")
        .or_else(|| part("type"))
        .map_or_else(|| code.to_owned(), text);
    let message = match error {
        Some(Value::String(message)) => Some(message.clone()),
        _ => part("message").map(text),
    };
    Said::Failed(match message {
        Some(message) => format!("{code}: {message}"),
        None => code,
    })
}

/// The content of a message: a text, or parts, of which those with text count. A message without text is an empty
/// reply, not a missing one.
fn content(value: &Value) -> Said {
    match value {
        Value::Array(parts) => Said::Text(texts(parts).unwrap_or_default()),
        Value::String(text) => Said::Text(text.clone()),
        _ => Said::Text(String::new()),
    }
}

/// The texts of parts, without thoughts; `None` where a member is not a part.
fn texts(parts: &[Value]) -> Option<String> {
    let mut all = String::new();
    for part in parts {
        let part = part.as_object()?;
        let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
        match part.get("text").and_then(Value::as_str) {
            Some(text) if !is_thought => all.push_str(text),
            _ => {}
        }
    }
    Some(all)
}

/// Whether a list holds messages of a chat.
pub(super) fn is_chat(list: &[Value]) -> bool {
    let has = |value: &Value, name: &str| value.get(name).is_some();
    let is_message = |value: &Value| {
        (has(value, "role") && (has(value, "content") || has(value, "tool_calls")))
            || (has(value, "from") && has(value, "value"))
    };
    !list.is_empty() && list.iter().all(is_message)
}

fn of_list(list: &[Value]) -> Option<Said> {
    // Before the other lists: a chat of one message looks like a list of one choice.
    if is_chat(list) {
        let of = |value: &&Value| {
            let role = value.get("role").or_else(|| value.get("from"));
            matches!(
                role.and_then(Value::as_str),
                Some("assistant" | "gpt" | "model")
            )
        };
        let last = list.iter().rfind(of);
        let said = last.and_then(|last| last.get("content").or_else(|| last.get("value")));
        return Some(content(said.unwrap_or(&Value::Null)));
    }
    match list {
        // `resps`: for each request the replies to it.
        [Value::Array(replies), ..] => match replies.as_slice() {
            [Value::String(text)] => Some(Said::Text(text.clone())),
            [Value::Array(pair), ..] if pair.len() == 2 => Some(Said::Likelihoods),
            _ => None,
        },
        [Value::String(text)] => Some(Said::Text(text.clone())),
        [Value::Object(fields)] if fields.contains_key("generated_text") => {
            // A text, or the chat with it.
            fields.get("generated_text").map(said)
        }
        [choice] if choice.get("turns").is_some() || choice.get("message").is_some() => {
            of_choice(choice)
        }
        [Value::Object(fields), ..]
            if fields.contains_key("type") && fields.contains_key("text") =>
        {
            texts(list).map(Said::Text)
        }
        _ => None,
    }
}

/// Refuses files that are neither text nor a table, by the bytes with which they begin.
pub(super) fn refuse_other_formats(bytes: &[u8]) -> Result<(), LoadError> {
    // Workbooks are zip archives, told apart by the names of their parts, which are not compressed.
    let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    let (found, remedy) = match bytes {
        [b'P', b'K', 3 | 5, ..] if holds(b"xl/") => {
            ("a workbook of Excel", "save it as CSV (UTF-8)")
        }
        [b'P', b'K', 3 | 5, ..] if holds(b"opendocument.spreadsheet") => {
            ("a spreadsheet of LibreOffice", "save it as CSV (UTF-8)")
        }
        [b'P', b'K', 3 | 5, ..] => (
            "a zip archive, such as a log of inspect (.eval)",
            "unpack it, or write a log as JSON: inspect log dump FILE > log.json",
        ),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => ("a workbook of Excel (.xls)", "save it as CSV (UTF-8)"),
        [0x1f, 0x8b, ..] => ("a file compressed by gzip", "unpack it: gunzip FILE"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => ("a file compressed by zstd", "unpack it: unzstd FILE"),
        [b'B', b'Z', b'h', ..] => ("a file compressed by bzip2", "unpack it: bunzip2 FILE"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("a file compressed by xz", "unpack it: unxz FILE"),
        [b'v', b'e', b'r', b's', b'i', b'o', b'n', b' ', ..] if holds(b"git-lfs") => (
            "a pointer of Git LFS, not the file itself",
            "fetch it: git lfs pull",
        ),
        [b'<', b'!' | b'h' | b'H', ..] => (
            "a web page, such as the error page of a download",
            "fetch the file itself",
        ),
        [b'P', b'A', b'R', b'1', ..] => (
            "a Parquet file",
            "write it as JSON lines: DataFrame.to_json(FILE, orient=\"records\", lines=True)",
        ),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => (
            "an Arrow file",
            "write it as JSON lines: Dataset.to_json(FILE)",
        ),
        [0x80, 2..=5, ..] => (
            "a pickle of Python, which could run any program",
            "write it as JSON lines",
        ),
        _ => return Ok(()),
    };
    Err(LoadError::OtherFormat { found, remedy })
}
