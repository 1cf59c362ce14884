//! Speed of this machine, measured by a chain of multiplications, which no program can speed up.
//!
//! Prints a line `figure: NAME = VALUE ns`, the minimum of several runs.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use std::hint::black_box;
use std::time::Instant;

/// Number of multiplications of a run, each of which waits for the previous one.
const CHAIN: u32 = 20_000_000;
const RUNS: u32 = 15;

fn main() {
    let mut least = f64::INFINITY;
    for run in 0..RUNS {
        let mut x = black_box(u64::from(run) * 2 + 3);
        let began = Instant::now();
        for _ in 0..CHAIN {
            // Multiplied by itself: the compiler would evaluate a chain of constants.
            x = x.wrapping_mul(x);
        }
        black_box(x);
        least = least.min(began.elapsed().as_secs_f64() * 1e9 / f64::from(CHAIN));
    }
    println!("figure: yardstick/multiply = {least:.3} ns");
}
