//! Drawing markets: laws, stability, promises.

use crate::shared::episode;
use econ_envs::procurement::config::DrawLaw;
use econ_envs::procurement::evaluate::Evaluator;
use econ_envs::procurement::menu::Terms;
use econ_envs::procurement::optimum::solve;
use econ_envs::procurement::{Config, Instance, Spec};
use proptest::prelude::*;
use sim_core::{Digest, EnvironmentSpec, Seed};
use std::collections::BTreeMap;

/// The draws are part of the contract: an edit that moves them bumps the version.
#[test]
fn value_stability() {
    let digest = |config: &Config, seed| {
        Digest::of(&Instance::generate(config, episode(Seed(seed))).unwrap())
            .unwrap()
            .short()
    };
    let paper = Config {
        law: DrawLaw::Paper,
        ..Config::medium()
    };
    let drawn = [
        digest(&Config::basic(), 1),
        digest(&Config::medium(), 2),
        digest(&Config::hard(), 3),
        digest(&paper, 2),
    ];
    assert_eq!(
        drawn,
        [
            "85bd1e0a0ae7deb5",
            "bb71620f9b263b6b",
            "6b77abed4588c477",
            "55ec4034922581ed"
        ]
    );
}

/// Means and ranges of 200 HARD markets under both laws.
#[test]
fn the_laws_have_their_stated_ranges_and_means() {
    for (law, minima, distinct) in [
        (DrawLaw::Program, 2..=9, 9.2..9.6),
        (DrawLaw::Paper, 2..=10, 9.8..10.2),
    ] {
        let config = Config {
            law,
            ..Config::hard()
        };
        let mut by_kind = BTreeMap::new();
        let (mut offers, mut lines, mut units) = (0.0, 0.0, 0.0);
        let mut effect = BTreeMap::new();
        let mut seen = BTreeMap::new();
        for seed in 0..200 {
            let instance = Instance::generate(&config, episode(Seed(seed))).unwrap();
            for value in instance.effectiveness.iter().flatten() {
                *effect.entry(*value).or_insert(0) += 1;
            }
            for offer in &instance.menu.offers {
                offers += 1.0;
                lines += offer.contents.len() as f64;
                units += offer.contents.iter().map(|c| f64::from(c.1)).sum::<f64>();
                assert!((100..=2_000).contains(&offer.unit_cents));
                let kind = match offer.terms {
                    Terms::Simple => "simple",
                    Terms::TwoPart { upfront_cents } => {
                        assert!((100..=2_000).contains(&upfront_cents));
                        "two_part"
                    }
                    Terms::BulkOnly { min_copies } => {
                        *seen.entry(min_copies).or_insert(0) += 1;
                        "bulk_only"
                    }
                };
                *by_kind.entry(kind).or_insert(0.0) += 1.0;
            }
        }
        assert!(
            distinct.contains(&(lines / offers)),
            "{law:?}: {}",
            lines / offers
        );
        assert!(
            (units / lines - 10.0).abs() < 0.15,
            "{law:?}: {}",
            units / lines
        );
        assert_eq!(by_kind.len(), 3);
        assert!(
            by_kind
                .values()
                .all(|n: &f64| (n / offers - 1.0 / 3.0).abs() < 0.01)
        );
        assert!(seen.keys().copied().eq(minima), "{law:?}: {seen:?}");
        assert!(effect.keys().copied().eq(1..=20), "{effect:?}");
    }
}

#[test]
fn a_field_out_of_range_is_named() {
    let refused = |config: Config| {
        Instance::generate(&config, episode(Seed(1)))
            .unwrap_err()
            .place
    };
    assert_eq!(
        refused(Config {
            categories: 0,
            ..Config::basic()
        }),
        "categories"
    );
    assert_eq!(
        refused(Config {
            categories: 64,
            ..Config::basic()
        }),
        "categories"
    );
    assert_eq!(
        refused(Config {
            offers: Some(11),
            ..Config::basic()
        }),
        "offers"
    );
    assert_eq!(
        refused(Config {
            products_p: 0.0,
            ..Config::basic()
        }),
        "products_p"
    );
    assert_eq!(
        refused(Config {
            units_p: f64::NAN,
            ..Config::basic()
        }),
        "units_p"
    );
    assert_eq!(
        refused(Config {
            max_effectiveness: 0,
            ..Config::basic()
        }),
        "max_effectiveness"
    );
    let many = Config {
        products_per_category: 1_000,
        ..Config::basic()
    };
    assert_eq!(refused(many), "products_per_category");
    let mut config = Config::basic();
    config.rules.periods = 0;
    assert_eq!(refused(config), "rules.periods");
}

