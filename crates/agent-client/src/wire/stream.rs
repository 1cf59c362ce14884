//! Joins a stream of events to the one answer that it is a stream of.
//!
//! Requests say `"stream": false`, but some gateways stream whatever they are asked. The lines are those of server-sent
//! events: `data: {..}` for each piece, and `data: [DONE]` at the end of a chat completion.
//!
//! Source: the references of `POST /v1/chat/completions` (chunks) and `POST /v1/messages` (events).

use serde_json::{Map, Value, json};

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
        // An error ends the stream, and says more than what came before it.
        if event.get("error").is_some_and(|error| !error.is_null()) {
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
                ("choices", Value::Array(choices)) => choices.first(),
                // Later pieces repeat fields as `null`, which must not erase what an earlier one
                // said.
                (_, Value::Null) => continue,
                _ => {
                    self.body.insert(name, value);
                    continue;
                }
            };
            for (name, value) in choice.and_then(Value::as_object).into_iter().flatten() {
                match (name.as_str(), value) {
                    ("delta" | "message", Value::Object(delta)) => self.delta(delta),
                    (_, Value::Null) => {}
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
        let more = piece.pointer("/function/arguments").and_then(Value::as_str);
        if let (Some(Value::String(all)), Some(more)) =
            (call.pointer_mut("/function/arguments"), more)
        {
            all.push_str(more);
        } else if let (Some(function), Some(more)) = (
            call.get_mut("function").and_then(Value::as_object_mut),
            more,
        ) {
            function.insert("arguments".to_owned(), json!(more));
        }
    }

    fn whole(mut self) -> Option<Value> {
        // A connection that broke looks like a short reply: only a finish reason or the mark of the
        // end says that it is whole.
        if !self.is_done && !self.choice.contains_key("finish_reason") {
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

/// Adds a piece to the field `name`: texts and lists grow, any other value replaces the one before.
fn append(map: &mut Map<String, Value>, name: &str, piece: &Value) {
    match (map.get_mut(name), piece) {
        (Some(Value::String(all)), Value::String(more)) => all.push_str(more),
        (Some(Value::Array(all)), Value::Array(more)) => all.extend(more.iter().cloned()),
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
    is_done: bool,
}

impl Blocks {
    fn add(&mut self, kind: &str, event: &Value) {
        let place = event.get("index").and_then(Value::as_u64);
        let place = place.and_then(|place| usize::try_from(place).ok());
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
                let block = event.get("content_block").and_then(Value::as_object);
                self.blocks.extend(block.cloned());
            }
            "content_block_delta" => {
                let delta = event.get("delta").and_then(Value::as_object);
                let block = place.and_then(|place| self.blocks.get_mut(place));
                if let (Some(block), Some(delta)) = (block, delta) {
                    for (name, value) in delta.iter().filter(|(name, _)| *name != "type") {
                        append(block, name, value);
                    }
                }
            }
            "message_delta" => {
                for (at, name) in [("delta", ""), ("usage", "usage")] {
                    let more = event.get(at).and_then(Value::as_object);
                    let body = match name {
                        "" => Some(&mut self.body),
                        name => self.body.get_mut(name),
                    };
                    if let (Some(Value::Object(body)), Some(more)) = (body, more) {
                        // Some gateways count the input at the start alone, and write 0 at the end.
                        let told = |name: &str| body.get(name).is_some_and(|value| *value != 0);
                        let more: Vec<_> = more
                            .iter()
                            .filter(|(name, value)| !(**value == 0 && told(name)))
                            .map(|(name, value)| (name.clone(), value.clone()))
                            .collect();
                        body.extend(more);
                    }
                }
                self.is_done = true;
            }
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
                if let Some(Value::String(input)) = block.remove("partial_json") {
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
}
