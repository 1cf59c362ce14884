//! Checks the messages of clients, for all transports.

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;
use sim_core::error::clip;
use sim_core::strict::{MOST_VALUES, json_within};

pub(super) type Message = RxJsonRpcMessage<RoleServer>;
pub(super) type Reply = TxJsonRpcMessage<RoleServer>;

/// Maximum length of a client's message \[bytes\].
pub(super) const LONGEST: usize = 2 << 20;

/// The byte order mark with which some programs begin a UTF-8 text; it is not part of the message.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of a message without a byte order mark and white space; empty if nothing was sent.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes).trim_ascii()
}

/// The message in `bytes`; `None` for a notification of another protocol, which is never answered.
///
/// # Errors
/// The error for the client: -32700 if it is not JSON, -32600 if it is JSON but not one message.
pub(super) fn read(bytes: &[u8]) -> Result<Option<Message>, Box<Reply>> {
    let text = trimmed(bytes);
    let value = json_within(text, MOST_VALUES).map_err(|e| {
        // JSON of which a key is there twice, or with too many values: not a fault of its syntax.
        if e.classify() == Category::Data {
            // Of the bytes: this JSON was refused, so there is no value to ask.
            return refused(e.to_string(), id_of(text));
        }
        let why = format!("this is not JSON: {e}; a message is one JSON object of JSON-RPC 2.0");
        Box::new(Reply::error(ErrorData::parse_error(why, None), None))
    })?;
    // Before the checks, so that a refusal reaches the request it is about.
    let id = value.get("id").and_then(|id| request_id(id).ok());
    form(&value).map_err(|why| refused(why, id.clone()))?;
    let is_notification = value.get("method").is_some() && value.get("id").is_none();
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(_) => Err(refused("this is JSON, but not a message of MCP", id)),
    }
}

/// An error for a request that cannot be served.
pub(super) fn refused(why: impl Into<String>, id: Option<RequestId>) -> Box<Reply> {
    let why: String = why.into();
    let error = ErrorData::invalid_request(why, None);
    Box::new(Reply::error(error, id))
}

/// The error for a client whose message over standard input is too long.
pub(super) fn too_long() -> Box<Reply> {
    let why = format!("a message may hold {LONGEST} bytes; this one is longer and was not read");
    refused(why, None)
}

/// Checks for faults that the protocol library would accept, or refuse without a reason.
fn form(value: &Value) -> Result<(), String> {
    let Value::Object(message) = value else {
        return Err(match value {
            Value::Array(_) => {
                "batches are not served: send each message by itself, as one JSON object"
            }
            _ => "a message is a JSON object",
        }
        .to_owned());
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("`jsonrpc` must be \"2.0\"".to_owned());
    }
    let Some(method) = message.get("method") else {
        if message.contains_key("result") || message.contains_key("error") {
            return Ok(());
        }
        return Err("a message needs `method`, `result` or `error`".to_owned());
    };
    if !method.is_string() {
        return Err("`method` must be a string".to_owned());
    }
    if let Some(id) = message.get("id") {
        request_id(id)?;
    }
    match message.get("params") {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(_) => Err("`params` must be an object".to_owned()),
    }
}

fn request_id(id: &Value) -> Result<RequestId, String> {
    serde_json::from_value(id.clone()).map_err(|_| {
        format!(
            "`id` is `{}`; it must be a string or a whole number from {} to {}",
            clip(&id.to_string()),
            i64::MIN,
            i64::MAX
        )
    })
}

/// The id of a faulty message; `None` if it is not clear which id is meant.
fn id_of(text: &[u8]) -> Option<RequestId> {
    // Two ids are an error here, even if other duplicate keys are not.
    #[derive(Deserialize)]
    struct OnlyId {
        id: Option<Value>,
    }
    let found: OnlyId = serde_json::from_slice(text).ok()?;
    request_id(&found.id?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Code and id of a refusal.
    fn refusal(text: &str) -> (i64, Value) {
        let refused = match read(text.as_bytes()) {
            Err(refused) => serde_json::to_value(&*refused).unwrap(),
            Ok(message) => panic!("{text}: {message:?}"),
        };
        assert_eq!(refused["jsonrpc"], "2.0");
        let error = &refused["error"];
        assert!(!error["message"].as_str().unwrap().is_empty());
        (error["code"].as_i64().unwrap(), refused["id"].clone())
    }

    #[test]
    fn what_is_refused_has_its_code_and_its_id() {
        let ping = |rest: &str| format!(r#"{{"jsonrpc":"2.0","method":"ping",{rest}}}"#);
        let call = |arguments: &str| {
            let params = format!(r#"{{"name":"place_order","arguments":{arguments}}}"#);
            ping(&format!(r#""id":7,"params":{params}"#))
        };
        let null = Value::Null;
        for (text, code, id) in [
            ("order".to_owned(), -32700, null.clone()),
            ("[".repeat(100_000), -32700, null.clone()),
            (ping(r#""id":1"#) + " {}", -32700, null.clone()),
            (ping(r#""id":1e400"#), -32700, null.clone()),
            ("null".to_owned(), -32600, null.clone()),
            (format!("[{}]", ping(r#""id":1"#)), -32600, null.clone()),
            (ping(r#""id":null"#), -32600, null.clone()),
            (ping(r#""id":1.5"#), -32600, null.clone()),
            (ping(r#""id":9223372036854775808"#), -32600, null.clone()),
            (ping(r#""id":{}"#), -32600, null.clone()),
            (ping(r#""id":1,"id":2"#), -32600, null.clone()),
            (ping(r#""id":7,"params":[]"#), -32600, json!(7)),
            (ping(r#""id":7,"method":"x""#), -32600, json!(7)),
            (call(r#"{"quantity":1,"quantity":900}"#), -32600, json!(7)),
            (call(r#"{"plan":{"a":1,"\u0061":2}}"#), -32600, json!(7)),
            (
                call(&format!("{{\"a\":[{}0]}}", "0,".repeat(100_000))),
                -32600,
                json!(7),
            ),
            (
                r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#.to_owned(),
                -32600,
                json!(7),
            ),
            (r#"{"jsonrpc":"2.0","id":7}"#.to_owned(), -32600, json!(7)),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#.to_owned(),
                -32600,
                json!(7),
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":3}"#.to_owned(),
                -32600,
                json!(7),
            ),
        ] {
            let shown: String = text.chars().take(80).collect();
            assert_eq!(refusal(&text), (code, id), "{shown}");
        }
    }

    #[test]
    fn messages_pass() {
        for text in [
            r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#,
            "\u{feff} {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\r\n",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        ] {
            assert!(matches!(read(text.as_bytes()), Ok(Some(_))), "{text}");
        }
    }
}
