//! Seats for the host: what they see, and turns that are decided by others than a client. A policy decides at once; a
//! model takes longer than a game may be locked.

use super::SessionManager;
use super::game_session::{GameSession, ended_turn, size};
use super::seats::{PeriodRow, SeatRows};
use run_engine::error::RunError;
use run_engine::plan::agent::AgentSpec;
use serde_json::Value;
use sim_core::error::clip;
use sim_core::{Effort, Input, Limits, PeriodCount, Seat, Session};
use std::fmt;

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

/// The decisions that a game waits for. It differs from every other wait of the game, so that a decision for one is not
/// taken for another one, and each has its own time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The period, from 0.
    pub period: u32,
    /// Where seats decide one after the other, the number of changes of the seat so far: a seat may have several
    /// turns in a period.
    changes: Option<usize>,
}

impl Wait {
    /// What the game of `session` waits for.
    pub(super) fn of(session: &Session) -> Self {
        let env = session.env();
        let turn = env.turn();
        // Counted from the log, which is the same when a later server continues the game.
        let changes = (!env.simultaneous()).then(|| {
            // The log names seats only where there are several.
            let entries = session.entries().iter();
            let seats = entries.filter_map(|entry| entry.seat.as_ref());
            let seats: Vec<&Seat> = seats.chain([&turn]).collect();
            let pairs = seats.iter().zip(seats.iter().skip(1));
            pairs.filter(|(one, next)| one != next).count()
        });
        Self {
            period: env.period().index,
            changes,
        }
    }
}

/// `3`, or `3.7` after seven changes of the seat.
impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.period)?;
        match self.changes {
            None | Some(0) => Ok(()),
            Some(changes) => write!(f, ".{changes}"),
        }
    }
}

