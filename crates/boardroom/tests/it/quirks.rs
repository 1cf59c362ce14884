//! Model servers as they are: one row for each behaviour that providers document or that people report of them.
//!
//! A row is a few lines over one frame: how the server answers, what is run against it, and what must come out.
//! `cargo xtask quirks` prints the table; docs/servers.md says which servers behave so.

mod causes;
mod dialects;
mod echo;
mod envelopes;
mod forms;
mod gateways;
mod money;
mod params;
mod reading;
mod refusals;
mod streams;
mod templates;
mod words;

use crate::server::{Act, Request, Server};
use run_engine::clock::Stopwatch;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The language that the server speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire {
    OpenAi,
    Anthropic,
}

use Wire::{Anthropic, OpenAi};

/// One behaviour of a server, and what must come out.
struct Quirk {
    name: &'static str,
    wire: Wire,
    act: fn(&Request) -> Act,
    /// The command line; `GAME` is the usual one.
    words: &'static str,
    good: fn(&Seen) -> bool,
}

/// The command line of a row that says no other: four weeks of the Beer Game.
pub const GAME: &str = "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct";

/// A row for a game that must be played to its end without a failed turn.
fn plays(name: &'static str, wire: Wire, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: GAME,
        good: Seen::played,
    }
}

/// The same for both languages.
fn plays_both(name: &'static str, act: fn(&Request) -> Act) -> [Quirk; 2] {
    [plays(name, OpenAi, act), plays(name, Anthropic, act)]
}

/// What came out of a row.
struct Seen {
    code: i32,
    out: String,
    err: String,
    requests: Vec<Value>,
    dir: PathBuf,
    ms: f64,
}

impl Seen {
    /// Everything was played, and every turn had its action.
    fn played(&self) -> bool {
        self.code == 0 && self.out.contains(" 0 failed, 0 forfeited turns")
    }

    /// Nothing failed, and the program ended well.
    fn ended(&self) -> bool {
        self.code == 0 && self.out.contains(" 0 failed")
    }

    fn says(&self, words: &str) -> bool {
        self.out.contains(words) || self.err.contains(words)
    }

    /// A file of the run folder.
    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.join(name)).unwrap_or_default()
    }

    /// How many of the requests hold `words`.
    fn asked(&self, words: &str) -> usize {
        let holds = |body: &&Value| body.to_string().contains(words);
        self.requests.iter().filter(holds).count()
    }

    /// The cost that the program shows, in US dollars: in the summary, or, of a run that was stopped at its cap, in the
    /// error.
    fn cost(&self) -> f64 {
        let summary = self.out.split("cost [USD]").nth(1);
        let error = self.err.split("budget: $").nth(1);
        let number = summary
            .or(error)
            .and_then(|rest| rest.split_whitespace().next());
        number
            .and_then(|text| text.replace(',', "").parse().ok())
            .unwrap_or(f64::NAN)
    }
}

