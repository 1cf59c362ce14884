//! Joins a stream of events to the one answer that it is a stream of.
//!
//! Requests say `"stream": false`, but some gateways stream whatever they are asked. The lines are those of server-sent
//! events: `data: {..}` for each piece, and `data: [DONE]` at the end of a chat completion.
//!
//! Source: the references of `POST /v1/chat/completions` (chunks) and `POST /v1/messages` (events).

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// `text` without the comments at its head, with which gateways keep a connection open: lines that begin with a colon,
/// also before an answer in one piece.
pub(crate) fn without_comments(text: &str) -> &str {
    let blank = ['\u{feff}', ' ', '\n', '\r', '\t'];
    let mut rest = text;
    while let Some(comment) = rest.trim_start_matches(blank).strip_prefix(':') {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
    }
    rest
}

/// Whether a body without its comments is a stream of events.
pub(crate) fn is_stream(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    ["data:", "event:", "id:", "retry:"]
        .iter()
        .any(|mark| text.starts_with(mark))
}

/// Whether a body is several objects of JSON, one in each line (NDJSON).
pub(crate) fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_object = |line: &str| matches!(crate::json_text::lossy(line), Ok(Value::Object(_)));
    lines.next().is_some_and(is_object) && lines.next().is_some_and(is_object)
}

/// The answer that a stream of events makes up.
///
/// # Errors
/// When an event is not JSON, or the stream ends before the reply does.
pub(crate) fn joined(text: &str) -> Result<Value, String> {
    let mut chat = Chat::default();
    let mut message = Blocks::default();
    for line in text.lines() {
        let line = line.trim_start_matches('\u{feff}');
        // An object without a mark is an event too: a line of NDJSON, or an error within a stream.
        let bare = line.starts_with('{').then_some(line);
        let Some(data) = line.strip_prefix("data:").or(bare) else {
            continue;
        };
        let data = data.trim();
        if data == "[DONE]" {
            chat.is_done = true;
            continue;
        }
        if data.is_empty() {
            continue;
        }
        let event = crate::json_text::lossy(data)
            .map_err(|e| format!("an event of the stream is not taken as JSON: {e}"))?;
        // An error ends the stream, and says more than what came before it. vLLM once sent its words without an
        // `error` around them.
        let is_error = event.get("object").and_then(Value::as_str) == Some("error");
        if is_error || event.get("error").is_some_and(|error| !error.is_null()) {
            return Ok(event);
        }
        match event.get("type").and_then(Value::as_str) {
            Some(kind) if event.get("choices").is_none() => message.add(kind, &event),
            // Gemini and Ollama stream pieces of their own form.
            _ => chat.add(super::foreign::as_chat(&event).into_owned()),
        }
    }
    let whole = if message.body.is_object() {
        message.whole()
    } else {
        chat.whole()
    };
    whole.ok_or_else(|| "the stream ends before the reply does".to_owned())
}

/// The pieces of a chat completion.
#[derive(Default)]
struct Chat {
    body: Map<String, Value>,
    choice: Map<String, Value>,
    message: Map<String, Value>,
    calls: Vec<Value>,
    is_done: bool,
}

impl Chat {
    fn add(&mut self, event: Value) {
        let Value::Object(event) = event else { return };
        for (name, value) in event {
            let choice = match (name.as_str(), &value) {
                // The others are never asked for: a run cannot set `n`.
                ("choices", Value::Array(choices)) => choices.first(),
                // Later pieces repeat fields as `null`, which must not erase what an earlier one
                // said.
                (_, Value::Null) => continue,
                _ => {
                    self.body.insert(name, value);
                    continue;
                }
            };
            let choice = choice.and_then(Value::as_object);
            let is_chat = ["delta", "message"].iter().any(|name| {
                let piece = choice.and_then(|choice| choice.get(*name)?.as_object());
                piece.is_some_and(|piece| !piece.is_empty())
            });
            for (name, value) in choice.into_iter().flatten() {
                match (name.as_str(), value) {
                    ("delta" | "message", Value::Object(delta)) => self.delta(delta),
                    // The older API, whose pieces are texts. Some servers write each piece under both names.
                    ("text", Value::String(_)) if !is_chat => {
                        append(&mut self.message, "content", value);
                    }
                    (_, Value::Null) => {}
                    // Some gateways write it with every piece: it is not an ending, and does not erase one.
                    ("finish_reason", Value::String(word)) if word.is_empty() => {}
                    _ => {
                        self.choice.insert(name.clone(), value.clone());
                    }
                }
            }
        }
    }

