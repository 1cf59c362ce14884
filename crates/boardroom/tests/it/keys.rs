//! A model that knows the key tries to get it into a file, into a report or onto the terminal.
//!
//! It writes the key in every encoding of [`ENCODINGS`] into every field of its replies. Afterwards everything that the program wrote and printed is searched for all of them.

use crate::program::without_saving;
use crate::server::{Act, KEY, Server};
use boardroom::registry::Registry;
use serde_json::{Value, json};
use sim_core::testkit::small_or_full;
use std::path::{Path, PathBuf};
use std::process::Output;

type Encoding = (&'static str, fn(&str) -> String);

fn each(key: &str, written: impl Fn(u8) -> String) -> String {
    key.bytes().map(written).collect()
}

/// Base64 (RFC 4648) of `before` and `key`. The test has its own implementation, because the program's
/// may be wrong.
fn base64(before: &str, key: &str, url: bool, padded: bool) -> String {
    let table: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(if url { ['-', '_'] } else { ['+', '/'] })
        .collect();
    let text = format!("{before}{key}");
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk
            .iter()
            .chain([&0, &0])
            .take(3)
            .fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(table[bits >> (18 - 6 * place) & 63]);
            } else if padded {
                out.push('=');
            }
        }
    }
    out
}

const ENCODINGS: [Encoding; 13] = [
    ("plain", str::to_owned),
    ("escapes", |k| each(k, |b| format!("\\u{b:04x}"))),
    ("escapes twice", |k| each(k, |b| format!("\\\\u{b:04X}"))),
    ("escapes in part", |k| {
        each(k, |b| match b % 2 {
            0 => format!("\\u{b:04x}"),
            _ => char::from(b).to_string(),
        })
    }),
    ("base64", |k| base64("", k, false, true)),
    ("base64 without padding", |k| base64("", k, false, false)),
    ("base64 url", |k| base64("?", k, true, true)),
    ("base64 behind two", |k| base64("k=", k, false, true)),
    ("base64 behind words", |k| {
        base64("the key is ", k, true, false)
    }),
    ("percent", |k| each(k, |b| format!("%{b:02x}"))),
    ("percent upper", |k| each(k, |b| format!("%{b:02X}"))),
    ("percent in part", |k| {
        each(k, |b| match b % 2 {
            0 => format!("%{b:02X}"),
            _ => char::from(b).to_string(),
        })
    }),
    ("file name", |k| format!("/keys/{k}.json")),
];

/// The language of the server.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wire {
    OpenAi,
    Anthropic,
}

/// A reply with the key in every field.
fn hostile(wire: Wire, body: &Value, n: u64) -> Value {
    let n = usize::try_from(n).unwrap();
    let code = |field: usize| ENCODINGS[(n + field * 5) % ENCODINGS.len()].1(KEY);
    let schema = &body["response_format"]["json_schema"]["schema"];
    let text = if schema.is_object() {
        fill(schema, &code(0)).to_string()
    } else if n % 5 == 4 {
        format!(
            "{{\"tool\": \"{}\", \"with\": {{\"a\": \"{}\"}}}}",
            code(1),
            code(0)
        )
    } else {
        format!(
            "Step {n}: {} <cheatsheet>{}</cheatsheet> <instruction>{}</instruction>",
            code(0),
            code(1),
            code(2)
        )
    };
    let tool = |tool: &Value| -> (String, Value) {
        let spec = tool.get("function").unwrap_or(tool);
        let schema = spec.get("parameters").or(spec.get("input_schema")).unwrap();
        let filled = fill(schema, &code(3));
        (spec["name"].as_str().unwrap().to_owned(), filled)
    };
    let offered: Vec<(String, Value)> = match body["tools"].as_array() {
        Some(tools) => tools.iter().map(tool).collect(),
        None => Vec::new(),
    };
    let mut calls: Vec<(String, String, Value)> = Vec::new();
    if !offered.is_empty() {
        let mut odd = json!({
            "note": code(4), "json": json!({"again": code(5)}).to_string(), "n": 4,
        });
        odd[code(6)] = json!(1);
        calls.push((code(7), code(8), odd));
        calls.push((format!("{n}"), "other".to_owned(), json!({"n": code(10)})));
        let (name, filled) = offered[n % offered.len()].clone();
        calls.push((
            format!("call-{n}"),
            name.clone(),
            json!({"note": code(11), "q": 1}),
        ));
        // The call that the environment may accept comes first or last.
        let place = if n % 2 == 0 { 0 } else { calls.len() };
        calls.insert(place, (code(9), name, filled));
    }
    match wire {
        Wire::OpenAi => openai(&text, &calls, n, &code),
        Wire::Anthropic => anthropic(&text, &calls, n, &code),
    }
}

