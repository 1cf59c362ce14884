use super::*;
use crate::stats::quantile;
use proptest::prelude::*;

fn plain_mean(values: &[f64]) -> f64 {
    mean(values).unwrap_or(f64::NAN)
}

/// The bootstrap distribution without chance: the statistic of each of the n^n resamples.
fn every_resample(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let n = values.len();
    let mut results: Vec<f64> = (0..n.pow(u32::try_from(n).unwrap()))
        .map(|mut code| {
            let sample: Vec<f64> = (0..n)
                .map(|_| {
                    let value = values[code % n];
                    code /= n;
                    value
                })
                .collect();
            statistic(&sample)
        })
        .collect();
    results.sort_by(f64::total_cmp);
    results
}

#[test]
fn percentile_approaches_the_enumerated_distribution() {
    let values = [1.0, 2.5, 4.0, 9.0, 30.0, 31.0];
    let exact = every_resample(&values, plain_mean);
    assert_eq!(exact.len(), 46_656);
    let got = Bootstrap::percentile(0.9, Seed(4))
        .resamples(40_000)
        .interval(&values, plain_mean);
    let got = got.unwrap();
    for (end, p) in [(got.low, 0.05), (got.high, 0.95)] {
        // The end lies between the exact quantiles half a percentage point either side.
        let around = [p - 0.005, p + 0.005].map(|p| quantile(&exact, p).unwrap());
        assert!(
            around[0] <= end && end <= around[1],
            "{end} outside {around:?}"
        );
    }
}

#[test]
fn acceleration_by_hand() {
    // Leave-one-out means of 1, 2, 6: 4, 3.5, 1.5; centre 3; d = -1, -0.5, 1.5:
    // sum d^3 = -1 - 0.125 + 3.375 = 2.25, sum d^2 = 1 + 0.25 + 2.25 = 3.5.
    let expected = 2.25 / (6.0 * 3.5 * 3.5_f64.sqrt());
    let got = acceleration(&[1.0, 2.0, 6.0], plain_mean).unwrap();
    assert!((got - expected).abs() < 1e-15);
    // For a mean it is the skewness over 6 sqrt n; a symmetric sample has none.
    assert!(acceleration(&[1.0, 2.0, 3.0], plain_mean).unwrap().abs() < 1e-16);
    assert_eq!(acceleration(&[4.0, 4.0], plain_mean), Some(0.0));
}

#[test]
fn jackknife_leaves_out_each_value_once() {
    // With the maximum as statistic only the sample without its maximum differs: 7 7 7 5 -> d.
    let maximum = |values: &[f64]| values.iter().copied().fold(f64::MIN, f64::max);
    // centre 6.5; d = -0.5 three times and 1.5: cubes 3 * -0.125 + 3.375 = 3, squares 3
    let expected = 3.0 / (6.0 * 3.0 * 3.0_f64.sqrt());
    for values in [
        [7.0, 1.0, 5.0, 2.0],
        [1.0, 5.0, 2.0, 7.0],
        [1.0, 7.0, 5.0, 2.0],
    ] {
        assert!((acceleration(&values, maximum).unwrap() - expected).abs() < 1e-15);
    }
}

#[test]
fn bias_counts_ties_half() {
    // 1 below, 2 equal, 1 above: the middle, hence no bias; 3 below of 4: the upper quartile.
    assert_eq!(bias(&[1.0, 2.0, 2.0, 3.0], 2.0), Some(0.0));
    assert_eq!(bias(&[1.0, 2.0, 3.0, 5.0], 4.0), normal_quantile(0.75));
    assert_eq!(bias(&[1.0, 2.0], 0.0), None);
    assert_eq!(bias(&[1.0, 2.0], 3.0), None);
}

