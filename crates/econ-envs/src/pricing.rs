//! Setting prices in a market whose demand is hidden and moves.
//!
//! Every period the agent sets one price for each of its products and learns what sold and what it
//! earned. Demand is a nested logit in *real prices* `x = price / alpha`; the sensitivities
//! `alpha` drift in a line or swing like a sine, a pattern that has to be found and anticipated.
//!
//! ```text
//!   period:  read the record of attempts -> set prices -> quantity and profit of each product
//!   score:   profit of the last 50 periods / the most that they can earn
//! ```
//!
//! Source: section 3.3.3 and appendix E of the paper and the authors' program, which made its
//! numbers; where they differ both are options and the program's is the default ([`CostLaw`],
//! [`OutsideLaw`], [`SeasonLaw`]). What differs from both: the optimum is a closed form
//! ([`optimum()`]) instead of a numeric search, negative and non-finite prices are refused with an
//! answer, no price breaks the arithmetic, and a period without prices is forfeited instead of
//! ending the run.
//!
//! ```
//! use econ_envs::pricing::{Config, Prices, PricingFamily};
//! use sim_core::{Environment as _, Episode, Family as _, Seed};
//! use std::sync::Arc;
//!
//! let instance = PricingFamily.generate(&Config::hard(), Episode::of_run(Seed(1), 0))?;
//! let best = instance.optimum();
//! let mut run = PricingFamily.begin(Arc::new(instance.clone()))?;
//! while !run.is_over() {
//!     let alpha = instance.alpha_at(run.observe().attempt);
//!     let prices = alpha.iter().zip(&best.real_prices).map(|(a, x)| a * x).collect();
//!     run.step(&Prices { prices }).unwrap();
//! }
//! assert!((run.score().unwrap().value() - 1.0).abs() < 5e-4);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

pub mod batch;
pub mod config;
pub mod demand;
pub mod environment;
pub mod family;
pub mod generate;
pub mod instance;
pub mod money;
pub mod optimum;
pub mod paper;
pub mod policy;
pub mod skin;

pub use batch::PricingBatch;
pub use config::{Config, CostLaw, OutsideLaw, SeasonLaw, ShiftKind};
pub use demand::Demand;
pub use environment::{Feedback, MAX_PRICE, Observation, Prices, Pricing, Sale, State};
pub use family::PricingFamily;
pub use instance::{Instance, Shift};
pub use optimum::{Optimum, lambert_w_of_exp, optimum};
