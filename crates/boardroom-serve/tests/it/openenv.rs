//! The protocol of OpenEnv, as its client and its validator (0.10.0) speak it.

use crate::client::{Running, sessions, verifies};
use boardroom_serve::openenv::Reward;
use boardroom_serve::transport::serve_http;
use boardroom_serve::{Server, ServerMode};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::path::Path;
use tungstenite::{Message, WebSocket};

fn start(dir: &Path, preset: &str, reward: Reward) -> Running {
    let sessions = sessions(dir, preset, "mcp", ServerMode::Play);
    let server = Server::new(sessions).with_openenv(reward);
    Running::start(move |address, ready, stop| serve_http(&server, address, ready, stop))
}

struct Socket(WebSocket<TcpStream>);

impl Socket {
    fn of(server: &Running) -> Self {
        let stream = TcpStream::connect(server.address).unwrap();
        let (socket, _) =
            tungstenite::client(format!("ws://{}/ws", server.address), stream).unwrap();
        Self(socket)
    }

    fn text(&mut self, text: &str) -> Value {
        self.0.send(Message::text(text)).unwrap();
        serde_json::from_str(self.0.read().unwrap().to_text().unwrap()).unwrap()
    }

    fn ask(&mut self, kind: &str, data: &Value) -> Value {
        let answer = self.text(&json!({"type": kind, "data": data}).to_string());
        assert_ne!(answer["type"], "error", "{answer}");
        answer["data"].clone()
    }
}

/// What `openenv validate --url` requires of a running server.
#[test]
fn a_running_server_has_what_the_validator_looks_for() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), "paper", Reward::Score);
    let get = |path: &str| {
        let (status, _, text) = server.send("GET", path, &[("Accept", "*/*")], "");
        assert_eq!(status, 200, "{path}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let api = get("/openapi.json");
    assert_eq!(api["info"]["version"], "1.0.0");
    for path in ["/reset", "/step", "/state"] {
        assert!(api["paths"][path].is_object(), "{path}");
    }
    assert_eq!(get("/health")["status"], "healthy");
    let metadata = get("/metadata");
    assert!(metadata["name"].is_string() && metadata["description"].is_string());
    let schema = get("/schema");
    for part in ["action", "observation", "state"] {
        assert!(schema[part].is_object(), "{part}");
    }
    let headers = [("Content-Type", "application/json"), ("Accept", "*/*")];
    let (status, _, text) = server.send("POST", "/mcp", &headers, "{}");
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &told["jsonrpc"]), (200, &json!("2.0")), "{told}");
}

#[test]
fn a_seed_gives_the_same_game_and_rewards_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("games");
    let server = start(&dir, "random", Reward::Score);
    let mut socket = Socket::of(&server);
    let mut begin = |seed: u64| {
        let mut seen = vec![socket.ask("reset", &json!({"seed": seed}))];
        seen.extend((0..5).map(|_| socket.ask("step", &json!({"quantity": 100}))));
        seen
    };
    let first = begin(7);
    assert_eq!(first[0]["done"], false);
    assert!(first[0]["observation"]["rules"].is_string(), "{}", first[0]);
    assert_eq!(begin(7), first);
    assert_ne!(begin(8), first);
    socket.ask("reset", &json!({"seed": 7, "episode_id": "mine"}));
    let state = socket.ask("state", &Value::Null);
    assert_eq!(
        (&state["episode_id"], &state["trial"]),
        (&json!("mine"), &json!(2))
    );

    let mut sum = 0.0;
    let mut last = Value::Null;
    for week in 0..25 {
        let action = match week % 3 {
            0 => json!({"tool": "place_order", "arguments": {"quantity": 100}}),
            1 => {
                json!({"type": "call_tool", "tool_name": "place_order", "arguments": {"quantity": 100}})
            }
            _ => json!({"quantity": 100, "metadata": {}}),
        };
        last = socket.ask("step", &action);
        assert!(last["observation"].get("score_so_far").is_none());
        sum += last["reward"].as_f64().unwrap();
    }
    assert_eq!(last["done"], true);
    let result = &last["metadata"]["result"];
    assert!(
        (result["value"].as_f64().unwrap() + sum).abs() < 1e-6,
        "{result}, {sum}"
    );
    assert_eq!(result["reference"]["status"], "bound");
    let after = socket.ask("step", &json!({"quantity": 1}));
    assert_eq!(
        (&after["done"], &after["reward"]),
        (&json!(true), &json!(0.0))
    );

    // A rollout that is cut off is closed and recorded, like those that were reset.
    socket.ask("reset", &json!({}));
    socket.ask("step", &json!({"quantity": 1}));
    drop(socket);
    drop(server);
    let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
    let endings: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["ending"].clone())
        .collect();
    assert_eq!(endings.len(), 5, "{endings:?}");
    assert_eq!(
        endings
            .iter()
            .filter(|ending| *ending == "complete")
            .count(),
        1
    );
    verifies(&dir);
}

