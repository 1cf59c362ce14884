//! `boardroom serve` from the outside, byte by byte: invalid messages are refused, valid ones are
//! answered, and the server keeps running in every case.

use crate::program::{boardroom, call, ends, names, refused};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

/// A server over HTTP; it ends with the test.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: String,
    /// Kept open: the server may write to it.
    err: BufReader<ChildStderr>,
}

impl Served {
    fn start(more: &[&str]) -> Self {
        Self::of(boardroom(&["serve", "beer-game", "--http", "127.0.0.1:0"]).args(more))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = quiet(command);
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        err.read_line(&mut line).unwrap();
        let address = line
            .strip_prefix("serving at http://")
            .and_then(|rest| rest.strip_suffix("/mcp\n"));
        Self {
            address: address.unwrap_or_else(|| panic!("{line}")).to_owned(),
            child,
            err,
        }
    }

    /// Sends bytes; returns the status and the body of the answer.
    fn raw(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // A server that refuses a long body may close before it has read all of it.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&*answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), body.to_owned())
    }

    /// A request with these headers instead of the usual ones with the same names.
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let length = body.len().to_string();
        let usual = [
            ("Host", self.address.as_str()),
            ("Connection", "close"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", length.as_str()),
        ];
        let mut request = format!("{method} /mcp HTTP/1.1\r\n");
        let kept = usual
            .iter()
            .filter(|(name, _)| headers.iter().all(|(other, _)| other != name));
        for (name, value) in kept.chain(headers).filter(|(_, value)| !value.is_empty()) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        let mut request = request.into_bytes();
        request.extend_from_slice(body);
        self.raw(&request)
    }

    /// The answer to a request of the protocol with a handshake.
    pub(crate) fn ask(&self, method: &str, params: &Value) -> Value {
        let (status, body) = self.send("POST", &[], &request(1, method, params));
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap_or_else(|e| panic!("{e}: {body}"))
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", &params)["result"].clone()
    }

    /// Opens a game.
    pub(crate) fn open(&self) -> String {
        let opened = self.call("new_episode", &json!({}));
        let id = opened["structuredContent"]["episode_id"].as_str();
        id.unwrap_or_else(|| panic!("{opened}")).to_owned()
    }

    fn answers(&self) {
        let tools = self.ask("tools/list", &json!({}));
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5);
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn quiet(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    message.to_string().into_bytes()
}

fn hello(version: &str) -> Value {
    let client = json!({"name": "test", "version": "1"});
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client})
}

#[test]
fn every_version_is_agreed_on() {
    let served = Served::start(&[]);
    let newest = "2025-11-25";
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (newest, newest),
        ("1999-01-01", newest),
    ] {
        let answer = served.ask("initialize", &hello(asked));
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
    }
    // In the protocol version without a handshake, every request carries the version.
    let version = "2026-07-28";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = |method: &str, header: &str| {
        let headers = [("MCP-Protocol-Version", header), ("Mcp-Method", method)];
        let body = request(1, method, &json!({"_meta": meta}));
        served.send("POST", &headers, &body)
    };
    let (status, body) = ask("server/discover", version);
    assert!(
        status == 200 && body.contains("2024-11-05") && body.contains(version),
        "{status} {body}"
    );
    let (status, body) = ask("tools/list", version);
    assert!(status == 200 && body.contains("place_order"), "{body}");
    assert_eq!(ask("tools/list", newest).0, 400, "header and body differ");
}

/// The code of an error of JSON-RPC.
fn code(body: &str) -> i64 {
    let answer: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {body}"));
    assert_eq!(answer["jsonrpc"], "2.0", "{body}");
    let error = &answer["error"];
    assert!(!error["message"].as_str().unwrap().is_empty(), "{body}");
    error["code"].as_i64().unwrap()
}

