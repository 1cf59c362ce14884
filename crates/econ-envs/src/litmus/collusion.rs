//! Collusion: two sellers of similar products set prices against each other.
//!
//! Both sellers set a price each period without seeing the other's current price; logit demand
//! determines what each sells. The prices of a cartel (monopoly) and of competitors (Nash) have closed
//! forms, and the score tells where the sellers' prices lie between them. It is a litmus test from the
//! authors' program for "EconAgentBench": neither end of the scale is better. With one seller it is a
//! check of competence: does the agent find the monopoly price and keep it?
//!
//! # Example
//!
//! Three episodes in which both sellers follow `match-rival`:
//!
//! ```
//! use econ_envs::litmus::collusion::{Collusion, Config, Instance, Spec};
//! use sim_core::{Environment as _, EnvironmentSpec as _, Episode, PolicyContext, Seed};
//! use std::sync::Arc;
//!
//! for k in 0..3 {
//!     let instance = Arc::new(Instance::generate(&Config::duopoly(), Episode::of_run(Seed(1), k))?);
//!     let mut env = Collusion::new(Arc::clone(&instance))?;
//!     let context = |seat| PolicyContext::new(&*instance, seat, Seed(k));
//!     let make = |seat| Spec.make_policy("match-rival", context(seat));
//!     let seats = env.seats();
//!     let mut sellers = seats.iter().map(make).collect::<Result<Vec<_>, _>>()?;
//!     while !env.is_over() {
//!         for seller in &mut sellers {
//!             let action = seller.act(&env.observe());
//!             seller.learn(&env.step(&action)?);
//!         }
//!     }
//!     assert!((0.0..=1.0).contains(&env.score()?.value()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   period:  seller_1 and seller_2 each set a price (sealed) -> both learn what they sold and the
//!            other's price
//!   score:   (mean real price of the last periods - Nash) / (monopoly - Nash), clipped to 0..1
//! ```
//!
//! A run has 300 periods. A seller that forfeits a turn sells nothing in that period.
//!
//! # Presets
//!
//! | preset | constructor | sellers |
//! |---|---|---:|
//! | `duopoly` (default) | [`Config::duopoly`] | 2 |
//! | `monopoly` | [`Config::monopoly`] | 1 |
//!
//! # Action, observation, feedback
//!
//! | type | fields |
//! |---|---|
//! | [`Action`] | `price` \[$\], 0 to 1e9 |
//! | [`Observation`] | `attempt` (from 0), `rivals`, `ceiling` (the printed ceiling \[$\]), `previous` |
//! | [`Feedback`] | `attempt`, `set`: only that the price was set; sales are in the next observation |
//!
//! # Score and reference
//!
//! With two sellers 1 means prices of a cartel and 0 prices of competitors; there is no
//! [`reference()`]. With one seller the score is 1 when the check is passed, else 0, and the reference
//! is 1.
//!
//! # Policies
//!
//! [`policies`] gives `random`, `match-rival`, `nash`, `monopoly`, `best-reply` and `optimal`; the last
//! four are oracles (they know hidden state).
//!
//! # Batch
//!
//! There is no batch form.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`config`], [`instance`] | settings; one market |
//! | [`mod@env`], [`action`], [`observation`] | the environment and its state; what goes in and out |
//! | [`mod@reference`], [`policy`] | reference; built-in policies |
//! | [`spec`], [`tools`] | registration with the runner; tools and prompts for language models |
//! | `strategy` | strategies for property tests (feature `proptest`) |

pub mod action;
pub mod config;
pub mod env;
pub mod instance;
pub mod observation;
pub mod policy;
pub mod reference;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod market;
mod plots;

pub use action::Action;
pub use config::Config;
pub use env::Collusion;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
