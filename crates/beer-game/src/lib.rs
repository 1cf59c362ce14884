//! The Beer Game: four stages of a supply chain, each of which orders from the next. Orders and goods
//! take weeks to arrive, customer demand jumps, and each role sees its own stage only. The roles under
//! control (one by default, up to all four) keep cost low; the others follow published ordering rules.
//! From "EnterpriseBench: Benchmarking LLM Agents on Enterprise-Level Strategic Reasoning and
//! Decision-Making" (an anonymous ACL submission, the *strategic paper* below), appendix A.5, with the
//! event order of its public program; BPTK-Py 3.2.0; Sterman, "Modeling managerial behavior",
//! Management Science 35(3), 1989.
//!
//! # Example
//!
//! Twenty games with drawn demand, played by an ordering rule written as a policy:
//!
//! ```
//! use beer_game::{Action, BeerGame, Config, Instance, Observation};
//! use sim_core::{Environment, Episode, Policy, Seed};
//! use std::sync::Arc;
//!
//! /// Orders what was asked for, and half of what is owed.
//! struct Follow;
//!
//! impl Policy<BeerGame> for Follow {
//!     fn act(&mut self, seen: &Observation) -> Action {
//!         Action::nearest(seen.incoming_order + 0.5 * seen.backlog, seen.largest_order)
//!     }
//! }
//!
//! let config = Config::random();
//! let mut costs = Vec::new();
//! for k in 0..20 {
//!     let game = Instance::generate(&config, Episode::of_run(Seed(7), k))?;
//!     let mut env = BeerGame::new(Arc::new(game))?;
//!     while !env.is_over() {
//!         let order = Follow.act(&env.observe());
//!         env.step(&order)?;
//!     }
//!     costs.push(env.score()?.value());
//! }
//! assert!(costs.iter().any(|cost| cost != &costs[0]), "the games differ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! ```text
//!            orders ─────────────►          orders ─────────────►
//!  customer ◄──── retailer ◄──── wholesaler ◄──── distributor ◄──── brewery ◄── production
//!                      ◄───────────── goods          ◄───────────── goods
//!
//!  each week   1 receive   2 read orders   3 ship   4 order   5 pay
//!              goods due   slips due       min(stock, owed)    max(floor, holding · stock) + backlog
//! ```
//!
//! Each controlled role is a seat. Seats decide one after the other, downstream first, but the orders
//! of a week count as simultaneous: they are sealed until the last one is in. A week without a valid
//! order (a forfeit) orders nothing. `docs/beer-game.md` in the repository has all settings with units,
//! the timeline of a week, and the differences from each source.
//!
//! # Presets
//!
//! | preset | constructor | game |
//! |---|---|---|
//! | `paper` | [`Config::paper`] | strategic paper: 25 weeks, demand 100 then 400, the retailer decides |
//! | `paper-exact` | [`Config::paper_exact`] | its program, with its brewery error and smoothing formula |
//! | `bptk` | [`Config::bptk`] | agent model of the BPTK tutorial |
//! | `bptk-sd` | [`Config::bptk_sd`] | system dynamics model of the BPTK tutorial |
//! | `classic` | [`Config::classic`] | board game of Sterman (1989): four seats, the team's cost |
//! | `random` | [`Config::random`] | `paper` with the demand step drawn |
//! | `stationary` | [`Config::stationary`] | `paper` with demand drawn every week |
//!
//! Recorded games of the programs behind the first five are reproduced week by week in
//! `tests/golden`. [`Config::preset`] finds a preset by name; every field can be changed.
//!
//! # Action, observation, feedback
//!
//! An [`Action`] is one order \[units\]. An [`Observation`] has the week, stock, backlog, the newest
//! order and delivery, goods in transit and on order, and the cost so far of the seat's own stage. A
//! [`Feedback`] has the order as it counts and, once all seats have decided, the result of the week.
//!
//! # Score and reference
//!
//! The score is the cost of the controlled roles or of the whole chain
//! ([`config::Objective`]); lower is better. [`fn@reference`] gives a lower bound, the best known cost,
//! whether it is proven, and the cost of Sterman's rule as baseline:
//!
//! ```
//! use beer_game::{Config, Instance, reference};
//! use sim_core::{Effort, Episode, Seed, Status};
//!
//! let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
//! let best = reference(&game, Effort::Quick);
//! assert_eq!((best.optimum, best.status), (Some(9200.0), Status::Proven));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```
//!
//! # Policies
//!
//! [`policies`] lists the built-in policies: every ordering rule of [`rule`], `adaptive` (a tuned rule),
//! `constant:<units>`, `random`, and the oracle (knows hidden state) `optimal`.
//! [`policy::RulePolicy`] plays any [`rule::OrderingRule`] in a seat.
//!
//! # Batch
//!
//! [`Batch`] steps thousands of games with one controlled role at once; lane `k` is episode `k` of the
//! run. [`batch::RuleGames`] plays many games in which rules hold all roles.
//!
//! ```
//! use beer_game::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let mut batch = Batch::new(&Config::random(), 64, Seed(7))?;
//! let layout = batch.layout().clone();
//! let mut obs = vec![0.0; layout.observation_len()];
//! let (mut rewards, mut dones) = (vec![0.0; 64], vec![false; 64]);
//! while !dones.iter().all(|done| *done) {
//!     batch.step_batch(&[250.0; 64], &mut obs, &mut rewards, &mut dones)?;
//! }
//! let mean = (0..64).filter_map(|lane| batch.lane_value(lane)).sum::<f64>() / 64.0;
//! assert!(mean > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! [`config`], [`instance`], [`env`](mod@env), [`action`], [`observation`], [`mod@reference`], [`policy`],
//! [`batch`], [`spec`] and [`tools`] have the same content in every simulator. Here also: [`rule`]
//! (ordering rules and who follows them), [`role`] (the four roles), [`chain`] (the dynamics), and
//! `strategy` with the feature `proptest`.

pub mod action;
pub mod batch;
pub mod chain;
pub mod config;
pub mod env;
pub mod instance;
pub mod observation;
pub mod policy;
pub mod reference;
pub mod role;
pub mod rule;
pub mod spec;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod tools;

mod game;
mod number;
mod pipeline;
mod plots;
mod prepared;
mod prompt;
mod score;
mod units;

pub use action::Action;
pub use batch::Batch;
pub use config::Config;
pub use env::BeerGame;
pub use instance::Instance;
pub use observation::{Feedback, Observation};
pub use policy::policies;
pub use reference::reference;
pub use spec::Spec;
