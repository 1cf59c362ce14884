//! The seats of a game that are played by different clients, people or policies.
//!
//! A session takes the decisions of a period in the order of the seats. Where they are simultaneous, a
//! seat whose turn has not come decides in a session of its own: a copy of the game at the start of the
//! period in which the seats before it did nothing. That copy shows the seat what it may see and checks
//! its decision; when its turn comes, its inputs are applied to the game itself.

use run_engine::engine::others::{Others, take_turn};
use run_engine::error::RunError;
use run_engine::files::regular::MOST_DATA;
use run_engine::files::run_file;
use run_engine::terminal::{shown_name, shown_path};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{
    DynPolicy, Entry, Header, Input, Limits, Next, Outcome, Seat, Session, ToolEnvironment,
};
use std::collections::BTreeMap;
use std::path::Path;

/// What a seat did in a period, and what the period brought it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PeriodRow {
    /// The period, from 0.
    pub period: u32,
    /// The decision; `null` for a forfeit.
    pub action: Value,
    /// The result of the period for the seat.
    pub outcome: Value,
}

/// The finished periods of every seat of a game.
pub type SeatRows = Vec<(Seat, Vec<PeriodRow>)>;

/// The state of a game's seats beside its session.
pub(super) struct SeatPlay {
    /// The game at the start of the running period.
    start: Box<dyn ToolEnvironment>,
    /// Sessions of seats that are not in turn, at the same period.
    asides: BTreeMap<Seat, Session>,
    /// The policies that play seats of clients.
    bots: BTreeMap<Seat, Box<dyn DynPolicy>>,
    /// Those at the seats that no client can play.
    others: Others,
    /// Results by seat and period, if they are kept.
    rows: Option<BTreeMap<(Seat, u32), PeriodRow>>,
    /// Entries of the session that were looked at.
    seen: usize,
}

/// Inputs of seats that are not in turn, as they are stored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    period: u32,
    inputs: BTreeMap<Seat, Vec<Input>>,
}

impl std::fmt::Debug for SeatPlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeatPlay")
            .field("asides", &self.asides)
            .field("bots", &self.bots.keys())
            .field("others", &self.others)
            .finish_non_exhaustive()
    }
}

impl SeatPlay {
    /// The seats of a game at its start, those of `others` among them; `follows` says whether results are kept.
    pub(super) fn new(env: &dyn ToolEnvironment, others: Others, follows: bool) -> Self {
        Self {
            start: env.fork(),
            asides: BTreeMap::new(),
            bots: BTreeMap::new(),
            others,
            rows: follows.then(BTreeMap::new),
            seen: 0,
        }
    }

    /// Applies the log of a continued game to a game at its start.
    pub(super) fn replay(&mut self, mut env: Box<dyn ToolEnvironment>, entries: &[Entry]) {
        for entry in entries {
            let _ = env.apply(&entry.input);
            self.see(&*env, std::slice::from_ref(entry));
        }
        self.seen = entries.len();
    }

    /// Notes what the entries since the last call changed.
    pub(super) fn follow(&mut self, session: &Session) {
        let entries = session.entries();
        let new = entries.get(self.seen..).unwrap_or_default();
        let several = new.first().map(|entry| entry.period) != new.last().map(|entry| entry.period);
        if several && self.rows.is_some() {
            // The periods that a limit or the end of a game forfeits come at once. The game is only there
            // after the last of them, so their results are computed again.
            let mut env = self.start.fork();
            let at = env.period().index;
            let before = entries.iter().take_while(|entry| entry.period < at).count();
            for (number, entry) in entries.iter().enumerate().skip(before) {
                let _ = env.apply(&entry.input);
                if number >= self.seen {
                    self.see(&*env, std::slice::from_ref(entry));
                }
            }
        } else {
            self.see(session.env(), new);
        }
        self.seen = entries.len();
    }

