use super::*;
use crate::seed::Stream;

fn plain_mean(values: &[f64]) -> f64 {
    mean(values).unwrap()
}

#[test]
fn shares_have_the_intervals_of_the_textbook() {
    // Newcombe 1998, table I: 81 of 263 and 1 of 29.
    for (hits, trials, low, high) in [(81, 263, 0.2553, 0.3662), (1, 29, 0.0061, 0.1718)] {
        let got = share_interval(hits, trials, 0.95).unwrap();
        assert!((got.low - low).abs() < 1e-4 && (got.high - high).abs() < 1e-4);
        let values: Vec<f64> = (0..trials).map(|k| f64::from(u8::from(k < hits))).collect();
        assert_eq!(rate_interval(&values, 0.95, Seed(1)), Some(got));
        // The same shares between other ends.
        let points: Vec<f64> = values.iter().map(|value| 100.0 * value - 20.0).collect();
        let range = ScoreRange::new(-20.0, 80.0);
        let scaled = mean_interval_within(&points, range, 0.95, Seed(1)).unwrap();
        assert!(
            (scaled.low - (100.0 * got.low - 20.0)).abs() < 1e-12,
            "{scaled:?}"
        );
        assert!(
            (scaled.high - (100.0 * got.high - 20.0)).abs() < 1e-12,
            "{scaled:?}"
        );
        assert_eq!(scaled.kind, IntervalKind::Wilson);
    }
    assert_eq!(share_interval(0, 0, 0.95), None);
    assert_eq!(share_interval(3, 2, 0.95), None);
    assert_eq!(share_interval(1, 2, 1.5), None);
}

/// Values between the ends: as without a range, but no wider than Wilson's interval around their mean.
#[test]
fn an_interval_is_cut_to_the_range_of_its_values() {
    let values = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 0.9, 1.0];
    let free = mean_interval(&values, 0.95, Seed(1)).unwrap();
    let cut = rate_interval(&values, 0.95, Seed(1)).unwrap();
    let (low, high) = effective_share_interval(plain_mean(&values), 8.0, 0.95).unwrap();
    assert!(free.high > 1.0);
    let want = Interval {
        low: free.low.max(low),
        high,
        ..free
    };
    assert_eq!(cut, want);
    let from_below = values.map(|value| 1.0 - value);
    let cut = rate_interval(&from_below, 0.95, Seed(1)).unwrap();
    assert!(cut.low > 0.0 && cut.high < 0.5, "{cut:?}");
    // Nothing is cut where there is no end, and a mean beyond a range that is wrong stays in its interval.
    let open = mean_interval_within(&values, ScoreRange::UNLIMITED, 0.95, Seed(1));
    assert_eq!(open, Some(free));
    let wrong = ScoreRange::new(0.0, 0.5);
    let kept = mean_interval_within(&values, wrong, 0.95, Seed(1)).unwrap();
    assert_eq!(kept.high, plain_mean(&values));
    // All at one end of two, but at the only end: an interval of width zero, as for any equal values.
    let half_open = ScoreRange::new(f64::NEG_INFINITY, 1.0);
    let equal = mean_interval_within(&[1.0; 9], half_open, 0.95, Seed(1)).unwrap();
    assert_eq!((equal.low, equal.high), (1.0, 1.0));
    assert_eq!(rate_interval(&[1.0], 0.95, Seed(1)), None);
    assert_eq!(rate_interval(&[0.2, f64::NAN], 0.95, Seed(1)), None);
}