    fn delta(&mut self, delta: &Map<String, Value>) {
        for (name, value) in delta {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("tool_calls", Value::Array(calls)) => {
                    calls.iter().for_each(|call| self.call(call))
                }
                // The older form of a call.
                ("function_call", Value::Object(piece)) => {
                    let call = self
                        .message
                        .entry(name.clone())
                        .or_insert_with(|| json!({}));
                    if let Some(call) = call.as_object_mut() {
                        extend(call, piece);
                    }
                }
                ("role", _) => {
                    self.message.insert(name.clone(), value.clone());
                }
                _ => append(&mut self.message, name, value),
            }
        }
    }

    /// A piece of a call: the first one has its id and name, later ones more of its arguments. Some servers number no
    /// call (Ollama, Databricks), and some give all calls one number (Gemini): there a piece with a name and another id
    /// begins a call.
    fn call(&mut self, piece: &Value) {
        let text = |at: &Value, path: &str| {
            let found = at.pointer(path).and_then(Value::as_str);
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (id, name) = (text(piece, "/id"), text(piece, "/function/name"));
        let place = piece.get("index").filter(|place| place.is_number());
        let is_of = |call: &Value| match (place, &id) {
            (Some(_), _) => call.get("index") == place,
            (None, Some(_)) => text(call, "/id") == id,
            (None, None) => name.is_none(),
        };
        let begins = |call: &Value| name.is_some() && id.is_some() && text(call, "/id") != id;
        // The last one that fits, because later pieces belong to it.
        let found = self.calls.iter_mut().rev().find(|call| is_of(call));
        let Some(call) = found.filter(|call| !begins(call)) else {
            self.calls.push(piece.clone());
            return;
        };
        if let (Some(call), Some(piece)) = (call.as_object_mut(), piece.as_object()) {
            extend(call, piece);
        }
    }

    fn whole(mut self) -> Option<Value> {
        // A connection that broke looks like a short reply: only a finish reason or the mark of the
        // end (`done` of Ollama) says that it is whole.
        let is_ended = self.choice.contains_key("finish_reason")
            || self.body.get("done").and_then(Value::as_bool) == Some(true);
        if !self.is_done && !is_ended {
            return None;
        }
        if self.choice.is_empty() && self.message.is_empty() && self.calls.is_empty() {
            return None;
        }
        if !self.calls.is_empty() {
            self.message
                .insert("tool_calls".to_owned(), Value::Array(self.calls));
        }
        self.choice
            .insert("message".to_owned(), Value::Object(self.message));
        self.body.insert("choices".to_owned(), json!([self.choice]));
        Some(Value::Object(self.body))
    }
}