#[test]
fn corrected_percentages_by_hand() {
    // No correction: the percentage itself.
    let plain = corrected_percentage(0.025, 0.0, 0.0).unwrap();
    assert!((plain - 0.025).abs() < 1e-15);
    // z0 = 0.1, a = 0.05, p = 0.975: 0.1 + 2.05996398 / (1 - 0.10299820) = 2.39650161
    let got = corrected_percentage(0.975, 0.1, 0.05).unwrap();
    let by_hand = 0.1 + 2.059_963_984_540_054 / (1.0 - 0.102_998_199_227_002_7);
    assert!((got - normal_cdf(by_hand)).abs() < 1e-15);
    assert!((got - 0.991_723).abs() < 1e-6, "{got}");
    // The correction breaks down where the stretch is not positive.
    assert_eq!(corrected_percentage(0.975, 2.0, 0.5), None);
}

#[test]
fn bca_leans_towards_the_long_tail() {
    let skewed: Vec<f64> = (1..=30).map(|k| f64::from(k * k * k)).collect();
    let bca = Bootstrap::bca(0.95, Seed(2))
        .interval(&skewed, plain_mean)
        .unwrap();
    let percentile = Bootstrap::percentile(0.95, Seed(2))
        .interval(&skewed, plain_mean)
        .unwrap();
    assert!(bca.low > percentile.low && bca.high > percentile.high);
    assert_eq!(
        (bca.kind, percentile.kind),
        (IntervalKind::Bca, IntervalKind::Percentile)
    );
}

#[test]
fn large_samples_take_the_normal_interval_and_say_so() {
    // 0 and 2 in turn: mean 1, sd sqrt(n / (n - 1)), half width 1.96 / sqrt(n - 1)
    let values: Vec<f64> = (0..5_001).map(|k| f64::from(k % 2 * 2)).collect();
    let got = mean_interval(&values[..5_000], 0.95, Seed(1)).unwrap();
    assert_eq!(got.kind, IntervalKind::Bca);
    let normal = normal_interval(&values[..5_000], 0.95).unwrap();
    let half = 1.959_963_984_540_054 / 4_999.0_f64.sqrt();
    assert!(
        (normal.low - (1.0 - half)).abs() < 1e-12 && (normal.high - (1.0 + half)).abs() < 1e-12
    );
    assert!(
        (got.low - normal.low).abs() < 0.05 * half && (got.high - normal.high).abs() < 0.05 * half
    );
    assert_eq!(
        mean_interval(&values, 0.95, Seed(1)).unwrap().kind,
        IntervalKind::Normal
    );
}

#[test]
fn undefined_is_absent() {
    assert_eq!(mean_interval(&[], 0.95, Seed(1)), None);
    assert_eq!(mean_interval(&[1.0], 0.95, Seed(1)), None);
    assert_eq!(mean_interval(&[1.0, f64::NAN], 0.95, Seed(1)), None);
    assert_eq!(mean_interval(&vec![f64::NAN; 6_000], 0.95, Seed(1)), None);
    for level in [0.0, 1.0, -1.0, 95.0, f64::NAN] {
        assert_eq!(mean_interval(&[1.0, 2.0], level, Seed(1)), None);
        assert_eq!(mean_interval(&vec![1.0; 6_000], level, Seed(1)), None);
    }
    assert_eq!(
        Bootstrap::bca(0.95, Seed(1))
            .resamples(0)
            .interval(&[1.0, 2.0], plain_mean),
        None
    );
    // The standard deviation of a resample that repeats one value is 0: finite; its inverse is not.
    let inverse_sd = |values: &[f64]| 1.0 / sd(values).unwrap_or(0.0);
    assert_eq!(
        Bootstrap::percentile(0.95, Seed(1)).interval(&[1.0, 2.0], inverse_sd),
        None
    );
}

#[test]
fn equal_values_give_a_point() {
    for count in [2, 40, 6_000] {
        let got = mean_interval(&vec![0.1; count], 0.95, Seed(1)).unwrap();
        assert!((got.low - 0.1).abs() < 1e-15 && (got.high - got.low).abs() < 1e-15);
    }
}

