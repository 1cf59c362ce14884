//! Memory quotas: per game, and for all games together.
//!
//! All calls of a client are kept for the record, so without a limit clients could fill the memory.
//! With a limit alone, a client could avoid a bad score by sending so much that no further decision
//! fits. So a part of each game's quota is reserved for decisions, and the server claims that part
//! when the game is opened: no other game can use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The reserve for decisions is the quota of a game divided by this number.
const RESERVE: usize = 16;

/// The shared quota of a server \[bytes\].
#[derive(Debug)]
pub(super) struct QuotaPool {
    most: usize,
    claimed: AtomicUsize,
}

/// The quota of one game \[bytes\]; returned to the server when dropped.
#[derive(Debug)]
pub(super) struct MemoryQuota {
    ledger: Arc<QuotaPool>,
    most: usize,
    reserve: usize,
    taken: usize,
    /// Bytes that the shared quota holds for this game: what it has used, and its reserve.
    claimed: usize,
}

/// Why an input is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotaError {
    /// It is longer than the rest of the quota; a shorter one may fit.
    TooLong,
    /// Decisions have used up even the reserve.
    Spent,
    /// The shared quota is used up.
    Full,
}

impl QuotaPool {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            claimed: AtomicUsize::new(0),
        })
    }

    /// Maximum of the shared quota \[bytes\].
    pub(super) fn most(&self) -> usize {
        self.most
    }

    fn claim(&self, bytes: usize) -> bool {
        let more = |claimed: usize| {
            let claimed = claimed.checked_add(bytes)?;
            (claimed <= self.most).then_some(claimed)
        };
        self.claimed
            // Relaxed, because the number guards nothing but itself.
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }

    fn release(&self, bytes: usize) {
        self.claimed.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl MemoryQuota {
    /// The quota of a new game, at most `most` bytes of `ledger`; `None` if `ledger` does not even
    /// have quota for the reserve.
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

    /// Bytes used so far.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Counts the bytes that a continued game had used before; returns whether the shared quota has
    /// room for them.
    pub(super) fn restore(&mut self, taken: usize) -> bool {
        let held = self.hold(taken.saturating_add(self.reserve));
        if held {
            self.taken = taken;
        }
        held
    }

    /// Counts an input of `size` bytes. Inputs that are not decisions must leave the reserve
    /// untouched.
    pub(super) fn take(&mut self, size: usize, decides: bool) -> Result<(), QuotaError> {
        let after = self.taken.saturating_add(size);
        let most = if decides {
            self.most
        } else {
            self.most - self.reserve
        };
        if after > most {
            // A decision that would fit into an untouched reserve ends the game, as its quota is
            // used up; one that would not is a single call that is too long, and a shorter one may
            // follow.
            let spent = decides && size <= self.reserve;
            return Err(if spent {
                QuotaError::Spent
            } else {
                QuotaError::TooLong
            });
        }
        // A decision may use the reserve, which was claimed when the game was opened. Anything else
        // has to leave it, so it needs room for both.
        let wanted = after.saturating_add(self.reserve).min(self.most);
        if !self.hold(wanted) && (!decides || after > self.claimed) {
            return Err(QuotaError::Full);
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
        let mut quota = MemoryQuota::open(&ledger, 1_600).unwrap();
        assert_eq!(quota.take(1_501, false), Err(QuotaError::TooLong));
        assert_eq!(quota.take(1_500, false), Ok(()));
        assert_eq!(quota.take(1, false), Err(QuotaError::TooLong));
        assert_eq!(quota.take(101, true), Err(QuotaError::TooLong));
        assert_eq!(quota.take(60, true), Ok(()));
        assert_eq!(quota.take(41, true), Err(QuotaError::Spent));
        assert_eq!(quota.take(40, true), Ok(()));
        assert_eq!(quota.taken(), 1_600);
        drop(quota);
        assert_eq!(ledger.claimed.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn whatever_others_take_a_game_can_be_played_to_its_end() {
        let ledger = QuotaPool::new(1_700);
        let mut greedy = MemoryQuota::open(&ledger, 1_600).unwrap();
        let mut other = MemoryQuota::open(&ledger, 1_600).unwrap();
        assert_eq!(greedy.take(1_500, false), Ok(()));
        assert_eq!(other.take(1, false), Err(QuotaError::Full));
        assert_eq!(other.take(100, true), Ok(()), "its reserve");
        assert_eq!(other.take(1, true), Err(QuotaError::Full));
        assert!(MemoryQuota::open(&ledger, 1_600).is_none());
        drop(greedy);
        assert_eq!(other.take(1, false), Ok(()));
        assert!(MemoryQuota::open(&ledger, 1_600).is_some());
    }

    #[test]
    fn a_game_gone_on_with_counts_as_before() {
        let ledger = QuotaPool::new(1_700);
        let mut quota = MemoryQuota::open(&ledger, 1_600).unwrap();
        assert!(!quota.restore(1_601), "more than there is");
        assert!(quota.restore(1_600));
        assert_eq!(quota.take(1, true), Err(QuotaError::Spent));
        drop(quota);
        assert_eq!(ledger.claimed.load(Ordering::Relaxed), 0);
    }
}
