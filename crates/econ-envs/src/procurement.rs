//! Buying bundles under a budget without knowing what they are worth.
//!
//! A company buys equipment from a menu of offers. An offer is a bundle of products at a price a
//! copy, perhaps with an upfront cost or a minimum quantity. Products of one category stand in for
//! each other, more or less effectively; categories complement each other: a plan that buys `z_j`
//! units of product `j` with effectiveness `e_j` supports
//!
//! ```text
//! workers = product over the k categories of ( sum of e_j z_j over its products ) ^ (1/k)
//! ```
//!
//! The agent knows menu and budget, not the effectiveness. One period (attempt):
//!
//! ```text
//! read history, menu, budget, notes  ->  submit a plan  ->  workers and cost, or why not allowed
//! ```
//!
//! Nothing but knowledge carries over. After the last period the best feasible plan counts, as a
//! share of the best possible one.
//!
//! | module | holds |
//! |---|---|
//! | [`config`], [`generate`] | settings and the draws of a market |
//! | [`menu`], [`instance`] | what is seen of a market, and what is hidden |
//! | [`plan`], [`evaluate`] | a purchase plan; its cost, feasibility and workers |
//! | [`environment`] | periods, feedback, score |
//! | [`optimum`] | the best plan with a proof that is re-checked |
//! | [`policy`] | random, greedy, learning, optimal |
//! | [`batch`] | many markets in lockstep |
//!
//! Source: "EconAgentBench" (section 3.3.1, appendices C and F.1) and the authors' public program;
//! where they differ the program is followed, and where it has holes (negative purchases, budgets
//! in floating point, crashes) this does not. `docs/procurement.md` lists every difference.
//!
//! # Example
//!
//! ```
//! use econ_envs::procurement::{Config, Market, ProcurementFamily, PurchasePlan, menu::OfferId};
//! use sim_core::{Environment, Family};
//!
//! // The first of the authors' BASIC markets; Offer_4 is the cheap one, Offer_8 holds C4.
//! let instance = ProcurementFamily.suite("paper", &Config::basic())?.remove(0);
//! let mut market: Market = ProcurementFamily.begin(instance.into())?;
//! market.step(&PurchasePlan::new([(OfferId(3), 40), (OfferId(7), 7)])?)?;
//! // Sums 80, 320 and 21: workers are the cube root of their product.
//! assert!((market.score()?.value() - 537_600_f64.cbrt()).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod batch;
pub mod config;
pub mod env;
pub mod evaluate;
pub mod generate;
pub mod instance;
mod layout;
pub mod menu;
pub mod optimum;
pub mod plan;
pub mod policy;
mod prompt;
pub mod spec;
mod tools;

pub use config::{Config, DrawLaw, Horizon, Rules, Wording};
pub use env::{Attempt, Market, Observation, Outcome, State};
pub use instance::Instance;
pub use plan::PurchasePlan;
pub use spec::ProcurementFamily;
