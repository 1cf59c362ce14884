//! The calls of models in a run folder: what was spent, and which calls belong to which record.

use crate::lines::{self, LineAt};
use agent_client::money::Money;
use agent_client::reply::Usage;
use agent_client::wire::{ApiKind, Dialect};
use run_engine::files::store::CALLS;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// What was spent on calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spent {
    /// Answered requests.
    pub(crate) requests: u64,
    /// Tokens of the requests.
    pub(crate) input: u64,
    /// Tokens of the answers.
    pub(crate) output: u64,
    /// Cost.
    pub(crate) cost: Money,
}

impl Spent {
    pub(crate) fn add(&mut self, usage: Option<&Usage>, cost: Option<Money>) {
        self.requests += 1;
        if let Some(usage) = usage {
            self.input = self.input.saturating_add(usage.input);
            self.output = self.output.saturating_add(usage.output);
        }
        self.cost = self.cost.plus(cost.unwrap_or_default());
    }
}

/// Where the calls of a run are.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallIndex {
    read_to: u64,
    /// Length of the file when it was read, with a line that was being written.
    length: u64,
    /// Calls by the unit of work: `episode/-3`, `qa0/trial0/place1`.
    by_unit: BTreeMap<String, Vec<LineAt>>,
    kinds: BTreeMap<String, ApiKind>,
    /// What all of them cost.
    pub(crate) spent: Spent,
}

#[derive(Deserialize)]
struct Slim<'a> {
    #[serde(borrow)]
    slot: std::borrow::Cow<'a, str>,
    #[serde(default)]
    dialect: Option<Dialect>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    cost: Option<Money>,
    #[serde(rename = "request")]
    _request: IgnoredAny,
    #[serde(rename = "answer")]
    _answer: IgnoredAny,
}

/// The unit of work of a slot: its first two parts for episodes, three for items.
fn unit(slot: &str) -> &str {
    let parts = if slot.starts_with("episode/") { 2 } else { 3 };
    let end = slot.match_indices('/').nth(parts - 1).map(|(at, _)| at);
    end.and_then(|end| slot.get(..end)).unwrap_or(slot)
}

impl CallIndex {
    /// Whether the file of calls in `dir` is as long as when it was read.
    pub(crate) fn is_current(&self, dir: &Path) -> bool {
        lines::length(&dir.join(CALLS)) == self.length
    }

    /// Reads what was added to the calls of the run in `dir`. A line that is not a call is left out.
    pub(crate) fn refresh(&mut self, dir: &Path) -> io::Result<()> {
        let path = dir.join(CALLS);
        let length = lines::length(&path);
        if length < self.read_to {
            *self = Self::default();
        }
        self.length = length;
        let from = self.read_to;
        self.read_to = lines::each(&path, from, |at, line| {
            let Ok(call) = serde_json::from_slice::<Slim<'_>>(line) else {
                return;
            };
            self.spent.add(call.usage.as_ref(), call.cost);
            if let Some(dialect) = &call.dialect {
                self.kinds.insert(dialect.name(), dialect.kind);
            }
            let unit = unit(&call.slot).to_owned();
            self.by_unit.entry(unit).or_default().push(at);
        })?;
        Ok(())
    }

    /// The calls of a unit of work, in the order in which they were answered.
    pub(crate) fn of(&self, unit: &str) -> &[LineAt] {
        self.by_unit.get(unit).map_or(&[], Vec::as_slice)
    }

    /// The API of a backend (`openai:some-model`).
    pub(crate) fn kind(&self, backend: &str) -> Option<ApiKind> {
        let named = match backend.split_once(':').map(|(kind, _)| kind) {
            Some("anthropic") => Some(ApiKind::Anthropic),
            Some("openai") => Some(ApiKind::OpenAi),
            _ => None,
        };
        self.kinds.get(backend).copied().or(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_episodes_and_places() {
        assert_eq!(unit("episode/-3/turn0/query1"), "episode/-3");
        assert_eq!(
            unit("qa0/trial0/place1/application/FPB:1/answer"),
            "qa0/trial0/place1"
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
            (index.spent.requests, index.spent.input, index.spent.output),
            (2, 20, 6)
        );
        assert_eq!(index.spent.cost.dollars(), 1.0);
        assert_eq!(
            (index.of("episode/-0").len(), index.of("episode/-1").len()),
            (1, 1)
        );
        assert!(index.of("episode/-2").is_empty());
    }
}
