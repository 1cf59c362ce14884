//! Laws that hold on any market.

use super::golden::naive;
use econ_envs::scheduling::blocking::Kernel;
use econ_envs::scheduling::env::State;
use econ_envs::scheduling::preferences::Preferences;
use econ_envs::scheduling::stable::{task_optimal, worker_optimal};
use econ_envs::scheduling::strategy::{self, instance as market};
use econ_envs::scheduling::{Action, Batch, Config, Instance, Scheduling, Spec};
use proptest::prelude::*;
use sim_core::{BatchEnvironment as _, Environment as _, EnvironmentSpec as _, Episode, Seed};
use std::sync::Arc;

/// The sum of the documentation in plain loops.
fn expected_by_ranks(preferences: &Preferences) -> (u64, u64) {
    let n = preferences.size();
    let below = |ranking: &[u16], agent: usize| {
        let rank = ranking
            .iter()
            .position(|other| usize::from(*other) == agent);
        (n - 1 - rank.unwrap()) as u64
    };
    let pairs = (0..n).flat_map(|w| (0..n).map(move |t| (w, t)));
    let sum =
        pairs.map(|(w, t)| below(&preferences.workers[w], t) * below(&preferences.tasks[t], w));
    (sum.sum(), (n * (n - 1)) as u64)
}

fn shuffled(n: usize, seed: u64) -> Vec<u16> {
    let mut task_of: Vec<u16> = (0..n as u16).collect();
    Seed(seed).stream("shuffle", 0).shuffle(&mut task_of);
    task_of
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The facade: what the strategies give can be generated, opened and played.
    #[test]
    fn strategies_give_valid_values(
        config in strategy::config(70),
        (instance, action) in market(70).prop_flat_map(|instance| {
            let action = strategy::action(&instance);
            (Just(instance), action)
        }),
    ) {
        prop_assert!(config.check().is_ok());
        let mut run = Scheduling::new(Arc::new(instance)).unwrap();
        let feedback = run.step(&action).unwrap();
        prop_assert_eq!(run.observe().previous, Some(feedback));
    }

    /// The bit kernel (and the scan beyond 64 workers) against the definition.
    #[test]
    fn kernel_equals_the_definition(instance in market(80), seed: u64) {
        let kernel = Kernel::new(&instance.preferences).unwrap();
        let task_of = shuffled(kernel.size(), seed);
        let want = naive(&instance.preferences, &task_of);
        let blocking = kernel.blocking(&task_of).unwrap();
        prop_assert_eq!(blocking.count(), want.len());
        prop_assert_eq!(kernel.count(&task_of).unwrap(), want.len());
        prop_assert_eq!(kernel.expected_blocking(), expected_by_ranks(&instance.preferences));
        prop_assert_eq!(blocking.list(), want);
    }

    /// A lane sees, step by step, what a single run tells: assignments submitted again, a stable
    /// end and what comes after it among them, in small markets and beyond the bit kernel's.
    #[test]
    fn lanes_see_what_single_runs_tell(
        workers in 2..=80_u16,
        shown in 1..6_u16,
        seed: u64,
        choices in prop::collection::vec(0..5_u64, 12),
    ) {
        let config = Config { workers, shown, periods: 12, ..Config::basic() };
        let instance = |lane: usize| {
            Instance::generate(&config, Episode::of_run(Seed(seed), lane as u64)).unwrap()
        };
        let lanes = 2;
        let mut batch = Batch::new(&config, lanes, Seed(seed)).unwrap();
        let mut runs: Vec<Scheduling> =
            (0..lanes).map(|lane| Scheduling::new(Arc::new(instance(lane))).unwrap()).collect();
        let mut obs = vec![0.0; batch.layout().observation_len()];
        let width = obs.len() / lanes;
        let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
        for choice in choices {
            // One of four drawn assignments, or the best for the workers of the first lane.
            let task_of = match choice {
                4 => worker_optimal(&instance(0).preferences).unwrap(),
                drawn => shuffled(usize::from(workers), seed ^ drawn),
            };
            let row: Vec<f32> = task_of.iter().map(|&task| f32::from(task)).collect();
            let actions = row.repeat(lanes);
            let before: Vec<f64> = runs.iter().map(|run| run.score().unwrap().value()).collect();
            batch.step_batch(&actions, &mut obs, &mut rewards, &mut dones).unwrap();
            for (lane, run) in runs.iter_mut().enumerate() {
                if !run.is_over() {
                    run.step(&Action::new(task_of.clone())).unwrap();
                }
                let value = run.score().unwrap().value();
                prop_assert_eq!(batch.lane_value(lane), Some(value));
                prop_assert_eq!(rewards[lane], value - before[lane]);
                prop_assert_eq!(dones[lane], run.is_over());
                let last = run.attempts().last().unwrap();
                let mut want = vec![run.attempts().len() as f32];
                want.extend(last.assignment.as_ref().unwrap().task_of.iter().map(|&t| f32::from(t)));
                want.extend(last.shown.iter().flat_map(|&(w, t)| [f32::from(w), f32::from(t)]));
                want.resize(width, -1.0);
                prop_assert_eq!(&obs[lane * width..(lane + 1) * width], want);
            }
        }
    }

    /// Deferred acceptance is stable, each side is best off in its own, and every stable worker
    /// ranks the worker-optimal task at least as high.
    #[test]
    fn deferred_acceptance_is_stable(instance in market(40)) {
        let preferences = &instance.preferences;
        let kernel = Kernel::new(preferences).unwrap();
        let (mine, theirs) = (worker_optimal(preferences).unwrap(), task_optimal(preferences).unwrap());
        prop_assert_eq!(kernel.count(&mine).unwrap(), 0);
        prop_assert_eq!(kernel.count(&theirs).unwrap(), 0);
        for ((ranking, best), other) in preferences.workers.iter().zip(&mine).zip(&theirs) {
            let rank = |task: &u16| ranking.iter().position(|t| t == task).unwrap();
            prop_assert!(rank(best) <= rank(other));
        }
    }

    /// The exact expectation against the mean over all matchings, by enumeration.
    #[test]
    fn expectation_equals_enumeration(instance in market(6)) {
        let kernel = Kernel::new(&instance.preferences).unwrap();
        let n = kernel.size();
        let mut task_of: Vec<u16> = (0..n as u16).collect();
        let (mut total, mut many) = (0_u64, 0_u64);
        permutations(&mut task_of, 0, &mut |m| {
            total += kernel.count(m).unwrap() as u64;
            many += 1;
        });
        let (sum, pairs) = kernel.expected_blocking();
        prop_assert_eq!(total * pairs, sum * many);
    }

    /// Shown pairs block, are distinct and as many as the rules say; the same assignment is shown
    /// the same; no score beats 1; a snapshot goes on identically.
    #[test]
    fn feedback_keeps_the_rules(instance in market(20), seed: u64) {
        let kernel = Kernel::new(&instance.preferences).unwrap();
        let most = usize::from(instance.config.shown);
        let mut run = Scheduling::new(Arc::new(instance.clone())).unwrap();
        let mut moved: Option<Scheduling> = None;
        for period in 0..12_u64 {
            if run.is_over() {
                break;
            }
            // Every assignment comes twice.
            let assignment = Action::new(shuffled(kernel.size(), seed ^ (period / 2)));
            let feedback = run.step(&assignment).unwrap();
            if let Some(copy) = &mut moved {
                prop_assert_eq!(&feedback, &copy.step(&assignment).unwrap());
            }
            let pairs = kernel.blocking(&assignment.task_of).unwrap().list();
            let mut shown = feedback.problems.clone();
            prop_assert_eq!(shown.len(), pairs.len().min(most));
            shown.sort_unstable();
            shown.dedup();
            prop_assert_eq!(shown.len(), feedback.problems.len());
            prop_assert!(shown.iter().all(|pair| pairs.contains(pair)));
            if period % 2 == 1 {
                let [.., before, after] = run.attempts() else { unreachable!() };
                prop_assert_eq!(&before.shown, &after.shown);
            }
            prop_assert_eq!(feedback.stable, pairs.is_empty());
            prop_assert!(run.score().unwrap().value() <= 1.0);
            if period == 4 && !run.is_over() {
                let mut copy = Scheduling::new(Arc::new(instance.clone())).unwrap();
                let text = serde_json::to_string(run.state()).unwrap();
                copy.set_state(serde_json::from_str(&text).unwrap()).unwrap();
                moved = Some(copy);
            }
        }
    }
}

