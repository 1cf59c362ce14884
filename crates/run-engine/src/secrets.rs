//! The secrets of this process, masked in everything that is written or shown.

use sim_core::scrub::Scrub;
use std::env;
use std::sync::OnceLock;

/// Environment variables that hold API keys.
pub const KEY_VARIABLES: [&str; 2] = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

/// The scrubber for the keys in the environment of this process ([`KEY_VARIABLES`]), read at the
/// first call. All files of a run folder and all lines on the terminal pass through it, also in
/// runs without a model, so that no caller has to hand a scrubber down.
#[must_use]
pub fn scrub() -> &'static Scrub {
    static SCRUB: OnceLock<Scrub> = OnceLock::new();
    SCRUB.get_or_init(|| {
        let keys: Vec<String> = KEY_VARIABLES
            .iter()
            .filter_map(|name| env::var(name).ok())
            .collect();
        Scrub::new(keys.iter().map(|key| key.trim()))
    })
}
