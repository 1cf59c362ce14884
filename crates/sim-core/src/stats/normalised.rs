//! How far a value is from the best possible, on scales that can be compared across instances.

use crate::score::{Reference, ScoreRange, Sense, Status};
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
    /// `v - o` where lower is better. Negative where a best known value (not an optimum) was beaten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<f64>,
    /// `(v - b) / (o - b)`: 1 is the reference, 0 the baseline, negative is worse than the
    /// baseline. Absent where the baseline is as good as the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised: Option<f64>,
    /// Reward for learners, `g / (g + regret)`: 1 is the reference, 0.5 the baseline, and it nears
    /// 0 without ever being flat, however bad the value. Absent where `normalised` is, and where a
    /// best known value was beaten by g or more.
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
    let regret = value
        .zip(best)
        .map(|(value, best)| sense.regret(value, best));
    let gain = baseline
        .zip(best)
        .map(|(baseline, best)| sense.regret(baseline, best));
    let both = regret.zip(gain).filter(|(_, gain)| *gain > 0.0);
    Normalised {
        ratio: ratio.filter(finite),
        regret: regret.filter(finite),
        normalised: both
            .map(|(regret, gain)| 1.0 - regret / gain)
            .filter(finite),
        unit: both
            .filter(|(regret, gain)| gain + regret > 0.0)
            .map(|(regret, gain)| gain / (gain + regret))
            .filter(finite),
    }
}

/// What [`Normalised::normalised`] can be in an instance with this reference, for scores in `range`: no
/// play exceeds a proven optimum or a bound.
///
/// ```
/// use sim_core::stats::normalised_range;
/// use sim_core::{Reference, ScoreRange, Sense, Status};
///
/// let reference = Reference {
///     optimum: Some(1.0),
///     baseline: Some(0.0),
///     status: Status::Proven,
///     ..Reference::none()
/// };
/// let placed = |range| normalised_range(range, &reference, Sense::Maximise);
/// assert_eq!(placed(ScoreRange::SHARE), ScoreRange::SHARE);
/// assert_eq!(placed(ScoreRange::UNLIMITED).high, 1.0);
/// ```
#[must_use]
pub fn normalised_range(range: ScoreRange, reference: &Reference, sense: Sense) -> ScoreRange {
    let proven = reference
        .optimum
        .filter(|_| reference.status == Status::Proven);
    // The bound of an instance may lie above its optimum, where scores are rounded.
    let limit = reference.bound.or(proven);
    let (worst, best) = match sense {
        Sense::Maximise => (range.low, range.high.min(limit.unwrap_or(f64::INFINITY))),
        Sense::Minimise => (
            range.high,
            range.low.max(limit.unwrap_or(f64::NEG_INFINITY)),
        ),
    };
    let place = |value| normalise(value, reference, sense).normalised;
    ScoreRange::new(
        place(worst).unwrap_or(f64::NEG_INFINITY),
        place(best).unwrap_or(f64::INFINITY),
    )
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

    /// The best place is 1 where the reference cannot be exceeded, also where lower is better.
    #[test]
    fn the_range_of_places_follows_from_that_of_scores() {
        let of = |range, reference: &Reference, sense| normalised_range(range, reference, sense);
        let costs = reference(Some(200.0), Some(300.0));
        let from_zero = ScoreRange::new(0.0, f64::INFINITY);
        let placed = of(from_zero, &costs, Sense::Minimise);
        assert_eq!(placed, ScoreRange::new(f64::NEG_INFINITY, 1.0));
        let known = Reference {
            status: Status::BestKnown,
            ..costs.clone()
        };
        // Only a cost of 0 is a limit: (0 - 300) / (200 - 300).
        assert_eq!(of(from_zero, &known, Sense::Minimise).high, 3.0);
        assert_eq!(
            of(ScoreRange::UNLIMITED, &known, Sense::Minimise),
            ScoreRange::UNLIMITED
        );
        let rounded = Reference {
            bound: Some(1.25),
            ..reference(Some(1.0), Some(0.5))
        };
        let placed = of(ScoreRange::new(0.0, 2.0), &rounded, Sense::Maximise);
        assert_eq!(placed, ScoreRange::new(-1.0, 1.5));
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
        assert_eq!((flat.normalised, flat.unit), (None, None));

        let zero_cost = normalise(3.0, &reference(Some(0.0), Some(6.0)), Sense::Minimise);
        assert_eq!((zero_cost.ratio, zero_cost.normalised), (None, Some(0.5)));

        let not_finite = normalise(f64::NAN, &reference(Some(1.0), Some(0.0)), Sense::Maximise);
        assert_eq!(not_finite.regret, None);
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
    }
}
