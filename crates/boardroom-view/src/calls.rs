//! The calls of models in a run folder: what was spent, and which calls belong to which record.

use crate::lines::{self, LineAt};
use agent_client::ledger::UsageTotals;
use agent_client::money::{Money, PriceBook};
use agent_client::reply::Usage;
use agent_client::store::{CallTime, SlimCall, StoredCall};
use agent_client::wire::ApiKind;
use run_engine::engine::model::paid::prices_in;
use run_engine::files::store::{CALLS, TIMES};
use sim_core::Digest;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// What was spent on calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spent {
    /// Answered requests, their tokens and their cost.
    pub(crate) totals: UsageTotals,
    /// Requests whose time is known.
    pub(crate) timed: u64,
    /// Time from these requests to their answers \[ms\].
    pub(crate) ms: u64,
}

impl Spent {
    pub(crate) fn add(&mut self, usage: Option<&Usage>, cost: Option<Money>, ms: Option<u64>) {
        self.totals.count(usage, cost);
        if let Some(ms) = ms {
            self.timed += 1;
            self.ms = self.ms.saturating_add(ms);
        }
    }

    /// Adds what was spent elsewhere.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.totals.add(&other.totals);
        self.timed += other.timed;
        self.ms = self.ms.saturating_add(other.ms);
    }
}

/// Where the calls of a run are.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallIndex {
    read_to: u64,
    /// Length of the file when it was read, with a line that was being written.
    length: u64,
    /// Calls by the unit of work: `episode/-3`, `classroom/team1`.
    by_unit: BTreeMap<String, Vec<LineAt>>,
    kinds: BTreeMap<String, ApiKind>,
    /// The prices of the run.
    prices: PriceBook,
    /// What all of them cost.
    pub(crate) spent: Spent,
    times: Times,
}

/// How long the answers took, from the file beside the calls.
#[derive(Debug, Clone, Default)]
struct Times {
    read_to: u64,
    length: u64,
    by_key: BTreeMap<[u8; 32], u64>,
}

impl Times {
    fn refresh(&mut self, dir: &Path) -> io::Result<()> {
        let path = dir.join(TIMES);
        let length = lines::length(&path);
        if length < self.read_to {
            *self = Self::default();
        }
        self.length = length;
        let from = self.read_to;
        self.read_to = lines::each(&path, from, |_, line| {
            if let Ok(time) = serde_json::from_slice::<CallTime>(line) {
                // The first answer counts, as in the recording itself.
                self.by_key.entry(time.key.0).or_insert(time.ms);
            }
        })?;
        Ok(())
    }
}

/// The unit of work of a slot: its first two parts.
fn unit(slot: &str) -> &str {
    let end = slot.match_indices('/').nth(1).map(|(at, _)| at);
    end.and_then(|end| slot.get(..end)).unwrap_or(slot)
}

impl CallIndex {
    /// Whether the files of calls and times in `dir` are as long as when they were read. Their lengths and not the ends of their
    /// last whole lines are compared: a line that is being written would otherwise be read anew for every page.
    pub(crate) fn is_current(&self, dir: &Path) -> bool {
        lines::length(&dir.join(CALLS)) == self.length
            && lines::length(&dir.join(TIMES)) == self.times.length
    }

