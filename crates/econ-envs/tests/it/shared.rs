//! The golden files that lie beside the repository, where they are present.

use serde_json::Value;
use sim_core::{Episode, Seed};

/// The JSON of `golden/<path>`; `None`, loudly, where the folder is absent.
pub(crate) fn golden(path: &str) -> Option<Value> {
    let file = format!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/{}"),
        path
    );
    match std::fs::read_to_string(&file) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            eprintln!("SKIPPED: {file} is not there");
            None
        }
    }
}

/// A list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

/// A list of indices.
pub(crate) fn indices(value: &Value) -> Vec<u16> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| u16::try_from(v.as_u64().unwrap()).unwrap())
        .collect()
}

/// Whether `got` is `want` within `tolerance`, relative to the larger of `want` and `scale`.
pub(crate) fn close(got: f64, want: f64, tolerance: f64, scale: f64) -> bool {
    (got - want).abs() <= tolerance * want.abs().max(scale)
}

/// The first episode that draws from `seed` itself.
pub(crate) fn episode(seed: Seed) -> Episode {
    Episode { seed, index: 0 }
}