    fn see(&mut self, env: &dyn ToolEnvironment, new: &[Entry]) {
        let Some(last) = new.last() else {
            return;
        };
        // The log names the seat only where there are several.
        let only = env.seats().into_iter().next().unwrap_or(Seat::AGENT);
        let seat_of = |entry: &Entry| entry.seat.clone().unwrap_or_else(|| only.clone());
        if let Some(rows) = &mut self.rows {
            for entry in new {
                let action = match (&entry.input, &entry.action) {
                    (Input::Act(action), _) | (_, Some(action)) => action.clone(),
                    (Input::Forfeit, None) => Value::Null,
                    _ => continue,
                };
                let row = rows.entry((seat_of(entry), entry.period)).or_default();
                (row.period, row.action) = (entry.period, action);
            }
        }
        // Within a period the game at its start stays what the seats decide on, and there are no results yet.
        if env.period().index == last.period && !env.is_over() {
            return;
        }
        if let Some(rows) = &mut self.rows {
            let mut outcomes = env.outcomes();
            if outcomes.is_empty() {
                outcomes.push((seat_of(last), env.feedback()));
            }
            for (seat, outcome) in outcomes {
                if let Some(row) = rows.get_mut(&(seat, last.period)) {
                    row.outcome = outcome;
                }
            }
        }
        self.start = env.fork();
        self.asides.clear();
    }

    /// The finished periods of a seat, if they are kept; the running period is left out, because its
    /// decisions are sealed.
    pub(super) fn rows(&self, seat: &Seat, before: u32) -> Vec<PeriodRow> {
        let all = self.rows.iter().flatten();
        let own = all.filter(|((of, period), _)| of == seat && *period < before);
        own.map(|(_, row)| row.clone()).collect()
    }

    /// Lets a policy play a seat from now on, or nobody.
    pub(super) fn set_bot(&mut self, seat: &Seat, policy: Option<Box<dyn DynPolicy>>) {
        match policy {
            Some(policy) => self.bots.insert(seat.clone(), policy),
            None => self.bots.remove(seat),
        };
    }

    /// A copy of the game as `seat` sees it in the running period.
    fn view(&self, seat: &Seat) -> Box<dyn ToolEnvironment> {
        let mut env = self.start.fork();
        // Each turn that passes is one of a seat before this one, so there are fewer than seats.
        for _ in 0..env.seats().len() {
            if env.turn() == *seat {
                break;
            }
            env.forfeit_period();
        }
        env
    }

    /// Calls `see` with the game as `seat` sees it.
    pub(super) fn with_view<R>(
        &self,
        session: &Session,
        seat: &Seat,
        see: impl FnOnce(&dyn ToolEnvironment) -> R,
    ) -> R {
        if session.env().turn() == *seat {
            return see(session.env());
        }
        match self
            .asides
            .get(seat)
            .filter(|_| !self.has_decided(session, seat))
        {
            Some(aside) => see(aside.env()),
            None => see(&*self.view(seat)),
        }
    }

    /// Whether the seat has decided in the running period.
    pub(super) fn has_decided(&self, session: &Session, seat: &Seat) -> bool {
        let env = session.env();
        let turn = env.turn();
        if turn == *seat {
            return false;
        }
        let seats = env.seats();
        let place = |seat: &Seat| seats.iter().position(|known| known == seat);
        // Seats decide in their order, so those before the one in turn have decided.
        if place(seat) < place(&turn) {
            return true;
        }
        self.asides.get(seat).is_some_and(|aside| {
            // With its decision the copy went on to another seat, to the next period, or to the end.
            let aside = aside.env();
            aside.turn() != *seat || aside.is_over() || aside.period().index != env.period().index
        })
    }

    /// The seats that have not decided in the running period, in their order.
    pub(super) fn waiting_for(&self, session: &Session) -> Vec<Seat> {
        let seats = self.others.leave(session.env().seats()).into_iter();
        seats
            .filter(|seat| !self.has_decided(session, seat))
            .collect()
    }

    /// Applies an input of a seat that is not in turn, in a session of its own.
    pub(super) fn apply_aside(
        &mut self,
        session: &Session,
        limits: Limits,
        seat: &Seat,
        input: Input,
    ) -> Outcome {
        // Not `entry`: the view is made of `self`, which the entry would borrow.
        if !self.asides.contains_key(seat) {
            let header: Header = session.header().clone();
            let aside = Session::new(self.view(seat), header, limits);
            self.asides.insert(seat.clone(), aside);
        }
        match self.asides.get_mut(seat) {
            Some(aside) => aside.apply(input),
            None => Outcome {
                reply: sim_core::ActionError::episode_over().into(),
                next: Next::GoOn,
            },
        }
    }

