//! Turns of a seat that are decided by others than its client: a policy, or a model, which takes longer than
//! a game may be locked.

use super::SessionManager;
use super::Wait;
use super::game_session::{GameSession, ended_turn, size};
use run_engine::error::RunError;
use run_engine::plan::agent::AgentSpec;
use sim_core::{Effort, Input, Limits, Seat, Session};

impl SessionManager {
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
                sim_core::error::clip(bare),
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
