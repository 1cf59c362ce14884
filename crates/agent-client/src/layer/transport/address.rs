//! The address of a server: what is made of the one that a user gives, and what of it may be shown.

use crate::error::{AgentError, one_line};
use crate::wire::ApiKind;
use sim_core::error::feature_is_off;
use sim_core::scrub::Scrub;

/// Number of characters that a message shows of an address.
const SHOWN_ADDRESS: usize = 160;

/// The address of the API below `base`; refuses schemes that this build cannot use.
pub(super) fn address(kind: ApiKind, base: &str) -> Result<reqwest::Url, AgentError> {
    let wrong = |why: &str| {
        AgentError::setup(format!(
            "the base address is unusable ({why}); write it like http://127.0.0.1:8080/v1"
        ))
    };
    if !base.contains("://") {
        return Err(wrong("it does not begin with http:// or https://"));
    }
    let mut url = reqwest::Url::parse(base.trim()).map_err(|e| wrong(&e.to_string()))?;
    // Some give the whole address, with the path of the API.
    let given = url.path().trim_end_matches('/');
    let before = given.strip_suffix(kind.path());
    let given = before
        .and_then(|path| path.strip_suffix('/'))
        .unwrap_or(given);
    let path = format!("{given}/{}", kind.path());
    url.set_path(&path);
    match url.scheme() {
        "http" => Ok(url),
        "https" if cfg!(feature = "tls") => Ok(url),
        "https" => Err(AgentError::setup(feature_is_off(
            "tls",
            "an address that begins with https://",
        ))),
        other => Err(wrong(&format!("`{other}:` is not http or https"))),
    }
}

/// Whether a part of an address names a version (`v1`, `v1beta`).
pub(crate) fn names_version(address: &str) -> bool {
    address.split('/').any(|part| {
        let number = part.strip_prefix('v').unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// `address` with `/v1` before the path of the API, unless its path names a version.
pub(super) fn versioned(kind: ApiKind, address: &reqwest::Url) -> reqwest::Url {
    let mut url = address.clone();
    let base = url
        .path()
        .strip_suffix(kind.path())
        .unwrap_or_default()
        .trim_end_matches('/');
    if !names_version(base) {
        let path = format!("{base}/v1/{}", kind.path());
        url.set_path(&path);
    }
    url
}

/// The base address of `address` for messages: made only of scheme, host, port and path, because user, password and
/// query may be secret.
pub(super) fn shown(kind: ApiKind, address: &reqwest::Url, scrub: &Scrub) -> String {
    let path = address.path();
    let rest = [Some(path), address.query(), address.fragment()];
    // A password with a slash makes its beginning the host, and its end a part of the path.
    if rest.into_iter().flatten().any(|part| part.contains('@')) {
        return "the address that was given".to_owned();
    }
    let path = path.strip_suffix(kind.path()).unwrap_or(path);
    let (scheme, host) = (address.scheme(), address.host_str().unwrap_or_default());
    let port = address.port().map(|port| format!(":{port}"));
    let text = format!("{scheme}://{host}{}{path}", port.unwrap_or_default());
    one_line(&scrub.text(text.trim_end_matches('/')), SHOWN_ADDRESS)
}

/// What of the base address `base` is a secret, as it is written and decoded: its password, a name without a password,
/// and the parts of the query whose names say so (`?key=`).
pub(crate) fn secrets(base: &str) -> Vec<String> {
    let Ok(url) = reqwest::Url::parse(base.trim()) else {
        return Vec::new();
    };
    let words = ["key", "token", "secret", "sig", "pass", "auth", "code"];
    let query = url.query().unwrap_or_default().split('&');
    let named = query.filter_map(|part| part.split_once('='));
    let named = named.filter(|(name, _)| {
        let name = name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    });
    let account = url.password().unwrap_or_else(|| url.username());
    let mut out = Vec::new();
    for written in named.map(|(_, value)| value).chain([account]) {
        // The parser of addresses decodes it, as the value of a query. A `&` would end that value.
        let mut decoder = url.clone();
        decoder.set_query(Some(&format!("x={}", written.replace('&', "%26"))));
        let decoded = decoder
            .query_pairs()
            .next()
            .map(|(_, value)| value.into_owned());
        out.extend(decoded.filter(|decoded| decoded != written));
        out.push(written.to_owned());
    }
    out
}

/// Whether the base address `base` leads to this machine.
pub(crate) fn is_on_this_machine(base: &str) -> bool {
    reqwest::Url::parse(base.trim()).is_ok_and(|url| is_loopback(&url))
}

/// Whether the server is this machine, which no proxy can reach for us.
pub(super) fn is_loopback(address: &reqwest::Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorClass;

    const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

    #[test]
    fn addresses_are_shown_without_what_may_be_secret() {
        let scrub = Scrub::new([KEY]);
        let shown = |kind: ApiKind, base: &str| {
            let address = address(kind, base).unwrap();
            super::shown(kind, &address, &scrub)
        };
        for (base, expected) in [
            ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
            ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://host", "http://host"),
            ("http://me:word@host/v1?key=3#here", "http://host/v1"),
            ("http://me/word@host/v1", "the address that was given"),
            ("http://me:2024?word@host/v1", "the address that was given"),
            ("http://me:2024#word@host/v1", "the address that was given"),
            (&format!("http://host/{KEY}/v1"), "http://host/[key]/v1"),
        ] {
            for kind in [ApiKind::OpenAi, ApiKind::Anthropic, ApiKind::Embeddings] {
                assert_eq!(shown(kind, base), expected);
            }
        }
        let long = shown(ApiKind::OpenAi, &format!("http://host/{}", "x".repeat(999)));
        assert_eq!(long.chars().count(), SHOWN_ADDRESS + 1);
    }

    #[test]
    fn addresses_are_checked() {
        let url = address(ApiKind::OpenAi, " http://127.0.0.1:8080/v1/ ").unwrap();
        assert_eq!(url.as_str(), "http://127.0.0.1:8080/v1/chat/completions");
        let whole = "http://127.0.0.1:8080/v1/chat/completions";
        for base in [whole, &format!("{whole}/")] {
            assert_eq!(address(ApiKind::OpenAi, base).unwrap().as_str(), whole);
        }
        let other = address(ApiKind::OpenAi, "http://x/mychat/completions").unwrap();
        assert_eq!(other.path(), "/mychat/completions/chat/completions");
        for (wrong, why) in [
            ("", "begin with http://"),
            ("127.0.0.1", "begin with http://"),
            ("localhost:8080/v1", "begin with http://"),
            ("ftp://x/v1", "not http"),
            ("http://", "host"),
        ] {
            let error = address(ApiKind::OpenAi, wrong).unwrap_err();
            assert_eq!(error.class, ErrorClass::Setup);
            assert!(error.message.contains(why), "{error}");
        }
        if cfg!(not(feature = "tls")) {
            let error = address(ApiKind::Anthropic, "https://x/v1").unwrap_err();
            assert!(error.message.contains("tls"), "{error}");
        }
    }

    #[test]
    fn secrets_of_an_address_are_its_password_and_keys() {
        for (base, expected) in [
            ("http://host/v1?api-version=2024-10-21", vec![""]),
            (
                "http://host/v1?key=abc%2B1&x=2",
                vec!["abc+1", "abc%2B1", ""],
            ),
            (
                "http://bob:pa%55s-1&2@host/v1",
                vec!["paUs-1&2", "pa%55s-1&2"],
            ),
            ("http://hf_token@host/v1", vec!["hf_token"]),
            ("no address", vec![]),
        ] {
            assert_eq!(secrets(base), expected, "{base}");
        }
    }
}
