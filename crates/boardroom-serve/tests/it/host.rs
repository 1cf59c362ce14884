//! Tokens, and the calls of the host.

use crate::client::{Running, sessions, verifies};
use boardroom_serve::clients::Clients;
use boardroom_serve::transport::serve_http;
use boardroom_serve::{Server, ServerMode};
use serde_json::{Value, json};
use std::path::Path;

const TOKENS: &str = "host aaaaaaaaaaaaaaaa\nred bbbbbbbbbbbbbbbb\nblue cccccccccccccccc\n";
const HOST: &str = "aaaaaaaaaaaaaaaa";
const RED: &str = "bbbbbbbbbbbbbbbb";

fn start(dir: &Path, mode: ServerMode, tokens: &str) -> Running {
    let sessions = sessions(dir, "classic", "mcp", mode);
    let mut server = Server::new(sessions);
    if !tokens.is_empty() {
        server = server.with_clients(Clients::parse(tokens).unwrap());
    }
    Running::start(move |address, ready, stop| serve_http(&server, address, ready, stop))
}

#[test]
fn only_known_clients_are_served_and_only_the_host_opens_trials() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("games");
    let server = start(&dir, ServerMode::Eval, TOKENS);
    for token in ["", "bbbbbbbbbbbbbbb", "bbbbbbbbbbbbbbbc"] {
        let (status, told) = server.call(token, "get_status", &json!({}));
        assert_eq!((status, told["jsonrpc"].as_str()), (401, Some("2.0")));
        assert_eq!(server.json("POST", "/host/open", token, &json!({})).0, 401);
    }
    assert_eq!(server.call(RED, "get_status", &json!({})).0, 200);
    let wanted = json!({"episode": 5, "trial": 2});
    assert_eq!(server.json("POST", "/host/open", RED, &wanted).0, 403);

    let (status, opened) = server.json("POST", "/host/open", HOST, &wanted);
    assert_eq!(status, 200, "{opened}");
    assert_eq!(
        (&opened["episode"], &opened["trial"]),
        (&json!(5), &json!(2))
    );
    assert_eq!(server.json("POST", "/host/open", HOST, &wanted).0, 409);
    assert_eq!(
        server
            .json("POST", "/host/open", HOST, &json!({"seed": 1}))
            .0,
        400
    );

    // An agent that has the identifier of a seat plays that seat alone.
    let brewery = opened["seats"]["brewery"].clone();
    let (_, told) = server.call(RED, "get_status", &json!({"episode_id": brewery}));
    let status = &told["result"]["structuredContent"];
    assert_eq!(
        (&status["seat"], &status["decided"]),
        (&json!("brewery"), &json!(false))
    );
    assert!(
        status["rules"]
            .as_str()
            .is_some_and(|rules| !rules.is_empty())
    );
    let order = json!({"episode_id": brewery, "quantity": 4});
    let (_, told) = server.call(RED, "place_order", &order);
    assert_eq!(
        told["result"]["structuredContent"]["sealed"], true,
        "{told}"
    );

    let closing = json!({"episode_id": opened["episode_id"]});
    let (status, closed) = server.json("POST", "/host/close", HOST, &closing);
    assert_eq!(
        (status, &closed["closed_by"]),
        (200, &json!("host")),
        "{closed}"
    );
    assert!(closed["result"]["regret"].as_f64().unwrap() > 0.0);
    drop(server);
    verifies(&dir);
}

#[test]
fn agents_have_no_tool_for_seed_reset_or_score() {
    for mode in [ServerMode::Play, ServerMode::Eval] {
        let dir = tempfile::tempdir().unwrap();
        let server = start(&dir.path().join("games"), mode, "");
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let (_, told) = server.json("POST", "/mcp", "", &list);
        let tools = told["result"]["tools"].as_array().unwrap();
        for tool in tools {
            let mut names = vec![tool["name"].as_str().unwrap().to_owned()];
            let arguments = tool["inputSchema"]["properties"].as_object().unwrap();
            names.extend(arguments.keys().cloned());
            for name in names {
                let host_side = ["seed", "reset", "score", "close", "trial"];
                assert!(host_side.iter().all(|word| !name.contains(word)), "{name}");
            }
        }
        // Without tokens an agent that is evaluated could call the host's paths itself.
        let (status, _) = server.json("POST", "/host/open", "", &json!({}));
        assert_eq!(status, if mode == ServerMode::Play { 200 } else { 403 });
    }
}