#[test]
fn what_is_no_message_is_refused_in_json_rpc() {
    let served = Served::start(&[]);
    let id = served.open();
    let order = |arguments: &str| {
        let params = format!("{{\"name\":\"place_order\",\"arguments\":{arguments}}}");
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}")
    };
    let single = order(&format!("{{\"episode_id\":\"{id}\",\"quantity\":1}}"));
    let twice = order(&format!(
        "{{\"episode_id\":\"{id}\",\"quantity\":1,\"quantity\":900}}"
    ));
    let ping = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    let deep_arguments = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{\"a\":{}1{}}}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let bodies: [(Vec<u8>, i64); 17] = [
        (b"".to_vec(), -32700),
        (b"order".to_vec(), -32700),
        (b"\xff\xfe\x00".to_vec(), -32700),
        (b"{".to_vec(), -32700),
        ("[".repeat(100_000).into(), -32700),
        (deep_arguments.into(), -32700),
        ((ping("1") + " {}").into(), -32700),
        (b"null".to_vec(), -32600),
        (b"[]".to_vec(), -32600),
        (b"{}".to_vec(), -32600),
        (b"{\"jsonrpc\":\"2.0\"}".to_vec(), -32600),
        (ping("1").replace("2.0", "1.0").into(), -32600),
        (ping("{}").into(), -32600),
        (ping("null").into(), -32600),
        (format!("[{single}]").into(), -32600),
        (twice.into(), -32600),
        (single.replacen('{', "{\"id\":2,", 1).into(), -32600),
    ];
    for (body, expected) in bodies {
        let (status, answer) = served.send("POST", &[], &body);
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        assert_eq!(
            (status, code(&answer)),
            (400, expected),
            "{shown}: {answer}"
        );
    }
    let status = served.call("get_status", &json!({"episode_id": id}));
    assert_eq!(
        status["structuredContent"]["turn"], 0,
        "nothing was ordered"
    );
    for (method, params) in [
        ("no/such", json!({})),
        ("tools/call", json!({"name": 3})),
        ("tools/call", json!([])),
    ] {
        let (status, answer) = served.send("POST", &[], &request(1, method, &params));
        assert!(
            (400..500).contains(&status) || answer.contains("\"error\""),
            "{method}: {status} {answer}"
        );
    }
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET\r\n\r\n",
        b"\r\n",
    ] {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{bytes:?}");
    }
    served.answers();
}

#[test]
fn bodies_have_a_longest_length() {
    let served = Served::start(&[]);
    let id = served.open();
    let call = |length: usize| {
        let arguments = json!({"episode_id": id, "weeks": "x".repeat(length)});
        let params = json!({"name": "get_history", "arguments": arguments});
        request(1, "tools/call", &params)
    };
    let long = call(3 << 20);
    let (status, answer) = served.send("POST", &[], &long);
    assert_eq!((status, code(&answer)), (413, -32600));
    // Without a content length, bytes are counted as they arrive.
    let mut chunked = format!("{:x}\r\n", long.len()).into_bytes();
    chunked.extend_from_slice(&long);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    let headers = [("Content-Length", ""), ("Transfer-Encoding", "chunked")];
    assert_eq!(served.send("POST", &headers, &chunked).0, 413);
    // A body below the limit reaches the tool, which answers with a short error.
    let (status, answer) = served.send("POST", &[], &call(1 << 20));
    assert!(status == 200 && answer.contains("\"isError\":true"));
    assert!(answer.len() < 5_000, "{} bytes", answer.len());
    served.answers();
}