    /// Reads what was added to the calls of the run in `dir`. A line that is not a call is left out.
    pub(crate) fn refresh(&mut self, dir: &Path) -> io::Result<()> {
        let path = dir.join(CALLS);
        let length = lines::length(&path);
        // A file of prices that cannot be read is what `verify` finds; here it names none.
        let prices = prices_in(dir).ok().flatten().unwrap_or_default();
        // The calls so far may have been counted without a price that is known now.
        if length < self.read_to || prices != self.prices {
            *self = Self::default();
        }
        self.prices = prices;
        self.length = length;
        self.times.refresh(dir)?;
        let from = self.read_to;
        self.read_to = lines::each(&path, from, |at, line| {
            let Ok(call) = serde_json::from_slice::<SlimCall<'_>>(line) else {
                return;
            };
            let usage = call.usage.as_ref();
            let cost = self.prices.cost_of(&call.backend, usage, call.cost);
            self.spent.add(usage, cost, None);
            if let Some(dialect) = &call.dialect {
                self.kinds.insert(dialect.name(), dialect.kind);
            }
            let unit = unit(&call.slot).to_owned();
            self.by_unit.entry(unit).or_default().push(at);
        })?;
        // From the file of times as a whole: a call may be read before its time was written.
        self.spent.timed = self.times.by_key.len() as u64;
        let all = self.times.by_key.values();
        self.spent.ms = all.fold(0, |sum, ms| sum.saturating_add(*ms));
        Ok(())
    }

    /// The calls of a unit of work, in the order in which they were answered.
    pub(crate) fn of(&self, unit: &str) -> &[LineAt] {
        self.by_unit.get(unit).map_or(&[], Vec::as_slice)
    }

    /// The cost of `call` at the prices of the run.
    pub(crate) fn cost(&self, call: &StoredCall) -> Option<Money> {
        self.prices
            .cost_of(&call.backend, call.usage.as_ref(), call.cost)
    }

    /// How long the answer to the request `key` took \[ms\].
    pub(crate) fn ms(&self, key: &Digest) -> Option<u64> {
        self.times.by_key.get(&key.0).copied()
    }

    /// The API of a backend (`openai:some-model`).
    pub(crate) fn kind(&self, backend: &str) -> Option<ApiKind> {
        let named = match backend.split_once(':').map(|(kind, _)| kind) {
            Some("anthropic") => Some(ApiKind::Anthropic),
            Some("openai") => Some(ApiKind::OpenAi),
            _ => None,
        };
        // What was recorded comes first: a backend may have any name.
        self.kinds.get(backend).copied().or(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn units_are_episodes_and_teams() {
        assert_eq!(unit("episode/-3/turn0/query1"), "episode/-3");
        assert_eq!(
            unit("classroom/team2/brewery/turn3/turn0/query1"),
            "classroom/team2"
        );
        assert_eq!(unit("short"), "short");
    }

    #[test]
    fn calls_are_read_once_and_what_was_added_later() {
        let dir = tempfile::tempdir().unwrap();
        let line = |slot: &str| {
            format!(
                r#"{{"slot":"{slot}","request":{{}},"answer":[1],"usage":{{"input":10,"output":3}},"cost":0.5}}"#
            )
        };
        let path = dir.path().join(CALLS);
        std::fs::write(&path, format!("{}\nnot a call\n", line("episode/-0/turn0"))).unwrap();
        let mut index = CallIndex::default();
        index.refresh(dir.path()).unwrap();
        let both = format!(
            "{}\nnot a call\n{}\n",
            line("episode/-0/turn0"),
            line("episode/-1/turn0")
        );
        std::fs::write(&path, both).unwrap();
        index.refresh(dir.path()).unwrap();
        index.refresh(dir.path()).unwrap();
        assert_eq!(
            (
                index.spent.totals.requests,
                index.spent.totals.usage.input,
                index.spent.totals.usage.output
            ),
            (2, 20, 6)
        );
        assert_eq!(index.spent.totals.cost.dollars(), 1.0);
        assert_eq!(
            (index.of("episode/-0").len(), index.of("episode/-1").len()),
            (1, 1)
        );
        assert!(index.of("episode/-2").is_empty());
    }

    #[test]
    fn times_are_found_by_the_key_of_their_request() {
        let dir = tempfile::tempdir().unwrap();
        let key = |n: u8| Digest::of_bytes(&[n]);
        let line = |n: u8, ms: u64| {
            let time = CallTime::new(key(n), Duration::from_millis(ms));
            serde_json::to_string(&time).unwrap() + "\n"
        };
        let path = dir.path().join(TIMES);
        let mut index = CallIndex::default();
        index.refresh(dir.path()).unwrap();
        assert!(index.is_current(dir.path()));
        std::fs::write(&path, format!("{}{{\"key\"", line(1, 1_200))).unwrap();
        assert!(!index.is_current(dir.path()));
        index.refresh(dir.path()).unwrap();
        std::fs::write(&path, format!("{}{}", line(1, 1_200), line(2, 300))).unwrap();
        index.refresh(dir.path()).unwrap();
        assert_eq!(
            (index.ms(&key(1)), index.ms(&key(2))),
            (Some(1_200), Some(300))
        );
        assert_eq!(index.ms(&key(3)), None);
        assert_eq!((index.spent.timed, index.spent.ms), (2, 1_500));
    }
}
