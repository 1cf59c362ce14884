//! `boardroom classroom` and the options of `boardroom serve`, as a user calls them.

use crate::program::{boardroom, call, json as told, names, ok, refused, verifies};
use crate::server::{Act, Server as ModelServer, called};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Server {
    fn start(words: &[&str]) -> Self {
        Self::of(boardroom(words))
    }

    fn of(mut command: Command) -> Self {
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

pub(crate) fn ask(
    address: &str,
    method: &str,
    path: &str,
    token: &str,
    body: &str,
) -> (u16, Value) {
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

/// Reads server-sent events until one `fits`.
fn until(address: &str, path: &str, token: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let data = line.strip_prefix("data: ");
        let seen: Option<Value> = data.and_then(|data| serde_json::from_str(data).ok());
        if let Some(seen) = seen.filter(|seen| fits(seen)) {
            return seen;
        }
    }
    panic!("the stream ended");
}

/// What other users of the machine may do in the run folder `dir`, and so with all files in it.
#[cfg(unix)]
fn open_to_others(dir: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(dir).unwrap().permissions().mode() & 0o077
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
            #[cfg(unix)]
            std::fs::set_permissions(&out, std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .unwrap();
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
    #[cfg(unix)]
    assert_eq!(open_to_others(&out), 0);
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
    for environment in ["pricing", "collusion", "patience"] {
        let words = ["--openenv", "--http", "127.0.0.1:0", "--reward", "unit"];
        let told = refused(&[&["serve", environment][..], &words[..]].concat(), 2);
        names(&told, &["--reward unit", environment, "--reward score"]);
    }
    let told = refused(&["serve", "beer-game", "--http", "0.0.0.0:0"], 2);
    names(&told, &["0.0.0.0:0", "--token-file"]);
    let out = path("class");
    let classroom = |more: &[&str]| {
        let words = ["classroom", "beer-game", "--out", &out];
        let told = refused(&[&words[..], more].concat(), 2);
        assert!(!std::path::Path::new(&out).exists(), "{told}");
        told
    };
    let told = classroom(&["--bot", "nobody", "--port", "0"]);
    names(&told, &["nobody", "order-up-to"]);
    // A page that cannot be served leaves no folder behind.
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap();
    let told = classroom(&["--port", &taken.port().to_string()]);
    names(&told, &[taken.to_string().as_str(), "cannot be served"]);
    let told = classroom(&["--bind", "192.0.2.1", "--port", "0"]);
    names(&told, &["192.0.2.1:0", "cannot be served"]);
}

/// A model plays the brewery behind a server in the language of OpenAI, and fails in week 3.
#[test]
fn a_model_plays_a_seat() {
    let models = ModelServer::acting(|_, body| {
        let text = body["messages"].to_string();
        if text.contains("do you order in week 3?") {
            return Act::Refuse(400, json!({"error": {"message": "not this week"}}));
        }
        Act::Answer(called(&json!({"quantity": 5})))
    });
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("class").to_str().unwrap().to_owned();
    let line = format!(
        "classroom beer-game --preset classic --set weeks=6 --bot order-up-to --port 0 --out {out}"
    );
    let mut server = Server::of(models.command(&format!("{line} --model openai:five")));
    let (_, address, teacher) = server.link();
    let (_, _, token) = server.link();
    let own = "/api/teams/1/seats/retailer";
    let post = |path: &str, token: &str, body: &Value| {
        let (status, told) = ask(&address, "POST", path, token, &body.to_string());
        assert_eq!(status, 200, "{path}: {told}");
        told
    };
    // Marks of writing direction would reorder the names of others.
    let name = json!({"name": "A\u{202e}nn\u{2066}\u{200f}a"});
    post(&format!("{own}/join"), &token, &name);
    let (_, all) = ask(&address, "GET", "/api/teacher", &teacher, "");
    assert_eq!(all["teams"][0]["seats"][0]["name"], "Anna", "{all}");
    let bot = json!({"team": 1, "seat": "brewery", "policy": "openai:five"});
    post("/api/teacher/bot", &teacher, &bot);
    post("/api/teacher/start", &teacher, &json!({}));
    for week in 0..6 {
        until(&address, &format!("{own}/events"), &token, |seen| {
            seen["turn"] == week
        });
        let order = json!({"tool": "place_order", "arguments": {"quantity": 4}, "turn": week});
        let told = post(&format!("{own}/act"), &token, &order);
        assert_eq!(told["error"], false, "{told}");
        if week == 2 {
            until(&address, &format!("{own}/events"), &token, |seen| {
                seen["turn"] == 3
            });
            let (_, all) = ask(&address, "GET", "/api/teacher", &teacher, "");
            let fault = &all["teams"][0]["seats"][3]["fault"];
            assert_eq!(fault["turn"], 2, "{all}");
            let why = fault["why"].as_str().unwrap();
            assert!(why.contains("not this week"), "{why}");
        }
    }
    until(&address, &format!("{own}/events"), &token, |seen| {
        seen["over"] == true
    });
    drop(server);
    verifies(&out, 1);
    let text = std::fs::read_to_string(format!("{out}/episodes.jsonl")).unwrap();
    let record: Value = serde_json::from_str(text.trim()).unwrap();
    let entries = record["entries"].as_array().unwrap();
    let of_brewery = entries.iter().filter(|entry| entry["seat"] == "brewery");
    let orders: Vec<&Value> = of_brewery.map(|entry| &entry["input"]).collect();
    assert_eq!(orders.len(), 6, "{orders:?}");
    for (week, order) in orders.iter().enumerate() {
        let called = &order["call"]["arguments"]["quantity"];
        assert_eq!(called.is_null(), week == 2, "week {week}: {order}");
    }
    let calls = std::fs::read_to_string(format!("{out}/calls.jsonl")).unwrap();
    assert!(calls.contains("classroom/team1/brewery/turn0"), "{calls}");
    if cfg!(feature = "view") {
        let pages = dir.path().join("pages");
        ok(&format!("view {out} --export {}", pages.display()));
        let page = std::fs::read_to_string(pages.join("record.class.0.html")).unwrap();
        let turns: Vec<&str> = page.split("<section class=\"turn").skip(1).collect();
        let is_said = |turn: &&&str| turn.contains("agent · query1");
        let said: Vec<&&str> = turns.iter().filter(is_said).collect();
        // All weeks but the third, in which the server refused.
        assert_eq!(said.len(), 5, "{page}");
        assert!(said.iter().all(|turn| turn.contains(", brewery ")));
        assert!(!page.contains("Other calls"), "{page}");
    }
    #[cfg(unix)]
    assert_eq!(open_to_others(&out), 0);
    // Without its models the folder is refused, and a cap needs a model.
    let words: Vec<&str> = line.split(' ').collect();
    names(&refused(&words, 2), &["openai:five", "--model"]);
    let capped = [
        "classroom",
        "beer-game",
        "--max-cost",
        "1",
        "--out",
        "unused",
    ];
    names(&refused(&capped, 2), &["--max-cost", "--model"]);
}

/// A person asks the interviewer and recommends, in a class of two teams; their links are those of candidates only.
#[test]
fn a_class_is_interviewed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("class").to_str().unwrap().to_owned();
    let words = [
        "classroom",
        "consulting",
        "--preset",
        "short",
        "--rounds",
        "3",
        "--teams",
        "2",
    ];
    let words = [&words[..], &["--port", "0", "--out", &out]].concat();
    let mut server = Server::start(&words);
    let (_, address, teacher) = server.link();
    let links = [server.link(), server.link()];
    let of: Vec<&str> = links.iter().map(|(of, _, _)| of.as_str()).collect();
    assert_eq!(of, ["team 1", "team 2"]);
    for (team, (_, _, token)) in (1..).zip(&links) {
        let join = format!("/api/teams/{team}/seats/agent/join");
        assert_eq!(ask(&address, "POST", &join, token, "{}").0, 200);
    }
    assert_eq!(
        ask(&address, "POST", "/api/teacher/start", &teacher, "").0,
        200
    );
    // No seat of the interviewer or of a judge can be joined or handed to a policy.
    for seat in ["interviewer", "judge_1"] {
        let join = format!("/api/teams/1/seats/{seat}/join");
        for token in [&links[0].2, &teacher] {
            assert!(ask(&address, "POST", &join, token, "{}").0 >= 400);
        }
        let bot = json!({"team": 1, "seat": seat, "policy": "silent"}).to_string();
        assert!(ask(&address, "POST", "/api/teacher/bot", &teacher, &bot).0 >= 400);
    }
    let own = "/api/teams/1/seats/agent";
    let token = &links[0].2;
    for round in 0..3 {
        let (_, seen) = ask(&address, "GET", own, token, "");
        assert_eq!(seen["observation"]["case"], Value::Null, "{seen}");
        assert_eq!(seen["turn"], 2 * round + 1, "{seen}");
        assert!(seen["opening"].as_str().unwrap().contains("Interviewer: "));
        assert_eq!(seen["tools"][0]["name"], "say");
        let said = json!({"tool": "say", "arguments": {"text": "I recommend to wait."},
            "turn": seen["turn"]});
        let (status, told) = ask(
            &address,
            "POST",
            &format!("{own}/act"),
            token,
            &said.to_string(),
        );
        assert_eq!((status, &told["error"]), (200, &json!(false)), "{told}");
    }
    let end = json!({"team": 2}).to_string();
    assert_eq!(
        ask(&address, "POST", "/api/teacher/end", &teacher, &end).0,
        200
    );
    let debrief = until(&address, &format!("{own}/events"), token, |seen| {
        seen["debrief"]["result"]["value"].is_number()
    });
    assert_eq!(debrief["debrief"]["result"]["ending"], "complete");
    drop(server);
    verifies(&out, 2);
}

/// Every environment can be played in a classroom: each seat sees its rules and has a decision to make,
/// and policies play to the end.
#[test]
fn every_environment_has_a_classroom() {
    let listed = told("list --json");
    let listed = listed.as_array().unwrap();
    assert!(listed.len() >= 9, "{listed:?}");
    for environment in listed {
        let environment = environment["environment"].as_str().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("class").to_str().unwrap().to_owned();
        let mut server = Server::start(&["classroom", environment, "--port", "0", "--out", &out]);
        let (_, address, teacher) = server.link();
        let (_, _, token) = server.link();
        let (_, me) = ask(&address, "GET", "/api/me", &token, "");
        let own = format!("/api/teams/1/seats/{}", me["seat"].as_str().unwrap());
        ask(&address, "POST", &format!("{own}/join"), &token, "{}");
        assert_eq!(
            ask(&address, "POST", "/api/teacher/start", &teacher, "").0,
            200
        );
        let (_, seen) = ask(&address, "GET", &own, &token, "");
        let tools = seen["tools"].as_array().unwrap();
        let decides = tools.iter().any(|tool| tool["kind"] != "getter");
        assert!(decides, "{environment}: {seen}");
        for text in ["rules", "opening"] {
            assert!(
                !seen[text].as_str().unwrap().is_empty(),
                "{environment}: {text}"
            );
        }
        let (_, room) = ask(&address, "GET", "/api/teacher", &teacher, "");
        let bot = json!({"team": 1, "seat": me["seat"], "policy": room["room"]["bot"]});
        let (status, told) = ask(
            &address,
            "POST",
            "/api/teacher/bot",
            &teacher,
            &bot.to_string(),
        );
        assert_eq!(status, 200, "{environment}: {told}");
        let path = format!("{own}/events");
        let end = until(&address, &path, &token, |seen| seen["over"] == true);
        assert!(
            end["debrief"]["result"]["value"].is_number(),
            "{environment}: {end}"
        );
        drop(server);
        verifies(&out, 1);
    }
}

/// Records of one episode that was played twice are told apart.
#[test]
fn trials_are_exported_replayed_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let runs = dir.path().join("runs");
    let out = runs.join("class").to_str().unwrap().to_owned();
    let line = format!(
        "classroom beer-game --preset classic --set weeks=3 --episode 5 --teams 2 --port 0 --out {out} --bot"
    );
    let words: Vec<&str> = line.split(' ').collect();
    let mut server = Server::start(&[&words[..], &["constant:4"]].concat());
    let (_, address, teacher) = server.link();
    for (team, bot) in [(1, "constant:4"), (2, "constant:9")] {
        for seat in ["retailer", "wholesaler", "distributor", "brewery"] {
            let body = json!({"team": team, "seat": seat, "policy": bot}).to_string();
            assert_eq!(
                ask(&address, "POST", "/api/teacher/bot", &teacher, &body).0,
                200
            );
        }
    }
    assert_eq!(
        ask(&address, "POST", "/api/teacher/start", &teacher, "").0,
        200
    );
    drop(server);
    verifies(&out, 2);
    let table = ok(&format!("export {out}"));
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let place = lines
        .next()
        .unwrap()
        .iter()
        .position(|name| *name == "trial")
        .unwrap();
    let trials: Vec<&str> = lines.map(|row| row[place]).collect();
    assert_eq!(trials, ["0", "1"]);
    for (trial, order) in [("0", "\"quantity\":4}"), ("1", "\"quantity\":9}")] {
        let text = ok(&format!("replay {out} --episode 5 --trial {trial}"));
        assert!(text.contains(order), "trial {trial}: {text}");
        assert!(
            text.starts_with(&format!("beer-game episode 5, trial {trial},")),
            "{text}"
        );
    }
    assert_eq!(call(&["replay", &out, "--trial", "2"]).code, 2);

    // The lesson does not count as an unfinished run: `resume` finishes the other one, which is listed after it.
    let game = runs.join("game");
    ok(&format!(
        "run beer-game --agent sterman --episodes 2 --out {}",
        game.display()
    ));
    let records = game.join("episodes.jsonl");
    let text = std::fs::read_to_string(&records).unwrap();
    std::fs::write(&records, text.split_inclusive('\n').next().unwrap()).unwrap();
    let manifest = |name: &str| runs.join(name).join("manifest.json");
    let began = |name: &str| {
        let text = std::fs::read_to_string(manifest(name)).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        manifest["started_unix"].as_u64().unwrap()
    };
    let text = std::fs::read_to_string(manifest("class")).unwrap();
    let (class, later) = (began("class").to_string(), began("game") + 1);
    let text = text.replacen(&class, &later.to_string(), 1);
    std::fs::write(manifest("class"), text).unwrap();
    let listed = told(&format!("runs {} --json", runs.display()));
    assert_eq!(
        (&listed[0]["status"], &listed[0]["records"]),
        (&json!("open"), &json!(2))
    );
    assert_eq!(listed[0]["planned"], Value::Null);
    assert_eq!(listed[1]["status"], "unfinished");
    let resumed = boardroom(&["resume"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(resumed.status.success(), "{resumed:?}");
    let text = std::fs::read_to_string(&records).unwrap();
    assert_eq!(text.lines().count(), 2);

    if cfg!(feature = "view") {
        let pages = dir.path().join("pages");
        ok(&format!("view {out} --export {}", pages.display()));
        let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
        let run = page("run.class.html");
        assert!(
            run.contains(">5</a>") && run.contains(">5, trial 1</a>"),
            "{run}"
        );
        assert!(run.contains(", 2 records<"), "{run}");
        assert!(page("record.class.1.html").contains("beer-game 5, trial 1"));
    }
}

/// A page for other machines says that it is not encrypted, and its links name a machine.
/// Models at seats that decide one after the other, and several times in a period, are asked each time.
#[test]
fn models_have_several_turns_in_a_period() {
    let models = ModelServer::acting(|_, _| Act::Answer(called(&json!({"quantity": 5}))));
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("class").to_str().unwrap().to_owned();
    let line = format!("classroom ceo --preset deliberation --port 0 --out {out}");
    let mut server = Server::of(models.command(&format!("{line} --bot openai:five")));
    let (_, address, teacher) = server.link();
    let (_, _, token) = server.link();
    assert_eq!(
        ask(&address, "POST", "/api/teacher/start", &teacher, "").0,
        200
    );
    // What they answer is no decision here, so the policy decides in their place, each time.
    until(&address, "/api/teams/1/seats/cfo/events", &token, |seen| {
        seen["over"] == true
    });
    drop(server);
    verifies(&out, 1);
    let calls = std::fs::read_to_string(format!("{out}/calls.jsonl")).unwrap();
    for slot in [
        "team1/cfo/turn0/",
        "team1/cto/turn0.1/",
        "team1/cfo/turn0.4/",
    ] {
        assert!(calls.contains(slot), "{slot}: {calls}");
    }
}

/// Where seats decide one after the other, each has the whole time.
#[test]
fn every_seat_has_its_own_time() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("class").to_str().unwrap().to_owned();
    let words = [
        "classroom",
        "ceo",
        "--preset",
        "deliberation",
        "--time-limit",
        "3",
    ];
    let words = [&words[..], &["--port", "0", "--out", &out]].concat();
    let mut server = Server::start(&words);
    let (_, address, teacher) = server.link();
    let own = |seat: &str| format!("/api/teams/1/seats/{seat}");
    let tokens = ["cfo", "cto", "coo", "cmo", "ceo"].map(|seat| {
        let (of, _, token) = server.link();
        assert_eq!(of, format!("team 1, {seat}"));
        let join = format!("{}/join", own(seat));
        assert_eq!(ask(&address, "POST", &join, &token, "{}").0, 200);
        token
    });
    assert_eq!(
        ask(&address, "POST", "/api/teacher/start", &teacher, "").0,
        200
    );
    let (_, seen) = ask(&address, "GET", &own("cto"), &tokens[1], "");
    assert_eq!(
        seen.get("left_ms"),
        None,
        "it is the turn of the first: {seen}"
    );
    // The first one lets the time pass.
    let events = format!("{}/events", own("cto"));
    let seen = until(&address, &events, &tokens[1], |seen| {
        seen.get("left_ms").is_some()
    });
    assert!(seen["left_ms"].as_u64().unwrap() > 1_000, "{seen}");
}

#[test]
fn an_open_page_says_that_it_is_not_encrypted() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("class").to_str().unwrap().to_owned();
    let words = [
        "classroom",
        "edt",
        "--port",
        "0",
        "--bind",
        "0.0.0.0",
        "--out",
        &out,
    ];
    let mut server = Server::start(&words);
    let (_, address, _) = server.link();
    let (_, _, token) = server.link();
    let port = address.rsplit(':').next().unwrap();
    assert!(!address.starts_with("0.0.0.0:"), "{address}");
    let local = format!("127.0.0.1:{port}");
    let (_, me) = ask(&local, "GET", "/api/me", &token, "");
    let own = format!("/api/teams/1/seats/{}", me["seat"].as_str().unwrap());
    assert_eq!(ask(&local, "GET", &own, &token, "").1["unencrypted"], true);
}
