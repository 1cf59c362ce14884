//! Ends games and writes their records.

use super::answer::ClientAnswer;
use super::game_session::{Ended, GameSession};
use super::games::Trial;
use super::quota::{MemoryQuota, QuotaError};
use super::result::value_of;
use super::turn_texts::{add, merge};
use super::{SessionManager, open_source, result};
use boardroom_http::lock;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{EpisodeRecord, Reference};
use std::sync::{Arc, Mutex};

/// Maximum number of write errors that wait to be told to the operator.
const MOST_UNKEPT: usize = 1_000;

/// Write errors of a server.
#[derive(Debug, Default)]
pub(super) struct Unkept {
    /// Those that have not been reported to the operator yet.
    pub(super) lines: Vec<String>,
    /// How many there were.
    pub(super) count: u64,
    /// The last one.
    pub(super) last: Option<String>,
}

/// Why a game was ended before its last turn, in one word of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ClosedBy {
    /// The host closed it.
    Host,
    /// It was idle for too long.
    Idle,
    /// Its calls used up its memory.
    Memory,
    /// The server ended.
    Shutdown,
}

impl SessionManager {
    /// Ends a game for the host: what was decided in the running period is applied, the rest of the game is
    /// forfeited (every turn counts as no action), and it is scored and recorded. A game that is over
    /// already stays as it is; the answer is its result.
    #[must_use]
    pub fn close_episode(&self, id: &str) -> ClientAnswer {
        let Some(found) = self.find(id) else {
            return self.unknown(id);
        };
        let mut game = found.game();
        let end = self.close(&mut game, ClosedBy::Host);
        ClientAnswer::told(end.text, end.value)
    }

    /// Closes the games that were idle for too long. Every request does this; a server without
    /// requests has to call it from time to time.
    pub fn close_idle(&self) {
        let bound = self.bound().map(|opened| opened.id.as_str());
        let expired = self.games().expired(self.options.limits.idle, bound);
        for table in expired {
            let mut game = lock(&table);
            self.close(&mut game, ClosedBy::Idle);
        }
    }

    /// Closes every game that is not over.
    pub fn close_all(&self) {
        for table in self.tables() {
            let mut game = lock(&table);
            self.close(&mut game, ClosedBy::Shutdown);
        }
    }

    /// All games. Copied, so that the lock of all games is not held while one of them is waited for.
    fn tables(&self) -> Vec<Arc<Mutex<GameSession>>> {
        let games = self.games();
        games.open.values().map(|game| game.table.clone()).collect()
    }

    /// Applies what was decided in the running period, forfeits the rest of a game and ends it.
    fn close(&self, game: &mut GameSession, why: ClosedBy) -> Ended {
        if let Some(session) = &mut game.session {
            if let Some(play) = &mut game.play {
                play.end_period(session);
            }
            // Who judges a game that its client left judges it all the same.
            while !session.env().is_over() {
                let play = game.play.as_mut();
                if !play.is_some_and(|play| play.settle_other(session)) {
                    session.forfeit();
                }
            }
        }
        self.finish(game, Some(why))
    }

    /// Refuses a call that exceeds the game's quota. If decisions have used up even the reserve,
    /// the rest of the game is forfeited (counts as no action): it ends and gets its score.
    pub(super) fn no_room(
        &self,
        game: &mut GameSession,
        size: usize,
        why: QuotaError,
    ) -> ClientAnswer {
        let (taken, most) = (
            game.quota.as_ref().map_or(0, MemoryQuota::taken),
            self.options.limits.bytes,
        );
        let text = format!("the call takes {size} bytes, and the game has taken {taken} of {most}");
        match why {
            QuotaError::Full => self.server_full(),
            QuotaError::TooLong => {
                let text = format!("{text}, of which some are for decisions alone");
                ClientAnswer::refused("too_long", text)
            }
            QuotaError::Spent => {
                let end = self.close(game, ClosedBy::Memory);
                let text = format!("{text}: what was left of it is forfeited");
                let mut answer = ClientAnswer::refused("too_long", text);
                answer.text = format!("{}\n\n{}", answer.text, end.text);
                merge(&mut answer.value, end.value);
                answer
            }
        }
    }