#[test]
fn pinned_interval_guards_reproducibility() {
    let values = [46.0, 50.0, 54.0, 54.0, 61.0, 33.0, 47.0];
    let got = mean_interval(&values, 0.95, Seed(7)).unwrap();
    // The exact BCa ends, from all 7^7 resamples, are 293 / 7 = 41.857 and 380 / 7 = 54.286.
    assert_eq!((got.low, got.high), (42.0, 54.285_714_285_714_285));
    assert_ne!(got, mean_interval(&values, 0.95, Seed(8)).unwrap());
}

#[test]
fn an_interval_survives_json() {
    let got = mean_interval(&[1.0, 2.0, 4.0], 0.9, Seed(7)).unwrap();
    let text = serde_json::to_string(&got).unwrap();
    assert!(
        text.contains(r#""kind":"bca""#) && text.contains(r#""count":3"#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Interval>(&text).unwrap(), got);
}

/// Share of 95 % intervals that hold the true mean, over samples of `size` draws.
fn coverage(size: usize, draw: impl Fn(&mut Stream) -> f64, truth: f64) -> f64 {
    let rounds = 600;
    let held = (0..rounds)
        .filter(|&round| {
            let mut stream = Seed(99).stream("coverage", round);
            let values: Vec<f64> = (0..size).map(|_| draw(&mut stream)).collect();
            let bootstrap = Bootstrap::bca(0.95, Seed(round)).resamples(1_000);
            bootstrap
                .interval(&values, plain_mean)
                .unwrap()
                .contains(truth)
        })
        .count();
    held as f64 / rounds as f64
}

#[test]
fn bca_covers_what_it_promises() {
    // The standard error of a share near 0.95 over 600 rounds is 0.009.
    let normal = coverage(60, Stream::normal, 0.0);
    assert!((0.925..=0.975).contains(&normal), "normal draws: {normal}");
    // Skewed draws fall a little short at this size, as the literature says.
    let skewed = coverage(60, Stream::exponential, 1.0);
    assert!(
        (0.90..=0.97).contains(&skewed),
        "exponential draws: {skewed}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_wider_level_gives_a_wider_percentile_interval(
        values in prop::collection::vec(-1e6_f64..1e6, 2..30),
        narrow in 0.05_f64..0.9,
        extra in 0.001_f64..0.09,
        seed in any::<u64>(),
    ) {
        let make = |level| {
            Bootstrap::percentile(level, Seed(seed)).resamples(300).interval(&values, plain_mean)
        };
        let (inner, outer) = (make(narrow).unwrap(), make(narrow + extra).unwrap());
        prop_assert!(outer.low <= inner.low && inner.high <= outer.high);
        let sorted = |p| quantile(&values, p).unwrap();
        prop_assert!(sorted(0.0) - 1e-6 <= outer.low && outer.high <= sorted(1.0) + 1e-6);
    }

    #[test]
    fn shifting_and_scaling_the_values_moves_the_interval_with_them(
        values in prop::collection::vec(-1e3_f64..1e3, 3..30),
        shift in -1e3_f64..1e3,
        scale in 0.1_f64..10.0,
    ) {
        let make = |values: &[f64]| {
            Bootstrap::bca(0.9, Seed(3)).resamples(500).interval(values, plain_mean)
        };
        let moved: Vec<f64> = values.iter().map(|value| shift + scale * value).collect();
        if let (Some(before), Some(after)) = (make(&values), make(&moved)) {
            prop_assert!((after.low - (shift + scale * before.low)).abs() < 1e-6);
            prop_assert!((after.high - (shift + scale * before.high)).abs() < 1e-6);
        }
    }

    #[test]
    fn one_seed_gives_one_interval(
        values in prop::collection::vec(-1e3_f64..1e3, 2..20),
        seed in any::<u64>(),
    ) {
        let make = || Bootstrap::bca(0.95, Seed(seed)).resamples(200).interval(&values, plain_mean);
        prop_assert_eq!(make(), make());
    }
}
