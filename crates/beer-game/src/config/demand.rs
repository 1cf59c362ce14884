//! Customer demand and its generators.

use super::{MAX_UNITS, MAX_WEEKS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;
use sim_core::Seed;

/// Customer demand: a script, or a way to draw one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Demand {
    /// Week by week.
    Script {
        /// One entry a week \[units\].
        #[schemars(inner(range(min = 0, max = MAX_UNITS)))]
        units: Vec<u32>,
    },
    /// One level up to a week, another from then on.
    Step {
        /// Demand before `from_week` \[units a week\].
        #[schemars(range(min = 0, max = MAX_UNITS))]
        low: u32,
        /// Demand from `from_week` on \[units a week\].
        #[schemars(range(min = 0, max = MAX_UNITS))]
        high: u32,
        /// First week of the new level, counted from 1.
        #[schemars(range(min = 1, max = MAX_WEEKS))]
        from_week: u32,
    },
    /// As `step`, with the week and the new level drawn for each episode, uniformly and
    /// independently.
    DrawnStep {
        /// Demand before the step \[units a week\].
        #[schemars(range(min = 0, max = MAX_UNITS))]
        low: u32,
        /// Bounds of the week of the step, both possible, counted from 1.
        #[schemars(inner(range(min = 1, max = MAX_WEEKS)))]
        from_week: [u32; 2],
        /// Bounds of the new level, both possible \[units a week\].
        #[schemars(inner(range(min = 0, max = MAX_UNITS)))]
        high: [u32; 2],
    },
    /// Each week drawn, uniformly and independently.
    Uniform {
        /// Least demand \[units a week\].
        #[schemars(range(min = 0, max = MAX_UNITS))]
        low: u32,
        /// Largest demand \[units a week\].
        #[schemars(range(min = 0, max = MAX_UNITS))]
        high: u32,
    },
}

impl Demand {
    /// Whether episodes differ by it.
    ///
    /// The reference of a game without drawn demand is worth a search even with little
    /// effort, because it counts for every run; see [`fn@crate::reference`].
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        matches!(self, Self::DrawnStep { .. } | Self::Uniform { .. })
    }

    /// The demand of each week \[units\]. A script shorter than `weeks` ends early, which
    /// [`Config::check`](super::Config::check) has refused before.
    ///
    /// Streams: `step` number 0 (first the week, then the level), and `demand` number 0 for all weeks of
    /// `uniform`.
    ///
    /// Weeks are drawn in their order, so a longer game begins with the demand of the shorter one:
    ///
    /// ```
    /// use beer_game::config::Demand;
    /// use sim_core::Seed;
    ///
    /// let step = Demand::Step { low: 100, high: 400, from_week: 3 };
    /// assert_eq!(step.draw(4, Seed(1)), [100, 100, 400, 400]);
    ///
    /// let drawn = Demand::Uniform { low: 50, high: 150 };
    /// assert_eq!(drawn.draw(10, Seed(1)), drawn.draw(20, Seed(1))[..10]);
    /// assert!(drawn.draw(20, Seed(1)).iter().all(|units| (50..=150).contains(units)));
    /// ```
    ///
    /// A range whose ends are in the wrong order, which `check` refuses, gives its first
    /// end.
    #[must_use]
    pub fn draw(&self, weeks: u32, seed: Seed) -> Vec<u32> {
        let mut drawn = Vec::with_capacity(weeks as usize);
        self.draw_into(weeks, seed, &mut drawn);
        drawn
    }

    /// [`draw`](Self::draw) into a buffer of the caller, whose contents it replaces.
    pub(crate) fn draw_into(&self, weeks: u32, seed: Seed, drawn: &mut Vec<u32>) {
        drawn.clear();
        let mut step = |low, high, from_week| {
            drawn.extend((1..=weeks).map(|week| if week < from_week { low } else { high }));
        };
        match self {
            Self::Script { units } => drawn.extend(units.iter().take(weeks as usize)),
            &Self::Step {
                low,
                high,
                from_week,
            } => step(low, high, from_week),
            &Self::DrawnStep {
                low,
                from_week,
                high,
            } => {
                let mut stream = seed.stream("step", 0);
                let [first, last] = from_week;
                // The week before the level: records name games by their seed, and the order of
                // draws is a part of it.
                let week = stream.between_u32(first, last);
                let [least, most] = high;
                step(low, stream.between_u32(least, most), week);
            }
            &Self::Uniform { low, high } => {
                // All weeks from one stream: opening one hashes its name, and with one for each
                // week new episodes took half of the time of a batch.
                let mut stream = seed.stream("demand", 0);
                drawn.extend((0..weeks).map(|_| stream.between_u32(low, high)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pins the generators: these values may only change together with the environment's `ABOUT.version`.
    #[test]
    fn value_stability() {
        let step = Demand::DrawnStep {
            low: 100,
            from_week: [1, 10],
            high: [200, 500],
        };
        let drawn: Vec<_> = (0..4)
            .map(|seed| {
                let demand = step.draw(25, Seed(seed));
                let week = demand.iter().position(|&d| d != 100).unwrap() + 1;
                (week, demand[24])
            })
            .collect();
        assert_eq!(drawn, [(7, 211), (10, 460), (9, 283), (10, 324)]);
        let uniform = Demand::Uniform { low: 50, high: 150 };
        assert_eq!(uniform.draw(8, Seed(1)), [87, 127, 85, 52, 82, 51, 69, 86]);
    }

    #[test]
    fn both_bounds_occur() {
        let step = Demand::DrawnStep {
            low: 1,
            from_week: [1, 2],
            high: [3, 4],
        };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..100 {
            seen.insert(step.draw(2, Seed(seed)));
        }
        assert_eq!(
            seen,
            [vec![1, 3], vec![1, 4], vec![3, 3], vec![4, 4]].into()
        );
    }
}
