//! Reads regular files, locks folders, appends lines of JSON, and removes truncated lines.

pub mod jsonl;
pub mod lock;
pub mod regular;
pub mod search_names;
#[cfg(feature = "models")]
pub mod store;
pub mod torn;

pub use jsonl::Jsonl;
