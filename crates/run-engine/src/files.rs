//! Files: reading ordinary ones, locking folders, appending lines of JSON, setting torn lines aside.

pub mod jsonl;
pub mod lock;
pub mod regular;
pub mod store;
pub mod torn;

pub use jsonl::Jsonl;
