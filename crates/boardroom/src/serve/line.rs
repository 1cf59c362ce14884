//! One client on a pair of byte streams, one message a line.

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::future::Future;
use tokio::io::{AsyncRead, AsyncWrite};

/// Reads lines of bounded length, and passes over what is no request until the client has made one.
///
/// The protocol library ends a connection that opens with a notification or an answer. Neither asks
/// for anything, so a client that sends one too early loses nothing when it is passed over.
pub(super) struct Line<R: AsyncRead, W: AsyncWrite> {
    messages: AsyncRwTransport<RoleServer, R, W>,
    begun: bool,
}

impl<R, W> Line<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// A line that drops messages longer than `longest` bytes.
    pub(super) fn new(read: R, write: W, longest: usize) -> Self {
        Self {
            messages: AsyncRwTransport::new_server(read, write).with_max_line_length(longest),
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
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.messages.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.messages.receive().await?;
            self.begun |= matches!(message, RxJsonRpcMessage::<RoleServer>::Request(_));
            if self.begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close().await
    }
}
