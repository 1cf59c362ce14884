//! A game of the preset `paper`, played by the order-up-to policy in the retailer's seat.
//!
//! ```text
//!   customer ◄── retailer ◄── wholesaler ◄── distributor ◄── brewery
//!   100, then 400  ▲ this seat    the others order by the rule `typical`
//! ```
//!
//! Prints every week as a line of a table with a small chart of stock and backlog, and how far
//! the cost is from the proven optimum.
//!
//! Run with: `cargo run --example beer_game`
#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "an example prints, and its items are private"
)]

use beer_game::env::WeekRecord;
use beer_game::policy::RulePolicy;
use beer_game::role::Role;
use beer_game::rule::OrderingRule;
use beer_game::{BeerGame, Config, Instance, reference};
use sim_core::{Effort, Environment, Episode, Policy, Seed, Status};
use std::error::Error;
use std::sync::Arc;

/// Width of one side of the chart [characters].
const SIDE: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::paper();
    let game = Arc::new(Instance::generate(&config, Episode::of_run(Seed(7), 0))?);
    let table = play(&game)?;
    println!("{table}");
    Ok(())
}

/// Plays the game and gives the whole output.
fn play(game: &Arc<Instance>) -> Result<String, Box<dyn Error>> {
    let level = game.order_up_to[Role::Retailer];
    let mut seat = BeerGame::new(Arc::clone(game))?;
    let mut policy = RulePolicy::new(game, Role::Retailer, OrderingRule::order_up_to(level));
    while !seat.is_over() {
        let order = policy.act(&seat.observe());
        seat.step(&order)?;
    }

    let mut out = vec![
        format!(
            "The retailer orders up to {level} units; the others order by {}.",
            game.opponents
        ),
        String::new(),
        format!(
            "week  asked  received  ordered  stock  backlog  cost  {:>SIDE$}|{:<SIDE$}",
            "backlog", "stock"
        ),
    ];
    let lines: Vec<&WeekRecord> = seat
        .state()
        .log
        .iter()
        .map(|week| &week[Role::Retailer])
        .collect();
    let longest = lines
        .iter()
        .map(|l| l.inventory.max(l.backlog))
        .fold(1.0, f64::max);
    for (week, line) in (1..).zip(lines) {
        out.push(format!(
            "{week:>4}  {:>5}  {:>8}  {:>7}  {:>5}  {:>7}  {:>4}  {:>SIDE$}|{:<SIDE$}",
            line.incoming_order,
            line.incoming_delivery,
            line.order,
            line.inventory,
            line.backlog,
            line.cost,
            bar(line.backlog / longest),
            bar(line.inventory / longest),
        ));
    }

    let score = seat.score()?;
    let best = reference(game, Effort::Quick);
    let (Some(optimum), Some(baseline)) = (best.optimum, best.baseline) else {
        return Err("a published game has a reference".into());
    };
    let proven = if best.status == Status::Proven {
        "proven optimum"
    } else {
        "best known"
    };
    out.push(String::new());
    out.push(format!(
        "cost {}   {proven} {optimum}   distance {:.1} %   Sterman's rule would pay {baseline}",
        score.value(),
        100.0 * (score.value() - optimum) / optimum,
    ));
    Ok(out.join("\n"))
}

/// A bar of up to `SIDE` characters.
fn bar(share: f64) -> String {
    let full = (0..SIDE).filter(|i| (*i as f64 + 0.5) / SIDE as f64 <= share);
    "█".repeat(full.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_game_is_printed_and_its_distance_is_0() {
        let game =
            Arc::new(Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0)).unwrap());
        let out = play(&game).unwrap();
        assert_eq!(out.lines().count(), 3 + 25 + 2);
        assert!(
            out.contains("cost 9200   proven optimum 9200   distance 0.0 %"),
            "{out}"
        );
    }
}
