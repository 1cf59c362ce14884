//! The part of a run that one process does.

use crate::error::RunError;
use serde::{Deserialize, Serialize};

/// Most shards of a run.
const MAX_SHARDS: u64 = 10_000_000;

/// Which units of a run one process does: those whose number leaves `index` when divided by
/// `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// This part, from 0.
    pub index: u64,
    /// Number of parts.
    pub count: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl Shard {
    /// Checks that the shard exists.
    ///
    /// # Errors
    /// When its number or the number of shards is out of range.
    pub fn check(self) -> Result<(), RunError> {
        let Self { index, count } = self;
        if (1..=MAX_SHARDS).contains(&count) && index < count {
            return Ok(());
        }
        Err(RunError::usage(format!(
            "shard {index} of {count} does not exist: a run has 1 to {MAX_SHARDS} shards, numbered \
             from 0"
        )))
    }

    /// The part in words, with the option that selects it.
    #[must_use]
    pub fn in_words(self) -> String {
        match self.count {
            1 => "the whole run".to_owned(),
            // `--episode K` selects the last of K + 1 shards.
            count if self.index + 1 == count => format!(
                "{self}, as with --episode {0} or --shard {0}/{count}",
                self.index
            ),
            count => format!("{self}, as with --shard {}/{count}", self.index),
        }
    }

    /// The shard that is `by` places further round.
    #[must_use]
    pub fn turned(self, by: u64) -> Self {
        let by = by.checked_rem(self.count).unwrap_or(0);
        let left = self.count - by;
        Self {
            // Compared with what is left and not added and divided, because `index + by` may not
            // fit into the number.
            index: if self.index >= left {
                self.index - left
            } else {
                self.index + by
            },
            ..self
        }
    }

    /// The shard that comes here when it is [`turned`](Self::turned) by as much.
    #[must_use]
    pub fn turned_back(self, by: u64) -> Self {
        let by = by.checked_rem(self.count).unwrap_or(0);
        self.turned(self.count - by)
    }

    /// Whether a number can belong to both parts, however many episodes there are.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        let (mut step, mut rest) = (self.count, other.count);
        while rest != 0 {
            (step, rest) = (rest, step % rest);
        }
        // Both hold k where k leaves `index` by `count` in each: solvable where the indices agree
        // by the greatest common divisor. No part of nothing meets another.
        step != 0 && self.index % step == other.index % step
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "shard {} of {}", self.index, self.count)
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(index, count)| {
            Some(Self {
                index: index.parse().ok()?,
                count: count.parse().ok()?,
            })
        });
        let shard = parts.ok_or_else(|| {
            format!("`{text}` is not a shard; parts are numbered from 0: 0/4 to 3/4 for four")
        })?;
        shard.check().map_err(|e| e.to_string())?;
        Ok(shard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_goes_round_and_back() {
        let shard = |index, count| Shard { index, count };
        assert_eq!(shard(2, 4).turned(7), shard(1, 4));
        assert_eq!(shard(0, 1).turned(9), shard(0, 1));
        let last = shard(u64::MAX - 1, u64::MAX);
        assert_eq!(last.turned(2), shard(1, u64::MAX));
        for (index, by) in (0..5).flat_map(|index| (0..12).map(move |by| (index, by))) {
            let turned = shard(index, 5).turned(by);
            assert_eq!(turned.index, (index + by) % 5);
            assert_eq!(turned.turned_back(by), shard(index, 5));
        }
    }

    #[test]
    fn shards_overlap_where_they_share_a_number() {
        let all = || (1..7).flat_map(|count| (0..count).map(move |index| Shard { index, count }));
        for (one, other) in all().flat_map(|one| all().map(move |other| (one, other))) {
            let both = |k: &u64| k % one.count == one.index && k % other.count == other.index;
            assert_eq!(
                one.overlaps(other),
                (0..60).any(|k| both(&k)),
                "{one}, {other}"
            );
        }
    }

    #[test]
    fn shards_that_do_not_exist_are_refused() {
        let of = |index, count| Shard { index, count }.check();
        assert!(of(0, 1).is_ok() && of(4, 5).is_ok());
        for (index, count) in [(0, 0), (5, 2), (1, 1), (0, u64::MAX), (u64::MAX, u64::MAX)] {
            assert!(of(index, count).is_err(), "{index}/{count}");
        }
    }

    #[test]
    fn shards_are_numbered_from_0() {
        assert_eq!("3/4".parse(), Ok(Shard { index: 3, count: 4 }));
        for wrong in ["4/4", "1", "a/b", "-1/2", "0/0", "0/10000001"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
