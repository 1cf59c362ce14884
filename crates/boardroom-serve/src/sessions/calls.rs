//! Status and calls of a game: by the one client that plays all of its seats, or by one of several clients that each
//! play a seat. A seat gets what it may see itself; what other seats decided stays sealed until the period is over.

use super::answer::ClientAnswer;
use super::game_session::{GameSession, ended_turn, size};
use super::result::value_of;
use super::turn_texts::{self, TurnTexts, add};
use super::{SCORE_SO_FAR, SessionManager};
use crate::ServerMode;
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::{Input, Next, Seat, Session};

/// What a decision is meant for, as far as its client says so. A repeated request is then refused because its turn
/// is over, instead of acting twice.
#[derive(Debug, Clone, Copy)]
pub struct Meant<'a> {
    /// The number of the current turn. A client that plays several seats names the seat as well.
    pub turn: Option<u64>,
    /// Name of the seat that decides.
    pub seat: Option<&'a str>,
}

impl SessionManager {
    /// The status of a game, or of a seat: the turn, the rules and the text that opens the turn, as
    /// `run` shows them to a model; after the end, how it ended.
    #[must_use]
    pub fn status(&self, id: &str) -> ClientAnswer {
        let Some(found) = self.find(id) else {
            return self.unknown(id);
        };
        let game = found.game();
        let seat = found.seat.as_ref();
        let Some(session) = &game.session else {
            return self.over(&game, id, false);
        };
        let env = session.env();
        let mut value = self.standing(&game, session, seat);
        let turn = turn_texts::turn(env.period());
        if seat.is_some_and(|seat| env.turn() != *seat) && !env.simultaneous() {
            return ClientAnswer::told(format!("{turn}\n\n{}", waiting(&game)), value);
        }
        let texts = match seat {
            Some(seat) => game.with_view(seat, TurnTexts::of),
            None => Some(TurnTexts::of(env)),
        };
        let Some(texts) = texts else {
            return self.unknown(id);
        };
        texts.add_rules(&mut value);
        texts.add_opening(&mut value);
        let rules = match seat {
            Some(_) => texts.own_rules(),
            None => texts.rules(self.seats.len() > 1),
        };
        let mut text = format!("{turn}\n\n{rules}\n\n{}", texts.opening());
        if seat.is_some_and(|seat| game.has_decided(seat)) {
            text = format!("{text}\n\n{}", waiting(&game));
        }
        ClientAnswer::told(text, value)
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
        meant: Meant<'_>,
    ) -> ClientAnswer {
        if !self.games().is_for(client, id) {
            return self.unknown(id);
        }
        self.call_meant(id, tool, arguments, meant)
    }

    /// Calls a tool of the environment. `turn`, if given, must be the number of the current turn, see [`Meant`]. With
    /// the identifier of a game with several seats it is refused, because no seat is named here.
    #[must_use]
    pub fn call(&self, id: &str, tool: &str, arguments: Value, turn: Option<u64>) -> ClientAnswer {
        self.call_meant(id, tool, arguments, Meant { turn, seat: None })
    }

    fn call_meant(&self, id: &str, tool: &str, arguments: Value, meant: Meant<'_>) -> ClientAnswer {
        let Some(found) = self.find(id) else {
            return self.unknown(id);
        };
        let mut game = found.game();
        let seat = found.seat.as_ref();
        // Before the memory is charged, or a client that asks again and again would use up the game of all seats.
        if let Some(refused) = self.refused_now(&game, meant, seat, id) {
            return refused;
        }
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
        self.apply(&mut game, id, seat, input)
    }

