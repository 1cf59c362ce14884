//! Messages between an agent and its model, independent of the provider.
//!
//! The [wire](crate::wire) modules translate these types to the JSON of each provider. Their serialised form is
//! this crate's own and is not sent to any server.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a chat.
///
/// A chat is a list of messages: usually a system message, then user and assistant in turn. Results of tools
/// come directly after the assistant message that made the calls.
///
/// ```
/// use agent_client::{Message, Said, ToolCall, ToolResult};
/// use serde_json::json;
///
/// let call = ToolCall::new("c1", "get_stock", json!({}));
/// let result = ToolResult {
///     id: call.id.clone(),
///     name: call.name.clone(),
///     text: "12 cases".to_owned(),
///     is_error: false,
/// };
/// let chat = [
///     Message::system("You run a shop."),
///     Message::user("Order now."),
///     Message::Assistant(Said { calls: vec![call], ..Said::default() }),
///     Message::Tools { results: vec![result] },
/// ];
/// assert_eq!(chat.iter().map(Message::size).sum::<usize>(), 15 + 10 + 11 + 8);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    /// Rules and role.
    System {
        /// The text.
        text: String,
    },
    /// A message to the model.
    User {
        /// The text.
        text: String,
    },
    /// A message of the model.
    Assistant(Said),
    /// The results of the tool calls in the previous message.
    Tools {
        /// One result for each call, in the order of the calls.
        results: Vec<ToolResult>,
    },
}

impl Message {
    /// A system message.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// A user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// An assistant message of plain text.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(Said {
            text: text.into(),
            ..Said::default()
        })
    }

    /// Length of its texts, names and arguments \[bytes\], for estimates.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::System { text } | Self::User { text } => text.len(),
            Self::Assistant(said) => {
                said.text.len() + said.calls.iter().map(ToolCall::size).sum::<usize>()
            }
            Self::Tools { results } => results.iter().map(|r| r.text.len()).sum(),
        }
    }
}

/// A message of the model.
///
/// `echo` holds what goes back unchanged within a loop of tools: for the Messages API the blocks, in place of
/// text and calls; for chat completions further fields of the message, beside its calls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// Its text.
    pub text: String,
    /// Its tool calls, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The content as the provider sent it, for providers that need it back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo: Option<Value>,
}

/// A call that the model made.
///
/// The name may be that of an unknown tool and the arguments may be broken: both are passed to the
/// environment, which refuses them, so that the refusal is in the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id of the call, unique in its message; generated if the server sent none.
    pub id: String,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
    /// Fields of the provider that have no equivalent here; sent back with the call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ToolCall {
    /// A call with JSON arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: Arguments::Json { value: arguments },
            extra: Map::new(),
        }
    }

    fn size(&self) -> usize {
        let arguments = match &self.arguments {
            Arguments::Json { value } => value.to_string().len(),
            Arguments::Broken { text, .. } => text.len(),
        };
        self.name.len() + arguments
    }
}

/// The name of a tool without what servers leave around it: marks of the chat format
/// (`order<|channel|>commentary`, `<function=order>`), a namespace (`functions.order`), the number of the call
/// (`order:0`) and blanks.
///
/// ```
/// use agent_client::message::plain_name;
/// for name in ["functions.order", " order", "order<|channel|>commentary", "functions.order:0", "<function=order>"] {
///     assert_eq!(plain_name(name), "order");
/// }
/// assert_eq!(plain_name("assistant<|channel|>commentary to=functions.order"), "order");
/// ```
#[must_use]
pub fn plain_name(name: &str) -> &str {
    let name = name.rsplit_once("to=").map_or(name, |(_, rest)| rest);
    let name = name.trim_start();
    let name = name.strip_prefix("<function=").unwrap_or(name);
    let name = name
        // The first part that is not blank, because a mark stands before some names and behind
        // others.
        .split("<|")
        .find(|part| !part.trim().is_empty())
        .unwrap_or(name);
    let name = name
        .split(['\u{ff5c}', '<', '('])
        .find(|part| !part.trim().is_empty())
        .unwrap_or(name)
        .trim();
    let name = name.trim_matches(['`', '"', '\'', '\0', '>', '=']).trim();
    let spaces = [
        "functions.",
        "functions:",
        "functions/",
        "function.",
        "tools.",
        "tool.",
        "default_api.",
        "default_api:",
    ];
    let name = spaces
        .iter()
        .find_map(|space| name.strip_prefix(space))
        .unwrap_or(name);
    match name.rsplit_once(':') {
        // Only a number is cut off; a colon within a name stays.
        Some((before, number)) if number.bytes().all(|b| b.is_ascii_digit()) => before,
        _ => name,
    }
}

/// Arguments of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Arguments {
    /// Valid JSON.
    Json {
        /// The value; an object if the model kept to the schema.
        value: Value,
    },
    /// Not valid JSON, or with a duplicate key; the agent is told and may try again.
    Broken {
        /// The text that was sent, at most 2,000 bytes of it.
        text: String,
        /// The parser's error.
        error: String,
    },
}

impl Arguments {
    /// Maximum length of a broken text that is stored \[bytes\].
    const KEPT: usize = 2_000;

