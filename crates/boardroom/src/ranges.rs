//! Ranges that the numbers of plans of every kind must lie in, whether a command line, a file or a
//! manifest names them.

use crate::error::RunError;
use crate::plan::Shard;
use agent_client::wire::Dialect;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Most parts that a plan may be cut into: more than any cluster starts.
pub(crate) const MOST_SHARDS: u64 = 1_000_000;

/// Most streams of questions or interviews: each is a pass over all of them.
pub(crate) const MOST_STREAMS: u64 = 1_000;

/// A whole number within its range.
pub(crate) fn whole<N: PartialOrd + Display>(
    name: &str,
    value: &N,
    range: &RangeInclusive<N>,
) -> Result<(), RunError> {
    if range.contains(value) {
        return Ok(());
    }
    Err(RunError::usage(format!(
        "{name} must be {} to {}, not `{value}`",
        range.start(),
        range.end()
    )))
}

/// A shard that exists.
pub(crate) fn shard(shard: Shard) -> Result<(), RunError> {
    let Shard { index, count } = shard;
    if (1..=MOST_SHARDS).contains(&count) && index < count {
        return Ok(());
    }
    Err(RunError::usage(format!(
        "shard {index} of {count} does not exist: there are 1 to {MOST_SHARDS} shards, numbered \
         from 0"
    )))
}

/// A model whose numbers can be sent.
pub(crate) fn dialect(dialect: &Dialect) -> Result<(), RunError> {
    dialect.check().map_err(|e| RunError::usage(e.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_that_do_not_exist_are_refused() {
        let of = |index, count| shard(Shard { index, count });
        assert!(of(0, 1).is_ok() && of(4, 5).is_ok());
        for (index, count) in [(0, 0), (5, 2), (1, 1), (0, u64::MAX), (u64::MAX, u64::MAX)] {
            assert!(of(index, count).is_err(), "{index}/{count}");
        }
    }
}
