//! The built-in players; each seat has its own copy.

use super::config::Instance;
use super::env::{Collusion, Observation, PriceAction};
use sim_core::{Policy, PolicyContext, PolicySpec, Stream};

/// All players.
pub(super) fn specs() -> Vec<PolicySpec<Collusion, Instance>> {
    let hold = |real: fn(&Instance) -> f64| {
        move |making: PolicyContext<'_, Instance>| {
            Ok(Hold {
                price: making.instance.alpha * real(making.instance),
            })
        }
    };
    vec![
        PolicySpec::new(
            "random",
            "a price between 0 and the printed ceiling, every period anew",
            |making: PolicyContext<'_, Instance>| {
                Ok(Random {
                    draws: making.seed.stream("random", 0),
                })
            },
        )
        .random(),
        PolicySpec::new(
            "match-rival",
            "half the printed ceiling at first, then the rivals' lowest price of the period \
             before; knows nothing beforehand",
            |_| Ok(MatchRival { price: 0.0 }),
        ),
        PolicySpec::new("nash", "the price of competitors", hold(Instance::nash)).oracle(),
        PolicySpec::new(
            "monopoly",
            "the price of a cartel",
            hold(Instance::monopoly),
        )
        .oracle(),
        PolicySpec::new(
            "best-reply",
            "the monopoly price at first, then what earns most against the rivals' prices of the \
             period before",
            |making: PolicyContext<'_, Instance>| {
                Ok(BestReply {
                    instance: making.instance.clone(),
                })
            },
        )
        .oracle(),
        PolicySpec::new(
            "optimal",
            "best-reply, which alone on the market is the monopoly price",
            |making: PolicyContext<'_, Instance>| {
                Ok(BestReply {
                    instance: making.instance.clone(),
                })
            },
        )
        .oracle(),
    ]
}

struct Random {
    draws: Stream,
}

impl Policy<Collusion> for Random {
    fn act(&mut self, observation: &Observation) -> PriceAction {
        PriceAction {
            price: self.draws.uniform(0.0, observation.ceiling),
        }
    }
}

struct Hold {
    price: f64,
}

impl Policy<Collusion> for Hold {
    fn act(&mut self, _observation: &Observation) -> PriceAction {
        PriceAction { price: self.price }
    }
}

struct MatchRival {
    price: f64,
}

impl Policy<Collusion> for MatchRival {
    fn act(&mut self, observation: &Observation) -> PriceAction {
        match &observation.previous {
            None => self.price = 0.5 * observation.ceiling,
            Some(past) => {
                let lowest = past
                    .rivals
                    .iter()
                    .copied()
                    .flatten()
                    .fold(f64::INFINITY, f64::min);
                if lowest.is_finite() {
                    self.price = lowest;
                }
            }
        }
        PriceAction { price: self.price }
    }
}

struct BestReply {
    instance: Instance,
}

impl Policy<Collusion> for BestReply {
    fn act(&mut self, observation: &Observation) -> PriceAction {
        let alpha = self.instance.alpha;
        let real = match &observation.previous {
            None => self.instance.monopoly(),
            Some(past) => {
                let others: Vec<f64> = past
                    .rivals
                    .iter()
                    .flatten()
                    .map(|price| price / alpha)
                    .collect();
                self.instance.reply(&others)
            }
        };
        PriceAction {
            price: alpha * real,
        }
    }
}
