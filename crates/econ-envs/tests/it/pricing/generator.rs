//! The drawing of markets: pinned draws, and the ranges of both laws.

use crate::play::ends;
use econ_envs::pricing::config::{CostLaw, SeasonLaw, ShiftKind};
use econ_envs::pricing::instance::{LEAST_PROFIT, Shift};
use econ_envs::pricing::{Batch, Config, Pricing, Spec};
use sim_core::{Digest, EnvironmentSpec as _, Episode, Seed, canonical_json};
use std::sync::Arc;

/// A change of these moves every published score: bump the version of the environment.
#[test]
fn value_stability() {
    let digest = |config: &Config, index| {
        let instance = Spec
            .generate(config, Episode::of_run(Seed(1), index))
            .unwrap();
        let i = &instance;
        let drawn = (
            &i.costs,
            &i.quality,
            &i.categories,
            &i.alpha,
            &i.shift,
            i.ceiling_factor,
        );
        Digest::of_bytes(canonical_json(&drawn).unwrap().as_bytes()).short()
    };
    let drawn = [
        digest(&Config::basic(), 0),
        digest(&Config::medium(), 1),
        digest(&Config::hard(), 2),
        digest(
            &Config {
                costs: CostLaw::Paper,
                ..Config::hard()
            },
            3,
        ),
    ];
    assert_eq!(
        drawn,
        [
            "6fcb68ab2e2614b6",
            "6255e6f050ebe67e",
            "faa9cf15bafbb4bb",
            "8862b94036b79d0c"
        ]
    );
}

#[test]
fn draws_keep_to_their_ranges() {
    let mut seasons = std::collections::BTreeSet::new();
    let mut dearest = 0.0_f64;
    for (costs, season, highest, longest) in [
        (CostLaw::Program, SeasonLaw::Program, 2.0, 19),
        (CostLaw::Paper, SeasonLaw::Paper, 10.0, 20),
    ] {
        let config = Config {
            costs,
            season,
            ..Config::hard()
        };
        for index in 0..300 {
            let m = Spec
                .generate(&config, Episode::of_run(Seed(6), index))
                .unwrap();
            m.check().unwrap();
            assert!(m.costs.iter().all(|c| (1.0..=highest).contains(c)));
            assert!(m.quality.iter().all(|a| (2.0..=3.0).contains(a)));
            assert!(m.alpha.iter().all(|a| (1.0..=10.0).contains(a)));
            assert!((1..=3).all(|group| m.categories.contains(&group)));
            assert!((1.5..=2.5).contains(&m.ceiling_factor));
            // The authors draw ceiling and first sensitivity from one number.
            assert!((m.ceiling_factor - 1.5 - (m.alpha[0] - 1.0) / 9.0).abs() < 1e-12);
            dearest = m.costs.iter().copied().fold(dearest, f64::max);
            match &m.shift {
                Shift::Linear { steps } => {
                    assert_eq!(index % 2, 0);
                    assert!(
                        steps
                            .iter()
                            .zip(&m.alpha)
                            .all(|(s, a)| s.abs() <= a / 200.0)
                    );
                }
                Shift::Periodic { amplitudes, length } => {
                    assert_eq!(index % 2, 1);
                    assert!((10..=longest).contains(length));
                    seasons.insert(*length);
                    let share = amplitudes.iter().zip(&m.alpha).map(|(s, a)| s / a);
                    assert!(share.into_iter().all(|s| (0.25..=0.5).contains(&s)));
                }
            }
        }
    }
    assert_eq!(seasons.len(), 11);
    assert!(dearest > 9.5);
}

#[test]
fn options_have_their_effect() {
    let of = |config: &Config, index| {
        Spec.generate(config, Episode::of_run(Seed(7), index))
            .unwrap()
    };
    let periodic = Config {
        shift: ShiftKind::Periodic,
        ..Config::basic()
    };
    assert!(matches!(of(&periodic, 0).shift, Shift::Periodic { .. }));
    let linear = Config {
        shift: ShiftKind::Linear,
        ..Config::basic()
    };
    assert!(matches!(of(&linear, 1).shift, Shift::Linear { .. }));
    let apart = Config {
        ceiling_independent: true,
        ..Config::basic()
    };
    assert_ne!(
        of(&apart, 0).ceiling_factor,
        of(&Config::basic(), 0).ceiling_factor
    );
    // More categories than the truncated law ever fills: every one still has a product.
    let many = Config {
        products: 40,
        products_per_category: 1,
        ..Config::basic()
    };
    let mut filled = of(&many, 0).categories;
    filled.sort_unstable();
    assert_eq!(filled, (1..=40).collect::<Vec<_>>());
}