impl SessionManager {
    /// What a seat sees: `id` is the identifier of the seat, or of a game, where it is the seat in
    /// turn. `None` once the game is over, or if there is none.
    #[must_use]
    pub fn seat_state(&self, id: &str) -> Option<SeatState> {
        let found = self.find(id)?;
        let game = found.game();
        let session = game.session.as_ref()?;
        let seat = found.seat.clone().unwrap_or_else(|| session.env().turn());
        let period = session.env().period();
        let play = game.play.as_ref();
        let rows = play.map(|play| play.rows(&seat, period.index));
        // Its rows are of periods that are over, so a seat that is not in turn may see them all the
        // same.
        let mut state = SeatState {
            seat: seat.clone(),
            period,
            observation: Value::Null,
            rules: String::new(),
            opening: String::new(),
            tools: Vec::new(),
            decided: game.has_decided(&seat),
            rows: rows.unwrap_or_default(),
        };
        if session.env().simultaneous() || session.env().turn() == seat {
            game.with_view(&seat, |env| {
                let (texts, tools) = (env.briefing(), env.tools());
                let offered = tools.iter().filter(|spec| env.offered(&spec.name));
                state.tools = offered.cloned().collect();
                state.observation = env.observation();
                (state.rules, state.opening) = (texts.system, texts.opening);
            });
        }
        Some(state)
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

    /// Applies the decisions that are due, and ends the game if that was its last turn.
    fn settled(&self, game: &mut GameSession) {
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

    fn find_seat(&self, id: &str) -> Option<(super::games::InUse<'_>, Seat)> {
        let found = self.find(id)?;
        let seat = found.seat.clone().or_else(|| {
            let game = found.game();
            game.session.as_ref().map(|session| session.env().turn())
        })?;
        Some((found, seat))
    }

    /// The policy `name` for `seat`, which has learnt from what the seat did so far.
    fn policy(
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

    /// Checks that the policy `name` can play every seat of episode `episode`.
    ///
    /// # Errors
    /// When there is no such policy, or it refuses its argument.
    pub fn check_policy(&self, name: &str, episode: u64) -> Result<(), RunError> {
        let spec = self.registry().kind(self.environment())?;
        let name = name.strip_prefix("policy:").unwrap_or(name);
        let bare = name.split_once(':').map_or(name, |(bare, _)| bare);
        let known: Vec<&str> = spec.policy_list().iter().map(|p| p.name).collect();
        if !known.contains(&bare) {
            return Err(RunError::usage(format!(
                "`{}` has no policy `{}`; there are {}",
                spec.name(),
                clip(bare),
                known.join(", ")
            )));
        }
        self.try_policy(name, episode, self.plan().policy_effort)
    }

    /// The policies that can play every seat of episode `episode`, by names that
    /// [`check_policy`](Self::check_policy) accepts: without an argument, which is what the environment
    /// chose for its preset, and with one that works where a policy needs one.
    #[must_use]
    pub fn policy_names(&self, episode: u64) -> Vec<String> {
        let spec = self.registry().kind(self.environment());
        let policies = spec.map(|spec| spec.policy_list()).unwrap_or_default();
        let names = policies.iter().filter_map(|policy| {
            let plain = policy.name.to_owned();
            let Some(example) = policy.example else {
                return Some(plain);
            };
            // A policy does not say whether it needs its argument. An oracle makes its plan here, so it is
            // asked for a quick one.
            let with = format!("{plain}:{example}");
            let works = |name: &String| self.try_policy(name, episode, Effort::Quick).is_ok();
            [plain, with].into_iter().find(works)
        });
        names.collect()
    }

    /// Makes the policy `name` for every seat of episode `episode`; an oracle may spend `effort`.
    fn try_policy(&self, name: &str, episode: u64, effort: Effort) -> Result<(), RunError> {
        let source = super::open_source(self.registry(), self.plan())?;
        let case = source.case(episode)?;
        let agent = AgentSpec::Policy(name.to_owned());
        let seed = self.plan().seed.child("episode", episode);
        for seat in self.seats() {
            let _ = agent.player(&*case, seat, seed, effort)?;
        }
        Ok(())
    }

    /// Decides for the seat `id` with the policy `name`, if the game still waits for it as it did when `wait` was
    /// asked for; where its decision is refused, the turn is forfeited. Returns whether the turn was ended.
    ///
    /// # Errors
    /// When there is no such policy.
    pub fn decide_for(&self, id: &str, name: &str, wait: Wait) -> Result<bool, RunError> {
        let Some((found, seat)) = self.find_seat(id) else {
            return Ok(false);
        };
        let mut game = found.game();
        if !is_due(&game, &seat, wait) {
            return Ok(false);
        }
        let mut policy = self.policy(&game, &seat, name)?;
        let action = game.with_view(&seat, |env| policy.act(env));
        let mut ends = |input| {
            let outcome = game.apply_for(&seat, input);
            outcome.is_some_and(|outcome| ended_turn(outcome.next))
        };
        let decided = action
            .and_then(Result::ok)
            .is_some_and(|action| ends(Input::Act(action)));
        // Otherwise the game would wait for ever, as in `SeatPlay::settle`.
        let ended = decided || ends(Input::Forfeit);
        self.decided_for(&mut game);
        Ok(ended)
    }

    /// A copy of the game of the seat `id` as the seat sees it, with `limits` of its own, for an agent that
    /// decides while the game goes on; and what the game waits for. `None` if the game does not wait for
    /// the seat. [`apply_turn`](Self::apply_turn) applies what the agent did.
    #[must_use]
    pub fn copy_turn(&self, id: &str, limits: Limits) -> Option<(Wait, Session)> {
        let (found, seat) = self.find_seat(id)?;
        let game = found.game();
        let session = game.session.as_ref()?;
        let wait = Wait::of(session);
        if !is_due(&game, &seat, wait) {
            return None;
        }
        let env = game.with_view(&seat, |env| env.fork())?;
        Some((wait, Session::new(env, session.header().clone(), limits)))
    }

    /// Applies `inputs` for the seat `id`, if the game still waits for it as in `wait`. Returns whether the seat
    /// has decided with them.
    #[must_use]
    pub fn apply_turn(&self, id: &str, wait: Wait, inputs: Vec<Input>) -> bool {
        let Some((found, seat)) = self.find_seat(id) else {
            return false;
        };
        let mut game = found.game();
        // The game may have gone on while the model thought; its inputs are of another turn then.
        if !is_due(&game, &seat, wait) {
            return false;
        }
        let mut has_decided = false;
        for input in inputs {
            if let Some(quota) = &mut game.quota
                // As decisions, so that a model may use the reserve: the game waits for this turn.
                && quota.take(size(&input), true).is_err()
            {
                break;
            }
            match game.apply_for(&seat, input) {
                Some(outcome) if ended_turn(outcome.next) => {
                    has_decided = true;
                    break;
                }
                Some(_) => {}
                None => break,
            }
        }
        self.decided_for(&mut game);
        has_decided
    }

    /// Applies what is due after a decision, and stores the others.
    fn decided_for(&self, game: &mut GameSession) {
        self.settled(game);
        if let Err(fault) = game.store_sealed() {
            self.not_kept(game.trial, &fault);
        }
    }
}

/// Whether the game waits for `seat`, and for what it did in `wait`.
fn is_due(game: &GameSession, seat: &Seat, wait: Wait) -> bool {
    let now = game.session.as_ref().map(Wait::of);
    now == Some(wait) && game.waiting_for().contains(seat)
}
