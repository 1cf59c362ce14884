//! Keeps pages of other sites away from a server on this machine.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Checks that a request was meant for this server: its `Host` names this machine, unless the server
/// may have other names, and its `Origin`, if it has one, is a page of the same host.
///
/// A page of another site can send requests to 127.0.0.1, and can give that address a name of its own;
/// a browser says both in these headers.
pub(crate) fn check(headers: &HeaderMap, has_other_names: bool) -> Result<(), String> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.unwrap_or_default();
    if !has_other_names && !is_local(name_of(host)) {
        return Err("the header Host names another host; only this machine is served".to_owned());
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let from = origin.split_once("://").map_or("", |(_, from)| from);
    if from == host || (is_local(name_of(from)) && is_local(name_of(host))) {
        return Ok(());
    }
    Err("the header Origin names another site".to_owned())
}

/// The name in a host with or without a port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_local(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(host: &'static str, origin: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        headers
    }

    #[test]
    fn only_pages_of_this_server_get_in() {
        for (host, origin, other_names, gets_in) in [
            ("127.0.0.1:80", None, false, true),
            ("localhost:80", Some("http://localhost:80"), false, true),
            ("[::1]:80", Some("http://[::1]:80"), false, true),
            ("127.0.0.1:80", Some("http://localhost:9"), false, true),
            ("evil.example", None, false, false),
            ("127.0.0.1.evil.example:80", None, false, false),
            ("127.0.0.1:80", Some("http://evil.example"), false, false),
            ("127.0.0.1:80", Some("null"), false, false),
            ("school.example:80", None, true, true),
            (
                "school.example:80",
                Some("http://school.example:80"),
                true,
                true,
            ),
            (
                "school.example:80",
                Some("http://evil.example"),
                true,
                false,
            ),
        ] {
            let checked = check(&headers(host, origin), other_names);
            assert_eq!(checked.is_ok(), gets_in, "{host} {origin:?}");
        }
    }
}
