//! The pages over HTTP, on this machine only.

use crate::name::PageName;
use crate::page::{Mode, POLICY, page};
use crate::site::Site;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use run_engine::error::RunError;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};

/// Interval at which run folders are read again while a page is open.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Interval at which an open page is sent a line that keeps the connection alive.
const BEAT: Duration = Duration::from_secs(15);

/// Maximum number of pages that are told of changes at a time. A page takes the refusal of its stream to mean
/// that there are too many, see `page.js`.
const WATCHERS: usize = 64;

#[derive(Clone)]
struct Served {
    site: Arc<Site>,
    changed: broadcast::Sender<()>,
    stop: Arc<AtomicBool>,
}

/// Serves `site` at `address` until `stop` is set, and calls `ready` with the address once it listens.
///
/// # Errors
/// When the address is not one of this machine alone, or cannot be listened at.
pub fn serve(
    site: Arc<Site>,
    address: SocketAddr,
    stop: &Arc<AtomicBool>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), RunError> {
    if !address.ip().is_loopback() {
        return Err(RunError::usage(format!(
            "{address} can be reached from other machines; the pages are not protected, so only loopback \
             addresses such as 127.0.0.1:0 are served. `--export OUT` writes files for a web host"
        )));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the server: {e}")))?;
    let (changed, _) = broadcast::channel(16);
    let served = Served {
        site,
        changed,
        stop: Arc::clone(stop),
    };
    let watching = served.clone();
    let watcher = std::thread::spawn(move || watch(&watching));
    let ended = runtime.block_on(async {
        let failed = |e: std::io::Error| RunError::Failed(format!("{address}: {e}"));
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let stop = Arc::clone(stop);
        let router = Router::new().fallback(answer).with_state(served);
        let ended = async move {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        axum::serve(listener, router)
            .with_graceful_shutdown(ended)
            .await
            .map_err(failed)
    });
    stop.store(true, Ordering::Relaxed);
    let crashed = |_| RunError::Failed("the thread that reads run folders crashed".to_owned());
    watcher.join().map_err(crashed)?;
    ended
}

/// Reads what changed, and tells the open pages.
fn watch(served: &Served) {
    let stopped = || served.stop.load(Ordering::Relaxed);
    let mut first = true;
    while !stopped() {
        // Without viewers nothing is read again: a page that is asked for reads what it needs.
        if first || served.changed.receiver_count() > 0 {
            let changed = served.site.refresh();
            let measured = served.site.measure(&stopped);
            if !(changed.is_empty() && measured.is_empty()) {
                // It fails only if nobody watches.
                let _ = served.changed.send(());
            }
            first = false;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

async fn answer(State(served): State<Served>, request: Request) -> Response {
    if !is_of_this_machine(&request) {
        let text = "the header Host names another host; only this machine is served";
        return plain(StatusCode::FORBIDDEN, text);
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refused = plain(
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET and HEAD are allowed: the pages cannot be changed",
        );
        refused
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    let name = request.uri().path().trim_start_matches('/').to_owned();
    if name == "events" {
        return events(&served);
    }
    let Some(name) = decoded(&name).as_deref().and_then(PageName::read) else {
        return plain(StatusCode::NOT_FOUND, "there is no such page");
    };
    let query = query(request.uri());
    let site = Arc::clone(&served.site);
    let changed = served.changed.clone();
    let made = tokio::task::spawn_blocking(move || {
        // What this request found to be new, others who watch have not seen either.
        if !site.refresh().is_empty() {
            let _ = changed.send(());
        }
        page(&site, &name, &query, Mode::Live)
    });
    match made.await {
        Ok(Ok(Some(html))) => response(StatusCode::OK, "text/html; charset=utf-8", html.into()),
        Ok(Ok(None)) => plain(StatusCode::NOT_FOUND, "there is no such run or record"),
        Ok(Err(e)) => plain(StatusCode::INTERNAL_SERVER_ERROR, &e.to_string()),
        Err(_) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the page could not be made",
        ),
    }
}

/// Whether the request was sent to a name of this machine. Otherwise a page of another site, whose own name
/// resolves to this address, could read the answers.
fn is_of_this_machine(request: &Request) -> bool {
    let host = request
        .headers()
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let Some(host) = host else {
        return false;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A path with `%41` and the like as text; `None` if it is not one.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?.to_owned();
                u8::from_str_radix(&digits, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The text that is searched for.
fn query(uri: &Uri) -> String {
    let parts = uri.query().unwrap_or_default().split('&');
    let mut wanted = parts.filter_map(|part| part.strip_prefix("q="));
    let text = wanted.next().map(|text| text.replace('+', " "));
    text.and_then(|text| decoded(&text)).unwrap_or_default()
}

/// A stream that says when something changed.
fn events(served: &Served) -> Response {
    if served.changed.receiver_count() >= WATCHERS {
        return plain(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many open pages already receive updates",
        );
    }
    let mut changed = served.changed.subscribe();
    let stop = Arc::clone(&served.stop);
    let (send, lines) = mpsc::channel::<Bytes>(4);
    tokio::spawn(async move {
        let mut quiet = Duration::ZERO;
        let mut said: &'static str = ": watching\n\n";
        loop {
            if send
                .send(Bytes::from_static(said.as_bytes()))
                .await
                .is_err()
            {
                return;
            }
            said = loop {
                if stop.load(Ordering::Relaxed) || send.is_closed() {
                    return;
                }
                match tokio::time::timeout(POLL_INTERVAL, changed.recv()).await {
                    Ok(Ok(()) | Err(broadcast::error::RecvError::Lagged(_))) => {
                        quiet = Duration::ZERO;
                        break "event: changed\ndata: 1\n\n";
                    }
                    Ok(Err(broadcast::error::RecvError::Closed)) => return,
                    Err(_) => quiet += POLL_INTERVAL,
                }
                if quiet >= BEAT {
                    quiet = Duration::ZERO;
                    break ": still here\n\n";
                }
            };
        }
    });
    response(StatusCode::OK, "text/event-stream", Body::new(Lines(lines)))
}

/// The lines of a stream as the body of an answer.
struct Lines(mpsc::Receiver<Bytes>);

impl axum::body::HttpBody for Lines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        let next = self.0.poll_recv(cx);
        next.map(|line| line.map(|line| Ok(http_body::Frame::data(line))))
    }
}

fn plain(status: StatusCode, text: &str) -> Response {
    response(
        status,
        "text/plain; charset=utf-8",
        Body::from(format!("{text}\n")),
    )
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let policy = format!(
        "{}; connect-src 'self'; frame-ancestors 'none'",
        POLICY.as_str()
    );
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_served() {
        let of = |host: &str| {
            let request = Request::builder().header(HOST, host).body(Body::empty());
            is_of_this_machine(&request.unwrap())
        };
        for host in [
            "127.0.0.1:80",
            "localhost",
            "localhost:8000",
            "[::1]:80",
            "127.1.2.3",
        ] {
            assert!(of(host), "{host}");
        }
        for host in ["example.org", "127.0.0.1.example.org:80", "10.0.0.1", ""] {
            assert!(!of(host), "{host}");
        }
        assert!(!is_of_this_machine(&Request::new(Body::empty())));
    }

    #[test]
    fn paths_and_queries_are_decoded() {
        assert_eq!(decoded("a%20b%C3%A9").as_deref(), Some("a bé"));
        assert_eq!(decoded("a%2").as_deref(), None);
        assert_eq!(decoded("%ff"), None);
        let uri: Uri = "/search.html?x=1&q=two+words%3F".parse().unwrap();
        assert_eq!(query(&uri), "two words?");
    }
}
