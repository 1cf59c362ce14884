//! Calls in the text of a model, in the forms in which models are trained to write them.
//!
//! A server without a parser for the form of its model passes these on as text:
//!
//! | form | models |
//! |---|---|
//! | `<tool_call>{"name": .., "arguments": ..}</tool_call>` | Hermes, Qwen |
//! | `<function=NAME>{..}</function>`, also with `<parameter=KEY>VALUE</parameter>` | Llama 3.1, Qwen3-Coder |
//! | `[TOOL_CALLS]NAME[ARGS]{..}` | Mistral |
//! | `<tool_call>NAME <arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>` | GLM |
//! | `<invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>` | MiniMax, Claude |
//! | `functions.NAME:0 <\|tool_call_argument_begin\|>{..}` | Kimi |
//! | `to=functions.NAME <\|constrain\|>json<\|message\|>{..}` | gpt-oss |
//! | `<｜tool▁sep｜>NAME` and a fence with JSON | DeepSeek |
//! | `[NAME(KEY=VALUE)]`, also on a line of its own, `NAME(KEY=VALUE)` in a fence or in `<function_calls>` | Llama 3.2 and 4, Gemma, Olmo 3 |
//! | `<\|tool_call_start\|>[NAME(KEY=VALUE)]<\|tool_call_end\|>` | LFM2 |
//! | `<tool_call>NAME` and a fence with JSON | Hunyuan |
//! | `<use_mcp_tool>` with `<tool_name>NAME</tool_name><arguments>{..}</arguments>`, `<NAME><KEY>VALUE</KEY></NAME>` | those trained on Cline and Roo Code |
//! | `call:NAME{KEY:VALUE}` between `<start_function_call>` or `<\|tool_call>` and its end | FunctionGemma, Gemma 4 |
//!
//! The tags of the forms above also come with a prefix: `<｜DSML｜invoke` (DeepSeek V3.2), `<steptml:invoke` (Step 3),
//! `<longcat_tool_call` (LongCat), and that of Claude; or with a sign before each (MiniMax M3).
//!
//! Forms that are JSON alone (Llama's `<\|python_tag\|>{..}`, Mistral's `[TOOL_CALLS][{..}]`) are found by
//! [`calls::in_text`](super::calls::in_text). Source: the chat templates of the models and the tool parsers
//! of vLLM and SGLang.

use crate::json_text;
use crate::message::{ToolCall, plain_name};
use serde_json::{Map, Value};
use sim_core::ToolSpec;
use std::borrow::Cow;

mod lines;

/// The calls of `text` in the marked forms above; none if it has no such marks.
pub(super) fn marked(text: &str, tools: &[ToolSpec]) -> Vec<ToolCall> {
    type Reader = fn(&str, &[ToolSpec]) -> Vec<(String, Value)>;
    // The forms with marks of their own first. Those from `pythonic` on find calls in code, in
    // prose and in plain tags as well, so they are asked only where no mark was found.
    let readers: [Reader; 14] = [
        functions,
        invokes,
        glm,
        mistral,
        kimi,
        harmony,
        deepseek,
        gemma,
        arrow_marks,
        pythonic,
        in_prose,
        tags,
        lines::named,
        lines::lines,
    ];
    // Prefixes of the same tags. Models also write the bars of the first one in other ways.
    let prefixes = [
        "｜DSML｜",
        "｜｜DSML｜｜",
        "‖DSML‖",
        "|DSML|",
        "||DSML||",
        " | DSML | ",
        "steptml:",
        "longcat_",
        "antml:",
    ];
    let mut text = Cow::Borrowed(text);
    if text.contains(MINIMAX) {
        text = text.replace(MINIMAX, "").into();
    }
    // Collected first, because the loop changes the text that the filter reads.
    for prefix in prefixes
        .iter()
        .filter(|prefix| text.contains(**prefix))
        .collect::<Vec<_>>()
    {
        let plain = text.replace(&format!("<{prefix}"), "<");
        text = plain.replace(&format!("</{prefix}"), "</").into();
    }
    // The first form that finds a call counts: a call that two forms find would be played twice.
    for read in readers {
        let found = read(&text, tools);
        if !found.is_empty() {
            return found
                .into_iter()
                .enumerate()
                .map(|(index, (name, with))| ToolCall::new(format!("text_{index}"), name, with))
                .collect();
        }
    }
    Vec::new()
}

/// The sign that MiniMax M3 writes before each tag.
const MINIMAX: &str = "]<]minimax[>[";

/// `[TOOL_CALL]{tool => "NAME", args => {--KEY VALUE}}[/TOOL_CALL]` (MiniMax).
fn arrow_marks(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let parts = text.split("[TOOL_CALL]").skip(1);
    parts
        .filter_map(|part| lines::arrows(part.split("[/TOOL_CALL]").next()?, tools))
        .collect()
}

/// The tool that a name with marks around it means.
fn known(name: &str, tools: &[ToolSpec]) -> Option<String> {
    let name = plain_name(name);
    tools
        .iter()
        .find(|tool| tool.name == name)
        .map(|tool| tool.name.clone())
}

/// A name that is used as it is where it looks like one, so that the environment can refuse it.
fn name_of(text: &str) -> Option<String> {
    let name = plain_name(text);
    // 64 characters are what most servers allow for the name of a tool.
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.".contains(c));
    is_name.then(|| name.to_owned())
}

/// The first object at the beginning of `text`, in which arguments stand.
fn object(text: &str) -> Option<Value> {
    let text = text.trim_start();
    if !text.starts_with('{') {
        return None;
    }
    let first = reply_text::json::pieces(text).0.into_iter().next()?;
    first.value.ok().filter(Value::is_object)
}

