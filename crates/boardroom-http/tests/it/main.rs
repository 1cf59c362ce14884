//! A server with short time limits and few connections, flooded by clients of this process.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use boardroom_http::{
    Limits, Peer, ServerOptions, bind, json_response, plain_error, receive, serve,
};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// Longest time that an honest request may take. Connections that do nothing are closed after 10 s, so whoever is kept out by
/// them waits that long; a busy machine alone does not take half of it.
const PROMPT: Duration = Duration::from_secs(5);

struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

async fn length(request: Request) -> Response {
    if request.headers().contains_key("x-token") {
        request
            .extensions()
            .get::<Peer>()
            .unwrap()
            .set_client("one");
    }
    match receive(request).await {
        Ok(request) => {
            let body = axum::body::to_bytes(request.into_body(), 1 << 22)
                .await
                .unwrap();
            json_response(StatusCode::OK, &json!({"length": body.len()}))
        }
        Err(fault) => json_response(fault.status, &plain_error(fault.status, &fault.why)),
    }
}

async fn events() -> Response {
    let silent = futures_util::stream::pending::<Result<Bytes, std::convert::Infallible>>();
    let mut response = Response::new(Body::from_stream(silent));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert("content-type", kind);
    response
}

/// 32 MiB: more than the system takes on for a client that does not read.
async fn large() -> Body {
    let part = Ok::<_, std::convert::Infallible>(Bytes::from_static(&[b'x'; 1 << 16]));
    Body::from_stream(futures_util::stream::iter(vec![part; 1 << 9]))
}

fn limits() -> Limits {
    Limits {
        connections: 100,
        streams: 20,
        ..Limits::default()
    }
}

impl Running {
    fn start(limits: Limits) -> Self {
        let (begin, begun) = channel();
        begin.send(()).unwrap();
        Self::start_after(limits, begun, &mut Builder::new_multi_thread())
    }

