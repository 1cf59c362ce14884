//! Measures how often a 95 % interval holds the true mean, on values drawn from known distributions.
//!
//! ```sh
//! cargo run --release -p sim-core --example interval_coverage -- 2000
//! ```
//!
//! The argument is the number of intervals for each cell (default 200).
#![allow(clippy::print_stdout, reason = "an example prints")]

use sim_core::seed::Stream;
use sim_core::stats::mean_interval;
use sim_core::{Seed, math};

/// A named distribution: one draw, and its mean.
type Case = (&'static str, fn(&mut Stream) -> f64, f64);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: u64 = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 200,
    };
    let cases: [Case; 4] = [
        ("normal", Stream::normal, 0.0),
        ("exponential", Stream::exponential, 1.0),
        (
            "log-normal 0.7",
            |s| math::exp(0.7 * s.normal()),
            math::exp(0.245),
        ),
        (
            "difference of exponentials",
            |s| s.exponential() - s.exponential(),
            0.0,
        ),
    ];
    let sizes = [8, 10, 30, 100];
    println!(
        "{:<28}{}",
        "share of intervals, %, for n =",
        sizes.map(|n| format!("{n:>8}")).concat()
    );
    for (name, draw, truth) in cases {
        let row = sizes.map(|n| {
            let held = (0..rounds)
                .filter(|&round| {
                    let mut stream = Seed(1).stream(name, round);
                    let values: Vec<f64> = (0..n).map(|_| draw(&mut stream)).collect();
                    mean_interval(&values, 0.95, Seed(round))
                        .is_some_and(|interval| interval.contains(truth))
                })
                .count();
            format!("{:>8.1}", 100.0 * held as f64 / rounds as f64)
        });
        println!("{name:<30}{}", row.concat());
    }
    Ok(())
}
