//! The router's files and models: traces out of runs, policies that a model wrote, picks of a model.
//!
//! ```text
//!  question runs, trace files ──► TraceRecord ──► Matrix ──► learn | write ──► policy file
//!                                                   └──────► evaluate ◄──── policy file | picks
//! ```
//!
//! The router knows no run and no model, so here they meet.

pub mod picks;
pub mod policy;
pub mod routed;
pub mod traces;
pub mod write;

use agent_client::message::Message;
use agent_client::request::{ModelRole, Request, Slot};
use aoa_router::ask::Ask;

/// What the router wants to ask, as a request.
fn request(ask: Ask, slot: Slot) -> Request {
    let messages = vec![Message::system(ask.system), Message::user(ask.user)];
    Request::new(ModelRole::Reflector, slot, messages)
}
