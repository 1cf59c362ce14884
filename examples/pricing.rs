//! Setting prices while hidden demand shifts: a player of our own beside the built-in ones, on the
//! authors' twelve instances of a level.
//!
//! ```text
//!            prices                                   quantities, profits
//!   player ─────────►  [ nested logit in price/alpha ] ──────────────────►  player  (100 attempts)
//!                        alpha drifts or swings; the last 50 attempts count
//! ```
//!
//! Run with: `cargo run --release --example pricing -- hard` (or `basic`, `medium`)
#![allow(clippy::print_stdout, reason = "an example prints")]

use econ_envs::pricing::{Action, Config, Instance, Observation, Pricing, Spec};
use sim_core::{
    ConfigError, Environment as _, EnvironmentSpec as _, Policy, PolicyContext, Seat, Seed,
};
use std::sync::Arc;

/// Changes one price at a time by a tenth, keeps what earned more.
struct Climber {
    prices: Vec<f64>,
    best: f64,
    turn: usize,
    step: f64,
}

impl Policy<Pricing> for Climber {
    fn act(&mut self, observation: &Observation) -> Action {
        let sales = observation
            .previous
            .as_ref()
            .and_then(|past| past.sales.as_ref());
        let Some(sales) = sales else {
            self.prices = vec![observation.ceiling / 2.0; usize::from(observation.products)];
            return Action {
                prices: self.prices.clone(),
            };
        };
        let profit: f64 = sales.iter().map(|sale| sale.profit).sum();
        if profit > self.best {
            // The trial becomes the rule; the market moves, so what it earns is measured anew.
            self.prices = sales.iter().map(|sale| sale.price).collect();
        } else {
            self.step = 1.0 / self.step;
            self.turn += 1;
        }
        self.best = if profit > self.best {
            profit
        } else {
            0.98 * self.best
        };
        let turn = self.turn % self.prices.len().max(1);
        let mut trial = self.prices.clone();
        if let Some(price) = trial.get_mut(turn) {
            *price *= self.step;
        }
        Action { prices: trial }
    }
}

/// One run on `instance`.
fn play(instance: &Arc<Instance>, player: &mut dyn Policy<Pricing>) -> Result<f64, ConfigError> {
    let mut run = Spec.begin(Arc::clone(instance))?;
    while !run.is_over() {
        let prices = player.act(&run.observe());
        match run.step(&prices) {
            Ok(feedback) => player.learn(&feedback),
            // A player that climbs past any sense loses the period.
            Err(_) => drop(run.forfeit()),
        }
    }
    run.score()
        .map(|score| score.value())
        .map_err(|e| ConfigError::new("score", e.to_string()))
}

fn climber() -> Climber {
    Climber {
        prices: Vec::new(),
        best: f64::NEG_INFINITY,
        turn: 0,
        step: 0.9,
    }
}

fn main() -> Result<(), ConfigError> {
    let level = std::env::args().nth(1).unwrap_or_else(|| "hard".to_owned());
    let presets = Spec.presets();
    let preset = presets.iter().find(|preset| preset.name == level);
    let config = preset.map_or_else(Config::hard, |preset| preset.config.clone());
    let instances: Vec<Arc<Instance>> = Spec
        .suite("paper", &config)?
        .into_iter()
        .map(Arc::new)
        .collect();
    println!("{} products, 12 instances", config.products);
    println!("{:<17} {:>7}", "player", "score");
    for spec in Spec.policies() {
        let mut total = 0.0;
        for (index, instance) in (0..).zip(&instances) {
            let seat = Seat::AGENT;
            let mut player = spec.make(PolicyContext::new(&**instance, &seat, Seed(index)))?;
            total += play(instance, &mut *player)?;
        }
        println!("{:<17} {:>7.2}", spec.about.name, 100.0 * total / 12.0);
    }
    let mut total = 0.0;
    for instance in &instances {
        total += play(instance, &mut climber())?;
    }
    println!("{:<17} {:>7.2}", "climber (ours)", 100.0 * total / 12.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbing_earns_something() -> Result<(), ConfigError> {
        for instance in Spec.suite("paper", &Config::basic())? {
            let score = play(&Arc::new(instance), &mut climber())?;
            assert!(score > 0.0 && score < 1.0, "{score}");
        }
        Ok(())
    }
}
