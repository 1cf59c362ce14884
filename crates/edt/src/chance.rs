//! The rule by which extensions and follow-ons come.
//!
//! The strategic paper describes extensions and follow-ons as chance events, while the
//! engine behind its figures compares numbers: an event of probability p comes exactly
//! when p > 1 - R. Both readings are here, as [`RiskMode`]. Under the threshold rule R =
//! 1 costs nothing in money and lets every event with p > 0 happen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::{Seed, Stream};

/// The rule by which the revenue risk level R turns a probability p into an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RiskMode {
    /// It happens, every time and without any chance, when p > 1 - R. This is what the original
    /// engine does: R = 0 switches everything off, p = 0.5 needs R above 0.5.
    #[default]
    Threshold,
    /// It happens with probability R p; extensions may repeat until a draw fails. This follows the
    /// wording of the paper, which speaks of draws.
    BernoulliRepeat,
    /// It happens with probability R p; at most one extension a project.
    BernoulliOnce,
}

impl RiskMode {
    /// Whether outcomes depend on the seed.
    #[must_use]
    pub fn is_random(self) -> bool {
        self != Self::Threshold
    }
}

/// Rule and seed together: answers whether an extension or a follow-on comes.
///
/// In the random modes every project has a stream of its own: its first draw decides on the
/// follow-on, the later ones on its first, second, ... extension. So a project has the same luck
/// whatever else a decision does, and two decisions are compared on common random numbers.
///
/// ```
/// use edt::engine::Chance;
///
/// // 1 - 0.5 = 0.5: a probability must be above it, not equal to it.
/// let half = Chance::threshold(0.5);
/// assert!(half.passes(0.55));
/// assert!(!half.passes(0.5));
/// // R = 0 switches off even a certain event.
/// assert!(!Chance::threshold(0.0).passes(1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chance {
    /// The rule.
    pub mode: RiskMode,
    /// Revenue risk level R, 0 to 1.
    pub risk_level: f64,
    /// Root of the draws; without effect in threshold mode.
    pub seed: Seed,
}

/// Added to the key of a project to get the key of its follow-on.
// Above every index of a project, so that no two projects share a stream.
pub(crate) const FOLLOW_ON_KEY: u64 = 1 << 32;

impl Chance {
    /// The threshold rule at `risk_level`.
    #[must_use]
    pub fn threshold(risk_level: f64) -> Self {
        Self {
            mode: RiskMode::Threshold,
            risk_level,
            seed: Seed(0),
        }
    }

    /// Whether p passes the threshold. Written as the original engine computes it, since
    /// `1 - 0.7` is not `0.3` in binary.
    #[must_use]
    pub fn passes(&self, p: f64) -> bool {
        p > 1.0 - self.risk_level
    }

    pub(crate) fn stream(&self, key: u64) -> Stream {
        self.seed.stream("opportunities", key)
    }

    /// Whether the project `key` with extension probability `p` is extended for the time number
    /// `earlier` (0 the first time).
    ///
    /// In the random modes this opens the stream of the project and skips the earlier
    /// draws, so a single answer costs time in proportion to `earlier`. The engine keeps
    /// the stream open instead.
    #[must_use]
    pub fn extends(&self, p: f64, key: u64, earlier: u32) -> bool {
        match self.mode {
            RiskMode::Threshold => self.passes(p),
            RiskMode::BernoulliOnce if earlier > 0 => false,
            RiskMode::BernoulliRepeat | RiskMode::BernoulliOnce => {
                let mut stream = self.stream(key);
                // One more than the earlier extensions: the first draw is that of the follow-on.
                for _ in 0..=earlier {
                    stream.unit();
                }
                stream.unit() < self.risk_level * p
            }
        }
    }

    /// Whether the deadline of the project `key` brings a follow-on of probability `p`.
    #[must_use]
    pub fn follows_on(&self, p: f64, key: u64) -> bool {
        match self.mode {
            RiskMode::Threshold => self.passes(p),
            RiskMode::BernoulliRepeat | RiskMode::BernoulliOnce => {
                self.stream(key).unit() < self.risk_level * p
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threshold_is_strict_in_binary() {
        assert!(!Chance::threshold(0.5).passes(0.5) && Chance::threshold(0.51).passes(0.5));
        assert!(!Chance::threshold(0.0).passes(1.0) && !Chance::threshold(1.0).passes(0.0));
        // 1 - 0.7 is a little more than 0.3, 1 - 0.9 a little less than 0.1.
        assert!(!Chance::threshold(0.7).passes(0.3) && Chance::threshold(0.9).passes(0.1));
    }

    #[test]
    fn draws_follow_the_probability_and_the_limit() {
        let count = |mode, earlier| {
            (0..4000)
                .filter(|key| {
                    Chance {
                        mode,
                        risk_level: 0.5,
                        seed: Seed(3),
                    }
                    .extends(0.6, *key, earlier)
                })
                .count()
        };
        assert!((1100..1300).contains(&count(RiskMode::BernoulliRepeat, 0)));
        assert!((1100..1300).contains(&count(RiskMode::BernoulliRepeat, 2)));
        assert_eq!(
            count(RiskMode::BernoulliOnce, 0),
            count(RiskMode::BernoulliRepeat, 0)
        );
        assert_eq!(count(RiskMode::BernoulliOnce, 1), 0);
    }
}
