//! Removes keys from a reply before it is turned into a decision and before anything else reads it.
//!
//! The recording, the environment and the next request all use the one body that this function
//! returns. So a recording still replays and a resumed run still finds its answers, even on a machine
//! that does not have the key.

use super::{Call, Final};
use crate::message::Said;
use crate::reply::{Finish, Reply, Usage};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim_core::scrub::Scrub;

/// `answer` without keys.
///
/// A clean answer is returned unchanged, byte for byte. If an answer holds a key, only the fields that are used are
/// kept (text, calls, finish reason, usage), and the rest is dropped: the parts of a text are joined only when it is
/// read, so its key may stand in no single field of the body.
pub(super) fn clean(call: &Call, answer: Final, scrub: &Scrub) -> Final {
    // Most runs with local servers have no key, and a body can be megabytes.
    if scrub.is_empty() {
        return answer;
    }
    let body = scrub.value(&answer.body);
    let Ok(reply) = answer.read(call.dialect.kind, call.text.len()) else {
        return Final { body, ..answer };
    };
    let parts = parts(&reply);
    let clean = scrub.value(&parts);
    // Both: a key that is cut in two by the parts of a text shows only where they are joined.
    if body == answer.body && clean == parts {
        return answer;
    }
    Final {
        body: call.dialect.kind.encode_reply(&joined(&clean, &reply)),
        ..answer
    }
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
