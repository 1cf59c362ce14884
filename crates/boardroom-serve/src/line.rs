//! One client on a pair of byte streams, with one message per line.

use super::message::{self, Message, Reply};
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, RequestId};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::future::Future;
use std::pin::Pin;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty, empty};

/// Most requests of a client that may be without an answer at a time. The next ones are read later.
const MOST_OPEN: usize = 64;

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
    /// The requests without an answer.
    open: Vec<RequestId>,
    /// A request whose id is one of an open request: the library answers only one of two.
    held: Option<Message>,
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
            open: Vec::new(),
            held: None,
        }
    }
}

impl<R, W: AsyncWrite> LineFramer<R, W> {
    /// Whether a message is a request with the id of an open one.
    fn waits(&self, message: &Message) -> bool {
        matches!(message, Message::Request(request) if self.open.contains(&request.id))
    }

    /// Notes that a request is open, or that one is cancelled and gets no answer.
    fn opened(&mut self, message: Message) -> Message {
        match &message {
            Message::Request(request) => self.open.push(request.id.clone()),
            Message::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification {
                    let id = cancelled.params.request_id.as_ref();
                    self.open.retain(|open| Some(open) != id);
                }
            }
            _ => {}
        }
        message
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
        let answered = match &item {
            Reply::Response(response) => Some(&response.id),
            Reply::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            // Before the answer is sent: a client may use its id again as soon as it has read it.
            self.open.retain(|open| open != id);
        }
        self.out.send(item)
    }

    async fn receive(&mut self) -> Option<Message> {
        loop {
            // A pause now and then: a client that sends without waiting would keep the one loop
            // busy that also takes the answers.
            tokio::task::coop::consume_budget().await;
            // The library starts a task for each request, and takes answers only when nothing is
            // received: without a limit, a client that does not wait for answers would fill the
            // memory with tasks.
            if self.open.len() >= MOST_OPEN
                || self.held.as_ref().is_some_and(|held| self.waits(held))
            {
                // The library asks again after each answer.
                std::future::pending::<()>().await;
            }
            if let Some(held) = self.held.take() {
                return Some(self.opened(held));
            }
            // Finished here if the last call of this future was dropped in the middle of it: half
            // an error on the line would spoil the answer behind it.
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
                    // Kept back and not refused: the client may take back its first request, or the
                    // answer is on its way.
                    if self.begun && self.waits(&message) {
                        self.held = Some(message);
                    } else if self.begun {
                        return Some(self.opened(message));
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

/// Splits a stream into lines of bounded length.
#[derive(Debug)]
struct Lines<R> {
    read: BufReader<R>,
    longest: usize,
    /// The part of the current line that was read so far.
    line: Vec<u8>,
    /// Whether the current line is already too long; the rest of it is dropped.
    too_long: bool,
}

/// The next item of the stream.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line longer than the limit.
    TooLong,
    /// The stream has ended or cannot be read.
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of `read`, of at most `longest` bytes each.
    fn new(read: R, longest: usize) -> Self {
        Self {
            read: BufReader::new(read),
            longest,
            line: Vec::new(),
            too_long: false,
        }
    }

    /// The next line. Dropping the future loses nothing, because the bytes read so far stay in
    /// `self`. A last line without a line end is a truncated message and is not returned.
    async fn next(&mut self) -> Read {
        loop {
            let ahead = match self.read.fill_buf().await {
                Ok(ahead) if !ahead.is_empty() => ahead,
                _ if std::mem::take(&mut self.too_long) => return Read::TooLong,
                _ => return Read::End,
            };
            let end = ahead.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(ahead.len());
            self.too_long |= self.line.len() + length > self.longest;
            if self.too_long {
                // A new one and not a cleared one: the room of a line of megabytes is given back.
                self.line = Vec::new();
            } else {
                self.line.extend(ahead.iter().take(length));
            }
            self.read.consume(length + usize::from(end.is_some()));
            if end.is_some() {
                return if std::mem::take(&mut self.too_long) {
                    Read::TooLong
                } else {
                    Read::Line(std::mem::take(&mut self.line))
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_whole_or_said_to_be_too_long() {
        let line = |text: &str| Read::Line(text.into());
        for (text, expected) in [
            ("one\ntwo\n", vec![line("one"), line("two")]),
            (
                "\nfive5\nsix666\n\n",
                vec![line(""), line("five5"), Read::TooLong, line("")],
            ),
            ("much too long\nok\n", vec![Read::TooLong, line("ok")]),
            ("ok\ncut", vec![line("ok")]),
            ("too long and cut", vec![Read::TooLong]),
        ] {
            let mut lines = Lines::new(text.as_bytes(), 5);
            for wanted in expected {
                assert_eq!(lines.next().await, wanted, "{text:?}");
            }
            assert_eq!(lines.next().await, Read::End, "{text:?}");
        }
    }
}
