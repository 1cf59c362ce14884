//! Pricing: set prices in a market whose demand is hidden and changes over time.
//!
//! Every period the agent sets one price for each of its products and learns the quantity and the
//! profit of each. Demand is a nested logit in *real prices* `x = price / alpha`; the sensitivities
//! `alpha` drift linearly or follow a sine, so the agent has to find the pattern and anticipate it.
//! The environment is that of "EconAgentBench" (section 3.3.3, appendix E) and of the authors'
//! program.
//!
//! # Example
//!
//! Three episodes with the policy `learning`; it reaches 99 % of the optimum in each:
//!
//! ```
//! use econ_envs::pricing::{Config, Instance, Pricing, policy::Learning};
//! use sim_core::{Environment as _, Episode, Policy as _, Seed};
//! use std::sync::Arc;
//!
//! let config = Config::medium();
//! for k in 0..3 {
//!     let instance = Instance::generate(&config, Episode::of_run(Seed(1), k))?;
//!     let mut env = Pricing::new(Arc::new(instance))?;
//!     let mut policy = Learning::new(4, config.first_scored());
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         let feedback = env.step(&action)?;
//!         policy.learn(&feedback);
//!     }
//!     assert!(env.score()?.value() > 0.99);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   period:  read the record of attempts -> set prices -> quantity and profit of each product
//!   score:   profit of the last 50 periods / the highest profit that they can earn
//! ```
//!
//! A run has 100 periods. Prices are finite numbers from 0 to 1e9; other prices are refused and
//! change nothing. The record shows prices, quantities, profits and costs rounded to two decimals. A
//! period without prices is forfeited: its profit is 0 and the run goes on.
//!
//! Where the paper and the authors' program differ, both are options and the program's is the default
//! ([`CostLaw`](config::CostLaw), [`OutsideLaw`](config::OutsideLaw),
//! [`SeasonLaw`](config::SeasonLaw)). Different from both: the optimum has a closed form
//! ([`optimum::optimum`]) instead of a numeric search, and a wrong price is answered with an error
//! instead of ending the run.
//!
//! # Presets
//!
//! | preset | constructor | products | categories |
//! |---|---|---:|---:|
//! | `basic` (default) | [`Config::basic`] | 1 | 1 |
//! | `medium` | [`Config::medium`] | 4 | 1 |
//! | `hard` | [`Config::hard`] | 10 | 3 |
//!
//! The suite `paper` ([`Spec::suite`](sim_core::EnvironmentSpec::suite)) holds the authors' twelve
//! instances of each preset.
//!
//! # Action, observation, feedback
//!
//! | type | fields |
//! |---|---|
//! | [`Action`] | `prices`: one price per product \[$\] |
//! | [`Observation`] | `products`, `attempt` (from 0), `ceiling` (the printed ceiling \[$\]), `previous` |
//! | [`Feedback`] | `attempt`, `sales`: price, quantity, profit and unit cost of each product |
//!
//! # Score and reference
//!
//! The score is the recorded profit of the last `scored_periods` periods divided by the highest
//! profit that they can earn \[share, larger is better\]. [`reference()`] therefore is 1, proven by
//! the closed form; its bound adds the rounding of the record.
//!
//! Some settings can draw a market in which no price sells: buyers prefer the outside option by far, and
//! the best profit of a period rounds to 0. A score would divide by it, so [`Instance::generate`],
//! [`Pricing::new`] and [`Batch::new`] refuse such a market with an error that names the profit. The presets
//! draw none. A lane of a batch whose reset draws such a market keeps its finished episode, so it stays done
//! until it is reset with another seed.
//!
//! # Policies
//!
//! [`policies`] gives `random`, `cost-plus`, `hold-first-price`, `learning` and `optimal`.
//! `cost-plus`, `hold-first-price` and `optimal` are oracles (they know hidden state).
//!
//! # Batch
//!
//! [`Batch`] steps sixteen markets at once with vector instructions. Its observation holds attempt
//! and ceiling, then price, quantity, profit and cost of each product; its action is one price per
//! product. Every number equals that of a single run.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`config`], [`instance`] | settings; one market with its hidden parameters |
//! | [`mod@env`], [`action`], [`observation`] | the environment and its state; what goes in and out |
//! | [`demand`], [`optimum`] | nested logit demand; the best prices |
//! | [`mod@reference`], [`policy`], [`batch`] | reference; built-in policies; many lanes |
//! | [`spec`], [`tools`] | registration with the runner; tools and prompts for language models |
//! | `strategy` | strategies for property tests (feature `proptest`) |

pub mod action;
pub mod batch;
pub mod config;
pub mod demand;
pub mod env;
pub mod instance;
pub mod observation;
pub mod optimum;
pub mod policy;
pub mod reference;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod generate;
mod market;
mod money;
mod paper;
mod plots;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::Pricing;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
