//! Takes a reply out of what gateways put around it.

use super::foreign::form;
use serde_json::Value;

/// Fields under which gateways put a whole reply; they come before any other field.
const NAMES: [&str; 6] = ["data", "result", "response", "output", "body", "message"];

/// Fields that repeat the request, whose chat holds older replies.
const ASKED: [&str; 6] = [
    "request", "messages", "input", "prompt", "history", "params",
];

/// Most levels around a reply.
const LEVELS: u8 = 3;

/// The reply within `body`: in a field, as an object or as its text, or as the only reply of a list. What stands
/// beside it about its cost and its end goes with it. A body without one stays as it is.
pub(crate) fn opened(body: Value) -> Value {
    inner(&body, LEVELS).unwrap_or(body)
}

/// The reply in `body`, if it is not the body itself.
fn inner(body: &Value, levels: u8) -> Option<Value> {
    // A reply is never opened, whatever its fields hold: a field may quote another one.
    if form(body).is_some() || levels == 0 {
        return None;
    }
    let whole = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => {
            let within = inner(value, levels - 1);
            within.or_else(|| form(value).map(|_| value.clone()))
        }
        Value::String(text) if text.trim_start().starts_with('{') => {
            let value = crate::json_text::lossy(text).ok()?;
            form(&value).map(|_| value)
        }
        _ => None,
    };
    match body {
        Value::Array(items) => {
            let mut found = items.iter().filter_map(whole);
            let only = found.next()?;
            found.next().is_none().then_some(only)
        }
        Value::Object(fields) => {
            // Beside an error there may be a part of a reply, which does not count.
            let is_failure = fields.get("error").is_some_and(|error| !error.is_null());
            let others = fields.iter().filter(|(name, _)| {
                let name = name.as_str();
                !is_failure && !NAMES.contains(&name) && !ASKED.contains(&name)
            });
            let named = NAMES.iter().filter_map(|name| fields.get(*name));
            let mut places = named.chain(others.map(|(_, value)| value));
            let mut found = places.find_map(whole)?;
            if let Value::Object(reply) = &mut found {
                for (name, value) in fields {
                    if BESIDE.contains(&name.as_str()) {
                        reply.entry(name.clone()).or_insert_with(|| value.clone());
                    }
                }
            }
            Some(found)
        }
        _ => None,
    }
}

/// Fields that may stand beside the reply that they are about.
const BESIDE: [&str; 6] = [
    "usage",
    "usageMetadata",
    "stopReason",
    "stop_reason",
    "finish_reason",
    "cost",
];

/// The counts of a body that holds no reply that can be read, if they say that tokens were written, so that it is paid
/// for.
pub(crate) fn paid(body: &Value) -> Option<Value> {
    let paid = |value: &Value| {
        let usage = super::foreign::usage(value);
        let reported = super::openai::usage(Some(&usage));
        let tokens = reported.output.or(reported.total);
        let is_paid = tokens.is_some_and(|tokens| tokens > 0) || reported.parts.billed.is_some();
        is_paid.then_some(usage)
    };
    let inside = body
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values());
    paid(body).or_else(|| inside.filter_map(paid).next())
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
