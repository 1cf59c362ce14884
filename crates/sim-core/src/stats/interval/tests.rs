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
    assert_eq!(got.kind, IntervalKind::Studentised);
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
    let values = [46.0, 50.0, 54.0, 54.0, 61.0, 33.0, 47.0, 52.0];
    let got = mean_interval(&values, 0.95, Seed(7)).unwrap();
    assert_eq!(
        (got.low, got.high),
        (40.749_719_224_936_776, 56.474_506_706_811_006)
    );
    assert_ne!(got, mean_interval(&values, 0.95, Seed(8)).unwrap());
}

#[test]
fn an_interval_survives_json() {
    let got = mean_interval(&[1.0, 2.0, 4.0], 0.9, Seed(7)).unwrap();
    let text = serde_json::to_string(&got).unwrap();
    assert!(
        text.contains(r#""kind":"studentised""#) && text.contains(r#""count":3"#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Interval>(&text).unwrap(), got);
}

#[test]
fn student_quantiles_match_known_values() {
    // Abramowitz and Stegun, table 26.10, and the closed forms tan(pi (p - 1/2)) for 1 degree and
    // (2 p - 1) / sqrt(2 p (1 - p)) for 2.
    let cases = [
        (0.975, 1, 12.706_204_736_174_694),
        (0.975, 2, 4.302_652_729_749_462),
        (0.975, 3, 3.182_446_305_283_708),
        (0.975, 4, 2.776_445_105_197_793),
        (0.975, 5, 2.570_581_835_636_315),
        (0.975, 6, 2.446_911_851_144_979),
        (0.95, 7, 1.894_578_605_090_006),
        (0.995, 6, 3.707_428_021_324_807),
    ];
    for (p, freedom, want) in cases {
        let got = student_quantile(p, freedom).unwrap();
        assert!((got / want - 1.0).abs() < 1e-11, "{p} {freedom}: {got}");
    }
    assert_eq!(student_quantile(0.5, 3), None);
    assert_eq!(student_quantile(1.0, 3), None);
    assert_eq!(student_quantile(0.9, 0), None);
}

#[test]
fn studentised_approaches_the_enumerated_distribution() {
    // Ten values, of which a resample has t by hand: the same numbers from resamples of another seed.
    let values: [f64; 10] = [1.0, 2.5, 4.0, 9.0, 30.0, 31.0, 33.0, 35.0, 36.0, 60.0];
    let centre = plain_mean(&values);
    let spread = sd(&values).unwrap();
    let mut stream = Seed(77).stream("twin", 0);
    let mut ratios: Vec<f64> = (0..40_000)
        .map(|_| {
            let sample: Vec<f64> = values
                .iter()
                .map(|_| *stream.pick(&values).unwrap())
                .collect();
            (plain_mean(&sample) - centre) / sd(&sample).unwrap().max(0.3 * spread)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let got = studentised_interval(&values, 0.9, Seed(4), 40_000).unwrap();
    // The tails at ten values are 0.05 less 15 %; t is at least Student's with 9 degrees.
    let student = 1.833_112_932_653_634 / 10.0_f64.sqrt();
    let low = centre - quantile(&ratios, 1.0 - 0.0425).unwrap().max(student) * spread;
    let high = centre - quantile(&ratios, 0.0425).unwrap().min(-student) * spread;
    let width = high - low;
    assert!((got.low - low).abs() < 0.02 * width, "{got:?} {low}");
    assert!((got.high - high).abs() < 0.02 * width, "{got:?} {high}");
}

/// Values that lie together but for a few: the interval stays within sensible bounds.
#[test]
fn clusters_do_not_blow_the_interval_up() {
    let cases: [&[f64]; 5] = [
        &[0.0, 1.0, 10.0],
        &[
            9200.0, 9200.5, 9201.0, 9200.2, 9200.7, 9200.9, 12_000.0, 15_000.0,
        ],
        &[
            8839.0, 8840.0, 8841.0, 8842.0, 8844.0, 8846.0, 12_000.0, 16_000.0,
        ],
        &[
            49.0, 50.0, 50.5, 51.0, 49.5, 50.2, 50.1, 49.9, 50.3, 49.8, 90.0, 120.0,
        ],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    ];
    for values in cases {
        let n = values.len();
        let got = mean_interval(values, 0.95, Seed(1)).unwrap();
        let student =
            student_quantile(0.975, n - 1).unwrap() * sd(values).unwrap() / (n as f64).sqrt();
        let centre = plain_mean(values);
        assert!(
            got.low <= centre - student && centre - 4.0 * student <= got.low,
            "{got:?}"
        );
        assert!(
            centre + student <= got.high && got.high <= centre + 4.0 * student,
            "{got:?}"
        );
    }
}

#[test]
fn far_from_zero_the_interval_is_the_same() {
    let near = [1.0, 2.0, 4.0, 8.0, 3.0, 5.0, 7.0, 2.0, 9.0];
    let far = near.map(|value| value + 1e9);
    let (near, far) = (
        mean_interval(&near, 0.95, Seed(1)).unwrap(),
        mean_interval(&far, 0.95, Seed(1)).unwrap(),
    );
    assert!((far.low - 1e9 - near.low).abs() < 1e-5 && (far.high - 1e9 - near.high).abs() < 1e-5);
}

/// Share of 95 % intervals that hold the true mean, over samples of `size` draws.
fn coverage(size: usize, draw: impl Fn(&mut Stream) -> f64, truth: f64) -> f64 {
    let rounds = 800;
    let held = (0..rounds)
        .filter(|&round| {
            let mut stream = Seed(99).stream("coverage", round);
            let values: Vec<f64> = (0..size).map(|_| draw(&mut stream)).collect();
            studentised_interval(&values, 0.95, Seed(round), 1_000)
                .unwrap()
                .contains(truth)
        })
        .count();
    held as f64 / rounds as f64
}

#[test]
fn slow_intervals_cover_what_they_promise() {
    // The standard error of a share near 0.95 over 800 rounds is 0.008. What is promised is 0.93 to
    // 0.97 from eight values on; the margins here add two standard errors.
    for size in crate::testkit::small_or_full(vec![10, 30], vec![8, 10, 30, 100]) {
        let normal = coverage(size, Stream::normal, 0.0);
        assert!(
            (0.925..=0.985).contains(&normal),
            "normal, {size}: {normal}"
        );
        let skewed = coverage(size, Stream::exponential, 1.0);
        assert!(
            (0.92..=0.985).contains(&skewed),
            "exponential, {size}: {skewed}"
        );
        let gap = coverage(size, |s| s.exponential() - s.exponential(), 0.0);
        assert!((0.925..=0.985).contains(&gap), "difference, {size}: {gap}");
    }
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
