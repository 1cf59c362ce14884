//! The state of a game: everything that changes.

use crate::chain::{Chain, Stage};
use crate::config::Observe;
use crate::game::Game;
use crate::role::{ByRole, Role};
use crate::units;
use serde::{Deserialize, Serialize};
use sim_core::RestoreError;

/// The state of a game.
///
/// In JSON the state is self-contained but for the instance. Pipelines are lists, next
/// arrival first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Stocks, and orders and goods on their way.
    pub chain: Chain,
    /// This week's decisions that wait for those of the other seats, downstream first \[units\].
    pub sealed: ByRole<Option<u32>>,
    /// The log: one entry for each closed week.
    ///
    /// Its length is always `chain.weeks_closed`.
    pub log: Vec<ByRole<WeekRecord>>,
    /// The weeks in which seats did not decide.
    pub forfeits: Vec<Forfeit>,
}

/// One role's week in the log.
///
/// Amounts are of the role's own stage. `inventory` and `backlog` are never both
/// positive, and week for week `inventory' - backlog' = inventory - backlog +
/// incoming_delivery - incoming_order`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeekRecord {
    /// Units asked for.
    #[serde(serialize_with = "units::serialize")]
    pub incoming_order: f64,
    /// Units received.
    #[serde(serialize_with = "units::serialize")]
    pub incoming_delivery: f64,
    /// Units shipped.
    #[serde(serialize_with = "units::serialize")]
    pub outgoing_delivery: f64,
    /// Units ordered.
    #[serde(serialize_with = "units::serialize")]
    pub order: f64,
    /// Stock at the end of the week \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub inventory: f64,
    /// Backlog at the end of the week \[units\].
    #[serde(serialize_with = "units::serialize")]
    pub backlog: f64,
    /// Cost booked \[cost\].
    #[serde(serialize_with = "units::serialize")]
    pub cost: f64,
}

impl WeekRecord {
    /// The last closed week of a stage.
    fn of(stage: &Stage) -> Self {
        Self {
            incoming_order: stage.incoming_order,
            incoming_delivery: stage.incoming_delivery,
            outgoing_delivery: stage.outgoing_delivery,
            order: stage.order,
            inventory: stage.inventory,
            backlog: stage.backlog,
            cost: stage.cost,
        }
    }
}

/// A week in which a seat did not decide; it ordered nothing.
///
/// A week has at most one for each seat. The score turns each into an incident
/// `forfeited_week`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forfeit {
    /// The week, counted from 1.
    pub week: u32,
    /// The role that did not decide.
    pub role: Role,
}

impl State {
    /// The state before the first decision.
    pub(crate) fn start(game: &Game) -> Self {
        Self {
            chain: Chain::start(&game.setup),
            sealed: ByRole::all(None),
            log: Vec::with_capacity(game.instance.demand.len()),
            forfeits: Vec::new(),
        }
    }

    /// Appends the week that was just closed to the log, and returns its lines. `weeks` is the length of the
    /// game: a copy of a state has no room for the weeks to come.
    pub(crate) fn write_log(&mut self, weeks: usize) -> ByRole<WeekRecord> {
        // Once for the whole game and not by doubling: searching agents hold many copies.
        self.log.reserve_exact(weeks.saturating_sub(self.log.len()));
        let lines = ByRole::from_fn(|role| WeekRecord::of(self.chain.stage(role)));
        self.log.push(lines);
        lines
    }

    /// The role that decides next, if the state can belong to the game.
    ///
    /// Refused are states with more weeks than the game has, with a log of another
    /// length, of a board with other delays, with
    /// negative or infinite amounts, and with sealed orders that no sequence of turns can
    /// leave behind. The history is not replayed: stocks that this game cannot have
    /// reached, but could be played on from, are accepted.
    pub(crate) fn check(&self, game: &Game) -> Result<Role, RestoreError> {
        let wrong = |place: &str, message: String| RestoreError::new(place, message);
        let refuse = |place: &str, message: String| Err(wrong(place, message));
        let (weeks, closed) = (game.instance.weeks(), self.chain.weeks_closed);
        if closed > weeks {
            return refuse(
                "state.chain.weeks_closed",
                format!("`{closed}` of {weeks} weeks"),
            );
        }
        let open = game.instance.play.observe == Observe::CurrentWeek && closed < weeks;
        if self.chain.is_open != open {
            return refuse(
                "state.chain.is_open",
                format!("must be `{open}` in this game"),
            );
        }
        // A seat may have passed in the week that is not over yet.
        let latest = closed.saturating_add(1);
        let stray = |forfeit: &&Forfeit| forfeit.week == 0 || forfeit.week > latest;
        if let Some(forfeit) = self.forfeits.iter().find(stray) {
            return refuse(
                "state.forfeits",
                format!(
                    "week `{}` is not among the weeks 1 to {latest}",
                    forfeit.week
                ),
            );
        }
        // The metrics add up the log: with a week missing they would not fit the cost.
        if self.log.len() != closed as usize {
            let lines = self.log.len();
            return refuse(
                "state.log",
                format!("`{lines}` weeks, but {closed} are closed"),
            );
        }
        let board = &game.instance.board;
        for (role, stage) in self.chain.stages.iter() {
            let place = format!("state.chain.stages.{}", role.index());
            let goods = match role {
                Role::Brewery => board.production_delay,
                _ => board.ship_delay,
            };
            if stage.slips.delay() != board.order_delay || stage.inbound.delay() != goods {
                return refuse(&place, "has pipelines of another length".to_owned());
            }
            if !stage.is_sane() {
                return refuse(&place, "has a negative or infinite amount".to_owned());
            }
        }
        // Seats decide in order, so the sealed orders are those of the first few seats.
        let mut waiting = closed == weeks;
        for (role, sealed) in self.sealed {
            let controlled = game.instance.play.controlled.contains(&role);
            if sealed.is_some_and(|units| units > game.instance.play.largest_order)
                || (sealed.is_some() && (!controlled || waiting))
            {
                return refuse("state.sealed", format!("`{role}` cannot have decided"));
            }
            waiting |= controlled && sealed.is_none();
        }
        let turn = game.waiting(&self.sealed);
        turn.filter(|_| waiting).ok_or_else(|| {
            let message = "all seats have decided, but the week is not over";
            wrong("state.sealed", message.to_owned())
        })
    }
}
