//! Standard input and output, or HTTP on the loopback interface.

use super::line::LineFramer;
use super::replies::refusal_text;
use super::{Server, http, message};
use boardroom_http::{Limits, ServerOptions};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use run_engine::error::RunError;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// Time for which work in progress may delay the end of a server.
const GRACE: Duration = Duration::from_secs(1);

fn failed(what: &str, error: impl std::fmt::Display) -> RunError {
    RunError::Failed(format!("{what}: {error}"))
}

/// Serves one client over standard input and output until it disconnects, which it may do before
/// its first message, or until `stop` ends. Nothing else may be written to standard output in the
/// meantime.
///
/// Lines that are not messages, or too long, are answered with an error; they do not end the
/// connection.
///
/// # Errors
/// When the client does not speak the protocol.
pub fn serve_stdio(
    server: &Server,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        tokio::select! {
            served = async {
                let (read, write) = rmcp::transport::io::stdio();
                serve_streams(server, read, write).await
            } => served,
            () = stop => Ok(()),
        }
    });
    // A read of standard input cannot be cancelled, and must not delay the end.
    runtime.shutdown_timeout(GRACE);
    served
}

/// Serves one client, whose messages come from `read` and whose answers go to `write`, one message per
/// line, until it disconnects.
///
/// # Errors
/// When the client does not speak the protocol.
pub async fn serve_streams<R, W>(server: &Server, read: R, write: W) -> Result<(), RunError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let _tick = server.close_idle_games();
    let line = LineFramer::new(read, write);
    match server.handler().serve(line).await {
        Ok(running) => running.waiting().await.map_err(|e| failed("serving", e))?,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(e) => {
            return Err(failed(
                "the client did not begin the connection as MCP requires",
                e,
            ));
        }
    };
    Ok(())
}

/// Serves any number of clients over HTTP at `address`/mcp. `ready` is called with the address once
/// it is bound; the server ends when `stop` does.
///
/// There are no protocol sessions, in any version of the protocol: a game is identified by its
/// `episode_id` alone. So a client that is silent for an hour can continue its game, and clients
/// that disconnect leave nothing behind. Anything that is not a request of the protocol is answered
/// with a JSON-RPC error and a matching status.
///
/// # Errors
/// When the address cannot be bound, or is not a loopback address and the server has no tokens.
pub fn serve_http(
    server: &Server,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let is_local = address.ip().is_loopback();
    if !is_local && server.clients.is_empty() {
        return Err(RunError::usage(format!(
            "`{address}` is not a loopback address; name the clients in a --token-file, or put a \
             proxy with access control in front of 127.0.0.1"
        )));
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // Hosts and origins are checked before, in the same way for all paths.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(message::LONGEST);
    let cancelled = config.cancellation_token.clone();
    let factory = server.clone();
    let service = StreamableHttpService::new(
        move || Ok(factory.http_handler()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let stop = async move {
        stop.await;
        cancelled.cancel();
    };
    let router = http::router(service, server);
    let options = ServerOptions {
        limits: Limits {
            longest_body: message::LONGEST,
            ..Limits::default()
        },
        error_text: refusal_text,
    };
    listen(bind(address)?, router, options, ready, stop, || {
        server.close_idle_games()
    })
}

/// Binds `address`. Clients that connect wait until it is served.
///
/// # Errors
/// When it is not an address of this machine, or another program uses it.
pub fn bind(address: SocketAddr) -> Result<TcpListener, RunError> {
    // A runtime for this alone: sockets of Tokio need one, and the runtime that serves begins
    // later.
    let bound = runtime()?.block_on(async { boardroom_http::bind(address)?.into_std() });
    bound.map_err(|e| RunError::usage(format!("`{address}` cannot be served: {e}")))
}

/// Serves `router` at the address of `listener` until `stop` ends. `ready` is called with the address;
/// what `begin` returns is dropped at the end.
pub(crate) fn listen<T>(
    listener: TcpListener,
    router: axum::Router,
    options: ServerOptions,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
    begin: impl FnOnce() -> T,
) -> Result<(), RunError> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        // Tokio panics at a listener that blocks.
        let listener = listener
            .set_nonblocking(true)
            .and_then(|()| tokio::net::TcpListener::from_std(listener))
            .map_err(|e| failed("the address", e))?;
        ready(
            listener
                .local_addr()
                .map_err(|e| failed("the address", e))?,
        );
        let _begun = begin();
        boardroom_http::serve(listener, router, options, stop).await;
        Ok(())
    });
    runtime.shutdown_timeout(GRACE);
    served
}

fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| failed("the runtime", e))
}