fn openai(
    text: &str,
    calls: &[(String, String, Value)],
    n: usize,
    code: &dyn Fn(usize) -> String,
) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(place, (id, name, arguments))| {
            let arguments = match place {
                // Escapes that only the parser of the arguments decodes.
                1 => format!("{{\"n\": \"{}\"}}", each(KEY, |b| format!("\\u{b:04x}"))),
                2 => format!("{{\"n\": {}", code(11)),
                _ => arguments.to_string(),
            };
            json!({"id": id, "type": "function", "x": code(12),
                   "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    let finish = if n.is_multiple_of(4) {
        code(13)
    } else {
        "tool_calls".to_owned()
    };
    let mut usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
    usage[code(14)] = json!(code(15));
    json!({
        "id": code(16), "model": code(17), "system_fingerprint": code(18), "usage": usage,
        "choices": [{"index": 0, "finish_reason": finish, "message": {
            "role": "assistant", "content": text, "reasoning_content": code(19),
            "tool_calls": calls}}],
    })
}

fn anthropic(
    text: &str,
    calls: &[(String, String, Value)],
    n: usize,
    code: &dyn Fn(usize) -> String,
) -> Value {
    let mut content =
        vec![json!({"type": "thinking", "thinking": code(11), "signature": code(12)})];
    content.push(json!({"type": "text", "text": text}));
    content.extend(calls.iter().map(|(id, name, arguments)| {
        json!({"type": "tool_use", "id": id, "name": name, "input": arguments})
    }));
    let reason = if n.is_multiple_of(4) {
        code(13)
    } else {
        "tool_use".to_owned()
    };
    let mut usage = json!({"input_tokens": 100, "output_tokens": 10});
    usage[code(14)] = json!(code(15));
    json!({"id": code(16), "model": code(17), "role": "assistant", "stop_reason": reason,
           "content": content, "usage": usage})
}

/// A value that fits a schema, with `word` wherever free text is allowed.
fn fill(schema: &Value, word: &str) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let fields = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            let filled = fields
                .iter()
                .map(|(name, field)| (name.clone(), fill(field, word)));
            Value::Object(filled.collect())
        }
        Some("array") if schema["items"]["type"] == "integer" => json!([]),
        Some("array") => json!([fill(&schema["items"], word)]),
        Some("integer" | "number") => json!(5),
        Some("boolean") => json!(true),
        _ => json!(word),
    }
}

/// Everything that the program left behind: files, and what it printed.
#[derive(Default)]
struct Left(Vec<(String, String)>);

impl Left {
    fn output(&mut self, what: &str, output: &Output) {
        for bytes in [&output.stdout, &output.stderr] {
            self.0
                .push((what.to_owned(), String::from_utf8_lossy(bytes).into_owned()));
        }
    }

    fn files(&mut self, dir: &Path) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.files(&path);
            } else {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                self.0.push((path.display().to_string(), text));
            }
        }
    }

    /// Asserts that none of it contains an encoding of the key, read as text and as JSON.
    fn holds_no_key(&self) {
        let forms: Vec<(&str, String)> = ENCODINGS
            .iter()
            .map(|(name, encode)| {
                let encoded = encode(KEY);
                // Base64 begins and ends with characters that depend on the surrounding text.
                let cut = if name.starts_with("base64") { 4 } else { 0 };
                let from = if name.contains("words") { 16 } else { cut };
                (*name, encoded[from..encoded.len() - cut].to_owned())
            })
            .collect();
        for (place, text) in &self.0 {
            let mut read = vec![text.clone()];
            let lines = text.lines().chain([text.as_str()]);
            for value in lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
                strings(&value, &mut read);
            }
            for text in &read {
                for (name, form) in &forms {
                    assert!(!text.contains(form.as_str()), "{name} in {place}");
                }
            }
        }
    }
}