/// A value that stands between tags: JSON, unless the schema says that it is text.
fn value(text: &str, name: &str, key: &str, tools: &[ToolSpec]) -> Value {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let inside = text.trim().strip_prefix("<![CDATA[");
    let text = inside
        .and_then(|text| text.strip_suffix("]]>"))
        .unwrap_or(text);
    let tool = tools.iter().find(|tool| tool.name == name);
    let schema = tool.and_then(|tool| tool.arguments.get("properties")?.get(key));
    let is_text = schema.and_then(|schema| schema.get("type")?.as_str()) == Some("string");
    match json_text::strict(text.trim()) {
        // A text may look like a number: where the schema asks for a text, `12` is the text 12.
        Ok(value) if !is_text => value,
        // A text in quotes where JSON was meant.
        Ok(Value::String(inner)) => Value::String(inner),
        _ => Value::String(text.to_owned()),
    }
}

/// What stands between `open` and `close`, and the rest behind.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close)
}

/// `<function=NAME>` with an object or parameters.
fn functions(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<function=") {
        let end = after
            .find(['>', '{', '(', '\n', ','])
            .unwrap_or(after.len());
        let (head, tail) = after.split_at(end);
        let tail = tail.trim_start_matches(['>', ',', '(', ' ', '\n']);
        let (body, next) = tail.split_once("</function>").unwrap_or((tail, ""));
        rest = next;
        if let Some(name) = name_of(head.trim_matches(['"', '\''])) {
            let with = object(body).unwrap_or_else(|| parameters(body, &name, tools));
            found.push((name, with));
        }
    }
    found
}

/// `<parameter=KEY>VALUE</parameter>` and `<parameter name="KEY">VALUE</parameter>`, also without the end.
fn parameters(body: &str, name: &str, tools: &[ToolSpec]) -> Value {
    let mut map = Map::new();
    for part in body.split("<parameter").skip(1) {
        let Some((head, tail)) = part.split_once('>') else {
            continue;
        };
        let key = head
            .trim()
            .trim_start_matches("name=")
            .trim_start_matches(['=', '"', '\'', ' ']);
        let key = key.split(['"', '\'', ' ']).next().unwrap_or(key);
        let content = tail.split("</parameter>").next().unwrap_or(tail);
        let given = attributes(head)
            .into_iter()
            .find(|(key, _)| *key == "value");
        let content = given.map_or(content, |(_, content)| content);
        // DeepSeek says behind the name whether the value is a text.
        let value = match head.contains("string=\"true\"") {
            true => Value::String(content.to_owned()),
            false => value(content, name, key, tools),
        };
        map.insert(key.to_owned(), value);
    }
    Value::Object(map)
}

/// Tags that have the name of a tool in an attribute.
const WITH_NAME: [&str; 6] = [
    "invoke",
    "function",
    "function_call",
    "tool_call",
    "tool_use",
    "tool",
];

