//! Blocking pairs, stable assignments and denominators against the authors' program.

use crate::shared::{close, golden, indices};
use econ_envs::scheduling::blocking::{Kernel, RankTables};
use econ_envs::scheduling::config::PreferenceFamily;
use econ_envs::scheduling::preferences::Preferences;
use econ_envs::scheduling::stable::{task_optimal, worker_optimal};
use econ_envs::scheduling::{Action, Config, Instance, Scheduling, Spec};
use serde_json::Value;
use sim_core::{Environment as _, EnvironmentSpec as _, Seed};
use std::sync::Arc;

fn rankings(value: &Value) -> Vec<Vec<u16>> {
    value.as_array().unwrap().iter().map(indices).collect()
}

fn family(name: &str) -> PreferenceFamily {
    serde_json::from_value(Value::String(name.replace('_', "-"))).unwrap()
}

/// The definition, worker by worker: which the kernel is checked against.
pub(super) fn naive(preferences: &Preferences, task_of: &[u16]) -> Vec<(u16, u16)> {
    let n = task_of.len() as u16;
    let position = |ranking: &[u16], item: u16| ranking.iter().position(|&i| i == item).unwrap();
    let mut pairs = Vec::new();
    for w in 0..n {
        for t in 0..n {
            let wishes = &preferences.workers[usize::from(w)];
            let suits = &preferences.tasks[usize::from(t)];
            let own = task_of[usize::from(w)];
            let holder = task_of.iter().position(|&x| x == t).unwrap() as u16;
            if position(wishes, t) < position(wishes, own)
                && position(suits, w) < position(suits, holder)
            {
                pairs.push((w, t));
            }
        }
    }
    pairs
}

#[test]
fn every_golden_matching() {
    let (mut instances, mut matchings, mut listed) = (0, 0, 0);
    for level in ["basic", "medium", "hard"] {
        let Some(file) = golden(&format!("econ/scheduling_{level}.json")) else {
            return;
        };
        for case in file["instances"].as_array().unwrap() {
            let preferences = Preferences {
                workers: rankings(&case["worker_prefs"]),
                tasks: rankings(&case["task_prefs"]),
            };
            preferences.check().unwrap();
            let kernel = Kernel::new(&preferences).unwrap();
            let rational = &case["expected_blocking_exact_rational"];
            assert_eq!(
                kernel.expected_blocking(),
                (rational[0].as_u64().unwrap(), rational[1].as_u64().unwrap())
            );
            let n = preferences.size() as u16;
            let config = match n {
                10 => Config::basic(),
                20 => Config::medium(),
                _ => Config::hard(),
            };
            assert_eq!(
                u64::from(config.shown),
                case["feedback_k"].as_u64().unwrap()
            );
            let instance = Arc::new(Instance {
                config,
                family: family(case["family"].as_str().unwrap()),
                preferences: preferences.clone(),
                feedback_seed: Seed(0),
            });
            for matching in case["matchings"].as_array().unwrap() {
                let task_of = indices(&matching["task_of"]);
                let flat = indices(&matching["blocking"]);
                let want: Vec<(u16, u16)> = flat.chunks(2).map(|p| (p[0], p[1])).collect();
                let blocking = kernel.blocking(&task_of).unwrap();
                assert_eq!(blocking.list(), want);
                assert_eq!(
                    blocking.count() as u64,
                    matching["num_blocking"].as_u64().unwrap()
                );
                assert_eq!(kernel.count(&task_of).unwrap(), want.len());
                assert_eq!(blocking.is_empty(), want.is_empty());
                // Backwards, with a position past the end.
                let positions: Vec<usize> = (0..=want.len()).rev().collect();
                let mut picked = Vec::new();
                blocking.pick(&positions, &mut picked);
                assert!(picked.iter().rev().eq(&want));
                assert_eq!(naive(&preferences, &task_of), want);
                match matching["kind"].as_str().unwrap() {
                    "worker_optimal_stable" => {
                        assert_eq!(worker_optimal(&preferences).unwrap(), task_of)
                    }
                    "task_optimal_stable" => {
                        assert_eq!(task_optimal(&preferences).unwrap(), task_of)
                    }
                    _ => {}
                }
                let mut run = Scheduling::new(Arc::clone(&instance)).unwrap();
                run.step(&Action::new(task_of)).unwrap();
                let score = run.score().unwrap().value();
                assert!(close(
                    score,
                    matching["score"].as_f64().unwrap(),
                    1e-12,
                    1.0
                ));
                matchings += 1;
                listed += want.len();
            }
            instances += 1;
        }
    }
    println!("{instances} instances, {matchings} matchings, {listed} blocking pairs compared");
    assert_eq!((instances, matchings), (60, 800));
    assert!(listed > 10_000);
}

/// The authors estimate each denominator from 10,000 random assignments; the exact value must lie
/// within three standard errors of every one of their 36.
#[test]
fn published_denominators() {
    let text = include_str!("../../golden/scheduling_denominators.json");
    let published: Value = serde_json::from_str(text).unwrap();
    let (mut compared, mut worst, mut widest) = (0, 0.0_f64, 0.0_f64);
    for (level, config) in [
        ("basic", Config::basic()),
        ("medium", Config::medium()),
        ("hard", Config::hard()),
    ] {
        let instances = Spec.suite("paper", &config).unwrap();
        assert_eq!(instances.len(), 12);
        for (instance, row) in instances.iter().zip(published[level].as_array().unwrap()) {
            assert_eq!(instance.feedback_seed.0, row["seed"].as_u64().unwrap());
            let (sum, pairs) = RankTables::new(&instance.preferences)
                .unwrap()
                .expected_blocking();
            let error = row["std"].as_f64().unwrap() / 100.0;
            let off = (row["published"].as_f64().unwrap() - sum as f64 / pairs as f64) / error;
            worst = worst.max(off.abs());
            let width = 2.0 * 1.96 * error / row["published"].as_f64().unwrap();
            widest = widest.max(100.0 * width);
            assert!(off.abs() <= 3.0, "{level} {row}: {off} standard errors");
            compared += 1;
        }
    }
    println!("{compared} denominators compared, the worst is {worst:.2} standard errors off");
    // The paper's appendix D.2 says that every 95 % interval is less than 1 % wide; its half is.
    assert_eq!(format!("{widest:.2}"), "1.21");
    assert_eq!(compared, 36);
}

/// The suite is what the golden files hold for seeds 0 to 11.
#[test]
fn suite_is_the_authors_own() {
    let mut compared = 0;
    for (level, config) in [
        ("basic", Config::basic()),
        ("medium", Config::medium()),
        ("hard", Config::hard()),
    ] {
        let Some(file) = golden(&format!("econ/scheduling_{level}.json")) else {
            return;
        };
        for (instance, case) in Spec
            .suite("paper", &config)
            .unwrap()
            .iter()
            .zip(file["instances"].as_array().unwrap())
        {
            assert_eq!(instance.feedback_seed.0, case["seed"].as_u64().unwrap());
            assert_eq!(
                instance.preferences.workers,
                rankings(&case["worker_prefs"])
            );
            assert_eq!(instance.preferences.tasks, rankings(&case["task_prefs"]));
            assert_eq!(instance.family, family(case["family"].as_str().unwrap()));
            assert_eq!(instance.family, config.family.of_episode(compared % 12));
            compared += 1;
        }
    }
    assert_eq!(compared, 36);
}