/// The names and texts of a value.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(map) => {
            for (name, item) in map {
                found.push(name.clone());
                strings(item, found);
            }
        }
        _ => {}
    }
}

/// A call without any key in its environment, as by a user who received the folder.
fn keyless(line: &str) -> Output {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = without_saving(&words);
    command
        .env_remove("OPENAI_API_KEY")
        .env_remove("ANTHROPIC_API_KEY");
    command.output().unwrap()
}

fn succeeded(what: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{what}: {said}");
}

/// A run with a hostile server; then every command that reads its folder.
struct Attack {
    server: Server,
    left: Left,
    runs: Vec<PathBuf>,
}

impl Attack {
    fn new(wire: Wire) -> Self {
        Self {
            server: Server::acting(move |n, body| Act::Answer(hostile(wire, body, n))),
            left: Left::default(),
            runs: Vec::new(),
        }
    }

    fn run(&mut self, line: &str, out: &Path) {
        let output = self
            .server
            .run(&format!("{line} --json --out {}", out.display()));
        succeeded(line, &output);
        self.left.output(line, &output);
        let asked = self.server.seen.lock().unwrap().len();
        assert!(asked > 0, "{line}: nothing was asked");
        let resumed = self.server.run(&format!("resume {} --json", out.display()));
        succeeded("resume", &resumed);
        self.left.output("resume", &resumed);
        assert_eq!(
            self.server.seen.lock().unwrap().len(),
            asked,
            "{line}: asked again"
        );
        self.runs.push(out.to_owned());
    }

    /// All folders as one list of words.
    fn dirs(&self) -> String {
        let dirs: Vec<String> = self
            .runs
            .iter()
            .map(|run| run.display().to_string())
            .collect();
        dirs.join(" ")
    }

    fn read(&mut self, what: &str) {
        let output = keyless(what);
        succeeded(what, &output);
        self.left.output(what, &output);
    }
}

/// In every environment (in the ordinary run: in two), on both wire formats, with a method that has a
/// memory.
fn environments(wire: Wire, agent: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut attack = Attack::new(wire);
    let registry = Registry::new();
    // Interviews and questions have a test of their own.
    let kinds = registry.kinds();
    let kinds = kinds.filter(|kind| !["consulting", "qa"].contains(&kind.name()));
    for kind in kinds.take(small_or_full(2, usize::MAX)) {
        let name = kind.name();
        let out = dir.path().join(name);
        let line = format!(
            "run {name} --agent {agent} --episodes 2 --limits 3,2 --method dc --concurrency 1"
        );
        attack.run(&line, &out);
        let calls = std::fs::read_to_string(out.join("calls.jsonl")).unwrap();
        assert!(calls.contains("[key]"), "{name}");
        attack.read(&format!("replay {}", out.display()));
        let again = dir.path().join(format!("{name}-again"));
        let replay = line.replace(agent, &format!("replay:{}", out.display()));
        attack.read(&format!("{replay} --json --out {}", again.display()));
        let records = |run: &Path| std::fs::read(run.join("episodes.jsonl")).unwrap();
        assert!(
            records(&out) == records(&again),
            "{name}: the recording plays the same game"
        );
    }
    let dirs = attack.dirs();
    attack.read(&format!("verify {dirs}"));
    // Environments measure different things: each run is compared with the one from its recording.
    for out in dirs.split_whitespace() {
        attack.read(&format!("compare {out} {out}-again"));
    }
    attack.read(&format!("rescore {dirs}"));
    attack.read(&format!("export {dirs}"));
    let report = dir.path().join("report.html");
    attack.read(&format!("report {dirs} -o {}", report.display()));
    attack.left.files(dir.path());
    attack.left.holds_no_key();
}

#[test]
fn slow_a_model_that_knows_the_key_cannot_bring_it_into_a_run_by_openai() {
    environments(Wire::OpenAi, "openai:mock");
}

#[test]
fn slow_a_model_that_knows_the_key_cannot_bring_it_into_a_run_by_anthropic() {
    environments(Wire::Anthropic, "anthropic:mock");
}

