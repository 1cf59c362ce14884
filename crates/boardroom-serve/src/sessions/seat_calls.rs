//! Status and calls of one seat of a game whose seats are played by different clients. A seat gets what
//! it may see itself; what other seats decided stays sealed until the period is over.

use super::SessionManager;
use super::answer::ClientAnswer;
use super::calls::over;
use super::game_session::{GameSession, ended_turn};
use super::seats::{PeriodRow, SeatRows};
use super::turn_texts::{self, TurnTexts, add};
use run_engine::error::RunError;
use run_engine::plan::agent::AgentSpec;
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::{Input, Next, PeriodCount, Seat};

/// What a seat sees of a running game, for pages and rollouts.
#[derive(Debug, Clone)]
pub struct SeatState {
    /// The seat.
    pub seat: Seat,
    /// Progress of the game.
    pub period: PeriodCount,
    /// Its observation.
    pub observation: Value,
    /// The rules.
    pub rules: String,
    /// The text that opens its turn.
    pub opening: String,
    /// The tools that it may call now.
    pub tools: Vec<sim_core::ToolSpec>,
    /// Whether it has decided in this period.
    pub decided: bool,
    /// Its finished periods, if the server keeps them.
    pub rows: Vec<PeriodRow>,
}

impl SessionManager {
    pub(super) fn seat_status(&self, game: &GameSession, seat: &Seat) -> ClientAnswer {
        let Some(session) = &game.session else {
            return match &game.over {
                Some(end) => over(end, false),
                None => self.unknown(seat.name()),
            };
        };
        let period = session.env().period();
        let mut value = seat_standing(game, seat, period);
        let turn = turn_texts::turn(period);
        let in_turn = session.env().turn() == *seat;
        if !in_turn && !session.env().simultaneous() {
            let text = format!("{turn}\n\n{}", waiting(game));
            return ClientAnswer {
                text,
                reminder: None,
                value,
                error: false,
            };
        }
        let Some(texts) = game.with_view(seat, TurnTexts::of) else {
            return self.unknown(seat.name());
        };
        texts.add_rules(&mut value);
        texts.add_opening(&mut value);
        let mut text = format!("{turn}\n\n{}\n\n{}", texts.own_rules(), texts.opening());
        if game.has_decided(seat) {
            text = format!("{text}\n\n{}", waiting(game));
        }
        ClientAnswer {
            text,
            reminder: None,
            value,
            error: false,
        }
    }

