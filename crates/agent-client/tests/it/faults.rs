//! Every fault of a server gives the error class that the documentation names.

use crate::server::{Act, Server, completion, completion_calls};
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::layer::retry::RetrySettings;
use agent_client::ledger::CostLedger;
use agent_client::wire::{ApiKind, Dialect};
use agent_client::{
    AgentBackend as _, AgentError, Arguments, ErrorClass, Finish, Message, ModelRole, Reply,
    Request, Slot,
};
use serde_json::json;
use std::time::{Duration, Instant};

pub fn settings(server: &Server) -> ClientSettings {
    let dialect = Dialect::new(ApiKind::OpenAi, "test-model");
    let mut settings = ClientSettings::new(dialect, server.base(), None);
    settings.retry = RetrySettings {
        attempts: 4,
        identical: 3,
        first_pause: 0.002,
        longest_pause: 0.05,
    };
    settings.transport.attempt_timeout = 0.5;
    settings.transport.connect_timeout = 0.5;
    settings
}

pub fn request() -> Request {
    let messages = vec![Message::system("Be brief."), Message::user("Hello?")];
    Request::new(ModelRole::Agent, Slot::new("test"), messages)
}

async fn ask(
    script: impl Fn(usize) -> Act + Send + Sync + 'static,
) -> (Result<Reply, AgentError>, usize) {
    let server = Server::start(move |n, _| script(n)).await;
    let client = Client::new(settings(&server), &Shared::default()).unwrap();
    let reply = tokio::time::timeout(Duration::from_secs(20), client.ask(request())).await;
    (reply.expect("an answer within 20 s"), server.hits())
}

/// The table in the documentation, if it is there, has this row.
fn documented(fault: &str, class: &str) {
    let row = format!("| {fault} | {class} |");
    if let Some(page) = crate::page() {
        assert!(page.contains(&row), "docs/agents.md lacks the row `{row}`");
    }
}

#[tokio::test]
async fn faults_that_stay_end_in_their_class() {
    use ErrorClass as C;
    let ok = || completion("fine").to_string();
    let cut = ok()[..60].to_owned();
    let cases: Vec<(&str, Act, C, usize)> = vec![
        ("429", Act::bytes(429, "{}"), C::RateLimited, 4),
        (
            "429 with `insufficient_quota`",
            Act::json(
                429,
                &json!({"error": {"message": "pay", "type": "insufficient_quota"}}),
            ),
            C::Quota,
            1,
        ),
        ("500", Act::bytes(500, "oops"), C::Server, 3),
        (
            "502",
            Act::bytes(502, "<html>bad gateway</html>"),
            C::Server,
            3,
        ),
        ("503, 529", Act::bytes(503, ""), C::Overloaded, 4),
        ("504, 408", Act::bytes(504, ""), C::Timeout, 3),
        (
            "nothing for longer than the attempt may take",
            Act::Stall,
            C::Timeout,
            3,
        ),
        (
            "a body that stops in the middle and stays open",
            Act::StallInBody,
            C::Timeout,
            3,
        ),
        (
            "a connection closed without an answer",
            Act::Hang,
            C::Reset,
            3,
        ),
        (
            "a connection closed in the middle of the body",
            Act::Reset,
            C::Reset,
            3,
        ),
        ("truncated JSON", Act::bytes(200, cut), C::Garbled, 3),
        ("200 with an empty body", Act::bytes(200, ""), C::Garbled, 3),
        (
            "200 without `choices` or `content`",
            Act::json(200, &json!({"choices": []})),
            C::Garbled,
            3,
        ),
        (
            "200 with an `error` inside",
            Act::json(200, &json!({"error": {"code": 502, "message": "upstream"}})),
            C::Server,
            3,
        ),
        (
            "a reply of 20 MB",
            Act::bytes(200, vec![b' '; 20_000_000]),
            C::Oversized,
            3,
        ),
        (
            "400, too long for the context",
            Act::json(
                400,
                &json!({"error": {"code": 400, "type": "exceed_context_size_error",
                        "message": "the request exceeds the available context size"}}),
            ),
            C::Overflow,
            1,
        ),
        (
            "400, content filter",
            Act::json(
                400,
                &json!({"error": {"code": "content_filter", "message": "no"}}),
            ),
            C::Filtered,
            1,
        ),
        (
            "400, integer `error.code`",
            Act::json(400, &json!({"error": {"code": 400, "message": "bad"}})),
            C::BadRequest,
            1,
        ),
        (
            "400 that says that there is no such model",
            Act::json(
                400,
                &json!({"error": {"code": "1211", "message": "Model does not exist."}}),
            ),
            C::NotFound,
            1,
        ),
        (
            "429 with a `Retry-After` of more than an hour",
            Act::bytes(429, "{}").with("retry-after", "7200"),
            C::Quota,
            1,
        ),
        ("401, 403", Act::bytes(401, "{}"), C::Auth, 1),
        ("404", Act::bytes(404, "{}"), C::NotFound, 1),
        (
            "the same, if no request was ever answered",
            Act::bytes(404, "<html>404 Not Found</html>"),
            C::NotFound,
            3,
        ),
        (
            "200 with a page, if no request was ever answered",
            Act::bytes(200, "<html>Sign in</html>"),
            C::NotFound,
            3,
        ),
        (
            "a redirect",
            Act::bytes(302, "").with("location", "http://127.0.0.1:9/"),
            C::NotFound,
            1,
        ),
    ];
    for (fault, act, class, hits) in cases {
        let (reply, seen) = ask(move |_| act.clone()).await;
        let error = reply.expect_err(fault);
        assert_eq!(
            (error.class, error.attempts as usize),
            (class, hits),
            "{fault}: {error}"
        );
        // Where a limit on the reply may help, the second attempt and the third try it too.
        let tried = match class {
            C::Server | C::Reset => 2,
            _ => 0,
        };
        assert_eq!(seen, hits + tried, "{fault}");
        assert!(!error.to_string().contains('\n'), "{fault}: {error}");
        documented(fault, &format!("`{class}`"));
    }
}

