use aoa_router::Paired;
use aoa_router::paired::LEVEL;
use proptest::prelude::*;
use sim_core::Seed;
use sim_core::stats::{Bootstrap, mean};

#[test]
fn intervals_are_those_of_the_sampled_bootstrap() {
    for (n, wins, losses) in [(60, 12, 5), (200, 30, 31), (40, 9, 0), (50, 50, 0)] {
        let paired = Paired { n, wins, losses };
        let mut values = vec![1.0; wins];
        values.extend(vec![-1.0; losses]);
        values.resize(n, 0.0);
        let sampled = Bootstrap::percentile(0.9, Seed(3))
            .resamples(20_000)
            .interval(&values, |sample| mean(sample).unwrap())
            .unwrap();
        let ours = paired.interval(0.9).unwrap();
        let step = 1.0 / n as f64 + 1e-9;
        assert!((ours.low - sampled.low).abs() <= step, "{paired:?}");
        assert!((ours.high - sampled.high).abs() <= step, "{paired:?}");
    }
}

#[test]
fn the_normal_interval_continues_the_exact_one() {
    let exact = Paired {
        n: 20_000,
        wins: 2_300,
        losses: 2_000,
    };
    let normal = Paired { n: 20_001, ..exact };
    let (a, b) = (
        exact.interval(0.95).unwrap(),
        normal.interval(0.95).unwrap(),
    );
    assert_ne!(a.kind, b.kind);
    assert!((a.low - b.low).abs() < 2e-4 && (a.high - b.high).abs() < 2e-4);
    assert!(exact.is_distinguishable() && normal.is_distinguishable());
}

/// The comparison with the two sides exchanged.
fn reversed(of: Paired) -> Paired {
    Paired {
        n: of.n,
        wins: of.losses,
        losses: of.wins,
    }
}

#[test]
fn few_differences_tell_nothing() {
    let paired = Paired {
        n: 300,
        wins: 5,
        losses: 0,
    };
    assert!(paired.interval(LEVEL).unwrap().low > 0.0);
    assert!(!paired.is_distinguishable());
    assert!(!Paired::default().is_distinguishable());
    assert_eq!(Paired::default().mcnemar(), 1.0);
    let one = Paired { wins: 6, ..paired };
    assert!(one.is_distinguishable() && reversed(one).is_distinguishable());
}

proptest! {
    #[test]
    fn the_mean_lies_within(n in 2_usize..300, a in 0_usize..300, b in 0_usize..300) {
        let wins = a.min(n);
        let losses = b.min(n - wins);
        let paired = Paired { n, wins, losses };
        let interval = paired.interval(0.9).unwrap();
        prop_assert!(interval.low <= paired.mean() + 1e-9);
        prop_assert!(interval.high >= paired.mean() - 1e-9);
        prop_assert!(interval.low >= -1.0 && interval.high <= 1.0);
        let mirrored = reversed(paired);
        prop_assert!((paired.mcnemar() - mirrored.mcnemar()).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&paired.sign_test()));
    }
}