/// A server that was killed leaves games behind: a reset does not go on with what others played.
#[test]
fn a_reset_begins_at_the_start_also_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("games");
    let crashed = sessions(&dir, "random", "mcp", ServerMode::Play);
    for episode in [7, 7, 9] {
        let left = crashed.open("somebody", Some(episode), None).unwrap();
        for _ in 0..10 {
            let order = json!({"quantity": 400});
            assert!(!crashed.call(&left.id, "place_order", order, None).error);
        }
    }
    drop(crashed);
    let server = start(&dir, "random", Reward::Score);
    let mut socket = Socket::of(&server);
    let begins = |socket: &mut Socket, data: &Value, place: (u64, u64)| {
        let seen = socket.ask("reset", data);
        assert_eq!(seen["observation"]["turn"], 0, "{seen}");
        let state = socket.ask("state", &Value::Null);
        let (episode, trial) = place;
        assert_eq!(
            (&state["episode"], &state["trial"]),
            (&json!(episode), &json!(trial))
        );
    };
    begins(&mut socket, &json!({"seed": 7}), (7, 2));
    let (mut sum, mut last) = (0.0, Value::Null);
    for _ in 0..25 {
        last = socket.ask("step", &json!({"quantity": 100}));
        sum += last["reward"].as_f64().unwrap();
    }
    let value = last["metadata"]["result"]["value"].as_f64().unwrap();
    assert!((value + sum).abs() < 1e-6, "{value}, {sum}");
    // A trial that was begun is not played again, and what is refused closes nothing.
    let begun = json!({"type": "reset", "data": {"episode": 9, "trial": 0}});
    let told = socket.text(&begun.to_string());
    assert_eq!(told["data"]["code"], "EXECUTION_ERROR", "{told}");
    assert!(dir.join("progress").join("9.jsonl").exists());
    begins(&mut socket, &json!({"episode": 9}), (9, 1));
    begins(&mut socket, &json!({}), (0, 0));
    drop(socket);
    drop(server);
    let text = std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
    // Those left behind are closed and recorded, and so are the two that were reset and cut off.
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (closed, played): (Vec<Value>, Vec<Value>) =
        records.partition(|record| record["ending"] == "forfeited");
    assert_eq!((closed.len(), played.len()), (5, 1));
    verifies(&dir);
}

/// A reset without an episode opens the one that was left at its start after a crash; a trial alone means nothing.
#[test]
fn a_reset_without_an_episode_begins_at_the_start() {
    for data in [json!({}), json!({"trial": 0}), json!({"trial": 5})] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("games");
        let crashed = sessions(&dir, "random", "mcp", ServerMode::Play);
        let left = crashed.open("somebody", None, None).unwrap();
        let order = json!({"quantity": 400});
        assert!(!crashed.call(&left.id, "place_order", order, None).error);
        drop(crashed);
        let server = start(&dir, "random", Reward::Score);
        let (_, opened) = server.json("POST", "/reset", "", &data);
        assert_eq!(opened["observation"]["turn"], 0, "{opened}");
        let id = opened["metadata"]["episode_id"].as_str().unwrap();
        let path = format!("/state?episode_id={id}");
        let state = server.json("GET", &path, "", &Value::Null).1;
        let place = (&state["episode"], &state["trial"]);
        assert_eq!(place, (&json!(0), &json!(1)), "{data}");
    }
}

