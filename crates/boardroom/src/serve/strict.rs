//! Reads JSON with a limited number of values, in which no object has the same key twice.
//!
//! Parsers disagree on which of two equal keys counts, so one could use a value that another did not
//! check. Also, a short text can hold very many values, each of which takes memory.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use sim_core::error::clip;
use std::fmt;

/// Reads one JSON value of at most `most` values in all.
///
/// # Errors
/// An error of category `Data` if the text is JSON but is refused, otherwise the parser's error.
pub(super) fn read(text: &[u8], most: usize) -> Result<Value, serde_json::Error> {
    let mut left = most;
    let mut parser = serde_json::Deserializer::from_slice(text);
    let value = Strict {
        most,
        left: &mut left,
    }
    .deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

struct Strict<'a> {
    most: usize,
    left: &'a mut usize,
}

impl Strict<'_> {
    fn inner(&mut self) -> Strict<'_> {
        Strict {
            most: self.most,
            left: self.left,
        }
    }

    fn count<E: Error>(&mut self) -> Result<(), E> {
        match self.left.checked_sub(1) {
            Some(left) => {
                *self.left = left;
                Ok(())
            }
            None => Err(E::custom(format!(
                "a message may hold {} JSON values; this one holds more",
                self.most
            ))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<Value, D::Error> {
        self.count::<D::Error>()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is too large"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
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
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!(
                    "the key `{}` stands twice in one object",
                    clip(&key)
                )));
            }
            let value = entries.next_value_seed(self.inner())?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::error::Category;

    #[test]
    fn what_is_taken_reads_as_elsewhere() {
        for text in [
            "null",
            "[]",
            "{}",
            r#"{"a": [1, -2, 2.5, 1e300, true, null, "x\n"], "b": {"a": 18446744073709551615}}"#,
        ] {
            let read = read(text.as_bytes(), 100).unwrap();
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
            let refused = read(text.as_bytes(), 5).unwrap_err();
            assert_eq!(refused.classify(), category, "{refused}");
        }
        assert!(read(b"[1, 2, 3, 4]", 5).is_ok());
        let deep = "[".repeat(100_000);
        let refused = read(deep.as_bytes(), 1_000_000).unwrap_err();
        assert_eq!(refused.classify(), Category::Syntax, "{refused}");
    }
}
