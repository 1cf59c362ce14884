//! JSON inside a reply.

use super::fence::first_fence;
use crate::span::{after, before};
use serde_json::{Map, Value};

/// An answer found in JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonAnswer {
    /// The value under an answer key, of any type.
    Keyed(Value),
    /// A list or a text that is the whole reply.
    Bare(Value),
}

/// The answer of a reply that is JSON as a whole, or whose first code fence is.
///
/// An object gives the value of the first of `keys` that it has (compared without regard to case);
/// a list or a text is the answer itself; an object without such a key, a number or a truth value
/// gives nothing.
///
/// ```
/// use qa_scoring::extract::{JsonAnswer, answer_value};
/// let found = answer_value("```json\n{\"why\": \"x\", \"Answer\": \"B\"}\n```", &["answer"]);
/// assert_eq!(found, Some(JsonAnswer::Keyed("B".into())));
/// assert_eq!(answer_value("{\"why\": \"x\"}", &["answer"]), None);
/// ```
#[must_use]
pub fn answer_value(text: &str, keys: &[&str]) -> Option<JsonAnswer> {
    let fence = first_fence(text);
    [Some(text), fence].into_iter().flatten().find_map(|part| {
        let part = part.trim();
        if !part.starts_with(['{', '[', '"']) {
            return None;
        }
        match serde_json::from_str(part).ok()? {
            Value::Object(fields) => keys
                .iter()
                .find_map(|key| field(&fields, key))
                .cloned()
                .map(JsonAnswer::Keyed),
            value @ (Value::Array(_) | Value::String(_)) => Some(JsonAnswer::Bare(value)),
            _ => None,
        }
    })
}

/// The value under `name`, letters compared without regard to case, an exact match first.
pub(crate) fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).or_else(|| {
        fields
            .iter()
            .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    })
}

/// The last JSON object in a text that has `key` and can be decoded on its own.
///
/// Objects inside a decoded object are not looked at separately, objects inside a list are.
///
/// ```
/// use qa_scoring::extract::last_object_with;
/// let object = last_object_with("first {\"score\": 4}, no: {\"score\": 2}.", "score");
/// assert_eq!(object.map(|object| object["score"].clone()), Some(2.into()));
/// ```
///
/// # Complexity
/// Linear: a decoder follows at most 128 levels of nesting, so an object that never closes costs no
/// more than that many passes over the text.
#[must_use]
pub fn last_object_with(text: &str, key: &str) -> Option<Map<String, Value>> {
    // An object that has the key begins before the key's last occurrence.
    let mentioned = text.rfind(&format!("\"{key}\""))?;
    let mut last = None;
    let mut at = 0;
    while let Some(open) = after(text, at).find('{') {
        let start = at + open;
        if start > mentioned {
            break;
        }
        let mut decoder = serde_json::Deserializer::from_str(after(text, start)).into_iter();
        match decoder.next() {
            Some(Ok(Value::Object(fields))) => {
                at = start + decoder.byte_offset().max(1);
                if fields.contains_key(key) {
                    last = Some(fields);
                }
            }
            _ => at = start + 1,
        }
    }
    last
}

/// The stretch from the first `{` to the last `}`, decoded, when it is one object.
pub(crate) fn widest_object(text: &str) -> Option<Map<String, Value>> {
    let open = text.find('{')?;
    let close = text.rfind('}')?;
    let inside = before(text, close + 1);
    match serde_json::from_str(after(inside, open)).ok()? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}