#[test]
fn faults_of_messages_are_answers_of_the_protocol() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    for body in ["order", "[]", "{}"] {
        let (status, _, text) = server.send("POST", "/mcp", &headers, body);
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &told["jsonrpc"]), (400, &json!("2.0")), "{body}");
    }
}

/// What is wrong is told in the words of JSON, and in whole sentences.
#[test]
fn faults_of_requests_are_told_in_plain_words() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    for (call, body, place, right) in [
        (
            "open",
            json!({"episode": "x"}),
            "episode: ",
            "a whole number",
        ),
        ("open", json!([]), "", "an object"),
        ("open", json!([3, 1]), "", "an object"),
        (
            "close",
            json!({"episode_id": {}}),
            "episode_id: ",
            "a string",
        ),
    ] {
        let (status, told) = server.json("POST", &format!("/host/{call}"), "", &body);
        let why = told["message"].as_str().unwrap();
        let expected = format!(", expected {right}");
        assert!(
            status == 400 && why.starts_with(place) && why.contains(&expected),
            "{body}: {status} {told}"
        );
    }
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "nonsense"});
    let (_, told) = server.json("POST", "/mcp", "", &request);
    let error = json!({"code": -32601, "message": "there is no method `nonsense`"});
    assert_eq!(told["error"], error);
    for (method, params, named) in [
        (
            "tools/call",
            json!({"name": "get_status", "arguments": [1]}),
            ["params.arguments: ", "expected an object"],
        ),
        (
            "tools/call",
            json!({"name": 5}),
            ["params.name: ", "expected a string"],
        ),
        (
            "tools/call",
            json!({"nam": "get_status"}),
            ["params: ", "`name`"],
        ),
        ("tools/call", Value::Null, ["params: ", "`name`"]),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (_, told) = server.json("POST", "/mcp", "", &request);
        let why = told["error"]["message"].as_str().unwrap();
        assert!(
            told["error"]["code"] == -32602 && named.iter().all(|part| why.contains(part)),
            "{request}: {told}"
        );
    }
}

/// A tool that does not exist is named, with and without the id of a game; a new game would not help.
#[test]
fn a_misspelt_tool_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    let (_, opened) = server.call("", "new_episode", &json!({}));
    let id = opened["result"]["structuredContent"]["episode_id"].clone();
    for arguments in [
        json!({"quantity": 4}),
        json!({"quantity": 4, "episode_id": id}),
    ] {
        let (_, told) = server.call("", "place_ordr", &arguments);
        let text = told["result"]["content"][0]["text"].as_str().unwrap();
        for name in ["place_ordr", "place_order", "get_status", "new_episode"] {
            assert!(text.contains(name), "{text}");
        }
    }
    // What is missing in a call of a tool that exists, also for clients that send null for what they leave out.
    for arguments in [
        json!({"quantity": 4}),
        json!({"quantity": 4, "episode_id": null}),
    ] {
        let (_, told) = server.call("", "place_order", &arguments);
        let text = told["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("needs the argument `episode_id`"), "{text}");
    }
}

/// Where a game need not be named, null is as good as nothing.
#[test]
fn an_identifier_that_is_null_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = sessions(&dir.path().join("games"), "paper", "mcp", ServerMode::Eval);
    let server = Server::new(sessions);
    let server =
        Running::start(move |address, ready, stop| serve_http(&server, address, ready, stop));
    let order = json!({"quantity": 400, "episode_id": null, "turn": null});
    let (_, told) = server.call("", "place_order", &order);
    assert_eq!(told["result"]["structuredContent"]["turn"], 1, "{told}");
}

