//! Playing an instance with one of the policies of the environment, without tools.

use sim_core::{Environment, EnvironmentSpec, PolicyContext, Score, Seed};
use std::sync::Arc;

/// One episode of `instance` played by `policy`.
pub(crate) fn play<F: EnvironmentSpec>(
    environment: &F,
    instance: &Arc<F::Instance>,
    policy: &str,
    seed: Seed,
) -> Score {
    finished(environment, instance, policy, seed)
        .score()
        .unwrap()
}

/// The environment at the end of such an episode.
pub(crate) fn finished<F: EnvironmentSpec>(
    environment: &F,
    instance: &Arc<F::Instance>,
    policy: &str,
    seed: Seed,
) -> F::Env {
    let specs = environment.policies();
    let spec = specs
        .iter()
        .find(|spec| spec.about.name == policy)
        .expect(policy);
    let mut env = environment.begin(Arc::clone(instance)).unwrap();
    let mut policies: Vec<_> = env
        .seats()
        .into_iter()
        .map(|seat| {
            let context = PolicyContext {
                instance: &**instance,
                seat: &seat,
                seed,
                effort: sim_core::Effort::Quick,
                argument: None,
            };
            let acting = spec.make(context).unwrap();
            (seat, acting)
        })
        .collect();
    while !env.is_over() {
        let turn = env.turn();
        let (_, acting) = policies.iter_mut().find(|(seat, _)| *seat == turn).unwrap();
        let action = acting.act(&env.observe());
        let feedback = env.step(&action).unwrap();
        acting.learn(&feedback);
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
