//! Bodies of requests.

use crate::connections::Phase;
use crate::server::Peer;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use http_body::Body as _;
use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use tokio::sync::oneshot;

/// Length up to which a body needs no place among the long ones \[bytes\].
const SHORT: usize = 1 << 16;

/// Number of long bodies that arrive at a time: together they may take 128 MiB. The oldest gives way.
pub(crate) const LONG: usize = 64;

/// Why a body was not received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyError {
    /// The status of the answer.
    pub status: StatusCode,
    /// The explanation for the client.
    pub why: String,
}

impl BodyError {
    fn new(status: StatusCode, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { status, why }
    }

    fn too_long(most: usize) -> Self {
        let why = format!("a message may hold {most} bytes; this one is longer and was not read");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    }
}

/// The same request with its whole body, which has arrived. Only a request that [`serve`](crate::serve) passed
/// on has limits.
///
/// # Errors
/// When the body is too long (413), too slow (408), cut off (400), or has to give way to others (503).
pub async fn receive(request: Request) -> Result<Request, BodyError> {
    let Some(peer) = request.extensions().get::<Peer>().cloned() else {
        return Ok(request);
    };
    let (head, mut body) = request.into_parts();
    let limits = *peer.connection.limits();
    let said = head.headers.get(CONTENT_LENGTH);
    let said = said.and_then(|said| said.to_str().ok()?.parse::<u64>().ok());
    // A stated length is refused before a byte is read. The count below is for bodies in chunks,
    // which state none.
    if said.is_some_and(|said| said > limits.longest_body as u64) {
        return Err(BodyError::too_long(limits.longest_body));
    }
    // Without a body the connection stays busy. In the phase of a body it could have to give way,
    // although its client owes nothing.
    if body.is_end_stream() {
        return Ok(Request::from_parts(head, Body::empty()));
    }
    peer.connection.set_phase(Phase::Body);
    let read = async {
        let mut bytes = Vec::new();
        let mut place = None;
        loop {
            // The place is taken while the body arrives, so there is no second future from the
            // start that `select!` could wait for: one poll looks at both, and lets the loss of the
            // place win.
            let next = poll_fn(|cx| {
                let lost = place
                    .as_mut()
                    .is_some_and(|place: &mut oneshot::Receiver<()>| {
                        Pin::new(place).poll(cx).is_ready()
                    });
                if lost {
                    let why = "the body was slower than too many others; try again";
                    let status = StatusCode::SERVICE_UNAVAILABLE;
                    return Poll::Ready(Err(BodyError::new(status, why)));
                }
                Pin::new(&mut body).poll_frame(cx).map(Ok)
            });
            let Some(frame) = next.await? else {
                return Ok(bytes);
            };
            let frame = frame.map_err(|_| {
                let why = "the body ended early or cannot be read";
                BodyError::new(StatusCode::BAD_REQUEST, why)
            })?;
            let Ok(data) = frame.into_data() else {
                // A frame that is not data holds trailers, which no handler reads.
                continue;
            };
            if bytes.len() + data.len() > limits.longest_body {
                return Err(BodyError::too_long(limits.longest_body));
            }
            bytes.extend_from_slice(&data);
            // By what has arrived and not by the stated length: with heads alone a client could
            // take the places of bodies that do arrive.
            if place.is_none() && bytes.len() > SHORT {
                place = Some(peer.long_bodies.enter());
            }
        }
    };
    let read = tokio::time::timeout(limits.body, read).await;
    peer.connection.set_phase(Phase::Busy);
    let bytes = read.map_err(|_| {
        let seconds = limits.body.as_secs();
        let why = format!("the body took longer than {seconds} s to arrive");
        BodyError::new(StatusCode::REQUEST_TIMEOUT, why)
    })??;
    Ok(Request::from_parts(head, Body::from(Bytes::from(bytes))))
}
