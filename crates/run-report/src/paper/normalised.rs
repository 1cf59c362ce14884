//! Scores on the scale of the paper: where the mean of a method lies between the means of the methods.
//!
//! The ends of the scale are themselves means of the runs at hand. So the bootstrap draws the episodes of all
//! methods again and computes the ends anew each time: the intervals include the uncertainty of the ends.

use super::spec::Scale;
use super::table::Measure;
use run_engine::engine::summary::LEVEL;
use sim_core::Seed;
use sim_core::stats::{mean, quantile};

/// Number of resamples.
const RESAMPLES: u32 = 2_000;

/// The scores of a method.
#[derive(Debug)]
pub(super) struct Scores<'a> {
    /// Its name.
    pub(super) method: &'a str,
    /// Whether it is a method of the paper; only these make the ends.
    pub(super) in_paper: bool,
    /// One score for each episode.
    pub(super) scores: Vec<f64>,
}

impl Scale {
    /// The normalised score of a mean, on a scale with these ends: the least and the largest mean of the methods.
    pub(super) fn place(self, mean: f64, [least, most]: [f64; 2]) -> Option<f64> {
        match self {
            // With equal ends every place would be a division by zero.
            Self::Cost => (most > least).then(|| (most - mean) / (most - least)),
            Self::Earnings => (most > 0.0).then(|| mean / most),
        }
    }
}

/// The normalised scores of the methods, each with the interval of a percentile bootstrap. `None` for a method without
/// episodes, and if the ends make no scale. There is no interval if a method that makes the ends, or the
/// method itself, has a single episode, or if more than one resample in twenty makes no scale.
pub(super) fn places(methods: &[Scores<'_>], scale: Scale, seed: Seed) -> Vec<Option<Measure>> {
    let means: Vec<Option<f64>> = methods.iter().map(|method| mean(&method.scores)).collect();
    let values = placed(methods, &means, scale);
    let drawn = resampled(methods, scale, seed);
    let several = |method: &Scores<'_>| method.scores.len() > 1;
    let ends = methods
        .iter()
        .filter(|method| method.in_paper && !method.scores.is_empty());
    // One method alone is both ends, and a single episode does not vary when it is drawn again.
    let known = ends.clone().count() > 1 && ends.clone().all(several);
    let found = values.into_iter().zip(methods).zip(drawn);
    found
        .map(|((value, method), drawn)| {
            // Resamples without a scale are missing, so what is left of them would be a part of the
            // distribution only.
            let enough = 20 * drawn.len() >= 19 * RESAMPLES as usize;
            let tail = (1.0 - LEVEL) / 2.0;
            let interval = quantile(&drawn, tail).zip(quantile(&drawn, 1.0 - tail));
            let interval = interval.filter(|_| known && enough && several(method));
            Some(Measure {
                value: value?,
                ci95: interval.map(|(low, high)| [low, high]),
                n: method.scores.len() as u64,
            })
        })
        .collect()
}

/// The least and the largest mean of the methods of the paper.
fn ends(methods: &[Scores<'_>], means: &[Option<f64>]) -> Option<[f64; 2]> {
    let of_paper = methods
        .iter()
        .zip(means)
        .filter(|(method, _)| method.in_paper);
    let ends: Vec<f64> = of_paper.filter_map(|(_, mean)| *mean).collect();
    let least = ends.iter().copied().reduce(f64::min)?;
    let most = ends.iter().copied().reduce(f64::max)?;
    Some([least, most])
}

/// The place of the mean of `scores` of something that is none of the methods, so that it has no interval.
pub(super) fn place_beside(
    scores: &[f64],
    methods: &[Scores<'_>],
    scale: Scale,
) -> Option<Measure> {
    let means: Vec<Option<f64>> = methods.iter().map(|method| mean(&method.scores)).collect();
    Some(Measure {
        value: scale.place(mean(scores)?, ends(methods, &means)?)?,
        ci95: None,
        n: scores.len() as u64,
    })
}

/// The normalised score of each mean.
fn placed(methods: &[Scores<'_>], means: &[Option<f64>], scale: Scale) -> Vec<Option<f64>> {
    let ends = ends(methods, means);
    let of = |mean: &Option<f64>| scale.place((*mean)?, ends?);
    means.iter().map(of).collect()
}

/// The normalised scores of each method in all resamples.
fn resampled(methods: &[Scores<'_>], scale: Scale, seed: Seed) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = methods.iter().map(|_| Vec::new()).collect();
    let mut stream = seed.stream("scale of the methods", 0);
    for _ in 0..RESAMPLES {
        // Each method by itself: they need not have played the same episodes.
        let draw = |method: &Scores<'_>| {
            let scores = &method.scores;
            let sample = scores.iter().filter_map(|_| stream.pick(scores).copied());
            mean(&sample.collect::<Vec<f64>>())
        };
        let means: Vec<Option<f64>> = methods.iter().map(draw).collect();
        for (places, value) in all.iter_mut().zip(placed(methods, &means, scale)) {
            places.extend(value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(method: &str, in_paper: bool, centre: f64) -> Scores<'_> {
        let scores = (0..10).map(|k| centre + f64::from(k) - 4.5).collect();
        Scores {
            method,
            in_paper,
            scores,
        }
    }

    #[test]
    fn only_methods_of_the_paper_make_the_ends() {
        let methods = [
            scores("cot", true, 100.0),
            scores("ace", true, 200.0),
            scores("dc", true, 150.0),
            scores("direct", false, 300.0),
        ];
        let found = places(&methods, Scale::Cost, Seed(0));
        let values: Vec<f64> = found.iter().map(|m| m.unwrap().value).collect();
        assert_eq!(values, [1.0, 0.0, 0.5, -1.0]);
    }

    /// The ends vary with the episodes, but no method of the paper can lie outside of them.
    #[test]
    fn intervals_count_the_ends_as_estimates_and_stay_on_the_scale() {
        let methods = [
            scores("cot", true, 100.0),
            scores("ace", true, 104.0),
            scores("dc", true, 101.0),
        ];
        for scale in [Scale::Cost, Scale::Earnings] {
            for measure in places(&methods, scale, Seed(0)) {
                let measure = measure.unwrap();
                let [low, high] = measure.ci95.unwrap();
                assert!((0.0..=1.0).contains(&low) && high <= 1.0, "{measure:?}");
                assert!(low <= measure.value && measure.value <= high, "{measure:?}");
            }
        }
        // The best one may not be the best one in truth.
        let best = places(&methods, Scale::Cost, Seed(0))[0].unwrap();
        assert!(best.ci95.unwrap()[0] < 1.0);
    }

    #[test]
    fn without_a_scale_there_is_no_place() {
        let alone = [scores("cot", true, 100.0)];
        assert_eq!(places(&alone, Scale::Cost, Seed(0)), [None]);
        let one = places(&alone, Scale::Earnings, Seed(0))[0].unwrap();
        assert_eq!((one.value, one.ci95), (1.0, None));
        let poor = [scores("cot", true, -50.0), scores("dc", true, -60.0)];
        assert_eq!(places(&poor, Scale::Earnings, Seed(0)), [None, None]);
        let none: [Scores<'_>; 0] = [];
        assert!(places(&none, Scale::Cost, Seed(0)).is_empty());
    }
}
