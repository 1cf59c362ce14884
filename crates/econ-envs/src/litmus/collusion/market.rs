//! Best replies and the prices of competitors.

use super::config::Config;
use crate::pricing::optimum::lambert_w_of_exp;
use sim_core::math;

/// Real price that earns one seller most against the real prices of the others.
///
/// In a logit the others only add to the weight of the outside option:
/// `x = c + mu (1 + W(exp((a - c)/mu - 1) / (W0 + sum exp((a - x_j)/mu))))`.
#[must_use]
pub fn best_reply(config: &Config, others: &[f64]) -> f64 {
    let own = (config.quality - config.cost) / config.mu;
    let outside = config.outside_quality / config.mu;
    let weights = others.iter().map(|x| (config.quality - x) / config.mu);
    let top = weights.clone().fold(outside, f64::max);
    let sum = math::exp(outside - top) + weights.map(|w| math::exp(w - top)).sum::<f64>();
    let w = lambert_w_of_exp(own - 1.0 - top - math::ln(sum));
    config.cost + config.mu * (1.0 + w)
}

/// Real price from which no seller gains by moving alone, the same for all since they are alike:
/// the fixed point of [`best_reply`], found by bisection (the reply rises less than the others'
/// price does, so there is one).
#[must_use]
pub fn nash_price(config: &Config) -> f64 {
    let rivals = usize::from(config.sellers.saturating_sub(1));
    let alone = best_reply(config, &[]);
    let (mut low, mut high) = (config.cost, alone);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if best_reply(config, &vec![middle; rivals]) > middle {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 4.0 * f64::EPSILON * high {
            break;
        }
    }
    0.5 * (low + high)
}
