//! Finds and reads the stored vectors.

use serde_json::Value;
use std::path::PathBuf;

/// The shared folder of vectors; absent in a plain checkout.
fn shared(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path)
}

/// A vector file, from the crate's own copy or from the shared folder; prints `SKIPPED` and returns
/// `None` if it is in neither.
pub(crate) fn vectors(name: &str) -> Option<Value> {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden")).join(name);
    let path = if own.exists() {
        own
    } else {
        shared("golden/qa").join(name)
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            eprintln!("SKIPPED: no vectors {name}");
            None
        }
    }
}

/// A file of the published data; prints `SKIPPED` and returns `None` if it is absent.
pub(crate) fn published(path: &str) -> Option<Vec<u8>> {
    match std::fs::read(shared("upstream").join(path)) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("SKIPPED: no published file {path}");
            None
        }
    }
}

pub(crate) fn rows<'a>(file: &'a Value, key: &str) -> &'a Vec<Value> {
    file[key].as_array().unwrap()
}

pub(crate) fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap()
}

#[track_caller]
pub(crate) fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    let ok = got == want || (got - want).abs() <= tolerance;
    assert!(ok, "{what}: got {got}, want {want}");
}
