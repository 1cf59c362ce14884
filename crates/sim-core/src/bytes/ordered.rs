//! Canonical JSON straight from a value, without a tree of it in memory.
//!
//! `serde_json` writes the fields of an object in their own order. [`Ordered`] sees where entries begin and end, and
//! puts those of each object in order when it ends.

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};
use std::cell::RefCell;
use std::io::{Error, Result, Write};

/// Appends the canonical JSON of `value` to `out`.
///
/// # Errors
/// Says why the value has no JSON form; `out` is unchanged then.
pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    out: &mut String,
) -> std::result::Result<(), String> {
    let before = out.len();
    // Two parties need the text at once: `serde_json` appends to it, and the formatter reads places
    // in it and puts entries in order. Hence the cell.
    let buffer = RefCell::new(std::mem::take(out).into_bytes());
    let mut ordered = Ordered {
        buffer: &buffer,
        objects: Vec::new(),
        entries: Vec::with_capacity(32),
        unsorted: Vec::new(),
        is_plain: true,
    };
    let mut serializer = Serializer::with_formatter(Buffer(&buffer), &mut ordered);
    let written = value.serialize(&mut serializer).map_err(|e| e.to_string());
    let is_plain = ordered.is_plain;
    let mut bytes = buffer.into_inner();
    if written.is_err() || !is_plain {
        bytes.truncate(before);
    }
    // This cannot fail: the text is cut only at quotes and braces, never within a character.
    *out = String::from_utf8(bytes).map_err(|e| e.to_string())?;
    written?;
    if !is_plain {
        // Escaped and equal keys are too rare for code of their own here.
        let value = serde_json::to_value(value).map_err(|e| e.to_string())?;
        super::write_canonical(&value, out);
    }
    Ok(())
}

/// The text so far, which its formatter sees too.
struct Buffer<'a>(&'a RefCell<Vec<u8>>);

impl Write for Buffer<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Places in the text: of an entry of an object, and of the end of its key.
#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    key_end: usize,
    end: usize,
}

impl Entry {
    /// The key without its quotes, in a text that begins at `from`.
    fn key(self, text: &[u8], from: usize) -> &[u8] {
        text.get(self.start + 1 - from..self.key_end - 1 - from)
            .unwrap_or_default()
    }
}

/// Writes objects in the order of their keys, and numbers and escapes as a tree of the value would.
struct Ordered<'a> {
    buffer: &'a RefCell<Vec<u8>>,
    /// The objects that are open: the place of their first entry in the text, and in `entries`.
    objects: Vec<(usize, usize)>,
    /// The entries of the open objects, the innermost one last.
    entries: Vec<Entry>,
    /// The entries of an object before they are put in order; kept for its memory.
    unsorted: Vec<u8>,
    /// False if a key has an escape or stands twice: then the order of the texts is not that of the keys.
    is_plain: bool,
}

impl Ordered<'_> {
    fn put_in_order(&mut self) -> Option<()> {
        let (begin, first) = self.objects.pop()?;
        let mut text = self.buffer.borrow_mut();
        let entries = self.entries.get_mut(first..)?;
        // Strictly less, so that equal keys count as unsorted and are found below.
        let is_sorted = entries.is_sorted_by(|a, b| a.key(&text, 0) < b.key(&text, 0));
        if !is_sorted {
            self.unsorted.clear();
            self.unsorted.extend_from_slice(text.get(begin..)?);
            text.truncate(begin);
            let unsorted = &self.unsorted;
            entries.sort_unstable_by_key(|entry| entry.key(unsorted, begin));
            let mut before = None;
            // An entry begins behind its comma, so the commas are written anew.
            for entry in &*entries {
                let key = entry.key(unsorted, begin);
                self.is_plain &= before != Some(key);
                if before.is_some() {
                    text.push(b',');
                }
                before = Some(key);
                text.extend_from_slice(unsorted.get(entry.start - begin..entry.end - begin)?);
            }
        }
        self.entries.truncate(first);
        Some(())
    }
}

impl Formatter for &mut Ordered<'_> {
    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> Result<()> {
        to.write_all(b"{")?;
        let begin = self.buffer.borrow().len();
        self.objects.push((begin, self.entries.len()));
        Ok(())
    }

    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> Result<()> {
        self.put_in_order()
            .ok_or_else(|| Error::other("an object ends that did not begin"))?;
        to.write_all(b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> Result<()> {
        if !first {
            to.write_all(b",")?;
        }
        let start = self.buffer.borrow().len();
        self.entries.push(Entry {
            start,
            key_end: start,
            end: start,
        });
        Ok(())
    }

    fn end_object_key<W: Write + ?Sized>(&mut self, _: &mut W) -> Result<()> {
        let text = self.buffer.borrow();
        if let Some(entry) = self.entries.last_mut() {
            entry.key_end = text.len();
            self.is_plain &= !entry.key(&text, 0).contains(&b'\\');
        }
        Ok(())
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> Result<()> {
        if let Some(entry) = self.entries.last_mut() {
            entry.end = self.buffer.borrow().len();
        }
        Ok(())
    }

    fn write_f32<W: Write + ?Sized>(&mut self, to: &mut W, value: f32) -> Result<()> {
        // A tree holds doubles only: there 0.1 of 32 bits becomes 0.10000000149011612, so here too.
        CompactFormatter.write_f64(to, f64::from(value))
    }

    fn write_i128<W: Write + ?Sized>(&mut self, to: &mut W, value: i128) -> Result<()> {
        // A tree of the value refuses larger numbers. If they were written here, the same value
        // would have a digest by one way and an error by the other.
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

#[cfg(test)]
mod tests {
    use crate::bytes::{NotJson, canonical_text, write_json};
    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::{Map, Value};
    use std::collections::BTreeMap;

    fn text_of<T: Serialize>(value: &T) -> Result<String, NotJson> {
        let mut text = "before ".to_owned();
        let written = write_json(value, &mut text);
        assert!(written.is_ok() || text == "before ", "{text}");
        written.map(|()| text.split_off("before ".len()))
    }

    /// Every kind of field that `serde` knows, in no order.
    #[derive(Debug, Serialize)]
    struct Mixed {
        zebra: f32,
        apple: Option<f64>,
        #[serde(flatten)]
        more: BTreeMap<String, i64>,
        kind: Kind,
        nested: Vec<(u128, char)>,
        value: Value,
        numbers: BTreeMap<u16, bool>,
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
            zebra: f32, apple: Option<f64>, more in prop::collection::btree_map("[a-z\\\\\"! ]{0,3}", any::<i64>(), 0..6),
            word: String, second: i8, kind in 0..3, value in values(), numbers: BTreeMap<u16, bool>,
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
            prop_assert_eq!(text_of(&value).unwrap(), canonical_text(&tree));
        }

        #[test]
        fn a_tree_has_one_text(value in values()) {
            prop_assert_eq!(text_of(&value).unwrap(), canonical_text(&value));
        }
    }

    #[test]
    fn depth_is_not_limited() {
        // Deeper than `serde_json` reads, with keys whose texts are not in the order of the keys.
        let deep = (0..300).fold(
            Value::Null,
            |inner, _| serde_json::json!({"\"": inner, "!": 1}),
        );
        assert_eq!(text_of(&deep).unwrap(), canonical_text(&deep));
    }

    #[test]
    fn what_has_no_json_form_is_an_error() {
        assert!(text_of(&u128::MAX).is_err());
        assert!(text_of(&BTreeMap::from([((1, 2), 3)])).is_err());
        assert_eq!(text_of(&f64::NAN).unwrap(), "null");
    }
}
