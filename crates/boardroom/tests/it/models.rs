//! Models play through the whole program, against a server of our own on the loopback interface.

use crate::program::{boardroom, ok, sorted_lines};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const KEY: &str = "sk-test-0123456789abcdefghij";

/// A server in the language of OpenAI that orders 400 a week and fails some requests.
struct Server {
    base: String,
    answered: Arc<AtomicUsize>,
}

impl Server {
    /// Every request whose number has a remainder below `failing` of 10 gets a 500.
    fn start(failing: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let (answered, number) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicU64::new(0)));
        let counter = Arc::clone(&answered);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (counter, number) = (Arc::clone(&counter), Arc::clone(&number));
                std::thread::spawn(move || serve(stream, failing, &number, &counter));
            }
        });
        Self { base, answered }
    }

    fn run(&self, words: &str) -> Output {
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut command = boardroom(&words);
        command
            .env("OPENAI_BASE_URL", &self.base)
            .env("OPENAI_API_KEY", KEY);
        command.output().unwrap()
    }
}

fn serve(stream: TcpStream, failing: u64, number: &AtomicU64, counter: &AtomicUsize) {
    let Ok(mut out) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let lower = line.to_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let fails = number.fetch_add(7, Ordering::SeqCst) % 10 < failing;
        let (status, reply) = if fails {
            (
                "500 Internal Server Error",
                json!({"error": {"message": "tired", "code": 500}}),
            )
        } else {
            counter.fetch_add(1, Ordering::SeqCst);
            ("200 OK", answer())
        };
        let text = reply.to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            text.len()
        );
        if out.write_all(format!("{head}{text}").as_bytes()).is_err() {
            return;
        }
    }
}

fn answer() -> Value {
    json!({
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": null,
            "tool_calls": [{"id": "call_1", "type": "function", "function": {
                "name": "place_order", "arguments": "{\"quantity\": 400}"}}]
        }}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}
    })
}

fn summary(output: &Output) -> Value {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every file below a folder, as bytes.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    all
}

const GAME: &str = "run beer-game --preset random --set weeks=5 --agent openai:mock --json";

#[test]
fn a_model_plays_through_failures_and_its_cassette_plays_again_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let server = Server::start(3);
    let line = format!(
        "{GAME} --episodes 40 --concurrency 32 --out {}",
        out("live")
    );
    let live = summary(&server.run(&line));
    assert_eq!(
        (&live["episodes"], &live["failed"]),
        (&40.into(), &0.into())
    );
    assert_eq!(live["usage"]["requests"], 200);
    assert_eq!(
        server.answered.load(Ordering::SeqCst),
        200,
        "no answer is asked for twice"
    );
    assert_eq!(
        ok(&format!("verify {}", out("live"))),
        "40 records verified\n"
    );
    let unbroken = std::fs::read_to_string(dir.path().join("live/episodes.jsonl")).unwrap();
    let numbers: Vec<u64> = unbroken
        .lines()
        .map(|l| {
            serde_json::from_str::<Value>(l).unwrap()["header"]["episode"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(
        numbers,
        (0..40).collect::<Vec<_>>(),
        "records stand in order"
    );

    let again = GAME.replace("openai:mock", &format!("replay:{}", out("live")));
    let replayed = ok(&format!("{again} --episodes 40 --out {}", out("again")));
    let replayed: Value = serde_json::from_str(&replayed).unwrap();
    assert_eq!(replayed["score"], live["score"]);
    let bytes = |name: &str| std::fs::read(dir.path().join(name).join("episodes.jsonl")).unwrap();
    assert!(
        bytes("live") == bytes("again"),
        "a replay gives the same bytes"
    );
}

#[test]
fn the_key_stands_in_no_file_and_no_output() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(5);
    let out = dir.path().join("run");
    let output = server.run(&format!("{GAME} --episodes 3 --out {}", out.display()));
    summary(&output);
    let base64 = "c2stdGVzdC0wMTIzNDU2Nzg5YWJjZGVmZ2hpag";
    let mut searched = 0;
    let outputs = [
        ("stdout".to_owned(), output.stdout),
        ("stderr".to_owned(), output.stderr),
    ];
    for (name, bytes) in files(dir.path()).into_iter().chain(outputs) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(KEY) && !text.contains(base64), "{name}");
        searched += 1;
    }
    assert!(searched >= 5, "{searched}");
}

