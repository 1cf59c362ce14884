//! Lets requests over HTTP in.

use super::clients::{Clients, LOCAL};
use super::replies::refuse;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of requests that are read and answered concurrently; others wait. Each may use the memory
/// of one message.
pub(super) const AT_A_TIME: usize = 64;

/// The name of the client that made a request, as an extension of the request.
#[derive(Debug, Clone)]
pub(super) struct ClientName(pub(super) String);

/// Lets requests in: known clients only, and only so many at a time.
#[derive(Debug)]
pub(super) struct Door {
    clients: Clients,
    places: Arc<Semaphore>,
    /// Places of each client, so that one client does not take all of them.
    shares: BTreeMap<String, Arc<Semaphore>>,
}

/// What a request holds while it is answered.
#[derive(Debug)]
pub(super) struct Admitted {
    /// The client that made it.
    pub(super) client: String,
    _places: (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>),
}

impl Door {
    pub(super) fn new(clients: Clients) -> Self {
        let share = if clients.players() > 1 {
            AT_A_TIME / 2
        } else {
            AT_A_TIME
        };
        let names = clients.names();
        let shares = names.map(|name| (name.to_owned(), Arc::new(Semaphore::new(share))));
        Self {
            shares: shares.collect(),
            clients,
            places: Arc::new(Semaphore::new(AT_A_TIME)),
        }
    }

    /// Whether the server knows its clients by tokens.
    pub(super) fn has_tokens(&self) -> bool {
        !self.clients.is_empty()
    }

    /// The name of the client that made a request; `None` without a valid token, where tokens are
    /// needed.
    pub(super) fn client(&self, headers: &HeaderMap) -> Option<String> {
        if self.clients.is_empty() {
            return Some(LOCAL.to_owned());
        }
        let header = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = header.split_once(' ')?;
        let token = Some(token.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
        self.clients.name_of(token).map(str::to_owned)
    }

    /// Waits for a place for a request with these headers.
    ///
    /// # Errors
    /// The refusal, without a valid token.
    pub(super) async fn admit(&self, headers: &HeaderMap) -> Result<Admitted, Response> {
        let Some(client) = self.client(headers) else {
            return Err(unauthorised());
        };
        // The semaphores are never closed, so acquiring a permit cannot fail.
        let share = match self.shares.get(&client) {
            Some(share) => Arc::clone(share).acquire_owned().await.ok(),
            None => None,
        };
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        Ok(Admitted {
            client,
            _places: (share, place),
        })
    }
}

pub(super) fn unauthorised() -> Response {
    let why = "the header Authorization must hold a token of this server: `Bearer TOKEN`";
    let mut refused = refuse(StatusCode::UNAUTHORIZED, why);
    let scheme = HeaderValue::from_static("Bearer");
    refused.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    refused
}
