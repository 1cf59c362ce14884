//! Canonical JSON straight from a value, without a tree of it in memory.
//!
//! `serde_json` writes the value in the order of its fields, with control characters as marks at the places where
//! objects and their entries begin and end. JSON text holds no control characters otherwise: in strings they are
//! escaped. A second pass puts the entries of every object in order.

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};
use std::io::{Error, Result, Write};

/// Begins an object.
const OPEN: u8 = 1;
/// Begins an entry of an object.
const ENTRY: u8 = 2;
/// Ends an object.
const CLOSE: u8 = 3;

/// Appends the canonical JSON of `value` to `out`.
///
/// # Errors
/// Says why the value has no JSON form; `out` is unchanged then.
pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    out: &mut String,
) -> std::result::Result<(), String> {
    let mut marked = Vec::with_capacity(512);
    let mut serializer = Serializer::with_formatter(&mut marked, Marks);
    value
        .serialize(&mut serializer)
        .map_err(|e| e.to_string())?;
    let marked = String::from_utf8(marked).map_err(|e| e.to_string())?;
    let before = out.len();
    let mut pass = Pass {
        rest: &marked,
        is_plain: true,
    };
    pass.value(out);
    if pass.is_plain {
        return Ok(());
    }
    // Escaped and equal keys are too rare for code of their own here.
    out.truncate(before);
    let value = serde_json::to_value(value).map_err(|e| e.to_string())?;
    super::write_canonical(&value, out);
    Ok(())
}

/// Writes marks in place of braces and commas of objects, and numbers and escapes as a tree of the value would.
struct Marks;

impl Formatter for Marks {
    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> Result<()> {
        to.write_all(&[OPEN])
    }

    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> Result<()> {
        to.write_all(&[CLOSE])
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, to: &mut W, _first: bool) -> Result<()> {
        to.write_all(&[ENTRY])
    }

    fn write_f32<W: Write + ?Sized>(&mut self, to: &mut W, value: f32) -> Result<()> {
        CompactFormatter.write_f64(to, f64::from(value))
    }

    fn write_i128<W: Write + ?Sized>(&mut self, to: &mut W, value: i128) -> Result<()> {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => CompactFormatter.write_u64(to, value),
            (_, Ok(value)) => CompactFormatter.write_i64(to, value),
            _ => Err(Error::other("number out of range")),
        }
    }

    fn write_u128<W: Write + ?Sized>(&mut self, to: &mut W, value: u128) -> Result<()> {
        let value = u64::try_from(value).map_err(|_| Error::other("number out of range"))?;
        CompactFormatter.write_u64(to, value)
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
        escape: CharEscape,
    ) -> Result<()> {
        // Canonical JSON has short escapes only for the five characters that everybody expects.
        match escape {
            CharEscape::Backspace => to.write_all(b"\\u0008"),
            CharEscape::FormFeed => to.write_all(b"\\u000c"),
            escape => CompactFormatter.write_char_escape(to, escape),
        }
    }
}

/// The second pass over the text with marks.
struct Pass<'a> {
    rest: &'a str,
    /// False if a key has an escape or stands twice: then the order of the texts is not that of the keys.
    is_plain: bool,
}

impl Pass<'_> {
    /// Copies the text up to the end of the entry or of everything.
    fn value(&mut self, out: &mut String) {
        loop {
            let mark = self.rest.bytes().position(|byte| byte <= CLOSE);
            let (plain, rest) = self.rest.split_at(mark.unwrap_or(self.rest.len()));
            out.push_str(plain);
            self.rest = rest;
            if rest.as_bytes().first() != Some(&OPEN) {
                return;
            }
            self.skip();
            self.object(out);
        }
    }

    fn skip(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    fn object(&mut self, out: &mut String) {
        out.push('{');
        let begin = out.len();
        let mut entries: Vec<(usize, usize)> = Vec::with_capacity(16);
        let mut is_sorted = true;
        while self.rest.as_bytes().first() == Some(&ENTRY) {
            self.skip();
            if !entries.is_empty() {
                out.push(',');
            }
            let start = out.len();
            self.value(out);
            let name = key(out.get(start..));
            self.is_plain &= !name.contains('\\');
            let before = entries.last().map(|&(before, _)| key(out.get(before..)));
            is_sorted &= before.is_none_or(|before| before < name);
            entries.push((start, out.len()));
        }
        self.skip();
        if !is_sorted {
            let unsorted = out.split_off(begin);
            let text = |&(start, end): &(usize, usize)| unsorted.get(start - begin..end - begin);
            entries.sort_unstable_by_key(|entry| key(text(entry)));
            let mut last = None;
            for entry in &entries {
                let name = key(text(entry));
                self.is_plain &= last != Some(name);
                if last.is_some() {
                    out.push(',');
                }
                last = Some(name);
                out.push_str(text(entry).unwrap_or_default());
            }
        }
        out.push('}');
    }
}

/// The key of an entry, without its quotes.
fn key(entry: Option<&str>) -> &str {
    let entry = entry.and_then(|entry| entry.get(1..)).unwrap_or_default();
    // A key with an escaped quote is cut short; whoever compares it sees the backslash.
    entry.split('"').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::bytes::{canonical_json, canonical_text};
    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::{Map, Value};
    use std::collections::HashMap;

    /// Every kind of field that `serde` knows, in no order.
    #[derive(Debug, Serialize)]
    struct Mixed {
        zebra: f32,
        apple: Option<f64>,
        #[serde(flatten)]
        more: HashMap<String, i64>,
        kind: Kind,
        nested: Vec<(u128, char)>,
        value: Value,
        numbers: HashMap<u16, bool>,
    }

    #[derive(Debug, Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Nothing,
        Word(String),
        Pair {
            second: i8,
            first: Box<Option<Kind>>,
        },
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    prop_compose! {
        fn mixed()(
            zebra: f32, apple: Option<f64>, more in prop::collection::hash_map("[a-z\\\\\"! ]{0,3}", any::<i64>(), 0..6),
            word: String, second: i8, kind in 0..3, value in values(), numbers: HashMap<u16, bool>,
            nested in prop::collection::vec((any::<u64>().prop_map(u128::from), any::<char>()), 0..3),
        ) -> Mixed {
            let kind = match kind {
                0 => Kind::Nothing,
                1 => Kind::Word(word),
                _ => Kind::Pair { second, first: Box::new(Some(Kind::Word(word))) },
            };
            Mixed { zebra, apple, more, kind, nested, value, numbers }
        }
    }

    proptest! {
        #[test]
        fn the_text_is_that_of_the_tree(value in mixed()) {
            let tree = serde_json::to_value(&value).unwrap();
            prop_assert_eq!(canonical_json(&value).unwrap(), canonical_text(&tree));
        }

        #[test]
        fn a_tree_has_one_text(value in values()) {
            prop_assert_eq!(canonical_json(&value).unwrap(), canonical_text(&value));
        }
    }

    #[test]
    fn what_has_no_json_form_is_an_error() {
        assert!(canonical_json(&u128::MAX).is_err());
        assert!(canonical_json(&HashMap::from([((1, 2), 3)])).is_err());
        assert_eq!(canonical_json(&f64::NAN).unwrap(), "null");
    }
}
