//! A check that an oracle that plays the reference's plan reaches the reference.

use super::play::play_with;
use crate::dyn_spec::DynEnvironmentSpec;
use crate::score::{Effort, Reference};
use crate::seed::Seed;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};

/// Relative difference that rounding may leave between two computations of the same value.
const ROUNDING: f64 = 1e-9;

/// Plays the oracle `policy` on `count` instances that are drawn from `config`, and checks that none
/// of its scores is worse than the optimum of the reference of the same `effort`. Returns the number
/// of instances whose reference has an optimum.
///
/// A proven optimum may be missed by as much as its bound lies beyond it: that is what the rounding
/// of prices and payments in a game can leave.
///
/// # Errors
/// Names the instance, the score and the reference; or says what cannot be drawn or played.
pub fn check_optimal(
    spec: &dyn DynEnvironmentSpec,
    config: &Value,
    policy: &str,
    count: u64,
    effort: Effort,
) -> Result<u64, String> {
    let (next, known) = (AtomicU64::new(0), AtomicU64::new(0));
    let one = |index: u64| -> Result<(), String> {
        let instance = spec
            .draw(config, Seed(4_711), index)
            .map_err(|e| e.to_string())?;
        let reference = instance.reference(effort);
        let Some(optimum) = reference.optimum else {
            return Ok(());
        };
        known.fetch_add(1, Ordering::Relaxed);
        let make = |seat: &crate::environment::Seat| {
            let seed = Seed(11).child(seat.name(), 0);
            let made = instance.policy_with(policy, seat, seed, effort);
            made.map_err(|e| e.to_string())
        };
        let record = play_with(spec, &*instance, policy, make)?;
        let score = record.score.value();
        if spec.sense().regret(score, optimum) <= slack(&reference, optimum) {
            return Ok(());
        }
        Err(format!(
            "`{}` instance {index} ({effort:?}): `{policy}` scores {score}, the reference is {optimum} \
             ({:?})",
            spec.name(),
            reference.status
        ))
    };
    let work = || -> Result<(), String> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            one(index)?;
        }
    };
    // Threads take the next number when they are free: searches take very different times, and of
    // equal parts one would be the last for long.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(_) => Err("a game panicked".to_owned()),
        })
    })?;
    Ok(known.into_inner())
}

/// How much worse than `optimum` a score may be.
fn slack(reference: &Reference, optimum: f64) -> f64 {
    let beyond = reference
        .bound
        .filter(|_| reference.status == crate::score::Status::Proven);
    let beyond = beyond.map_or(0.0, |bound| (bound - optimum).abs());
    beyond.max(ROUNDING * optimum.abs().max(1.0))
}
