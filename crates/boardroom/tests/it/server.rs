//! A server in the language of OpenAI on the loopback interface.

use crate::program::without_saving;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// The key that the program is given.
pub const KEY: &str = "sk-test-0123456789abcdefghij";

/// What the server does with a request.
pub enum Act {
    /// 200 with this body.
    Answer(Value),
    /// This status with this body.
    Refuse(u16, Value),
    /// This status, these header lines and these bytes.
    Bytes(u16, &'static [&'static str], Vec<u8>),
    /// These bytes, head and all, and the end of the connection.
    Raw(Vec<u8>),
    /// The connection ends in the middle of the body.
    Reset,
}

/// A request as the server sees it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its place among all requests, from 0.
    pub number: u64,
    pub path: String,
    pub body: Value,
}

type Acting = dyn Fn(&Request) -> Act + Send + Sync;

pub struct Server {
    pub base: String,
    /// Requests that were answered.
    pub answered: Arc<AtomicUsize>,
    /// Bodies of all requests, answered or not.
    pub seen: Arc<Mutex<Vec<Value>>>,
    gate: Arc<Gate>,
}

/// Requests wait here once this many were answered.
struct Gate {
    most: Mutex<usize>,
    moved: Condvar,
}

impl Gate {
    fn pass(&self, answered: &AtomicUsize) {
        let most = self.most.lock().unwrap();
        let waits = |most: &mut usize| answered.load(Ordering::SeqCst) >= *most;
        drop(self.moved.wait_while(most, waits).unwrap());
    }
}

impl Server {
    /// A server that handles request number n (from 0) with this body as `act` says.
    pub fn acting(act: impl Fn(u64, &Value) -> Act + Send + Sync + 'static) -> Self {
        Self::answering(move |request| act(request.number, &request.body))
    }

    /// A server that handles each request as `act` says.
    pub fn answering(act: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), act)
    }

    /// The same on a port that is already bound.
    pub fn on(
        listener: TcpListener,
        act: impl Fn(&Request) -> Act + Send + Sync + 'static,
    ) -> Self {
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let (answered, seen): (Arc<AtomicUsize>, Arc<Mutex<Vec<Value>>>) = Default::default();
        let act: Arc<Acting> = Arc::new(act);
        let number = Arc::new(AtomicU64::new(0));
        let gate = Arc::new(Gate {
            most: Mutex::new(usize::MAX),
            moved: Condvar::new(),
        });
        let (counter, log, door) = (Arc::clone(&answered), Arc::clone(&seen), Arc::clone(&gate));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (act, number) = (Arc::clone(&act), Arc::clone(&number));
                let (counter, log) = (Arc::clone(&counter), Arc::clone(&log));
                let door = Arc::clone(&door);
                std::thread::spawn(move || serve(&stream, &*act, &number, &counter, &log, &door));
            }
        });
        Self {
            base,
            answered,
            seen,
            gate,
        }
    }

    /// A model that answers every request, and orders `cases` where it can order. `share` of the
    /// requests fail, each in another way.
    pub fn start(share: f64) -> Self {
        Self::acting(move |n, body| {
            let mut chance = sim_core::Seed(5).stream("fault", n);
            if !chance.chance(share) {
                return Act::Answer(reply(body, n));
            }
            match chance.below(4) {
                0 => Act::Refuse(500, json!({"error": {"message": "tired", "code": 500}})),
                1 => Act::Refuse(429, json!({"error": {"message": "slow down"}})),
                2 => Act::Answer(json!({"choices": []})),
                _ => Act::Reset,
            }
        })
    }

    pub fn command(&self, words: &str) -> Command {
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut command = without_saving(&words);
        command
            .env("OPENAI_BASE_URL", &self.base)
            .env("OPENAI_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", &self.base)
            .env("ANTHROPIC_API_KEY", KEY);
        command
    }

    pub fn run(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    pub fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }

    /// Answers no further request once `most` were answered, apart from those that it already works on.
    pub fn hold_after(&self, most: usize) {
        *self.gate.most.lock().unwrap() = most;
        self.gate.moved.notify_all();
    }

    /// The first messages of the requests that offer tools.
    pub fn system_texts(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .filter(|body| body.get("tools").is_some())
            .map(|body| body["messages"][0]["content"].to_string())
            .collect()
    }
}

