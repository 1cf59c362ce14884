//! The embeddings API of OpenAI and the many servers compatible with it.
//!
//! Source: the public reference of `POST /v1/embeddings`. The request has the model and a list of texts,
//! the answer a vector for each of them, with its place in the list.
//!
//! ```
//! use agent_client::wire::{ApiKind, Dialect, embeddings};
//! use agent_client::{Message, ModelRole, Request, Slot};
//! use serde_json::json;
//!
//! let dialect = Dialect::new(ApiKind::Embeddings, "some-model");
//! let texts = vec![Message::user("a kettle"), Message::user("a leave request")];
//! let request = Request::new(ModelRole::Agent, Slot::new("first"), texts);
//! assert_eq!(
//!     ApiKind::Embeddings.encode(&dialect, &request),
//!     json!({"model": "some-model", "input": ["a kettle", "a leave request"]})
//! );
//! let answer = json!({"data": [
//!     {"index": 1, "embedding": [0.0, 1.0]},
//!     {"index": 0, "embedding": [1.0, 0.0]},
//! ]});
//! let reply = ApiKind::Embeddings.decode(answer)?;
//! assert_eq!(embeddings::vectors(&reply.raw)?, [[1.0, 0.0], [0.0, 1.0]]);
//! # Ok::<(), String>(())
//! ```

use super::{Dialect, openai};
use crate::message::{Message, Said};
use crate::reply::{Finish, Reply};
use crate::request::Request;
use serde_json::{Value, json};

/// The body of a request.
pub(super) fn encode(dialect: &Dialect, request: &Request) -> Value {
    let texts: Vec<&str> = request.messages.iter().filter_map(text).collect();
    let mut body = dialect.extra.clone();
    body.insert("model".to_owned(), json!(dialect.model));
    body.insert("input".to_owned(), json!(texts));
    Value::Object(body)
}

fn text(message: &Message) -> Option<&str> {
    match message {
        Message::User { text } => Some(text),
        _ => None,
    }
}

/// The reply in an answer. Its text is empty; the vectors stay in `raw`.
pub(super) fn decode(body: Value) -> Result<Reply, String> {
    vectors(&body)?;
    let reported = openai::usage(body.get("usage"));
    let said = Said {
        text: String::new(),
        calls: Vec::new(),
        echo: None,
    };
    let mut reply = super::reply(said, Finish::Stop, None, reported, body);
    // Vectors are not counted in tokens.
    reply.usage.output = 0;
    reply.usage.estimated = reply.usage.input == 0;
    Ok(reply)
}

/// The vectors in an answer, in the order of the texts.
///
/// # Errors
/// When the answer is not a list of vectors of finite numbers, one for each place.
pub fn vectors(body: &Value) -> Result<Vec<Vec<f32>>, String> {
    let data = body.get("data").and_then(Value::as_array);
    let data = data.ok_or("the answer has no list `data`")?;
    let mut all: Vec<Option<Vec<f32>>> = vec![None; data.len()];
    for (n, entry) in data.iter().enumerate() {
        // Some servers leave the place out.
        let place = match entry.get("index") {
            None => Some(n),
            Some(index) => index.as_u64().and_then(|index| usize::try_from(index).ok()),
        };
        let slot = place.and_then(|place| all.get_mut(place));
        let slot = slot.filter(|slot| slot.is_none());
        let slot =
            slot.ok_or_else(|| format!("`data[{n}].index` is missing, too large or used twice"))?;
        *slot = Some(
            vector(entry)
                .ok_or_else(|| format!("`data[{n}].embedding` is not a list of finite numbers"))?,
        );
    }
    // As many places as entries, and none twice: every place is taken.
    Ok(all.into_iter().flatten().collect())
}

fn vector(entry: &Value) -> Option<Vec<f32>> {
    let numbers = entry.get("embedding")?.as_array()?;
    let number = |value: &Value| {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "vectors have the precision of 32 bits"
        )]
        let number = value.as_f64()? as f32;
        number.is_finite().then_some(number)
    };
    let vector: Option<Vec<f32>> = numbers.iter().map(number).collect();
    vector.filter(|vector| !vector.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_without_a_vector_for_each_place_are_refused() {
        for body in [
            json!({}),
            json!({"data": {"embedding": [1.0]}}),
            json!({"data": [{"index": 0}]}),
            json!({"data": [{"index": 0, "embedding": []}]}),
            json!({"data": [{"index": 0, "embedding": [1.0, "x"]}]}),
            json!({"data": [{"index": 0, "embedding": [1e300]}]}),
            json!({"data": [{"index": 1, "embedding": [1.0]}]}),
            json!({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}),
        ] {
            assert!(vectors(&body).is_err(), "{body}");
        }
        let unplaced = json!({"data": [{"embedding": [1]}, {"embedding": [2]}],
                              "usage": {"prompt_tokens": 7, "total_tokens": 7}});
        assert_eq!(vectors(&unplaced).unwrap(), [[1.0], [2.0]]);
        let reply = decode(unplaced).unwrap();
        assert_eq!((reply.usage.input, reply.usage.output), (7, 0));
    }
}
