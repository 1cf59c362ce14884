//! Reads JSON in which no object has the same key twice.
//!
//! `serde_json` silently uses the last of two equal keys, so two programs could read different values
//! from one text. Text from files and from agents is therefore read with this module.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads one JSON value; an object that names a key twice is refused.
///
/// # Errors
/// When `bytes` are not exactly one JSON value, or an object has the same key twice.
pub fn json(bytes: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                let key = crate::error::clip(&key);
                return Err(A::Error::custom(format!("key `{key}` stands twice")));
            }
            let value = entries.next_value_seed(Self)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": [{"c": 1, "d": 2, "c": 3}]}}"#,
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let error = json(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("stands twice"), "{error}");
        }
        assert!(json(br#"[{"a": 1}, {"a": 2}]"#).is_ok());
        assert!(json(b"{} {}").is_err() && json(b"").is_err());
    }

    proptest! {
        /// Without a repeated key, the result is the same as with `serde_json`.
        #[test]
        fn all_else_is_read_as_ever(numbers in any::<Vec<f64>>(), text in ".*", whole in any::<i64>()) {
            let value = serde_json::json!({"n": numbers, "t": text, "w": [whole, null, true, {}]});
            let written = value.to_string();
            prop_assert_eq!(
                json(written.as_bytes()).unwrap(),
                serde_json::from_str::<Value>(&written).unwrap()
            );
        }
    }
}
