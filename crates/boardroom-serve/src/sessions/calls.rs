//! Status and calls of a game by the one client that plays all of its seats.

use super::answer::ClientAnswer;
use super::game_session::{Ended, GameSession, ended_turn, size};
use super::in_use::InUse;
use super::result::value_of;
use super::turn_texts::{self, TurnTexts, add};
use super::{SCORE_SO_FAR, SessionManager};
use crate::ServerMode;
use serde_json::{Value, json};
use sim_core::{Input, Next, Session};

impl SessionManager {
    /// The status of a game, or of a seat: the turn, the rules and the text that opens the turn, as
    /// `run` shows them to a model; after the end, how it ended.
    #[must_use]
    pub fn status(&self, id: &str) -> ClientAnswer {
        let Some(found) = self.find(id) else {
            return self.unknown(id);
        };
        let game = found.game();
        if let Some(seat) = &found.seat {
            return self.seat_status(&game, seat);
        }
        match &*game {
            GameSession {
                session: Some(session),
                ..
            } => {
                let (texts, mut value) = (TurnTexts::of(session.env()), self.standing(session));
                texts.add_rules(&mut value);
                texts.add_opening(&mut value);
                let turn = turn_texts::turn(session.env().period());
                ClientAnswer {
                    text: format!(
                        "{turn}\n\n{}\n\n{}",
                        texts.rules(self.seats.len() > 1),
                        texts.opening()
                    ),
                    reminder: None,
                    value,
                    error: false,
                }
            }
            GameSession {
                over: Some(end), ..
            } => over(end, false),
            GameSession { .. } => self.unknown(id),
        }
    }

    /// As [`status`](Self::status), for the client with this name. A game or a seat of another client does not
    /// exist for it.
    #[must_use]
    pub fn status_for(&self, client: &str, id: &str) -> ClientAnswer {
        if !self.games().is_for(client, id) {
            return self.unknown(id);
        }
        self.status(id)
    }

    /// As [`call`](Self::call), for the client with this name. A game or a seat of another client does not
    /// exist for it.
    #[must_use]
    pub fn call_for(
        &self,
        client: &str,
        id: &str,
        tool: &str,
        arguments: Value,
        turn: Option<u64>,
    ) -> ClientAnswer {
        if !self.games().is_for(client, id) {
            return self.unknown(id);
        }
        self.call(id, tool, arguments, turn)
    }

    /// Calls a tool of the environment. `turn`, if given, must be the number of the current turn: a
    /// repeated request is then refused because its turn is over, instead of acting twice.
    #[must_use]
    pub fn call(&self, id: &str, tool: &str, arguments: Value, turn: Option<u64>) -> ClientAnswer {
        let Some(found) = self.find(id) else {
            return self.unknown(id);
        };
        let mut game = found.game();
        if let Some(over) = self.refused_now(&game, turn, id) {
            return over;
        }
        // Before the memory is charged, or a client that asks again and again would use up the game of all seats.
        let seat = found.seat.as_ref();
        if let Some(refused) = seat.and_then(|seat| Self::seat_refused(&game, seat)) {
            return refused;
        }
        let input = Input::Call {
            tool: tool.to_owned(),
            arguments,
        };
        // Charged before it is applied, and also if it is refused: the log keeps refused calls too.
        let size = size(&input);
        if let Some(quota) = &mut game.quota
            && let Err(why) = quota.take(size, self.decides(tool))
        {
            return self.no_room(&mut game, size, why);
        }
        match &found.seat {
            Some(seat) => self.seat_call(&mut game, seat, input),
            None => self.call_in_turn(&found, &mut game, input),
        }
    }

    /// Why nothing can be called: the game is over, or the call is meant for another turn.
    fn refused_now(&self, game: &GameSession, turn: Option<u64>, id: &str) -> Option<ClientAnswer> {
        let Some(session) = &game.session else {
            return Some(match &game.over {
                Some(end) => over(end, true),
                None => self.unknown(id),
            });
        };
        let period = session.env().period();
        let meant = turn.filter(|turn| *turn != u64::from(period.index))?;
        let text = format!(
            "nothing was done: the call is for turn {meant}, and {} is being played",
            turn_texts::turn(period)
        );
        Some(ClientAnswer::refused("wrong_turn", text))
    }

