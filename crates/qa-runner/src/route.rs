//! The router's files and models: traces out of runs, policies that a model wrote, picks of a model.
//!
//! ```text
//!  question runs, trace files ──► TraceRecord ──► Matrix ──► learn | write ──► policy file
//!                                                   └──────► evaluate ◄──── policy file | picks
//! ```
//!
//! The router knows no run and no model, so here they meet.

pub mod picks;
pub mod traces;
pub mod write;

use agent_client::message::Message;
use agent_client::request::{Request, Role, Slot};
use aoa_router::ask::Ask;
use aoa_router::{Agents, Playbook, Strictness};
use run_engine::error::RunError;
use std::path::Path;

/// Largest file that is read [bytes].
const MOST_BYTES: u64 = 1 << 30;

/// Reads a policy file, with what was left out of it.
///
/// # Errors
/// When it cannot be read or is no policy for these agents; says where.
pub fn read_policy(
    path: &Path,
    agents: &Agents,
    strictness: Strictness,
) -> Result<(Playbook, Vec<String>), RunError> {
    let text = read_text(path)?;
    let reading = Playbook::read(&text, agents, strictness)
        .map_err(|e| RunError::usage(format!("{}: {e}", path.display())))?;
    Ok((reading.value, reading.left_out))
}

/// Reads a file of text that is not larger than any sensible one.
fn read_text(path: &Path) -> Result<String, RunError> {
    let size = std::fs::metadata(path).map_err(RunError::file(path))?.len();
    if size > MOST_BYTES {
        let text = format!("{}: {size} bytes; at most {MOST_BYTES}", path.display());
        return Err(RunError::usage(text));
    }
    std::fs::read_to_string(path).map_err(RunError::file(path))
}

/// What the router wants to ask, as a request.
fn request(ask: Ask, slot: Slot) -> Request {
    let messages = vec![Message::system(ask.system), Message::user(ask.user)];
    Request {
        temperature: Some(0.0),
        ..Request::new(Role::Reflector, slot, messages)
    }
}
