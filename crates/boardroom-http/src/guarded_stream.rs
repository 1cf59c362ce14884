//! A connection with time limits, whose last words are JSON.

use crate::connections::{Connection, Phase};
use crate::errors::{ErrorText, last_answer, unreadable_head};
use axum::http::StatusCode;
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep_until};

/// A stream that ends when its client takes too long, or when it has to give way to others.
///
/// hyper's own time limit for heads also counts the time between two requests, and it answers heads that it
/// cannot read without a body; both are done here instead.
pub(crate) struct GuardedStream {
    stream: TcpStream,
    /// What arrived with the connection, as far as it was not read yet.
    early: Vec<u8>,
    of: Arc<Connection>,
    /// Ready when the connection has to give way.
    closed: Option<oneshot::Receiver<()>>,
    /// Runs while the connection waits for its client.
    reading: Option<Pin<Box<Sleep>>>,
    /// Runs while the client reads nothing.
    writing: Option<Pin<Box<Sleep>>>,
    /// What is sent in place of an answer of hyper, as far as it is not sent yet.
    replacement: Vec<u8>,
    text: ErrorText,
}

impl GuardedStream {
    pub(crate) fn new(
        stream: TcpStream,
        early: Vec<u8>,
        of: Arc<Connection>,
        closed: oneshot::Receiver<()>,
        text: ErrorText,
    ) -> Self {
        Self {
            stream,
            early,
            of,
            closed: Some(closed),
            reading: None,
            writing: None,
            replacement: Vec::new(),
            text,
        }
    }

    /// What is sent leaves at once.
    pub(crate) fn set_nodelay(&self) {
        // Without it answers arrive later, and are the same.
        let _ = self.stream.set_nodelay(true);
    }

    /// Sends an answer without waiting for the client, before the connection is closed.
    fn answer(&self, status: StatusCode) {
        // A client that does not take it has not read earlier answers either.
        let _ = self.stream.try_write(&last_answer(status, self.text));
    }

    fn poll_closed(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let closed = self.closed.as_mut();
        if closed.is_none_or(|closed| Pin::new(closed).poll(cx).is_ready()) {
            // It is not asked again.
            let is_first = self.closed.take().is_some();
            // Only in the middle of a request: an idle client would read it as the answer to its
            // next one.
            if is_first && matches!(self.of.phase().0, Phase::Head | Phase::Body) {
                self.answer(StatusCode::SERVICE_UNAVAILABLE);
            }
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }

    /// Waits until something more can be read; `false` if the client took too long, or an error if it had to give way.
    /// A connection that never sends a head needs no more than this.
    pub(crate) fn poll_more(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        self.poll_closed(cx)?;
        if let Poll::Ready(ready) = self.stream.poll_read_ready(cx) {
            return Poll::Ready(ready.map(|()| true));
        }
        ready!(self.poll_late(cx))?;
        Poll::Ready(Ok(false))
    }

    /// Ready when the client has taken too long; an error in the middle of a head.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(deadline) = self.of.deadline() else {
            return Poll::Pending;
        };
        let reading = self
            .reading
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        // The phase, and with it the deadline, may have changed since the last poll. One timer is
        // moved and not made anew, because this runs at every read that has to wait.
        if reading.deadline() != deadline {
            reading.as_mut().reset(deadline);
        }
        ready!(reading.as_mut().poll(cx));
        if matches!(self.of.phase().0, Phase::Head | Phase::Unread) {
            self.answer(StatusCode::REQUEST_TIMEOUT);
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Ready(Ok(()))
    }

    /// Counts the time for which the client reads nothing.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.writing = None;
            return written;
        }
        // Also here: who reads nothing of a long answer holds a connection as well as who sends
        // nothing.
        self.poll_closed(cx)?;
        let limit = self.of.limits().write;
        let timer = self
            .writing
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + limit)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_replacement(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.replacement.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(cx, &self.replacement);
            let written = ready!(self.watch(cx, written))?;
            self.replacement.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_closed(cx)?;
        if !self.early.is_empty() {
            let length = self.early.len().min(buf.remaining());
            buf.put_slice(self.early.get(..length).unwrap_or_default());
            self.early.drain(..length);
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() {
            // Not from `Unread`: a connection that came with a request keeps its place until hyper
            // has had one look at it, see `converse`.
            let is_first = matches!(self.of.phase().0, Phase::New | Phase::Idle);
            if is_first && buf.filled().len() > before {
                self.of.set_phase(Phase::Head);
            }
            return read;
        }
        ready!(self.poll_late(cx))?;
        // As if the client had ended it.
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for GuardedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        // hyper is told that all was written. Its flush and its shutdown then send ours in place of
        // it.
        if let Some(status) = unreadable_head(buf) {
            self.replacement = last_answer(status, self.text);
            return Poll::Ready(Ok(buf.len()));
        }
        ready!(self.poll_replacement(cx))?;
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_replacement(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_replacement(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
