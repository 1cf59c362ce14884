//! Text conversion as in Python.

use super::float::{float_text, is_space};
use serde_json::{Number, Value};

/// `text.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The value of `str(value)` for a value from `json.loads`.
///
/// ```
/// use qa_scoring::python::value_text;
/// use serde_json::json;
/// assert_eq!(value_text(&json!([1, 2.5, "x", null, true])), "[1, 2.5, 'x', None, True]");
/// assert_eq!(value_text(&json!("x")), "x");
/// ```
#[must_use]
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let mut out = String::new();
            represent(other, &mut out);
            out
        }
    }
}

/// Appends `repr(value)`.
fn represent(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (k, item) in items.iter().enumerate() {
                if k > 0 {
                    out.push_str(", ");
                }
                represent(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (k, (name, item)) in fields.iter().enumerate() {
                if k > 0 {
                    out.push_str(", ");
                }
                quote(name, out);
                out.push_str(": ");
                represent(item, out);
            }
            out.push('}');
        }
    }
}

/// A number as Python writes it: integers as they are, floats by `repr`.
fn number_text(number: &Number) -> String {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(value), _, _) => value.to_string(),
        (_, Some(value), _) => value.to_string(),
        (_, _, Some(value)) => float_text(value),
        _ => number.to_string(),
    }
}

/// A text as `repr` writes it, for the characters that occur in answers.
fn quote(text: &str, out: &mut String) {
    // As `repr` chooses: double quotes only where they save the escapes.
    let mark = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(mark);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == mark => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push(mark);
}
