//! What clients say about the form of bodies and answers.

use super::replies::JSON;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

/// Both forms of answers that the protocol has; the protocol library wants a client to name both.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Whether the body is JSON.
pub(super) fn says_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| essence(kind) == JSON)
}

/// Whether the client takes answers in JSON, the only form that the server has. A client that names no form
/// takes any.
fn takes_json(headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(ACCEPT).into_iter().peekable();
    if named.peek().is_none() {
        return true;
    }
    let named = named.filter_map(|named| named.to_str().ok());
    let mut kinds = named.flat_map(|named| named.split(','));
    kinds.any(|kind| {
        let fits = matches!(&*essence(kind), JSON | "application/*" | "*/*");
        fits && !kind.split(';').skip(1).any(is_never)
    })
}

/// Whether it is the parameter `q=0`, by which a client excludes a form.
fn is_never(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or_default();
    name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0_f32)
}

/// A media type without its parameters, in lower case.
fn essence(kind: &str) -> String {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Writes the headers as the protocol library reads them.
pub(super) fn normalise(headers: &mut HeaderMap) {
    // The library wants both forms named, which clients that read only JSON do not.
    if takes_json(headers) {
        headers.insert(ACCEPT, BOTH);
    }
    if says_json(headers) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_name_json_is_read() {
        let of = |name, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_str(value).unwrap());
            headers
        };
        for (accept, fits) in [
            ("*/*", true),
            ("application/json", true),
            ("Application/JSON; q=0.5", true),
            ("text/html, application/*;q=0.1", true),
            ("application/json, text/event-stream", true),
            ("text/event-stream", false),
            ("text/html", false),
            ("application/json;q=0", false),
            ("application/jsonx", false),
        ] {
            assert_eq!(takes_json(&of(ACCEPT, accept)), fits, "{accept}");
        }
        assert!(takes_json(&HeaderMap::new()));
        for (kind, fits) in [
            ("application/json", true),
            ("APPLICATION/Json;charset=UTF-8", true),
            ("application/jsonx", false),
            ("text/plain", false),
        ] {
            assert_eq!(says_json(&of(CONTENT_TYPE, kind)), fits, "{kind}");
        }
    }
}