/// A client that plays all seats and did not get the answer sends its decision again, which does not decide for the
/// next seat.
#[test]
fn a_repeated_decision_does_not_decide_for_the_next_seat() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (_, list) = server.json("POST", "/mcp", "", &list);
    let seats = ["retailer", "wholesaler", "distributor", "brewery"];
    for tool in list["result"]["tools"].as_array().unwrap() {
        let properties = &tool["inputSchema"]["properties"];
        let (turn, seat) = (&properties["turn"], &properties["seat"]);
        assert_eq!(turn.is_object(), tool["name"] == "place_order", "{tool}");
        if turn.is_object() {
            assert!(turn["description"].as_str().unwrap().contains("give seat"));
            assert_eq!(seat["enum"], json!(seats));
        }
    }
    let (_, opened) = server.call("", "new_episode", &json!({}));
    let opened = &opened["result"]["structuredContent"];
    let send = |order: &Value| {
        let (_, told) = server.call("", "place_order", order);
        told["result"]["structuredContent"].clone()
    };
    let whole = &opened["episode_id"];
    let unnamed = json!({"episode_id": whole, "quantity": 4, "turn": 0});
    for (at, seat) in seats.iter().enumerate() {
        assert_eq!(send(&unnamed)["rejected"], "bad_arguments");
        let order = json!({"episode_id": whole, "quantity": 4, "turn": 0, "seat": seat});
        let told = send(&order);
        assert_eq!(told["seat"], seats[(at + 1) % 4], "{told}");
        assert_eq!(told["turn"], u64::from(at == 3), "{told}");
        assert_eq!(send(&order)["rejected"], "wrong_turn");
    }
    let next = json!({"episode_id": whole, "quantity": 4, "seat": "brewery"});
    assert_eq!(
        send(&next)["rejected"],
        "wrong_turn",
        "the retailer is next"
    );
    let wrong = json!({"episode_id": whole, "quantity": 4, "seat": 1});
    assert_eq!(send(&wrong)["rejected"], "bad_arguments");
    // The identifier of a seat names it already.
    for (seat, code) in [
        (json!("brewery"), json!("wrong_turn")),
        (json!("retailer"), Value::Null),
        (Value::Null, json!("sealed")),
    ] {
        let order = json!({"episode_id": opened["seats"]["retailer"], "quantity": 4, "turn": 1, "seat": seat});
        assert_eq!(send(&order)["rejected"], code, "{seat}");
    }
}

/// A judged game with several seats is not played by who knows no seat.
#[test]
fn a_client_without_the_id_of_a_seat_plays_none() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = sessions(
        &dir.path().join("games"),
        "classic",
        "mcp",
        ServerMode::Eval,
    );
    let bound = sessions.bound().unwrap().clone();
    let server = Server::new(sessions);
    let server =
        Running::start(move |address, ready, stop| serve_http(&server, address, ready, stop));
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (_, hello) = server.json("POST", "/mcp", "", &hello);
    let (_, list) = server.json("POST", "/mcp", "", &list);
    let mut answers = vec![hello.clone(), list.clone()];
    for (tool, arguments) in [
        ("get_status", json!({})),
        ("place_order", json!({"quantity": 4})),
        ("get_stock", json!({})),
        ("get_status", json!({"episode_id": "0"})),
    ] {
        let (_, told) = server.call("", tool, &arguments);
        assert_eq!(told["result"]["isError"], true, "{told}");
        answers.push(told);
    }
    let instructions = hello["result"]["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("Each seat has an episode_id"),
        "{instructions}"
    );
    for tool in list["result"]["tools"].as_array().unwrap() {
        let required = tool["inputSchema"]["required"].as_array();
        let needed = required.is_some_and(|names| names.contains(&json!("episode_id")));
        assert!(needed, "{tool}");
    }
    for (seat, id) in &bound.seats {
        let (_, told) = server.call("", "get_status", &json!({"episode_id": id}));
        assert_eq!(told["result"]["structuredContent"]["seat"], seat.name());
        answers.push(told);
    }
    assert!(
        answers
            .iter()
            .all(|told| !told.to_string().contains(&bound.id))
    );
    // Who is told it by the program may play all of them.
    let all = json!({"episode_id": bound.id});
    let (_, told) = server.call("", "get_status", &all);
    assert_eq!(told["result"]["structuredContent"]["seat"], "retailer");
}

