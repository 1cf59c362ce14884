//! Converts values to and from the interpreter.

use monty_types::MontyObject;
use qa_scoring::snippet::SnippetValue;
use serde_json::Value;

/// Maximum number of parts of a returned value, and maximum number of bytes of its text.
const PARTS: usize = 100_000;
const TEXT: usize = 1 << 20;

/// The interpreter's value as ours; `None` if it is too large.
pub(super) fn out(object: MontyObject) -> Option<SnippetValue> {
    convert(
        object,
        &mut Left {
            parts: PARTS,
            text: TEXT,
        },
    )
}

/// The rest of the allowance for a returned value.
struct Left {
    parts: usize,
    text: usize,
}

impl Left {
    fn text(&mut self, text: String) -> Option<String> {
        self.text = self.text.checked_sub(text.len())?;
        Some(text)
    }
}

fn convert(object: MontyObject, left: &mut Left) -> Option<SnippetValue> {
    left.parts = left.parts.checked_sub(1)?;
    Some(match object {
        MontyObject::None => SnippetValue::None,
        MontyObject::Bool(value) => SnippetValue::Bool(value),
        MontyObject::Int(value) => SnippetValue::Int(i128::from(value)),
        MontyObject::BigInt(value) => {
            // Converting a number of n bits to digits takes time proportional to n squared.
            if value.bits() > 100_000 {
                return None;
            }
            let digits = left.text(value.to_string())?;
            match digits.parse() {
                Ok(value) => SnippetValue::Int(value),
                Err(_) => SnippetValue::Big(digits),
            }
        }
        MontyObject::Float(value) => SnippetValue::Float(value),
        MontyObject::String(text) => SnippetValue::Text(left.text(text)?),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::NamedTuple { values: items, .. } => {
            let items: Option<Vec<_>> = items.into_iter().map(|item| convert(item, left)).collect();
            SnippetValue::List(items?)
        }
        MontyObject::Dict(pairs) => {
            let fields: Option<Vec<_>> = pairs
                .into_iter()
                .map(|(key, value)| {
                    let key = convert(key, left)?.text();
                    Some((key, convert(value, left)?))
                })
                .collect();
            SnippetValue::Map(fields?)
        }
        MontyObject::Set(_) | MontyObject::FrozenSet(_) => SnippetValue::Other("set".to_owned()),
        MontyObject::Bytes(_) => SnippetValue::Other("bytes".to_owned()),
        other => SnippetValue::Other(left.text(sim_core::error::clip(&other.to_string()))?),
    })
}

/// A table as the interpreter's value.
pub(super) fn table(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(value) => MontyObject::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => MontyObject::Int(value),
            (None, Some(value)) => MontyObject::Float(value),
            (None, None) => MontyObject::None,
        },
        Value::String(text) => MontyObject::String(text.clone()),
        Value::Array(items) => MontyObject::List(items.iter().map(table).collect()),
        Value::Object(fields) => {
            let pairs: Vec<_> = fields
                .iter()
                .map(|(key, value)| (MontyObject::String(key.clone()), table(value)))
                .collect();
            MontyObject::dict(pairs)
        }
    }
}