    /// Why nothing can be called with the identifier of `seat`, or of the game: it is over, or the call is meant for
    /// another turn or seat, or does not say for which of the seats.
    fn refused_now(
        &self,
        game: &GameSession,
        meant: Meant<'_>,
        seat: Option<&Seat>,
        id: &str,
    ) -> Option<ClientAnswer> {
        let Some(session) = &game.session else {
            return Some(self.over(game, id, true));
        };
        let env = session.env();
        let (period, in_turn) = (env.period(), env.turn());
        let now = turn_texts::turn(period);
        if let Some(turn) = meant.turn.filter(|turn| *turn != u64::from(period.index)) {
            let text =
                format!("nothing was done: the call is for turn {turn}, and {now} is being played");
            return Some(ClientAnswer::refused("wrong_turn", text));
        }
        let decides = seat.unwrap_or(&in_turn);
        let (code, why) = match meant.seat {
            Some(name) if name != decides.name() => {
                let name = clip(name);
                let text = format!("the call is for seat `{name}`, and would decide for {decides}");
                ("wrong_turn", text)
            }
            // A turn has a decision of every seat: with its number alone, a repeated call would decide for the next.
            None if meant.turn.is_some() && seat.is_none() && self.seats.len() > 1 => {
                let text =
                    format!("`turn` needs `seat` beside it: {decides} decides next in {now}");
                ("bad_arguments", text)
            }
            _ => return None,
        };
        let text = format!("nothing was done: {why}");
        Some(ClientAnswer::refused(code, text))
    }

    /// Why a seat cannot call anything now: it has decided, or another one is in turn.
    fn seat_refused(game: &GameSession, seat: &Seat) -> Option<ClientAnswer> {
        let env = game.session.as_ref()?.env();
        let may_decide = env.simultaneous() && !game.has_decided(seat);
        if env.turn() == *seat || may_decide {
            return None;
        }
        let (code, done) = if env.simultaneous() {
            let turn = turn_texts::turn(env.period());
            ("sealed", format!("the decision of {turn} is made. "))
        } else {
            ("not_your_turn", String::new())
        };
        let mut answer = ClientAnswer::refused(code, format!("{done}{}", waiting(game)));
        add(&mut answer.value, "waiting_for", names(game));
        Some(answer)
    }

    /// Applies a call of `seat`, or of the one client that plays all seats, and returns the answer.
    fn apply(
        &self,
        game: &mut GameSession,
        id: &str,
        seat: Option<&Seat>,
        input: Input,
    ) -> ClientAnswer {
        let tool = match &input {
            Input::Call { tool, .. } => tool.clone(),
            _ => String::new(),
        };
        let Some(session) = &game.session else {
            return self.over(game, id, true);
        };
        let (turn, at) = (session.env().turn(), session.env().period());
        let is_aside = seat.is_some_and(|seat| *seat != turn);
        let by = seat.cloned().unwrap_or(turn);
        // Taken before the call: the rules are told again only to a seat that does not know them.
        let before = seat.is_none().then(|| TurnTexts::of(session.env()));
        let Some(outcome) = game.apply_for(&by, input) else {
            return ClientAnswer::refused("not_your_turn", waiting(game));
        };
        let ended = ended_turn(outcome.next);
        let error = outcome.reply.is_rejected();
        let mut faults = Vec::new();
        // After the last turn the record is written instead of the progress. For a seat, `EpisodeOver` does not mean that
        // the game is over: the decision may have been tried on a copy, in which the seats before it did nothing.
        if ended && (seat.is_some() || outcome.next != Next::EpisodeOver) {
            faults = game.settle();
        }
        // A decision that is made before its turn was tried on a copy: its reply is not that of the
        // game.
        let reply = if ended && is_aside && !error {
            "Your decision is sealed.".to_owned()
        } else {
            outcome.reply.text().to_owned()
        };
        let reply = game.text_at_end(&by, at.index, &outcome).unwrap_or(reply);
        if seat.is_some() && (ended || is_aside) {
            // Also after a try that was refused: the limit on tries counts on when a later server
            // continues.
            faults.extend(game.store_sealed().err());
        }
        for fault in &faults {
            self.not_kept(game.trial, fault);
        }
        let mut text = self.with_own_tools(reply.clone(), error, &tool);
        if outcome.next == Next::Forfeited {
            let unit = self.unit();
            text.push_str(&format!(
                "\n\nThat was the last try: the {unit} was forfeited."
            ));
        }
        let is_over = |session: &Session| session.env().is_over();
        if game.session.as_ref().is_none_or(is_over) {
            // Its result says whether the record is kept, whatever became of the turns.
            let end = self.finish(game, None);
            let mut value = end.value;
            add(&mut value, "reply", reply.into());
            return ClientAnswer {
                error,
                ..ClientAnswer::told(format!("{text}\n\n{}", end.text), value)
            };
        }
        let Some(session) = &game.session else {
            return self.over(game, id, true);
        };
        let env = session.env();
        let mut value = self.standing(game, session, seat);
        add(&mut value, "reply", reply.into());
        if let Some(fault) = faults.last() {
            // The game continues; the client is told as well that this turn is not on the disk.
            add(&mut value, "not_kept", fault.as_str().into());
        }
        let mut reminder = None;
        let is_next = env.period().index != at.index && (env.simultaneous() || env.turn() == by);
        match (seat, outcome.next) {
            // The turn goes on: its rules and its opening were told, and the reminder is what a
            // next try needs.
            (_, Next::GoOn) => {
                let said = game.with_view(&by, |env| env.briefing().reminder);
                let said = said.unwrap_or_default();
                add(&mut value, "reminder", said.as_str().into());
                reminder = Some(said).filter(|said| !said.is_empty());
            }
            (Some(_), next) if !is_next && next != Next::Restarted => {
                add(&mut value, "sealed", true.into());
                text = format!("{text}\n\n{}", waiting(game));
            }
            (Some(seat), _) => {
                if let Some(texts) = game.with_view(seat, TurnTexts::of) {
                    texts.add_opening(&mut value);
                    text = format!("{text}\n\n{}", texts.opening());
                }
            }
            (None, _) => {
                let after = TurnTexts::of(env);
                if before.is_none_or(|before| !before.covers(&after)) {
                    after.add_rules(&mut value);
                    text = format!("{text}\n\n{}", after.rules(self.seats.len() > 1));
                }
                after.add_opening(&mut value);
                text = format!("{text}\n\n{}", after.opening());
            }
        }
        ClientAnswer {
            reminder,
            error,
            ..ClientAnswer::told(text, value)
        }
    }

