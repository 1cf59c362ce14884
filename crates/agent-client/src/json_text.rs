//! JSON in the text of a model: in a code fence, between words, or with a stray comma.

use serde_json::Value;

/// The first JSON object or list in `text`.
///
/// # Errors
/// Why there is none: the parser's words on the likeliest piece.
pub fn find(text: &str) -> Result<Value, String> {
    let read = |text: &str| sim_core::strict::json(text.as_bytes());
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = read(text.trim()) {
        return Ok(value);
    }
    let mut why = None;
    for (at, _) in text.match_indices(['{', '[']) {
        let rest = text.get(at..).unwrap_or_default();
        let piece = balanced(rest);
        let e = match read(piece.unwrap_or(rest)) {
            Ok(value) => return Ok(value),
            Err(e) => e,
        };
        let mended = piece.map(|piece| read(&mended(piece)));
        match mended {
            Some(Ok(value)) => return Ok(value),
            // A key that stands twice: what is inside such an object is not what was meant either.
            Some(Err(twice)) if twice.is_data() => return Err(twice.to_string()),
            _ => {
                // The outermost brace is the likeliest, so its error is the one to show.
                if rest.starts_with('{') {
                    why.get_or_insert_with(|| e.to_string());
                }
            }
        }
    }
    Err(why.unwrap_or_else(|| "the text holds no JSON object".to_owned()))
}

/// The piece up to the bracket that closes the first one.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (at, c) in text.char_indices() {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Without commas before a closing bracket, which models like to leave and JSON forbids.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
        } else {
            match c {
                '"' => quoted = true,
                '}' | ']' => {
                    let kept = out.trim_end();
                    if let Some(kept) = kept.strip_suffix(',') {
                        out.truncate(kept.len());
                    }
                }
                _ => {}
            }
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn json_is_found_in_what_models_write() {
        let cases = [
            ("{\"a\": 1}", Some(json!({"a": 1}))),
            (
                "Sure!\n```json\n{\"a\": [1, 2,],}\n```",
                Some(json!({"a": [1, 2]})),
            ),
            (
                "I think {x} but {\"a\": \"}\\\"{\"} is it",
                Some(json!({"a": "}\"{"})),
            ),
            ("[1, 2]", Some(json!([1, 2]))),
            ("{\"a\": 1} {\"b\": 2}", Some(json!({"a": 1}))),
            ("{\"a\": 1", None),
            ("{'a': 1}", None),
            ("7", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(find(text).ok(), expected, "{text}");
        }
        assert!(find("{\"a\": 1").unwrap_err().contains("EOF"));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "[\\[\\]{}\",:a1 \\\\é]{0,60}") {
            let _ = find(&text);
        }
    }
}