/// Where there is a host, the score before the end is for it alone.
#[test]
fn a_score_is_for_the_host() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, TOKENS);
    let (_, opened) = server.call(RED, "new_episode", &json!({}));
    let mut answers = vec![opened["result"]["structuredContent"].clone()];
    let id = answers[0]["episode_id"].clone();
    for (tool, arguments) in [
        ("get_status", json!({"episode_id": id})),
        ("get_stock", json!({"episode_id": id})),
        ("place_order", json!({"episode_id": id, "quantity": 4})),
    ] {
        let (_, told) = server.call(RED, tool, &arguments);
        assert_eq!(told["result"]["isError"], false, "{told}");
        answers.push(told["result"]["structuredContent"].clone());
    }
    for answer in &answers {
        assert!(answer.get("score_so_far").is_none(), "{answer}");
    }
    let own = json!({"episode_id": id});
    let (_, told) = server.call(HOST, "get_status", &own);
    assert!(told["result"]["structuredContent"]["score_so_far"].is_number());
    let (_, told) = server.json("POST", "/host/status", HOST, &own);
    assert!(told["score_so_far"].is_number(), "{told}");
    // Without tokens nobody is told from another.
    drop(server);
    let server = start(&dir.path().join("others"), ServerMode::Play, "");
    let (_, opened) = server.call("", "new_episode", &json!({}));
    assert!(opened["result"]["structuredContent"]["score_so_far"].is_number());
}

/// Who learns the identifier of a game of another client cannot use it; neither can other clients use a game
/// that the host gave to one, or that one of them has used.
#[test]
fn games_belong_to_their_clients() {
    const BLUE: &str = "cccccccccccccccc";
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, TOKENS);
    let is_refused = |token: &str, id: &Value| {
        let all = [
            ("get_status", json!({"episode_id": id})),
            ("get_stock", json!({"episode_id": id})),
            ("place_order", json!({"episode_id": id, "quantity": 4})),
        ];
        let answers = all.map(|(tool, arguments)| server.call(token, tool, &arguments).1);
        let refused = answers
            .iter()
            .filter(|told| told["result"]["structuredContent"]["rejected"] == "no_such_episode");
        let count = refused.count();
        assert!(count == 0 || count == 3, "{answers:?}");
        count == 3
    };
    let (_, told) = server.call(RED, "new_episode", &json!({}));
    let own = &told["result"]["structuredContent"];
    for id in [&own["episode_id"], &own["seats"]["brewery"]] {
        assert!(is_refused(BLUE, id) && !is_refused(RED, id), "{own}");
    }
    let open = |body: Value| server.json("POST", "/host/open", HOST, &body);
    let (status, given) = open(json!({"clients": {"retailer": "red", "brewery": "blue"}}));
    assert_eq!(status, 200, "{given}");
    let seats = &given["seats"];
    assert!(is_refused(BLUE, &seats["retailer"]) && is_refused(RED, &seats["brewery"]));
    assert!(!is_refused(RED, &seats["retailer"]) && !is_refused(BLUE, &seats["brewery"]));
    // With it, one of them could play the seat of the other.
    assert!(is_refused(RED, &given["episode_id"]) && is_refused(BLUE, &given["episode_id"]));
    // Nobody was named for this one: the first who uses it keeps it.
    assert!(!is_refused(RED, &seats["wholesaler"]) && is_refused(BLUE, &seats["wholesaler"]));
    assert_eq!(open(json!({"client": "nobody"})).0, 400);
    assert_eq!(open(json!({"clients": {"cook": "red"}})).0, 400);
    let (_, all) = open(json!({"client": "blue"}));
    assert!(is_refused(RED, &all["episode_id"]) && is_refused(RED, &all["seats"]["retailer"]));
    assert!(!is_refused(BLUE, &all["episode_id"]));
}

