//! Servers in this process, and a small client.

use beer_game::Spec;
use boardroom_serve::ServerMode;
use boardroom_serve::sessions::{SessionLimits, SessionManager, SessionOptions};
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use run_engine::verify::verify;
use run_engine::{Registry, RunError};
use serde_json::{Value, json};
use std::future::Future;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

pub fn registry() -> Registry {
    Registry::new().with_boxed(Spec.boxed())
}

/// Sessions of the Beer Game that are stored in `dir`, new or continued.
pub fn sessions(dir: &Path, preset: &str, agent: &str, mode: ServerMode) -> Arc<SessionManager> {
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        preset: Some(preset.to_owned()),
        agent: agent.to_owned(),
        episodes: Some(1_000),
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry(), request).unwrap();
    let folder = if dir.join("manifest.json").exists() {
        Folder::open(dir).unwrap()
    } else {
        Folder::create(dir, plan.clone()).unwrap()
    };
    let options = SessionOptions {
        follows: agent == "classroom",
        ..SessionOptions::new(mode, SessionLimits::default())
    };
    Arc::new(SessionManager::with(registry(), plan, options, Some(folder)).unwrap())
}

pub fn verifies(dir: &Path) {
    let found = verify(&registry(), dir).unwrap();
    assert!(found.is_sound(), "{found:?}");
}

pub type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;
type Ready = Box<dyn FnOnce(SocketAddr) + Send>;

/// A server on a thread of its own; dropping it ends it.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), RunError>>>,
}

impl Running {
    pub fn start(
        serve: impl FnOnce(SocketAddr, Ready, Stop) -> Result<(), RunError> + Send + 'static,
    ) -> Self {
        let (tell, told) = channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let ready: Ready = Box::new(move |address| tell.send(address).unwrap());
            let stop: Stop = Box::pin(async move {
                let _ = stopped.await;
            });
            serve("127.0.0.1:0".parse().unwrap(), ready, stop)
        });
        Self {
            address: told.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Sends a request; returns status, head and body.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, String) {
        let mut stream = self.open(method, path, headers, body);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), body.to_owned())
    }

    fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        // A server that refuses a long body answers and closes before it has read it.
        let _ = stream.write_all(format!("{request}\r\n{body}").as_bytes());
        BufReader::new(stream)
    }

    /// A JSON request with a token.
    pub fn json(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let (status, _, text) = self.send(method, path, &headers, &body);
        let value = serde_json::from_str(&text);
        (
            status,
            value.unwrap_or_else(|e| panic!("{path} {status} {e}: {text}")),
        )
    }

    pub fn call(&self, token: &str, tool: &str, arguments: &Value) -> (u16, Value) {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        self.json("POST", "/mcp", token, &request)
    }

    /// Requests whose bodies do not arrive.
    pub fn slow_bodies(&self, path: &str, token: &str) -> Vec<TcpStream> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
            self.address
        );
        let open = (0..80).map(|_| {
            let mut stream = TcpStream::connect(self.address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        });
        let open = open.collect();
        // Until they are read.
        std::thread::sleep(Duration::from_millis(100));
        open
    }

    /// Server-sent events.
    pub fn events(&self, path: &str, token: &str) -> Events {
        let bearer = format!("Bearer {token}");
        let stream = self.open("GET", path, &[("Authorization", &bearer)], "");
        Events { stream }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        let served = self.thread.take().unwrap().join().unwrap();
        if !std::thread::panicking() {
            served.unwrap();
        }
    }
}

pub struct Events {
    stream: BufReader<TcpStream>,
}

impl Events {
    /// Reads the head of the response: the server has taken the stream on.
    pub fn begins(&mut self) {
        let mut line = String::new();
        while self.stream.read_line(&mut line).unwrap() > 0 && !line.trim().is_empty() {
            line.clear();
        }
    }

    /// Reads to the end; whether the server ended it.
    pub fn ends(&mut self) -> bool {
        self.stream.read_to_end(&mut Vec::new()).is_ok()
    }

    /// The data of the next event that `fits`.
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.stream.read_line(&mut line).unwrap() > 0,
                "the stream ended"
            );
            let data = line.strip_prefix("data: ");
            let Some(data) = data.and_then(|data| serde_json::from_str(data).ok()) else {
                continue;
            };
            if fits(&data) {
                return data;
            }
        }
    }
}
