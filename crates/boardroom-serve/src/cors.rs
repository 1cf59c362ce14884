//! The headers by which a browser lets a page of another port of this machine, such as the MCP Inspector, use
//! the server. Which origins are allowed is decided by [`boardroom_http::host::check`].

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

/// Methods of all paths; a path refuses those that it does not have.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, OPTIONS");

/// Headers of answers that a page may read.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate");

/// The answer to a browser that asks which requests it may send. It needs no token, because browsers send none
/// with this question.
pub(super) fn preflight(asked: &HeaderMap) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if let Some(wanted) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        // Whatever is asked for: a header that the server does not know does no harm.
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    response
}

/// Lets pages of `origin`, which is allowed, read the answer.
pub(super) fn allow(response: &mut Response, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    // Appended: other parts of the answer may vary by headers of their own.
    headers.append(VARY, HeaderValue::from_static("Origin"));
}
