//! The best prices in closed form.
//!
//! ```
//! use econ_envs::pricing::Config;
//! use econ_envs::pricing::demand::MarketDemand;
//! use econ_envs::pricing::optimum::optimum;
//!
//! let c = Config::hard();
//! let (quality, costs, categories) = ([2.2, 2.9, 2.5], [1.1, 1.9, 1.4], [1, 1, 2]);
//! let demand = MarketDemand::new(c.mu, c.sigma, c.ln_outside(), 100.0, &quality, &costs, &categories)?;
//! let best = optimum(&demand);
//! // All products have the same margin, and it is mu over the share of the outside option.
//! for (price, cost) in best.real_prices.iter().zip(&costs) {
//!     assert!((price - cost - best.markup).abs() < 1e-12);
//! }
//! assert!((best.markup - c.mu / best.outside_share).abs() < 1e-9);
//! // A price one per cent off earns less.
//! let ones = [1.0; 3];
//! let earned = |factor: f64| -> Result<f64, sim_core::ShapeError> {
//!     let prices: Vec<f64> = best.real_prices.iter().map(|x| x * factor).collect();
//!     Ok(demand.sales(&ones, &prices)?.1.iter().sum())
//! };
//! assert!((earned(1.0)? - best.profit).abs() < 1e-9);
//! assert!(earned(1.01)? < best.profit && earned(0.99)? < best.profit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The profit of one period is `M sum_i (x_i - c_i) s_i`, with `s_i` the nested logit shares. Setting
// its derivative with respect to every real price `x_i` to zero shows that all margins `x_i - c_i`
// are equal (Gallego and Wang 2014). With the common margin `m` the share of the outside option is
// `s_0 = W0 / (W0 + K exp(-m / mu))`, and the first-order condition becomes `m s_0 = mu`. Writing
// `m = mu (1 + w)` gives `w exp(w) = K / (e W0)`, so `w` is Lambert's W and the profit is `M mu w`.

use super::demand::{FEW, MarketDemand, power, scratch};
use sim_core::math;

/// The best real prices of a market and what they earn.
///
/// In real prices the sensitivities cancel, so the best real prices and the profit are the same in
/// every period; the price to charge is `alpha * real price`.
///
/// `profit` is that of exact prices; the recorded one differs by the rounding to cents.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// Profit per unit sold \[$ at sensitivity 1\], the same for all products.
    pub markup: f64,
    /// Best real price of each product: cost plus markup.
    pub real_prices: Vec<f64>,
    /// Profit a period \[$\].
    pub profit: f64,
    /// Share of buyers who buy nothing.
    pub outside_share: f64,
}

/// The best prices of `demand`.
///
/// The first-order conditions give one markup `m = mu (1 + w)` for all products of all categories
/// with `w = W(K / (e W0))`, `K` the sum over categories of `(sum exp((a - c)/(mu s)))^s`, W
/// Lambert's function, and a profit of `M mu w`.
///
/// # Source
/// Gallego and Wang, Operations Research 62(2), 2014, for the equal markup; the closed form is our
/// own, compared in the tests with the optima of the authors' numeric search.
///
/// # Complexity
/// One exponential per product and a few steps of Halley's iteration.
#[must_use]
pub fn optimum(demand: &MarketDemand) -> Optimum {
    // One allocation serves for both: the vector holds exponents and weights first, then the prices.
    let mut real_prices: Vec<f64> = Vec::with_capacity(demand.size());
    let ln_argument = ln_inclusive(demand, &mut real_prices) - 1.0 - demand.ln_outside;
    let w = lambert_w_of_exp(ln_argument);
    let markup = demand.mu * (1.0 + w);
    for (price, cost) in real_prices.iter_mut().zip(&demand.costs) {
        *price = cost + markup;
    }
    Optimum {
        markup,
        real_prices,
        profit: demand.market_size * demand.mu * w,
        outside_share: 1.0 / (1.0 + w),
    }
}