/// `<invoke name="NAME">` and the like, with parameters, an object, or a tag for each argument.
fn invokes(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    for tag in WITH_NAME {
        let (open, close) = (format!("<{tag} name="), format!("</{tag}>"));
        let mut found = Vec::new();
        let mut rest = text;
        while let Some((head, after)) = between(rest, &open, ">") {
            let is_closed = head.ends_with('/');
            let (body, next) = match is_closed {
                true => ("", after),
                false => after.split_once(&close).unwrap_or((after, "")),
            };
            rest = next;
            let bare = head.trim_matches(['"', '\'', ' ', '/']);
            let Some(name) = name_of(bare.split(['"', '\'']).next().unwrap_or(bare)) else {
                continue;
            };
            let tool = tools.iter().find(|tool| tool.name == name);
            let body =
                ["argument", "arg", "param"]
                    .iter()
                    .fold(Cow::Borrowed(body), |body, tag| {
                        let open = format!("<{tag} name=");
                        match body.contains(&open) {
                            true => {
                                let body = body.replace(&open, "<parameter name=");
                                body.replace(&format!("</{tag}>"), "</parameter>").into()
                            }
                            false => body,
                        }
                    });
            let with = match body.contains("<parameter") {
                true => None,
                false => object(&body)
                    .or_else(|| of_tags(&body, tool?, tools))
                    .or_else(|| of_attributes(head, tool?, tools)),
            };
            let with = with.unwrap_or_else(|| parameters(&body, &name, tools));
            found.push((name, with));
        }
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Tags around a call, and the tag in them around its name.
const TAGS_AROUND: [[&str; 2]; 6] = [
    ["use_mcp_tool", "tool_name"],
    // Claude 2
    ["invoke", "tool_name"],
    ["tool_use", "name"],
    ["tool_call", "name"],
    ["function_call", "name"],
    ["function", "name"],
];

/// `KEY="VALUE"` in the head of a tag.
fn attributes(head: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = head;
    while let Some((key, tail)) = rest.split_once('=') {
        let Some(quote) = tail.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            break;
        };
        let Some((content, next)) = tail.get(1..).and_then(|tail| tail.split_once(quote)) else {
            break;
        };
        found.push((key.trim_start().rsplit(' ').next().unwrap_or(key), content));
        rest = next;
    }
    found
}

/// The arguments in the head of a tag: each under its name, or all of them as an object.
fn of_attributes(head: &str, tool: &ToolSpec, tools: &[ToolSpec]) -> Option<Value> {
    let properties = tool
        .arguments
        .get("properties")
        .and_then(Value::as_object)?;
    let given = attributes(head);
    let mut whole = given.iter().filter(|(key, _)| lines::is_arguments(key));
    if let Some((_, content)) = whole.next() {
        return object(content);
    }
    let own = given
        .iter()
        .filter(|(key, _)| properties.contains_key(*key));
    let map: Map<String, Value> = own
        .map(|(key, content)| ((*key).to_owned(), value(content, &tool.name, key, tools)))
        .collect();
    (!map.is_empty()).then_some(Value::Object(map))
}

/// A tag of [`TAGS_AROUND`] with the name and the arguments in tags, or a tag with the name of a tool around one tag for each
/// argument, an object or nothing.
fn tags(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let inside = |text: &str, tag: &str| {
        let found = between(text, &format!("<{tag}>"), &format!("</{tag}>"));
        found.map(|(inside, _)| inside.to_owned())
    };
    for [outer, name] in TAGS_AROUND {
        for body in text.split(&format!("<{outer}>")).skip(1) {
            let body = body.split(&format!("</{outer}>")).next().unwrap_or(body);
            let Some(name) = inside(body, name).and_then(|name| name_of(name.trim())) else {
                continue;
            };
            let tool = tools.iter().find(|tool| tool.name == name);
            let with = ["arguments", "parameters", "args", "input"]
                .iter()
                .find_map(|with| inside(body, with));
            let with = with.and_then(|with| object(&with).or_else(|| of_tags(&with, tool?, tools)));
            found.push((name, with.unwrap_or_else(|| Value::Object(Map::new()))));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let mut placed = Vec::new();
    // Short forms, which prose also mentions, count only as a line of their own.
    let is_line = |from: usize, to: usize| {
        let blanks = [' ', '\t', '\r'];
        let before = text.get(..from).unwrap_or_default();
        let before = before.trim_end_matches(blanks);
        let after = text.get(to..).unwrap_or_default();
        let after = after.trim_start_matches(blanks);
        (before.is_empty() || before.ends_with('\n'))
            && (after.is_empty() || after.starts_with('\n'))
    };
    for tool in tools {
        let (open, close) = (format!("<{}>", tool.name), format!("</{}>", tool.name));
        let mut at = 0;
        while let Some((body, next)) = text.get(at..).and_then(|rest| between(rest, &open, &close))
        {
            at = text.len() - next.len();
            let begin = at - close.len() - body.len() - open.len();
            let is_meant = body.contains(['<', '{']) || is_line(begin, at);
            if let Some(with) = of_tags(body, tool, tools).filter(|_| is_meant) {
                placed.push((at, tool.name.clone(), with));
            }
        }
        let open = format!("<{} ", tool.name);
        for (at, _) in text.match_indices(&open) {
            let rest = text.get(at + open.len()..).unwrap_or_default();
            let Some((head, _)) = rest.split_once('>') else {
                continue;
            };
            let end = at + open.len() + head.len() + 1;
            let rest = text.get(end..).unwrap_or_default();
            let end = if rest.starts_with(&close) {
                end + close.len()
            } else {
                end
            };
            if let Some(with) = of_attributes(head, tool, tools).filter(|_| is_line(at, end)) {
                placed.push((at, tool.name.clone(), with));
            }
        }
    }
    // Found tool by tool, but played in the order in which the model wrote them.
    placed.sort_by_key(|(at, ..)| *at);
    placed
        .into_iter()
        .map(|(_, name, with)| (name, with))
        .collect()
}

/// The arguments in the tag of a tool, of which nothing else may be in it; none where the tool needs some.
fn of_tags(body: &str, tool: &ToolSpec, tools: &[ToolSpec]) -> Option<Value> {
    if let Some(with) = object(body) {
        return Some(with);
    }
    let properties = tool.arguments.get("properties").and_then(Value::as_object);
    let mut map = Map::new();
    let is_bare = !body.contains('<') && !body.trim().is_empty();
    if let (Some(key), true) = (only_argument(tool), is_bare) {
        let content = value(body, &tool.name, key, tools);
        let is_text = properties?.get(key)?.get("type")?.as_str() == Some("string");
        // A tag with the name of a tool may stand around prose: a bare text counts only where the
        // argument is a text, or where it reads as another value.
        return (is_text || !content.is_string())
            .then(|| Value::Object(Map::from_iter([(key.to_owned(), content)])));
    }
    let mut rest = body.trim();
    while !rest.is_empty() {
        let (key, tail) = rest.strip_prefix('<')?.split_once('>')?;
        properties?.get(key)?;
        let (content, next) = tail.split_once(&format!("</{key}>"))?;
        map.insert(key.to_owned(), value(content, &tool.name, key, tools));
        rest = next.trim_start();
    }
    let needs = needs_arguments(&tool.name, tools);
    (!map.is_empty() || !needs).then_some(Value::Object(map))
}

/// The name of the argument of a tool that has only one.
pub(super) fn only_argument(tool: &ToolSpec) -> Option<&str> {
    let properties = tool
        .arguments
        .get("properties")
        .and_then(Value::as_object)?;
    let mut names = properties.keys();
    let only = names.next()?;
    names.next().is_none().then_some(only)
}

/// Whether a tool must have arguments.
fn needs_arguments(name: &str, tools: &[ToolSpec]) -> bool {
    let tool = tools.iter().find(|tool| tool.name == name);
    let required = tool.and_then(|tool| tool.arguments.get("required")?.as_array());
    required.is_some_and(|names| !names.is_empty())
}

/// `<tool_call>NAME` with `<arg_key>` and `<arg_value>`; under load, GLM leaves single marks out or writes one for another.
fn glm(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<tool_call>") {
        let (body, next) = after.split_once("</tool_call>").unwrap_or((after, ""));
        rest = next;
        found.extend(glm_call(body, tools));
    }
    // Without the first mark the name is the line before the first key.
    if let (true, Some((head, _))) = (found.is_empty(), text.split_once("<arg_key>")) {
        let begin = head.trim_end().rfind('\n').map_or(0, |at| at + 1);
        found.extend(glm_call(text.get(begin..).unwrap_or_default(), tools));
    }
    found
}

/// The calls between two marks of [`glm`]; several only where they stand as code.
fn glm_call(body: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let called = pythonic(body, tools);
    if !called.is_empty() {
        return called;
    }
    let end = body.find(['<', '\n', '{']).unwrap_or(body.len());
    let (head, arguments) = body.split_at(end);
    let mut arguments = arguments.to_owned();
    let name = known(head, tools).or_else(|| {
        // `NAMEKEY</arg_key>`
        let fits = |tool: &&ToolSpec| {
            let key = head.strip_prefix(&tool.name).map(str::trim);
            let properties = tool.arguments.get("properties");
            key.is_some_and(|key| properties.is_some_and(|all| all.get(key).is_some()))
        };
        let tool = tools.iter().find(fits)?;
        let key = head.get(tool.name.len()..).unwrap_or_default().trim();
        arguments.insert_str(0, key);
        Some(tool.name.clone())
    });
    let Some(name) = name else {
        return Vec::new();
    };
    let mut map = pairs(&arguments, &name, tools);
    // Hunyuan writes the object in a fence.
    let begin = arguments.find('{').unwrap_or(arguments.len());
    if let (true, Some(Value::Object(with))) = (
        map.is_empty(),
        object(arguments.get(begin..).unwrap_or_default()),
    ) {
        map = with;
    }
    vec![(name, Value::Object(map))]
}

/// `KEY</arg_key><arg_value>VALUE</arg_value>`, one behind the other.
fn pairs(text: &str, name: &str, tools: &[ToolSpec]) -> Map<String, Value> {
    let mut map = Map::new();
    let mut rest = text;
    while let Some((key, tail)) = rest.split_once("</arg_key>") {
        let key = key.rsplit('>').next().unwrap_or(key).trim();
        let tail = tail
            .trim_start()
            .trim_start_matches("</arg_key>")
            .trim_start();
        let tail = tail.strip_prefix("<arg_value>").unwrap_or(tail);
        let Some((content, next)) = tail.split_once("</arg_value>") else {
            break;
        };
        map.insert(key.to_owned(), value(content, name, key, tools));
        rest = next;
    }
    map
}

/// The arguments of the tool `name` in a text that is not JSON: `KEY=VALUE`, `KEY: VALUE`, or in the tags of Qwen3-Coder,
/// Claude and GLM.
pub(super) fn arguments(text: &str, name: &str, tools: &[ToolSpec]) -> Option<Value> {
    let with = match () {
        () if text.contains("<parameter") => parameters(text, name, tools),
        () if text.contains("</arg_key>") => Value::Object(pairs(text, name, tools)),
        () => {
            let text = text.trim();
            let text = text.strip_prefix(name).unwrap_or(text).trim_start();
            let text = text.strip_prefix('(').unwrap_or(text);
            let text = text.strip_suffix(')').unwrap_or(text);
            // `keywords` reads up to a closing bracket, and here it may be missing.
            let text = format!("{text})");
            let (with, rest) = keywords(&text, name, tools)?;
            rest.is_empty().then_some(with)?
        }
    };
    with.as_object()
        .is_some_and(|map| !map.is_empty())
        .then_some(with)
}

/// `[TOOL_CALLS]NAME[ARGS]{..}`, also without `[ARGS]`.
fn mistral(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let parts = text.split("[TOOL_CALLS]").skip(1);
    parts
        .filter_map(|part| {
            let at = part.find('{')?;
            let (head, arguments) = part.split_at(at);
            let head = head.split("[ARGS]").next().unwrap_or(head);
            let head = head.split("[CALL_ID]").next().unwrap_or(head);
            Some((known(head, tools)?, object(arguments)?))
        })
        .collect()
}

/// `functions.NAME:0<|tool_call_argument_begin|>{..}`.
fn kimi(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let mark = "<|tool_call_argument_begin|>";
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((head, after)) = rest.split_once(mark) {
        let head = head.rsplit("<|tool_call_begin|>").next().unwrap_or(head);
        if let (Some(name), Some(with)) = (known(head, tools), object(after)) {
            found.push((name, with));
        }
        rest = after;
    }
    found
}

/// `text` without the bodies of channels of thoughts, in which calls are only thought about. A call may be made in such
/// a channel; then its head names the tool.
fn without_analysis(text: &str) -> Cow<'_, str> {
    const CHANNEL: &str = "<|channel|>";
    if !text.contains(CHANNEL) {
        // The same template without its marks.
        let thinks = text.trim_start().starts_with("analysis");
        let call = text.find("assistantcommentary").filter(|_| thinks);
        return call.and_then(|at| text.get(at..)).unwrap_or(text).into();
    }
    let mut parts = text.split(CHANNEL);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (head, body) = part.split_once("<|message|>").unwrap_or((part, ""));
        let is_thought = head.trim_start().starts_with("analysis") && !head.contains("to=");
        let kept = match is_thought {
            true => body.find("<|").and_then(|end| body.get(end..)),
            false => Some(part),
        };
        out.push_str(kept.unwrap_or_default());
    }
    out.into()
}

