//! The pages over HTTP, on this machine only.

use crate::name::PageName;
use crate::page::{Mode, POLICY, page};
use crate::site::Site;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use boardroom_http::{
    Admission, Latest, Limits, ServerOptions, bind, decoded, host, plain_error, query_value,
};
use futures_util::stream::unfold;
use run_engine::error::RunError;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{broadcast, oneshot};

/// Interval at which run folders are read again while a page is open.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Interval at which an open page is sent a line that keeps the connection alive.
const BEAT: Duration = Duration::from_secs(15);

/// Maximum number of pages that are told of changes at a time. The oldest is told that it gives way to a new
/// one, see `page.js`.
const WATCHERS: usize = 64;

/// Pages that are made at a time, and searches, which take up to 10 s.
const AT_A_TIME: usize = 16;
const SEARCHES: usize = 2;

/// Searches that wait for others. Each holds a connection, and pages need the rest of them.
const WAITING: usize = 16;

/// What a page is told when a run has changed, and when it gives way to a new page.
const CHANGED: &str = "event: changed\ndata: 1\n\n";
const GIVES_WAY: &str = "event: full\ndata: 1\n\n";

#[derive(Clone)]
struct Served {
    site: Arc<Site>,
    changed: broadcast::Sender<()>,
    stop: Arc<AtomicBool>,
    watchers: Arc<Latest>,
    pages: Arc<Admission>,
    searches: Arc<Admission>,
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
        // Pages are made on threads that may block; these only pass on bytes.
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the server: {e}")))?;
    let (changed, _) = broadcast::channel(16);
    let served = Served {
        site,
        changed,
        stop: Arc::clone(stop),
        watchers: Arc::new(Latest::new(WATCHERS)),
        pages: Arc::new(Admission::new(AT_A_TIME, AT_A_TIME)),
        searches: Arc::new(Admission::new(SEARCHES, SEARCHES).with_queue(WAITING)),
    };
    let watching = served.clone();
    let watcher = std::thread::spawn(move || watch(&watching));
    let ended = runtime.block_on(async {
        let failed = |e: std::io::Error| RunError::Failed(format!("{address}: {e}"));
        let listener = bind(address).map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let stop = Arc::clone(stop);
        let router = Router::new().fallback(answer).with_state(served);
        let ended = async move {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let options = ServerOptions {
            limits: Limits::default(),
            error_text: plain_error,
        };
        boardroom_http::serve(listener, router, options, ended).await;
        Ok(())
    });
    // Also where binding failed, or the thread that is joined would never end.
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
    // The host is always this machine: the server has no tokens that could protect another name.
    // A page of another site whose name leads to this address (DNS rebinding) could read the runs otherwise.
    if let Err(why) = host::check(request.headers(), false) {
        return refused(StatusCode::FORBIDDEN, &why);
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let why = "only GET and HEAD are allowed: the pages cannot be changed";
        let mut refused = refused(StatusCode::METHOD_NOT_ALLOWED, why);
        let methods = HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(ALLOW, methods);
        return refused;
    }
    let name = request.uri().path().trim_start_matches('/').to_owned();
    // Before the name is read as one of a page: no page is called so.
    if name == "events" {
        return events(&served);
    }
    let Some(name) = decoded(&name).as_deref().and_then(PageName::read) else {
        return refused(StatusCode::NOT_FOUND, "there is no such page");
    };
    let query = request
        .uri()
        .query()
        .and_then(|query| query_value(query, "q"));
    let query = query.unwrap_or_default();
    // Searches wait for each other, so that they do not keep pages waiting.
    let place = if query.is_empty() {
        served.pages.admit("").await
    } else {
        let Some(place) = served.searches.try_admit("").await else {
            let why = "too many searches wait for their turn; try again";
            return refused(StatusCode::SERVICE_UNAVAILABLE, why);
        };
        place
    };
    let site = Arc::clone(&served.site);
    let changed = served.changed.clone();
    let made = tokio::task::spawn_blocking(move || {
        // The work goes on if its client is gone, so its place is free only when it is done.
        let _place = place;
        // What this request found to be new, others who watch have not seen either.
        if !site.refresh().is_empty() {
            let _ = changed.send(());
        }
        page(&site, &name, &query, Mode::Live)
    });
    match made.await {
        Ok(Ok(Some(html))) => response(StatusCode::OK, "text/html; charset=utf-8", html.into()),
        Ok(Ok(None)) => refused(StatusCode::NOT_FOUND, "there is no such run or record"),
        Ok(Err(e)) => refused(StatusCode::INTERNAL_SERVER_ERROR, &e.to_string()),
        Err(_) => refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the page could not be made",
        ),
    }
}

/// A stream that says when something changed.
fn events(served: &Served) -> Response {
    let (lost, changed) = (served.watchers.enter(), served.changed.subscribe());
    let begun = (Some(lost), changed, Arc::clone(&served.stop), true);
    let lines = unfold(begun, |(lost, mut changed, stop, is_first)| async move {
        let mut lost = lost?;
        let (line, lost) = match is_first {
            true => (": watching\n\n", Some(lost)),
            false => match news(&mut lost, &mut changed, &stop).await? {
                // The last line.
                GIVES_WAY => (GIVES_WAY, None),
                line => (line, Some(lost)),
            },
        };
        let line = Ok::<_, Infallible>(Bytes::from_static(line.as_bytes()));
        Some((line, (lost, changed, stop, false)))
    });
    response(
        StatusCode::OK,
        "text/event-stream",
        Body::from_stream(lines),
    )
}

/// The next line of a stream that has its place until it is `lost`; `None` where the server ends.
async fn news(
    lost: &mut oneshot::Receiver<()>,
    changed: &mut broadcast::Receiver<()>,
    stop: &AtomicBool,
) -> Option<&'static str> {
    let mut quiet = Duration::ZERO;
    while quiet < BEAT {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        tokio::select! {
            _ = &mut *lost => return Some(GIVES_WAY),
            heard = tokio::time::timeout(POLL_INTERVAL, changed.recv()) => match heard {
                // News that were missed are news too: the page asks for everything anyway.
                Ok(Ok(()) | Err(broadcast::error::RecvError::Lagged(_))) => return Some(CHANGED),
                Ok(Err(broadcast::error::RecvError::Closed)) => return None,
                Err(_) => quiet += POLL_INTERVAL,
            },
        }
    }
    Some(": still here\n\n")
}

fn refused(status: StatusCode, why: &str) -> Response {
    let json = plain_error(status, why);
    response(status, "application/json", Body::from(json))
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    // The server may load its own answers; a file from disk has nothing to connect to.
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
