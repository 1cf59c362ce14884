//! The facade of a simulator, on pricing: a policy of our own, a loop over 1,000 different episodes,
//! and a batch loop.
//!
//! Run with: `cargo run --release -p econ-envs --example pricing_facade`
#![allow(clippy::print_stdout, reason = "an example prints")]

use econ_envs::pricing::{Action, Batch, Config, Instance, Observation, Pricing, reference};
use sim_core::{BatchEnvironment as _, Effort, Environment as _, Episode, Policy, Seed};
use std::error::Error;
use std::sync::Arc;

/// Sets every price to a fixed share of the printed ceiling.
struct ShareOfCeiling(f64);

impl Policy<Pricing> for ShareOfCeiling {
    fn act(&mut self, observation: &Observation) -> Action {
        let price = self.0 * observation.ceiling;
        Action {
            prices: vec![price; usize::from(observation.products)],
        }
    }
}

/// Mean score and number of different instances over the first `episodes` episodes of a run.
fn episodes(config: &Config, episodes: u64) -> Result<(f64, usize), Box<dyn Error>> {
    let mut total = 0.0;
    let mut instances = std::collections::BTreeSet::new();
    for k in 0..episodes {
        let instance = Arc::new(Instance::generate(config, Episode::of_run(Seed(7), k))?);
        let optimum = reference(&instance, Effort::Quick)
            .optimum
            .ok_or("no optimum")?;
        instances.insert(sim_core::canonical_json(&*instance)?);
        let mut env = Pricing::new(instance)?;
        let mut policy = ShareOfCeiling(0.5);
        while !env.is_over() {
            let feedback = env.step(&policy.act(&env.observe()))?;
            policy.learn(&feedback);
        }
        total += env.score()?.value() / optimum;
    }
    Ok((total / episodes as f64, instances.len()))
}

/// Mean score of the same policy in a batch: half the ceiling, the second field of a lane.
fn batch(config: &Config, lanes: usize) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::new(config, lanes, Seed(7))?;
    let layout = batch.layout().clone();
    let mut actions = vec![0.0; layout.action_len()];
    let mut obs = vec![0.0; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
    batch.observe_into(&mut obs)?;
    while !dones.iter().all(|done| *done) {
        let lanes = obs.chunks_exact(layout.observation.len());
        for (action, seen) in actions.chunks_exact_mut(layout.action.len()).zip(lanes) {
            action.fill(0.5 * seen.get(1).copied().unwrap_or_default());
        }
        batch.step_batch(&actions, &mut obs, &mut rewards, &mut dones)?;
    }
    let scores = (0..lanes).filter_map(|lane| batch.lane_value(lane));
    Ok(scores.sum::<f64>() / lanes as f64)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mean, different) = episodes(&Config::medium(), 1_000)?;
    println!("1000 episodes, {different} different instances, mean score {mean:.3}");
    println!(
        "256 lanes, mean score {:.3}",
        batch(&Config::medium(), 256)?
    );
    Ok(())
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    assert_eq!(episodes(&Config::basic(), 20)?.1, 20);
    assert!(batch(&Config::basic(), 20)? > 0.1);
    Ok(())
}