#[test]
fn whole_runs_are_pinned() {
    let configs = [Config::basic(), Config::medium(), Config::hard()];
    let ends = ends(&Spec, &configs, 1, "learning");
    let want = [
        (773, "72694b10d9f393a3"),
        (2459, "baa1b5a2c08f5208"),
        (5803, "adc3c623d71d99a1"),
    ]
    .map(|(size, digest)| (size, digest.to_owned()));
    assert_eq!(ends, want);
}

/// Generator, environment and batch agree about markets that earn nothing, with one message.
#[test]
fn a_market_that_earns_nothing_is_refused_everywhere() {
    // Buying nothing has a quality of 50, so no price sells anything.
    let hopeless = Config {
        outside_quality: 50.0,
        ..Config::basic()
    };
    hopeless.check().unwrap();
    let refusal = Spec
        .generate(&hopeless, Episode::of_run(Seed(1), 0))
        .unwrap_err();
    assert!(
        refusal.message.contains("the market earns at most"),
        "{refusal}"
    );
    // The lanes of a batch are other markets, so the sum differs.
    let batch = Batch::new(&hopeless, 3, Seed(1)).unwrap_err();
    assert!(
        batch.message.contains("the market earns at most"),
        "{batch}"
    );
    // The same market by hand: a valid one with the outside option of the hopeless setting.
    let mut instance = Spec
        .generate(&Config::basic(), Episode::of_run(Seed(1), 0))
        .unwrap();
    instance.config.outside_quality = 50.0;
    assert_eq!(instance.check().unwrap_err(), refusal);
    assert_eq!(Pricing::new(Arc::new(instance)).unwrap_err(), refusal);
}

/// Profit is proportional to the size of the market: the refusal names a size that does.
#[test]
fn a_market_that_is_too_small_is_told_the_size_that_does() {
    let episode = Episode::of_run(Seed(1), 0);
    for (market_size, outside_quality) in [(1e-6, 0.0), (1e-4, 2.0), (100.0, 40.0)] {
        let small = Config {
            market_size,
            outside_quality,
            ..Config::basic()
        };
        let refusal = Spec.generate(&small, episode).unwrap_err();
        let (_, rest) = refusal.message.split_once("must be at least ").unwrap();
        let size: f64 = rest.split([',', ' ']).next().unwrap().parse().unwrap();
        let of_size = |market_size| {
            Spec.generate(
                &Config {
                    market_size,
                    ..small.clone()
                },
                episode,
            )
        };
        of_size(size).unwrap();
        assert!(of_size(size / 1.03).is_err(), "{refusal}");
    }
}

/// Where only some draws earn nothing, the others are the same as ever and can be played.
#[test]
fn refusing_some_markets_moves_no_other() {
    let usual = Config {
        mu: 0.3,
        ..Config::medium()
    };
    let (mut accepted, mut refused) = (0, 0);
    for outside_quality in [3.4, 4.5, 5.5, 6.5, 12.0] {
        let rare = Config {
            outside_quality,
            ..usual.clone()
        };
        for index in 0..40 {
            let episode = Episode::of_run(Seed(2), index);
            let Ok(instance) = Spec.generate(&rare, episode) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            assert!(instance.optimum().unwrap().profit >= LEAST_PROFIT);
            instance.check().unwrap();
            // The outside option enters no draw, so these are the numbers of the usual setting.
            let usual = Spec.generate(&usual, episode).unwrap();
            assert_eq!(
                (instance.costs, instance.quality),
                (usual.costs, usual.quality)
            );
            assert_eq!((instance.alpha, instance.shift), (usual.alpha, usual.shift));
        }
    }
    assert!(
        accepted > 0 && refused > 0,
        "{accepted} accepted, {refused} refused"
    );
}
