//! The texts of a JSON value, one after the other.
//!
//! A key may be cut into pieces that are too short to be told from ordinary text: over the parts
//! of a message, the fields of an object, the items of a list. So texts are also joined and then read:
//! all of them in order, the values without the names, the names, and the values of each field alone
//! (`calls[].name`: the names of all calls).

use super::forms::Forms;
use super::scan;
use super::tails::Ends;
use serde_json::Value;
use std::collections::BTreeMap;

/// A part of a text that is shorter than this is masked only where it is the whole text \[bytes\].
const EDGE: usize = 3;

/// The texts of a value in order, with the parts of them that have to be masked.
pub(super) struct Leaves(Vec<Leaf>);

struct Leaf {
    /// Field of the value; empty for a name.
    field: String,
    text: String,
    spans: Vec<(usize, usize)>,
}

impl Leaves {
    pub(super) fn of(value: &Value) -> Self {
        let mut leaves = Vec::new();
        collect(value, "value", &mut leaves);
        Self(leaves)
    }

    /// Looks for keys, starting with the earlier texts in `ends`, and updates `ends`.
    pub(super) fn find(&mut self, forms: &Forms, mut ends: Option<&mut Ends>) {
        let all: Vec<usize> = (0..self.0.len()).collect();
        let mut streams: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, leaf) in self.0.iter().enumerate() {
            let (kind, field) = if leaf.field.is_empty() {
                ("names", "names")
            } else {
                ("values", leaf.field.as_str())
            };
            streams.entry(kind.to_owned()).or_default().push(place);
            if field != kind {
                streams.entry(field.to_owned()).or_default().push(place);
            }
        }
        streams.insert("all".to_owned(), all);
        let mut read: Vec<Vec<usize>> = Vec::new();
        for (name, places) in streams {
            // A value of one string is one stream, not three.
            if ends.is_none() {
                if read.contains(&places) {
                    continue;
                }
                read.push(places.clone());
            }
            self.read(forms, &name, &places, ends.as_deref_mut());
        }
    }

    fn read(&mut self, forms: &Forms, name: &str, places: &[usize], ends: Option<&mut Ends>) {
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

fn collect(value: &Value, field: &str, leaves: &mut Vec<Leaf>) {
    let mut leaf = |field: &str, text: String| {
        leaves.push(Leaf {
            field: field.to_owned(),
            text,
            spans: Vec::new(),
        });
    };
    match value {
        Value::String(text) => leaf(field, text.clone()),
        // A number may be digits of a key, or the code of one of its characters.
        Value::Number(number) => leaf(field, number.to_string()),
        Value::Null | Value::Bool(_) => {}
        Value::Array(items) => {
            let field = format!("{field}[]");
            for item in items {
                collect(item, &field, leaves);
            }
        }
        Value::Object(map) => {
            for (name, item) in map {
                leaves.push(Leaf {
                    field: String::new(),
                    text: name.clone(),
                    spans: Vec::new(),
                });
                collect(item, &format!("{field}.{name}"), leaves);
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