    /// Reads the text of arguments; an empty text means no arguments.
    ///
    /// ```
    /// use agent_client::Arguments;
    /// use serde_json::json;
    /// assert_eq!(Arguments::read(" "), Arguments::Json { value: json!({}) });
    /// assert_eq!(Arguments::read("[4]"), Arguments::Json { value: json!([4]) });
    /// assert!(matches!(Arguments::read("{\"n\": 4"), Arguments::Broken { .. }));
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Json {
                value: Value::Object(Map::new()),
            };
        }
        let mut read = crate::json_text::strict(text);
        if let Err(error) = &read
            // Such a text is whole JSON with a key that is named twice, or with too many values: to
            // mend it would mean to choose.
            && !error.is_data()
            && let Some(value) = Self::mended(text)
        {
            read = Ok(value);
        }
        // Some servers encode the arguments twice.
        for _ in 0..2 {
            match &read {
                Ok(Value::String(inner)) => match crate::json_text::strict(inner) {
                    Ok(value @ (Value::Object(_) | Value::String(_))) => read = Ok(value),
                    _ => break,
                },
                _ => break,
            }
        }
        match read {
            Ok(value) => Self::Json { value },
            Err(e) => {
                let end = (0..=Self::KEPT.min(text.len()))
                    .rev()
                    .find(|at| text.is_char_boundary(*at));
                Self::Broken {
                    text: text.get(..end.unwrap_or(0)).unwrap_or_default().to_owned(),
                    error: e.to_string(),
                }
            }
        }
    }

    /// The object in a text that is more than JSON: in a fence, with names or texts in single quotes, in entities of
    /// HTML, followed by a mark of the chat format, by more closing brackets or by a copy of itself, or behind an empty
    /// object, which gateways of streams put there. Any other text beside it could mean something else.
    fn mended(text: &str) -> Option<Value> {
        let text = text.trim();
        if let Some(plain) = without_entities(text) {
            return crate::json_text::strict(&plain).ok();
        }
        let text = text
            .strip_prefix("```json")
            .or_else(|| text.strip_prefix("```"))
            .map_or(text, |inside| inside.trim_end_matches('`'))
            .trim();
        let found = reply_text::json::pieces(text).0;
        let first = found.first().filter(|piece| piece.start == 0);
        let Some(first) = first else {
            return crate::json_text::relaxed(text);
        };
        let value = first.value.as_ref().ok().filter(|v| v.is_object())?;
        let tail = text.get(first.end..)?.trim();
        let second = crate::json_text::strict(tail).ok();
        let second = second.filter(|second| second.is_object());
        if value.as_object().is_some_and(Map::is_empty) && second.is_some() {
            return second;
        }
        let is_copy = second.is_some_and(|copy| copy == *value);
        let is_mark = tail.starts_with("<|") || tail.starts_with("</");
        let is_closed = tail
            .chars()
            .all(|c| matches!(c, '}' | ']') || c.is_control());
        (is_closed || is_mark || is_copy).then(|| value.clone())
    }

    /// The value for a tool: the arguments, or the broken text as a string, which every tool
    /// refuses, so that the refusal and its reason get into the record and to the agent.
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            Self::Json { value } => value.clone(),
            Self::Broken { text, .. } => Value::String(text.clone()),
        }
    }
}

/// A text whose quotes are all entities of HTML (`{&quot;n&quot;: 4}`, as templates write that escape a call for a
/// page), with the characters that the entities stand for; `None` for any other text.
fn without_entities(text: &str) -> Option<String> {
    let quotes = ["&quot;", "&#34;", "&#x22;"];
    let escaped = text.starts_with('{') && !text.contains('"');
    if !escaped || !quotes.iter().any(|quote| text.contains(quote)) {
        return None;
    }
    let plain = quotes
        .iter()
        .fold(text.to_owned(), |text, quote| text.replace(quote, "\""));
    let others = [
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        // Last, so that nothing is decoded twice.
        ("&amp;", "&"),
    ];
    let plain = others
        .iter()
        .fold(plain, |text, (entity, sign)| text.replace(entity, sign));
    Some(plain)
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// [`ToolCall::id`] of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The answer.
    pub text: String,
    /// Whether it is a refusal.
    #[serde(default)]
    pub is_error: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_read_or_kept_as_they_are() {
        let json = |value| Arguments::Json { value };
        assert_eq!(Arguments::read("{\"n\": 4}"), json(json!({"n": 4})));
        assert_eq!(Arguments::read("  "), json(json!({})));
        assert_eq!(Arguments::read("[1]"), json(json!([1])));
        let broken = Arguments::read("{\"n\": 4");
        assert_eq!(broken.value(), json!("{\"n\": 4"));
        for text in [
            "```json\n{\"n\": 4}\n```",
            "{'n': 4}",
            "{n: 4,}",
            "{\"n\": 4}<|call|>",
            "{\"n\": 4}{\"n\": 4}",
            "{&quot;n&quot;: 4}",
            "{&#34;n&#34;: 4}",
        ] {
            assert_eq!(Arguments::read(text), json(json!({"n": 4})), "{text}");
        }
        let signs = "{&quot;n&quot;: &quot;a &amp;lt; b&#39;s&quot;}";
        assert_eq!(Arguments::read(signs), json(json!({"n": "a &lt; b's"})));
        // Not escaped: the text itself says `&quot;`.
        let said = r#"{"n": "&quot;"}"#;
        assert_eq!(Arguments::read(said), json(json!({"n": "&quot;"})));
        for text in [
            "{\"n\": 4}{\"n\": 5}",
            "{\"n\": 4} or 5",
            "{\"n\": 4, \"n\": 5}",
            "{'n': 4, 'n': 5}",
            "{n: four}",
        ] {
            assert!(
                matches!(Arguments::read(text), Arguments::Broken { .. }),
                "{text}"
            );
        }
        let long = "é".repeat(3_000);
        let Arguments::Broken { text, .. } = Arguments::read(&long) else {
            panic!("no JSON");
        };
        assert_eq!(text.len(), 2_000);
    }
}
