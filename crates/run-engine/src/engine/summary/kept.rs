//! The small part of an episode that its summary needs.

use sim_core::score::Metrics;
use sim_core::{Causes, Score, Tally};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

/// What a summary needs of an episode, kept small: a million fit in memory.
#[derive(Debug, Clone)]
pub struct Kept {
    pub(super) value: f64,
    /// Which list of [`MetricNames`] has the names of its metrics.
    pub(super) names: u32,
    /// Their values. A list of numbers takes a fraction of the memory of a map.
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

    /// Number of forfeited turns.
    #[must_use]
    pub fn forfeits(&self) -> u32 {
        self.forfeits
    }

    /// Causes of the agent's replies; `None` if no model was asked.
    #[must_use]
    pub fn causes(&self) -> Option<&Causes> {
        let causes = self.rare.as_ref().map(|rare| &rare.causes);
        causes.filter(|causes| !causes.is_empty())
    }

    /// The values of its metrics, each with its place among the names of [`MetricNames::places`].
    pub fn metrics<'a>(
        &'a self,
        places: &'a [Vec<usize>],
    ) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        values(self.names, &self.metrics, places)
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

/// The names of the metrics of the episodes of a run: a list for each set of names that an episode has.
#[derive(Debug, Default)]
pub struct MetricNames(RwLock<Lists>);

#[derive(Debug, Default)]
struct Lists {
    lists: Vec<Arc<[Cow<'static, str>]>>,
    places: BTreeMap<Arc<[Cow<'static, str>]>, u32>,
}

impl Lists {
    /// The place of the list of these metrics.
    fn find(&self, metrics: &Metrics) -> Option<u32> {
        // Nearly all episodes of an environment have the same metrics. Records of somebody else may have new ones in
        // each episode, so the lists are not compared one by one.
        let first = self.lists.first();
        if first.is_some_and(|names| names.iter().eq(metrics.keys())) {
            return Some(0);
        }
        let names: Vec<_> = metrics.keys().cloned().collect();
        self.places.get(names.as_slice()).copied()
    }

    fn add(&mut self, metrics: &Metrics) -> u32 {
        let names: Arc<[_]> = metrics.keys().cloned().collect();
        let place = u32::try_from(self.lists.len()).unwrap_or(u32::MAX);
        self.lists.push(Arc::clone(&names));
        self.places.insert(names, place);
        place
    }
}

impl MetricNames {
    /// The names of all lists, and for each list the places of its names among them.
    #[must_use]
    pub fn places(&self) -> (Vec<Cow<'static, str>>, Vec<Vec<usize>>) {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let names: BTreeSet<_> = held.lists.iter().flat_map(|list| list.iter()).collect();
        let places: BTreeMap<_, usize> = names.iter().copied().zip(0..).collect();
        let of_list = |list: &Arc<[_]>| {
            let places = list.iter().filter_map(|name| places.get(name).copied());
            places.collect()
        };
        let of_lists = held.lists.iter().map(of_list).collect();
        (names.into_iter().cloned().collect(), of_lists)
    }

    /// What is kept of an episode. The threads that play call it, so that each frees what it allocated.
    #[must_use]
    pub fn keep(&self, score: &Score, tally: Tally, refused: Option<u64>) -> Kept {
        let metrics = score.metrics();
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = held.find(metrics);
        drop(held);
        let names = found.unwrap_or_else(|| {
            let mut lists = self.0.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have added it since.
            let found = lists.find(metrics);
            found.unwrap_or_else(|| lists.add(metrics))
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
            names,
            metrics: metrics.iter().map(|(_, value)| *value).collect(),
            forfeits: tally.forfeits,
            queries: tally.queries,
            // As far as a tally knows, which counts calls that decide nothing too; `with_actions`
            // corrects it.
            has_actions: tally.inputs > 0,
            refused,
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
        }
    }
}

/// The `metrics` of an episode that has the names of list `names`, each with its place.
pub(super) fn values<'a>(
    names: u32,
    metrics: &'a [f64],
    places: &'a [Vec<usize>],
) -> impl Iterator<Item = (usize, f64)> + use<'a> {
    let list = usize::try_from(names).ok().and_then(|at| places.get(at));
    let places = list.map_or(&[][..], Vec::as_slice).iter().copied();
    places.zip(metrics.iter().copied())
}