/// `to=functions.NAME` and, behind the marks, an object.
fn harmony(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let text = without_analysis(text);
    let parts = text.split("to=").skip(1);
    parts
        .filter_map(|part| {
            let part = part.strip_prefix("functions.").unwrap_or(part);
            let end = part.find(|c: char| !(c.is_alphanumeric() || "_-".contains(c)))?;
            let (head, rest) = part.split_at(end);
            let at = rest.find('{')?;
            Some((known(head, tools)?, object(rest.get(at..)?)?))
        })
        .collect()
}

/// `<｜tool▁sep｜>NAME` and JSON.
fn deepseek(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let parts: Vec<&str> = text.split("<｜tool▁sep｜>").collect();
    parts
        .windows(2)
        .filter_map(|pair| {
            let [before, after] = pair else {
                return None;
            };
            // The newer form has the name before the mark.
            let earlier = before
                .rsplit("<｜tool▁call▁begin｜>")
                .next()
                .unwrap_or_default();
            let line = after.trim_start().lines().next().unwrap_or_default();
            let name = known(line, tools).or_else(|| known(earlier, tools))?;
            let at = after.find('{')?;
            Some((name, object(after.get(at..)?)?))
        })
        .collect()
}

/// `call:NAME{KEY:VALUE}`, with marks of their own in place of quotes.
fn gemma(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let forms = [
        ("<start_function_call>", "<end_function_call>", "<escape>"),
        ("<|tool_call>", "<tool_call|>", "<|\"|>"),
    ];
    let Some((open, close, quote)) = forms.into_iter().find(|(open, ..)| text.contains(open))
    else {
        return Vec::new();
    };
    let calls = text.split(open).skip(1).filter_map(|part| {
        let part = part.split(close).next()?.trim();
        let head = part.split(['{', '(']).next()?;
        let mut object = String::new();
        for (place, piece) in part.get(head.len()..)?.split(quote).enumerate() {
            // The marks come in pairs, so every second piece is a text. It is written anew as JSON,
            // because a quote in it has no backslash.
            match place % 2 {
                0 => object.push_str(piece),
                _ => object.push_str(&Value::String(piece.to_owned()).to_string()),
            }
        }
        let name = head
            .trim()
            .trim_start_matches("call")
            .trim_start_matches(':');
        let name = known(name, tools)?;
        let with = json_text::relaxed(&object);
        // `{KEY=VALUE}` and `(KEY=VALUE)`
        let bare = || {
            let inside = object
                .strip_prefix('{')
                .map_or(&*object, |rest| rest.strip_suffix('}').unwrap_or(rest));
            arguments(inside, &name, tools)
        };
        let with = with.or_else(bare)?;
        Some((name, with))
    });
    calls.collect()
}

