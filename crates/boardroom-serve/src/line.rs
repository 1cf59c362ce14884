//! One client on a pair of byte streams, with one message per line.

mod read;

use super::message::{self, Message, Reply};
use read::{Lines, Read};
use rmcp::RoleServer;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::future::Future;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite, Empty, empty};

type Sending = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// Reads lines of bounded length. Lines that are not messages are answered with an error, so that
/// no client waits without an explanation. Messages that are not requests are ignored until the
/// client has made one.
///
/// The protocol library silently drops lines that are too long or not JSON, and ends a connection
/// whose first message is a notification or an answer. Such a message expects no answer, so a
/// client that sends one too early loses nothing when it is ignored.
pub(super) struct LineFramer<R, W: AsyncWrite> {
    lines: Lines<R>,
    out: AsyncRwTransport<RoleServer, Empty, W>,
    /// An error that is being written to the client: the future of `receive` may be dropped in
    /// between.
    sending: Option<Sending>,
    begun: bool,
}

impl<R, W> LineFramer<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// A client whose messages come from `read` and whose answers go to `write`.
    pub(super) fn new(read: R, write: W) -> Self {
        Self {
            lines: Lines::new(read, message::LONGEST),
            out: AsyncRwTransport::new_server(empty(), write),
            sending: None,
            begun: false,
        }
    }
}

impl<R, W> Transport<RoleServer> for LineFramer<R, W>
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
            // The library starts a task for each request. Without this pause, a client that sends faster than it is
            // answered would keep the one loop that also takes the answers busy, and the tasks would fill the memory.
            tokio::task::coop::consume_budget().await;
            if let Some(sending) = &mut self.sending {
                let sent = sending.await;
                self.sending = None;
                sent.ok()?;
            }
            let read = match self.lines.next().await {
                Read::Line(line) if message::trimmed(&line).is_empty() => Ok(None),
                Read::Line(line) => message::read(&line),
                Read::TooLong => Err(message::too_long()),
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
