//! The built-in players.

use super::env::{Choice, Instance, Observation, Patience};
use sim_core::{ConfigError, Policy, PolicySpec, Stream, math};

/// All players.
pub(super) fn specs() -> Vec<PolicySpec<Patience, Instance>> {
    vec![
        PolicySpec::new("random", "either option with equal chance", |making| {
            Ok(Coin {
                draws: making.seed.stream("random", 0),
            })
        })
        .random(),
        PolicySpec::new("now", "always the money now", |_| Ok(Always(Choice::Now))),
        PolicySpec::new("later", "always the larger amount later", |_| {
            Ok(Always(Choice::Later))
        }),
        PolicySpec::new(
            "discounter",
            "waits when the amount grows by more than a yearly rate [%] (5, or the argument)",
            |making| {
                let rate = making.number()?.unwrap_or(5.0);
                if !(0.0..=1000.0).contains(&rate) {
                    return Err(ConfigError::new(
                        "agent",
                        format!("`{rate}` is no yearly rate from 0 to 1000"),
                    ));
                }
                Ok(Discounter {
                    factor: 1.0 + rate / 100.0,
                })
            },
        )
        .argument("<rate>", "5"),
    ]
}

struct Coin {
    draws: Stream,
}

impl Policy<Patience> for Coin {
    fn act(&mut self, _observation: &Observation) -> Choice {
        if self.draws.chance(0.5) {
            Choice::Now
        } else {
            Choice::Later
        }
    }
}

struct Always(Choice);

impl Policy<Patience> for Always {
    fn act(&mut self, _observation: &Observation) -> Choice {
        self.0
    }
}

struct Discounter {
    factor: f64,
}

impl Policy<Patience> for Discounter {
    fn act(&mut self, observation: &Observation) -> Choice {
        let worth = 100.0 * math::pow(self.factor, observation.years);
        if observation.amount > worth {
            Choice::Later
        } else {
            Choice::Now
        }
    }
}
