//! What a game waits for.

use sim_core::{Seat, Session};
use std::fmt;

/// The decisions that a game waits for. It differs from every other wait of the game, so that a decision for one is not
/// taken for another one, and each has its own time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The period, from 0.
    pub period: u32,
    /// Where seats decide one after the other, how often another seat came to its turn before: a seat may have several
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
