//! What every simulator crate can do, with `enterprise-sandbox`: a policy, a thousand different
//! episodes, a batch.
//!
//! Run with: `cargo run --release -p enterprise-sandbox --example office_facade`
#![allow(clippy::print_stdout, reason = "an example prints")]

use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::tasks::RefusalClass;
use enterprise_sandbox::{Action, Batch, Config, Feedback, Instance, Observation, OfficeTask};
use serde_json::{Map, Value, json};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Policy, Seed};
use std::{collections::BTreeSet, error::Error, sync::Arc};

/// Looks up the requested facts in the persona's own record, and refuses other requests.
#[derive(Default)]
struct AboutMe {
    record: Value,
}

impl Policy<OfficeTask> for AboutMe {
    fn act(&mut self, seen: &Observation) -> Action {
        let keys = seen.asks.iter().map(|ask| ask.key.as_str());
        let personal = |key: &&str| TableId::Employees.field(key).is_some();
        let fields: Vec<&str> = keys.filter(personal).collect();
        if fields.is_empty() {
            return Action::Refuse {
                class: RefusalClass::Denied,
                reason: "This is not in your record.".to_owned(),
            };
        }
        if seen.calls == 0 {
            return Action::Call {
                tool: "employee_data_read".to_owned(),
                arguments: json!({"emp_id": seen.persona.get("emp_id"), "fields": fields}),
            };
        }
        let fact = |key: &&str| Some(((*key).to_owned(), self.record.get(key)?.clone()));
        let facts: Map<String, Value> = fields.iter().filter_map(fact).collect();
        Action::Answer {
            text: "From your record.".to_owned(),
            facts,
        }
    }

    fn learn(&mut self, feedback: &Feedback) {
        self.record = feedback.items().first().cloned().unwrap_or_default();
    }
}

/// Share of tasks with success, and how many of the requests differ.
fn play(config: &Config, episodes: u64) -> Result<(f64, usize), Box<dyn Error>> {
    let (mut total, mut different) = (0.0, BTreeSet::new());
    for k in 0..episodes {
        let instance = Instance::generate(config, Episode::of_run(Seed(7), k))?;
        different.insert(instance.task.instruction.clone());
        let mut env = OfficeTask::new(Arc::new(instance))?;
        let mut policy = AboutMe::default();
        while !env.is_over() {
            let feedback = env.step(&policy.act(&env.observe()))?;
            policy.learn(&feedback);
        }
        total += env.score()?.value();
    }
    Ok((total / episodes as f64, different.len()))
}

/// Share of lanes with success when each reads with the tool that fits its request best, then answers.
fn batch(config: &Config, lanes: usize) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::new(config, lanes, Seed(7))?;
    let fields = batch.layout().observation.clone();
    let entry = |name: &str| fields.iter().position(|field| field.name == name);
    let first = entry("fit.end").ok_or("no menu")?;
    let answer = entry("fit.answer").ok_or("no answer")? - first;
    let mut obs = vec![0.0; batch.layout().observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
    batch.observe_into(&mut obs)?;
    while !dones.iter().all(|done| *done) {
        let choose = |row: &[f32]| {
            let fits = row.iter().enumerate().skip(first);
            let best = fits
                .max_by(|a, b| a.1.total_cmp(b.1))
                .map_or(0, |(n, _)| n - first);
            let calls = row.first().copied().unwrap_or(0.0);
            (if calls > 0.0 { answer } else { best }) as f32
        };
        let actions: Vec<f32> = obs.chunks(fields.len()).map(choose).collect();
        batch.step_batch(&actions, &mut obs, &mut rewards, &mut dones)?;
    }
    let values = (0..lanes).filter_map(|lane| batch.lane_value(lane));
    Ok(values.sum::<f64>() / lanes as f64)
}

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::preset("paper").ok_or("no such preset")?;
    let (mean, different) = play(&config, 1_000)?;
    println!("policy: success {mean:.3} over {different} different requests");
    println!("batch of 256 lanes: success {:.3}", batch(&config, 256)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_different_tasks_and_a_batch_are_played() {
        let config = Config::of(50);
        let (mean, different) = play(&config, 200).unwrap();
        assert!(mean > 0.0 && mean < 0.5, "{mean}");
        assert!(different > 150, "{different}");
        let mean = batch(&config, 300).unwrap();
        assert!(mean > 0.0 && mean < 0.5, "{mean}");
    }
}
