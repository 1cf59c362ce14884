//! Keeps pages of other sites away from a server on this machine.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Checks that a request was meant for this server: its `Host` names this machine, unless the server
/// may have other names, and its `Origin`, if it has one, is a page of the same host.
///
/// A page of another site can send requests to 127.0.0.1, and can give that address a name of its own;
/// a browser says both in these headers.
///
/// # Errors
/// Which header names another host.
pub fn check(headers: &HeaderMap, has_other_names: bool) -> Result<(), String> {
    // Exactly one: of two, a proxy in front of the server may go by the other one.
    let mut hosts = headers.get_all(HOST).into_iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let host = host.filter(|_| hosts.next().is_none()).unwrap_or_default();
    if !has_other_names && !is_local(host) {
        return Err("the header Host names another host; only this machine is served".to_owned());
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let from = ["http://", "https://"]
        .into_iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    let from = from.unwrap_or_default();
    let is_own = !from.is_empty() && from == host;
    // Any port of this machine: pages of it, such as the MCP Inspector, have a server of their own.
    if is_own || (is_local(from) && is_local(host)) {
        return Ok(());
    }
    Err("the header Origin names another site".to_owned())
}

/// Whether `host`, with or without a port, is exactly a name or an address of this machine.
fn is_local(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) => {
                let is_loopback = name.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback());
                return is_loopback && (port.is_empty() || is_port(port));
            }
            None => return false,
        },
        None => host.find(':').map_or((host, ""), |at| host.split_at(at)),
    };
    let is_name = name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    is_name && (port.is_empty() || is_port(port))
}

/// Whether it is a colon and a port.
fn is_port(text: &str) -> bool {
    let digits = text.strip_prefix(':').unwrap_or_default();
    digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        headers
    }

    #[test]
    fn only_pages_of_this_server_get_in() {
        let school = "http://school.example:80";
        for (host, origin, other_names, gets_in) in [
            ("127.0.0.1:80", None, false, true),
            ("localhost:80", Some("http://localhost:80"), false, true),
            ("[::1]:80", Some("http://[::1]:80"), false, true),
            ("127.0.0.1:80", Some("http://localhost:9"), false, true),
            ("127.0.0.1:80", Some("https://localhost"), false, true),
            ("127.0.0.1:80", Some("http://evil.example"), false, false),
            (
                "127.0.0.1:80",
                Some("http://[::1].evil.example"),
                false,
                false,
            ),
            ("127.0.0.1:80", Some("ftp://localhost"), false, false),
            ("127.0.0.1:80", Some("null"), false, false),
            ("school.example:80", None, true, true),
            ("school.example:80", Some(school), true, true),
            (
                "school.example:80",
                Some("http://evil.example"),
                true,
                false,
            ),
            ("", Some("null"), true, false),
        ] {
            let checked = check(&headers(host, origin), other_names);
            assert_eq!(checked.is_ok(), gets_in, "{host} {origin:?}");
        }
    }

    #[test]
    fn the_host_is_exactly_this_machine() {
        for host in [
            "localhost",
            "LocalHost:8000",
            "127.0.0.1",
            "127.1.2.3:9",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(check(&headers(host, None), false).is_ok(), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "10.0.0.1",
            "127.0.0.1.evil.example:80",
            "[::1].evil.example",
            "[::1].evil.example:80",
            "[::1",
            "[::2]:80",
            "::1",
            "localhost:80:80",
            "localhost:x",
            "localhost:99999",
            "localhost:",
            "user@localhost",
        ] {
            assert!(check(&headers(host, None), false).is_err(), "{host}");
        }
        let mut two = headers("localhost", None);
        two.append(HOST, HeaderValue::from_static("evil.example"));
        assert!(check(&two, false).is_err());
        assert!(check(&HeaderMap::new(), false).is_err());
    }
}
