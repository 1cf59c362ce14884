//! Scores and the references that they are measured against.

use crate::strict::twice;
use litemap::LiteMap;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Whether a higher or a lower score is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sense {
    /// Higher is better (earnings, accuracy).
    Maximise,
    /// Lower is better (cost, blocking pairs).
    Minimise,
}

impl Sense {
    /// Distance of `value` from `reference`; positive when `value` is worse.
    #[must_use]
    pub fn regret(self, value: f64, reference: f64) -> f64 {
        match self {
            Self::Maximise => reference - value,
            Self::Minimise => value - reference,
        }
    }

    /// Whether `a` is strictly better than `b`.
    #[must_use]
    pub fn better(self, a: f64, b: f64) -> bool {
        self.regret(a, b) < 0.0
    }
}

/// The least and the greatest value that a score can have; infinite at an end that it does not have.
///
/// In JSON `[low, high]`, with `null` in place of what is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreRange {
    /// The least value.
    pub low: f64,
    /// The greatest value; above `low`.
    pub high: f64,
}

impl ScoreRange {
    /// Any finite value.
    pub const UNLIMITED: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);
    /// From 0 to 1.
    pub const SHARE: Self = Self::new(0.0, 1.0);

    /// From `low` to `high`.
    #[must_use]
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Whether neither end is limited.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        *self == Self::UNLIMITED
    }

    /// What the difference of two values in this range can be.
    #[must_use]
    pub fn of_differences(self) -> Self {
        Self::new(self.low - self.high, self.high - self.low)
    }

    /// The least range that holds this one and `other`.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }
}

impl Serialize for ScoreRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.low, self.high]
            .map(|end| end.is_finite().then_some(end))
            .serialize(serializer)
    }
}

/// An event of the episode that readers of the score should know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incident {
    /// Short stable name in snake case (`forfeited_period`, `plan_invalid`).
    pub code: String,
    /// Period in which it happened, counted from 0.
    pub period: u32,
    /// One line for people.
    pub note: String,
}

impl Incident {
    /// A period without a valid action in time, which counts as no action; `note` says what happened then.
    #[must_use]
    pub fn forfeited(period: u32, note: impl Into<String>) -> Self {
        Self {
            code: "forfeited_period".to_owned(),
            period,
            note: note.into(),
        }
    }
}

/// A value that is not a finite number and therefore cannot be a score.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("`{0}` is not a finite number and cannot be a score")]
pub struct NotFinite(pub f64);

/// Metrics by name, in the order of the names.
///
/// A sorted list: an episode has about ten metrics, and making a tree of them takes long beside a short game.
///
/// ```
/// use sim_core::Score;
///
/// let score = Score::new(1.5)?.metric("revenue", 3.0).metric("cost", 1.5);
/// assert_eq!(score.metrics()["cost"], 1.5);
/// assert_eq!(score.metrics().get("orders"), None);
/// assert_eq!(score.metrics().keys().collect::<Vec<_>>(), ["cost", "revenue"]);
/// # Ok::<(), sim_core::score::NotFinite>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics(LiteMap<Cow<'static, str>, f64>);

impl Metrics {
    /// The metric `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&f64> {
        self.0.get(name)
    }

    /// Whether there is a metric `name`.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets the metric `name`; returns what it was.
    pub fn insert(&mut self, name: impl Into<Cow<'static, str>>, value: f64) -> Option<f64> {
        // One allocation in place of those for 4, 8 and 16 entries.
        if self.0.is_empty() {
            self.0.reserve(16);
        }
        self.0.insert(name.into(), value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Cow<'static, str>, &f64)> {
        self.0.iter()
    }

    /// The names.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Cow<'static, str>> {
        self.0.keys()
    }

    /// Number of metrics.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An object, also without metrics (`litemap` would write an empty list).
impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

/// A metric that is named twice is refused.
impl<'de> Deserialize<'de> for Metrics {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Named;
        impl<'de> Visitor<'de> for Named {
            type Value = Metrics;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Metrics, A::Error> {
                let mut all: Vec<(Cow<'static, str>, f64)> = Vec::with_capacity(16);
                while let Some((name, value)) = entries.next_entry::<String, f64>()? {
                    all.push((name.into(), value));
                }
                // `export` holds the metrics of all records.
                all.shrink_to_fit();
                // They are written in this order, which sorting notices at once.
                all.sort_by(|(a, _), (b, _)| a.cmp(b));
                let mut pairs = all.iter().zip(all.iter().skip(1));
                match pairs.find(|((a, _), (b, _))| a == b) {
                    Some(((name, _), _)) => Err(twice(name)),
                    None => Ok(Metrics(LiteMap::from_sorted_store_unchecked(all))),
                }
            }
        }
        reader.deserialize_map(Named)
    }
}

impl std::ops::Index<&str> for Metrics {
    type Output = f64;

    /// The metric `name`.
    ///
    /// # Panics
    /// When there is none; [`get`](Metrics::get) does not.
    #[expect(
        clippy::panic,
        reason = "as for every map; the name is the programmer's, not an input"
    )]
    fn index(&self, name: &str) -> &f64 {
        match self.get(name) {
            Some(value) => value,
            None => panic!("there is no metric `{name}`"),
        }
    }
}

/// Of equal names, the last one counts.
impl<N: Into<Cow<'static, str>>> Extend<(N, f64)> for Metrics {
    fn extend<I: IntoIterator<Item = (N, f64)>>(&mut self, metrics: I) {
        let mut all = std::mem::take(&mut self.0).into_tuple_vec();
        all.extend(
            metrics
                .into_iter()
                .map(|(name, value)| (name.into(), value)),
        );
        // Sorted at once: a file may hold a million names, and each `insert` moves all that follow.
        // A stable sort, so that equal names keep the order in which they came.
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 = later.1;
            }
            is_same
        });
        self.0 = LiteMap::from_sorted_store_unchecked(all);
    }
}

