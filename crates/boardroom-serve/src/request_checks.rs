//! What is checked of every request over HTTP before it is answered: host and origin, token, and body.

use super::clients::{Clients, LOCAL};
use super::cors;
use super::replies::refuse;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use boardroom_http::{Admission, Admitted, Peer, host, receive};
use std::sync::Arc;

/// Number of requests that are answered concurrently; others wait.
pub(super) const AT_A_TIME: usize = 64;

/// The name of the client that made a request, as an extension of the request.
#[derive(Debug, Clone)]
pub(super) struct ClientName(pub(super) String);

/// Lets requests in that are meant for this server, of known clients only, and only so many at a time.
#[derive(Debug)]
pub(super) struct RequestChecks {
    clients: Clients,
    admission: Admission,
}

impl RequestChecks {
    pub(super) fn new(clients: Clients) -> Self {
        // Half for one client, so that others are served while it sends without waiting.
        let share = if clients.players() > 1 {
            AT_A_TIME / 2
        } else {
            AT_A_TIME
        };
        Self {
            clients,
            admission: Admission::new(AT_A_TIME, share),
        }
    }

    /// Whether the server knows its clients by tokens.
    pub(super) fn has_tokens(&self) -> bool {
        !self.clients.is_empty()
    }

    /// Whether the server has a client with this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.clients.names().any(|known| known == name)
    }

    /// The name of the client that made a request; `None` without a valid token, where tokens are
    /// needed.
    fn client(&self, headers: &HeaderMap) -> Option<String> {
        if self.clients.is_empty() {
            return Some(LOCAL.to_owned());
        }
        let header = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = header.split_once(' ')?;
        let token = Some(token.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
        self.clients.name_of(token).map(str::to_owned)
    }

    /// A place for a request of `client`, or a message of a connection that stays open, while it is answered.
    pub(super) async fn place(&self, client: &str) -> Admitted {
        self.admission.admit(client).await
    }

    /// Receives the body of a request and passes it on with the name of its client. The body arrives before
    /// the request takes a place, so that slow bodies delay nobody.
    async fn pass(&self, request: Request, next: Next) -> Response {
        let Some(client) = self.client(request.headers()) else {
            return unauthorised();
        };
        if self.has_tokens()
            && let Some(peer) = request.extensions().get::<Peer>()
        {
            peer.set_client(&client);
        }
        let mut request = match receive(request).await {
            Ok(request) => request,
            Err(fault) => return refuse(fault.status, fault.why),
        };
        let _admitted = self.place(&client).await;
        request.extensions_mut().insert(ClientName(client));
        next.run(request).await
    }
}

/// Answers a request that fails a check, and the question of a browser whether it may send one.
pub(super) async fn check(
    State(checks): State<Arc<RequestChecks>>,
    request: Request,
    next: Next,
) -> Response {
    // Other addresses have names that this program does not know; the tokens protect them.
    if !request.headers().contains_key(HOST) {
        return refuse(
            StatusCode::BAD_REQUEST,
            "the header Host is missing".to_owned(),
        );
    }
    if let Err(why) = host::check(request.headers(), checks.has_tokens()) {
        return refuse(StatusCode::FORBIDDEN, why);
    }
    let origin = request.headers().get(ORIGIN).cloned();
    // Before the token: browsers send none with this question.
    let mut response = if *request.method() == Method::OPTIONS {
        cors::preflight(request.headers())
    } else {
        checks.pass(request, next).await
    };
    // Also on refusals, or the page could not read why.
    if let Some(origin) = origin {
        cors::allow(&mut response, origin);
    }
    response
}

fn unauthorised() -> Response {
    let why = "the header Authorization must hold a token of this server: `Bearer TOKEN`";
    let mut refused = refuse(StatusCode::UNAUTHORIZED, why);
    let scheme = HeaderValue::from_static("Bearer");
    refused.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    refused
}