/// A game costs one order a week: with this the replies of both languages are written once.
#[derive(Clone, Copy)]
pub enum Said {
    Text(&'static str),
    Call,
    Look,
}

/// The reply of a well-behaved server in the language of the request.
pub fn answer(request: &Request, said: Said) -> Value {
    if is_anthropic(request) {
        let tool = |name: &str, input: Value| json!({"type": "tool_use", "id": format!("toolu_{}", request.number), "name": name, "input": input});
        return claude(json!([match said {
            Said::Text(text) => json!({"type": "text", "text": text}),
            Said::Call => tool("place_order", json!({"quantity": 4})),
            Said::Look => tool("get_stock", json!({})),
        }]));
    }
    match said {
        Said::Text(text) => chat(json!({"content": text})),
        Said::Call => {
            chat(json!({"tool_calls": [call("place_order", &json!({"quantity": 4}).to_string())]}))
        }
        Said::Look => chat(json!({"tool_calls": [call("get_stock", "{}")]})),
    }
}

/// The call of an order as JSON in text, as prompts without tool calls ask for it.
const CALL_IN_TEXT: &str = r#"{"reason": "need", "tool": "place_order", "with": {"quantity": 4}}"#;

/// A call where tools are offered and may be used, JSON where JSON is asked for, else text.
fn ok(request: &Request) -> Act {
    let body = &request.body;
    Act::Answer(answer(
        request,
        if may_call(body) {
            Said::Call
        } else {
            Said::Text(CALL_IN_TEXT)
        },
    ))
}

/// Looks at the stock, then orders.
fn looks_first(request: &Request) -> Act {
    if !may_call(&request.body) {
        return ok(request);
    }
    let seen = has_result(&request.body);
    Act::Answer(answer(request, if seen { Said::Call } else { Said::Look }))
}

pub fn is_anthropic(request: &Request) -> bool {
    request.path.ends_with("/messages")
}

pub fn may_call(body: &Value) -> bool {
    let choice = &body["tool_choice"];
    body["tools"].is_array() && choice != "none" && choice["type"] != "none"
}

/// Whether the last turn of the chat holds the result of a tool.
fn has_result(body: &Value) -> bool {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().any(|message| {
        let blocks = message["content"].as_array();
        message["role"] == "tool"
            || blocks.is_some_and(|all| all.iter().any(|block| block["type"] == "tool_result"))
    })
}

/// A request that forces a call.
pub fn forces(body: &Value) -> bool {
    let choice = &body["tool_choice"];
    choice == "required"
        || choice["type"] == "any"
        || choice["type"] == "tool"
        || choice["type"] == "function"
}

pub fn roles(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().filter_map(|m| m["role"].as_str()).collect()
}

/// One call in the language of OpenAI.
pub fn call(name: &str, arguments: &str) -> Value {
    json!({"id": "call_a1", "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A chat completion with these fields of the message.
pub fn chat(fields: Value) -> Value {
    let finish = if fields["tool_calls"].is_array() {
        "tool_calls"
    } else {
        "stop"
    };
    finished(finish, fields)
}

/// The same with another reason to stop.
fn finished(finish: &str, fields: Value) -> Value {
    let mut message = json!({"role": "assistant", "content": null});
    message
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    json!({
        "id": "x", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    })
}

/// A message in the language of Anthropic with these blocks.
pub fn claude(blocks: Value) -> Value {
    let calls = blocks
        .as_array()
        .unwrap()
        .iter()
        .any(|block| block["type"] == "tool_use");
    stopped(if calls { "tool_use" } else { "end_turn" }, blocks)
}

/// The same with another reason to stop.
fn stopped(reason: &str, blocks: Value) -> Value {
    json!({
        "type": "message", "role": "assistant", "model": "m", "content": blocks,
        "stop_reason": reason, "usage": {"input_tokens": 100, "output_tokens": 10}
    })
}

/// A refusal in the form of OpenAI.
pub fn refuse(status: u16, message: &str) -> Act {
    Act::Refuse(
        status,
        json!({"error": {"message": message, "type": "invalid_request_error"}}),
    )
}

/// A refusal in the form of Anthropic.
pub fn claude_refuses(status: u16, kind: &str, message: &str) -> Act {
    Act::Refuse(
        status,
        json!({"type": "error", "error": {"type": kind, "message": message}}),
    )
}

fn measure(quirk: &Quirk, place: usize) -> Seen {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let out = dir.path().join(format!("r{place}"));
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, PRICES).unwrap();
    let agent = match quirk.wire {
        OpenAi => "openai:m",
        Anthropic => "anthropic:m",
    };
    let server = Server::answering(quirk.act);
    let mut command = server.command(&format!(
        "{} --out {}",
        quirk.words.replace("PRICES", prices.to_str().unwrap()),
        out.display()
    ));
    if !quirk.words.contains("--agent") {
        command.args(["--agent", agent]);
    }
    if quirk.name.contains("without /v1") {
        let base = server.base.trim_end_matches("/v1");
        command
            .env("OPENAI_BASE_URL", base)
            .env("ANTHROPIC_BASE_URL", base);
    }
    if quirk.name.contains("with the path") {
        command
            .env(
                "OPENAI_BASE_URL",
                format!("{}/chat/completions", server.base),
            )
            .env("ANTHROPIC_BASE_URL", format!("{}/messages", server.base));
    }
    let clock = Stopwatch::start();
    let output = command.output().unwrap();
    let seen = Seen {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        requests: server.seen.lock().unwrap().clone(),
        dir: out,
        ms: clock.elapsed().as_secs_f64() * 1e3,
    };
    // The folder is read by `good`, so it stays until the verdict.
    std::mem::forget(dir);
    seen
}

/// US dollars for a million tokens: one for those that are read, ten for those that are written; what the cache
/// holds costs a tenth; to keep it there costs a quarter more, and twice as much for an hour.
const PRICES: &str =
    "[models.m]\ninput = 1.0\noutput = 10.0\ncached = 0.1\nstored = 1.25\nstored_hour = 2.0\n";

fn all_rows() -> Vec<Quirk> {
    let groups = [
        causes::rows(),
        gateways::rows(),
        words::rows(),
        refusals::rows(),
        templates::rows(),
        params::rows(),
        echo::rows(),
        reading::rows(),
        dialects::rows(),
        streams::rows(),
        envelopes::rows(),
        forms::rows(),
        money::rows(),
    ];
    groups.into_iter().flatten().collect()
}

#[test]
fn the_page_lists_every_behaviour() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/servers.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = all_rows();
    let is_listed = |row: &&Quirk| {
        let wire = format!("{:?}", row.wire).to_lowercase();
        let line = page
            .lines()
            .find(|line| line.starts_with(&format!("| {} |", row.name)));
        line.is_some_and(|line| line.contains(&wire))
    };
    let missing = rows.iter().filter(|row| !is_listed(row));
    let missing: Vec<_> = missing.map(|row| (row.name, row.wire)).collect();
    assert!(missing.is_empty(), "docs/servers.md lacks {missing:?}");
    let listed = page
        .lines()
        .filter(|line| line.ends_with("| openai |") || line.ends_with("anthropic |"));
    let known = |line: &&str| {
        rows.iter()
            .any(|row| line.starts_with(&format!("| {} |", row.name)))
    };
    let gone: Vec<_> = listed.filter(|line| !known(line)).collect();
    assert!(gone.is_empty(), "docs/servers.md lists {gone:?}");
}

#[test]
fn every_behaviour_of_a_server_ends_well() {
    let rows = all_rows();
    let only = std::env::var("QUIRK").unwrap_or_default();
    let clock = Stopwatch::start();
    let next = AtomicUsize::new(0);
    let lines: Mutex<Vec<(usize, String, bool)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::SeqCst);
                    let Some(row) = rows.get(place) else { return };
                    if !row.name.contains(&only) {
                        continue;
                    }
                    let seen = measure(row, place);
                    let good = (row.good)(&seen);
                    let cost = if seen.cost().is_nan() {
                        "-".to_owned()
                    } else {
                        seen.cost().to_string()
                    };
                    let mut line = format!(
                        "{:<5} {:<9} {:<64} {:>4} requests {:>6.0} ms  USD {cost}",
                        if good { "ok" } else { "FAULT" },
                        format!("{:?}", row.wire).to_lowercase(),
                        row.name,
                        seen.requests.len(),
                        seen.ms,
                    );
                    if !good {
                        line.push_str(&format!(
                            "\n      exit code {}\n{}\n{}",
                            seen.code, seen.out, seen.err
                        ));
                    }
                    let _ = std::fs::remove_dir_all(seen.dir.parent().unwrap());
                    lines.lock().unwrap().push((place, line, good));
                }
            });
        }
    });
    let mut lines = lines.into_inner().unwrap();
    lines.sort();
    for (_, line, _) in &lines {
        println!("{line}");
    }
    let faults = lines.iter().filter(|(_, _, good)| !good).count();
    println!(
        "{} behaviours, {faults} faults, {:.0} s",
        lines.len(),
        clock.elapsed().as_secs_f64()
    );
    assert_eq!(faults, 0, "see the rows that begin with FAULT");
}
