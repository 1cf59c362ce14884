//! Runs an agent of one's own in the Beer Game, without models: 20 episodes into a run folder, the
//! summary with the gap to the optimum, and a check of the folder.
//!
//! Run with: `cargo run -p run-engine --example embed_runner`
#![allow(clippy::print_stdout, reason = "an example prints")]

use beer_game::{Action, Observation, Spec};
use run_engine::{EpisodeRun, RunError};
use std::path::Path;

/// Orders what is missing to a constant stock, on hand and on its way.
fn base_stock(seen: &Observation) -> Action {
    let position = seen.inventory + seen.on_order - seen.backlog;
    Action::nearest(1_200.0 - position, seen.largest_order)
}

fn main() -> Result<(), RunError> {
    let dir = Path::new("runs/base-stock");
    let run = EpisodeRun::of(Spec)
        .preset("random")
        .episodes(20)
        .seed(7)
        .decide("base-stock", base_stock);
    let finished = run.play_in(dir)?;
    println!("{}", finished.summary);
    if let Some(gap) = finished.summary.reference.regret {
        println!("mean gap to the optimum: {gap:.1}");
    }
    println!("{}", run.verify(dir)?);
    Ok(())
}
