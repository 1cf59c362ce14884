//! Arguments in the types that the schema of a tool names.
//!
//! Many models write `{"quantity": "4"}` where a number is asked for. Such a text has one meaning, and the programs in
//! which models usually call tools take it (pydantic in its lax mode, AJV with `coerceTypes`, `inspect_ai`). A text with
//! anything else beside the value (`"4 cases"`, `"4,000"`) stays as it is, and the environment refuses it.

use crate::json_text::strict;
use serde_json::Value;

/// `value` with texts that say a number, a truth value, a list or an object turned into it, where `schema` takes no
/// text.
pub(super) fn fitted(value: &Value, schema: &Value) -> Value {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    match value {
        // Where a text is allowed it is what was meant, even if it looks like a number.
        Value::String(text) if !types.contains(&"string") => types
            .iter()
            .find_map(|kind| said(text.trim(), kind))
            .map_or_else(|| value.clone(), |said| fitted(&said, schema)),
        // A single number in a list, or under `value`, beside its type at most.
        Value::Array(items) if is_number(&types) && items.len() == 1 => items
            .first()
            .map_or(Value::Null, |only| fitted(only, schema)),
        Value::Object(map)
            if is_number(&types) && map.keys().all(|key| key == "value" || key == "type") =>
        {
            map.get("value")
                .map_or_else(|| value.clone(), |only| fitted(only, schema))
        }
        Value::Object(map) => {
            let of = |name: &str| schema.get("properties").and_then(|all| all.get(name));
            let fields = map.iter().map(|(name, inner)| {
                let inner = of(name).map_or_else(|| inner.clone(), |schema| fitted(inner, schema));
                (name.clone(), inner)
            });
            fields.collect()
        }
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.iter().map(|item| fitted(item, schema)).collect(),
            None => value.clone(),
        },
        _ => value.clone(),
    }
}

/// Whether a value is a number and nothing else.
fn is_number(types: &[&str]) -> bool {
    !types.is_empty()
        && types
            .iter()
            .all(|kind| matches!(*kind, "integer" | "number"))
}

/// The value of the type `kind` that `text` says, and nothing else beside it.
fn said(text: &str, kind: &str) -> Option<Value> {
    if kind == "boolean" {
        return match text {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            _ => None,
        };
    }
    // As JSON: "4,000" and "4 cases" are no values in it and stay texts.
    let value = strict(text).ok()?;
    let fits = match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_become_what_the_schema_asks_for() {
        let schema = json!({"type": "object", "properties": {
            "count": {"type": "integer"},
            "price": {"type": ["number", "null"]},
            "open": {"type": "boolean"},
            "orders": {"type": "array", "items": {"type": "integer"}},
            "by": {"type": "object", "properties": {"shop": {"type": "number"}}},
            "name": {"type": "string"},
            "either": {"type": ["integer", "string"]},
            "free": {},
        }});
        for (given, expected) in [
            (json!({"count": " 4"}), json!({"count": 4})),
            (json!({"price": "4.5"}), json!({"price": 4.5})),
            (json!({"open": "True"}), json!({"open": true})),
            (json!({"orders": "[4, \"5\"]"}), json!({"orders": [4, 5]})),
            (json!({"count": [4]}), json!({"count": 4})),
            (
                json!({"count": {"type": "integer", "value": "4"}}),
                json!({"count": 4}),
            ),
            (
                json!({"by": "{\"shop\": \"1e2\"}"}),
                json!({"by": {"shop": 100.0}}),
            ),
        ] {
            assert_eq!(fitted(&given, &schema), expected);
        }
        for same in [
            json!({"count": "4.5", "price": "4,000", "open": "yes", "orders": "4"}),
            json!({"count": "4 cases", "price": "NaN", "by": "[]"}),
            json!({"name": "4", "either": "4", "free": "4", "new": "4"}),
            json!({"count": [4, 5], "name": [4], "free": [4]}),
            json!({"count": {"value": 4, "of": 9}, "by": {"value": 4}}),
            json!("4"),
        ] {
            assert_eq!(fitted(&same, &schema), same);
        }
    }
}