/// `[NAME(KEY=VALUE, ..)]` at the beginning of a line, with prose before or behind it (Llama 4), and
/// `NAME(KEY=VALUE, ..)` as a line, also behind `Action:`; the last lines of them.
fn in_prose(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let mut lines: Vec<usize> = std::iter::once(0).chain(lines).collect();
    lines.reverse();
    let mut found = Vec::new();
    for at in lines {
        let line = text.get(at..).unwrap_or_default();
        let line = line.trim_start_matches([' ', '\t']);
        let first = line.lines().next().unwrap_or_default();
        let calls = match labelled(first) {
            Some(called) => pythonic(called, tools),
            None => pythonic(list_of_calls(line).unwrap_or(unmarked(first)), tools),
        };
        // Those of the lines directly above belong to them.
        if calls.is_empty() && !found.is_empty() {
            break;
        }
        // Lines are read from the last one up, so what is found stands before.
        found.splice(0..0, calls);
    }
    found
}

/// A line without marks of bold text and code around it.
fn unmarked(line: &str) -> &str {
    line.trim().trim_matches(['*', '`']).trim()
}

/// What stands behind a label that announces a call.
fn labelled(line: &str) -> Option<&str> {
    let (label, rest) = unmarked(line).split_once(':')?;
    let labels = ["action", "call", "tool call", "function call", "tool"];
    let label = unmarked(label).to_lowercase();
    labels.contains(&&*label).then(|| unmarked(rest))
}

/// The list at the beginning of `text`, up to the bracket that closes it.
fn list_of_calls(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let (at, _) = outer_signs(inside).find(|(_, c)| *c == ']')?;
    text.get(..at + 2)
}

/// The signs of `text` outside of texts in quotes and of pairs of brackets, with their places.
fn outer_signs(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    text.char_indices().filter(move |(_, c)| {
        match (quote, *c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(*c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, _) => return depth == 0,
        }
        false
    })
}

/// `NAME(KEY=VALUE, ..)` of tools that exist, where the text is nothing else: a list of them, a fence, or a line.
fn pythonic(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let text = text.trim();
    let marks = ["<|python_start|>", "<|python_tag|>", "<<function>>"];
    let text = marks
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text);
    let ends = ["<|python_end|>", "<|eom_id|>", "<|eot_id|>"];
    let text = ends
        .iter()
        .find_map(|mark| text.strip_suffix(mark))
        .unwrap_or(text);
    let text = between(text, "<|tool_call_start|>", "<|tool_call_end|>")
        .map_or(text, |(inside, _)| inside);
    let inside = ["```tool_code", "```python", "```tool_call", "```"]
        .iter()
        .find_map(|open| between(text, open, "```"))
        .or_else(|| between(text, "<function_calls>", "</function_calls>"))
        .or_else(|| between(text, "<tool_code>", "</tool_code>"))
        .or_else(|| between(text, "<TOOLCALL>", "</TOOLCALL>"))
        .map_or(text, |(inside, _)| inside)
        .trim();
    let inside = inside
        .strip_prefix('[')
        .map_or(inside, |rest| rest.strip_suffix(']').unwrap_or(rest));
    let mut found = Vec::new();
    let mut rest = inside.trim();
    while !rest.is_empty() {
        let rest_call = rest.strip_prefix("print(").unwrap_or(rest);
        let Some((head, after)) = rest_call.split_once('(') else {
            return Vec::new();
        };
        // `NAME.call(..)` is the form of the tools that Llama 3.1 has of its own.
        let head = head.strip_suffix(".call").unwrap_or(head);
        // `result = NAME(..)`
        let head = head.rsplit_once(" = ").map_or(head, |(_, head)| head);
        let Some(name) = known(head, tools) else {
            return Vec::new();
        };
        let Some((with, next)) = keywords(after, &name, tools) else {
            return Vec::new();
        };
        found.push((name, with));
        rest = next.trim_start_matches([')', ',', ';', ' ', '\n', '\r']);
    }
    found
}

