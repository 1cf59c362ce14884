//! Whole episodes of policies without a log, for runs of which only the scores are wanted.
//!
//! A [`Session`](crate::Session) writes the text of every reply and its digest, which takes a hundred times as long
//! as the step itself. Here nothing is written; score and counts are those that a session gives for the same play.

use crate::environment::Seat;
use crate::limits::Limits;
use crate::policy::Policy;
use crate::record::Tally;
use crate::score::{NotFinite, Score};
use crate::tool_interface::ToolInterface;

/// The result of an episode of which no log was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Rollout {
    /// The score.
    pub score: Score,
    /// The counts of the record that a session would have made.
    pub tally: Tally,
    /// Number of decisions that the environment refused.
    pub refused: u64,
    /// Number of periods that the episode reached.
    pub periods: u64,
}

/// A seat, its policy, and the number of turns in a row that it forfeited.
pub(crate) struct Player<E: ToolInterface> {
    seat: Seat,
    policy: Box<dyn Policy<E>>,
    forfeits: u32,
}

impl<E: ToolInterface> Player<E> {
    pub(crate) fn new(seat: Seat, policy: Box<dyn Policy<E>>) -> Self {
        let forfeits = 0;
        Self {
            seat,
            policy,
            forfeits,
        }
    }
}

/// Plays `env` to its end; each of its seats has a player. `limits` hold as in a session, except that errors are
/// never hidden from the policy (`faithful_errors`).
pub(crate) fn play<E: ToolInterface>(
    mut env: E,
    mut players: Vec<Player<E>>,
    limits: Limits,
) -> Result<Rollout, NotFinite> {
    let mut tally = Tally::default();
    let (mut refused, mut periods) = (0, 0);
    // Inputs and refused inputs of the turn.
    let (mut inputs, mut tries) = (0, 0);
    // Kept from turn to turn and told again after a refusal: a session does so too, and a policy
    // must not notice by which of the two it is played.
    let mut told = None;
    while !env.is_over() {
        let before = (env.period().index, env.turn());
        periods = u64::from(before.0) + 1;
        let Some(player) = players.iter_mut().find(|player| player.seat == before.1) else {
            break;
        };
        let action = player.policy.act(&env.observe());
        tally.inputs += 1;
        inputs += 1;
        let mut gives_up = false;
        match env.step(&action) {
            Ok(feedback) => {
                told = Some(feedback);
                if env.is_over() || before != (env.period().index, env.turn()) {
                    player.forfeits = 0;
                    (inputs, tries) = (0, 0);
                }
            }
            Err(_) => {
                refused += 1;
                tries += 1;
                gives_up = tries >= limits.tries_per_period;
            }
        }
        if gives_up || inputs >= limits.inputs_per_period {
            (inputs, tries) = (0, 0);
            // After too many forfeits of one seat in a row the rest of the episode is forfeited, for every seat.
            loop {
                let (period, seat) = (env.period().index, env.turn());
                periods = u64::from(period) + 1;
                told = Some(env.forfeit());
                tally.forfeits += 1;
                let its = players.iter_mut().find(|player| player.seat == seat);
                its.into_iter().for_each(|player| player.forfeits += 1);
                let ends = players.iter().any(|p| p.forfeits >= limits.forfeits_in_row);
                if !ends || env.is_over() {
                    break;
                }
            }
        }
        let player = players.iter_mut().find(|player| player.seat == before.1);
        if let (Some(player), Some(told)) = (player, &told) {
            player.policy.learn(told);
        }
    }
    Ok(Rollout {
        score: env.score()?,
        tally,
        refused,
        periods,
    })
}