    fn call_in_turn(
        &self,
        found: &InUse<'_>,
        game: &mut GameSession,
        input: Input,
    ) -> ClientAnswer {
        let tool = match &input {
            Input::Call { tool, .. } => tool.clone(),
            _ => String::new(),
        };
        let Some(session) = &mut game.session else {
            return self.unknown(&found.id);
        };
        // Taken before the call: the rules are told again only to a seat that does not know them.
        let before = TurnTexts::of(session.env());
        let (seat, period) = (session.env().turn(), session.env().period().index);
        let outcome = session.apply(input);
        let error = outcome.reply.is_rejected();
        // After the last turn the record is written instead of the progress.
        let faults = match outcome.next {
            next if ended_turn(next) && next != Next::EpisodeOver => game.settle(),
            _ => Vec::new(),
        };
        let reply = game.text_at_end(&seat, period, &outcome);
        let reply = reply.unwrap_or_else(|| outcome.reply.text().to_owned());
        let mut text = self.with_own_tools(reply.clone(), error, &tool);
        let Some(session) = game.session.as_ref() else {
            return self.unknown(&found.id);
        };
        let mut value = self.standing(session);
        add(&mut value, "reply", reply.as_str().into());
        for fault in &faults {
            // The game continues; the client and the operator are told that this turn is not on the
            // disk.
            add(&mut value, "not_kept", fault.as_str().into());
            self.not_kept(game.trial, fault);
        }
        let mut reminder = None;
        if session.env().is_over() {
            let end = self.finish(game, None);
            value = end.value;
            add(&mut value, "reply", reply.as_str().into());
            return ClientAnswer {
                text: format!("{text}\n\n{}", end.text),
                reminder,
                value,
                error,
            };
        }
        match outcome.next {
            // The turn goes on: its rules and its opening were told, and the reminder is what a
            // next try needs.
            Next::GoOn => {
                let said = session.env().briefing().reminder;
                add(&mut value, "reminder", said.as_str().into());
                reminder = Some(said).filter(|said| !said.is_empty());
            }
            next => {
                if next == Next::Forfeited {
                    text.push_str(&self.forfeited());
                }
                let after = TurnTexts::of(session.env());
                if !before.covers(&after) {
                    after.add_rules(&mut value);
                    text = format!("{text}\n\n{}", after.rules(self.seats.len() > 1));
                }
                after.add_opening(&mut value);
                text = format!("{text}\n\n{}", after.opening());
            }
        }
        ClientAnswer {
            text,
            reminder,
            value,
            error,
        }
    }

    /// The text of a reply; a refusal of an unknown tool names the server's own tools as well.
    pub(super) fn with_own_tools(&self, text: String, error: bool, tool: &str) -> String {
        if error && self.tools().iter().all(|spec| spec.name != tool) {
            return format!("{text}; the server adds {}", self.own_tools().join(" and "));
        }
        text
    }

    /// What a client is told when its last try was refused.
    pub(super) fn forfeited(&self) -> String {
        let unit = self.unit();
        format!("\n\nThat was the last try: the {unit} was forfeited.")
    }

    pub(super) fn standing(&self, session: &Session) -> Value {
        let env = session.env();
        let period = env.period();
        let mut value = json!({
            "over": env.is_over(),
            "turn": period.index,
            "of": period.total,
            "unit": period.unit,
        });
        let score = env.score().ok().filter(|_| self.mode() == ServerMode::Play);
        let score = score.and_then(|score| value_of(&score));
        if let (Some(score), Some(map)) = (score, value.as_object_mut()) {
            map.insert(SCORE_SO_FAR.to_owned(), score.into());
        }
        let several = self.seats.len() > 1;
        if let Some(map) = value.as_object_mut().filter(|_| several) {
            map.insert("seat".to_owned(), env.turn().name().into());
        }
        value
    }
}

/// The answer to a call or a request for the status after the end.
pub(super) fn over(end: &Ended, error: bool) -> ClientAnswer {
    ClientAnswer {
        text: format!("the episode is over\n\n{}", end.text),
        reminder: None,
        value: end.value.clone(),
        error,
    }
}
