//! No outage changes a score: the same run with and without an outage of its server gives the same records and
//! the same recorded calls, byte for byte, for fifteen kinds of outage, in both languages.
//!
//! In the ordinary run an outage lasts a second; where `SLOW_TESTS` is set, ten seconds, at the start and in the
//! middle of a run.

use crate::program::without_saving;
use crate::quirks::{GAME, Said, Wire, answer, may_call};
use crate::server::{Act, KEY, Request, Server};
use run_engine::clock::Stopwatch;
use serde_json::Value;
use sim_core::testkit::small_or_full;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// What a server does while it fails.
enum Kind {
    /// No server listens.
    Refused,
    /// A request is never answered.
    Silent,
    /// Each request is handled so.
    Acts(fn() -> Act),
}

const JSON: &[&str] = &["content-type: application/json"];
const LATER: &[&str] = &["content-type: application/json", "retry-after: 1"];
const PAGE: &[&str] = &["content-type: text/html"];
const LINE: &[&str] = &["content-type: text/plain"];

const KINDS: [(&str, Kind); 15] = [
    ("connection refused", Kind::Refused),
    ("no answer", Kind::Silent),
    ("reset in the middle of the body", Kind::Acts(|| Act::Reset)),
    (
        "500",
        Kind::Acts(|| {
            bytes(
                500,
                JSON,
                r#"{"error": {"message": "internal", "type": "server_error"}}"#,
            )
        }),
    ),
    (
        "502 with a page",
        Kind::Acts(|| bytes(502, PAGE, "<html><body>502 Bad Gateway</body></html>")),
    ),
    (
        "404 of a gateway",
        Kind::Acts(|| bytes(404, LINE, "default backend - 404")),
    ),
    (
        "503 with Retry-After",
        Kind::Acts(|| {
            bytes(
                503,
                LATER,
                r#"{"error": {"code": 503, "message": "The upstream is unavailable"}}"#,
            )
        }),
    ),
    (
        "429 for a minute",
        Kind::Acts(|| {
            bytes(
                429,
                LATER,
                r#"{"error": {"message": "Rate limit reached for m on requests per min (RPM): Limit 3, Used 3, Requested 1.", "type": "requests", "code": "rate_limit_exceeded"}}"#,
            )
        }),
    ),
    (
        "529 overloaded",
        Kind::Acts(|| {
            bytes(
                529,
                JSON,
                r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
            )
        }),
    ),
    (
        "an error under status 200",
        Kind::Acts(|| {
            bytes(
                200,
                JSON,
                r#"{"error": {"code": 502, "message": "Provider returned error"}}"#,
            )
        }),
    ),
    (
        "finish_reason error",
        Kind::Acts(|| {
            bytes(
                200,
                JSON,
                r#"{"choices": [{"index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": ""}}]}"#,
            )
        }),
    ),
    ("an empty body", Kind::Acts(|| bytes(200, JSON, ""))),
    (
        "JSON that is cut",
        Kind::Acts(|| bytes(200, JSON, r#"{"choices": [{"index": 0, "mess"#)),
    ),
    (
        "a page under status 200",
        Kind::Acts(|| bytes(200, PAGE, "<html><body>Back soon</body></html>")),
    ),
    (
        "524 of a gateway",
        Kind::Acts(|| bytes(524, PAGE, "error code: 524")),
    ),
];

fn bytes(status: u16, lines: &'static [&'static str], body: &str) -> Act {
    Act::Bytes(status, lines, body.as_bytes().to_vec())
}

/// What is run: a game, questions, an interview.
fn lines() -> [String; 3] {
    let questions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
    [
        GAME.to_owned(),
        format!("run qa --data {questions} --task FPB --concurrency 1 --method direct"),
        "run consulting --preset short --episodes 1 --rounds 3 --concurrency 1 --method direct"
            .to_owned(),
    ]
}

/// A reply that depends on the chat alone, not on how many requests came before.
fn steady(request: &Request) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    let request = Request {
        number: messages.len() as u64,
        ..request.clone()
    };
    let said = if may_call(&request.body) {
        Said::Call
    } else {
        Said::Text("Answer: positive")
    };
    Act::Answer(answer(&request, said))
}

/// What a run leaves: records, recorded calls, and the figures of its summary.
#[derive(Debug, PartialEq)]
struct Left {
    records: String,
    calls: String,
    summary: BTreeMap<&'static str, Value>,
}

fn left(server: &Server, wire: Wire, line: &str, dir: &Path) -> Result<Left, String> {
    let agent = match wire {
        Wire::OpenAi => "openai:m",
        Wire::Anthropic => "anthropic:m",
    };
    play(&server.base, &format!("{line} --agent {agent}"), dir)
}

