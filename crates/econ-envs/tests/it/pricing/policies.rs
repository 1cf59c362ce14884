//! How well the built-in policies do on the authors' instances and on drawn ones.

use crate::play::{mean_and_error, play};
use econ_envs::pricing::{Config, Spec};
use sim_core::{EnvironmentSpec as _, Episode, Seed};
use std::sync::Arc;

fn levels() -> [Config; 3] {
    [Config::basic(), Config::medium(), Config::hard()]
}

/// Mean score over the suite.
fn suite(config: &Config, policy: &str) -> f64 {
    let instances = Spec.suite("paper", config).unwrap();
    let scores: Vec<f64> = (0..)
        .zip(instances)
        .map(|(i, instance)| play(&Spec, &Arc::new(instance), policy, Seed(i)).value())
        .collect();
    let (mean, _) = mean_and_error(&scores);
    let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
    eprintln!("{policy} {}: {mean:.5}, worst {worst:.5}", config.products);
    mean
}

/// Level means of the two fixed rules (econ-envs page, 3.4): three decimals are given.
#[test]
fn fixed_prices_reproduce_their_figures() {
    for (config, hold, cost) in levels()
        .into_iter()
        .zip([0.887, 0.845, 0.839])
        .zip([0.685, 0.566, 0.416])
        .map(|((config, hold), cost)| (config, hold, cost))
    {
        assert!((suite(&config, "hold-first-price") - hold).abs() <= 5e-4);
        assert!((suite(&config, "cost-plus") - cost).abs() <= 5e-4);
    }
}

/// Random < simple <= learning <= 1.0005, and learning within a point of 100 at every level.
#[test]
fn learning_finds_the_optimum() {
    for config in levels() {
        let random = suite(&config, "random");
        let cost_plus = suite(&config, "cost-plus");
        let hold = suite(&config, "hold-first-price");
        let learning = suite(&config, "learning");
        assert!(random < cost_plus && cost_plus < hold && hold < learning);
        assert!((0.99..=1.0005).contains(&learning), "{learning}");
        let optimal = suite(&config, "optimal");
        assert!((optimal - 1.0).abs() < 5e-4);
    }
}

#[test]
fn learning_finds_it_on_drawn_markets_too() {
    for config in levels() {
        let scores: Vec<f64> = (0..12)
            .map(|i| {
                let instance = Spec
                    .generate(&config, Episode::of_run(Seed(77), i))
                    .unwrap();
                play(&Spec, &Arc::new(instance), "learning", Seed(i)).value()
            })
            .collect();
        let mean = mean_and_error(&scores).0;
        eprintln!(
            "learning {} on drawn markets: {mean:.5} of {scores:.4?}",
            config.products
        );
        assert!((0.99..=1.0005).contains(&mean), "{scores:?}");
    }
}

/// Where sensitivities are so small that the printed ceiling rounds to 0.
#[test]
fn ceilings_of_no_cent_are_played() {
    let config = Config {
        alpha_low: 0.01,
        alpha_high: 0.01,
        swing_low: 0.9,
        swing_high: 0.9,
        ceiling_low: 1.0,
        ceiling_high: 1.0,
        ceiling_block: 1,
        shift: econ_envs::pricing::config::ShiftKind::Periodic,
        ..Config::basic()
    };
    let mut drawn = (0..20).map(|i| Spec.generate(&config, Episode::of_run(Seed(1), i)).unwrap());
    let instance = drawn.find(|instance| instance.ceilings().unwrap().contains(&0.0));
    let instance = Arc::new(instance.unwrap());
    for policy in Spec.policies() {
        let score = play(&Spec, &instance, policy.about.name, Seed(1));
        assert!(score.value().is_finite(), "{}", policy.about.name);
    }
}
