//! The built-in players.

use super::config::Goal;
use super::env::{Assignment, EfficiencyEquality, Observation};
use super::instance::{Instance, match_in_order};
use sim_core::{ConfigError, Policy, PolicyContext, PolicySpec, Stream};

/// All players, the simplest first.
pub(super) fn specs() -> Vec<PolicySpec<EfficiencyEquality, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "a random assignment every period",
            |making: PolicyContext<'_, Instance>| {
                Ok(EfficiencyGreedy::new(
                    making.seed.stream("random", 0),
                    u16::MAX,
                ))
            },
        )
        .random(),
        PolicySpec::new(
            "equality-greedy",
            "the largest task to whoever was paid least so far; knows nothing beforehand",
            |_: PolicyContext<'_, Instance>| Ok(EqualityGreedy { pay: Vec::new() }),
        ),
        PolicySpec::new(
            "efficiency-greedy",
            "after some random periods (3, or the argument) the largest task to whoever earned \
             most for a unit of size; knows nothing beforehand",
            |making: PolicyContext<'_, Instance>| {
                let exploring = making.number()?.unwrap_or(3.0);
                if !(0.0..=1000.0).contains(&exploring) || exploring.fract() != 0.0 {
                    return Err(ConfigError::new(
                        "agent",
                        format!("`{exploring}` is no number of periods from 0 to 1000"),
                    ));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole and from 0 to 1000"
                )]
                let exploring = exploring as u16;
                Ok(EfficiencyGreedy::new(
                    making.seed.stream("explore", 0),
                    exploring,
                ))
            },
        )
        .argument("<periods>", "3")
        .random(),
        PolicySpec::new(
            "max-efficiency",
            "the assignment with the largest revenue, from the hidden productivities",
            |making: PolicyContext<'_, Instance>| Ok(Script::efficient(making.instance)),
        )
        .oracle(),
        PolicySpec::new(
            "max-equality",
            "the assignment that pays everybody the same, which the drawing of the tasks left",
            |making: PolicyContext<'_, Instance>| Ok(Script::equal(making.instance)),
        )
        .oracle(),
        PolicySpec::new(
            "optimal",
            "max-equality where equality alone is the goal, else max-efficiency",
            |making: PolicyContext<'_, Instance>| {
                Ok(match making.instance.config.goal {
                    Goal::Equality => Script::equal(making.instance),
                    Goal::Both | Goal::Efficiency => Script::efficient(making.instance),
                })
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
    fn efficient(instance: &Instance) -> Self {
        let periods = usize::from(instance.config.periods);
        Self {
            periods: (0..periods).map(|p| instance.efficient(p)).collect(),
        }
    }

    fn equal(instance: &Instance) -> Self {
        let periods = usize::from(instance.config.periods);
        Self {
            periods: (0..periods).map(|p| instance.equal_block(p)).collect(),
        }
    }
}

impl Policy<EfficiencyEquality> for Script {
    fn act(&mut self, observation: &Observation) -> Assignment {
        let planned = self.periods.get(usize::from(observation.period));
        Assignment {
            worker_of: planned.cloned().unwrap_or_default(),
        }
    }
}

/// The largest task to the lowest earner.
#[derive(Debug)]
struct EqualityGreedy {
    pay: Vec<f64>,
}

impl Policy<EfficiencyEquality> for EqualityGreedy {
    fn act(&mut self, observation: &Observation) -> Assignment {
        self.pay.resize(usize::from(observation.workers), 0.0);
        for job in observation.previous.iter().flat_map(|past| &past.jobs) {
            if let Some(pay) = self.pay.get_mut(usize::from(job.worker)) {
                *pay = job.pay_so_far;
            }
        }
        let sizes: Vec<u32> = observation.tasks.iter().map(|t| t.size).collect();
        let need: Vec<f64> = self.pay.iter().map(|pay| -pay).collect();
        Assignment {
            worker_of: match_in_order(&sizes, &need),
        }
    }
}

/// Random at first, then the largest task to the worker with the largest revenue a unit.
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

impl Policy<EfficiencyEquality> for EfficiencyGreedy {
    fn act(&mut self, observation: &Observation) -> Assignment {
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
            return Assignment { worker_of };
        }
        let sizes: Vec<u32> = observation.tasks.iter().map(|t| t.size).collect();
        Assignment {
            worker_of: match_in_order(&sizes, &self.productivity),
        }
    }
}