    /// Why a seat cannot call anything now: it has decided, or another one is in turn.
    pub(super) fn seat_refused(game: &GameSession, seat: &Seat) -> Option<ClientAnswer> {
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

    pub(super) fn seat_call(
        &self,
        game: &mut GameSession,
        seat: &Seat,
        input: Input,
    ) -> ClientAnswer {
        let Some(session) = &game.session else {
            return self.unknown(seat.name());
        };
        let at = session.env().period();
        let simultaneous = session.env().simultaneous();
        let tool = match &input {
            Input::Call { tool, .. } => tool.clone(),
            _ => String::new(),
        };
        let in_turn = session.env().turn() == *seat;
        let Some(outcome) = game.apply_for(seat, input) else {
            return ClientAnswer::refused("not_your_turn", waiting(game));
        };
        let ended = ended_turn(outcome.next);
        let error = outcome.reply.is_rejected();
        // A decision that is made before its turn was tried on a copy: its reply is not that of the
        // game.
        let reply = if ended && !in_turn && !error {
            "Your decision is sealed.".to_owned()
        } else {
            outcome.reply.text().to_owned()
        };
        let mut faults = Vec::new();
        if ended {
            faults = game.settle();
        }
        let reply = game.text_at_end(seat, at.index, &outcome).unwrap_or(reply);
        if ended || !in_turn {
            // Also after a try that was refused: the limit on tries counts on when a later server
            // continues.
            faults.extend(game.store_sealed().err());
        }
        let mut text = self.with_own_tools(reply.clone(), error, &tool);
        if outcome.next == Next::Forfeited {
            text.push_str(&self.forfeited());
        }
        let Some(session) = &game.session else {
            return self.unknown(seat.name());
        };
        let now = session.env().period();
        let mut value = seat_standing(game, seat, now);
        let mut reminder = None;
        if session.env().is_over() {
            let end = self.finish(game, None);
            (value, text) = (end.value, format!("{text}\n\n{}", end.text));
        } else if !ended {
            let said = game.with_view(seat, |env| env.briefing().reminder);
            let said = said.unwrap_or_default();
            add(&mut value, "reminder", said.as_str().into());
            reminder = Some(said).filter(|said| !said.is_empty());
        } else if now.index != at.index && (simultaneous || session.env().turn() == *seat) {
            if let Some(texts) = game.with_view(seat, TurnTexts::of) {
                texts.add_opening(&mut value);
                text = format!("{text}\n\n{}", texts.opening());
            }
        } else {
            add(&mut value, "sealed", true.into());
            text = format!("{text}\n\n{}", waiting(game));
        }
        add(&mut value, "reply", reply.into());
        for fault in &faults {
            add(&mut value, "not_kept", fault.as_str().into());
            self.not_kept(game.trial, fault);
        }
        ClientAnswer {
            text,
            reminder,
            value,
            error,
        }
    }

    /// What a seat sees: `id` is the identifier of the seat, or of a game, where it is the seat in
    /// turn. `None` once the game is over, or if there is none.
    #[must_use]
    pub fn seat_state(&self, id: &str) -> Option<SeatState> {
        let found = self.find(id)?;
        let game = found.game();
        let session = game.session.as_ref()?;
        let seat = found.seat.clone().unwrap_or_else(|| session.env().turn());
        let period = session.env().period();
        let rows = game
            .play
            .as_ref()
            .map(|play| play.rows(&seat, period.index));
        let sees = session.env().simultaneous() || session.env().turn() == seat;
        let decided = game.has_decided(&seat);
        let rows = rows.unwrap_or_default();
        // Its rows are of periods that are over, so a seat that is not in turn may see them all the
        // same.
        if !sees {
            return Some(SeatState {
                seat,
                period,
                observation: Value::Null,
                rules: String::new(),
                opening: String::new(),
                tools: Vec::new(),
                decided,
                rows,
            });
        }
        game.with_view(&seat, |env| {
            let texts = env.briefing();
            let tools = env.tools();
            let offered = tools.iter().filter(|spec| env.offered(&spec.name));
            SeatState {
                observation: env.observation(),
                rules: texts.system,
                opening: texts.opening,
                tools: offered.cloned().collect(),
                seat: seat.clone(),
                period,
                decided,
                rows,
            }
        })
    }

    /// The finished periods of every seat of a game, for the host; also after its end.
    #[must_use]
    pub fn rows(&self, id: &str) -> SeatRows {
        let Some(found) = self.find(id) else {
            return Vec::new();
        };
        let game = found.game();
        let Some(play) = &game.play else {
            return Vec::new();
        };
        let before = game
            .session
            .as_ref()
            .map_or(u32::MAX, |session| session.env().period().index);
        let seats = game.seats.iter();
        seats
            .map(|seat| (seat.clone(), play.rows(seat, before)))
            .collect()
    }

    /// The seats whose decisions of the running period are missing, for the host.
    #[must_use]
    pub fn waiting_for(&self, id: &str) -> Vec<Seat> {
        let found = self.find(id);
        found.map_or_else(Vec::new, |found| found.game().waiting_for())
    }

    /// Lets the policy `name` play the seat `id` from now on, or a client if it is `None`. The policy
    /// is shown what the seat did before. A game that is over stays as it is.
    ///
    /// # Errors
    /// When there is no such policy.
    pub fn set_bot(&self, id: &str, name: Option<&str>) -> Result<(), RunError> {
        let Some((found, seat)) = self.find_seat(id) else {
            return Ok(());
        };
        let mut game = found.game();
        // Another seat may have ended it, so that is not the fault of who asks.
        if game.session.is_none() {
            return Ok(());
        }
        let policy = match name {
            Some(name) => Some(self.policy(&game, &seat, name)?),
            None => None,
        };
        if let Some(play) = &mut game.play {
            play.set_bot(&seat, policy);
        }
        self.settled(&mut game);
        Ok(())
    }

    /// Applies what is due, and ends the game if that was its last turn.
    pub(super) fn settled(&self, game: &mut GameSession) {
        for fault in game.settle() {
            self.not_kept(game.trial, &fault);
        }
        let over = game
            .session
            .as_ref()
            .is_some_and(|session| session.env().is_over());
        if over {
            let _ = self.finish(game, None);
        }
    }

    pub(super) fn find_seat(&self, id: &str) -> Option<(super::in_use::InUse<'_>, Seat)> {
        let found = self.find(id)?;
        let seat = found.seat.clone().or_else(|| {
            let game = found.game();
            game.session.as_ref().map(|session| session.env().turn())
        })?;
        Some((found, seat))
    }

    /// The policy `name` for `seat`, which has learnt from what the seat did so far.
    pub(super) fn policy(
        &self,
        game: &GameSession,
        seat: &Seat,
        name: &str,
    ) -> Result<Box<dyn sim_core::DynPolicy>, RunError> {
        let is_over = || RunError::usage("the game is over, so nobody can play its seats");
        let session = game.session.as_ref().ok_or_else(is_over)?;
        let number = session.header().episode;
        let source = super::open_source(self.registry(), self.plan())?;
        let case = source.case(number)?;
        let episode = self.plan().seed.child("episode", number);
        let effort = self.plan().policy_effort;
        let agent = AgentSpec::parse(name)?;
        let player = agent.player(&*case, seat, episode, effort)?;
        let no_policy = || RunError::usage(format!("`{}` is not a policy", clip(name)));
        let mut player = player.ok_or_else(no_policy)?;
        let mut env = case.open()?;
        let mut is_asked = false;
        for entry in session.entries() {
            // A policy is asked for decisions; what others looked up or tried before theirs is not its own.
            let decides =
                entry.action.is_some() || matches!(entry.input, Input::Act(_) | Input::Forfeit);
            let own = decides && env.turn() == *seat;
            if own && !is_asked {
                // Only its state matters: the game was decided otherwise.
                let _ = player.act(&*env);
            }
            let reply = env.apply(&entry.input);
            if own {
                // After its own refused decision comes the forfeit of the same turn.
                is_asked = reply.is_rejected();
                if !is_asked {
                    player.learn(&*env);
                }
            }
        }
        Ok(player)
    }
}

fn seat_standing(game: &GameSession, seat: &Seat, period: PeriodCount) -> Value {
    json!({
        "over": game.session.is_none(),
        "turn": period.index,
        "of": period.total,
        "unit": period.unit,
        "seat": seat.name(),
        "decided": game.has_decided(seat),
        "waiting_for": names(game),
    })
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