#[test]
fn requests_meant_for_others_are_refused() {
    let served = Served::start(&[]);
    let ping = request(1, "ping", &json!({}));
    let port = served.address.rsplit(':').next().unwrap();
    let local = format!("localhost:{port}");
    let page = format!("http://localhost:{port}");
    let versions: [(&str, &str, u16); 12] = [
        ("Host", "evil.example", 403),
        ("Host", "127.0.0.1.evil.example", 403),
        ("Host", "", 400),
        ("Host", &local, 200),
        ("Origin", "https://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", &page, 200),
        ("Content-Type", "text/plain", 415),
        ("Content-Type", "", 415),
        ("Accept", "text/html", 406),
        ("MCP-Protocol-Version", "1999-01-01", 400),
        ("MCP-Protocol-Version", "2025-06-18", 200),
    ];
    for (name, value, expected) in versions {
        let (status, body) = served.send("POST", &[(name, value)], &ping);
        assert_eq!(status, expected, "{name}: {value}: {body}");
        if expected != 200 {
            assert_eq!(code(&body), -32600, "{name}: {value}: {body}");
        }
    }
    // A foreign host is refused because of its header, for any body.
    let foreign = [("Host", "evil.example")];
    assert_eq!(served.send("POST", &foreign, b"order").0, 403);
    for method in ["GET", "DELETE", "PUT"] {
        let (status, body) = served.send(method, &[], b"");
        assert_eq!((status, code(&body)), (405, -32600), "{method}");
    }
    let elsewhere = format!("GET /other HTTP/1.1\r\nHost: {local}\r\nConnection: close\r\n\r\n");
    let (status, body) = served.raw(elsewhere.as_bytes());
    assert_eq!((status, code(&body)), (404, -32600));
    served.answers();
}

#[test]
fn ids_cannot_be_guessed_and_arguments_are_not_passed_over() {
    let served = Served::start(&[]);
    let id = served.open();
    let turn = |id: &str| {
        let status = served.call("get_status", &json!({"episode_id": id}));
        status["structuredContent"]["turn"].clone()
    };
    for guess in [
        json!("0"),
        json!(id[..31]),
        json!("0".repeat(32)),
        json!(""),
    ] {
        let answer = served.call("place_order", &json!({"episode_id": guess, "quantity": 1}));
        assert_eq!(
            answer["structuredContent"]["rejected"], "no_such_episode",
            "{guess}"
        );
    }
    let without = served.call("place_order", &json!({"quantity": 1}))["structuredContent"].clone();
    assert_eq!(without["rejected"], "bad_arguments");
    let said = without["message"].as_str().unwrap();
    assert!(
        said.contains("`episode_id`") && said.contains("new_episode"),
        "{said}"
    );
    for (tool, arguments) in [
        ("get_status", json!({"episode_id": 7})),
        ("get_status", json!({"episode_id": id, "week": 1})),
        ("new_episode", json!({"episode": "3"})),
        ("new_episode", json!({"episode": -1})),
        ("new_episode", json!({"seed": 1})),
        // An invalid turn number must be refused: ignoring it would let a repeated request act
        // twice.
        (
            "place_order",
            json!({"episode_id": id, "quantity": 1, "turn": "1"}),
        ),
        (
            "place_order",
            json!({"episode_id": id, "quantity": 1, "turn": -1}),
        ),
    ] {
        let answer = served.call(tool, &arguments);
        assert!(
            answer["isError"] == true && answer["structuredContent"]["rejected"] == "bad_arguments",
            "{tool} {arguments}: {answer}"
        );
    }
    assert_eq!(turn(&id), 0, "nothing of that was an order");
    let order = json!({"episode_id": id, "quantity": 1, "turn": 0});
    assert_eq!(served.call("place_order", &order)["isError"], false);
    assert_eq!(turn(&id), 1);
}

