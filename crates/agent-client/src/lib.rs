//! Clients for language models, and the methods with which they play and answer.
//!
//! This crate lets any model behind an OpenAI-compatible or an Anthropic API play every
//! environment of Boardroom. It depends on no simulator and no scorer, opens no file and prints
//! nothing; the runner passes stores, graders and environments.
//!
//! ```text
//!  Request ─► budget ─► cache ─► cassette ─► limiter ─► retry ─► transport ─► server
//!  (neutral)  (cap on    (equal    (record,    (requests, (classes,  (time and
//!              money)     requests)  replay)    tokens)    caps)      size)
//! ```

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod backend;
pub mod backends;
pub mod cassette;
pub mod client;
pub mod decide;
pub mod error;
pub mod interview;
pub mod json_text;
pub mod layer;
pub mod ledger;
pub mod memory;
pub mod message;
pub mod meter;
pub mod method;
pub mod money;
pub mod pace;
pub mod parallel;
pub mod play;
pub mod prompt;
pub mod reply;
pub mod request;
pub mod secret;
pub mod store;
pub mod structured;
pub mod tokens;
pub mod wire;

pub use backend::{AgentBackend, Structured};
pub use error::{AgentError, ErrorClass};
pub use message::{Arguments, Message, Said, ToolCall, ToolResult};
pub use reply::{Finish, Reply, ReplySource, Usage};
pub use request::{Format, ModelRole, Request, Schema, Slot, Tool, ToolChoice};
