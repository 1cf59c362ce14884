//! Helpers: games, players, and how a game ends.

use beer_game::env::BeerGame;
use beer_game::instance::Instance;
use beer_game::spec::Spec;
use sim_core::{Environment, EnvironmentSpec, Policy, PolicyContext, Seat, Seed};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The policy `name` in one seat.
pub(crate) fn player(game: &Instance, name: &str, seat: &Seat) -> Box<dyn Policy<BeerGame>> {
    let (name, argument) = match name.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (name, None),
    };
    let specs = Spec.policies();
    let spec = specs.iter().find(|spec| spec.about.name == name).unwrap();
    spec.make(PolicyContext {
        instance: game,
        seat,
        seed: Seed(17),
        effort: sim_core::Effort::Quick,
        argument,
    })
    .unwrap()
}

/// Plays a game to its end, the policy `name` in every controlled seat.
pub(crate) fn play(game: &Arc<Instance>, name: &str) -> BeerGame {
    let mut env = BeerGame::new(Arc::clone(game)).unwrap();
    let mut players: BTreeMap<Seat, _> = env
        .seats()
        .into_iter()
        .map(|seat| (seat.clone(), player(game, name, &seat)))
        .collect();
    while !env.is_over() {
        let order = players.get_mut(&env.turn()).unwrap().act(&env.observe());
        env.step(&order).unwrap();
    }
    env
}

/// The score of such a game.
pub(crate) fn cost(game: &Arc<Instance>, name: &str) -> f64 {
    play(game, name).score().unwrap().value()
}