/// Clients share a server and nothing else: a client that does not know the id of a game cannot
/// reach it.
#[test]
fn a_client_cannot_act_in_the_game_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("games").display().to_string();
    for more in [&[][..], &["--record", &folder]] {
        let served = Served::start(more);
        let mine = served.open();
        let order = |id: &str| json!({"episode_id": id, "quantity": 4});
        assert_eq!(served.call("place_order", &order(&mine))["isError"], false);
        let status = || served.call("get_status", &json!({"episode_id": mine}));
        let before = status();
        // The same episode requested by number is a separate game: another trial.
        let same = served.call("new_episode", &json!({"episode": 0}));
        let told = &same["structuredContent"];
        let theirs = told["episode_id"].as_str().unwrap();
        assert_ne!(theirs, mine);
        assert_eq!((&told["turn"], &told["trial"]), (&json!(0), &json!(1)));
        assert_eq!(served.call("place_order", &order(theirs))["isError"], false);
        let theirs = served.open();
        assert_eq!(
            served.call("place_order", &order(&theirs))["isError"],
            false
        );
        let guessed = mine.to_uppercase();
        let guesses = ["*", "%", "", "0", guessed.trim(), &mine[1..]];
        let refused: Vec<Value> = guesses
            .iter()
            .filter(|guess| **guess != mine)
            .map(|guess| served.call("place_order", &order(guess)))
            .collect();
        for answer in &refused {
            assert_eq!(answer["structuredContent"]["rejected"], "no_such_episode");
        }
        // No answer to another client names the game.
        let hello = served.ask("initialize", &hello("2025-11-25"));
        let list = served.ask("tools/list", &json!({}));
        for told in refused.iter().chain([&same, &hello, &list]) {
            assert!(!told.to_string().contains(&mine), "{told}");
        }
        assert_eq!(status(), before);
    }
}

#[test]
fn games_are_limited_in_number() {
    let served = Served::start(&["--games", "2", "--idle", "3600"]);
    served.open();
    served.open();
    let third = served.call("new_episode", &json!({}));
    assert_eq!(third["structuredContent"]["rejected"], "full", "{third}");
}

#[test]
fn games_end_when_nobody_plays_them() {
    let served = Served::start(&["--games", "1", "--idle", "1"]);
    let first = served.open();
    // The only place is taken until the game has been idle for a second.
    let opened = || served.call("new_episode", &json!({}))["structuredContent"].clone();
    while opened()["rejected"] == "full" {}
    let gone = served.call("get_status", &json!({"episode_id": first}));
    assert_eq!(gone["structuredContent"]["rejected"], "no_such_episode");
}

#[test]
fn numbers_that_serve_nobody_are_refused() {
    for (option, value) in [
        ("--games", "0"),
        ("--games", "10001"),
        ("--games", "many"),
        ("--idle", "0"),
        ("--idle", "31536001"),
        ("--idle", "1e9"),
    ] {
        let said = refused(&["serve", "beer-game", option, value], 2);
        names(&said, &[option, value, "from 1 to"]);
    }
    let said = refused(&["serve", "beer-game", "--seed", "seven"], 2);
    names(&said, &["--seed", "seven", "from 0 to"]);
}

/// A server that failed to start leaves no run behind.
#[test]
fn a_refused_address_leaves_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("games");
    let folder = out.display().to_string();
    let words = ["--http", "8.8.8.8:1", "--record", &folder];
    let said = refused(&[&["serve", "beer-game"], &words[..]].concat(), 2);
    names(&said, &["8.8.8.8:1"]);
    assert!(!out.exists());
}

