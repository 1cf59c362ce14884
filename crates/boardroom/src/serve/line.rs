//! One client on a pair of byte streams, one message a line.

mod read;

use read::{Lines, Read};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite, Empty, empty};

type Message = RxJsonRpcMessage<RoleServer>;
type Reply = TxJsonRpcMessage<RoleServer>;
type Sending = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// What some programs begin a text in UTF-8 with; it is no part of the message.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines of bounded length and answers those that are no message with an error, so that
/// nobody waits for an answer without knowing why there is none. What is no request is passed over
/// until the client has made one.
///
/// The protocol library drops lines that are too long or no JSON without a word, and ends a
/// connection that opens with a notification or an answer. Neither of these asks for anything, so a
/// client that sends one too early loses nothing when it is passed over.
pub(super) struct Line<R, W: AsyncWrite> {
    lines: Lines<R>,
    longest: usize,
    out: AsyncRwTransport<RoleServer, Empty, W>,
    /// An error on its way to the client: `receive` may be dropped while it is being written.
    sending: Option<Sending>,
    begun: bool,
}

impl<R, W> Line<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// A line that refuses messages longer than `longest` bytes.
    pub(super) fn new(read: R, write: W, longest: usize) -> Self {
        Self {
            lines: Lines::new(read, longest),
            longest,
            out: AsyncRwTransport::new_server(empty(), write),
            sending: None,
            begun: false,
        }
    }
}

impl<R, W> Transport<RoleServer> for Line<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: Reply,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.out.send(item)
    }

    async fn receive(&mut self) -> Option<Message> {
        loop {
            if let Some(sending) = &mut self.sending {
                let sent = sending.await;
                self.sending = None;
                sent.ok()?;
            }
            let read = match self.lines.next().await {
                Read::Line(line) => message(&line),
                Read::TooLong => Err(too_long(self.longest)),
                Read::End => return None,
            };
            match read {
                Ok(Some(message)) => {
                    self.begun |= matches!(message, Message::Request(_));
                    if self.begun {
                        return Some(message);
                    }
                }
                Ok(None) => {}
                Err(refusal) => self.sending = Some(Box::pin(self.out.send(*refusal))),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.out.close().await
    }
}

/// The message in a line; none where the line is blank or a notification of another protocol, which
/// is never answered. Else what the client is told.
fn message(line: &[u8]) -> Result<Option<Message>, Box<Reply>> {
    let text = line.strip_prefix(MARK).unwrap_or(line).trim_ascii();
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(text) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(text).map_err(|e| {
        let why = format!("the line is not JSON: {e}; a message is one line of JSON-RPC 2.0");
        Box::new(Reply::error(ErrorData::parse_error(why, None), None))
    })?;
    if value.get("method").is_some() && value.get("id").is_none() {
        return Ok(None);
    }
    let id = value.get("id").cloned();
    let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    let why = "the line is JSON, but no message of JSON-RPC 2.0";
    Err(Box::new(Reply::error(
        ErrorData::invalid_request(why, None),
        id,
    )))
}

fn too_long(longest: usize) -> Box<Reply> {
    let why = format!("a message may hold {longest} bytes; this line is longer and was not read");
    Box::new(Reply::error(ErrorData::invalid_request(why, None), None))
}
