//! How far a value is from the best possible, on scales that can be compared across instances.

use super::clusters::{Estimate, cluster_ratio, ratio};
use super::moments::mean;
use crate::score::{Reference, ScoreRange, Sense, Status};
use crate::seed::Seed;
use serde::{Deserialize, Serialize};

/// A value seen against a reference. Every scale that is undefined is absent.
///
/// Write v for the value, o for the reference (the optimum, or the bound where no optimum is
/// known), b for the baseline, and g for the gain of the optimum over the baseline, `regret(b)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalised {
    /// Share of the possible: `v / o` where higher is better, `o / v` where lower is better; 1 is the
    /// reference and lower is worse. The published score of procurement and pricing. Absent without
    /// a positive o, and where lower is better without a positive v.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// What was lost against the reference, in the unit of the value: `o - v` where higher is better,
    /// `v - o` where lower is better. Negative where a best known value (not an optimum) was beaten. 0
    /// where the value lies between a proven optimum and its bound: that optimum is exact, and the rounding
    /// of a record can leave a little more, as in pricing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<f64>,
    /// `(v - b) / (o - b)`: 1 is the reference, 0 the baseline, negative is worse than the
    /// baseline. Absent where the baseline is as good as the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised: Option<f64>,
    /// Reward for learners, `g / (g + regret)`: 1 is the reference, 0.5 the baseline, and it nears
    /// 0 without ever being flat, however bad the value. Where the baseline is no worse than the
    /// reference, it is 1 for the reference and for what beats it, and 0 for everything else. Absent without a
    /// reference or a baseline, and where a best known value was beaten by g or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<f64>,
}

/// Places `value` between the baseline and the reference of its instance.
///
/// ```
/// use sim_core::stats::normalise;
/// use sim_core::{Reference, Sense, Status};
///
/// // costs: 9,200 is proven best, the usual heuristic pays 15,200, and 12,200 was paid
/// let reference = Reference {
///     optimum: Some(9_200.0),
///     baseline: Some(15_200.0),
///     status: Status::Proven,
///     ..Reference::none()
/// };
/// let placed = normalise(12_200.0, &reference, Sense::Minimise);
/// assert_eq!(placed.regret, Some(3_000.0));
/// assert_eq!(placed.normalised, Some(0.5));
/// assert_eq!(placed.unit, Some(6_000.0 / 9_000.0));
/// ```
#[must_use]
pub fn normalise(value: f64, reference: &Reference, sense: Sense) -> Normalised {
    let finite = |number: &f64| number.is_finite();
    let value = Some(value).filter(finite);
    let best = reference.value().filter(finite);
    let baseline = reference.baseline.filter(finite);

    let ratio = value.zip(best).filter(|(_, best)| *best > 0.0);
    let ratio = match sense {
        Sense::Maximise => ratio.map(|(value, best)| value / best),
        Sense::Minimise => ratio
            .filter(|(value, _)| *value > 0.0)
            .map(|(value, best)| best / value),
    };
    let beyond = |value| reference.bound.map(|bound| sense.regret(value, bound));
    let regret = value.zip(best).map(|(value, best)| {
        let regret = sense.regret(value, best);
        let rounding = reference.status == Status::Proven
            && regret < 0.0
            && beyond(value).is_some_and(|beyond| beyond >= 0.0);
        if rounding { 0.0 } else { regret }
    });
    let gain = baseline
        .zip(best)
        .map(|(baseline, best)| sense.regret(baseline, best));
    let both = regret.zip(gain);
    let unit = both.and_then(|(regret, gain)| {
        if gain > 0.0 {
            return (gain + regret > 0.0).then(|| gain / (gain + regret));
        }
        // Nothing can be gained over the baseline, and the formula would be 0 / 0 at the reference.
        Some(if regret <= 0.0 { 1.0 } else { 0.0 })
    });
    Normalised {
        ratio: ratio.filter(finite),
        regret: regret.filter(finite),
        normalised: both
            .filter(|(_, gain)| *gain > 0.0)
            .map(|(regret, gain)| 1.0 - regret / gain)
            .filter(finite),
        unit: unit.filter(finite),
    }
}

