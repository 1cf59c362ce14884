//! Bodies of requests and answers over HTTP, in JSON.

use super::message::{self, Reply};
use axum::http::StatusCode;
use axum::response::Response;
pub(super) use boardroom_http::{json_response, refusal};
use rmcp::model::ErrorData;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sim_core::error;
use sim_core::strict::{MOST_VALUES, json_within};

/// The content type of all of them.
pub(super) const JSON: &str = "application/json";

/// A refusal as a message of JSON-RPC.
pub(super) fn refuse(status: StatusCode, why: impl Into<String>) -> Response {
    let why: String = why.into();
    json_response(status, &refusal_text(status, &why))
}

/// A refusal as the text of a message of JSON-RPC.
pub(super) fn refusal_text(status: StatusCode, why: &str) -> String {
    let why = why.to_owned();
    let message = if status.is_server_error() {
        Reply::error(ErrorData::internal_error(why, None), None)
    } else {
        *message::refused(why, None)
    };
    text_of(&message)
}

/// An error consists of text and numbers, which can always be written as JSON.
fn text_of(message: &Reply) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

/// A message of JSON-RPC.
pub(super) fn reply(status: StatusCode, message: &Reply) -> Response {
    json_response(status, &text_of(message))
}

/// Reads a body; an empty one is an empty object.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let body = if body.trim_ascii().is_empty() {
        b"{}"
    } else {
        body
    };
    let value = json_within(body, MOST_VALUES).map_err(|e| format!("this is not JSON: {e}"))?;
    // As an object first: a list would be read as the fields of `T` in their order.
    let fields: Map<String, Value> = error::read(&value).map_err(|e| e.to_string())?;
    error::read(&Value::Object(fields)).map_err(|e| e.to_string())
}
