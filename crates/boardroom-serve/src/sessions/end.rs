//! Ends games and writes their records.

use super::SessionManager;
use super::answer::ClientAnswer;
use super::game_session::GameSession;
use super::quota::{MemoryQuota, QuotaError};
use run_engine::error::RunError;
use run_engine::run_dir::progress::Progress;
use run_engine::secrets;
use serde_json::{Value, json};
use sim_core::Next;
use std::sync::PoisonError;

impl SessionManager {
    /// Refuses a call that exceeds the game's quota. If decisions have used up even the reserve,
    /// the rest of the game is forfeited (counts as no action): it ends and gets its score.
    pub(super) fn no_room(
        &self,
        seat: &mut GameSession,
        size: usize,
        why: QuotaError,
    ) -> ClientAnswer {
        let (taken, most) = (
            seat.quota.as_ref().map_or(0, MemoryQuota::taken),
            self.limits.bytes,
        );
        let text = format!("the call takes {size} bytes, and the game has taken {taken} of {most}");
        match why {
            QuotaError::Full => self.server_full(),
            QuotaError::TooLong => {
                let text = format!("{text}, of which some are for decisions alone");
                ClientAnswer::refused("too_long", text)
            }
            QuotaError::Spent => {
                if let Some(session) = &mut seat.session {
                    while session.forfeit() != Next::EpisodeOver {}
                }
                let text = format!("{text}: what was left of it is forfeited");
                let mut answer = ClientAnswer::refused("too_long", text);
                if let (Value::Object(value), Value::Object(end)) =
                    (&mut answer.value, self.finish(seat))
                {
                    answer.text = with_score(&answer.text, end.get("score"));
                    value.extend(end);
                }
                answer
            }
        }
    }

    /// Ends a game: stores its record if records are stored, and says how it ended.
    pub(super) fn finish(&self, seat: &mut GameSession) -> Value {
        let Some(session) = seat.session.take() else {
            return Value::Null;
        };
        let number = session.header().episode;
        let end = match session.finish() {
            Ok(record) => {
                let kept = self
                    .keep(&record)
                    .and_then(|()| seat.progress.take().map_or(Ok(()), Progress::done));
                if let Err(e) = &kept {
                    self.not_kept(number, e);
                }
                let kept = kept.err().map(|e| e.to_string());
                json!({
                    "over": true,
                    "ending": record.ending,
                    "score": {"value": record.score.value(), "metrics": record.score.metrics()},
                    "not_kept": kept,
                })
            }
            Err(e) => {
                self.not_kept(number, &e);
                json!({"over": true, "error": e.to_string()})
            }
        };
        seat.over = Some(end.clone());
        seat.quota = None;
        end
    }

    /// Notes that a part of an episode could not be written, if games are stored.
    pub(super) fn not_kept(&self, number: u64, error: &dyn std::fmt::Display) {
        let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        unkept.push(format!("episode {number} is not kept: {error}"));
    }

    fn keep(&self, record: &sim_core::EpisodeRecord) -> Result<(), RunError> {
        let mut games = self.games();
        let Some((_, appender)) = &mut games.record else {
            return Ok(());
        };
        let line = serde_json::to_string(record).map_err(|e| RunError::Failed(e.to_string()))?;
        appender.line(&secrets::scrub().clean_line(line))?;
        appender.sync()
    }
}

/// A text with the end of the game and its score.
pub(super) fn with_score(text: &str, score: Option<&Value>) -> String {
    match score.and_then(|score| score.get("value")) {
        Some(score) => format!("{text}\n\nThe episode is over. Score: {score}."),
        None => format!("{text}\n\nThe episode is over."),
    }
}
