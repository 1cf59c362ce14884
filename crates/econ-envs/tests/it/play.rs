//! Playing an instance with one of the policies of the environment, without tools.

use sim_core::testkit::play_typed;
use sim_core::{Digest, Environment as _, EnvironmentSpec, Episode, Score, Seed, canonical_json};
use std::sync::Arc;

/// One episode of `instance` played by `policy`.
pub(crate) fn play<F: EnvironmentSpec>(
    environment: &F,
    instance: &Arc<F::Instance>,
    policy: &str,
    seed: Seed,
) -> Score {
    let end = play_typed(environment, instance, policy, seed).unwrap();
    end.score().unwrap()
}

/// The end of one run of each configuration by `policy`, as size and digest of the state: another size means
/// another form, another digest other numbers. Every run is episode `index`.
pub(crate) fn ends<F: EnvironmentSpec>(
    environment: &F,
    configs: &[F::Config],
    index: u64,
    policy: &str,
) -> Vec<(usize, String)> {
    let end = |config| {
        let instance = environment.generate(config, Episode::of_run(Seed(1), index));
        let run = play_typed(environment, &Arc::new(instance.unwrap()), policy, Seed(2)).unwrap();
        let text = canonical_json(run.state()).unwrap();
        (text.len(), Digest::of_bytes(text.as_bytes()).short())
    };
    configs.iter().map(end).collect()
}

/// Mean and standard error.
pub(crate) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}