/// The keyword arguments up to the closing bracket, and the text behind it. Arguments without a key take the
/// names of the schema in order.
fn keywords<'a>(text: &'a str, name: &str, tools: &[ToolSpec]) -> Option<(Value, &'a str)> {
    // A walk with a depth and not a split at commas: arguments hold lists, objects and texts with
    // commas.
    let (mut parts, mut begin, mut is_closed) = (Vec::new(), 0, false);
    for (at, c) in outer_signs(text).filter(|(_, c)| matches!(c, ',' | ')')) {
        parts.push(text.get(begin..at)?);
        begin = at + 1;
        is_closed = c == ')';
        if is_closed {
            break;
        }
    }
    let rest = text.get(begin..).filter(|_| is_closed)?;
    let tool = tools.iter().find(|tool| tool.name == name)?;
    let names: Vec<&String> = tool
        .arguments
        .get("properties")
        .and_then(Value::as_object)
        .map(|map| map.keys().collect())
        .unwrap_or_default();
    // `NAME({..})`: the object holds the arguments.
    if let [only] = *parts
        && let Some(with) = json_text::relaxed(only).filter(Value::is_object)
    {
        return Some((with, rest));
    }
    let mut map = Map::new();
    for (place, part) in parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .enumerate()
    {
        // A value may hold these signs too: in `"a=b"` what stands before the sign is not a name.
        let is_key = |key: &str| key.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (key, value) = match part.split_once(['=', ':']) {
            Some((key, value)) if is_key(key.trim()) => (key.trim().to_owned(), value.trim()),
            _ => ((*names.get(place)?).clone(), part),
        };
        map.insert(key, literal(value)?);
    }
    Some((Value::Object(map), rest))
}