/// Clients name the forms of bodies and answers in many ways.
#[test]
fn clients_may_say_json_as_they_like() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    for (accept, kind, expected) in [
        ("*/*", "application/json", 200),
        ("application/json", "application/json", 200),
        ("Application/JSON", "APPLICATION/Json; Charset=utf-8", 200),
        (
            "application/json, text/event-stream",
            "application/json",
            200,
        ),
        ("text/html", "application/json", 406),
        ("*/*", "text/plain", 415),
    ] {
        let headers = [("Accept", accept), ("Content-Type", kind)];
        let (status, _, body) = server.send("POST", "/mcp", &headers, &list);
        assert_eq!(status, expected, "{accept} {kind}: {body}");
        assert_eq!(
            serde_json::from_str::<Value>(&body).unwrap()["jsonrpc"],
            "2.0"
        );
    }
    let headers = [("Content-Type", "application/json")];
    assert_eq!(
        server.send("POST", "/mcp", &headers, &list).0,
        200,
        "no Accept"
    );
}

/// The MCP Inspector is a page of another port.
#[test]
fn pages_of_this_machine_may_use_the_server_and_others_not() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, TOKENS);
    let asks = |origin: &str| {
        let wanted = "authorization, content-type, mcp-protocol-version";
        let headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", wanted),
        ];
        server.send("OPTIONS", "/mcp", &headers, "")
    };
    let (status, head, _) = asks("http://localhost:6274");
    assert_eq!(status, 204, "{head}");
    for line in [
        "access-control-allow-origin: http://localhost:6274",
        "access-control-allow-headers: authorization, content-type, mcp-protocol-version",
        "access-control-allow-methods: get, post, options",
    ] {
        assert!(head.contains(line), "{head}");
    }
    let (status, head, body) = asks("http://evil.example");
    assert!(status == 403 && !head.contains("access-control"), "{head}");
    assert!(serde_json::from_str::<Value>(&body).is_ok(), "{body}");
    let headers = [("Origin", "http://localhost:6274")];
    let (status, head, _) = server.send("POST", "/mcp", &headers, "{}");
    assert!(
        status == 401 && head.contains("access-control-allow-origin"),
        "{head}"
    );
}

/// Every error over HTTP is JSON.
#[test]
fn errors_of_http_are_json() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    let long = "x".repeat((2 << 20) + 1);
    let wide = "x".repeat(20_000);
    for (method, path, headers, body, expected) in [
        ("GET", "/host/open", vec![], "", 405),
        (
            "GET",
            "/mcp",
            vec![("Accept", "text/event-stream")],
            "",
            405,
        ),
        ("GET", "/nowhere", vec![], "", 404),
        ("POST", "/mcp", vec![], long.as_str(), 413),
        ("POST", "/host/open", vec![], &long, 413),
        ("GET", "/mcp", vec![("X-Wide", wide.as_str())], "", 431),
    ] {
        let (status, _, text) = server.send(method, path, &headers, body);
        let told: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(
            (status, &told["jsonrpc"]),
            (expected, &json!("2.0")),
            "{path} {text}"
        );
    }
}

#[test]
fn nobody_waits_for_slow_bodies() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(&dir.path().join("games"), ServerMode::Play, "");
    let _held = server.slow_bodies("/mcp", "");
    let began = std::time::Instant::now();
    assert_eq!(server.call("", "new_episode", &json!({})).0, 200);
    let elapsed = began.elapsed();
    // The bodies are given up after 10 s.
    assert!(elapsed < std::time::Duration::from_secs(5), "{elapsed:?}");
}
