//! Calls in lines, and an object behind the name of a tool.

use super::super::calls::{ARGUMENT_NAMES, TOOL_NAMES};
use super::{known, object, value};
use crate::json_text;
use serde_json::{Map, Value};
use sim_core::ToolSpec;

/// Whether the arguments of a call stand under this name.
pub(super) fn is_arguments(name: &str) -> bool {
    ARGUMENT_NAMES.contains(&name)
}

/// A line of the form `KEY: VALUE`.
struct Line<'a> {
    /// The key, in lower case with `_` for blanks.
    key: String,
    value: &'a str,
    /// Blanks before the key.
    indent: usize,
    /// Where the value begins \[bytes\].
    at: usize,
}

impl Line<'_> {
    fn names_a_tool(&self) -> bool {
        TOOL_NAMES.contains(&&*self.key) || matches!(&*self.key, "tool_call" | "call")
    }
}

/// `tool: NAME` and the arguments in lines behind it: `KEY: VALUE`, or an object (YAML, ReAct). Without arguments only where
/// the tool needs none.
pub(super) fn lines(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut at = 0;
    for text in text.split_inclusive('\n') {
        let line = line(text.trim_end(), at);
        // What follows a result that the model made up answers that.
        if line.as_ref().is_some_and(|line| line.key == "observation") {
            break;
        }
        all.push(line);
        at += text.len();
    }
    let mut found = Vec::new();
    for (place, head) in all.iter().enumerate() {
        let name = head.as_ref().filter(|head| head.names_a_tool());
        let Some((head, name)) = name.and_then(|head| Some((head, known(head.value, tools)?)))
        else {
            continue;
        };
        let mut map = Map::new();
        // A text or an object that is opened and not closed belongs to a call of another form, or one that was cut off.
        let mut is_open = false;
        for next in all.iter().skip(place + 1) {
            let Some(next) = next else { break };
            // An argument may be called `name` or `action` too; it stands further in than the call.
            if next.names_a_tool() && next.indent <= head.indent {
                break;
            }
            if ARGUMENT_NAMES.contains(&&*next.key) {
                let rest = text.get(next.at..).unwrap_or_default();
                let first = || json_text::relaxed(next.value).filter(Value::is_object);
                let bare = || match next.value.starts_with(['{', '[']) {
                    true => None,
                    false => bare(next.value, &name, tools),
                };
                match object(rest).or_else(first).or_else(bare) {
                    Some(Value::Object(with)) => {
                        map = with;
                        break;
                    }
                    _ if next.value.starts_with(['{', '[']) => {
                        is_open = true;
                        break;
                    }
                    _ => continue,
                }
            }
            if next.value.starts_with('"') {
                is_open = true;
                break;
            }
            // The key as it is written: names of arguments have their own case.
            let tool = tools.iter().find(|tool| tool.name == name);
            let properties = tool.and_then(|tool| tool.arguments.get("properties")?.as_object());
            let key =
                properties.and_then(|all| all.keys().find(|key| key.to_lowercase() == next.key));
            if let Some(key) = key {
                map.insert(key.clone(), value(next.value, &name, key, tools));
            }
        }
        if !is_open && (!map.is_empty() || !super::needs_arguments(&name, tools)) {
            found.push((name, Value::Object(map)));
        }
    }
    found
}

/// `KEY=VALUE`, or the value alone where a tool takes only one.
fn bare(text: &str, name: &str, tools: &[ToolSpec]) -> Option<Value> {
    let tool = tools.iter().find(|tool| tool.name == name)?;
    let is_known = text.contains('=') || super::only_argument(tool).is_some();
    super::arguments(text, name, tools).filter(|_| is_known)
}

/// The key and the value of a line.
fn line(text: &str, at: usize) -> Option<Line<'_>> {
    let bare = text.trim_start();
    let indent = text.len() - bare.len();
    let (key, value) = bare.split_once(':')?;
    let begin = at + indent + key.len() + 1;
    let key = key
        .trim_start_matches("- ")
        .trim_matches(['*', '`', '"', '\'', ' ']);
    let is_key = !key.is_empty()
        // A sentence before a colon is not a key.
        && key.len() <= 32
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == ' ');
    let value = value.trim().trim_end_matches(',');
    let value = value.trim_matches('*').trim();
    let quoted = ['"', '\'', '`'].iter().find_map(|quote| {
        let inner = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
        // `"a" or "b"` begins and ends with a quote too, and is not one text.
        (!inner.contains(*quote)).then_some(inner)
    });
    is_key.then(|| Line {
        key: key.to_lowercase().replace(' ', "_"),
        value: quoted.unwrap_or(value),
        indent,
        at: begin,
    })
}

/// An object behind a line that is the name of a tool: `NAME{..}`, `functions.NAME:0{..}` (Kimi without its marks),
/// `>>>NAME` and a line with the object (Functionary), `<|recipient|>NAME<|content|>{..}`.
pub(super) fn named(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut is_last = true;
    let mut end = 0;
    for piece in reply_text::json::pieces(text).0 {
        let mut head = text.get(end..piece.start).unwrap_or_default().trim_end();
        end = piece.end;
        for mark in ["<|content|>", "<|message|>", "```json", "```", "("] {
            head = head.strip_suffix(mark).map_or(head, str::trim_end);
        }
        let head = head.lines().last().unwrap_or_default();
        let head = head.rsplit("|>").next().unwrap_or(head);
        let head = head.trim_start_matches(['>', '#', '@', '-', ' ']);
        match (known(head, tools), piece.value) {
            (Some(name), Ok(with @ Value::Object(_))) => {
                found.push((name, with));
                is_last = true;
            }
            _ => is_last = false,
        }
    }
    // An object without a name behind them may be the call, and these a draft.
    if is_last { found } else { Vec::new() }
}

/// `{tool => "NAME", args => {--KEY VALUE}}`, between marks (MiniMax).
pub(super) fn arrows(text: &str, tools: &[ToolSpec]) -> Option<(String, Value)> {
    let (_, rest) = text.split_once("tool =>")?;
    let (name, rest) = rest.split_once(',').unwrap_or((rest, ""));
    let name = known(name.trim_matches(['}', ' ', '\n', '"']), tools)?;
    let (_, with) = rest.split_once("=>").unwrap_or(("", ""));
    let mut map = Map::new();
    for option in with.split("--").skip(1) {
        let (key, text) = option.split_once([' ', '=']).unwrap_or((option, ""));
        let text = text.trim().trim_end_matches(['}', ' ', '\n', ',']);
        map.insert(key.trim().to_owned(), value(text, &name, key.trim(), tools));
    }
    if map.is_empty() {
        let with = with.trim();
        let with = with.strip_suffix('}').unwrap_or(with);
        let with = json_text::relaxed(&with.replace("=>", ":"));
        map = with
            .and_then(|with| with.as_object().cloned())
            .unwrap_or_default();
    }
    Some((name, Value::Object(map)))
}
