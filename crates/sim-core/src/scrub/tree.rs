//! The texts of a JSON value, one after the other.
//!
//! A key may be cut into pieces that are too short to be told from ordinary text: over the parts
//! of a message, the fields of an object, the items of a list. So texts are also joined and then read:
//! all of them in order, the values without the names, the names, and the values of each field alone
//! (`calls[].name`: the names of all calls).

use super::forms::Forms;
use super::scan;
use super::tails::Ends;
use crate::Seed;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a text that is shorter than this is masked only where it is the whole text \[bytes\].
const EDGE: usize = 3;

/// The texts of a value in order, with the parts of them that have to be masked.
pub(super) struct Leaves(Vec<Leaf>);

/// Texts that are read joined. A field is told by a hash of the names on the way to it: the names
/// themselves may be as long as the whole value, and every text in it would hold a copy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stream(u64);

impl Stream {
    /// All texts.
    const ALL: Self = Self(0);
    /// The names in objects.
    const NAMES: Self = Self(1);
    /// All that is not a name; also the field that the whole value is.
    const VALUES: Self = Self(2);

    fn field(self, name: &str) -> Self {
        Self(Seed(self.0).child(name, 0).0)
    }

    /// The items of a list; their number does not tell them apart.
    fn items(self) -> Self {
        Self(Seed(self.0).child("", 1).0)
    }
}

struct Leaf {
    stream: Stream,
    text: String,
    spans: Vec<(usize, usize)>,
}

impl Leaves {
    pub(super) fn of(value: &Value) -> Self {
        let mut leaves = Vec::new();
        collect(value, Stream::VALUES, &mut leaves);
        Self(leaves)
    }

    /// Looks for keys, starting with the earlier texts in `ends`, and updates `ends`.
    pub(super) fn find(&mut self, forms: &Forms, mut ends: Option<&mut Ends>) {
        let mut streams: BTreeMap<Stream, Vec<usize>> = BTreeMap::new();
        streams.insert(Stream::ALL, (0..self.0.len()).collect());
        for (place, leaf) in self.0.iter().enumerate() {
            streams.entry(leaf.stream).or_default().push(place);
            if leaf.stream != Stream::NAMES && leaf.stream != Stream::VALUES {
                streams.entry(Stream::VALUES).or_default().push(place);
            }
        }
        let mut read: BTreeSet<Vec<usize>> = BTreeSet::new();
        for (stream, places) in streams {
            match ends.as_deref_mut() {
                Some(ends) => self.read(forms, stream, &places, Some(ends)),
                // A value of one string is one stream, not three.
                None if read.contains(&places) => {}
                None => {
                    self.read(forms, stream, &places, None);
                    read.insert(places);
                }
            }
        }
    }

    fn read(&mut self, forms: &Forms, name: Stream, places: &[usize], ends: Option<&mut Ends>) {
        let mut stream = ends.as_ref().map_or("", |ends| ends.get(name)).to_owned();
        let mut starts = Vec::with_capacity(places.len());
        for place in places {
            starts.push(stream.len());
            if let Some(leaf) = self.0.get(*place) {
                stream.push_str(&leaf.text);
            }
        }
        for (from, to) in scan::spans(forms, &stream) {
            let first = starts.partition_point(|start| *start <= from).max(1) - 1;
            for (place, start) in places.iter().zip(&starts).skip(first) {
                let Some(leaf) = self.0.get_mut(*place).filter(|_| *start < to) else {
                    break;
                };
                let (a, b) = (from.saturating_sub(*start), to - start);
                let (a, b) = (a.min(leaf.text.len()), b.min(leaf.text.len()));
                // The last letter of a neighbour may be a letter of the key by chance, and our own
                // field names must not change.
                if b >= a + EDGE || (a == 0 && b == leaf.text.len() && b > 0) {
                    leaf.spans.push((a, b));
                }
            }
        }
        if let Some(ends) = ends {
            ends.keep(name, &stream);
        }
    }

