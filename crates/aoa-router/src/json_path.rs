//! Positions in a JSON text, for messages.
//!
//! A message that names `routing_policy.rules[2].choose` and its line lets the author of a file find the fault at once.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// One step from a JSON value into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'p> {
    /// The value of a key.
    Key(&'p str),
    /// An item of a list.
    Item(usize),
}

/// The steps as a dotted path (`routing_policy.rules[2].choose`).
pub(crate) fn path(steps: &[Step<'_>]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            Step::Key(key) if out.is_empty() => out.push_str(key),
            Step::Key(key) => {
                out.push('.');
                out.push_str(key);
            }
            Step::Item(at) => out.push_str(&format!("[{at}]")),
        }
    }
    out
}

/// The line of `text`, from 1, of the value behind `steps`, or of its first field; `None` without
/// such a value.
///
/// The parser reports lines only in errors. So this function deserialises along `steps` and fails
/// on purpose at the value.
pub(crate) fn line(text: &str, steps: &[Step<'_>]) -> Option<usize> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let found = Walk(steps).deserialize(&mut deserializer);
    found.err().map(|e| e.line()).filter(|line| *line > 0)
}

struct Walk<'p>(&'p [Step<'p>]);

impl Walk<'_> {
    /// Fails before the first field of the value: the parser knows the line only while it is there.
    fn fail_at_the_end<E: Error>(&self) -> Result<(), E> {
        if self.0.is_empty() {
            return Err(E::custom("the end of the way"));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    /// The default methods of a visitor refuse every value that is not a list or an object with these words.
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.fail_at_the_end()?;
        while let Some(key) = map.next_key::<String>()? {
            match self.0.split_first() {
                Some((Step::Key(wanted), rest)) if key == *wanted => {
                    map.next_value_seed(Walk(rest))?;
                }
                // Must be read all the same: the parser cannot step over a value.
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.fail_at_the_end()?;
        let Some((Step::Item(wanted), rest)) = self.0.split_first() else {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        for _ in 0..*wanted {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        list.next_element_seed(Walk(rest)).map(drop)
    }
}

/// Removes every key of `value` that `schema` does not have, and returns their positions.
pub(crate) fn remove_unknown(value: &mut Value, schema: &Value) -> Vec<String> {
    let mut removed = Vec::new();
    remove(value, schema, schema, "", &mut removed);
    removed
}

fn remove(value: &mut Value, part: &Value, whole: &Value, at: &str, removed: &mut Vec<String>) {
    let part = resolved(part, whole);
    match value {
        Value::Array(items) => {
            let Some(of) = part.get("items") else {
                return;
            };
            for (index, item) in items.iter_mut().enumerate() {
                remove(item, of, whole, &format!("{at}[{index}]"), removed);
            }
        }
        Value::Object(map) => {
            let Some(known) = part.get("properties").and_then(Value::as_object) else {
                return;
            };
            let keys: Vec<String> = map.keys().cloned().collect();
            for key in keys {
                let dot = if at.is_empty() { "" } else { "." };
                let inner = format!("{at}{dot}{}", sim_core::error::clip(&key));
                match (known.get(&key), map.get_mut(&key)) {
                    (Some(of), Some(value)) => remove(value, of, whole, &inner, removed),
                    _ => {
                        // Removed, because the types refuse unknown fields when the rest is read.
                        map.remove(&key);
                        removed.push(inner);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Resolves references and alternatives with null.
///
/// JSON Schemas of optional types are `anyOf` of the type and null, and types are referenced by `$ref`.
fn resolved<'s>(mut part: &'s Value, whole: &'s Value) -> &'s Value {
    // Our schemas have no longer chain of references; the limit ends a cycle.
    for _ in 0..8 {
        if let Some(target) = part.get("$ref").and_then(Value::as_str) {
            let pointer = target.trim_start_matches('#');
            part = whole.pointer(pointer).unwrap_or(&Value::Null);
        } else if let Some(alternatives) = part.get("anyOf").and_then(Value::as_array) {
            let object = alternatives
                .iter()
                .find(|it| it.get("$ref").is_some() || it.get("properties").is_some());
            let Some(object) = object else {
                return part;
            };
            part = object;
        } else {
            return part;
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_lines() {
        let text = "{\n \"a\": [\n  1,\n  {\"b\": 2}\n ],\n \"c\": \"x\"\n}";
        let cases: [(&[Step<'_>], Option<usize>); 5] = [
            (&[Step::Key("c")], Some(6)),
            (&[Step::Key("a"), Step::Item(0)], Some(3)),
            (&[Step::Key("a"), Step::Item(1), Step::Key("b")], Some(4)),
            (&[Step::Key("d")], None),
            (&[Step::Key("a"), Step::Item(7)], None),
        ];
        for (steps, expected) in cases {
            assert_eq!(line(text, steps), expected, "{}", path(steps));
        }
        assert_eq!(
            path(&[Step::Key("a"), Step::Item(1), Step::Key("b")]),
            "a[1].b"
        );
    }
}
