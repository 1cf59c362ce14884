//! The seats of a game that the person at the terminal does not play.

use crate::error::RunError;
use crate::plan::Plan;
use sim_core::{DynEnvironmentSpec, DynInstance, DynPolicy, Entry, Input, Seat, Session};
use std::collections::BTreeMap;
use std::fmt;

/// The policies at the seats of an episode that are not under test: interviewers, judges, what runs programs.
pub struct Others(BTreeMap<Seat, Box<dyn DynPolicy>>);

impl fmt::Debug for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Others {
    /// Those of episode `index` of `plan` on `case`, after the inputs `before`.
    ///
    /// # Errors
    /// When one of them cannot be made or cannot go on.
    pub fn after(
        plan: &Plan,
        kind: &dyn DynEnvironmentSpec,
        (index, case): (u64, &dyn DynInstance),
        before: &[Entry],
    ) -> Result<Self, RunError> {
        let mut env = case.open()?;
        let episode = plan.seed.child("episode", index);
        let specs = plan.seat_specs(kind)?;
        let mut others = BTreeMap::new();
        for seat in env.seats() {
            let Some(agent) = specs.get(&seat) else {
                continue;
            };
            if let Some(player) = agent.player(case, &seat, episode, plan.policy_effort)? {
                others.insert(seat, player);
            }
        }
        // They remember what they did.
        for entry in before {
            let mut player = others.get_mut(&env.turn());
            if let Some(player) = &mut player {
                player.act(&*env)?;
            }
            env.apply(&entry.input);
            if let Some(player) = player {
                player.learn(&*env);
            }
        }
        Ok(Self(others))
    }

    /// Lets them act until it is the turn of another seat or the episode is over. Returns whether one of them acted.
    ///
    /// # Errors
    /// When one of them cannot go on.
    pub fn act(&mut self, session: &mut Session) -> Result<bool, RunError> {
        let mut acted = false;
        while !session.env().is_over()
            && let Some(player) = self.0.get_mut(&session.env().turn())
        {
            let action = player.act(session.env())?;
            session.apply(Input::Act(action));
            player.learn(session.env());
            acted = true;
        }
        Ok(acted)
    }
}