/// A literal of Python as JSON.
fn literal(text: &str) -> Option<Value> {
    if let Ok(value) = json_text::strict(text) {
        return Some(value);
    }
    // In brackets, because only objects and lists are read as Python writes them.
    match json_text::relaxed(&format!("[{text}]"))? {
        Value::Array(mut values) if values.len() == 1 => values.pop(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::calls::{in_text, shown};
    use serde_json::json;
    use sim_core::ToolKind;

    #[test]
    fn calls_are_found_in_the_forms_of_all_models() {
        let tools = [
            ToolSpec::new("look", ToolKind::Getter, "Look."),
            ToolSpec::new("order", ToolKind::Action, "Order.")
                .with("papers", json!({"type": "integer"}))
                .with("why", json!({"type": "string"})),
        ];
        let four = r#"order({"papers":4,"why":"12"})"#;
        let cases: &[(&str, &[&str])] = &[
            (
                "<tool_call>\n{\"name\": \"order\", \"arguments\": {\"papers\": 4, \"why\": \"12\"}}\n</tool_call>",
                &[four],
            ),
            (
                "<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"order\", \"arguments\": {\"papers\": 4, \"why\": \"12\"}}\n</tool_call>",
                &["look({})", four],
            ),
            (
                "<function=order{\"papers\": 4, \"why\": \"12\"}</function>",
                &[four],
            ),
            (
                "<function=order>{\"papers\": 4, \"why\": \"12\"}</function>",
                &[four],
            ),
            (
                "<tool_call>\n<function=order>\n<parameter=papers>\n4\n</parameter>\n<parameter=why>\n12\n</parameter>\n</function>\n</tool_call>",
                &[four],
            ),
            (
                "<tool_call>order\n<arg_key>papers</arg_key>\n<arg_value>4</arg_value>\n<arg_key>why</arg_key>\n<arg_value>12</arg_value>\n</tool_call>",
                &[four],
            ),
            (
                "[TOOL_CALLS] [{\"name\": \"order\", \"arguments\": {\"papers\": 4, \"why\": \"12\"}}]",
                &[four],
            ),
            (
                "[TOOL_CALLS]look[ARGS]{}[TOOL_CALLS]order[ARGS]{\"papers\": 4, \"why\": \"12\"}",
                &["look({})", four],
            ),
            (
                "<|python_tag|>{\"name\": \"order\", \"parameters\": {\"papers\": 4, \"why\": \"12\"}}",
                &[four],
            ),
            ("[look(), order(papers=4, why='12')]", &["look({})", four]),
            (
                "```tool_code\nprint(order(papers=4, why=\"12\"))\n```",
                &[four],
            ),
            (
                "<minimax:tool_call>\n<invoke name=\"order\">\n<parameter name=\"papers\">4</parameter>\n<parameter name=\"why\">12</parameter>\n</invoke>\n</minimax:tool_call>",
                &[four],
            ),
            (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.order:0<|tool_call_argument_begin|>{\"papers\": 4, \"why\": \"12\"}<|tool_call_end|><|tool_calls_section_end|>",
                &[four],
            ),
            (
                "<|channel|>commentary to=functions.order <|constrain|>json<|message|>{\"papers\": 4, \"why\": \"12\"}<|call|>",
                &[four],
            ),
            (
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>order\n```json\n{\"papers\": 4, \"why\": \"12\"}\n```<｜tool▁call▁end｜>",
                &[four],
            ),
            (
                r#"[order(papers=4, why='True North, None of it\'s "here" in C:\data')]"#,
                &[r#"order({"papers":4,"why":"True North, None of it's \"here\" in C:\\data"})"#],
            ),
            (
                "[order(papers=[1, True, None], why=['True North', \"it's\"])]",
                &[r#"order({"papers":[1,true,null],"why":["True North","it's"]})"#],
            ),
            ("I would call order(papers=4) now, and look() later.", &[]),
            (
                "I look, then order.\n\n[look(), order(papers=4, why='12')]\n\nThat is all [two calls].",
                &["look({})", four],
            ),
            (
                "Thought: four\nAction: order(papers=4, why=\"12\")\n",
                &[four],
            ),
            ("[order(papers=4, why='12'] is not closed", &[]),
            (
                "<antml:invoke name=\"order\">\n<antml:parameter name=\"papers\">4</antml:parameter>\n<antml:parameter name=\"why\">12</antml:parameter>\n</antml:invoke>",
                &[four],
            ),
            (
                r#"{"recipient_name": "functions.order", "parameters": {"papers": 4, "why": "12"}}"#,
                &[four],
            ),
            (
                r#"{"tool_name": "order", "tool_args": {"papers": 4, "why": "12"}}"#,
                &[four],
            ),
            (
                "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"order\">\n<｜DSML｜parameter name=\"papers\" string=\"false\">4</｜DSML｜parameter>\n<｜DSML｜parameter name=\"why\" string=\"true\">12</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
                &[four],
            ),
            (
                "<｜tool_calls_begin｜><steptml:invoke name=\"order\"><steptml:parameter name=\"papers\">4</steptml:parameter><steptml:parameter name=\"why\">12</steptml:parameter></steptml:invoke><｜tool_calls_end｜>",
                &[four],
            ),
            (
                "<longcat_tool_call>order\n<longcat_arg_key>papers</longcat_arg_key>\n<longcat_arg_value>4</longcat_arg_value>\n<longcat_arg_key>why</longcat_arg_key>\n<longcat_arg_value>12</longcat_arg_value>\n</longcat_tool_call>",
                &[four],
            ),
            (
                "<tool_calls>\n<tool_call>order\n```json\n{\"papers\": 4, \"why\": \"12\"}\n```\n</tool_call>\n</tool_calls>",
                &[four],
            ),
            (
                "<start_function_call>call:order{papers:4,why:<escape>12<escape>}<end_function_call>",
                &[four],
            ),
            (
                "<|tool_call>call:order{papers:4,why:<|\"|>12<|\"|>}<tool_call|>",
                &[four],
            ),
            (
                "<|tool_call_start|>[look(), order(papers=4, why='12')]<|tool_call_end|>Two calls.",
                &["look({})", four],
            ),
            (
                r#"{"tool_calls": [{"id": "a", "type": "function", "function": {"name": "order", "arguments": "{\"papers\": 4, \"why\": \"12\"}"}}]}"#,
                &[four],
            ),
            (
                r#"{"function_call": {"name": "order", "arguments": {"papers": 4, "why": "12"}}}"#,
                &[four],
            ),
            (
                r#"{"action": "order", "action_input": {"papers": 4, "why": "12"}}"#,
                &[four],
            ),
            ("functions.order({\"papers\": 4, \"why\": \"12\"})", &[four]),
            (
                "I look.\n\nlook()\norder(papers: 4, why: '12')\n\nThat is all.",
                &["look({})", four],
            ),
            (
                "[TOOL_CALL]{tool => \"look\", args => {}}[/TOOL_CALL]\n[TOOL_CALL]\n{tool => \"order\", args => {\n  --papers 4\n  --why \"12\"\n}}\n[/TOOL_CALL]",
                &["look({})", four],
            ),
            (
                "[TOOL_CALL]{\"tool\": \"look\", \"args\": {}}[/TOOL_CALL][TOOL_CALL]{\"tool\": \"order\", \"args\": {\"papers\": 4, \"why\": \"12\"}}[/TOOL_CALL]",
                &["look({})", four],
            ),
            (
                "<function_calls>\n<invoke>\n<tool_name>look</tool_name>\n<parameters>\n</parameters>\n</invoke>\n<invoke>\n<tool_name>order</tool_name>\n<parameters>\n<papers>4</papers>\n<why>12</why>\n</parameters>\n</invoke>\n</function_calls>",
                &["look({})", four],
            ),
            (
                "tool: look\n\ntool: order\nwith:\n  papers: 4\n  why: \"12\"\n",
                &["look({})", four],
            ),
            (
                "Thought: four\nAction: look\nAction Input: {}\nAction: order\nAction Input: {\"papers\": 4, \"why\": \"12\"}",
                &["look({})", four],
            ),
            ("Name: someone\nTool: order\nI do not know how many.", &[]),
            (
                ">>>look\n{}\n>>>order\n{\"papers\": 4, \"why\": \"12\"}",
                &["look({})", four],
            ),
            (
                "functions.look:0{}\nfunctions.order:1{\"papers\": 4, \"why\": \"12\"}",
                &["look({})", four],
            ),
            (
                "Action: look\nAction Input: {}\nObservation: 3\nAction: order\nAction Input: {\"papers\": 9}",
                &["look({})"],
            ),
            (
                "order\n{\"papers\": 9, \"why\": \"no\"}\nis too much: {\"tool\": \"order\", \"with\": {\"papers\": 4, \"why\": \"12\"}}",
                &[four],
            ),
            ("<|recipient|>look\n<|content|>{}", &["look({})"]),
            (
                "<tool_code>\nlook()\norder(papers=4, why='12')\n</tool_code>",
                &["look({})", four],
            ),
            ("<|python_tag|>order.call(papers=4, why='12')", &[four]),
            (
                "<function name=\"order\"><parameter name=\"papers\">4</parameter><parameter name=\"why\">12</parameter></function>",
                &[four],
            ),
            (
                "For instance you could call [order(papers=9, why='no')].\n[order(papers=4, why='12')]",
                &[four],
            ),
            (
                "<think>to=functions.order {\"papers\": 9}</think>look()",
                &["look({})"],
            ),
            (
                "<function_calls>\nlook()\norder(papers=4, why='12')\n</function_calls>",
                &["look({})", four],
            ),
            (
                "<|channel|>analysis<|message|>I could call to=functions.order with {\"papers\": 9}.<|end|><|start|>assistant<|channel|>commentary to=functions.order <|constrain|>json<|message|>{\"papers\": 4, \"why\": \"12\"}<|call|>",
                &[four],
            ),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = in_text(text, &tools).iter().map(shown).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }

    /// What models write in place of the forms that they were taught, as it is reported of their servers.
    #[test]
    fn calls_are_found_where_marks_lack_or_differ() {
        let tools = [
            ToolSpec::new("look", ToolKind::Getter, "Look."),
            ToolSpec::new("place_order", ToolKind::Action, "Order.")
                .with("papers", json!({"type": "integer"})),
        ];
        let four = r#"place_order({"papers":4})"#;
        for text in [
            // Gemma 4
            "<|tool_call>:place_order{papers:4}<tool_call|>",
            "<|tool_call>call:place_order(papers=4)<tool_call|>",
            "<|tool_call>call:place_order{papers=4}<tool_call|>",
            "I order.\n\ncall:place_order(papers=4)",
            // GLM
            "<tool_call>place_order<arg_key>papers</arg_key>4</arg_value></tool_call>",
            "<tool_call>place_order<arg_key>papers</arg_key></arg_key><arg_value>4</arg_value></tool_call>",
            "<tool_call>place_orderpapers</arg_key><arg_value>4</arg_value></tool_call>",
            "<tool_call>place_order papers</arg_key><arg_value>4</arg_value></tool_call>",
            "<tool_call>place_order<tool_call>papers</arg_key><arg_value>4</arg_value></tool_call>",
            "I order.\nplace_order\n<arg_key>papers</arg_key>\n<arg_value>4</arg_value>\n</tool_call>",
            // DeepSeek
            "<｜｜DSML｜｜invoke name=\"place_order\"><｜｜DSML｜｜parameter name=\"papers\" string=\"false\">4</｜｜DSML｜｜parameter></｜｜DSML｜｜invoke>",
            "<‖DSML‖invoke name=\"place_order\"><‖DSML‖parameter name=\"papers\">4</‖DSML‖parameter></‖DSML‖invoke>",
            "<|DSML|invoke name=\"place_order\"><|DSML|parameter name=\"papers\">4</|DSML|parameter></|DSML|invoke>",
            "<||DSML||invoke name=\"place_order\"><||DSML||parameter name=\"papers\">4</||DSML||parameter></||DSML||invoke>",
            "< | DSML | invoke name=\"place_order\">< | DSML | parameter name=\"papers\">4</ | DSML | parameter></ | DSML | invoke>",
            // MiniMax M3
            "I order.]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"place_order\">\n]<]minimax[>[<papers>4]<]minimax[>[</papers>\n]<]minimax[>[</invoke>",
            // Tags with their values in attributes, and other names of tags.
            "<function name=\"place_order\"><parameter name=\"papers\" value=\"4\"/></function>",
            "<invoke name=\"place_order\" papers=\"4\"/>",
            "<place_order papers=\"4\"/>",
            "<place_order papers='4'></place_order>",
            "<place_order>4</place_order>",
            "<tool_call name=\"place_order\" arguments='{\"papers\": 4}'/>",
            "<tool_call name=\"place_order\"><argument name=\"papers\">4</argument></tool_call>",
            "<invoke name=\"place_order\"><arg name=\"papers\">4</arg></invoke>",
            "<function_call><name>place_order</name><parameters><papers>4</papers></parameters></function_call>",
            // Code
            "<tool_call>place_order(papers=4)</tool_call>",
            "<TOOLCALL>[place_order(papers=4)]</TOOLCALL>",
            "<<function>>place_order(papers=4)",
            "**place_order(papers=4)**",
            "I order.\n`place_order(papers=4)`",
            "**Action:** place_order(papers=4)",
            "Tool call: `place_order(papers=4)`",
            "```python\nresult = place_order(papers=4)\nprint(result)\n```",
            "Action: place_order\nAction Input: 4",
            "Action: place_order\nAction Input: papers=4",
            "Function: place_order\nParameters: papers = 4",
            // JSON
            r#"{"tool_call": {"name": "place_order", "arguments": {"papers": 4}}}"#,
            r#"{"functionCall": {"name": "place_order", "args": {"papers": 4}}}"#,
            r#"{"toolUse": {"toolUseId": "t", "name": "place_order", "input": {"papers": 4}}}"#,
            r#"{"thoughts": {"text": "4"}, "command": {"name": "place_order", "args": {"papers": 4}}}"#,
            r#"{"method": "place_order", "params": {"papers": 4}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "place_order", "arguments": {"papers": 4}}}"#,
            r#"{"memory": "x", "action": [{"place_order": {"papers": 4}}]}"#,
            r#"{\"name\": \"place_order\", \"arguments\": {\"papers\": 4}}"#,
            r#""{\"name\": \"place_order\", \"arguments\": {\"papers\": 4}}""#,
            "{“name”: “place_order”, “arguments”: {“papers”: 4}}",
            // Thoughts that end with the call.
            "<think>40? No.\n<tool_call>\n{\"name\": \"place_order\", \"arguments\": {\"papers\": 4}}\n</tool_call>",
            "<think>{\"tool\": \"place_order\", \"with\": {\"papers\": 40}}?\n<tool_call>{\"name\": \"place_order\", \"arguments\": {\"papers\": 4}}</tool_call>",
        ] {
            let found: Vec<String> = in_text(text, &tools).iter().map(shown).collect();
            assert_eq!(found, [four], "{text}");
        }
        for text in [
            "<think><tool_call>{\"name\": \"place_order\", \"arguments\": {\"papers\": 4}}</tool_call> or not?",
            "<place_order>four, or so</place_order>",
            "<place_order>?</place_order>",
            "A tag such as <place_order papers=\"4\"/> would do it.",
            "I considered <place_order>4</place_order> but wait.",
            "I will call place_order(papers=4).",
            "Calling place_order with papers=4",
            "Action: place_order\nAction Input: four",
            "Action: place_order\nAction Input: {\"papers\": 4",
            "I may place_order(4) or place_order(5).",
            "My plan: place_order(papers=4)",
        ] {
            let found: Vec<String> = in_text(text, &tools).iter().map(shown).collect();
            assert_eq!(found, [""; 0], "{text}");
        }
    }
}
