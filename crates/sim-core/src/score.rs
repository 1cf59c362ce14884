//! Scores and the references that they are measured against.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

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

    /// The least range that holds this one and `other`.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }
}

impl Serialize for ScoreRange {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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

/// A value that is not a finite number and therefore cannot be a score.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("`{0}` is not a finite number and cannot be a score")]
pub struct NotFinite(pub f64);

/// Metrics by name.
pub type Metrics = BTreeMap<Cow<'static, str>, f64>;

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
        if value.is_finite() {
            Ok(Self {
                value,
                metrics: BTreeMap::new(),
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
            self.metrics.insert(name.into(), value);
        }
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
    fn regret_is_positive_when_worse() {
        assert_eq!(Sense::Maximise.regret(3.0, 5.0), 2.0);
        assert_eq!(Sense::Minimise.regret(3.0, 5.0), -2.0);
        assert!(Sense::Minimise.better(3.0, 5.0) && Sense::Maximise.better(5.0, 3.0));
    }
}
