//! Reads JSON in which no object has the same key twice.
//!
//! `serde_json` silently takes the last of two equal keys, so two programs may read different values from
//! one text. Text from files and agents is therefore read here. A short text can also hold very many
//! values, each of which needs memory, so their number can be limited. The parser limits nesting to 128
//! levels.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::{Entry, Map};
use serde_json::{Number, Value};
use std::fmt;

/// Most JSON values in a text of an agent: a list of zeros is short on the wire and takes a hundred
/// times as much room in memory.
pub const MOST_VALUES: usize = 100_000;

/// Maximum number of JSON values in a file, or in a line of a file of lines. A value takes 72 bytes in memory, or
/// about 200 in an object; the types that are made from it take as much again.
pub const MOST_STORED_VALUES: usize = 1_500_000;

/// Reads one JSON value; an object that names a key twice is refused.
///
/// # Errors
/// When `bytes` are not exactly one JSON value, hold more than [`MOST_STORED_VALUES`], or an object has
/// the same key twice.
pub fn json(bytes: &[u8]) -> serde_json::Result<Value> {
    json_within(bytes, MOST_STORED_VALUES)
}

/// Whether `bytes`, one JSON text or several, hold more than `most` values, lists and objects counted too.
/// Nothing is parsed: for texts that are read into types by `serde_json` itself. For bytes that are not JSON
/// the answer means nothing.
#[must_use]
pub fn holds_more_than(bytes: &[u8], most: usize) -> bool {
    // A value takes at least one byte, and all but the last a separator.
    if bytes.len() <= most {
        return false;
    }
    let (mut count, mut in_text, mut is_escaped) = (1_usize, false, false);
    for byte in bytes {
        if in_text {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            // The first value of a list or an object follows its bracket, the others a comma; each text
            // of a file of lines follows a line end.
            b',' | b'[' | b'{' | b'\n' => count += 1,
            _ => {}
        }
        if count > most {
            return true;
        }
    }
    false
}

/// The same for a text of at most `most` values in all, lists and objects counted too.
///
/// # Errors
/// As for [`json`], or when there are more values. What is JSON, but is not taken, is an error of
/// the category [`Data`](serde_json::error::Category::Data).
pub fn json_within(bytes: &[u8], most: usize) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let mut left = most;
    let strict = Strict {
        most,
        left: &mut left,
    };
    let value = strict.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a JSON value in a field of a type, where `serde_json` would take the last of two equal keys. For the
/// attribute `deserialize_with`; the number of values is that of the whole text, which its reader limits.
///
/// # Errors
/// When an object has the same key twice, and those of `reader`.
pub fn value<'de, D: Deserializer<'de>>(reader: D) -> Result<Value, D::Error> {
    let mut left = usize::MAX;
    Strict::new(&mut left).deserialize(reader)
}

/// The same for a field that may be absent or `null`.
///
/// # Errors
/// As for [`value`].
pub fn optional<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    #[derive(Deserialize)]
    struct Held(#[serde(deserialize_with = "value")] Value);
    let held = Option::<Held>::deserialize(reader)?;
    Ok(held.map(|Held(value)| value))
}

/// The error of a key that an object has twice.
pub(crate) fn twice<E: serde::de::Error>(key: &str) -> E {
    let key = crate::error::clip(key);
    E::custom(format!("the key `{key}` occurs twice"))
}

/// Reads one JSON value with the checks of [`json_within`]: for the elements of a list that is too long to be held in
/// memory as a whole.
#[derive(Debug)]
pub struct Strict<'a> {
    most: usize,
    left: &'a mut usize,
}

impl<'a> Strict<'a> {
    /// A reader of at most `left` values, lists and objects counted too. It subtracts the values that it reads from
    /// `left`.
    pub fn new(left: &'a mut usize) -> Self {
        Self { most: *left, left }
    }
}

impl Strict<'_> {
    fn inner(&mut self) -> Strict<'_> {
        Strict {
            most: self.most,
            left: self.left,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        // Counted before the value is read, so that memory never holds more than the limit.
        let Some(left) = self.left.checked_sub(1) else {
            return Err(D::Error::custom(format!(
                "a text may hold {} JSON values; this one holds more",
                self.most
            )));
        };
        *self.left = left;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
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

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            // Asked before the value of the second key is read: that may be large.
            match map.entry(key) {
                Entry::Vacant(free) => _ = free.insert(entries.next_value_seed(self.inner())?),
                Entry::Occupied(held) => return Err(twice(held.key())),
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::error::Category;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": [{"c": 1, "d": 2, "c": 3}]}}"#,
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let error = json(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("twice"), "{error}");
        }
        assert!(json(br#"[{"a": 1}, {"a": 2}]"#).is_ok());
        assert!(json(b"{} {}").is_err() && json(b"").is_err());
    }

    #[test]
    fn values_are_counted_without_parsing() {
        let text = br#"{"a,b\"[": [1, 2, {"c": "x,y,z"}], "d": []}"#;
        // One for each comma and bracket outside of texts, and one: never less than there are.
        assert!(holds_more_than(text, 7) && !holds_more_than(text, 8));
        assert!(!holds_more_than(b"[0,0]", 5) && holds_more_than(b"[0,0,0,0,0]", 5));
        assert!(holds_more_than(b"{}\n{}\n{}\n{}\n", 6));
        let zeros = format!("[{}0]", "0,".repeat(MOST_STORED_VALUES));
        assert!(json(zeros.as_bytes()).is_err());
    }

    #[test]
    fn what_is_taken_reads_as_elsewhere() {
        for text in [
            "null",
            "[]",
            "{}",
            r#"{"a": [1, -2, 2.5, 1e300, true, null, "x\n"], "b": {"a": 18446744073709551615}}"#,
        ] {
            let read = json_within(text.as_bytes(), 100).unwrap();
            assert_eq!(read, serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_not_taken_is_told_from_what_is_not_json() {
        for (text, category) in [
            (r#"{"a": 1, "a": 1}"#, Category::Data),
            (r#"[{"b": {"a": 1, "\u0061": 2}}]"#, Category::Data),
            ("[1, 2, 3, 4, 5]", Category::Data),
            ("[1", Category::Eof),
            ("[1] 2", Category::Syntax),
            ("1e400", Category::Syntax),
        ] {
            let refused = json_within(text.as_bytes(), 5).unwrap_err();
            assert_eq!(refused.classify(), category, "{refused}");
        }
        assert!(json_within(b"[1, 2, 3, 4]", 5).is_ok());
        let deep = "[".repeat(100_000);
        let refused = json_within(deep.as_bytes(), 1_000_000).unwrap_err();
        assert_eq!(refused.classify(), Category::Syntax, "{refused}");
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