#[test]
fn faults_do_not_end_a_rollout() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), "paper", Reward::Unit);
    let mut socket = Socket::of(&server);
    for (text, code) in [
        ("order", "INVALID_JSON"),
        ("[]", "VALIDATION_ERROR"),
        (r#"{"type": "dance"}"#, "UNKNOWN_TYPE"),
        (
            r#"{"type": "step", "data": {"quantity": 1}}"#,
            "EXECUTION_ERROR",
        ),
        (
            r#"{"type": "reset", "data": {"seed": -1}}"#,
            "VALIDATION_ERROR",
        ),
        (r#"{"type": "reset", "data": 7}"#, "VALIDATION_ERROR"),
    ] {
        let told = socket.text(text);
        assert_eq!(told["data"]["code"], code, "{text}: {told}");
    }
    socket.ask("reset", &json!({}));
    let refused = socket.ask(
        "step",
        &json!({"tool": "place_order", "arguments": {"quantity": -1}}),
    );
    assert_eq!(
        (&refused["observation"]["error"], &refused["reward"]),
        (&json!(true), &json!(0.0))
    );
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"});
    let told = socket.ask("mcp", &list);
    assert_eq!(told["id"], 3);
    assert_eq!(told["result"]["tools"].as_array().unwrap().len(), 3);
    // An agent that calls a tool sees the observation alone.
    let call = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
        "params": {"name": "place_order", "arguments": {"quantity": 400}}});
    let told = socket.ask("mcp", &call);
    let seen = &told["result"]["structuredContent"];
    assert_eq!(
        (&seen["turn"], &told["result"]["isError"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(seen["text"], told["result"]["content"][0]["text"]);
    for hidden in ["reward", "metadata", "score_so_far", "score", "result"] {
        assert!(seen.get(hidden).is_none(), "{hidden}: {seen}");
    }
    let mut last = Value::Null;
    for _ in 1..25 {
        last = socket.ask("step", &json!({"quantity": 400}));
    }
    assert_eq!(last["reward"], 1.0, "the unit score of the optimum");

    // A reset that is refused leaves the running game as it is.
    socket.ask("reset", &json!({"episode": 3, "trial": 0}));
    let again = json!({"type": "reset", "data": {"episode": 3, "trial": 0}});
    let told = socket.text(&again.to_string());
    assert_eq!(told["data"]["code"], "EXECUTION_ERROR", "{told}");
    let told = socket.ask("step", &json!({"quantity": 400}));
    assert_eq!(
        (&told["done"], &told["observation"]["turn"]),
        (&json!(false), &json!(1))
    );
}

#[test]
fn rollouts_without_a_connection() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), "paper", Reward::Score);
    let (status, opened) = server.json("POST", "/reset", "", &json!({"seed": 7}));
    assert_eq!(status, 200, "{opened}");
    let id = opened["metadata"]["episode_id"].clone();
    let step = json!({"episode_id": id, "action": {"quantity": 400}});
    let (_, told) = server.json("POST", "/step", "", &step);
    assert_eq!(
        (&told["reward"], &told["done"]),
        (&json!(-200.0), &json!(false)),
        "{told}"
    );
    let path = format!("/state?episode_id={}", id.as_str().unwrap());
    assert_eq!(
        server.json("GET", &path, "", &Value::Null).1["step_count"],
        1
    );
    // A name of the client's own serves as well as the game's, and the last game of the name has it.
    for quantity in [400, 300] {
        let named = json!({"seed": 7, "episode_id": "mine"});
        let (_, opened) = server.json("POST", "/reset", "", &named);
        let step = json!({"episode_id": "mine", "action": {"quantity": quantity}});
        assert_eq!(server.json("POST", "/step", "", &step).0, 200);
        let state = server
            .json("GET", "/state?episode_id=mine", "", &Value::Null)
            .1;
        assert_eq!(
            (&state["game"], &state["episode_id"], &state["step_count"]),
            (&opened["metadata"]["episode_id"], &json!("mine"), &json!(1))
        );
    }
    // Names are texts of any kind, which a query encodes.
    for (name, path) in [("my game/1", "my%20game%2F1"), ("a+b é", "a%2Bb+%C3%A9")] {
        let named = json!({"seed": 7, "episode_id": name});
        assert_eq!(server.json("POST", "/reset", "", &named).0, 200);
        let path = format!("/state?x=1&episode_id={path}");
        let state = server.json("GET", &path, "", &Value::Null).1;
        assert_eq!(state["episode_id"], json!(name), "{state}");
    }
    let nobody = json!({"episode_id": "x", "action": {"quantity": 400}});
    assert_eq!(server.json("POST", "/step", "", &nobody).0, 422);
    // A page of another site can send requests to this machine.
    let evil = [("Origin", "http://evil.example")];
    assert_eq!(server.send("POST", "/reset", &evil, "{}").0, 403);
}
