//! The best and the worst of many records, found while they are read on all cores.

use sim_core::{EpisodeRecord, Header, Sense};
use std::sync::{Mutex, PoisonError};

/// The best and the worst record so far; of equal ones that of the lower seed and number, so that
/// threads cannot move the choice.
#[derive(Debug)]
pub(super) struct Extremes {
    sense: Sense,
    found: Mutex<[Option<EpisodeRecord>; 2]>,
}

impl Extremes {
    /// None yet.
    pub(super) fn new(sense: Sense) -> Self {
        Self {
            sense,
            found: Mutex::default(),
        }
    }

    /// Looks at a record and keeps a copy where it is the best or the worst of those that have a score.
    pub(super) fn see(&self, record: &EpisodeRecord) {
        if !record.score.is_scored() {
            return;
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let [best, worst] = &mut *found;
        // Without the sign of zero: a cost of nothing is `-0.0` and equal to `0.0`.
        let key = |r: &EpisodeRecord| (r.score.value() + 0.0, place(&r.header));
        let (value, here) = key(record);
        let beats = |other: &Option<EpisodeRecord>, up: bool| {
            other.as_ref().map(key).is_none_or(|(held, there)| {
                let better = if up {
                    self.sense.better(value, held)
                } else {
                    self.sense.better(held, value)
                };
                let equal = value.total_cmp(&held).is_eq();
                better || (equal && here < there)
            })
        };
        // A copy only for a new extreme: of records in random order the n-th is one with a chance
        // of 1 in n.
        if beats(best, true) {
            *best = Some(record.clone());
        }
        if beats(worst, false) {
            *worst = Some(record.clone());
        }
    }

    /// The best, and the worst where it is another one.
    pub(super) fn into_best_and_worst(self) -> (Option<EpisodeRecord>, Option<EpisodeRecord>) {
        let found = self.found.into_inner();
        let [best, worst] = found.unwrap_or_else(PoisonError::into_inner);
        let place = |record: &EpisodeRecord| place(&record.header);
        let held = best.as_ref().map(place);
        let worst = worst.filter(|record| Some(place(record)) != held);
        (best, worst)
    }
}

/// Seed and number of an episode: which one of a pool it is.
fn place(header: &Header) -> (u64, u64) {
    (header.seed.0, header.episode)
}
