//! What every simulator crate can do, with `edt`: a policy, a thousand different episodes, a batch.
//!
//! Run with: `cargo run --release -p edt --example edt_facade`
#![allow(clippy::print_stdout, reason = "an example prints")]

use edt::action::Window;
use edt::observation::SeenProject;
use edt::{Action, Batch, Config, Edt, Instance, Observation};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Field, Policy, Seed};
use std::{collections::BTreeSet, error::Error, sync::Arc};

/// All consultants stay; accepts each project that pays at least the mean rate, in its own window.
struct AboveMean;

impl Policy<Edt> for AboveMean {
    fn act(&mut self, seen: &Observation) -> Action {
        let rates: f64 = seen.projects.iter().map(|p| p.billing_rate).sum();
        let mean = rates / seen.projects.len() as f64;
        let window = |p: &SeenProject| Window {
            start: p.start,
            deadline: p.deadline,
        };
        let accept = |p: &SeenProject| (p.billing_rate >= mean).then(|| window(p));
        Action {
            consultants: i64::from(seen.consultants),
            risk_level: 0.0,
            projects: seen.projects.iter().map(accept).collect(),
        }
    }
}

/// Mean earnings over episodes, and how many of the instances differ.
fn play(config: &Config, episodes: u64) -> Result<(f64, usize), Box<dyn Error>> {
    let (mut total, mut different) = (0.0, BTreeSet::new());
    for k in 0..episodes {
        let instance = Instance::generate(config, Episode::of_run(Seed(7), k))?;
        different.insert(serde_json::to_string(&instance)?);
        let mut env = Edt::new(Arc::new(instance))?;
        while !env.is_over() {
            let action = AboveMean.act(&env.observe());
            env.step(&action)?;
        }
        total += env.score()?.value();
    }
    Ok((total / episodes as f64, different.len()))
}

/// Mean earnings over lanes when each decides at random.
fn batch(config: &Config, lanes: usize) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::new(config, lanes, Seed(7))?;
    let fields = batch.layout().action.clone();
    let mut obs = vec![0.0; batch.layout().observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
    let mut stream = Seed(1).stream("actions", 0);
    while !dones.iter().all(|done| *done) {
        let draw = |field: &Field| {
            if stream.chance(0.5) {
                field.high
            } else {
                field.low
            }
        };
        let row = fields.iter().cycle().take(fields.len() * lanes);
        let actions: Vec<f32> = row.map(draw).collect();
        batch.step_batch(&actions, &mut obs, &mut rewards, &mut dones)?;
    }
    let values = (0..lanes).filter_map(|lane| batch.lane_value(lane));
    Ok(values.sum::<f64>() / lanes as f64)
}

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::preset("small").ok_or("no such preset")?;
    let (mean, different) = play(&config, 1_000)?;
    println!("policy: mean earnings {mean:.0} over {different} different firms");
    let random = batch(&config, 256)?;
    println!("batch of 256 random plans: mean earnings {random:.0}");
    Ok(())
}