fn play(base: &str, line: &str, dir: &Path) -> Result<Left, String> {
    let line = format!("{line} --json --out {}", dir.display());
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = without_saving(&words);
    command
        .env("OPENAI_BASE_URL", base)
        .env("ANTHROPIC_BASE_URL", base)
        .env("OPENAI_API_KEY", KEY)
        .env("ANTHROPIC_API_KEY", KEY);
    let output = command.output().unwrap();
    if output.status.code() != Some(0) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The summary may differ in the number of requests and in notes on failures.
    let names = ["failed", "score", "metrics", "flags"];
    let summary = names.map(|name| (name, summary[name].clone()));
    let summary = summary.into_iter().collect();
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    Ok(Left {
        records: read("episodes.jsonl"),
        calls: read("calls.jsonl"),
        summary,
    })
}

/// One run through an outage.
struct Trial {
    kind: usize,
    wire: Wire,
    line: usize,
    /// The request with which the outage begins.
    from: u64,
}

impl Trial {
    fn play(&self, lasts: Duration, dir: &Path) -> Result<Left, String> {
        let (_, kind) = &KINDS[self.kind];
        let line = &lines()[self.line];
        let from = self.from;
        let began: OnceLock<Stopwatch> = OnceLock::new();
        let fails = move |request: &Request| {
            request.number >= from && began.get_or_init(Stopwatch::start).elapsed() < lasts
        };
        match *kind {
            Kind::Refused => {
                let port = TcpListener::bind("127.0.0.1:0").unwrap();
                let address = port.local_addr().unwrap();
                drop(port);
                std::thread::scope(|scope| {
                    let late = scope.spawn(move || {
                        std::thread::sleep(lasts);
                        Server::on(TcpListener::bind(address).unwrap(), steady)
                    });
                    let agent = match self.wire {
                        Wire::OpenAi => "openai:m",
                        Wire::Anthropic => "anthropic:m",
                    };
                    let base = format!("http://{address}/v1");
                    let found = play(&base, &format!("{line} --agent {agent}"), dir);
                    late.join().unwrap();
                    found
                })
            }
            Kind::Silent => {
                let server = Server::answering(move |request| {
                    if fails(request) {
                        // Longer than the program waits for an answer.
                        std::thread::sleep(Duration::from_secs(20));
                        return Act::Reset;
                    }
                    steady(request)
                });
                left(&server, self.wire, &format!("{line} --timeout 0.6"), dir)
            }
            Kind::Acts(act) => {
                let server = Server::answering(move |request| {
                    if fails(request) {
                        act()
                    } else {
                        steady(request)
                    }
                });
                left(&server, self.wire, line, dir)
            }
        }
    }
}

#[test]
fn slow_no_outage_changes_a_record_or_a_score() {
    let lasts = Duration::from_millis(small_or_full(1_000, 10_000));
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let wires = [Wire::OpenAi, Wire::Anthropic];
    let quiet = Server::answering(steady);
    // Without an outage, for each language and each line.
    let calm: Vec<Vec<Left>> = wires
        .iter()
        .map(|wire| {
            let of = |(n, line): (usize, &String)| {
                let out = dir.path().join(format!("calm-{wire:?}-{n}"));
                left(&quiet, *wire, line, &out).unwrap()
            };
            lines().iter().enumerate().map(of).collect()
        })
        .collect();
    assert!(calm.iter().flatten().all(|left| !left.records.is_empty()
        && !left.calls.is_empty()
        && left.summary["failed"] == 0));
    let mut trials = Vec::new();
    for kind in 0..KINDS.len() {
        for (w, wire) in wires.iter().enumerate() {
            // Each kind meets each place and each line; in the ordinary run in one of the languages.
            let from: &[u64] = small_or_full(
                if (kind + w).is_multiple_of(2) {
                    &[0]
                } else {
                    &[2]
                },
                &[0, 2],
            );
            trials.extend(from.iter().map(|from| Trial {
                kind,
                wire: *wire,
                line: (kind + w) % 3,
                from: *from,
            }));
        }
    }
    let next = AtomicUsize::new(0);
    let faults: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::SeqCst);
                    let Some(trial) = trials.get(place) else {
                        return;
                    };
                    let found = trial.play(lasts, &dir.path().join(format!("r{place}")));
                    let w = wires.iter().position(|wire| *wire == trial.wire).unwrap();
                    let expected = &calm[w][trial.line];
                    let fault = match found {
                        Ok(left) if left == *expected => continue,
                        Ok(left) => format!("{left:#?}\nwithout an outage: {expected:#?}"),
                        Err(error) => error,
                    };
                    faults.lock().unwrap().push(format!(
                        "{}, {:?}, from request {}, `{}`: {fault}",
                        KINDS[trial.kind].0,
                        trial.wire,
                        trial.from,
                        lines()[trial.line],
                    ));
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    println!("{} outages, {} faults", trials.len(), faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
