//! What needs a feature that is off names it, with the command that adds it, before anything is
//! played or asked.

use crate::program::ok;
use boardroom::features::FEATURES;

/// The command is refused in one line that names the feature, and leaves nothing behind.
#[allow(dead_code, reason = "with all features nothing is refused")]
fn names(feature: &str, command: &str) {
    assert!(FEATURES.contains(&(feature, false)));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let command = command.replace("OUT", out.to_str().unwrap());
    let words: Vec<&str> = command.split_whitespace().collect();
    // The model is not asked: no server listens there.
    let output = crate::program::without_saving(&words)
        .env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
        .env("OPENAI_API_KEY", crate::server::KEY)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let adds = format!("--features {feature}");
    assert!(said.contains(&adds) && said.lines().count() == 1, "{said}");
    assert!(!out.exists());
}

#[test]
fn the_version_lists_the_features() {
    let text = ok("--version");
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with(concat!("boardroom ", env!("CARGO_PKG_VERSION"), " (")));
    let (with, without) = text.split_once("without").unwrap_or((&text, ""));
    for (feature, on) in FEATURES {
        let listed = if on { with } else { without };
        let mut listed = listed.split(|c: char| !c.is_ascii_lowercase() && c != '-');
        assert!(listed.any(|word| word == feature), "{feature}: {text}");
    }
}

#[cfg(not(feature = "cedar"))]
#[test]
fn cedar_is_named() {
    let set = "--preset small --set access.policies=\"x\"";
    let office = format!("run office {set} --episodes 1");
    names("cedar", &format!("{office} --agent oracle --out OUT"));
    names("cedar", &format!("generate office {set} -o OUT"));
}

#[cfg(not(feature = "mcp"))]
#[test]
fn mcp_is_named() {
    names("mcp", "serve beer-game --preset random");
}

#[cfg(not(feature = "view"))]
#[test]
fn view_is_named() {
    names("view", "view runs --export OUT");
}

#[cfg(not(feature = "tls"))]
#[test]
fn tls_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let words = "run beer-game --episodes 1 --agent openai:model --no-save";
    let words: Vec<&str> = words.split_whitespace().collect();
    let output = crate::program::without_saving(&words)
        .env("OPENAI_BASE_URL", "https://localhost:1/v1")
        .env("OPENAI_API_KEY", crate::server::KEY)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        said.contains("--features tls") && said.lines().count() == 1,
        "{said}"
    );
}
