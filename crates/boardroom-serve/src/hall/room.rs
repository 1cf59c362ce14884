//! How much games may take in: each by itself, and all together.
//!
//! What a client sends is kept for the record, so without an end to it clients could fill the
//! memory. An end alone would let a client escape its score, by sending so much that no decision
//! fits any more. So a part of each game's room is there for decisions only, and the server holds
//! that part from the moment the game is opened: no other game can take it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Share of a game's room that only decisions may use: one part of so many.
const RESERVE: usize = 16;

/// The room of a server \[bytes\].
#[derive(Debug)]
pub(super) struct QuotaPool {
    most: usize,
    claimed: AtomicUsize,
}

/// The room of one game \[bytes\]; the server has it back when this is dropped.
#[derive(Debug)]
pub(super) struct MemoryQuota {
    ledger: Arc<QuotaPool>,
    most: usize,
    reserve: usize,
    taken: usize,
    /// What the ledger holds for this game: what was taken, and the reserve.
    claimed: usize,
}

/// Why an input is not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoRoom {
    /// It is longer than what is left to it; a shorter one may fit.
    TooLong,
    /// Decisions have used up even what was reserved for them.
    Spent,
    /// All games together have taken what they may.
    Full,
}

impl QuotaPool {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            claimed: AtomicUsize::new(0),
        })
    }

    /// What all games together may take \[bytes\].
    pub(super) fn most(&self) -> usize {
        self.most
    }

    fn claim(&self, bytes: usize) -> bool {
        let more = |claimed: usize| {
            let claimed = claimed.checked_add(bytes)?;
            (claimed <= self.most).then_some(claimed)
        };
        self.claimed
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }

    fn release(&self, bytes: usize) {
        self.claimed.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl MemoryQuota {
    /// The room of a new game, `most` bytes of the ledger's; `None` where the ledger has not even
    /// its reserve left.
    pub(super) fn open(ledger: &Arc<QuotaPool>, most: usize) -> Option<Self> {
        let reserve = most / RESERVE;
        ledger.claim(reserve).then(|| Self {
            ledger: Arc::clone(ledger),
            most,
            reserve,
            taken: 0,
            claimed: reserve,
        })
    }

    /// What was taken in \[bytes\].
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Counts what a game that is gone on with took in before; says whether the ledger has it.
    pub(super) fn restore(&mut self, taken: usize) -> bool {
        let held = self.hold(taken.saturating_add(self.reserve));
        if held {
            self.taken = taken;
        }
        held
    }

    /// Counts an input of `size` bytes. Readers must leave the reserve untouched.
    pub(super) fn take(&mut self, size: usize, decides: bool) -> Result<(), NoRoom> {
        let after = self.taken.saturating_add(size);
        let most = if decides {
            self.most
        } else {
            self.most - self.reserve
        };
        if after > most {
            let spent = decides && size <= self.reserve;
            return Err(if spent {
                NoRoom::Spent
            } else {
                NoRoom::TooLong
            });
        }
        let wanted = after.saturating_add(self.reserve).min(self.most);
        if !self.hold(wanted) && (!decides || after > self.claimed) {
            return Err(NoRoom::Full);
        }
        self.taken = after;
        Ok(())
    }

    fn hold(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.claimed);
        let held = self.ledger.claim(more);
        if held {
            self.claimed += more;
        }
        held
    }
}

impl Drop for MemoryQuota {
    fn drop(&mut self) {
        self.ledger.release(self.claimed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_leave_the_reserve_to_decisions() {
        let ledger = QuotaPool::new(10_000);
        let mut room = MemoryQuota::open(&ledger, 1_600).unwrap();
        assert_eq!(room.take(1_501, false), Err(NoRoom::TooLong));
        assert_eq!(room.take(1_500, false), Ok(()));
        assert_eq!(room.take(1, false), Err(NoRoom::TooLong));
        assert_eq!(room.take(101, true), Err(NoRoom::TooLong));
        assert_eq!(room.take(60, true), Ok(()));
        assert_eq!(room.take(41, true), Err(NoRoom::Spent));
        assert_eq!(room.take(40, true), Ok(()));
        assert_eq!(room.taken(), 1_600);
        drop(room);
        assert_eq!(ledger.claimed.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn whatever_others_take_a_game_can_be_played_to_its_end() {
        let ledger = QuotaPool::new(1_700);
        let mut greedy = MemoryQuota::open(&ledger, 1_600).unwrap();
        let mut other = MemoryQuota::open(&ledger, 1_600).unwrap();
        assert_eq!(greedy.take(1_500, false), Ok(()));
        assert_eq!(other.take(1, false), Err(NoRoom::Full));
        assert_eq!(other.take(100, true), Ok(()), "its reserve");
        assert_eq!(other.take(1, true), Err(NoRoom::Full));
        assert!(MemoryQuota::open(&ledger, 1_600).is_none());
        drop(greedy);
        assert_eq!(other.take(1, false), Ok(()));
        assert!(MemoryQuota::open(&ledger, 1_600).is_some());
    }

    #[test]
    fn a_game_gone_on_with_counts_as_before() {
        let ledger = QuotaPool::new(1_700);
        let mut room = MemoryQuota::open(&ledger, 1_600).unwrap();
        assert!(!room.restore(1_601), "more than there is");
        assert!(room.restore(1_600));
        assert_eq!(room.take(1, true), Err(NoRoom::Spent));
        drop(room);
        assert_eq!(ledger.claimed.load(Ordering::Relaxed), 0);
    }
}
