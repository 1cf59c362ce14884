//! The built-in policies; each seat has its own copy.

use super::action::Action;
use super::env::Collusion;
use super::instance::Instance;
use super::observation::Observation;
use sim_core::{Policy, PolicyContext, PolicySpec, Stream};

/// The built-in policies, the simplest first.
///
/// `nash`, `monopoly`, `best-reply` and `optimal` read the demand of the instance, so
/// they are oracles.
///
/// ```
/// use econ_envs::litmus::collusion::{Collusion, Config, Instance, Spec};
/// use sim_core::{Environment, EnvironmentSpec, Episode, PolicyContext, Seed};
/// use std::sync::Arc;
///
/// /// The score when both sellers follow the policy called `name`.
/// fn play(name: &str) -> Result<f64, Box<dyn std::error::Error>> {
///     let config = Config { periods: 20, measured: 10, steady: 10, ..Config::duopoly() };
///     let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0))?;
///     let mut env = Collusion::new(Arc::new(instance.clone()))?;
///     let mut sellers = Vec::new();
///     for seat in &env.seats() {
///         sellers.push(Spec.make_policy(name, PolicyContext::new(&instance, seat, Seed(1)))?);
///     }
///     while !env.is_over() {
///         for seller in &mut sellers {
///             env.step(&seller.act(&env.observe()))?;
///         }
///     }
///     Ok(env.score()?.value())
/// }
/// // The two ends of the scale.
/// assert!((play("monopoly")? - 1.0).abs() < 1e-9);
/// assert!(play("nash")?.abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn policies() -> Vec<PolicySpec<Collusion, Instance>> {
    let hold = |real: fn(&Instance) -> f64| {
        move |context: PolicyContext<'_, Instance>| {
            Ok(Hold {
                price: context.instance.alpha * real(context.instance),
            })
        }
    };
    let best_reply = |context: PolicyContext<'_, Instance>| {
        Ok(BestReply {
            instance: context.instance.clone(),
        })
    };
    vec![
        PolicySpec::new(
            "random",
            "a new price in every period, uniform between 0 and the printed ceiling",
            |context: PolicyContext<'_, Instance>| {
                Ok(Random {
                    draws: context.seed.stream("random", 0),
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
            best_reply,
        )
        .oracle(),
        PolicySpec::new(
            "optimal",
            "best-reply, which alone on the market is the monopoly price",
            best_reply,
        )
        .oracle(),
    ]
}

/// Uniform prices between 0 and the printed ceiling.
struct Random {
    draws: Stream,
}

impl Policy<Collusion> for Random {
    fn act(&mut self, observation: &Observation) -> Action {
        Action {
            price: self.draws.uniform(0.0, observation.ceiling),
        }
    }
}

/// The same price in every period.
struct Hold {
    price: f64,
}

impl Policy<Collusion> for Hold {
    fn act(&mut self, _observation: &Observation) -> Action {
        Action { price: self.price }
    }
}

/// The lowest price that a rival set in the period before.
struct MatchRival {
    price: f64,
}

impl Policy<Collusion> for MatchRival {
    fn act(&mut self, observation: &Observation) -> Action {
        match &observation.previous {
            None => self.price = 0.5 * observation.ceiling,
            Some(past) => {
                let lowest = past
                    .rivals
                    .iter()
                    .copied()
                    .flatten()
                    .fold(f64::INFINITY, f64::min);
                // Where no rival sold there is no price to match, and the last one stays.
                if lowest.is_finite() {
                    self.price = lowest;
                }
            }
        }
        Action { price: self.price }
    }
}

/// The best reply to the rivals' prices of the period before. When all sellers do this, prices converge
/// to the Nash price, because the reply rises less than the rivals' prices.
struct BestReply {
    instance: Instance,
}

impl Policy<Collusion> for BestReply {
    fn act(&mut self, observation: &Observation) -> Action {
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
        Action {
            price: alpha * real,
        }
    }
}
