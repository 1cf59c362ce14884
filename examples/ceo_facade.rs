//! What every simulator crate can do, with `ceo-reallocation`: a policy, a thousand different episodes, a
//! batch.
//!
//! Run with: `cargo run --release -p ceo-reallocation --example ceo_facade`
#![allow(clippy::print_stdout, reason = "an example prints")]

use ceo_reallocation::{Action, Batch, CeoReallocation, Config, Instance, Observation};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Policy, Seed};
use std::{collections::BTreeSet, error::Error, sync::Arc};

/// Moves 5 points of capital from units with the lowest growth outlook to those with the highest.
struct ToGrowth;

impl Policy<CeoReallocation> for ToGrowth {
    fn act(&mut self, seen: &Observation) -> Action {
        // Moves are in the order of ids, units in the order of the file.
        let mut units = seen.common().units.clone();
        units.sort_by(|a, b| a.id.cmp(&b.id));
        let outlooks = || units.iter().map(|unit| unit.growth_outlook);
        let (low, high) = (
            outlooks().fold(1.0, f64::min),
            outlooks().fold(0.0, f64::max),
        );
        let moves = outlooks().map(|outlook| match outlook {
            best if best >= high => 5.0,
            worst if worst <= low => -5.0,
            _ => 0.0,
        });
        Action::Moves(moves.collect())
    }
}

/// Mean score over episodes, and how many of the instances differ.
fn play(config: &Config, episodes: u64) -> Result<(f64, usize), Box<dyn Error>> {
    let (mut total, mut different) = (0.0, BTreeSet::new());
    for k in 0..episodes {
        let instance = Instance::generate(config, Episode::of_run(Seed(7), k))?;
        different.insert(serde_json::to_string(&instance)?);
        let mut env = CeoReallocation::new(Arc::new(instance))?;
        while !env.is_over() {
            let action = ToGrowth.act(&env.observe());
            env.step(&action)?;
        }
        total += env.score()?.value();
    }
    Ok((total / episodes as f64, different.len()))
}

/// Mean score over lanes when each decides at random.
fn batch(config: &Config, lanes: usize) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::new(config, lanes, Seed(7))?;
    let width = batch.layout().action.len();
    let mut obs = vec![0.0; batch.layout().observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
    let mut stream = Seed(1).stream("actions", 0);
    while !dones.iter().all(|done| *done) {
        let draw = |_| if stream.chance(0.5) { 5.0 } else { -5.0 };
        let actions: Vec<f32> = (0..width * lanes).map(draw).collect();
        batch.step_batch(&actions, &mut obs, &mut rewards, &mut dones)?;
    }
    let values = (0..lanes).filter_map(|lane| batch.lane_value(lane));
    Ok(values.sum::<f64>() / lanes as f64)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mean, different) = play(&Config::generated(), 1_000)?;
    println!("policy: mean score {mean:.1} over {different} different companies");
    let config = Config {
        rounds: 4,
        ..Config::default()
    };
    let random = batch(&config, 256)?;
    println!("batch of 256 random lanes: mean score {random:.1}");
    Ok(())
}
