//! Clients for language models, and the methods with which they play and answer.
//!
//! This crate lets any model behind an OpenAI-compatible or an Anthropic API play every
//! environment of Boardroom. It depends on no simulator and no scorer, opens no file and prints
//! nothing; the runner passes stores, graders and environments.
//!
//! ```text
//!  Request ─► budget ─► cache ─► cassette ─► limiter ─► retry ─► adapt ─► transport ─► server
//!  (neutral)  (cap on    (equal    (record,    (requests, (classes,  (form the  (time and
//!              money)     requests)  replay)    tokens)    caps)      server     size)
//!                                                                     takes)
//! ```
//!
//! # Where to begin
//!
//! * To ask a model: [`client::Client`], or a double of [`backends`]. Both implement [`AgentBackend`].
//! * To let it play one episode: [`play::play()`], with a [`play::Agent`] and a `sim_core::Session`.
//! * To run a method on many units of work, with learning in between: [`method::MethodSpec`] gives the
//!   method by name, [`method::LearningStream`] runs it.
//! * To get JSON of a given form: [`structured::ask`].
//!
//! # Guarantees
//!
//! * **Equal requests have equal bytes.** A request is canonical JSON, and its [`Slot`] says where in the run it
//!   is made. An interrupted run therefore finds its earlier answers in the [`cassette`], and a recording
//!   replays without a key.
//! * **Nothing is retried without end.** Attempts, identical failures and pauses are limited
//!   ([`layer::retry`]); every failure has a class ([`ErrorClass`]).
//! * **A cap on the cost holds at any concurrency**, if the server respects the limit on the length of
//!   replies ([`ledger`]).
//! * **Keys do not reach files, messages or prompts** ([`secret`]).
//! * **Odd replies are not lost.** Unknown fields and words are accepted, invalid tool arguments are
//!   told to the model, token counts outside their range are estimated ([`wire`], [`tokens`]).
//!
//! # Example
//! ```
//! use agent_client::backends::Scripted;
//! use agent_client::{AgentBackend, AgentError, Message, ModelRole, Request, Slot};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), AgentError> {
//!     let model = Scripted::texts(["Four hundred."]);
//!     let chat = vec![Message::user("How many do you order?")];
//!     let reply = model.ask(Request::new(ModelRole::Agent, Slot::new("first"), chat)).await?;
//!     assert_eq!(reply.said.text, "Four hundred.");
//!     Ok(())
//! }
//! ```

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

pub mod backend;
pub mod backends;
pub mod cassette;
pub mod cause;
pub mod client;
pub mod decide;
pub mod error;
pub mod in_flight;
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
mod room;
pub mod secret;
pub mod store;
pub mod structured;
pub mod tokens;
pub mod wire;

pub use backend::{AgentBackend, Structured};
pub use cause::{Cause, Causes};
pub use error::{AgentError, ErrorClass};
pub use message::{Arguments, Message, Said, ToolCall, ToolResult};
pub use reply::{Finish, Reply, ReplySource, Usage};
pub use request::{Format, ModelRole, Request, Schema, Slot, Tool, ToolChoice};
