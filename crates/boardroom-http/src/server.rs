//! Accepts connections and serves a router on them.

use crate::body::LONG;
use crate::connections::{Connection, Connections, Limits, Phase};
use crate::errors::{ErrorText, json_response, last_answer, worded};
use crate::guarded_stream::GuardedStream;
use crate::latest::Latest;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

/// Time for which requests in progress may delay the end of a server.
const GRACE: Duration = Duration::from_secs(1);

/// Connections that may wait until they are accepted; the system may permit fewer.
const WAITING: u32 = 4_096;

/// Maximum length of the head of a request \[bytes\].
const HEAD: usize = 1 << 14;

/// Most of what is read of a connection when it is accepted \[bytes\]: the head of a request.
const EARLY: usize = 1 << 11;

/// Connections at a time whose first request has arrived and was not read yet.
const UNREAD: usize = 64;

/// Pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(5);

/// What a server needs besides its router.
#[derive(Debug, Clone, Copy)]
pub struct ServerOptions {
    /// Its limits.
    pub limits: Limits,
    /// The form of its errors.
    pub error_text: ErrorText,
}

/// The connection of a request, as an extension of the request.
#[derive(Debug, Clone)]
pub struct Peer {
    pub(crate) connection: Arc<Connection>,
    pub(crate) long_bodies: Arc<Latest>,
}

impl Peer {
    /// Notes that the client with this name has shown a valid token: its connections and its streams are counted
    /// together, and apart from those of its address.
    pub fn set_client(&self, name: &str) {
        self.connection.set_client(name);
    }
}

/// Binds `address`. Clients that connect wait until it is served. Needs the runtime of Tokio.
///
/// # Errors
/// When it is not an address of this machine, or another program uses it.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // A server that is started again finds its address free.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Serves `router` until `stop` ends; requests in progress then have one second.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    options: ServerOptions,
    stop: impl Future<Output = ()>,
) {
    let all = Connections::new(options.limits);
    let long_bodies = Arc::new(Latest::new(LONG));
    let unread = Arc::new(Semaphore::new(UNREAD));
    let full = last_answer(StatusCode::SERVICE_UNAVAILABLE, options.error_text);
    let (stopping, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        // The place before the connection: who waits for one waits in the queue of the system,
        // where it takes no descriptor.
        let accepted = async {
            let place = all.place().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        // The set keeps the result of every task until it is taken, so it would grow with each
        // connection.
        while tasks.try_join_next().is_some() {}
        let Ok((stream, address)) = accepted else {
            // Without a free descriptor the same connection would be refused for ever.
            all.shed();
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Some(early) = arrived(&stream) else {
            continue;
        };
        let has_head = early.windows(4).any(|end| end == b"\r\n\r\n");
        // A request that came with its connection is read before the connection may give way. So there are only so
        // many at a time; others wait in the queue of the system.
        let turn = if has_head {
            Arc::clone(&unread).acquire_owned().await.ok()
        } else {
            None
        };
        // A server on `[::]` sees clients of IPv4 as `::ffff:a.b.c.d`. The first 64 bits of these
        // are all alike, and they would share the limit of one address.
        let entered = all.enter(address.ip().to_canonical(), has_head, place);
        let Some((connection, closed)) = entered else {
            let _ = stream.try_write(&full);
            continue;
        };
        let peer = Peer {
            connection,
            long_bodies: Arc::clone(&long_bodies),
        };
        if !has_head && !early.is_empty() {
            peer.connection.set_phase(Phase::Head);
        }
        let text = options.error_text;
        let io = GuardedStream::new(stream, early, Arc::clone(&peer.connection), closed, text);
        let stopped = stopped.clone();
        if has_head {
            tasks.spawn(converse(io, peer, router.clone(), text, stopped, turn));
        } else {
            tasks.spawn(wait(io, peer, router.clone(), text, stopped));
        }
    }
    // New clients are refused from here on, instead of waiting for a server that does not come
    // back.
    drop(listener);
    stopping.send_replace(true);
    let ended = async { while tasks.join_next().await.is_some() {} };
    // A connection that never finishes its request must not delay the end of the server.
    let _ = tokio::time::timeout(GRACE, ended).await;
}

/// What arrived with a connection; `None` if it has ended. The runtime learns only later that something can be read.
fn arrived(stream: &TcpStream) -> Option<Vec<u8>> {
    let mut early = [0; EARLY];
    match (&*SockRef::from(stream)).read(&mut early) {
        Ok(0) => None,
        Ok(length) => early.get(..length).map(<[u8]>::to_vec),
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Some(Vec::new()),
        Err(_) => None,
    }
}

/// Waits until a client sends more than nothing, or than half a head; only then its connection gets buffers and a
/// state of HTTP.
async fn wait(
    mut io: GuardedStream,
    peer: Peer,
    router: Router,
    text: ErrorText,
    mut stopped: watch::Receiver<bool>,
) {
    let more = poll_fn(|cx| io.poll_more(cx));
    let more = tokio::select! {
        more = more => more,
        _ = stopped.wait_for(|stopped| *stopped) => return,
    };
    if matches!(more, Ok(true)) {
        // Boxed, or the future of a connection that sends nothing would have room for all the state
        // of HTTP.
        Box::pin(converse(io, peer, router, text, stopped, None)).await;
    }
}

/// Answers the requests of a connection; `turn` is given back when what has arrived was read.
async fn converse(
    io: GuardedStream,
    peer: Peer,
    router: Router,
    text: ErrorText,
    mut stopped: watch::Receiver<bool>,
    turn: Option<OwnedSemaphorePermit>,
) {
    let of = Arc::clone(&peer.connection);
    // Answers are small and clients wait for them.
    io.set_nodelay();
    let service = service_fn(move |request| respond(request, peer.clone(), router.clone(), text));
    let connection = hyper::server::conn::http1::Builder::new()
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(io), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // A single poll: it reads what came with the connection, and gives the turn back whatever comes
    // next.
    let ended = poll_fn(|cx| Poll::Ready(connection.as_mut().poll(cx).is_ready())).await;
    if ended {
        return;
    }
    // A head that was not read to its end is a slow one.
    of.set_phase_if(Phase::Unread, Phase::Head);
    drop((of, turn));
    tokio::select! {
        // An error means that the client is gone, too slow, or speaks no HTTP.
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn respond(
    request: Request<Incoming>,
    peer: Peer,
    router: Router,
    text: ErrorText,
) -> Result<Response, Infallible> {
    let connection = Arc::clone(&peer.connection);
    connection.set_phase(Phase::Busy);
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(peer);
    let response = router.oneshot(request).await?;
    let mut response = worded(response, text).await;
    let kind = response.headers().get(CONTENT_TYPE);
    let is_stream = response.status() == StatusCode::SWITCHING_PROTOCOLS
        || kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if is_stream && !connection.begin_stream() {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let why = "too many streams are open; end one, or try again";
        response = json_response(status, &text(status, why));
    } else if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        // Its body is empty at once, and the connection lives on.
        return Ok(response);
    } else if !is_stream {
        connection.set_phase(Phase::Answer);
    }
    if matches!(
        response.status(),
        StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE
    ) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    Ok(response.map(|body| {
        Body::new(Sent {
            body,
            of: connection,
        })
    }))
}

/// The body of an answer or of a stream of events. When it has ended, its connection is idle.
struct Sent {
    body: Body,
    of: Arc<Connection>,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    // Passed on, because by default a body has no known length: each answer would be sent in
    // chunks.
    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.of.set_phase(Phase::Idle);
    }
}
