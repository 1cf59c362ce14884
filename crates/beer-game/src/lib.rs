//! The Beer Game: four stages of a supply chain, each ordering from the next.
//!
//! ```text
//!            orders ─────────────►          orders ─────────────►
//!  customer ◄──── retailer ◄──── wholesaler ◄──── distributor ◄──── brewery ◄── production
//!                      ◄───────────── goods          ◄───────────── goods
//!
//!  a week   1 receive   2 read orders   3 ship   4 order   5 pay
//!           goods due   slips due       min(stock, owed)    max(floor, holding · stock) + backlog
//! ```
//!
//! Orders and goods travel for weeks, demand jumps, and each role sees its own stage only. The
//! seats under control (one role by default, or several up to all four) try to keep cost low; the
//! other roles follow published ordering rules.
//!
//! # Where things are
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | settings, presets, generators of demand |
//! | [`instance`] | one game, everything drawn |
//! | [`chain`] | the dynamics: pure arithmetic, five numbered events a week |
//! | [`rule`], [`lineup`] | ordering rules and who plays them |
//! | [`environment`], [`state`], [`action`], [`observe`] | seats, turns, what is kept, decided, seen |
//! | [`skin`] | tools |
//! | [`policy`] | built-in players |
//! | [`mod@reference`] | lower bounds, optimal plans, search |
//! | [`batch`] | many games in lockstep |
//! | [`family`] | all of it under one name, for the runner |
//!
//! # Sources
//!
//! The game of the paper (strategic paper, A.5) with the event order of its public program; BPTK's
//! agent and system dynamics models; Sterman's board game (1989). All presets reproduce recorded
//! games of those programs, see `tests/golden/README.md`. What differs from a source, the timeline,
//! all settings with units and the exact tools stand in `docs/beer-game.md`.
//!
//! # Example
//!
//! Constant orders of 400 against the paper's `typical` opponents are as good as any play: the
//! reference proves it.
//!
//! ```
//! use beer_game::{BeerGame, Config, Instance, Order, reference};
//! use sim_core::{Effort, Environment, Seed, Status};
//! use std::sync::Arc;
//!
//! let game = Arc::new(Instance::generate(&Config::paper(), Seed(7), 0)?);
//! let mut seat = BeerGame::new(Arc::clone(&game))?;
//! while !seat.is_over() {
//!     seat.step(&Order::of(400))?;
//! }
//! assert_eq!(seat.score()?.value(), 9200.0);
//!
//! let best = reference::reference(&game, Effort::Quick);
//! assert_eq!((best.optimum, best.status), (Some(9200.0), Status::Proven));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod action;
pub mod batch;
pub mod chain;
pub mod config;
pub mod environment;
pub mod family;
pub mod instance;
pub mod lineup;
pub mod observe;
pub mod pipeline;
pub mod policy;
pub mod reference;
pub mod role;
pub mod rule;
pub mod skin;
pub mod state;
pub mod units;

mod game;
mod number;
mod prompt;
mod score;

pub use action::Order;
pub use batch::{BeerGameBatch, RuleGames};
pub use config::Config;
pub use environment::BeerGame;
pub use family::BeerGameFamily;
pub use instance::Instance;
pub use lineup::Lineup;
pub use observe::{Feedback, Observation};
pub use role::Role;
pub use rule::Rule;