/// The normalised score of many episodes: the sum of their gains over their baselines, divided by the sum of
/// what the references gain, `sum(v - b) / sum(o - b)` where higher is better.
///
/// It is not the mean of [`Normalised::normalised`]. Such a mean is ruled by the episodes in which the baseline is
/// nearly as good as the reference, where the quotient has no limit, and may place an agent below one that has
/// the worse score. This ratio is a rising function of the mean score: of two agents with the same episodes,
/// the one with the better mean is above.
///
/// ```
/// use sim_core::stats::NormalisedSum;
/// use sim_core::{Reference, ScoreRange, Seed, Sense, Status};
///
/// // costs; in the second instance the baseline is 1 from the optimum
/// let instances = [(9_200.0, 15_200.0), (9_200.0, 9_201.0)].map(|(optimum, baseline)| Reference {
///     optimum: Some(optimum),
///     baseline: Some(baseline),
///     status: Status::Proven,
///     ..Reference::none()
/// });
/// let mut sum = NormalisedSum::new(ScoreRange::UNLIMITED, Sense::Minimise);
/// for (instance, (reference, cost)) in instances.iter().zip([9_200.0, 9_301.0]).enumerate() {
///     sum.add(instance, cost, reference);
/// }
/// // 1 and -100 by themselves
/// let placed = sum.estimate(0.95, Seed(1)).unwrap().value;
/// assert_eq!(placed, 5_900.0 / 6_001.0);
/// ```
#[derive(Debug, Clone)]
pub struct NormalisedSum<K> {
    range: ScoreRange,
    sense: Sense,
    /// The gain of each episode over its baseline, and that of its reference.
    rows: Vec<(K, [f64; 2])>,
    /// The least and the greatest normalised score that the worst play of an instance has.
    worst: [f64; 2],
    /// Sum of the gains of the best possible scores.
    best: f64,
}

impl<K: Ord + Clone> NormalisedSum<K> {
    /// No episodes yet, of scores in `range`.
    #[must_use]
    pub fn new(range: ScoreRange, sense: Sense) -> Self {
        Self {
            range,
            sense,
            rows: Vec::new(),
            worst: [f64::INFINITY, f64::NEG_INFINITY],
            best: 0.0,
        }
    }

    /// Adds an episode of the instance `cluster` that ended with `value`. It is left out if the baseline or the
    /// reference is unknown.
    pub fn add(&mut self, cluster: K, value: f64, reference: &Reference) {
        let Some((best, baseline)) = reference.value().zip(reference.baseline) else {
            return;
        };
        let gain = |value| self.sense.regret(baseline, value);
        let parts = [gain(value), gain(best)];
        // In both sums or in none: a gain without that of its reference would move the ratio.
        if parts.iter().any(|part| !part.is_finite()) {
            return;
        }
        let [worst, most] = limits(self.range, reference, self.sense).map(gain);
        // Also where the reference gains nothing, which would make it 0 / 0.
        let worst = if worst == 0.0 {
            0.0
        } else {
            worst / gain(best)
        };
        let [least, greatest] = self.worst;
        self.worst = [least.min(worst), greatest.max(worst)];
        self.best += most;
        self.rows.push((cluster, parts));
    }

    /// The normalised score alone; absent as in [`estimate`](Self::estimate).
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        let (value, _) = ratio(self.rows.iter().map(|(_, gains)| *gains))?;
        Some(value)
    }

    /// The normalised score and its interval over the instances: 1 is the reference, 0 the baseline, and
    /// negative is worse than the baseline. Absent without episodes, and where the baselines are as good as the
    /// references.
    #[must_use]
    pub fn estimate(&self, level: f64, seed: Seed) -> Option<Estimate> {
        let gains: Vec<f64> = self.rows.iter().map(|(_, [_, gain])| *gain).collect();
        let all = mean(&gains)? * gains.len() as f64;
        let [least, greatest] = self.worst;
        // Where the worst play has another place in other instances, no place is the end of the
        // scale. Gains are then differences, whose zeros are not misses of trials: an end would
        // give the baseline itself an interval far around 0 (-1.99 to 0.49 in the markets).
        let varies = greatest - least > 1e-9 * greatest.abs();
        let low = if varies { f64::NEG_INFINITY } else { least };
        let high = self.best / all;
        let ends = ScoreRange::new(low, if high.is_nan() { f64::INFINITY } else { high });
        cluster_ratio(self.rows.iter().cloned(), ends, level, seed)
    }
}

