//! The three servers of the real program, with few descriptors and many connections that do nothing.

use crate::program::ok;
use sim_core::testkit::small_or_full;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time that an honest call may take. Connections that do nothing are closed after 10 s, so whoever is kept out by
/// them waits that long; a busy machine alone does not take half of it.
const PROMPT: Duration = Duration::from_secs(5);

struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    /// Starts the program with `descriptors`; its first line with an address is on standard output or standard
    /// error.
    fn start(words: &[&str], descriptors: usize, on_error: bool) -> Self {
        let line = format!("ulimit -n {descriptors}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_boardroom")]);
        command.args(words).stdin(Stdio::piped());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines: Box<dyn std::io::BufRead> = if on_error {
            Box::new(BufReader::new(child.stderr.take().unwrap()))
        } else {
            Box::new(BufReader::new(child.stdout.take().unwrap()))
        };
        let mut line = String::new();
        while !line.contains("http://") {
            line.clear();
            assert_ne!(lines.read_line(&mut line).unwrap(), 0, "{words:?}");
        }
        let rest = line.trim().split("http://").nth(1).unwrap();
        let (address, rest) = rest.split_once('/').unwrap();
        Self {
            address: address.to_owned(),
            token: rest.trim_start_matches('#').to_owned(),
            child,
        }
    }

    fn open(&self, text: &str) -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.write_all(text.replace("HOST", &self.address).as_bytes())?;
        Ok(stream)
    }

    /// The time that an honest call takes.
    fn call(&self, honest: &str) -> Duration {
        let began = Instant::now();
        let honest = honest.replace("TOKEN", &self.token);
        let mut stream = self.open(&honest).unwrap();
        stream.set_read_timeout(Some(PROMPT * 4)).unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        assert!(answer.starts_with("HTTP/1.1 200"), "{read:?} {answer}");
        began.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn post(path: &str, length: usize, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{more}\r\n"
    )
}

#[test]
fn slow_an_honest_call_is_answered_within_a_second() {
    // Raises the descriptors of this process, which holds the other ends.
    let _ = boardroom_http::Limits::default();
    let (descriptors, connections) = small_or_full((160, 300), (1_024, 5_000));
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (run, class) = (path("run"), path("class"));
    ok(&format!(
        "run beer-game --agent sterman --episodes 1 --out {run}"
    ));
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let close = "Connection: close\r\n";
    let call = post("/mcp", list.len(), close) + list;
    // One client floods, with its token; another one calls.
    let (flood, honest) = ("f".repeat(16), "0".repeat(16));
    let tokens = path("tokens");
    std::fs::write(&tokens, format!("flood {flood}\nhonest {honest}\n")).unwrap();
    let with_token = format!("{close}Authorization: Bearer {honest}\r\n");
    let known_call = post("/mcp", list.len(), &with_token) + list;
    let teacher = format!(
        "GET /api/teacher HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n{close}\r\n"
    );
    let page = format!("GET / HTTP/1.1\r\nHost: HOST\r\n{close}\r\n");
    let classroom = ["classroom", "beer-game", "--port", "0", "--out", &class];
    for (words, on_error, honest, stream, token) in [
        (
            &["serve", "beer-game", "--http", "127.0.0.1:0", "--openenv"][..],
            true,
            call,
            "/ws",
            "none",
        ),
        (
            &[
                "serve",
                "beer-game",
                "--http",
                "127.0.0.1:0",
                "--openenv",
                "--token-file",
                &tokens,
            ][..],
            true,
            known_call,
            "/ws",
            &flood,
        ),
        (
            &classroom[..],
            false,
            teacher,
            "/api/teacher/events",
            "TOKEN",
        ),
        (
            &["view", &run, "--http", "127.0.0.1:0"][..],
            false,
            page,
            "/events",
            "none",
        ),
    ] {
        let server = Server::start(words, descriptors, on_error);
        let stream = format!(
            "GET {stream} HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer {token}\r\n\
             Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
        );
        let stream = stream.replace("TOKEN", &server.token);
        let slow_body = post("/mcp", 1_000, "") + "{";
        let mut longest = Duration::ZERO;
        for (what, text) in [
            ("idle", ""),
            ("slow head", "POST /mcp HTTP/1.1\r\nHo"),
            ("slow body", &slow_body),
            ("stream", &stream),
        ] {
            let mut open = Vec::new();
            for number in 0..connections {
                // Those that gave way are closed.
                open.extend(server.open(text));
                if number % (connections / 20) == 0 {
                    let took = server.call(&honest);
                    assert!(took < PROMPT, "{} {what}: {took:?}", words[0]);
                    longest = longest.max(took);
                }
            }
            let took = server.call(&honest);
            assert!(took < PROMPT, "{} {what}: {took:?}", words[0]);
            longest = longest.max(took);
        }
        eprintln!(
            "{}: the longest of 84 honest calls took {longest:?}",
            words[0]
        );
    }
}