/// Games that cannot be written to the disk are reported on the server's standard error, not only
/// to clients.
#[test]
#[cfg(target_os = "linux")]
fn records_that_cannot_be_written_are_no_success() {
    let dir = tempfile::tempdir().unwrap();
    // Files end at 8 or 16 KiB, depending on the shell's unit; writing more is an error and not a
    // signal.
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh"]);
    command.arg(boardroom::<&str>(&[]).get_program());
    command.args(["serve", "beer-game", "--http", "127.0.0.1:0", "--record"]);
    let mut served = Served::of(command.arg(dir.path().join("games")));
    let play = || {
        let id = served.open();
        let order = json!({"episode_id": id, "quantity": 100});
        loop {
            let end = served.call("place_order", &order)["structuredContent"].clone();
            if end["over"] == true {
                return end;
            }
        }
    };
    let lost = (0..20)
        .map(|_| play())
        .find(|end| !end["not_kept"].is_null());
    let lost = lost.expect("20 games fit into 16 KiB");
    assert!(lost["score"]["value"].is_f64(), "{lost}");
    let pid = rustix::process::Pid::from_child(&served.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let mut said = String::new();
    served.err.read_to_string(&mut said).unwrap();
    assert_eq!(served.child.wait().unwrap().code(), Some(1), "{said}");
    names(&said, &["episodes.jsonl", "error: "]);
}

/// Memory does not grow with clients that come and go, and one game accepts a limited amount of
/// input.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded() {
    let served = Served::start(&[]);
    let memory = || {
        let path = format!("/proc/{}/status", served.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        let kib = line.split_whitespace().nth(1).unwrap();
        kib.parse::<u64>().unwrap() / 1_024
    };
    let id = served.open();
    let before = memory();
    for _ in 0..1_500 {
        served.ask("initialize", &hello("2025-11-25"));
    }
    let after_clients = memory();
    assert!(
        after_clients < before + 40,
        "{before} MiB, then {after_clients} MiB"
    );
    // Getters are not attempts, so only the size limit ends them: 100 MiB are sent.
    let arguments = json!({"episode_id": id, "weeks": "x".repeat(1 << 20)});
    let mut refused = 0;
    for _ in 0..100 {
        let answer = served.call("get_history", &arguments);
        refused += u64::from(answer["structuredContent"]["rejected"] == "too_long");
    }
    assert_eq!(
        refused, 93,
        "7 MiB were taken in; the last of 8 holds decisions"
    );
    let after_calls = memory();
    assert!(
        after_calls < before + 80,
        "{before} MiB, then {after_calls} MiB"
    );
    let order = json!({"episode_id": id, "quantity": 100});
    assert_eq!(served.call("place_order", &order)["isError"], false);
}

/// The output of a server on standard input and output for `input`; the end of the input is the end
/// of the client.
fn stdio(input: &[u8]) -> Output {
    let mut child = quiet(&mut boardroom(&["serve", "beer-game"]));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// The messages on standard output, which holds nothing else.
fn messages(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

#[test]
fn a_client_that_never_comes_is_no_error() {
    let output = stdio(b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
}

/// A server in mode `play` has no target number of games, so none are missing, and no other server
/// can continue them.
#[test]
fn games_of_clients_are_no_unfinished_run() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("games").display().to_string();
    let mut server = quiet(&mut boardroom(&["serve", "beer-game", "--record", &out]));
    drop(server.stdin.take());
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let said = refused(&["resume", &out], 2);
    names(&said, &["boardroom serve beer-game --record"]);
    assert!(!dir.path().join("games/errors.jsonl").exists());
    let verified = call(&["verify", &out]);
    assert_eq!((verified.code, verified.err.as_str()), (0, ""));
    assert!(verified.out.starts_with("0 records "), "{}", verified.out);
}

/// Texts for clients use one name for one thing, and name the next call.
#[test]
fn what_a_client_is_told_names_every_tool_and_the_turn() {
    let served = Served::start(&[]);
    let hello = served.ask("initialize", &hello("2025-11-25"));
    let instructions = hello["result"]["instructions"].as_str().unwrap();
    let id = served.open();
    let wrong = served.call("get_stok", &json!({"episode_id": id}));
    let wrong = wrong["content"][0]["text"].as_str().unwrap().to_owned();
    for text in [instructions, wrong.as_str()] {
        for tool in ["new_episode", "get_status", "place_order"] {
            assert!(text.contains(tool), "{tool} is not in {text}");
        }
    }
    let status = served.call("get_status", &json!({"episode_id": id}));
    let status = status["content"][0]["text"].as_str().unwrap();
    assert!(status.starts_with("turn 0 (week 1 of 25)\n"), "{status}");
    let late = json!({"episode_id": id, "quantity": 1, "turn": 3});
    let late = served.call("place_order", &late)["structuredContent"]["message"].clone();
    let late = late.as_str().unwrap();
    names(late, &["turn 3", "turn 0 (week 1 of 25)"]);
    let list = served.ask("tools/list", &json!({}));
    for tool in list["result"]["tools"].as_array().unwrap() {
        let text = tool.to_string();
        assert!(!text.contains("period"), "a week by another name: {text}");
    }
}

/// A judged agent plays one game, and does not have to name it.
#[test]
fn a_judged_game_needs_no_id() {
    let served = Served::start(&["--mode", "eval"]);
    let status = served.call("get_status", &json!({}));
    assert_eq!(status["isError"], false, "{status}");
    let other = served.call("get_status", &json!({"episode_id": "0"}));
    let said = other["structuredContent"]["message"].as_str().unwrap();
    names(said, &["episode_id"]);
    let wrong = served.call("get_stok", &json!({}));
    let said = wrong["content"][0]["text"].as_str().unwrap();
    assert!(
        said.contains("get_status") && !said.contains("new_episode"),
        "{said}"
    );
}

#[test]
fn lines_that_are_no_message_do_not_end_the_connection() {
    let notice = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    let answer = b"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}";
    let long = "x".repeat(3 << 20);
    let deep = "[".repeat(100_000);
    let garbage: [&[u8]; 12] = [
        b"order",
        b"",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"{}",
        b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"window/opened\"}",
        notice,
        answer,
        deep.as_bytes(),
        long.as_bytes(),
    ];
    let mut input = garbage.join(&b'\n');
    input.push(b'\n');
    let noise = input.clone();
    for message in [
        request(1, "initialize", &hello("2025-06-18")),
        notice.to_vec(),
        request(2, "tools/list", &json!({})),
    ] {
        input.extend(message);
        input.push(b'\n');
        input.extend_from_slice(&noise);
    }
    let output = stdio(&input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let messages = messages(&output);
    let answered = |id: u64| messages.iter().find(|message| message["id"] == id);
    assert_eq!(
        answered(1).unwrap()["result"]["protocolVersion"],
        "2025-06-18"
    );
    let tools = answered(2).unwrap()["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 5);
    assert!(
        messages
            .iter()
            .all(|m| m["id"] == 1 || m["id"] == 2 || m["error"].is_object()),
        "{messages:?}"
    );
    // Every line that is not a message is answered, every time.
    let errors = |code: i64, part: &str| {
        let error = |message: &&Value| {
            let error = &message["error"];
            error["code"] == code && error["message"].as_str().unwrap().contains(part)
        };
        messages.iter().filter(error).count()
    };
    assert_eq!(errors(-32600, "2097152"), 4, "long");
    assert_eq!(errors(-32700, ""), 3 * 4, "a word, no UTF-8, too deep");
    assert_eq!(
        errors(-32600, "") - errors(-32600, "2097152"),
        4 * 4,
        "null, [], {{}}, version 1.0"
    );
    let refused = messages.iter().filter(|message| message["id"] == 7);
    assert_eq!(refused.count(), 4, "where there is an id, it is told");
}

/// A request to terminate is granted while a client is connected, over both transports, even if
/// another client is in the middle of its request.
#[test]
#[cfg(unix)]
fn a_server_ends_when_it_is_asked_to() {
    let ended = |child: &mut Child| {
        let pid = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(ends(child).0, Some(0));
    };
    let mut child = quiet(&mut boardroom(&["serve", "beer-game"]));
    let mut stdin = child.stdin.take().unwrap();
    let mut hello = request(1, "initialize", &hello("2025-11-25"));
    hello.push(b'\n');
    stdin.write_all(&hello).unwrap();
    let mut answer = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut answer).unwrap();
    assert!(answer.contains("serverInfo"), "{answer}");
    child.stdout = Some(stdout.into_inner());
    ended(&mut child);

    let mut served = Served::start(&[]);
    let mut hung = TcpStream::connect(&served.address).unwrap();
    hung.write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        .unwrap();
    served.answers();
    ended(&mut served.child);
}
