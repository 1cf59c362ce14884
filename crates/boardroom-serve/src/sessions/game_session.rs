//! One game.

use super::games::Trial;
use super::quota::MemoryQuota;
use super::seats::SeatPlay;
use run_engine::run_dir::progress::Progress;
use serde_json::Value;
use sim_core::{Input, Next, Outcome, Seat, Session, ToolEnvironment};
use std::path::PathBuf;

/// Memory of an entry of the log besides the call itself \[bytes\].
const ENTRY: usize = 128;

/// Memory of a JSON value besides its text \[bytes\]: the value itself, and the free capacity that
/// a growing list or object has for another one. A short text can contain many values, so the
/// length of the text alone would be too low a count.
const VALUE: usize = 2 * size_of::<Value>();

/// A game and its stored state.
#[derive(Debug)]
pub(super) struct GameSession {
    /// Its episode and repetition.
    pub(super) trial: Trial,
    /// `None` once the record is written.
    pub(super) session: Option<Session>,
    pub(super) over: Option<Ended>,
    /// The file of finished periods, if games are stored.
    pub(super) progress: Option<Progress>,
    /// The quota of the game; `None` once it has ended.
    pub(super) quota: Option<MemoryQuota>,
    /// The seats, if several clients play them or their results are kept.
    pub(super) play: Option<SeatPlay>,
    /// Results by seat of a game that is over, if they are kept.
    pub(super) seats: Vec<Seat>,
}

/// The end of a game.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    /// The result as JSON.
    pub(super) value: Value,
    /// The same as text.
    pub(super) text: String,
}

impl GameSession {
    /// Applies what is due after a turn, and stores finished turns. Returns the errors of writing.
    pub(super) fn settle(&mut self) -> Vec<String> {
        let Some(session) = &mut self.session else {
            return Vec::new();
        };
        if let Some(play) = &mut self.play {
            play.settle(session);
        }
        // Once for all turns that passed: they belong to one call.
        let kept = self
            .progress
            .as_mut()
            .map(|progress| progress.note(session));
        match kept {
            Some(Err(e)) => vec![e.to_string()],
            _ => Vec::new(),
        }
    }

    /// Stores the decisions of seats that are not in turn.
    pub(super) fn store_sealed(&self) -> Option<String> {
        let (session, play) = (self.session.as_ref()?, self.play.as_ref()?);
        let path = self.sealed_path()?;
        play.store(session, &path).err().map(|e| e.to_string())
    }

    /// Where decisions of seats that are not in turn are stored.
    pub(super) fn sealed_path(&self) -> Option<PathBuf> {
        let progress = self.progress.as_ref()?;
        Some(progress.path().with_extension("sealed"))
    }

    /// Calls `see` with the game as `seat` sees it; `None` once it is over.
    pub(super) fn with_view<R>(
        &self,
        seat: &Seat,
        see: impl FnOnce(&dyn ToolEnvironment) -> R,
    ) -> Option<R> {
        let session = self.session.as_ref()?;
        Some(match &self.play {
            Some(play) => play.with_view(session, seat, see),
            None => see(session.env()),
        })
    }

    /// Whether `seat` has decided in the running period.
    pub(super) fn has_decided(&self, seat: &Seat) -> bool {
        match (&self.session, &self.play) {
            (Some(session), Some(play)) => play.has_decided(session, seat),
            (Some(session), None) => session.env().turn() != *seat,
            _ => true,
        }
    }

    /// Names of the seats whose decisions of the running period are missing.
    pub(super) fn waiting_for(&self) -> Vec<Seat> {
        match (&self.session, &self.play) {
            (Some(session), Some(play)) if session.env().simultaneous() => {
                play.waiting_for(session)
            }
            (Some(session), _) => vec![session.env().turn()],
            _ => Vec::new(),
        }
    }

    /// Applies an input of `seat`; `None` if it cannot decide now.
    pub(super) fn apply_for(&mut self, seat: &Seat, input: Input) -> Option<Outcome> {
        let session = self.session.as_mut()?;
        if session.env().turn() == *seat {
            return Some(session.apply(input));
        }
        let limits = session.limits();
        let play = self.play.as_mut()?;
        let may = session.env().simultaneous() && !play.has_decided(session, seat);
        may.then(|| play.apply_aside(session, limits, seat, input))
    }
}

/// Whether an outcome ended the turn.
pub(super) fn ended_turn(next: Next) -> bool {
    matches!(next, Next::TurnOver | Next::Forfeited | Next::EpisodeOver)
}
/// Maximum memory of an input in the log \[bytes\].
pub(super) fn size(input: &Input) -> usize {
    match input {
        Input::Call { tool, arguments } => {
            let text = arguments.to_string().len();
            ENTRY + tool.len() + text + VALUE * values(arguments)
        }
        _ => ENTRY,
    }
}

/// Number of JSON values in a value, including itself.
fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values).sum::<usize>(),
        Value::Object(fields) => fields.values().map(values).sum::<usize>(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn many_small_values_count_as_what_they_take() {
        let call = |arguments| Input::Call {
            tool: String::new(),
            arguments,
        };
        assert_eq!(size(&call(json!({}))), ENTRY + 2 + VALUE);
        let list = call(json!({"a": vec![0; 1_000]}));
        let Input::Call { arguments, .. } = &list else {
            unreachable!("it is a call");
        };
        let kept = arguments["a"].as_array().unwrap().capacity() * size_of::<Value>();
        assert!(size(&list) > kept);
    }
}
