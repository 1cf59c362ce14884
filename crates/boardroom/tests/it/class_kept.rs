//! What a class was told is still there after its program was killed, and on a full disk nothing counts as
//! saved that is not.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct Class {
    child: Child,
    address: String,
    /// The token of the teacher, and those of the seats.
    tokens: Vec<String>,
}

const SEATS: [&str; 4] = ["retailer", "wholesaler", "distributor", "brewery"];

impl Class {
    /// A class of one team in `dir`. A file may grow to `blocks` of 512 bytes.
    fn open(dir: &Path, blocks: Option<u32>) -> Self {
        let limit = blocks.map(|blocks| format!("ulimit -f {blocks};"));
        let line = format!("{} exec \"$0\" \"$@\"", limit.unwrap_or_default());
        let mut child = Command::new("sh")
            .args(["-c", &line, env!("CARGO_BIN_EXE_boardroom")])
            .args(["classroom", "beer-game", "--preset", "classic"])
            .args(["--port", "0", "--out", dir.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut address = String::new();
        let tokens = (0..5).map(|_| {
            let line = lines.next().unwrap().unwrap();
            let (at, token) = line.split_once("/#").unwrap();
            at.split("http://").nth(1).unwrap().clone_into(&mut address);
            token.to_owned()
        });
        let tokens = tokens.collect();
        Self {
            child,
            address,
            tokens,
        }
    }

    fn ask(&self, method: &str, path: &str, who: usize, body: &Value) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let body = body.to_string();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.tokens[who],
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(body).ok()?))
    }

    fn seat(&self, seat: usize, call: &str, body: &Value) -> Option<(u16, Value)> {
        let path = format!("/api/teams/1/seats/{}{call}", SEATS[seat]);
        let method = if call.is_empty() { "GET" } else { "POST" };
        self.ask(method, &path, seat + 1, body)
    }

    fn order(&self, seat: usize, turn: usize) -> Option<(u16, Value)> {
        let body = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": turn});
        self.seat(seat, "/act", &body)
    }

    fn begin(&self) {
        for seat in 0..4 {
            assert_eq!(self.seat(seat, "/join", &json!({})).unwrap().0, 200);
        }
        assert_eq!(self.teach("start", &json!({})).0, 200);
    }

    fn teach(&self, what: &str, body: &Value) -> (u16, Value) {
        self.ask("POST", &format!("/api/teacher/{what}"), 0, body)
            .unwrap()
    }
}

impl Drop for Class {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_class_that_is_killed_keeps_every_acknowledged_order() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("class");
    let mut class = Class::open(&dir, None);
    class.begin();
    // The next order: its week, and its seat.
    let (mut turn, mut seat) = (0_usize, 0_usize);
    for kill in 0..20_u64 {
        let id = rustix::process::Pid::from_child(&class.child);
        let killing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(3 + 7 * (kill % 5)));
            let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        });
        while turn < 36 {
            // The seats decide in another sequence every week.
            match class.order((seat + turn) % 4, turn) {
                Some((200, told)) if told["error"] == false => {
                    assert_eq!(told["kept"], true, "{told}");
                    seat += 1;
                }
                // It was applied, but the program was killed before it said so.
                Some((200, told)) if told["rejected"] == "sealed" => seat += 1,
                Some((status, told)) => {
                    let text = told["rejected"].as_str().unwrap_or_default();
                    assert_eq!((status, text), (200, "wrong_turn"), "{told}");
                    seat = 4;
                }
                None => break,
            }
            if seat == 4 {
                (turn, seat) = (turn + 1, 0);
            }
        }
        killing.join().unwrap();
        drop(class);
        class = Class::open(&dir, None);
        for place in 0..4 {
            let (_, seen) = class.seat(place, "", &Value::Null).unwrap();
            if seen["over"] == true {
                return;
            }
            let at = seen["turn"]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok())
                .unwrap();
            assert!(at >= turn, "kill {kill}: week {turn} is lost, it is {at}");
            let was_told = (0..seat).any(|k| (k + turn) % 4 == place);
            if at == turn && was_told {
                assert_eq!(seen["decided"], true, "kill {kill}: {seen}");
            }
        }
    }
    assert!(turn > 0);
}

#[test]
fn a_class_on_a_full_disk_warns_on_both_pages() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("class");
    // The file of the game reaches 12 KiB after some weeks.
    let class = Class::open(&dir, Some(24));
    class.begin();
    let mut lost = None;
    'weeks: for turn in 0..36 {
        for seat in 0..4 {
            let (status, told) = class.order(seat, turn).unwrap();
            assert_eq!(status, 200, "{told}");
            if told["kept"] == false {
                assert_eq!(told["sealed"], Value::Null, "{told}");
                lost = Some((turn, seat));
                break 'weeks;
            }
        }
    }
    let (turn, seat) = lost.expect("the file reached its limit");
    for place in 0..4 {
        let (_, seen) = class.seat(place, "", &Value::Null).unwrap();
        assert_eq!(
            (&seen["unsaved"], &seen["phase"]),
            (&json!(true), &json!("paused"))
        );
    }
    let (_, all) = class.ask("GET", "/api/teacher", 0, &Value::Null).unwrap();
    assert!(all["room"]["unsaved_why"].is_string(), "{all}");
    let next = if seat == 3 {
        (0, turn + 1)
    } else {
        (seat + 1, turn)
    };
    assert_eq!(class.order(next.0, next.1).unwrap().0, 409);
    assert_eq!(class.teach("start", &json!({})).0, 400);
    assert_eq!(class.teach("start", &json!({"unsaved": true})).0, 200);
    let (_, told) = class.order(next.0, next.1).unwrap();
    assert_eq!(
        (&told["error"], &told["kept"]),
        (&json!(false), &json!(false)),
        "{told}"
    );
    // What was acknowledged is there after a restart with room.
    drop(class);
    let class = Class::open(&dir, None);
    let (_, seen) = class.seat(0, "", &Value::Null).unwrap();
    assert_eq!(seen["turn"], turn, "{seen}");
}