    /// Binds an address, and accepts connections after a message of `begun`.
    fn start_after(limits: Limits, begun: Receiver<()>, runtime: &mut Builder) -> Self {
        let (tell, told) = channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = runtime.enable_all().build().unwrap();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async move {
                let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                begun.recv().unwrap();
                let router = Router::new()
                    .route("/length", post(length))
                    .route("/events", get(events))
                    .route("/large", get(large));
                let options = ServerOptions {
                    limits,
                    error_text: plain_error,
                };
                let stop = async {
                    let _ = stopped.await;
                };
                let serving = serve(listener, router, options, stop);
                if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
                    // A task takes its turn with those of the connections.
                    tokio::spawn(serving).await.unwrap();
                } else {
                    serving.await;
                }
            });
        });
        Self {
            address: told.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn open(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        // It may have given way already.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    fn post(&self, body: &str) -> (u16, Value) {
        let length = body.len();
        answer(self.open(&format!(
            "POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )))
    }

    /// An honest request is answered, and soon.
    fn is_prompt(&self, what: &str) {
        let began = Instant::now();
        let body = "x".repeat(100_000);
        assert_eq!(
            self.post(&body),
            (200, json!({"length": 100_000})),
            "{what}"
        );
        assert!(began.elapsed() < PROMPT, "{what}: {:?}", began.elapsed());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Status and JSON of an answer.
fn answer(mut stream: TcpStream) -> (u16, Value) {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        panic!("no answer: {text}");
    };
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}

#[test]
fn nobody_is_kept_out_by_connections_that_do_nothing() {
    let server = Running::start(limits());
    let slow_body = "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx";
    for (what, text) in [
        ("idle", ""),
        ("slow heads", "POST /length HTTP/1.1\r\nHost"),
        ("slow bodies", slow_body),
        ("streams", "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"),
        (
            "answers that nobody reads",
            "GET /large HTTP/1.1\r\nHost: x\r\n\r\n",
        ),
    ] {
        let mut open = Vec::new();
        for number in 0..300 {
            open.push(server.open(text));
            if number % 50 == 0 {
                server.is_prompt(what);
            }
        }
        server.is_prompt(what);
    }
}

/// All of them wait to be accepted, and many come after the honest ones: a request that is there is read before its
/// connection may give way. One thread does everything, and has few places: with more connections that are being
/// closed at a time (`CLOSING`), it would accept more of the burst than it has places before it answers, and requests
/// would be lost.
#[test]
fn requests_in_the_middle_of_a_burst_are_answered() {
    let (begin, begun) = channel();
    let mut busy = Builder::new_current_thread();
    // Fewer than the 64 connections after which the runtime interrupts the task that accepts them.
    let few = Limits {
        connections: 20,
        ..limits()
    };
    let server = Running::start_after(few, begun, busy.event_interval(1 << 20));
    let slow_body = "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx";
    let honest =
        "POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
    let (mut open, mut waiting) = (Vec::new(), Vec::new());
    for text in ["", "POST /length HTTP/1.1\r\nHost", slow_body] {
        open.extend((0..120).map(|_| server.open(text)));
        waiting.extend((0..5).map(|_| server.open(honest)));
    }
    open.extend((0..400).map(|number| server.open(["", slow_body][number % 2])));
    begin.send(()).unwrap();
    for one in waiting {
        assert_eq!(answer(one), (200, json!({"length": 3})));
    }
    server.is_prompt("after the burst");
}

#[test]
fn long_bodies_that_do_not_arrive_give_way_to_others() {
    let server = Running::start(Limits {
        connections: 300,
        body: Duration::from_secs(3),
        ..limits()
    });
    let begun = format!(
        "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n{}",
        "x".repeat(150_000)
    );
    let open: Vec<TcpStream> = (0..70).map(|_| server.open(&begun)).collect();
    server.is_prompt("long bodies");
    let statuses: Vec<u16> = open.into_iter().map(|one| answer(one).0).collect();
    let gave_way = statuses.iter().filter(|status| **status == 503).count();
    assert!((6..=7).contains(&gave_way), "64 have a place: {statuses:?}");
    assert_eq!(
        statuses.iter().filter(|status| **status == 408).count(),
        70 - gave_way
    );
}

#[test]
fn what_takes_too_long_is_answered_in_json_and_closed() {
    let short = Duration::from_millis(200);
    let server = Running::start(Limits {
        head: short,
        body: short,
        idle: short,
        write: short,
        ..limits()
    });
    let (status, told) = answer(server.open("GET /length HTTP/1.1\r\nHo"));
    assert_eq!(
        (status, &told["rejected"]),
        (408, &json!("request_timeout"))
    );
    let slow = "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx";
    let (status, told) = answer(server.open(slow));
    assert_eq!(
        (status, &told["rejected"]),
        (408, &json!("request_timeout"))
    );
    let mut silent = server.open("");
    assert_eq!(
        silent.read(&mut [0]).unwrap_or(0),
        0,
        "closed without a word"
    );
    // It is idle after its answer.
    let mut idle = server.open("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut text = String::new();
    idle.read_to_string(&mut text).unwrap();
    assert!(
        text.starts_with("HTTP/1.1 404 ") && text.contains("\"not_found\""),
        "{text}"
    );
    // A client that reads nothing is disconnected before it has got everything.
    let mut deaf = server.open("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    std::thread::sleep(short * 10);
    let mut bytes = Vec::new();
    let _ = deaf.read_to_end(&mut bytes);
    assert!(bytes.len() < 1 << 25, "{}", bytes.len());
}

#[test]
fn every_error_is_json() {
    let server = Running::start(limits());
    let header = |length: usize| format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(length));
    let path = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70_000));
    for (request, expected) in [
        (
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            404,
        ),
        (
            "DELETE /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            405,
        ),
        (
            "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n",
            413,
        ),
        ("this is not a request\r\n\r\n", 400),
        (&header(20_000), 431),
        (&path, 431),
    ] {
        let (status, told) = answer(server.open(request));
        let shown: String = request.chars().take(40).collect();
        // A head that fills the buffer is too large, whatever it is.
        assert!(
            status == expected || (expected == 431 && status == 414),
            "{shown}: {status}"
        );
        assert!(told["message"].is_string(), "{shown}: {told}");
    }
}
