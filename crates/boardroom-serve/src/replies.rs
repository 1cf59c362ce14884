//! Bodies of requests and answers over HTTP, in JSON.

use super::message::{self, Reply};
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use rmcp::model::ErrorData;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim_core::strict::{MOST_VALUES, json_within};

/// The content type of all of them.
pub(super) const JSON: &str = "application/json";

/// A refusal as a message of JSON-RPC.
pub(super) fn refuse(status: StatusCode, why: impl Into<String>) -> Response {
    if status.is_server_error() {
        let why: String = why.into();
        let error = ErrorData::internal_error(why, None);
        return reply(status, &Reply::error(error, None));
    }
    reply(status, &message::refused(why, None))
}

/// A message of JSON-RPC.
pub(super) fn reply(status: StatusCode, message: &Reply) -> Response {
    // An error consists of text and numbers, which can always be written as JSON.
    let body = serde_json::to_vec(message).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let json = HeaderValue::from_static(JSON);
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Reads a body; an empty one is an empty object.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let body = if body.trim_ascii().is_empty() {
        b"{}"
    } else {
        body
    };
    let value = json_within(body, MOST_VALUES).map_err(|e| format!("this is not JSON: {e}"))?;
    sim_core::error::read(&value).map_err(|e| e.to_string())
}

/// A refusal as JSON.
pub(super) fn refusal(code: &str, why: impl Into<String>) -> Value {
    json!({"rejected": code, "message": why.into()})
}

/// An answer in JSON.
pub(super) fn told(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    headers.insert("cache-control", HeaderValue::from_static("no-store"));
    response
}