    /// Applies what is due: the decisions of seats that were made before their turn, and those of
    /// policies.
    pub(super) fn settle(&mut self, session: &mut Session) {
        while self.settle_turn(session) {}
    }

    /// Ends the running period: applies what was decided in it, and forfeits the turns of the seats that
    /// have not decided.
    pub(super) fn end_period(&mut self, session: &mut Session) {
        let at = session.env().period().index;
        while !session.env().is_over() && session.env().period().index == at {
            if !self.settle_turn(session) {
                session.forfeit();
            }
        }
    }

    /// Lets one of the others act, if it is its turn. Returns whether it was.
    pub(super) fn settle_other(&mut self, session: &mut Session) -> bool {
        let is_its_turn = self.others.at(&session.env().turn()).is_some();
        is_its_turn && self.settle_turn(session)
    }

    /// Applies what the seat in turn decided before its turn, or what its policy decides. Returns whether
    /// that ended the turn.
    fn settle_turn(&mut self, session: &mut Session) -> bool {
        self.follow(session);
        if session.env().is_over() {
            return false;
        }
        let seat = session.env().turn();
        if let Some(aside) = self.asides.remove(&seat) {
            let at = session.env().period().index;
            // Forfeits are made by limits, and the limits of the game make them again, or the lines
            // below do.
            let forfeits = |entry: &Entry| entry.input == Input::Forfeit;
            for entry in aside.entries().iter().filter(|entry| !forfeits(entry)) {
                if session.apply(entry.input.clone()).next != Next::GoOn {
                    break;
                }
            }
            let is_its_turn = |session: &Session| {
                session.env().turn() == seat && session.env().period().index == at
            };
            // A limit that forfeited the turn there has done so here as well.
            if is_its_turn(session) && aside.entries().iter().any(forfeits) {
                session.forfeit();
            }
            return !is_its_turn(session);
        }
        let policy = self.others.at(&seat);
        let Some(policy) = policy.or_else(|| self.bots.get_mut(&seat)) else {
            return false;
        };
        take_turn(&mut **policy, session);
        true
    }

    /// Stores the decisions of seats that are not in turn at `path`; removes the file if there are
    /// none.
    pub(super) fn store(&self, session: &Session, path: &Path) -> Result<(), RunError> {
        if self.asides.is_empty() {
            return run_file::remove(path).map_err(RunError::file(path));
        }
        let inputs = |aside: &Session| aside.entries().iter().map(|e| e.input.clone()).collect();
        let sealed = Sealed {
            period: session.env().period().index,
            inputs: self
                .asides
                .iter()
                .map(|(seat, aside)| (seat.clone(), inputs(aside)))
                .collect(),
        };
        let text = serde_json::to_string(&sealed).map_err(RunError::failed)?;
        // Whole or not at all, and without waiting for the disk, like the turns.
        run_file::replace(path, &text, false)
    }

    /// Takes up the decisions that an earlier server stored at `path`, if they are of the running
    /// period.
    ///
    /// # Errors
    /// When the file cannot be read: decisions that their seats were told to be sealed do not vanish without a word.
    pub(super) fn restore(
        &mut self,
        session: &Session,
        limits: Limits,
        path: &Path,
    ) -> Result<(), RunError> {
        let unreadable = |why: String| {
            RunError::usage(format!(
                "the sealed decisions cannot be read ({}); remove {} to go on without them: their seats decide again",
                shown_name(&why),
                shown_path(path)
            ))
        };
        let value = run_file::json(path, MOST_DATA).map_err(|e| unreadable(e.to_string()))?;
        let Some(value) = value else {
            return Ok(());
        };
        let sealed: Sealed =
            serde_json::from_value(value).map_err(|e| unreadable(e.to_string()))?;
        // Sealed decisions of a period that is over were applied with it.
        if sealed.period != session.env().period().index {
            return Ok(());
        }
        for (seat, inputs) in sealed.inputs {
            for input in inputs {
                // A forfeit that a limit added is there again with the input before it.
                if session.env().turn() != seat && !self.has_decided(session, &seat) {
                    self.apply_aside(session, limits, &seat, input);
                }
            }
        }
        Ok(())
    }
}
