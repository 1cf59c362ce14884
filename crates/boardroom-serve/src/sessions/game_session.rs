//! One game.

use super::games::Trial;
use super::quota::MemoryQuota;
use super::seats::SeatPlay;
use run_engine::files::run_file;
use run_engine::run_dir::progress::Progress;
use serde_json::Value;
use sim_core::{EpisodeRecord, Input, Next, Outcome, Seat, Session, ToolEnvironment};
use std::path::PathBuf;

/// Memory of an entry of the log besides the call itself \[bytes\].
const ENTRY: usize = 128;

/// Memory of a JSON value besides its text \[bytes\]: the value itself, and the free capacity that
/// a growing list or object has for another one. A short text can contain many values, so the
/// length of the text alone would be too low a count.
const VALUE: usize = 2 * size_of::<Value>();

/// A game and its stored state.
#[derive(Debug, Default)]
pub(super) struct GameSession {
    /// Its episode and repetition.
    pub(super) trial: Trial,
    /// `None` once the record is written.
    pub(super) session: Option<Session>,
    pub(super) over: Option<Ended>,
    /// The file of finished periods, if games are stored.
    pub(super) progress: Option<Progress>,
    /// Whether finished turns could not be written to it; they are written with the next ones.
    pub(super) is_behind: bool,
    /// Whether the decisions of seats that are not in turn could not be written.
    pub(super) is_unsealed: bool,
    /// The record of the finished game, if it could not be written.
    pub(super) unsaved: Option<EpisodeRecord>,
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
        self.note().err().into_iter().collect()
    }

    /// Writes the finished turns to their file.
    fn note(&mut self) -> Result<(), String> {
        let (Some(session), Some(progress)) = (&self.session, &mut self.progress) else {
            return Ok(());
        };
        let noted = progress.note(session).map_err(|e| e.to_string());
        self.is_behind = noted.is_err();
        noted
    }

    /// Writes again what could not be written, also where the file was removed.
    pub(super) fn save_again(&mut self) -> Result<(), String> {
        let was_behind = self.is_behind;
        let is_noted = self.note().is_ok();
        if is_noted && !was_behind && !self.is_unsealed {
            return Ok(());
        }
        if let (false, Some(session), Some(progress)) =
            (is_noted, &self.session, &mut self.progress)
        {
            progress.take_over(session).map_err(|e| e.to_string())?;
            self.is_behind = false;
        }
        self.store_sealed()
    }

    /// Stores the decisions of seats that are not in turn.
    ///
    /// Those of a turn stay in their file until the turn itself is written: a later server then continues
    /// with them.
    pub(super) fn store_sealed(&mut self) -> Result<(), String> {
        let stored = self.try_store_sealed();
        self.is_unsealed = stored.is_err();
        stored
    }

    fn try_store_sealed(&mut self) -> Result<(), String> {
        // First the turns: sealed decisions belong to the turn behind the last one in the file.
        if self.is_behind {
            self.note()?;
        }
        let (Some(session), Some(play), Some(path)) =
            (&self.session, &self.play, self.sealed_path())
        else {
            return Ok(());
        };
        play.store(session, &path).map_err(|e| e.to_string())
    }

    /// Removes the turns and what is sealed, once the record is written: until then they are all there is of the game.
    /// What cannot be removed does no harm, because the record takes precedence.
    pub(super) fn remove_turns(&mut self) {
        let sealed = self.sealed_path();
        if let Some(progress) = self.progress.take() {
            let _ = progress.done();
        }
        if let Some(sealed) = sealed {
            // It is there only if the last turn was decided out of turn.
            let _ = run_file::remove(&sealed);
        }
    }

    /// The text for what `seat` decided in `period`, with what the period brought, if it is over: policies, and seats
    /// that had decided before, may have ended it since the reply of the `decision` was made.
    pub(super) fn text_at_end(
        &self,
        seat: &Seat,
        period: u32,
        decision: &Outcome,
    ) -> Option<String> {
        let is_taken = ended_turn(decision.next) && !decision.reply.is_rejected();
        let session = self.session.as_ref().filter(|_| is_taken)?;
        session.text_at_end(seat, period)
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
            // One client plays all seats, so whoever is not in turn has nothing to decide.
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
        // Only where orders are sealed anyway; elsewhere the order of seats is a part of the game.
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
            // The text and the values both: numbers are short as text and long in memory, texts the
            // other way round.
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
