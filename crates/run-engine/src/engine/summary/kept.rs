//! The small part of an episode that its summary needs.

use sim_core::{Causes, Score, Tally};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// What a summary needs of an episode, kept small: a million fit in memory.
#[derive(Debug, Clone)]
pub struct Kept {
    pub(super) value: f64,
    /// Values by the order of [`MetricNames`]; NaN where absent. A list of numbers takes a fraction of the memory
    /// of a map.
    pub(super) metrics: Box<[f64]>,
    pub(super) forfeits: u32,
    pub(super) queries: u32,
    /// Whether an action was taken.
    pub(super) has_actions: bool,
    /// Calls and decisions that the environment refused; absent if they were not counted.
    pub(super) refused: Option<u64>,
    /// Absent where it would be empty: a policy's episode has none of it, and is a third of the size.
    pub(super) rare: Option<Box<Rare>>,
}

/// What an episode has that a model played, or in which something happened.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rare {
    /// Codes of its incidents.
    pub(super) incidents: Vec<String>,
    /// Causes of the agent's replies.
    pub(super) causes: Causes,
    /// Causes of the replies of seats that are not under test, by role.
    pub(super) others: BTreeMap<&'static str, Causes>,
    /// Why the episode has no score; absent if it has one.
    pub(super) why_unscored: Option<String>,
}

impl Kept {
    /// The score \[the environment's unit\].
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The same, where the inputs are known to hold an action or none.
    pub(crate) fn with_actions(self, has_actions: bool) -> Self {
        Self {
            has_actions,
            ..self
        }
    }

    /// Whether the episode has a score; otherwise its value says nothing.
    #[must_use]
    pub fn is_scored(&self) -> bool {
        let rare = self.rare.as_ref();
        rare.is_none_or(|rare| rare.why_unscored.is_none())
    }
}

/// The metrics of the episodes of a run, in the order in which their names were met.
#[derive(Debug, Default)]
pub struct MetricNames(pub(super) RwLock<Vec<Cow<'static, str>>>);

impl MetricNames {
    /// What is kept of an episode. The threads that play call it, so that each frees what it allocated.
    #[must_use]
    pub fn keep(&self, score: &Score, tally: Tally, refused: Option<u64>) -> Kept {
        let metrics = score.metrics();
        let find = |names: &[Cow<'static, str>]| {
            let mut values = vec![f64::NAN; names.len()];
            // Episodes of one environment nearly always have the same metrics, and a name is at its place.
            for (place, (name, value)) in metrics.iter().enumerate() {
                let at = match names.get(place) {
                    Some(known) if known == name => place,
                    _ => names.iter().position(|known| known == name)?,
                };
                if let Some(slot) = values.get_mut(at) {
                    *slot = *value;
                }
            }
            Some(values.into_boxed_slice())
        };
        let found = find(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        let metrics = found.unwrap_or_else(|| {
            let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
            for name in metrics.keys() {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            find(&names).unwrap_or_default()
        });
        let incidents = score.all_incidents().iter();
        let rare = Rare {
            incidents: incidents.map(|incident| incident.code.clone()).collect(),
            causes: tally.causes,
            others: tally.causes_of_others,
            why_unscored: score.why_unscored().map(str::to_owned),
        };
        Kept {
            value: score.value(),
            metrics,
            forfeits: tally.forfeits,
            queries: tally.queries,
            has_actions: tally.inputs > 0,
            refused,
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
        }
    }
}
