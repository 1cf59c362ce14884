//! The seats of a game that are played for the person at the terminal or the clients of a server.

use crate::error::RunError;
use crate::executor::Recorded;
use crate::plan::Plan;
use crate::plan::agent::AgentSpec;
use sim_core::{
    DynEnvironmentSpec, DynInstance, DynPolicy, Entry, EpisodeRecord, Input, Limits, Next,
    ReplyKind, Seat, Session, ToolEnvironment,
};
use std::collections::BTreeMap;
use std::fmt;

/// The policies at the seats of an episode that have agents of their own: by default interviewers, judges, and what
/// runs programs. Nobody else plays these seats or sees what they see.
pub struct Others(BTreeMap<Seat, Box<dyn DynPolicy>>);

impl fmt::Debug for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Others {
    /// Those of episode `index` of `plan` on `case`, at its start.
    ///
    /// # Errors
    /// When one of them cannot be made, or is not a policy.
    pub fn new(
        plan: &Plan,
        kind: &dyn DynEnvironmentSpec,
        (index, case): (u64, &dyn DynInstance),
    ) -> Result<Self, RunError> {
        let episode = plan.seed.child("episode", index);
        let specs = plan.seat_specs(kind)?;
        let mut others = BTreeMap::new();
        for seat in case.open()?.seats() {
            let Some(agent) = specs.get(&seat) else {
                continue;
            };
            let player = agent.player(case, &seat, episode, plan.policy_effort)?;
            let player = player.ok_or_else(|| {
                RunError::usage(format!(
                    "seat {seat}: beside people and clients, only policies can play (`boardroom run` seats models)"
                ))
            })?;
            others.insert(seat, player);
        }
        Ok(Self(others))
    }

    /// As [`new`](Self::new), after the inputs `before`, ready to play.
    ///
    /// # Errors
    /// When one of them cannot be made, or one runs programs and this system cannot.
    pub fn after(
        plan: &Plan,
        kind: &dyn DynEnvironmentSpec,
        (index, case): (u64, &dyn DynInstance),
        before: &[Entry],
    ) -> Result<Self, RunError> {
        plan.check_python()?;
        let mut others = Self::new(plan, kind, (index, case))?;
        // A policy with a memory is brought to this point by the inputs so far; a new one would
        // decide as in the first period.
        others.follow(&mut *case.open()?, before, plan.limits);
        Ok(others)
    }

    /// The first place where one of them decides otherwise than in `record`; `None` if there is none. Programs are not
    /// run: their values are those of the record.
    ///
    /// # Errors
    /// When one of them cannot be made.
    pub(crate) fn differs(
        plan: &Plan,
        kind: &dyn DynEnvironmentSpec,
        case: &dyn DynInstance,
        record: &EpisodeRecord,
    ) -> Result<Option<String>, RunError> {
        let mut others = Self::new(plan, kind, (record.header.episode, case))?;
        for (seat, agent) in plan.seat_specs(kind)? {
            if let (AgentSpec::Python, Some(player)) = (agent, others.0.get_mut(&seat)) {
                *player = Box::new(Recorded::of(record));
            }
        }
        Ok(others.follow(&mut *case.open()?, &record.entries, plan.limits))
    }

    /// Lets them decide at each of their turns in `entries`, a log from the start of `env`. Returns the first place where
    /// one of them decides otherwise.
    fn follow(
        &mut self,
        env: &mut dyn ToolEnvironment,
        entries: &[Entry],
        limits: Limits,
    ) -> Option<String> {
        let mut differs = None;
        // Forfeits in a row by seat, and the seat whose last decision was refused: after a refusal, and in the end that
        // too many forfeits bring, a turn is forfeited without asking its policy.
        let mut in_a_row: BTreeMap<Seat, u32> = BTreeMap::new();
        let mut refused = None;
        for entry in entries {
            let (seat, period) = (env.turn(), env.period());
            let is_forfeit = entry.input == Input::Forfeit;
            let is_ended = || in_a_row.values().any(|n| *n >= limits.forfeits_in_row);
            let unasked = is_forfeit && (refused.as_ref() == Some(&seat) || is_ended());
            let mut player = self.0.get_mut(&seat);
            if let Some(player) = player.as_mut().filter(|_| !unasked) {
                // One that cannot act forfeits.
                let decided = player.act(env).map_or(Input::Forfeit, Input::Act);
                if decided != entry.input {
                    let number = u64::from(period.index) + 1;
                    differs.get_or_insert(format!("seat {seat} in {} {number}", period.unit));
                }
            }
            let reply = env.apply(&entry.input);
            refused = reply.is_rejected().then(|| seat.clone());
            // As the session counts: only a turn that its seat ended itself breaks a row of forfeits.
            if is_forfeit {
                *in_a_row.entry(seat).or_default() += 1;
            } else if reply.kind() == ReplyKind::PeriodOver {
                in_a_row.remove(&seat);
            }
            if let Some(player) = player.filter(|_| refused.is_none()) {
                player.learn(env);
            }
        }
        differs
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of `seats` that none of them plays.
    #[must_use]
    pub fn leave(&self, mut seats: Vec<Seat>) -> Vec<Seat> {
        seats.retain(|seat| !self.0.contains_key(seat));
        seats
    }

    /// The one at `seat`.
    pub fn at(&mut self, seat: &Seat) -> Option<&mut Box<dyn DynPolicy>> {
        self.0.get_mut(seat)
    }

    /// Lets them act until it is the turn of another seat or the episode is over. Returns whether one of them acted.
    pub fn act(&mut self, session: &mut Session) -> bool {
        let mut acted = false;
        while !session.env().is_over()
            && let Some(player) = self.0.get_mut(&session.env().turn())
        {
            take_turn(&mut **player, session);
            acted = true;
        }
        acted
    }
}

/// Lets `policy` decide the turn of its seat in `session`. If it cannot act or its action is refused, the turn is
/// forfeited: it would decide the same again.
pub fn take_turn(policy: &mut dyn DynPolicy, session: &mut Session) {
    let next = match policy.act(session.env()) {
        Ok(action) => session.act(action).1,
        Err(_) => Next::GoOn,
    };
    if next == Next::GoOn {
        session.forfeit();
    }
    policy.learn(session.env());
}

#[cfg(test)]
mod tests;