/// Few marks, of which some stand far from the others, or which are all equal.
#[test]
fn few_bounded_values_have_a_useful_interval() {
    let marks = ScoreRange::new(0.0, 100.0);
    let of = |values: &[f64]| {
        let interval = mean_interval_within(values, marks, 0.95, Seed(1)).unwrap();
        (interval.low, interval.high)
    };
    let mut few = vec![0.0, 10.0, 0.0, 5.0, 20.0, 0.0, 0.0, 10.0, 0.0];
    few.extend([100.0; 3]);
    let free = mean_interval(&few, 0.95, Seed(1)).unwrap();
    assert!(free.high > 95.0, "{free:?}");
    let (low, high) = of(&few);
    assert!(10.0 < low && high < 60.0, "{low} {high}");
    // Equal values leave as much open wherever they lie: the widths are the same, and the ends move with them.
    for mark in [0.0, 0.5, 20.0, 85.0, 100.0] {
        let (low, high) = of(&[mark; 13]);
        assert!((high - low - 22.81).abs() < 0.01, "{mark}: {low} {high}");
        assert!(low <= mark && mark <= high);
    }
    // Below eight values too, a share that is nearly 0 or 1 at every trial has nearly the interval of a share.
    let (shares, near) = (
        of(&[0.0, 0.0, 0.0, 100.0, 100.0]),
        of(&[0.0, 0.1, 0.0, 99.9, 100.0]),
    );
    assert!(
        (shares.0 - near.0).abs() < 0.5 && (shares.1 - near.1).abs() < 0.5,
        "{shares:?} {near:?}"
    );
}

/// Distributions of values from 0 to 1, with their means.
#[expect(clippy::type_complexity, reason = "a table of functions")]
fn bounded() -> Vec<(&'static str, f64, fn(&mut Stream) -> f64)> {
    fn unit(stream: &mut Stream) -> f64 {
        stream.unit()
    }
    vec![
        ("half right", 0.5, |s| f64::from(u8::from(unit(s) < 0.5))),
        ("a tenth right", 0.1, |s| f64::from(u8::from(unit(s) < 0.1))),
        ("uniform", 0.5, unit),
        ("skewed", 0.25, |s| unit(s).powi(3)),
        ("mostly high", 1.0 / 1.2, |s| unit(s).powf(0.2)),
        ("narrow", 0.3, |s| (0.3 + 0.1 * s.normal()).clamp(0.0, 1.0)),
        ("partly right", 0.45, |s| match unit(s) {
            at if at < 0.4 => 0.0,
            at if at < 0.7 => 1.0,
            _ => unit(s),
        }),
        ("marks of five", 0.83, |s| match unit(s) {
            at if at < 0.6 => 1.0,
            at if at < 0.8 => 0.8,
            at if at < 0.9 => 0.6,
            at if at < 0.95 => 0.2,
            _ => 0.0,
        }),
        (
            "mostly equal",
            0.68,
            |s| if unit(s) < 0.8 { 0.85 } else { 0.0 },
        ),
    ]
}

#[test]
fn slow_bounded_intervals_cover_what_they_promise() {
    // Over 300 rounds the standard error of a share near 0.95 is 0.0126. Wilson's interval for a single share
    // swings around its level with the number of trials, so each case has a wide margin, and their mean a narrow one.
    let rounds = crate::testkit::small_or_full(300_u64, 1_000);
    for size in crate::testkit::small_or_full(vec![5, 12], vec![3, 5, 8, 12, 30]) {
        let mut all = Vec::new();
        for (name, truth, draw) in bounded() {
            let (mut held, mut width) = (0_u32, 0.0);
            for round in 0..rounds {
                let mut stream = Seed(98).stream("bounded", round);
                let values: Vec<f64> = (0..size).map(|_| draw(&mut stream)).collect();
                let interval = rate_interval(&values, 0.95, Seed(round)).unwrap();
                held += u32::from(interval.contains(truth));
                width += (interval.high - interval.low) / rounds as f64;
            }
            let share = f64::from(held) / rounds as f64;
            println!(
                "n = {size}, {name}: {:.1} %, width {width:.3}",
                100.0 * share
            );
            assert!(share >= 0.89, "n = {size}, {name}: {share}");
            all.push(share);
        }
        let mean = plain_mean(&all);
        assert!((0.94..=0.985).contains(&mean), "n = {size}: {mean}");
    }
}