/// A model run that is killed asks for no answer twice and ends in the records of an unbroken one.
#[test]
fn slow_a_killed_model_run_resumes_without_paying_twice() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::start(1);
    let line = |name: &str| {
        format!(
            "{GAME} --episodes 60 --concurrency 4 --out {}",
            path(name).display()
        )
    };
    summary(&server.run(&line("whole")));
    let whole = server.answered.load(Ordering::SeqCst);
    let mut kills = 0;
    for kill in 0..10_u64 {
        let first = line("cut");
        let resume = format!("resume {} --json --concurrency 4", path("cut").display());
        let words: Vec<&str> = if kill == 0 { &first } else { &resume }
            .split_whitespace()
            .collect();
        let before = server.answered.load(Ordering::SeqCst);
        let more = 3 + sim_core::Seed(3).stream("kill", kill).index(20);
        let mut child = boardroom(&words)
            .env("OPENAI_BASE_URL", &server.base)
            .env("OPENAI_API_KEY", KEY)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while server.answered.load(Ordering::SeqCst) < before + more {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended before it was killed"
            );
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let resumed = server.run(&format!("resume {} --json", path("cut").display()));
    assert_eq!(summary(&resumed)["episodes"], 60);
    let lines = |name: &str| sorted_lines(&path(name).join("episodes.jsonl"));
    assert_eq!(lines("cut"), lines("whole"));
    let asked = server.answered.load(Ordering::SeqCst) - whole;
    // An answer that was on its way at a kill never reached the disk; at most four a kill.
    assert!(
        asked >= whole && asked <= whole + 4 * kills,
        "{asked} of {whole}"
    );
    let calls = std::fs::read_to_string(path("cut").join("calls.jsonl")).unwrap();
    let mut keys: Vec<String> = calls
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .map(|l| l["key"].to_string())
        .collect();
    let count = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(count, keys.len(), "no recorded answer was asked for again");
}

#[test]
fn the_budget_holds_and_a_higher_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0);
    let prices = dir.path().join("prices.toml");
    std::fs::write(&prices, "[models.mock]\ninput = 10.0\noutput = 100.0\n").unwrap();
    let out = dir.path().join("run");
    let more = format!(
        "--episodes 20 --concurrency 32 --max-tokens 10 --prices {} --out {}",
        prices.display(),
        out.display()
    );
    // 100 tokens in and 10 out cost 0.002 dollars; 100 requests are needed.
    let poor = server.run(&format!("{GAME} {more} --max-cost 0.2"));
    let err = String::from_utf8_lossy(&poor.stderr).into_owned();
    assert_eq!(poor.status.code(), Some(3), "{err}");
    assert!(err.contains("--max-cost"), "{err}");
    let spent = server.answered.load(Ordering::SeqCst) as f64 * 0.002;
    assert!(spent <= 0.2, "{spent}");
    let resume = format!(
        "resume {} --json --prices {}",
        out.display(),
        prices.display()
    );
    let rich = summary(&server.run(&format!("{resume} --max-cost 5")));
    assert_eq!(
        (&rich["episodes"], &rich["failed"]),
        (&20.into(), &0.into())
    );
    let cost = rich["usage"]["cost_usd"].as_f64().unwrap();
    assert!((cost - 0.2).abs() < 1e-6, "{cost}: all sittings together");
}

#[test]
fn wrong_means_are_named() {
    let server = Server::start(0);
    let refused = |words: &str| {
        let output = server.run(&format!("{GAME} {words}"));
        assert_eq!(output.status.code(), Some(2), "{words}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("--max-cost lots").contains("lots"));
    assert!(refused("--max-cost 1").contains("price"));
    assert!(refused("--prices nowhere.toml").contains("nowhere.toml"));
    assert!(refused("--temperature 9").contains("0 to 2"));
    assert!(refused("--max-tokens 0").contains("at least 1"));
    let words = ["run", "beer-game", "--agent", "openai:mock"];
    let without = boardroom(&words)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    assert_eq!(without.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&without.stderr).contains("OPENAI_API_KEY is not set"));
}
