//! Procurement: buy bundles under a budget without knowing what they are worth.
//!
//! A company buys equipment from a menu of offers. An offer is a bundle of products with a price per
//! copy, some with an upfront cost or a minimum quantity. Products of one category are substitutes with
//! different effectiveness; categories complement each other. A plan that buys `z_j` units of product
//! `j` with effectiveness `e_j` supports
//!
//! ```text
//! workers = product over the k categories of ( sum of e_j z_j over its products ) ^ (1/k)
//! ```
//!
//! The agent knows the menu and the budget, not the effectiveness. The environment is that of
//! "EconAgentBench" (section 3.3.1, appendices C and F.1) and of the authors' program.
//!
//! # Example
//!
//! Three episodes with the policy `greedy`, compared with the proven best plan:
//!
//! ```
//! use econ_envs::procurement::{Config, Instance, Procurement, policy::Greedy, reference};
//! use sim_core::{Effort, Environment as _, Episode, Policy as _, Seed, Status};
//! use std::sync::Arc;
//!
//! for k in 0..3 {
//!     let instance = Arc::new(Instance::generate(&Config::basic(), Episode::of_run(Seed(1), k))?);
//!     let mut env = Procurement::new(Arc::clone(&instance))?;
//!     let mut policy = Greedy;
//!     while !env.is_over() {
//!         let action = policy.act(&env.observe());
//!         let feedback = env.step(&action)?;
//!         policy.learn(&feedback);
//!     }
//!     let best = reference(&instance, Effort::Quick);
//!     assert_eq!(best.status, Status::Proven);
//!     assert!(Some(env.score()?.value()) <= best.bound);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!   period:  read history, menu, budget, notes -> submit a plan -> workers and cost, or the reason
//!            why the plan is not allowed
//!   score:   workers of the best allowed plan
//! ```
//!
//! A run has 100 periods (attempts), and the market is the same in all of them: only knowledge carries
//! over. A plan over the budget or below a minimum quantity is not allowed and supports no workers. A
//! plan that names an unknown offer or a negative number of copies is refused and changes nothing.
//!
//! Where the paper and the authors' program differ, both are options and the program's is the default
//! ([`DrawLaw`](config::DrawLaw)). Different from both: money is counted in cents, negative purchases
//! are refused, and errors do not end the run. `docs/procurement.md` lists every difference.
//!
//! # Presets
//!
//! | preset | constructor | categories | products and offers | effectiveness |
//! |---|---|---:|---:|---:|
//! | `basic` (default) | [`Config::basic`] | 3 | 12 | 1 to 3 |
//! | `medium` | [`Config::medium`] | 5 | 30 | 1 to 5 |
//! | `hard` | [`Config::hard`] | 10 | 100 | 1 to 20 |
//!
//! The suite `paper` ([`Spec::suite`](sim_core::EnvironmentSpec::suite)) holds the authors' twelve
//! instances of each preset.
//!
//! # Action, observation, feedback
//!
//! | type | fields |
//! |---|---|
//! | [`Action`] | a purchase plan: copies of offers; in JSON `{"Offer_1": 2, "Offer_3": 1}` |
//! | [`Observation`] | `attempt` (from 0), `menu` with the budget, `history` of all finished periods |
//! | [`Feedback`] | `plan`, `outcome`: workers and cost, or the reason why the plan is not allowed |
//!
//! # Score and reference
//!
//! The score is the number of workers of the best allowed plan \[workers, larger is better\]; the paper
//! divides it by the optimum. [`reference()`] finds the optimum by branch and bound, with a certificate
//! that is checked independently, and gives the score of the policy `greedy` as baseline.
//!
//! # Policies
//!
//! [`policies`] gives `random`, `greedy`, `learning` and `optimal`. `optimal` is an oracle (knows hidden
//! state).
//!
//! # Batch
//!
//! [`Batch`] steps many markets together. Its observation holds the attempt, the last result and the
//! menu; its action is the number of copies of each offer.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`config`], [`instance`], [`menu`] | settings; one market; its visible part |
//! | [`mod@env`], [`action`], [`observation`] | the environment and its state; what goes in and out |
//! | [`evaluate`], [`optimum`] | cost and workers of a plan; the best plan with a proof |
//! | [`mod@reference`], [`policy`], [`batch`] | reference; built-in policies; many lanes |
//! | [`spec`], [`tools`] | registration with the runner; tools and prompts for language models |
//! | `strategy` | strategies for property tests (feature `proptest`) |

pub mod action;
pub mod batch;
pub mod config;
pub mod env;
pub mod evaluate;
pub mod instance;
pub mod menu;
pub mod observation;
pub mod optimum;
pub mod policy;
pub mod reference;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod generate;
mod layout;
mod plots;
mod prompt;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::Procurement;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
