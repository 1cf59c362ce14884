//! Money now or later.

use crate::play::play;
use econ_envs::litmus::patience::config::DELAYS;
use econ_envs::litmus::patience::{
    Action, Config, Instance, Observation, Patience, Spec, strategy,
};
use proptest::prelude::*;
use sim_core::{Environment as _, EnvironmentSpec as _, PolicyContext, Seat, Seed};
use std::sync::Arc;

fn instance(config: Config) -> Arc<Instance> {
    Arc::new(Instance { config })
}

/// The definition of the published analysis, amount by amount in plain floating point.
fn naive(answers: &[(f64, f64, f64)], most: u32) -> (f64, f64) {
    let mut values = Vec::new();
    for step in 0..=most {
        let g = 1.0 + f64::from(step) / 1000.0;
        let mut total = 0.0;
        for h in DELAYS {
            let cutoff = 100.0 * g.powf(h.years);
            let own = answers
                .iter()
                .filter(|(years, _, _)| (years - h.years).abs() < 1e-12);
            let said: Vec<f64> = own
                .filter(|(_, x, _)| (x - cutoff).abs() > 1e-9)
                .map(|(_, x, f)| if *x > cutoff { *f } else { 1.0 - f })
                .collect();
            total += said.iter().sum::<f64>() / said.len() as f64 / 4.0;
        }
        values.push(total);
    }
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let at: Vec<f64> = (0..)
        .zip(&values)
        .filter(|(_, v)| **v > best - 1e-9)
        .map(|(i, _)| f64::from(i) / 10.0)
        .collect();
    let half = at.len() / 2;
    let median = if at.len() % 2 == 1 {
        at[half]
    } else {
        0.5 * (at[half - 1] + at[half])
    };
    (median, best)
}

#[test]
fn the_analysis_equals_its_definition() {
    let mut compared = 0;
    for policy in ["random", "now", "later", "discounter:7.77"] {
        let questionnaire = instance(Config {
            repeats: 2,
            every: 1,
        });
        let mut run = Patience::new(Arc::clone(&questionnaire)).unwrap();
        let context = PolicyContext::new(&*questionnaire, &Seat::AGENT, Seed(3));
        let mut player = Spec.make_policy(policy, context).unwrap();
        let mut answers = Vec::new();
        let mut waited = 0.0;
        while !run.is_over() {
            let seen = run.observe();
            let choice = player.act(&seen);
            run.step(&choice).unwrap();
            waited += f64::from(u8::from(choice != Action::Now)) / 4.0;
            if seen.question % 4 == 3 {
                answers.push((seen.years, seen.amount, waited));
                waited = 0.0;
            }
        }
        assert_eq!(answers.len(), 240);
        let (rate, reliability) = naive(&answers, 200);
        let score = run.score().unwrap();
        assert!(
            (score.value() - rate).abs() < 1e-9,
            "{policy}: {} {rate}",
            score.value()
        );
        assert!((score.metrics()["reliability"] - reliability).abs() < 1e-9);
        println!("{policy}: {rate} % a year, reliability {reliability:.3}");
        compared += 1;
    }
    assert_eq!(compared, 4);
}

#[test]
fn extremes_and_consistency() {
    let value = |policy| play(&Spec, &instance(Config::default()), policy, Seed(1));
    let later = value("later");
    assert!(later.value() < 0.6 && (later.metrics()["reliability"] - 1.0).abs() < 1e-9);
    let now = value("now");
    assert_eq!(now.metrics()["now_share"], 1.0);
    assert!(now.value() > 15.0);
    let discounter = value("discounter");
    assert!(
        (discounter.value() - 5.0).abs() <= 0.2,
        "{}",
        discounter.value()
    );
    assert!(discounter.metrics()["reliability"] > 0.999);
    let coin = value("random");
    assert!(coin.metrics()["reliability"] < 0.6);
}

#[test]
fn unanswered_and_unreadable_count_as_later_and_are_flagged() {
    let mut run = Patience::new(instance(Config {
        repeats: 1,
        every: 5,
    }))
    .unwrap();
    assert_eq!(run.questions(), 96);
    run.step(&Action::Unreadable).unwrap();
    while !run.is_over() {
        run.forfeit();
    }
    let score = run.score().unwrap();
    assert_eq!(score.metrics()["unreadable"], 1.0);
    assert_eq!(score.metrics()["now_share"], 0.0);
    assert!(score.all_incidents()[0].note.starts_with("95 questions"));
    assert_eq!(score.all_incidents()[0].period, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The facade: what the strategies give can be generated, opened and played.
    #[test]
    fn strategies_give_valid_values(
        config in strategy::config(),
        (instance, action) in strategy::instance().prop_flat_map(|instance| {
            let action = strategy::action(&instance);
            (Just(instance), action)
        }),
    ) {
        prop_assert!(config.check().is_ok());
        let mut run = Patience::new(Arc::new(instance)).unwrap();
        run.step(&action).unwrap();
        let seen = serde_json::to_string(&run.observe()).unwrap();
        prop_assert_eq!(serde_json::from_str::<Observation>(&seen).unwrap(), run.observe());
    }
}

#[test]
fn bad_instances_are_refused() {
    let bad = Instance {
        config: Config {
            repeats: 0,
            every: 1,
        },
    };
    assert_eq!(
        Patience::new(Arc::new(bad)).unwrap_err().place,
        "config.repeats"
    );
}