impl<N: Into<Cow<'static, str>>> FromIterator<(N, f64)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (N, f64)>>(metrics: I) -> Self {
        let mut all = Self::default();
        all.extend(metrics);
        all
    }
}

impl<'a> IntoIterator for &'a Metrics {
    type Item = (&'a Cow<'static, str>, &'a f64);
    type IntoIter = <&'a LiteMap<Cow<'static, str>, f64> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&self.0).into_iter()
    }
}

impl IntoIterator for Metrics {
    type Item = (Cow<'static, str>, f64);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_tuple_vec().into_iter()
    }
}

/// The score of one episode: one number in the environment's unit, named metrics, and incidents.
///
/// Every number is finite. A metric that is undefined in an episode (a division by zero) is absent, not
/// zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    value: f64,
    metrics: Metrics,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    incidents: Vec<Incident>,
}

impl Score {
    /// A score of `value` \[the environment's unit\].
    ///
    /// # Errors
    /// [`NotFinite`] when `value` is NaN or infinite.
    pub fn new(value: f64) -> Result<Self, NotFinite> {
        // Reading a score needs no such check: JSON has neither NaN nor infinity, and its parser
        // refuses `1e999`.
        if value.is_finite() {
            Ok(Self {
                value,
                metrics: Metrics::default(),
                incidents: Vec::new(),
            })
        } else {
            Err(NotFinite(value))
        }
    }

    /// Adds a metric; an undefined one (`None`, NaN, infinite) is left out.
    #[must_use]
    pub fn metric(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Option<f64>>,
    ) -> Self {
        if let Some(value) = value.into().filter(|v| v.is_finite()) {
            self.metrics.insert(name, value);
        }
        self
    }

    /// Adds metrics; those that are not finite are left out.
    #[must_use]
    pub fn with_metrics<N: Into<Cow<'static, str>>>(
        mut self,
        metrics: impl IntoIterator<Item = (N, f64)>,
    ) -> Self {
        let metrics = metrics.into_iter();
        self.metrics
            .extend(metrics.filter(|(_, value)| value.is_finite()));
        self
    }

    /// Adds incidents.
    #[must_use]
    pub fn incidents(mut self, incidents: impl IntoIterator<Item = Incident>) -> Self {
        self.incidents.extend(incidents);
        self
    }

    /// The value \[the environment's unit\].
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// All metrics, by name.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// All incidents, in order.
    #[must_use]
    pub fn all_incidents(&self) -> &[Incident] {
        &self.incidents
    }
}

/// Certainty of a [`Reference`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Status {
    /// No reference is known.
    None,
    /// The best value known; a better one may exist.
    BestKnown,
    /// A value that no play can exceed; it may not be reachable.
    Bound,
    /// A reachable value that no play can exceed.
    Proven,
}

/// The values that scores of an instance are measured against, in the unit of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The best value reached by any known play.
    pub optimum: Option<f64>,
    /// A value that no play can exceed.
    pub bound: Option<f64>,
    /// The score of the environment's simple heuristic.
    pub baseline: Option<f64>,
    /// Certainty of the reference.
    pub status: Status,
    /// Method by which it was found, in a few words.
    pub method: String,
}

impl Reference {
    /// No reference is known.
    #[must_use]
    pub fn none() -> Self {
        Self {
            optimum: None,
            bound: None,
            baseline: None,
            status: Status::None,
            method: String::new(),
        }
    }

    /// The value for computing regret: the optimum, or the bound when there is no optimum.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        // The optimum first: a bound may be out of reach, and regret against it has a part that no
        // play can avoid.
        self.optimum.or(self.bound)
    }

    /// Whether the optimum is the best value known and not proven, so that a run may beat it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == Status::BestKnown && self.optimum.is_some()
    }
}

/// Effort for computing a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Closed forms, bounds and fast exact methods: milliseconds per instance.
    #[default]
    Quick,
    /// A search as well: seconds to minutes per instance.
    Search,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_finite_values_are_refused_and_undefined_metrics_absent() {
        assert!(Score::new(f64::NAN).is_err());
        assert!(Score::new(f64::INFINITY).is_err());
        let score = Score::new(1.5)
            .unwrap()
            .metric("ratio", f64::NAN)
            .metric("cost", 2.0);
        assert_eq!(score.metrics().keys().collect::<Vec<_>>(), ["cost"]);
    }

    #[test]
    fn metrics_are_an_object_in_the_order_of_their_names() {
        let none = Score::new(1.0).unwrap();
        let some = none
            .clone()
            .metric("b", 2.5)
            .metric("a", 1.0)
            .metric("b", 3.0);
        for (score, text) in [
            (none, r#"{"value":1.0,"metrics":{}}"#),
            (some, r#"{"value":1.0,"metrics":{"a":1.0,"b":3.0}}"#),
        ] {
            assert_eq!(serde_json::to_string(&score).unwrap(), text);
            assert_eq!(serde_json::from_str::<Score>(text).unwrap(), score);
        }
        assert!(serde_json::from_str::<Score>(r#"{"value":1.0,"metrics":[]}"#).is_err());
    }

    #[test]
    fn regret_is_positive_when_worse() {
        assert_eq!(Sense::Maximise.regret(3.0, 5.0), 2.0);
        assert_eq!(Sense::Minimise.regret(3.0, 5.0), -2.0);
        assert!(Sense::Minimise.better(3.0, 5.0) && Sense::Maximise.better(5.0, 3.0));
    }
}