/// Settings that a server refuses fail every request; one request that is refused may be the fault of its text.
#[tokio::test]
async fn what_every_request_is_refused_for_stops_the_run() {
    let act = |words: &str| Act::json(400, &json!({"error": {"message": words}}));
    let server = Server::start(move |_, _| act("'seed' is not supported with this model")).await;
    let mut with_seed = settings(&server);
    with_seed.dialect.extra.insert("seed".to_owned(), json!(3));
    let client = Client::new(with_seed, &Shared::default()).unwrap();
    let error = client.ask(request()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Setup, "{error}");
    documented(
        "400 that names a field of the settings, before any answer",
        "`setup`",
    );

    let server = Server::start(move |n, _| act(if n == 2 { "other words" } else { "no" })).await;
    let client = Client::new(settings(&server), &Shared::default()).unwrap();
    let mut classes = Vec::new();
    for _ in 0..8 {
        classes.push(client.ask(request()).await.unwrap_err().class);
    }
    let expected = [[ErrorClass::BadRequest; 7].as_slice(), &[ErrorClass::Setup]].concat();
    assert_eq!(classes, expected);
    documented(
        "400, five times in the same words before any answer",
        "`setup`",
    );
}

#[tokio::test]
async fn nobody_listening_is_connect() {
    let server = Server::start(|_, _| Act::Hang).await;
    let mut settings = settings(&server);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    settings.base = format!("http://me:password@{address}/v1?password=1");
    drop(free);
    let client = Client::new(settings, &Shared::default()).unwrap();
    let error = client.ask(request()).await.unwrap_err();
    assert_eq!(
        (error.class, error.attempts),
        (ErrorClass::Connect, 3),
        "{error}"
    );
    // Neither the password nor the query is shown.
    let expected = format!(
        "connect: no server answers at http://{address}/v1 (Connection refused); check OPENAI_BASE_URL (after 3 \
         attempts)"
    );
    assert_eq!(error.to_string(), expected);
    documented("no server listens at the address", "`connect`");
}

