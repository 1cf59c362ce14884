//! Matching workers to tasks under hidden preferences: every built-in player on the authors'
//! twelve instances of a level.
//!
//! ```text
//!            assignment                       up to k blocking pairs
//!   player ─────────────►  [ hidden rankings ] ─────────────────────►  player  (100 attempts)
//!                                   │ none: the run ends, score 1
//! ```
//!
//! Run with: `cargo run --release --example scheduling -- basic` (or `medium`, `hard`)
#![allow(clippy::print_stdout, reason = "an example prints")]

use econ_envs::scheduling::{Config, Instance, Spec};
use sim_core::{
    ConfigError, Environment as _, EnvironmentSpec as _, PolicyContext, Score, Seat, Seed,
};
use std::sync::Arc;

/// One run of `policy` on `instance`.
fn play(instance: &Arc<Instance>, policy: &str, seed: Seed) -> Result<Score, ConfigError> {
    let context = PolicyContext::new(&**instance, &Seat::AGENT, seed);
    let mut player = Spec.make_policy(policy, context)?;
    let mut run = Spec.begin(Arc::clone(instance))?;
    while !run.is_over() {
        let assignment = player.act(&run.observe());
        match run.step(&assignment) {
            Ok(feedback) => player.learn(&feedback),
            // Only an assignment that is none is refused; built-in players do not send such.
            Err(_) => drop(run.forfeit()),
        }
    }
    run.score()
        .map_err(|e| ConfigError::new("score", e.to_string()))
}

fn main() -> Result<(), ConfigError> {
    let level = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "basic".to_owned());
    let presets = Spec.presets();
    let preset = presets.iter().find(|preset| preset.name == level);
    let config = preset.map_or_else(Config::basic, |preset| preset.config.clone());
    let instances: Vec<Arc<Instance>> = Spec
        .suite("paper", &config)?
        .into_iter()
        .map(Arc::new)
        .collect();
    println!(
        "{} workers, {} pairs shown, 12 instances",
        config.workers, config.shown
    );
    println!(
        "{:<15} {:>7} {:>7} {:>9}",
        "player", "score", "solved", "attempts"
    );
    for spec in Spec.policies() {
        let (mut score, mut solved, mut attempts) = (0.0, 0.0, 0.0);
        for (index, instance) in (0..).zip(&instances) {
            let run = play(instance, spec.about.name, Seed(index))?;
            let metric = |name: &str| run.metrics().get(name).copied().unwrap_or(0.0);
            score += 100.0 * run.value() / 12.0;
            solved += metric("solved");
            attempts += metric("attempts") / 12.0;
        }
        println!(
            "{:<15} {score:>7.2} {solved:>7} {attempts:>9.1}",
            spec.about.name
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_assignment_ends_the_run_at_once() -> Result<(), ConfigError> {
        for instance in Spec.suite("paper", &Config::basic())? {
            let score = play(&Arc::new(instance), "optimal", Seed(0))?;
            assert_eq!(
                (score.value(), score.metrics().get("attempts")),
                (1.0, Some(&1.0))
            );
        }
        Ok(())
    }
}
