//! `boardroom classroom` and the options of `boardroom serve`, as a user calls them.

use crate::program::{boardroom, names, refused, verifies};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};

struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Server {
    fn start(words: &[&str]) -> Self {
        let mut command = boardroom(words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// The next link: whose it is, the address and the token.
    fn link(&mut self) -> (String, String, String) {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        let (of, url) = line.trim_end().split_once(": http://").unwrap();
        let (address, token) = url.split_once("/#").unwrap();
        (of.to_owned(), address.to_owned(), token.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(address: &str, method: &str, path: &str, token: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

/// One person and three policies play; the program is killed and started again in between.
#[test]
fn a_class_plays_and_its_folder_verifies() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("class").to_str().unwrap().to_owned();
    let words = [
        "classroom",
        "beer-game",
        "--preset",
        "classic",
        "--bot",
        "order-up-to",
    ];
    let words = [&words[..], &["--port", "0", "--out", &out]].concat();
    let mut server = Server::start(&words);
    let (of, address, teacher) = server.link();
    assert_eq!(of, "teacher");
    let (of, _, token) = server.link();
    assert_eq!(of, "team 1, retailer");
    let own = "/api/teams/1/seats/retailer";
    assert_eq!(
        ask(&address, "POST", &format!("{own}/join"), &token, "{}").0,
        200
    );
    assert_eq!(
        ask(&address, "POST", "/api/teacher/start", &teacher, "").0,
        200
    );
    let mut address = address;
    for week in 0..36 {
        if week == 9 {
            drop(server);
            server = Server::start(&words);
            let (_, again, same) = server.link();
            assert_eq!(same, teacher);
            address = again;
        }
        let order = json!({"tool": "place_order", "arguments": {"quantity": 8}, "turn": week});
        let (status, told) = ask(
            &address,
            "POST",
            &format!("{own}/act"),
            &token,
            &order.to_string(),
        );
        assert_eq!(
            (status, &told["error"]),
            (200, &json!(false)),
            "week {week}: {told}"
        );
    }
    let (_, end) = ask(&address, "GET", own, &token, "");
    assert_eq!(end["debrief"]["result"]["ending"], "complete", "{end}");
    // Another process that uses the folder has an exit code of its own.
    refused(&words, 4);
    drop(server);
    verifies(&out, 1);
}

#[test]
fn wrong_options_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let tokens = path("tokens");
    std::fs::write(&tokens, "red short\n").unwrap();
    let told = refused(
        &[
            "serve",
            "beer-game",
            "--http",
            "127.0.0.1:0",
            "--token-file",
            &tokens,
        ],
        2,
    );
    names(&told, &[tokens.as_str(), "line 1"]);
    std::fs::write(&tokens, "red 0123456789abcdef\n").unwrap();
    let told = refused(&["serve", "beer-game", "--token-file", &tokens], 2);
    names(&told, &["--http"]);
    let told = refused(&["serve", "beer-game", "--openenv", "--mode", "eval"], 2);
    names(&told, &["--openenv", "--mode eval"]);
    let told = refused(&["serve", "beer-game", "--http", "0.0.0.0:0"], 2);
    names(&told, &["0.0.0.0:0", "--token-file"]);
    let out = path("class");
    let told = refused(
        &["classroom", "beer-game", "--bot", "nobody", "--out", &out],
        2,
    );
    names(&told, &["nobody", "order-up-to"]);
    assert!(!std::path::Path::new(&out).exists());
}
