//! The environment: seats, turns, and the state that changes during a game.

use crate::action::Action;
use crate::chain::Setup;
use crate::config::Observe;
use crate::game::Game;
use crate::instance::Instance;
use crate::observation::{Feedback, Observation, WeekResult};
use crate::role::{ByRole, Role};
use crate::score;
use sim_core::{ActionError, ConfigError, Environment, NotFinite, RestoreError, Score, Seat};
use std::sync::Arc;

mod state;

pub use state::{Forfeit, State, WeekRecord};

/// A beer game being played.
///
/// Each controlled role is a seat. The seats decide one after the other, downstream first, but
/// the orders of a week are simultaneous: they stay sealed until the last one is in, and only
/// then the week goes on.
#[derive(Debug, Clone)]
pub struct BeerGame {
    game: Arc<Game>,
    state: State,
    /// The role that decides next; after the end, the first one.
    turn: Role,
}

impl BeerGame {
    /// The game at its start.
    ///
    /// # Errors
    /// When the instance cannot be played; names the value at fault.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        let game = Arc::new(Game::new(instance)?);
        let mut begun = Self {
            state: State::start(&game),
            turn: game.first,
            game,
        };
        begun.open_if_seen();
        Ok(begun)
    }

    /// The instance that is played.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.game.instance
    }

    /// The constants of the dynamics.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.game.setup
    }

    /// The role that decides next; after the end, the first one.
    #[must_use]
    pub fn role_in_turn(&self) -> Role {
        self.turn
    }

    /// Opens the next week, unless a week is open or the game is over.
    fn open(&mut self) {
        let week = self.state.chain.weeks_closed as usize;
        let demand = self.game.instance.demand.get(week);
        if let Some(&demand) = demand.filter(|_| !self.state.chain.is_open) {
            self.state.chain.open_week(f64::from(demand));
        }
    }

    /// Opens the next week where the seats see the running one.
    fn open_if_seen(&mut self) {
        if self.game.instance.play.observe == Observe::CurrentWeek {
            self.open();
        }
    }

    /// Seals the decision of the role in turn and, if it was the last one, plays the week.
    fn decide(&mut self, role: Role, decided: Option<u32>) -> Feedback {
        let week = self.state.chain.weeks_closed + 1;
        self.state.sealed[role] = Some(decided.unwrap_or(0));
        if decided.is_none() {
            self.state.forfeits.push(Forfeit { week, role });
        }
        let outcome = match self.game.waiting(&self.state.sealed) {
            Some(next) => {
                self.turn = next;
                None
            }
            None => Some(self.play_week(role)),
        };
        Feedback {
            role,
            week,
            decided,
            outcome,
        }
    }

    /// Plays the week after all seats have decided, and returns its result for `role`.
    fn play_week(&mut self, role: Role) -> WeekResult {
        self.open();
        let decided = self.state.sealed.map(|units| units.map(f64::from));
        self.state.chain.close_week(&self.game.setup, &decided);
        self.state.sealed = ByRole::all(None);
        self.turn = self.game.first;
        let lines = self.state.write_log();
        let outcome = WeekResult {
            line: lines[role],
            total_cost: self.state.chain.stage(role).total_cost,
            game_over: self.is_over(),
        };
        self.open_if_seen();
        outcome
    }
}

impl Environment for BeerGame {
    type State = State;
    type Action = Action;
    type Observation = Observation;
    type Feedback = Feedback;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        self.turn = state.check(&self.game)?;
        self.state = state;
        Ok(())
    }

    fn seats(&self) -> Vec<Seat> {
        self.game
            .instance
            .play
            .controlled
            .iter()
            .map(|role| Seat::named(role.name()))
            .collect()
    }

    fn turn(&self) -> Seat {
        Seat::named(self.role_in_turn().name())
    }

    fn observe(&self) -> Observation {
        Observation::of(&self.game, &self.state, self.turn)
    }

    fn step(&mut self, order: &Action) -> Result<Feedback, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        let units = order.permitted(&self.game.instance.play)?;
        Ok(self.decide(self.role_in_turn(), Some(units)))
    }

    fn forfeit(&mut self) -> Feedback {
        let role = self.role_in_turn();
        if self.is_over() {
            let week = self.state.chain.weeks_closed;
            return Feedback {
                role,
                week,
                decided: None,
                outcome: None,
            };
        }
        self.decide(role, None)
    }

    fn is_over(&self) -> bool {
        self.state.chain.weeks_closed >= self.game.instance.weeks()
    }

    fn score(&self) -> Result<Score, NotFinite> {
        score::score(&self.game.instance, &self.state)
    }
}
