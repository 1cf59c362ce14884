//! Standard input and output, or HTTP on the loopback interface.

use super::Server;
use crate::error::RunError;
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

/// Longest request body \[bytes\].
const MAX_BODY: usize = 2 << 20;

fn failed(what: &str, error: impl std::fmt::Display) -> RunError {
    RunError::Failed(format!("{what}: {error}"))
}

/// Serves one client over standard input and output until it hangs up. Nothing else may be
/// written to standard output meanwhile.
///
/// # Errors
/// When the client does not speak the protocol.
pub fn serve_stdio(server: &Server) -> Result<(), RunError> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let running = server
            .handler()
            .serve(rmcp::transport::io::stdio())
            .await
            .map_err(|e| failed("the client did not begin as MCP asks", e))?;
        running.waiting().await.map_err(|e| failed("serving", e))?;
        Ok(())
    })
}

/// Serves any number of clients over HTTP at `address`/mcp. `ready` is called with the address
/// once it is bound; the server ends when `stop` does.
///
/// # Errors
/// When the address is not a loopback address or cannot be bound.
pub fn serve_http(
    server: &Server,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    if !address.ip().is_loopback() {
        return Err(RunError::usage(format!(
            "`{address}` is not a loopback address; put a proxy with access control in front of \
             127.0.0.1 to reach it from elsewhere"
        )));
    }
    let runtime = runtime()?;
    runtime.block_on(async {
        let mut config = StreamableHttpServerConfig::default();
        config.max_request_body_bytes = MAX_BODY;
        let cancelled = config.cancellation_token.clone();
        let factory = server.clone();
        let service = StreamableHttpService::new(
            move || Ok(factory.handler()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let router = axum::Router::new().nest_service("/mcp", service);
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .map_err(|e| RunError::usage(format!("`{address}` cannot be served: {e}")))?;
        ready(
            listener
                .local_addr()
                .map_err(|e| failed("the address", e))?,
        );
        axum::serve(listener, router)
            .with_graceful_shutdown(async move {
                stop.await;
                cancelled.cancel();
            })
            .await
            .map_err(|e| failed("serving", e))
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| failed("the runtime", e))
}