    /// `value`, whose texts these are, with the masked parts replaced.
    pub(super) fn put_into(self, value: &Value) -> Value {
        if self.0.iter().all(|leaf| leaf.spans.is_empty()) {
            return value.clone();
        }
        let mut texts = self.0.into_iter().map(|leaf| {
            let spans = scan::merged(leaf.spans);
            (!spans.is_empty()).then(|| scan::masked(&leaf.text, &spans))
        });
        rebuilt(value, &mut texts)
    }
}

fn collect(value: &Value, stream: Stream, leaves: &mut Vec<Leaf>) {
    let leaf = |stream: Stream, text: String| Leaf {
        stream,
        text,
        spans: Vec::new(),
    };
    match value {
        Value::String(text) => leaves.push(leaf(stream, text.clone())),
        // Digits of a key, or the codes of its characters.
        Value::Number(number) => leaves.push(leaf(stream, number.to_string())),
        Value::Null | Value::Bool(_) => {}
        Value::Array(items) => {
            let stream = stream.items();
            for item in items {
                collect(item, stream, leaves);
            }
        }
        Value::Object(map) => {
            for (name, item) in map {
                leaves.push(leaf(Stream::NAMES, name.clone()));
                collect(item, stream.field(name), leaves);
            }
        }
    }
}

/// `value` with every text replaced for which `texts` has another one, in the order of [`collect`].
fn rebuilt(value: &Value, texts: &mut impl Iterator<Item = Option<String>>) -> Value {
    match value {
        Value::String(_) | Value::Number(_) => match texts.next().flatten() {
            Some(text) => Value::String(text),
            None => value.clone(),
        },
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Array(items) => items.iter().map(|item| rebuilt(item, texts)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(name, item)| {
                let name = texts.next().flatten().unwrap_or_else(|| name.clone());
                (name, rebuilt(item, texts))
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

    /// What the texts of a value take \[bytes\].
    fn size(leaves: &Leaves) -> usize {
        let texts: usize = leaves.0.iter().map(|leaf| leaf.text.capacity()).sum();
        leaves.0.capacity() * size_of::<Leaf>() + texts
    }

    #[test]
    fn a_long_name_is_held_once() {
        let name = "n".repeat(1 << 20);
        let items: Vec<Value> = vec![json!(0); 100_000];
        let mut inner = Map::new();
        inner.insert(name.clone(), Value::from(items));
        let value = json!({ "a": inner, "b": KEY });
        let mut leaves = Leaves::of(&value);
        let most = 3 * (100_000 * size_of::<Leaf>() + name.len());
        assert!(size(&leaves) <= most, "{} of {most}", size(&leaves));
        let forms = Forms::new([KEY]).unwrap();
        let mut ends = Ends::default();
        leaves.find(&forms, None);
        leaves.find(&forms, Some(&mut ends));
        assert!(ends.size() <= Ends::MOST_BYTES, "{}", ends.size());
        assert_eq!(leaves.put_into(&value)["b"], "[key]");
    }

    #[test]
    fn many_distinct_names_are_read() {
        let mut map: Map<String, Value> = (0..50_000)
            .map(|n| (format!("field_{n}"), json!(n)))
            .collect();
        map.insert("last".to_owned(), json!(KEY));
        let value = Value::Object(map);
        let mut leaves = Leaves::of(&value);
        leaves.find(&Forms::new([KEY]).unwrap(), None);
        assert_eq!(leaves.put_into(&value)["last"], "[key]");
    }

    #[test]
    fn fields_are_told_apart_by_the_whole_way_to_them() {
        let value = json!({"a": {"b": 1, "[]": 2}, "b": 3, "a.b": 4, "l": [5, [6], 7]});
        let leaves = Leaves::of(&value);
        let stream_of = |text: &str| {
            leaves
                .0
                .iter()
                .find(|leaf| leaf.text == text)
                .unwrap()
                .stream
        };
        let texts = ["1", "2", "3", "4", "5", "6"];
        let distinct: BTreeSet<u64> = texts.iter().map(|text| stream_of(text).0).collect();
        assert_eq!(distinct.len(), texts.len());
        assert!(stream_of("5") == stream_of("7"));
    }
}
