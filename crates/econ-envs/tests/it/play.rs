//! Playing an instance with one of the family's policies, without tools.

use sim_core::{Environment, EnvironmentSpec, PolicyContext, Score, Seed};
use std::sync::Arc;

/// One episode of `instance` played by `policy`.
pub(crate) fn play<F: EnvironmentSpec>(
    family: &F,
    instance: &Arc<F::Instance>,
    policy: &str,
    seed: Seed,
) -> Score {
    finished(family, instance, policy, seed).score().unwrap()
}

/// The environment at the end of such an episode.
pub(crate) fn finished<F: EnvironmentSpec>(
    family: &F,
    instance: &Arc<F::Instance>,
    policy: &str,
    seed: Seed,
) -> F::Env {
    let specs = family.policies();
    let spec = specs
        .iter()
        .find(|spec| spec.about.name == policy)
        .expect(policy);
    let mut env = family.begin(Arc::clone(instance)).unwrap();
    let mut players: Vec<_> = env
        .seats()
        .into_iter()
        .map(|seat| {
            let making = PolicyContext {
                instance: &**instance,
                seat: &seat,
                seed,
                argument: None,
            };
            let player = spec.make(making).unwrap();
            (seat, player)
        })
        .collect();
    while !env.is_over() {
        let turn = env.turn();
        let (_, player) = players.iter_mut().find(|(seat, _)| *seat == turn).unwrap();
        let action = player.act(&env.observe());
        let feedback = env.step(&action).unwrap();
        player.learn(&feedback);
    }
    env
}

/// Mean and standard error.
pub(crate) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}