/// The worst and the best score in `range` that an episode of this instance can have: no play exceeds a proven
/// optimum or a bound.
fn limits(range: ScoreRange, reference: &Reference, sense: Sense) -> [f64; 2] {
    // A limit of the instance, and not only that of the environment, so that no interval promises
    // more than any play can reach.
    let proven = reference
        .optimum
        .filter(|_| reference.status == Status::Proven);
    // The bound of an instance may lie above its optimum, where scores are rounded.
    let limit = reference.bound.or(proven);
    match sense {
        Sense::Maximise => [range.low, range.high.min(limit.unwrap_or(f64::INFINITY))],
        Sense::Minimise => [
            range.high,
            range.low.max(limit.unwrap_or(f64::NEG_INFINITY)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Status;
    use proptest::prelude::*;

    fn reference(optimum: Option<f64>, baseline: Option<f64>) -> Reference {
        Reference {
            optimum,
            baseline,
            status: Status::Proven,
            ..Reference::none()
        }
    }

    #[test]
    fn hand_computed_places() {
        use Sense::{Maximise, Minimise};
        // sense, value, optimum, baseline -> ratio, regret, normalised, unit
        let cases = [
            (Maximise, 80.0, 100.0, 60.0, [0.8, 20.0, 0.5, 40.0 / 60.0]),
            (Maximise, 100.0, 100.0, 60.0, [1.0, 0.0, 1.0, 1.0]),
            (Maximise, 60.0, 100.0, 60.0, [0.6, 40.0, 0.0, 0.5]),
            (Maximise, -20.0, 100.0, 60.0, [-0.2, 120.0, -2.0, 0.25]),
            (
                Minimise,
                250.0,
                200.0,
                300.0,
                [0.8, 50.0, 0.5, 100.0 / 150.0],
            ),
            (Minimise, 200.0, 200.0, 300.0, [1.0, 0.0, 1.0, 1.0]),
            (
                Minimise,
                300.0,
                200.0,
                300.0,
                [200.0 / 300.0, 100.0, 0.0, 0.5],
            ),
            (Minimise, 500.0, 200.0, 300.0, [0.4, 300.0, -2.0, 0.25]),
        ];
        for (sense, value, optimum, baseline, expected) in cases {
            let got = normalise(value, &reference(Some(optimum), Some(baseline)), sense);
            let got = [got.ratio, got.regret, got.normalised, got.unit].map(Option::unwrap);
            for (got, expected) in got.iter().zip(expected) {
                assert!(
                    (got - expected).abs() < 1e-12,
                    "{sense:?} {value}: {got} {expected}"
                );
            }
        }
    }

    fn summed(
        range: ScoreRange,
        sense: Sense,
        rows: &[(u32, f64, Reference)],
    ) -> NormalisedSum<u32> {
        let mut sum = NormalisedSum::new(range, sense);
        for (cluster, value, reference) in rows {
            sum.add(*cluster, *value, reference);
        }
        sum
    }

    /// What rounding leaves between a proven optimum and its bound is not a gain; a best known value can be
    /// beaten.
    #[test]
    fn nothing_is_won_between_a_proven_optimum_and_its_bound() {
        let mut exact = Reference {
            bound: Some(100.1),
            ..reference(Some(100.0), Some(60.0))
        };
        let placed = |value, exact: &Reference| normalise(value, exact, Sense::Maximise);
        let near = placed(100.05, &exact);
        assert_eq!((near.regret, near.normalised), (Some(0.0), Some(1.0)));
        assert!(placed(100.2, &exact).regret < Some(0.0), "beyond the bound");
        exact.status = Status::BestKnown;
        assert!(placed(100.05, &exact).regret < Some(0.0));
    }

    /// The best place is 1 where the reference cannot be exceeded, also where lower is better.
    #[test]
    fn the_interval_keeps_to_what_scores_can_be() {
        let ends = |range, reference: &Reference, sense, value| {
            let rows: Vec<_> = (0..8).map(|k| (k, value, reference.clone())).collect();
            let interval = summed(range, sense, &rows).estimate(0.95, Seed(1)).unwrap();
            let interval = interval.interval.unwrap();
            [interval.low, interval.high]
        };
        // Wilson's interval of 0 of 8, and of 8 of 8.
        let answers = reference(Some(1.0), Some(0.0));
        let [low, high] = ends(ScoreRange::SHARE, &answers, Sense::Maximise, 0.0);
        assert!(low == 0.0 && (high - 0.3244).abs() < 1e-4, "{high}");
        let [low, high] = ends(ScoreRange::SHARE, &answers, Sense::Maximise, 1.0);
        assert!((low - 0.6756).abs() < 1e-4 && high == 1.0, "{low}");

        let costs = reference(Some(200.0), Some(300.0));
        let mixed = |reference: &Reference| {
            let values = [200.0, 201.0, 260.0, 200.0, 200.0, 200.0];
            let rows: Vec<_> = (0..)
                .zip(values)
                .map(|(k, value)| (k, value, reference.clone()))
                .collect();
            let range = ScoreRange::new(0.0, f64::INFINITY);
            let found = summed(range, Sense::Minimise, &rows).estimate(0.95, Seed(1));
            found.unwrap().interval.unwrap().high
        };
        assert_eq!(mixed(&costs), 1.0);
        let known = Reference {
            status: Status::BestKnown,
            ..costs
        };
        assert!(mixed(&known) > 1.0, "a best known cost may be beaten");
    }

    /// Scores from 0, whose worst is another share of the gain for each instance: agents that are the baseline or the
    /// optimum have their place for certain.
    #[test]
    fn the_baseline_and_the_optimum_have_their_places_for_certain() {
        let range = ScoreRange::new(0.0, f64::INFINITY);
        let instances = (0..12).map(|k| {
            let baseline = 50.0 + f64::from(k * k % 7);
            reference(Some(baseline + 3.0 + f64::from(k % 5)), Some(baseline))
        });
        let instances: Vec<Reference> = instances.collect();
        let placed = |play: &dyn Fn(&Reference) -> f64| {
            let rows = (0..).zip(&instances);
            let rows: Vec<_> = rows.map(|(k, one)| (k, play(one), one.clone())).collect();
            let found = summed(range, Sense::Maximise, &rows).estimate(0.95, Seed(1));
            let found = found.unwrap();
            let interval = found.interval.unwrap();
            (found.value, interval.low, interval.high)
        };
        assert_eq!(placed(&|one| one.baseline.unwrap()), (0.0, 0.0, 0.0));
        assert_eq!(placed(&|one| one.optimum.unwrap()), (1.0, 1.0, 1.0));
        // The worst play has a place of its own in each.
        let (value, low, high) = placed(&|_| 0.0);
        assert!(low < value && value < high, "{low} {value} {high}");
    }

    /// A gain of almost nothing does not rule the figure, and neither does one of nothing.
    #[test]
    fn easy_episodes_weigh_little() {
        let rows = [
            (0, 60.0, reference(Some(100.0), Some(0.0))),
            (1, 0.0, reference(Some(1e-9), Some(1e-10))),
            (2, -10.0, reference(Some(50.0), Some(50.0))),
            (3, 5.0, reference(Some(50.0), None)),
        ];
        let sum = summed(ScoreRange::UNLIMITED, Sense::Maximise, &rows);
        let found = sum.estimate(0.95, Seed(1)).unwrap();
        // 60 of 100, nothing of nothing, and 60 less than nothing.
        assert!((found.value - 0.0).abs() < 1e-9, "{}", found.value);
        assert_eq!(found.rows, 3);
        let flat = summed(ScoreRange::UNLIMITED, Sense::Maximise, &rows[2..]);
        assert_eq!(flat.estimate(0.95, Seed(1)), None);
    }

    #[test]
    fn undefined_scales_are_absent() {
        let nothing = normalise(5.0, &Reference::none(), Sense::Maximise);
        assert_eq!(
            nothing,
            Normalised {
                ratio: None,
                regret: None,
                normalised: None,
                unit: None
            }
        );

        let no_baseline = normalise(5.0, &reference(Some(10.0), None), Sense::Maximise);
        assert_eq!(
            (no_baseline.ratio, no_baseline.regret),
            (Some(0.5), Some(5.0))
        );
        assert_eq!((no_baseline.normalised, no_baseline.unit), (None, None));

        let flat = normalise(5.0, &reference(Some(10.0), Some(10.0)), Sense::Maximise);
        assert_eq!(flat.normalised, None);

        let zero_cost = normalise(3.0, &reference(Some(0.0), Some(6.0)), Sense::Minimise);
        assert_eq!((zero_cost.ratio, zero_cost.normalised), (None, Some(0.5)));

        let not_finite = normalise(f64::NAN, &reference(Some(1.0), Some(0.0)), Sense::Maximise);
        assert_eq!(not_finite.regret, None);
    }

    /// A learner that plays as well as the reference is paid for it where the baseline does so as well, and one
    /// that plays worse is not.
    #[test]
    fn the_reference_has_unit_one_also_where_the_baseline_is_as_good() {
        for (sense, worse, better) in [(Sense::Maximise, 9.0, 11.0), (Sense::Minimise, 11.0, 9.0)] {
            let flat = reference(Some(10.0), Some(10.0));
            let unit = |value| normalise(value, &flat, sense).unit;
            assert_eq!((unit(10.0), unit(worse)), (Some(1.0), Some(0.0)));
            let known = Reference {
                status: Status::BestKnown,
                ..reference(Some(10.0), Some(better))
            };
            let unit = |value| normalise(value, &known, sense).unit;
            assert_eq!((unit(10.0), unit(better)), (Some(1.0), Some(1.0)));
            assert_eq!(
                unit(worse),
                Some(0.0),
                "the baseline is above the best known"
            );
        }
    }

    #[test]
    fn a_bound_stands_in_for_an_unknown_optimum() {
        let bound = Reference {
            bound: Some(200.0),
            baseline: Some(300.0),
            status: Status::Bound,
            ..Reference::none()
        };
        assert_eq!(
            normalise(250.0, &bound, Sense::Minimise).normalised,
            Some(0.5)
        );
    }

    #[test]
    fn beating_a_best_known_value_shows() {
        let known = reference(Some(100.0), Some(60.0));
        let beaten = normalise(110.0, &known, Sense::Maximise);
        assert_eq!(beaten.regret, Some(-10.0));
        assert_eq!(beaten.unit, Some(40.0 / 30.0));
        assert_eq!(normalise(140.0, &known, Sense::Maximise).unit, None);
    }

    proptest! {
        #[test]
        fn unit_is_strictly_increasing_in_quality_and_both_senses_agree(
            optimum in 1.0_f64..1e6,
            gain in 1.0_f64..1e6,
            lost in 0.0_f64..1e7,
            more in 0.1_f64..1e6,
        ) {
            let up = reference(Some(optimum), Some(optimum - gain));
            let down = reference(Some(optimum), Some(optimum + gain));
            let better = normalise(optimum - lost, &up, Sense::Maximise);
            let worse = normalise(optimum - lost - more, &up, Sense::Maximise);
            prop_assert!(worse.unit.unwrap() < better.unit.unwrap());
            prop_assert!(worse.unit.unwrap() > 0.0 && better.unit.unwrap() <= 1.0);
            prop_assert!(worse.normalised.unwrap() < better.normalised.unwrap());
            let mirrored = normalise(optimum + lost, &down, Sense::Minimise);
            prop_assert!((mirrored.unit.unwrap() - better.unit.unwrap()).abs() < 1e-9);
        }

        /// A better mean score is a better normalised score, whatever the instances are.
        #[test]
        fn the_better_mean_is_placed_above(
            rows in proptest::collection::vec(
                (-1e4_f64..1e4, -1e4_f64..1e4, -1e4_f64..1e4, prop::bool::ANY), 1..30),
        ) {
            let of = |number: usize| {
                let rows: Vec<(u32, f64, Reference)> = (0..).zip(&rows).map(|(k, (a, b, gain, easy))| {
                    let value = if number == 0 { *a } else { *b };
                    let gain = if *easy { 1e-6 } else { gain.abs() };
                    (k, value, reference(Some(2e4), Some(2e4 - gain)))
                }).collect();
                let total: f64 = rows.iter().map(|(_, value, _)| value).sum();
                let sum = summed(ScoreRange::UNLIMITED, Sense::Maximise, &rows);
                (total, sum.estimate(0.95, Seed(1)))
            };
            let [(first, one), (second, other)] = [of(0), of(1)];
            if let (Some(one), Some(other)) = (one, other) && (first - second).abs() > 1e-3 {
                prop_assert_eq!(first > second, one.value > other.value);
            }
        }
    }
}