/// `ln K`: the logarithm of the sum over categories of `(sum of exp((a - c)/(mu s)))^s`. Leaves one
/// weight per product in `exponents`. As in [`MarketDemand`], exponents are relative to the largest one,
/// so that no quality overflows.
fn ln_inclusive(demand: &MarketDemand, exponents: &mut Vec<f64>) -> f64 {
    let margins = demand.quality.iter().zip(&demand.costs);
    let at_cost = margins.map(|(a, c)| (a - c) * demand.scale);
    exponents.extend(at_cost.clone());
    let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut few = [0.0_f64; FEW];
    let mut many = Vec::new();
    let sums = scratch(&mut few, &mut many, demand.categories);
    let factors = demand.weigh(exponents, top, sums, at_cost);
    let sum: f64 = sums
        .iter()
        .zip(factors)
        .map(|(&sum, factor)| factor * power(sum, demand.within))
        .sum();
    demand.within * top + math::ln(sum)
}

/// Lambert's W of `exp(l)`: the `w > 0` with `w + ln w = l`, to the last digits and without
/// overflow for any finite `l`.
///
/// Halley's iteration, from `l - ln l` for large arguments and from Winitzki's approximation for
/// the others, which is within a few per cent.
///
/// ```
/// use econ_envs::pricing::optimum::lambert_w_of_exp;
///
/// // W(e) = 1, and w + ln w = l holds far beyond the range in which exp(l) is finite.
/// assert!((lambert_w_of_exp(1.0) - 1.0).abs() < 1e-12);
/// let w = lambert_w_of_exp(5_000.0);
/// assert!((w + w.ln() - 5_000.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn lambert_w_of_exp(l: f64) -> f64 {
    if l < -700.0 {
        // w is below 1e-304 here, so w + ln w = l means ln w = l to the last digit.
        return math::exp(l);
    }
    let mut w = if l > 20.0 {
        // `exp(l)` is finite up to 709 only; from 20 on the logarithm alone is a good enough start.
        l - math::ln(l)
    } else {
        let z = math::exp(l);
        if z < 1e-5 {
            // The series to third order is exact to the last digits here.
            return z * (1.0 - z * (1.0 - 1.5 * z));
        }
        let log = math::ln_1p(z);
        log * (1.0 - math::ln_1p(log) / (2.0 + log))
    };
    for _ in 0..6 {
        // Halley's step for f = w + ln w - l, with f' = (1 + w) / w and f'' = -1 / w^2. The equation
        // w e^w = e^l has the same root and would overflow.
        let f = w + math::ln(w) - l;
        let next = 1.0 + w;
        let step = f * w * next / (next * next + 0.5 * f);
        w -= step;
        // The error shrinks to about its third power, so the next step would change nothing.
        if step.abs() <= 1e-6 * w {
            break;
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambert_w_solves_its_equation() {
        for i in -6000..6000 {
            let l = f64::from(i) * 0.1;
            let w = lambert_w_of_exp(l);
            let error = w + math::ln(w) - l;
            assert!(
                error.abs() <= 4e-16 * l.abs().max(2.0) + 2e-16 / w.min(1.0) * w,
                "{l}: {error}"
            );
        }
        // The omega constant: W(1).
        assert!((lambert_w_of_exp(0.0) - 0.567_143_290_409_783_8).abs() < 1e-15);
        assert_eq!(lambert_w_of_exp(-800.0), 0.0);
        assert!((lambert_w_of_exp(1e300) - 1e300).abs() < 1e290);
    }

    /// Nothing near the closed form earns more.
    #[test]
    fn no_neighbour_is_better() {
        let demand = MarketDemand::new(
            0.7,
            0.3,
            0.2,
            100.0,
            &[2.0, 2.5, 2.9],
            &[1.0, 1.5, 1.2],
            &[1, 1, 2],
        )
        .unwrap();
        let best = optimum(&demand);
        let earned = |x: &[f64]| demand.sales(&[1.0; 3], x).unwrap().1.iter().sum::<f64>();
        assert!((earned(&best.real_prices) - best.profit).abs() < 1e-12);
        for i in 0..3 {
            for step in [-1e-2, -1e-4, 1e-4, 1e-2] {
                let mut x = best.real_prices.clone();
                x[i] += step;
                assert!(earned(&x) < best.profit);
            }
        }
    }
}
