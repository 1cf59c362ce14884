//! The built-in policies.

use super::action::Action;
use super::config::Goal;
use super::env::Efficiency;
use super::instance::{Instance, match_in_order};
use super::observation::Observation;
use sim_core::{ConfigError, Policy, PolicyContext, PolicySpec, Stream};

/// The built-in policies, the simplest first.
///
/// | policy | knows | decides |
/// |---|---|---|
/// | `random` | nothing | a random assignment |
/// | `equality-greedy` | nothing | largest task to the lowest earner |
/// | `efficiency-greedy` | nothing | random at first, then largest task to the most productive |
/// | `max-efficiency`, `max-equality` | everything | the two ends of the scale |
/// | `optimal` | everything | the end that the goal asks for |
#[must_use]
pub fn policies() -> Vec<PolicySpec<Efficiency, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "a random assignment every period",
            |context: PolicyContext<'_, Instance>| {
                // The greedy policy, of which every period is one of exploration.
                Ok(EfficiencyGreedy::new(
                    context.seed.stream("random", 0),
                    u16::MAX,
                ))
            },
        )
        .random(),
        PolicySpec::new(
            "equality-greedy",
            "the largest task to the worker with the lowest pay so far; knows nothing beforehand",
            |_: PolicyContext<'_, Instance>| Ok(EqualityGreedy { pay: Vec::new() }),
        ),
        PolicySpec::new(
            "efficiency-greedy",
            "after some random periods (3, or the argument) the largest task to the \
             worker with the largest revenue per unit of size; knows nothing beforehand",
            |context: PolicyContext<'_, Instance>| {
                let exploring = context.number()?.unwrap_or(3.0);
                if !(0.0..=1000.0).contains(&exploring) || exploring.fract() != 0.0 {
                    return Err(ConfigError::new(
                        "agent",
                        format!("`{exploring}` must be a whole number of periods from 0 to 1000"),
                    ));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole and from 0 to 1000"
                )]
                let exploring = exploring as u16;
                Ok(EfficiencyGreedy::new(
                    context.seed.stream("explore", 0),
                    exploring,
                ))
            },
        )
        .argument("<periods>", "3")
        .random(),
        PolicySpec::new(
            "max-efficiency",
            "the assignment with the largest revenue, from the hidden productivities",
            |context: PolicyContext<'_, Instance>| {
                Ok(Script::new(context.instance, Instance::efficient))
            },
        )
        .oracle(),
        PolicySpec::new(
            "max-equality",
            "the assignment that pays everybody the same, which the drawing of the tasks left",
            |context: PolicyContext<'_, Instance>| {
                Ok(Script::new(context.instance, Instance::equal_block))
            },
        )
        .oracle(),
        PolicySpec::new(
            "optimal",
            "max-equality where equality alone is the goal, else max-efficiency",
            |context: PolicyContext<'_, Instance>| {
                let block = match context.instance.config.goal {
                    Goal::Equality => Instance::equal_block,
                    Goal::Both | Goal::Efficiency => Instance::efficient,
                };
                Ok(Script::new(context.instance, block))
            },
        )
        .oracle(),
    ]
}

/// A fixed plan for the whole run.
#[derive(Debug)]
struct Script {
    periods: Vec<Vec<u16>>,
}

impl Script {
    fn new(instance: &Instance, block: fn(&Instance, usize) -> Vec<u16>) -> Self {
        let periods = 0..usize::from(instance.config.periods);
        Self {
            periods: periods.map(|period| block(instance, period)).collect(),
        }
    }
}

impl Policy<Efficiency> for Script {
    fn act(&mut self, observation: &Observation) -> Action {
        let planned = self.periods.get(usize::from(observation.period));
        Action {
            worker_of: planned.cloned().unwrap_or_default(),
        }
    }
}

/// The largest task to the lowest earner.
#[derive(Debug)]
struct EqualityGreedy {
    pay: Vec<f64>,
}

impl Policy<Efficiency> for EqualityGreedy {
    fn act(&mut self, observation: &Observation) -> Action {
        self.pay.resize(usize::from(observation.workers), 0.0);
        for job in observation.previous.iter().flat_map(|past| &past.jobs) {
            if let Some(pay) = self.pay.get_mut(usize::from(job.worker)) {
                *pay = job.pay_so_far;
            }
        }
        let sizes: Vec<u32> = observation.tasks.iter().map(|t| t.size).collect();
        let need: Vec<f64> = self.pay.iter().map(|pay| -pay).collect();
        Action {
            worker_of: match_in_order(&sizes, &need),
        }
    }
}

/// Random assignments at first, so that the productivity of every worker is observed; then the largest
/// task to the worker with the largest revenue per unit.
#[derive(Debug)]
struct EfficiencyGreedy {
    draws: Stream,
    exploring: u16,
    productivity: Vec<f64>,
}

impl EfficiencyGreedy {
    fn new(draws: Stream, exploring: u16) -> Self {
        Self {
            draws,
            exploring,
            productivity: Vec::new(),
        }
    }
}

impl Policy<Efficiency> for EfficiencyGreedy {
    fn act(&mut self, observation: &Observation) -> Action {
        self.productivity
            .resize(usize::from(observation.workers), 0.0);
        for job in observation.previous.iter().flat_map(|past| &past.jobs) {
            if let Some(slot) = self.productivity.get_mut(usize::from(job.worker))
                && job.size > 0
            {
                *slot = job.revenue / f64::from(job.size);
            }
        }
        if observation.period < self.exploring {
            let mut worker_of: Vec<u16> = (0..observation.workers).collect();
            self.draws.shuffle(&mut worker_of);
            return Action { worker_of };
        }
        let sizes: Vec<u32> = observation.tasks.iter().map(|t| t.size).collect();
        Action {
            worker_of: match_in_order(&sizes, &self.productivity),
        }
    }
}
