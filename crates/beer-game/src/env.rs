//! The environment: seats, turns, and the state that changes during a game.
//!
//! # A game, week by week
//!
//! [`BeerGame`] is the typed environment: observe, step, until
//! [`is_over`](Environment::is_over). One `step` is the order of one seat; with one
//! controlled role it is a week.
//!
//! ```
//! use beer_game::{Action, BeerGame, Config, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
//! let mut env = BeerGame::new(Arc::new(game))?;
//! while !env.is_over() {
//!     env.step(&Action::of(400))?;
//! }
//! // 400 every week is a best plan of this game: no plan costs less.
//! assert_eq!(env.score()?.value(), 9_200.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Seats
//!
//! With several controlled roles [`turn`](Environment::turn) names the seat whose order
//! is awaited. Its order is sealed; the feedback of all seats but the last has no
//! outcome, because the week has not happened yet:
//!
//! ```
//! use beer_game::role::Role;
//! use beer_game::{Action, BeerGame, Config, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let mut config = Config::paper();
//! config.play.controlled = vec![Role::Retailer, Role::Brewery];
//! let game = Instance::generate(&config, Episode::of_run(Seed(7), 0))?;
//! let mut env = BeerGame::new(Arc::new(game))?;
//!
//! assert_eq!(env.turn().name(), "retailer");
//! assert_eq!(env.step(&Action::of(150))?.outcome, None);
//! assert_eq!(env.turn().name(), "brewery");
//! assert!(env.step(&Action::of(100))?.outcome.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Refused orders and forfeits
//!
//! A refused order changes nothing, and the same seat is asked again. A caller that gives
//! up on a seat calls [`forfeit`](Environment::forfeit): the seat orders nothing that
//! week, and the score has an incident.
//!
//! ```
//! use beer_game::{Action, BeerGame, Config, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
//! let mut env = BeerGame::new(Arc::new(game))?;
//! let before = env.state().clone();
//! let refused = env.step(&Action::of(5_001)).expect_err("5,000 is the most");
//! assert_eq!(refused.code, "order_too_large");
//! assert_eq!(env.state(), &before);
//!
//! env.forfeit();
//! assert_eq!(env.score()?.all_incidents()[0].code, "forfeited_week");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Score
//!
//! The value is the cost that [`Objective`](crate::config::Objective) names. Metrics, all
//! over the weeks played so far:
//!
//! | metric | unit | meaning |
//! |---|---|---|
//! | `own_cost`, `chain_cost` | cost | cost of the controlled roles, of all four |
//! | `cost_<role>` | cost | cost of one role |
//! | `holding_cost`, `backlog_cost` | cost | the two parts of the own cost, by the price list; where booking lags or is cut to whole numbers, those of the states themselves |
//! | `service` | 0 to 1 | share of the units asked of the controlled roles that left without waiting |
//! | `bullwhip_<role>` | ratio | population variance of the role's orders over that of customer demand |
//! | `bullwhip` | ratio | that of the controlled role farthest from the customer: the brewery's for a team |
//!
//! A metric that is not defined yet (no demand so far, or demand that has not varied) is
//! left out.
//!
//! # Saved states
//!
//! [`State`] holds everything that changes. A state that was read back is checked against
//! the game before it replaces the current one:
//!
//! ```
//! use beer_game::{Action, BeerGame, Config, Instance};
//! use sim_core::{Environment, Episode, Seed};
//! use std::sync::Arc;
//!
//! let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
//! let mut env = BeerGame::new(Arc::new(game))?;
//! env.step(&Action::of(200))?;
//! let saved = env.state().clone();
//! env.step(&Action::of(300))?;
//! env.set_state(saved.clone())?;
//! assert_eq!(env.observe().week, 2);
//!
//! let mut wrong = saved;
//! wrong.log.clear();
//! assert_eq!(env.set_state(wrong).expect_err("a week is missing").place, "state.log");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
///
/// A clone is an independent game from the same point on: the instance is shared, the
/// state copied. Searching agents use that to look ahead.
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
    ///
    /// Where seats see the running week ([`Observe::CurrentWeek`]), receipts and
    /// shipments of week 1 have already happened.
    pub fn new(instance: Arc<Instance>) -> Result<Self, ConfigError> {
        let game = Arc::new(Game::new(instance)?);
        let mut begun = Self {
            state: State::start(&game),
            turn: game.first,
            game,
        };
        // Before the first observation: where seats see the running week it must have begun.
        begun.open_if_seen();
        Ok(begun)
    }

    /// The instance that is played.
    ///
    /// It contains future demand: an agent that is to be scored must not read it.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.game.instance
    }

    /// The constants of the dynamics.
    ///
    /// With [`Chain`](crate::chain::Chain) they suffice to simulate ahead without seats
    /// and log.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.game.setup
    }

    /// The role that decides next; after the end, the first one.
    ///
    /// [`turn`](Environment::turn) gives the same as a seat.
    #[must_use]
    pub fn role_in_turn(&self) -> Role {
        self.turn
    }

    /// The value of the score, without its metrics \[cost\].
    pub(crate) fn cost(&self) -> f64 {
        score::cost(&self.game.instance, &self.state)
    }

    /// The result of the last finished week for `role`; `None` before the first week ends.
    pub(crate) fn last_week(&self, role: Role) -> Option<WeekResult> {
        self.week_result(role, self.state.chain.weeks_closed)
    }

    /// The result of week `week` (counted from 1) for `role`; `None` before the week ends.
    pub(crate) fn week_result(&self, role: Role, week: u32) -> Option<WeekResult> {
        // Summed over the log: the chain has only the total up to its last week, and this may be an earlier one.
        let weeks = self.state.log.get(..week as usize)?;
        Some(WeekResult {
            line: weeks.last()?[role],
            total_cost: weeks.iter().map(|lines| lines[role].cost).sum(),
            game_over: week == self.game.instance.weeks(),
        })
    }

    /// What `role` sees now, whichever seat is in turn; after the last week, the state in which it ended.
    #[must_use]
    pub fn observation_of(&self, role: Role) -> Observation {
        Observation::of(&self.game, &self.state, role)
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
        // A forfeit orders nothing and is sealed too, so that the week does not wait for it.
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
        // No effect where the week is open already, because the seats have seen it.
        self.open();
        let decided = self.state.sealed.map(|units| units.map(f64::from));
        self.state.chain.close_week(&self.game.setup, &decided);
        self.state.sealed = ByRole::all(None);
        self.turn = self.game.first;
        // Before the next week is opened: that writes its receipts and shipments over these.
        let lines = self.state.write_log(self.game.instance.demand.len());
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
        // Checked as a whole before anything is replaced, so that a refused state leaves the game
        // as it was.
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

    // Also for a single seat, whose orders meet those of the rules in the same week.
    fn simultaneous(&self) -> bool {
        true
    }

    fn observe(&self) -> Observation {
        self.observation_of(self.turn)
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

    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool {
        score::sees(&self.game.instance, seat, metric)
    }
}