fn permutations(items: &mut Vec<u16>, from: usize, visit: &mut dyn FnMut(&[u16])) {
    if from == items.len() {
        visit(items);
        return;
    }
    for i in from..items.len() {
        items.swap(from, i);
        permutations(items, from + 1, visit);
        items.swap(from, i);
    }
}

/// A state that does not belong to the instance is refused and changes nothing.
#[test]
fn states_that_do_not_fit_are_refused() {
    let config = Config {
        periods: 3,
        ..Config::basic()
    };
    let instance = Arc::new(Spec.generate(&config, Episode::of_run(Seed(1), 0)).unwrap());
    let mut run = Scheduling::new(Arc::clone(&instance)).unwrap();
    run.step(&Action::new(shuffled(10, 1))).unwrap();
    let good = run.state().clone();
    let mut refused = 0;
    let mut check = |change: &dyn Fn(&mut State)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(run.set_state(bad).is_err());
        assert_eq!(*run.state(), good);
        refused += 1;
    };
    check(&|s| s.attempts[0].blocking += 1);
    check(&|s| s.attempts[0].shown.push((0, 0)));
    check(&|s| s.attempts[0].assignment.as_mut().unwrap().task_of[0] = 99);
    check(&|s| s.attempts[0].assignment = None);
    check(&|s| s.attempts = vec![s.attempts[0].clone(); 4]);
    assert_eq!(refused, 5);
}

#[test]
fn instances_that_cannot_be_played_are_refused() {
    let good = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0)).unwrap();
    let mut refused = 0;
    let mut check = |place: &str, change: &dyn Fn(&mut Instance)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(Scheduling::new(Arc::new(bad)).unwrap_err().place, place);
        refused += 1;
    };
    check("config.workers", &|i| i.config.workers = 9);
    check("config.shown", &|i| i.config.shown = 0);
    check("preferences.tasks", &|i| drop(i.preferences.tasks.pop()));
    check("preferences.workers.3", &|i| {
        i.preferences.workers[3][0] = 10
    });
    assert_eq!(refused, 4);
}