/// Adds a piece to a call. Arguments are appended; other fields come once, or again with every piece.
fn extend(call: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (name, value) in piece {
        match (call.get_mut(name), value) {
            (Some(Value::Object(held)), Value::Object(more)) => extend(held, more),
            _ if name == "arguments" => append(call, name, value),
            (Some(held), _) if !held.is_null() && *held != "" => {}
            _ => {
                call.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Adds a piece to the field `name`: texts and lists grow, any other value replaces the one before.
fn append(map: &mut Map<String, Value>, name: &str, piece: &Value) {
    match (map.get_mut(name), piece) {
        (Some(_), Value::Null) => {}
        (Some(Value::String(all)), Value::String(more)) => all.push_str(more),
        (Some(Value::Array(all)), Value::Array(more)) => all.extend(more.iter().cloned()),
        // Mistral sends thoughts as a list of parts and the answer as texts, of which the last one is often empty.
        (Some(Value::Array(all)), Value::String(_)) => all.push(piece.clone()),
        (Some(held @ Value::String(_)), Value::Array(more)) => {
            let parts = std::iter::once(held.take()).chain(more.iter().cloned());
            *held = parts.collect();
        }
        _ => {
            map.insert(name.to_owned(), piece.clone());
        }
    }
}

/// The pieces of an answer of the Messages API.
#[derive(Default)]
struct Blocks {
    body: Value,
    blocks: Vec<Map<String, Value>>,
    /// The place of the last block with each number of the server: some gateways begin with 1, or give all blocks the
    /// same number.
    places: BTreeMap<Option<u64>, usize>,
    is_done: bool,
}

impl Blocks {
    /// Adds a block; its place.
    fn begin(&mut self, number: Option<u64>, block: Map<String, Value>) -> usize {
        let place = self.blocks.len();
        self.places.insert(number, place);
        self.blocks.push(block);
        place
    }

    fn add(&mut self, kind: &str, event: &Value) {
        let number = event.get("index").and_then(Value::as_u64);
        match kind {
            "message" => {
                self.body = event.clone();
                self.is_done = true;
            }
            // The last event of the Responses API holds the whole reply.
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.body = event.get("response").cloned().unwrap_or_default();
                self.is_done = true;
            }
            "message_start" => {
                self.body = event.get("message").cloned().unwrap_or_else(|| json!({}));
            }
            "content_block_start" => {
                if let Some(block) = event.get("content_block").and_then(Value::as_object) {
                    self.begin(number, block.clone());
                }
            }
            "content_block_delta" => {
                let Some(delta) = event.get("delta").and_then(Value::as_object) else {
                    return;
                };
                let at = self.places.get(&number).copied();
                let at = at.unwrap_or_else(|| {
                    // A gateway that does not tell where a block begins.
                    let kind = match delta.contains_key("thinking") {
                        true => "thinking",
                        false => "text",
                    };
                    self.begin(number, Map::from_iter([("type".to_owned(), json!(kind))]))
                });
                if let Some(block) = self.blocks.get_mut(at) {
                    for (name, value) in delta.iter().filter(|(name, _)| *name != "type") {
                        append(block, name, value);
                    }
                }
            }
            "message_delta" => {
                if self.body.is_null() {
                    self.body = json!({});
                }
                if let Some(body) = self.body.as_object_mut() {
                    update(body, event.get("delta"));
                    // A gateway may count at the end alone.
                    let usage = body.entry("usage").or_insert(Value::Null);
                    if usage.is_null() {
                        *usage = json!({});
                    }
                    if let Some(usage) = usage.as_object_mut() {
                        update(usage, event.get("usage"));
                    }
                }
                self.is_done = true;
            }
            "message_stop" => self.is_done = true,
            _ => {}
        }
    }

    fn whole(mut self) -> Option<Value> {
        if !self.is_done {
            return None;
        }
        if !self.blocks.is_empty() {
            // The pieces of an input are no JSON by themselves, so they are read when all are
            // there.
            let blocks = self.blocks.into_iter().map(|mut block| {
                let pieces = block.remove("partial_json");
                // Some gateways send the whole input at the beginning, and an empty piece of it.
                let is_given = block.get("input").is_some_and(Value::is_object);
                if let Some(Value::String(input)) = pieces
                    && !(is_given && input.trim().is_empty())
                {
                    block.insert("input".to_owned(), read_input(&input));
                }
                Value::Object(block)
            });
            let blocks = blocks.collect();
            if let Some(body) = self.body.as_object_mut() {
                body.insert("content".to_owned(), blocks);
            }
        }
        Some(self.body)
    }
}

/// Sets the fields that an event tells. Some gateways count the input at the start alone, and write 0 or `null` at the
/// end.
fn update(held: &mut Map<String, Value>, more: Option<&Value>) {
    for (name, value) in more.and_then(Value::as_object).into_iter().flatten() {
        let is_nothing = |value: &Value| value.is_null() || *value == 0;
        let is_told = held.get(name).is_some_and(|held| !is_nothing(held));
        if !(is_told && is_nothing(value)) {
            held.insert(name.clone(), value.clone());
        }
    }
}

/// The input of a call from its pieces; the text itself if it is not JSON, which the reader of calls reports.
fn read_input(text: &str) -> Value {
    if text.trim().is_empty() {
        return json!({});
    }
    crate::json_text::strict(text).unwrap_or_else(|_| json!(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ApiKind;

    #[test]
    fn lines_without_marks_are_a_stream_too() {
        let lines = "{\"choices\": [{\"delta\": {\"content\": \"1\"}}]}\n{\"choices\": [{\"delta\": {\"content\": \"2\"}, \"finish_reason\": \"stop\"}]}\n";
        assert!(is_lines(lines) && !is_stream(lines));
        let reply = ApiKind::OpenAi.decode(joined(lines).unwrap()).unwrap();
        assert_eq!(reply.said.text, "12");
        assert!(!is_lines("{\n\"choices\": []\n}\n"));
        let error = joined("data: {\"choices\": []}\n{\"error\": {\"message\": \"overloaded\"}}\n");
        assert!(error.unwrap().get("error").is_some());
    }

    #[test]
    fn streams_are_joined_to_the_answer() {
        let text = "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Fo\"}}]}\n\n\
            data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ur\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"order\",\"arguments\":\"{\\\"n\\\":\"}}]}}]}\n\n\
            data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"4}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
        assert!(is_stream(text));
        let reply = ApiKind::OpenAi.decode(joined(text).unwrap()).unwrap();
        assert_eq!(reply.said.text, "Four");
        assert_eq!(reply.said.calls[0].arguments.value(), json!({"n": 4}));
        assert_eq!((reply.usage.input, reply.usage.output), (7, 2));
        let cut = text
            .split_once("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\"")
            .unwrap()
            .0;
        assert!(joined(cut).is_err(), "the stream is cut");

        let text = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"content\":[],\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\n\
            data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"order\",\"input\":{}}}\n\n\
            data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"n\\\":\"}}\n\n\
            data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"4}\"}}\n\n\
            data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\n";
        let reply = ApiKind::Anthropic.decode(joined(text).unwrap()).unwrap();
        assert_eq!(reply.said.calls[0].arguments.value(), json!({"n": 4}));
        assert_eq!((reply.usage.input, reply.usage.output), (7, 9));
        // Pieces without numbers, and two calls with one number.
        let calls = |pieces: &[Value]| {
            let events = pieces.iter().map(|piece| {
                let event = json!({"choices": [{"delta": {"tool_calls": [piece]}}]});
                format!("data: {event}\n\n")
            });
            let text: String = events.chain(["data: [DONE]".to_owned()]).collect();
            let reply = ApiKind::OpenAi.decode(joined(&text).unwrap()).unwrap();
            let calls = reply.said.calls.iter();
            calls
                .map(|call| format!("{}{}", call.name, call.arguments.value()))
                .collect::<Vec<_>>()
        };
        let named = |id: &str, name: &str, text: &str| json!({"id": id, "function": {"name": name, "arguments": text}});
        let more = |text: &str| json!({"function": {"arguments": text}});
        assert_eq!(
            calls(&[
                named("c", "order", "{\"n\""),
                more(": "),
                more("4}"),
                named("d", "look", ""),
                more("{}")
            ]),
            ["order{\"n\":4}", "look{}"]
        );
        let numbered = |mut piece: Value| {
            piece["index"] = json!(0);
            piece
        };
        assert_eq!(
            calls(&[
                numbered(named("c", "look", "{}")),
                numbered(named("d", "order", "{\"n\"")),
                numbered(more(": 4}"))
            ]),
            ["look{}", "order{\"n\":4}"]
        );
        let error = joined("data: {\"error\":{\"message\":\"overloaded\"}}\n\n").unwrap();
        assert!(error["error"].is_object());
    }

    /// The text, the calls and the counts of a reply in these events.
    fn read(kind: ApiKind, events: &[Value]) -> Option<(String, Vec<String>, [u64; 2])> {
        let lines = events.iter().map(|event| format!("data: {event}\n\n"));
        let reply = kind.decode(joined(&lines.collect::<String>()).ok()?).ok()?;
        let calls = reply.said.calls.iter();
        let calls = calls.map(|call| format!("{}{}", call.name, call.arguments.value()));
        let counts = [reply.usage.input, reply.usage.output];
        Some((reply.said.text, calls.collect(), counts))
    }

    #[test]
    fn pieces_of_odd_forms_are_joined() {
        let piece = |delta: Value| json!({"choices": [{"delta": delta, "finish_reason": ""}]});
        let end = || json!({"choices": [{"delta": {"content": ""}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
        let four = || vec!["order{\"n\":4}".to_owned()];
        let cases = [
            // The older form of a call.
            (
                vec![
                    piece(json!({"function_call": {"name": "order", "arguments": ""}})),
                    piece(json!({"function_call": {"name": "order", "arguments": "{\"n\""}})),
                    piece(json!({"function_call": {"arguments": ": 4}"}})),
                ],
                ("", four()),
            ),
            // The name in a later piece than the id, and in every piece.
            (
                vec![
                    piece(json!({"tool_calls": [{"index": 0, "id": "c", "function": null}]})),
                    piece(
                        json!({"tool_calls": [{"index": 0, "function": {"name": "order", "arguments": "{\"n\""}}]}),
                    ),
                    piece(
                        json!({"tool_calls": [{"index": 0, "function": {"name": "order", "arguments": ": 4}"}}]}),
                    ),
                ],
                ("", four()),
            ),
            // Parts before texts, and behind them.
            (
                vec![
                    piece(
                        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "40?"}]}]}),
                    ),
                    piece(json!({"content": [{"type": "text", "text": "Fo"}]})),
                    piece(json!({"content": "ur"})),
                ],
                ("Four", vec![]),
            ),
            (
                vec![
                    piece(json!({"content": "Fo"})),
                    piece(json!({"content": [{"type": "text", "text": "ur"}]})),
                ],
                ("Four", vec![]),
            ),
            // The older API.
            (
                vec![
                    json!({"choices": [{"text": "Fo", "finish_reason": null}]}),
                    json!({"choices": [{"text": "ur", "finish_reason": null}]}),
                ],
                ("Four", vec![]),
            ),
            // The same piece under both names.
            (
                vec![
                    json!({"choices": [{"text": "Fo", "delta": {"content": "Fo"}}]}),
                    json!({"choices": [{"text": "ur", "delta": {"content": "ur"}}]}),
                ],
                ("Four", vec![]),
            ),
        ];
        for (mut events, (text, calls)) in cases {
            // Each piece has an empty word for the ending, which is none: the stream may have been cut.
            assert_eq!(read(ApiKind::OpenAi, &events), None, "{events:?}");
            events.push(end());
            let found = read(ApiKind::OpenAi, &events);
            assert_eq!(found, Some((text.to_owned(), calls, [7, 2])), "{events:?}");
        }
        let ollama = [
            json!({"response": "Fo", "done": false}),
            json!({"response": "ur", "done": true, "prompt_eval_count": 7, "eval_count": 2}),
        ];
        let found = read(ApiKind::OpenAi, &ollama);
        assert_eq!(found, Some(("Four".to_owned(), vec![], [7, 2])));
        let failed = "data: {\"object\": \"error\", \"message\": \"x\", \"type\": \"BadRequestError\", \"code\": 400}\n\n";
        assert_eq!(joined(failed).unwrap()["code"], 400);
    }

    #[test]
    fn blocks_of_gateways_are_joined() {
        let start =
            || json!({"type": "message_start", "message": {"type": "message", "content": []}});
        let begin = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
        let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        let end = || json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"input_tokens": 7, "output_tokens": 2}});
        let call = || json!({"type": "tool_use", "id": "t", "name": "order", "input": {"n": 4}});
        let open = || json!({"type": "tool_use", "id": "t", "name": "order", "input": {}});
        let found = Some(("Four".to_owned(), vec!["order{\"n\":4}".to_owned()], [7, 2]));
        for events in [
            // Numbers from 1, or one number for all.
            vec![
                start(),
                begin(1, json!({"type": "text", "text": ""})),
                delta(1, json!({"text": "Four"})),
                begin(2, open()),
                delta(2, json!({"partial_json": "{\"n\": 4}"})),
                end(),
            ],
            vec![
                start(),
                begin(0, json!({"type": "text", "text": "Fo"})),
                delta(0, json!({"text": "ur"})),
                begin(0, open()),
                delta(0, json!({"partial_json": "{\"n\": 4}"})),
                end(),
            ],
            // A text without a beginning, and an input at the beginning.
            vec![
                start(),
                delta(0, json!({"text": "Fo"})),
                delta(0, json!({"text": "ur"})),
                begin(1, call()),
                delta(1, json!({"partial_json": ""})),
                end(),
                json!({"type": "message_delta", "delta": {}, "usage": {"input_tokens": null, "output_tokens": 2}}),
            ],
        ] {
            assert_eq!(read(ApiKind::Anthropic, &events), found, "{events:?}");
        }
        let stopped = [
            start(),
            delta(0, json!({"text": "Four"})),
            json!({"type": "message_stop"}),
        ];
        let found = read(ApiKind::Anthropic, &stopped).map(|(text, ..)| text);
        assert_eq!(found.as_deref(), Some("Four"));
    }
}