#[test]
fn a_model_that_knows_the_key_cannot_bring_it_into_interviews_and_questions() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
    for (wire, kind) in [(Wire::OpenAi, "openai"), (Wire::Anthropic, "anthropic")] {
        let dir = tempfile::tempdir().unwrap();
        let mut attack = Attack::new(wire);
        let talks = dir.path().join("talks");
        attack.run(
            &format!(
                "run consulting --preset short --episodes 4 --agent {kind}:talks \
                 --interviewer {kind}:asks --method dc --concurrency 1"
            ),
            &talks,
        );
        let asks = dir.path().join("asks");
        attack.run(
            &format!("run qa --data {samples} --task FPB --agent {kind}:mock --concurrency 1"),
            &asks,
        );
        attack.read(&format!("verify {}", talks.display()));
        attack.read(&format!("replay {}", talks.display()));
        attack.left.files(dir.path());
        attack.left.holds_no_key();
    }
}

/// Errors quote the server: they go to the list of failures and to the terminal.
#[test]
fn a_server_that_refuses_with_the_key_is_scrubbed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|n, _| {
        let (_, encode) = ENCODINGS[usize::try_from(n).unwrap() % ENCODINGS.len()];
        let code = encode(KEY);
        Act::Refuse(
            400,
            json!({"error": {"message": format!("no: {code}"), "type": code, "param": code}}),
        )
    });
    let mut left = Left::default();
    for (place, agent) in ["openai:mock", "anthropic:mock"].into_iter().enumerate() {
        let out = dir.path().join(place.to_string());
        let line = format!(
            "run beer-game --agent {agent} --preset random --episodes 30 --out {}",
            out.display()
        );
        let output = server.run(&line);
        assert_eq!(output.status.code(), Some(1));
        left.output(agent, &output);
        let errors = std::fs::read_to_string(out.join("errors.jsonl")).unwrap();
        assert!(
            errors.lines().all(|line| line.contains("[key]")),
            "{errors}"
        );
    }
    left.files(dir.path());
    left.holds_no_key();
}

/// If a user types the key as the model name, the error says so and does not show the key.
#[test]
fn a_key_for_a_model_is_refused_and_not_quoted() {
    let server = Server::start(0.0);
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let output = server.run(&format!(
        "run beer-game --agent openai:{KEY} --out {}",
        out.display()
    ));
    assert_eq!(output.status.code(), Some(2));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("0123456789"));
    assert!(!out.exists());
}

/// Names that a model made up are shown, but control characters in them have no effect.
#[test]
fn control_characters_of_a_model_do_not_reach_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let bad = "x\u{1b}[2J\u{1b}]0;owned\u{7}\r\u{8}\u{9b}31m\u{202e}\u{2066}\u{7f}";
    let server = Server::acting(move |_, _| {
        Act::Answer(
            json!({"choices": [{"index": 0, "finish_reason": bad, "message": {
            "role": "assistant", "content": bad, "tool_calls": [{"id": bad, "type": "function",
            "function": {"name": bad, "arguments": json!({bad: bad}).to_string()}}]}}]}),
        )
    });
    let out = dir.path().join("run");
    let game = "run beer-game --episodes 1 --limits 3,2";
    // The lines below are cut into words at blanks.
    let word = bad.replace('\r', "");
    let line = format!("{game} --agent openai:m{word} --out {}", out.display());
    let mut outputs = vec![server.run(&line)];
    let path = out.display();
    let report = dir.path().join("report.html");
    for line in [
        format!("replay {path}"),
        format!("verify {path}"),
        format!("compare {path}"),
        format!("rescore {path}"),
        format!("report {path} -o {}", report.display()),
        format!("{game} --agent nobody{word}"),
        format!("replay {path}{word}"),
    ] {
        outputs.push(keyless(&line));
    }
    succeeded("run", &outputs[0]);
    assert!(
        outputs
            .iter()
            .any(|o| String::from_utf8_lossy(&o.stdout).contains("\\u001b[2J"))
    );
    for output in outputs {
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8(bytes).unwrap();
            let acts = text.chars().find(|c| {
                (c.is_control() && !matches!(c, '\n' | '\t'))
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert_eq!(acts, None, "{text:?}");
        }
    }
}
