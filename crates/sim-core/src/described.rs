//! JSON Schemas for people: their descriptions come from comments of the code.

use serde_json::Value;

/// A JSON Schema whose descriptions are plain sentences. They are the comments of the types, so they have
/// examples in Rust and links to other items, which mean nothing to a person who writes JSON: the examples are left
/// out, and of a link its words stay.
///
/// ```
/// let schema = serde_json::json!({
///     "description": "A rule (see [`Rule`](crate::rule())), of [`two`] \\[units\\].\n\n```\nlet rule = Rule::new();\n```",
///     "default": "[`kept`]",
/// });
/// let plain = sim_core::described::plain_schema(schema);
/// assert_eq!(plain["description"], "A rule (see `Rule`), of `two` [units].");
/// assert_eq!(plain["default"], "[`kept`]");
/// ```
#[must_use]
pub fn plain_schema(mut schema: Value) -> Value {
    clean(&mut schema);
    schema
}

fn clean(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    // A property of this name has a schema, not a text.
                    Value::String(text) if name == "description" => *text = plain(text),
                    field => clean(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        _ => {}
    }
}

/// A comment without examples and links.
fn plain(comment: &str) -> String {
    // Every second part is inside a fence.
    // Not a parser of Markdown: fences and links are all that has no meaning outside of Rust, and
    // this crate, which every simulator depends on, would have one more dependency.
    let prose: Vec<&str> = comment.split("```").step_by(2).collect();
    let prose = prose.join("");
    let (mut out, mut rest) = (String::with_capacity(prose.len()), prose.as_str());
    while let Some((before, after)) = rest.split_once('[') {
        if let Some(before) = before.strip_suffix('\\') {
            out += before;
            out.push('[');
            rest = after;
            continue;
        }
        out += before;
        let Some((words, after)) = after.split_once(']').filter(|_| is_link(after)) else {
            out.push('[');
            rest = after;
            continue;
        };
        out += words;
        rest = after.strip_prefix('(').map_or(after, after_target);
    }
    out += rest;
    out.replace("\\]", "]").trim_end().to_owned()
}

/// What comes after the target of a link, which may have brackets of its own: `crate::learn())`.
fn after_target(text: &str) -> &str {
    let mut depth = 1_u32;
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

/// Whether a comment goes on with the words of a link after `[`: with code, or with words and a target.
fn is_link(after: &str) -> bool {
    after.starts_with('`')
        || after
            .split_once(']')
            .is_some_and(|(_, rest)| rest.starts_with('('))
}
