//! Errors as JSON.

use axum::body::{Body, to_bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

/// Longest explanation of a library that is passed on \[bytes\].
const EXPLANATION: usize = 4_096;

/// The JSON of an error with this status and this explanation: the form differs between protocols.
pub type ErrorText = fn(StatusCode, &str) -> String;

/// The error `{"rejected": CODE, "message": WHY}`, where the code is the name of the status.
#[must_use]
pub fn plain_error(status: StatusCode, why: &str) -> String {
    let name = status.canonical_reason().unwrap_or("error");
    refusal(&name.to_lowercase().replace([' ', '-'], "_"), why).to_string()
}

/// A refusal as JSON.
pub fn refusal(code: &str, why: impl Into<String>) -> Value {
    json!({"rejected": code, "message": why.into()})
}

/// An answer whose body is JSON and is not stored by anybody.
pub fn json_response(status: StatusCode, json: &impl ToString) -> Response {
    let mut response = Response::new(Body::from(json.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What an error means whose answer does not say it.
fn meaning(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "this is not a request of HTTP/1.1 that can be read",
        StatusCode::NOT_FOUND => "there is nothing at this path",
        StatusCode::METHOD_NOT_ALLOWED => {
            "this path does not accept the method; the header Allow names those it accepts"
        }
        StatusCode::REQUEST_TIMEOUT => "the request took too long to arrive",
        StatusCode::PAYLOAD_TOO_LARGE => "the body is too long and was not read",
        StatusCode::URI_TOO_LONG => "the address is too long",
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => "the head of the request is too long",
        StatusCode::SERVICE_UNAVAILABLE => "too many connections are open; try again",
        _ => "the request failed",
    }
}

/// The same answer; an error in another form becomes JSON.
pub(crate) async fn worded(response: Response, text: ErrorText) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(CONTENT_TYPE);
    if !is_error || kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json")) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let said = to_bytes(body, EXPLANATION).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let why = match said.trim() {
        "" => meaning(status),
        said => said,
    };
    // Both describe the body that was replaced.
    head.headers.remove(CONTENT_LENGTH);
    head.headers.remove(TRANSFER_ENCODING);
    let json = HeaderValue::from_static("application/json");
    head.headers.insert(CONTENT_TYPE, json);
    Response::from_parts(head, Body::from(text(status, why)))
}

/// A whole answer for a connection that is closed after it.
pub(crate) fn last_answer(status: StatusCode, text: ErrorText) -> Vec<u8> {
    let json = text(status, meaning(status));
    let name = status.canonical_reason().unwrap_or("Error");
    let (code, length) = (status.as_u16(), json.len());
    let head = format!(
        "HTTP/1.1 {code} {name}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    (head + &json).into_bytes()
}

/// The status of the answer without a body that hyper writes for a head that it cannot read.
pub(crate) fn unreadable_head(answer: &[u8]) -> Option<StatusCode> {
    // hyper writes this answer in one piece, so that the start of a write is the start of a head.
    let status = match answer.get(..13)? {
        b"HTTP/1.1 400 " => StatusCode::BAD_REQUEST,
        b"HTTP/1.1 414 " => StatusCode::URI_TOO_LONG,
        b"HTTP/1.1 431 " => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        _ => return None,
    };
    // The answers of handlers with these statuses have a body, see `worded`.
    let head = answer.to_ascii_lowercase();
    let empty = b"\r\ncontent-length: 0\r\n";
    head.windows(empty.len())
        .any(|part| part == empty)
        .then_some(status)
}