    /// Ends a game: stores its record if records are stored, and says how it ended.
    pub(super) fn finish(&self, game: &mut GameSession, closed: Option<ClosedBy>) -> Ended {
        // Before the session is taken: the last periods are read from it.
        if let (Some(session), Some(play)) = (&game.session, &mut game.play) {
            play.follow(session);
        }
        // Taken out first, so that a game that cannot be scored is over all the same.
        let Some(session) = game.session.take() else {
            let lost = || Ended {
                value: Value::Null,
                text: String::new(),
            };
            return game.over.clone().unwrap_or_else(lost);
        };
        let trial = game.trial;
        let end = match session.finish() {
            Ok(record) => {
                let kept = match &self.records {
                    Some(records) => records.keep(&record),
                    None => Ok(()),
                };
                match &kept {
                    Ok(()) => game.remove_turns(),
                    Err(e) => self.not_kept(trial, e),
                }
                let fault = kept.err().map(|e| e.to_string());
                let end = self.ended(&record, closed, fault.as_deref());
                game.unsaved = fault.map(|_| record);
                end
            }
            Err(e) => {
                self.not_kept(trial, &e);
                Ended {
                    value: json!({"over": true, "error": e.to_string()}),
                    text: "The episode is over.".to_owned(),
                }
            }
        };
        game.over = Some(end.clone());
        // Of a game that is over nothing more is sent, so others may have its share.
        game.quota = None;
        end
    }

    /// Writes again what could not be written, and checks that the files of all games are still there.
    ///
    /// # Errors
    /// Why something cannot be saved.
    pub fn save_again(&self) -> Result<(), String> {
        let Some(records) = &self.records else {
            return Ok(());
        };
        records.check().map_err(|e| e.to_string())?;
        for table in self.tables() {
            let mut game = lock(&table);
            game.save_again()?;
            let Some(record) = &game.unsaved else {
                continue;
            };
            // It may be there: the file was moved away when it was written, and is back.
            let found = records.find(game.trial).map_err(|e| e.to_string())?;
            if found.is_none() {
                records.keep(record).map_err(|e| e.to_string())?;
            }
            game.unsaved = None;
            game.remove_turns();
            if let Some(end) = &mut game.over {
                add(&mut end.value, "not_kept", Value::Null);
            }
        }
        Ok(())
    }

    pub(super) fn ended(
        &self,
        record: &EpisodeRecord,
        closed: Option<ClosedBy>,
        not_kept: Option<&str>,
    ) -> Ended {
        let mut value = json!({
            "over": true,
            "ending": record.ending,
            "score": {"value": value_of(&record.score), "metrics": record.score.metrics()},
            "not_kept": not_kept,
        });
        let score = record.score.value();
        let mut text = match record.score.why_unscored() {
            None => format!("The episode is over. Score: {}.", Value::from(score)),
            Some(why) => format!("The episode is over. It has no score: {why}."),
        };
        if let Some(why) = closed {
            let why: &str = why.into();
            add(&mut value, "closed_by", why.into());
            text.push_str(&format!(
                " It was closed early ({why}): what was left of it is forfeited."
            ));
        }
        if let Ok(kind) = self.registry().kind(self.environment()) {
            let result = result::result(kind, record, &self.reference(record));
            text = format!("{text} {}", result::text(&result, kind.sense()));
            add(&mut value, "result", result);
        }
        Ended { value, text }
    }

    /// The reference of the instance of a record; none if it cannot be computed.
    fn reference(&self, record: &EpisodeRecord) -> Reference {
        let source = open_source(self.registry(), self.plan());
        let case = source.and_then(|source| source.case(record.header.episode));
        let found = case.and_then(|case| self.references.of(&*case));
        found.map_or_else(|_| Reference::none(), |found| found.reference.clone())
    }

    /// Reports that a part of a game could not be written, if games are stored.
    pub(super) fn not_kept(&self, (episode, trial): Trial, error: &dyn std::fmt::Display) {
        self.report_unkept(format!(
            "trial {trial} of episode {episode} could not be saved: {error}"
        ));
    }

    /// Reports that something could not be written.
    pub(crate) fn report_unkept(&self, line: String) {
        let mut unkept = lock(&self.unkept);
        unkept.count += 1;
        unkept.last = Some(line.clone());
        // Where nobody takes them, they do not fill the memory.
        if unkept.lines.len() < MOST_UNKEPT {
            unkept.lines.push(line);
        }
    }
}
