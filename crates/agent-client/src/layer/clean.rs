//! Removes keys from a reply before it is turned into a decision and before anything else reads it.
//!
//! The recording, the environment and the next request all use the one body that this function
//! returns. So a recording still replays and a resumed run still finds its answers, even on a machine
//! that does not have the key.

use super::{Call, Final};
use crate::json_text;
use crate::message::Said;
use crate::reply::{Finish, Reply, Usage};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim_core::bytes::canonical_text;
use sim_core::scrub::Scrub;

/// `answer` without keys.
///
/// A clean answer is returned unchanged, byte for byte. If an answer holds a key or a piece of one,
/// only the fields that are used are kept (text, calls, finish reason, usage) and the rest is dropped,
/// because a key can be spread over fields in too many ways to recognise them all.
pub(super) fn clean(call: &Call, answer: Final, scrub: &Scrub) -> Final {
    if scrub.is_empty() {
        return answer;
    }
    let body = scrub.value(&answer.body);
    let Ok(reply) = call.read(&answer) else {
        return Final { body, ..answer };
    };
    let parts = parts(&reply);
    let clean = without_keys(
        &parts,
        |parts| scrub.value_in(conversation(call), parts),
        scrub,
    );
    if body == answer.body && clean == parts {
        return answer;
    }
    let mut rewritten = Final {
        body: call.dialect.kind.encode_reply(&joined(&clean, &reply)),
        ..answer
    };
    // In another order, pieces may join to a key again. The recording is scrubbed once more, and the
    // result must equal what is used.
    let settled = scrub.value(&rewritten.body) == rewritten.body
        && call.read(&rewritten).is_ok_and(|reply| {
            let parts = self::parts(&reply);
            without_keys(&parts, |parts| scrub.value(parts), scrub) == parts
        });
    if !settled {
        let nothing = Reply {
            usage: reply.usage,
            refused: reply.refused,
            ..Reply::text(Scrub::MARK)
        };
        rewritten.body = call.dialect.kind.encode_reply(&nothing);
    }
    rewritten
}

/// The message of a failure without keys.
pub(super) fn clean_message(call: &Call, message: &str, scrub: &Scrub) -> String {
    if scrub.is_empty() {
        return message.to_owned();
    }
    let clean = scrub.value_in(conversation(call), &json!({ "failure": message }));
    match clean.get("failure") {
        Some(Value::String(text)) => text.clone(),
        _ => Scrub::MARK.to_owned(),
    }
}

/// The unit of work that a call belongs to: an episode, an item, an interview.
fn conversation(call: &Call) -> &str {
    call.slot.as_str().split('/').next().unwrap_or_default()
}

/// The parts of a reply that are used later. The echo repeats the same content, so it is left out.
fn parts(reply: &Reply) -> Value {
    let said = Said {
        echo: None,
        ..reply.said.clone()
    };
    json!({
        "said": said,
        "thinking": reply.thinking,
        "finish": reply.finish,
        "usage": reply.usage,
    })
}

/// `parts` without keys, including keys in JSON inside the text: methods read decisions from it.
fn without_keys(parts: &Value, mask: impl Fn(&Value) -> Value, scrub: &Scrub) -> Value {
    let mut clean = mask(parts);
    if let Some(text) = clean.pointer_mut("/said/text")
        && let Some(values) = text.as_str().and_then(|text| json_text::all(text).ok())
    {
        let inner: Vec<Value> = values.iter().map(|value| scrub.value(value)).collect();
        if inner != values {
            // The most likely answer stays the last one.
            let lines: Vec<String> = inner.iter().rev().map(canonical_text).collect();
            *text = Value::String(lines.join("\n"));
        }
    }
    clean
}

/// The reply that has these parts.
fn joined(parts: &Value, reply: &Reply) -> Reply {
    fn part<T: DeserializeOwned>(parts: &Value, name: &str) -> Option<T> {
        serde_json::from_value(parts.get(name)?.clone()).ok()
    }
    Reply {
        // Fails only if one of our own field names contained the key.
        said: part(parts, "said").unwrap_or_else(|| Said {
            text: Scrub::MARK.to_owned(),
            ..Said::default()
        }),
        thinking: part::<Option<String>>(parts, "thinking").flatten(),
        finish: part(parts, "finish").unwrap_or(Finish::Stop),
        usage: part(parts, "usage").unwrap_or(Usage {
            estimated: true,
            ..Usage::default()
        }),
        ..reply.clone()
    }
}
