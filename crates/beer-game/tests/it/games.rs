//! Helpers: games, players, and how a game ends.

use beer_game::env::BeerGame;
use beer_game::instance::Instance;
use beer_game::spec::Spec;
use sim_core::testkit::play_typed;
use sim_core::{Environment as _, Seed};
use std::sync::Arc;

/// Plays a game to its end, the policy `name` in every controlled seat.
pub(crate) fn play(game: &Arc<Instance>, name: &str) -> BeerGame {
    play_typed(&Spec, game, name, Seed(17)).unwrap()
}

/// The score of such a game.
pub(crate) fn cost(game: &Arc<Instance>, name: &str) -> f64 {
    play(game, name).score().unwrap().value()
}
