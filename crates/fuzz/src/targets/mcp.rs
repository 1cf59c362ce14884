//! Messages to the MCP server, line by line.

use crate::limits::{processor_time, takes_more};
use crate::target::{Opened, Target, Verdict, committed, longest};
use crate::watch::Watch;
use anyhow::{Context as _, Result};
use boardroom::Registry;
use boardroom_serve::sessions::{SessionLimits, SessionManager};
use boardroom_serve::transport::serve_streams;
use boardroom_serve::{Server, ServerMode};
use run_engine::plan::{Plan, RunRequest};
use serde_json::json;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;

/// Messages.
pub const MCP: Target = Target {
    name: "mcp",
    about: "MCP messages on a stream: framing, protocol and the tools of a game",
    weight: 3,
    longest: longest::TEXT,
    open: messages,
};

/// Maximum length of the server's output that is checked \[bytes\].
const MOST_WRITTEN: usize = 16 << 20;

/// Maximum processor time that a server may take after its client hung up, for each megabyte that the client
/// sent; it may wait for [`BUSY`](crate::limits::BUSY) times as long.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(8);

/// The beginning of the server's output, shared with the test.
#[derive(Debug, Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl AsyncWrite for Written {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() + bytes.len() <= MOST_WRITTEN {
            all.extend_from_slice(bytes);
        } else {
            // The rest of the output is dropped: it would begin inside a line.
            all.resize(MOST_WRITTEN, b' ');
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn hall(environment: &str) -> Result<SessionManager> {
    let wanted = RunRequest {
        environment: environment.to_owned(),
        agent: "mcp".to_owned(),
        episodes: Some(1),
        ..RunRequest::default()
    };
    let plan = Plan::new(&Registry::new(), wanted)?;
    // The one game needs no name there, so that an input can be played again.
    let hall = SessionManager::new(
        Registry::new().into(),
        plan,
        ServerMode::Eval,
        SessionLimits::default(),
        None,
    )?;
    Ok(hall)
}

/// A conversation that decides once.
fn conversation(tool: &str, arguments: &serde_json::Value) -> Vec<u8> {
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "client", "version": "1"},
        }}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": {"name": "get_status", "arguments": {}}}),
        json!({"jsonrpc": "2.0", "id": "4", "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "ping"}),
    ];
    let mut text = String::new();
    for message in messages {
        text.push_str(&message.to_string());
        text.push('\n');
    }
    text.into_bytes()
}

fn messages() -> Result<Opened> {
    let mut seeds = committed(MCP.name)?;
    seeds.push(conversation(
        "place_order",
        &json!({"quantity": 4, "turn": 0}),
    ));
    seeds.push(conversation("place_order", &json!({"quantity": "4"})));
    seeds.push(conversation("new_episode", &json!({"episode": 0})));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime")?;
    // Once here, so that a server that cannot be made is an error at the start and not a failure of
    // each input.
    hall("beer-game")?;
    Ok(Opened::new(seeds, move |input| {
        let Ok(hall) = hall("beer-game") else {
            return Verdict::Broken("the server did not open".to_owned());
        };
        let server = Server::new(Arc::new(hall));
        let written = Written::default();
        let read = io::Cursor::new(input.to_vec());
        let megabytes = u32::try_from(input.len() >> 20).unwrap_or(u32::MAX);
        let patience = PATIENCE.saturating_mul(megabytes.saturating_add(1));
        let ends = runtime.block_on(async {
            let (watch, own) = (Watch::start(), std::process::id());
            let before = processor_time(own).unwrap_or(0.0);
            let mut serving = std::pin::pin!(serve_streams(&server, read, written.clone()));
            while tokio::time::timeout(patience, &mut serving).await.is_err() {
                if takes_more(watch, before, own, patience.as_secs_f64()) {
                    return false;
                }
            }
            true
        });
        if !ends {
            return Verdict::Broken("the server goes on after its client hung up".to_owned());
        }
        let written = written.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&written);
        // The last line may be cut off at the limit, and is then not a message.
        let is_whole = text.ends_with('\n');
        let lines = text.lines().count();
        for line in text
            .lines()
            .take(lines - usize::from(!is_whole && lines > 0))
        {
            if serde_json::from_str::<serde_json::Value>(line).is_err() {
                return Verdict::Broken(format!(
                    "the server wrote a line that is not JSON: {line}"
                ));
            }
        }
        if text.contains("\"result\"") {
            Verdict::Played
        } else {
            Verdict::Refused
        }
    }))
}