/// A reply to any request: a tool call if tools are offered, a value if a schema is given, else
/// text that every memory accepts.
pub fn reply(body: &Value, n: u64) -> Value {
    if body.get("tools").is_some() {
        return called(&json!({"quantity": 100 + n % 7 * 50}));
    }
    let schema = &body["response_format"]["json_schema"]["schema"];
    if schema.is_object() {
        return said(&fill(schema, n).to_string());
    }
    said(&format!(
        "I see it so: step {n}. <cheatsheet>learnt at {n}</cheatsheet> \
         <instruction>Order evenly, rule {n}.</instruction>"
    ))
}

/// A reply that is text.
pub fn said(text: &str) -> Value {
    json!({
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}
    })
}

/// A reply that calls the tool of the beer game.
pub fn called(arguments: &Value) -> Value {
    json!({
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": null,
            "tool_calls": [{"id": "call_1", "type": "function", "function": {
                "name": "place_order", "arguments": arguments.to_string()}}]
        }}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}
    })
}

/// Some value that fits a schema.
fn fill(schema: &Value, n: u64) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let fields = schema["properties"].as_object().unwrap();
            let filled = fields
                .iter()
                .map(|(name, field)| (name.clone(), fill(field, n)));
            Value::Object(filled.collect())
        }
        // Numbers of notes and bullets: none.
        Some("array") if schema["items"]["type"] == "integer" => json!([]),
        Some("array") => json!([fill(&schema["items"], n)]),
        Some("integer" | "number") => json!(5),
        Some("boolean") => json!(true),
        _ => json!(format!("learnt at {n}")),
    }
}

fn serve(
    stream: &TcpStream,
    act: &Acting,
    number: &AtomicU64,
    counter: &AtomicUsize,
    log: &Mutex<Vec<Value>>,
    gate: &Gate,
) {
    let (Ok(mut out), Ok(read)) = (stream.try_clone(), stream.try_clone()) else {
        return;
    };
    let mut reader = BufReader::new(read);
    loop {
        let mut head = String::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line == "\r\n" {
                break;
            }
            // The path keeps its case.
            if head.is_empty() {
                head = line;
            } else {
                head.push_str(&line.to_lowercase());
            }
        }
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .map_or(0, |value| value.trim().parse().unwrap());
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        gate.pass(counter);
        let request = Request {
            number: number.fetch_add(1, Ordering::SeqCst),
            path,
            body,
        };
        let act = act(&request);
        log.lock().unwrap().push(request.body);
        // A pause is asked for only so that no test waits longer before it tries again; a connection that is
        // reset asks for none.
        let usual: &[&str] = &["content-type: application/json", "retry-after-ms: 1"];
        let (status, lines, bytes) = match act {
            Act::Answer(reply) => {
                if reply["choices"].get(0).is_some() || reply["content"].is_array() {
                    counter.fetch_add(1, Ordering::SeqCst);
                }
                (200, usual, reply.to_string().into_bytes())
            }
            Act::Refuse(status, reply) => (status, usual, reply.to_string().into_bytes()),
            Act::Bytes(status, lines, bytes) => (status, lines, bytes),
            Act::Raw(bytes) => {
                let _ = out.write_all(&bytes);
                let _ = stream.shutdown(std::net::Shutdown::Write);
                return;
            }
            Act::Reset => {
                let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\"";
                let _ = out.write_all(head.as_bytes());
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return;
            }
        };
        let mut answer = format!(
            "HTTP/1.1 {status} x\r\nx-request-id: {KEY}\r\ncontent-length: {}\r\n",
            bytes.len()
        );
        for line in lines {
            answer.push_str(&format!("{line}\r\n"));
        }
        answer.push_str("\r\n");
        let mut answer = answer.into_bytes();
        answer.extend_from_slice(&bytes);
        if out.write_all(&answer).is_err() {
            return;
        }
    }
}