#[test]
fn an_instance_from_a_file_is_checked() {
    let instance = Instance::generate(&Config::basic(), episode(Seed(1))).unwrap();
    let good = serde_json::to_value(&instance).unwrap();
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 7] = [
        ("menu.offers.0.unit_cents", |v| {
            v["menu"]["offers"][0]["unit_cents"] = 0.into()
        }),
        ("menu.offers.1.contents.0", |v| {
            v["menu"]["offers"][1]["contents"][0][0] = "Z9".into()
        }),
        ("menu.offers.1.contents", |v| {
            let twice = v["menu"]["offers"][1]["contents"][0].clone();
            v["menu"]["offers"][1]["contents"]
                .as_array_mut()
                .unwrap()
                .push(twice);
        }),
        ("menu.budget_cents", |v| {
            v["menu"]["budget_cents"] = (-1).into()
        }),
        ("effectiveness.0.1", |v| v["effectiveness"][0][1] = 4.into()),
        ("effectiveness", |v| {
            v["effectiveness"][0] = serde_json::json!([1])
        }),
        ("seed_plan", |v| {
            v["seed_plan"] = serde_json::json!([["Offer_13", 1]])
        }),
    ];
    for (place, change) in changes {
        let mut value = good.clone();
        change(&mut value);
        let instance: Instance = serde_json::from_value(value).unwrap();
        assert_eq!(instance.check().unwrap_err().place, place);
    }
}

#[test]
fn the_suite_needs_the_market_of_a_level() {
    let mut config = Config::hard();
    config.rules.periods = 7;
    let suite = Spec.suite("paper", &config).unwrap();
    assert_eq!((suite.len(), suite[11].rules.periods), (12, 7));
    assert_eq!(suite[3].name.as_deref(), Some("HARD_3"));
    config.units_p = 0.2;
    assert_eq!(Spec.suite("paper", &config).unwrap_err().place, "suite");
    assert_eq!(
        Spec.suite("journal", &Config::hard()).unwrap_err().place,
        "suite"
    );
}

fn configs() -> impl Strategy<Value = Config> {
    (
        1_u32..20,
        1_u32..6,
        0_u32..8,
        0.05..1.0_f64,
        0.05..1.0_f64,
        1_u32..30,
        any::<bool>(),
    )
        .prop_map(
            |(
                categories,
                products_per_category,
                extra,
                products_p,
                units_p,
                max_effectiveness,
                law,
            )| {
                Config {
                    categories,
                    products_per_category,
                    offers: Some(categories * products_per_category + extra),
                    products_p,
                    units_p,
                    max_effectiveness,
                    law: if law {
                        DrawLaw::Program
                    } else {
                        DrawLaw::Paper
                    },
                    ..Config::basic()
                }
            },
        )
}

proptest! {
    /// Every product is on offer, nothing is named twice, and (under the program's law) the plan
    /// that set the budget is allowed, leaves at most a dollar and supports any workers.
    #[test]
    fn drawn_markets_keep_their_promises(config in configs(), seed in any::<u64>()) {
        let instance = Instance::generate(&config, episode(Seed(seed))).unwrap();
        prop_assert_eq!(&instance, &Instance::generate(&config, episode(Seed(seed))).unwrap());
        prop_assert!(instance.check().is_ok());
        prop_assert_eq!(instance.menu.offers.len(), config.offer_count() as usize);
        for product in instance.menu.all_products() {
            let offered = |c: &(_, u32)| c.0 == product;
            prop_assert!(instance.menu.offers.iter().any(|o| o.contents.iter().any(offered)));
        }
        let seed_plan = Evaluator::new(&instance).unwrap().evaluate(&instance.seed_plan);
        if config.law == DrawLaw::Program {
            prop_assert!(seed_plan.is_feasible() && seed_plan.workers > 0.0);
            let slack = instance.menu.budget_cents - seed_plan.cost_cents;
            prop_assert!((0..=100).contains(&slack));
            // The first relaxation already gives a plan; none is better than the bound.
            let optimum = solve(&instance, 3).unwrap();
            prop_assert!(optimum.bound().unwrap() >= seed_plan.workers * (1.0 - 1e-12));
        }
        let text = serde_json::to_string(&instance).unwrap();
        prop_assert_eq!(&instance, &serde_json::from_str(&text).unwrap());
    }
}
