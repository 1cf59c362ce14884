//! One game.

use super::room::Room;
use crate::progress::Progress;
use serde_json::Value;
use sim_core::{Input, Session};

/// What an entry of the log takes besides what was sent \[bytes\].
const ENTRY: usize = 128;

/// A game with what is kept of it.
#[derive(Debug)]
pub(super) struct Seat {
    /// Taken when the record is written.
    pub(super) session: Option<Session>,
    pub(super) over: Option<Value>,
    /// The finished periods on the disk, where games are kept.
    pub(super) progress: Option<Progress>,
    /// What the game has taken in; an ended one needs none.
    pub(super) room: Option<Room>,
}

/// Bytes that an input takes in the log.
pub(super) fn size(input: &Input) -> usize {
    match input {
        Input::Call { tool, arguments } => ENTRY + tool.len() + arguments.to_string().len(),
        _ => ENTRY,
    }
}