/// The address may be the wrong one.
#[tokio::test]
async fn failures_name_the_server_in_plain_words() {
    let page =
        "<!DOCTYPE html><html><body>You are at the wrong port of this machine.</body></html>";
    let cases = [
        (
            Act::bytes(200, page),
            "not_found: the answer is not JSON but begins with `<!DOCTYPE html><html><body>You are at the wrong port \
             of this …`; a proxy or a login may have answered in place of the server; the address is \
             BASE/chat/completions; the model is openai:test-model (after 3 attempts)",
        ),
        (
            Act::Stall,
            "timeout: the whole answer of the server at BASE did not come in time (an attempt may take 0.5 seconds) \
             (after 3 attempts)",
        ),
        (
            Act::Hang,
            "reset: the connection to the server at BASE broke before the answer was complete (",
        ),
    ];
    for (act, expected) in cases {
        let server = Server::start(move |_, _| act.clone()).await;
        let client = Client::new(settings(&server), &Shared::default()).unwrap();
        let error = client.ask(request()).await.unwrap_err().to_string();
        let expected = expected.replace("BASE", &server.base());
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn odd_replies_are_replies() {
    let odd = |change: fn(&mut serde_json::Value)| {
        let mut body = completion("fine");
        change(&mut body);
        Act::json(200, &body)
    };
    let cases: Vec<(&str, Act, Finish)> = vec![
        (
            "unknown `finish_reason`",
            odd(|b| b["choices"][0]["finish_reason"] = json!("eos")),
            Finish::Other("eos".to_owned()),
        ),
        (
            "no `finish_reason`, no `index`",
            odd(|b| b["choices"][0] = json!({"message": {"content": "fine"}})),
            Finish::Stop,
        ),
        (
            "content as a list of parts",
            odd(|b| {
                b["choices"][0]["message"]["content"] =
                    json!([{"type": "text", "text": "fi"}, {"type": "x"}, "ne"])
            }),
            Finish::Stop,
        ),
        (
            "the older `text` in place of `message`",
            odd(|b| b["choices"][0] = json!({"text": "fine", "finish_reason": "stop"})),
            Finish::Stop,
        ),
        (
            "invalid UTF-8, a byte-order mark, half a character, `NaN`",
            Act::bytes(
                200,
                [
                    b"\xef\xbb\xbf{\"id\": \"\xff \\ud83d\", \"n\": NaN, \"choices\": ".as_slice(),
                    br#"[{"message": {"content": "fine"}, "finish_reason": "stop"}]}"#,
                ]
                .concat(),
            ),
            Finish::Stop,
        ),
        (
            "unknown fields everywhere",
            odd(|b| {
                b["extra"] = json!({"a": 1});
                b["choices"][0]["message"]["more"] = json!([1]);
            }),
            Finish::Stop,
        ),
    ];
    for (fault, act, finish) in cases {
        let (reply, hits) = ask(move |_| act.clone()).await;
        let reply = reply.expect(fault);
        assert_eq!((reply.said.text.as_str(), hits), ("fine", 1), "{fault}");
        assert_eq!(reply.finish, finish, "{fault}");
        documented(fault, "a reply");
    }
    let (reply, _) = ask(|_| {
        let mut body = completion("fine");
        body.as_object_mut().unwrap().remove("usage");
        Act::json(200, &body)
    })
    .await;
    let usage = reply.unwrap().usage;
    assert!(
        usage.estimated && usage.input > 10 && usage.output == 1,
        "{usage:?}"
    );
    documented("missing `usage`", "a reply with estimated tokens");
}

#[tokio::test]
async fn odd_calls_are_calls() {
    let (reply, _) = ask(|_| {
        Act::json(
            200,
            &completion_calls(&[("order", "{\"papers\": 4"), ("order", "{\"papers\": 5}")]),
        )
    })
    .await;
    let calls = reply.unwrap().said.calls;
    assert_eq!(calls.len(), 2);
    assert!(matches!(calls[0].arguments, Arguments::Broken { .. }));
    assert_eq!(calls[1].arguments.value(), json!({"papers": 5}));
    documented(
        "a tool call with broken arguments",
        "a reply; the agent is told",
    );
    documented("several tool calls in one reply", "a reply");
    let (reply, _) = ask(|_| {
        let mut body = completion_calls(&[("a", ""), ("b", "{}"), ("c", "{}")]);
        let calls = &mut body["choices"][0]["message"]["tool_calls"];
        calls[0]["id"] = json!("");
        calls[1]["id"] = json!("same");
        calls[2]["id"] = json!("same");
        calls[2]["function"]["arguments"] = json!({"papers": 6});
        calls[2]["extra_content"] = json!({"signature": "s"});
        calls.as_array_mut().unwrap().push(json!({"function": {}}));
        Act::json(200, &body)
    })
    .await;
    let calls = reply.unwrap().said.calls;
    let ids: std::collections::BTreeSet<&str> = calls.iter().map(|c| c.id.as_str()).collect();
    assert_eq!((calls.len(), ids.len()), (3, 3), "{calls:?}");
    assert_eq!(calls[2].arguments.value(), json!({"papers": 6}));
    assert_eq!(calls[2].extra["extra_content"], json!({"signature": "s"}));
    documented(
        "tool calls without id, with one id twice, or with arguments as an object",
        "a reply",
    );
}

#[tokio::test]
async fn faults_that_pass_are_survived() {
    let (reply, hits) = ask(|n| match n {
        0 => Act::bytes(500, "one"),
        1 => Act::Reset,
        2 => Act::bytes(429, "{}").with("retry-after-ms", "5"),
        _ => Act::json(200, &completion("there")),
    })
    .await;
    let reply = reply.unwrap();
    assert_eq!(
        (reply.said.text.as_str(), reply.attempts, hits),
        // After two failures a limit on the reply is tried at once; that is not an attempt of its own.
        ("there", 3, 4)
    );
}

/// Only the lower bound is checked: the client must not come back earlier than asked.
#[tokio::test]
async fn retry_after_is_kept_in_both_forms_and_bounded() {
    let cases: Vec<(Act, u64)> = vec![
        (Act::bytes(429, "{}").with("retry-after", "0.3"), 300),
        (Act::bytes(503, "").with("retry-after-ms", "300"), 300),
        (
            Act::bytes(429, "{}")
                .with("retry-after", "Sun, 06 Nov 1994 08:49:41 GMT")
                .with("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            // Four seconds, bounded below.
            400,
        ),
        (Act::bytes(429, "{}").with("retry-after", "3600"), 400),
    ];
    for (act, least) in cases {
        let shown = format!("{act:?}");
        let server = Server::start(move |n, _| match n {
            0 => act.clone(),
            _ => Act::json(200, &completion("late")),
        })
        .await;
        let mut settings = settings(&server);
        settings.retry.longest_pause = 0.4;
        let client = Client::new(settings, &Shared::default()).unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "how long the client waits is the point"
        )]
        let start = Instant::now();
        let reply = tokio::time::timeout(Duration::from_secs(30), client.ask(request())).await;
        assert_eq!(reply.unwrap().unwrap().said.text, "late");
        let waited = start.elapsed().as_millis() as u64;
        assert!(waited >= least, "{shown}: came back after {waited} ms");
    }
    documented(
        "429 or 503 with `Retry-After` (seconds, date, `retry-after-ms`)",
        "waits as asked, at most the longest pause",
    );
}

#[tokio::test]
async fn repetitions_are_counted_and_slow_the_pace() {
    let server = Server::start(|n, _| match n {
        0 => Act::bytes(429, "{}"),
        _ => Act::json(200, &completion("ok")),
    })
    .await;
    let ledger = CostLedger::new(None);
    let shared = Shared {
        ledger: Some(std::sync::Arc::clone(&ledger)),
        ..Shared::default()
    };
    let client = Client::new(settings(&server), &shared).unwrap();
    client.ask(request()).await.unwrap();
    assert_eq!(ledger.spending().retries, 1);
    assert_eq!(client.allowed(), Some(16));
}

/// It is unknown which of the two is meant, and another program may read the other one.
#[test]
fn arguments_that_name_a_key_twice_are_not_taken() {
    let twice = "{\"papers\": 4, \"papers\": 400}";
    assert!(matches!(Arguments::read(twice), Arguments::Broken { .. }));
    let nested = "{\"order\": {\"papers\": 4, \"papers\": 400}}";
    assert!(matches!(Arguments::read(nested), Arguments::Broken { .. }));
    let call = format!("I call {{\"tool\": \"order\", \"arguments\": {twice}}} now");
    for text in [twice, &call] {
        agent_client::json_text::find(text).unwrap_err();
    }
}