    /// The text of a reply; a refusal of an unknown tool names the server's own tools as well.
    fn with_own_tools(&self, text: String, error: bool, tool: &str) -> String {
        if error && self.tools().iter().all(|spec| spec.name != tool) {
            return format!("{text}; the server adds {}", self.own_tools().join(" and "));
        }
        text
    }

    /// Where a game or a seat stands.
    fn standing(&self, game: &GameSession, session: &Session, seat: Option<&Seat>) -> Value {
        let env = session.env();
        let period = env.period();
        let mut value = json!({
            "over": env.is_over(),
            "turn": period.index,
            "of": period.total,
            "unit": period.unit,
        });
        if let Some(seat) = seat {
            add(&mut value, "seat", seat.name().into());
            add(&mut value, "decided", game.has_decided(seat).into());
            add(&mut value, "waiting_for", names(game));
            return value;
        }
        let score = env.score().ok().filter(|_| self.mode() == ServerMode::Play);
        if let Some(score) = score.and_then(|score| value_of(&score)) {
            add(&mut value, SCORE_SO_FAR, score.into());
        }
        if self.seats.len() > 1 {
            add(&mut value, "seat", env.turn().name().into());
        }
        value
    }

    /// The answer to a call or a request for the status after the end.
    fn over(&self, game: &GameSession, id: &str, error: bool) -> ClientAnswer {
        let Some(end) = &game.over else {
            return self.unknown(id);
        };
        let text = format!("the episode is over\n\n{}", end.text);
        ClientAnswer {
            error,
            ..ClientAnswer::told(text, end.value.clone())
        }
    }
}

fn names(game: &GameSession) -> Value {
    let names = game.waiting_for();
    names.iter().map(|seat| Value::from(seat.name())).collect()
}

fn waiting(game: &GameSession) -> String {
    let names: Vec<String> = game.waiting_for().iter().map(Seat::to_string).collect();
    format!(
        "The game waits for {}. get_status tells when it has gone on.",
        names.join(", ")
    )
}
