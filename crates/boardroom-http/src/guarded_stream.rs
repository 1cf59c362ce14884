//! A connection with time limits, whose last words are JSON.

use crate::connections::{Connection, Phase};
use crate::errors::{ErrorText, last_words, unreadable_head};
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
    of: Arc<Connection>,
    /// Ready when the connection has to give way.
    closed: Option<oneshot::Receiver<()>>,
    reading: Pin<Box<Sleep>>,
    /// Runs while the client reads nothing.
    writing: Option<Pin<Box<Sleep>>>,
    /// What is sent in place of an answer of hyper, as far as it is not sent yet.
    instead: Vec<u8>,
    text: ErrorText,
}

impl GuardedStream {
    pub(crate) fn new(
        stream: TcpStream,
        of: Arc<Connection>,
        closed: oneshot::Receiver<()>,
        text: ErrorText,
    ) -> Self {
        Self {
            stream,
            of,
            closed: Some(closed),
            reading: Box::pin(sleep_until(Instant::now())),
            writing: None,
            instead: Vec::new(),
            text,
        }
    }

    /// Sends an answer without waiting for the client, before the connection is closed.
    fn say(&self, status: StatusCode) {
        // A client that does not take it has not read earlier answers either.
        let _ = self.stream.try_write(&last_words(status, self.text));
    }

    fn poll_closed(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let closed = self.closed.as_mut();
        if closed.is_none_or(|closed| Pin::new(closed).poll(cx).is_ready()) {
            // It is not asked again.
            let is_first = self.closed.take().is_some();
            if is_first && matches!(self.of.phase().0, Phase::Head | Phase::Body) {
                self.say(StatusCode::SERVICE_UNAVAILABLE);
            }
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
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
        self.poll_closed(cx)?;
        let limit = self.of.limits().write;
        let timer = self
            .writing
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + limit)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(cx, &self.instead);
            let written = ready!(self.watch(cx, written))?;
            self.instead.drain(..written);
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
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() {
            let is_first = matches!(self.of.phase().0, Phase::New | Phase::Idle);
            if is_first && buf.filled().len() > before {
                self.of.set_phase(Phase::Head);
            }
            return read;
        }
        let Some(deadline) = self.of.deadline() else {
            return Poll::Pending;
        };
        if self.reading.deadline() != deadline {
            self.reading.as_mut().reset(deadline);
        }
        ready!(self.reading.as_mut().poll(cx));
        if self.of.phase().0 == Phase::Head {
            self.say(StatusCode::REQUEST_TIMEOUT);
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
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
        if let Some(status) = unreadable_head(buf) {
            self.instead = last_words(status, self.text);
            return Poll::Ready(Ok(buf.len()));
        }
        ready!(self.poll_instead(cx))?;
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
