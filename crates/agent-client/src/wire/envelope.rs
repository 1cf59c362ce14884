//! Takes a reply out of what gateways put around it.

use serde_json::Value;

/// Fields under which gateways put a whole reply.
const NAMES: [&str; 6] = ["data", "result", "response", "output", "body", "message"];

/// Most levels around a reply.
const LEVELS: u8 = 3;

/// The reply within `body`: under `data`, `result` and the like, as an object, as its text, or as the only member of a
/// list. Counts that stand beside it go with it. A body without one stays as it is.
pub(crate) fn opened(body: Value) -> Value {
    inner(&body, LEVELS).unwrap_or(body)
}

/// The reply in `body`, if it is not the body itself.
fn inner(body: &Value, levels: u8) -> Option<Value> {
    if is_reply(body) || levels == 0 {
        return None;
    }
    let whole = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => {
            let within = inner(value, levels - 1);
            within.or_else(|| is_reply(value).then(|| value.clone()))
        }
        Value::String(text) if text.trim_start().starts_with('{') => {
            let value = crate::json_text::lossy(text).ok()?;
            is_reply(&value).then_some(value)
        }
        _ => None,
    };
    match body {
        Value::Array(items) => match items.as_slice() {
            [item] => whole(item),
            _ => None,
        },
        Value::Object(fields) => {
            let mut found = NAMES.iter().find_map(|name| whole(fields.get(*name)?))?;
            if let (Some(usage), Value::Object(reply)) = (fields.get("usage"), &mut found) {
                reply.entry("usage").or_insert_with(|| usage.clone());
            }
            Some(found)
        }
        _ => None,
    }
}

/// Whether this is a reply in either language.
fn is_reply(value: &Value) -> bool {
    let is = |name: &str, word: &str| value.get(name).and_then(Value::as_str) == Some(word);
    value.get("choices").is_some_and(Value::is_array)
        || is("type", "message") && value.get("content").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reply_is_found_where_gateways_put_it() {
        let reply =
            json!({"choices": [{"message": {"content": "4"}}], "usage": {"total_tokens": 9}});
        let message = json!({"type": "message", "content": [], "usage": {"input_tokens": 9}});
        for reply in [reply, message] {
            for body in [
                reply.clone(),
                json!([reply]),
                json!({"code": 0, "msg": "ok", "data": reply}),
                json!({"success": true, "errors": [], "result": reply}),
                json!({"statusCode": 200, "body": reply.to_string()}),
                json!({"status": "COMPLETED", "output": [reply]}),
            ] {
                assert_eq!(opened(body), reply);
            }
        }
        let bare = json!({"choices": []});
        let beside = opened(json!({"output": bare, "usage": {"total_tokens": 9}}));
        assert_eq!(beside, json!({"choices": [], "usage": {"total_tokens": 9}}));
        for body in [
            json!({"data": null, "code": 500}),
            json!({"data": [bare, bare]}),
            json!([]),
            json!("x"),
        ] {
            assert_eq!(opened(body.clone()), body);
        }
    }
}
