//! Best replies and the Nash price.

use super::config::Config;
use crate::pricing::optimum::lambert_w_of_exp;
use sim_core::math;

/// The real price with the highest profit for one seller against the real prices of the others.
///
/// In a logit the others' products only add to the weight of the outside option, so the closed form of a
/// single seller ([`optimum`](crate::pricing::optimum)) applies:
/// `x = c + mu (1 + W(exp((a - c)/mu - 1) / (W0 + sum exp((a - x_j)/mu))))`.
#[must_use]
pub(super) fn best_reply(config: &Config, others: &[f64]) -> f64 {
    let own = (config.quality - config.cost) / config.mu;
    let outside = config.outside_quality / config.mu;
    let weights = others.iter().map(|x| (config.quality - x) / config.mu);
    // Relative to the largest weight, as in `MarketDemand`, so that no price overflows.
    let top = weights.clone().fold(outside, f64::max);
    let sum = math::exp(outside - top) + weights.map(|w| math::exp(w - top)).sum::<f64>();
    let w = lambert_w_of_exp(own - 1.0 - top - math::ln(sum));
    config.cost + config.mu * (1.0 + w)
}

/// The real price at which no seller gains by changing its price alone. It is the same for all sellers,
/// because they are identical.
///
/// It is the fixed point of [`best_reply`]. The reply rises with the others' price, but more slowly, so
/// there is exactly one fixed point and bisection finds it; it lies between cost and the reply of a seller
/// without rivals.
#[must_use]
pub(super) fn nash_price(config: &Config) -> f64 {
    let rivals = usize::from(config.sellers.saturating_sub(1));
    let alone = best_reply(config, &[]);
    let (mut low, mut high) = (config.cost, alone);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        // Below the fixed point a seller gains by asking more than the others, above it
        // by asking less.
        if best_reply(config, &vec![middle; rivals]) > middle {
            low = middle;
        } else {
            high = middle;
        }
        // Four units in the last place: `best_reply` itself is not more exact.
        if high - low <= 4.0 * f64::EPSILON * high {
            break;
        }
    }
    0.5 * (low + high)
}
