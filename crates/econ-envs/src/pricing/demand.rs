//! Nested logit demand: what sells at which prices, and what it earns.

use sim_core::math;

/// The demand of one market, with everything folded that does not depend on prices.
///
/// With real prices `x = price / alpha` and `s = 1 - sigma`:
/// `D_g` is the sum of `exp((a_i - x_i) / (mu s))` over category g, the outside option weighs
/// `W0`, and `q_i = M exp((a_i - x_i) / (mu s)) / D_g * D_g^s / (W0 + sum_h D_h^s)`;
/// product i earns `(x_i - c_i) q_i`.
///
/// # Source
/// Section 3.3.3 of the paper with the outside weight of the authors' program
/// ([`super::config::OutsideLaw`]).
#[derive(Debug, Clone)]
pub struct Demand {
    /// Scale of tastes.
    pub(crate) mu: f64,
    /// 1 - sigma.
    pub(crate) within: f64,
    pub(crate) ln_outside: f64,
    pub(crate) market_size: f64,
    pub(crate) quality: Vec<f64>,
    pub(crate) costs: Vec<f64>,
    /// Category of each product, counted from 0 without gaps.
    pub(crate) category: Vec<usize>,
    pub(crate) categories: usize,
    /// 1 / (mu (1 - sigma)).
    scale: f64,
}

impl Demand {
    /// A market with one entry a product in each slice; categories may be any labels.
    #[must_use]
    pub fn new(
        mu: f64,
        sigma: f64,
        ln_outside: f64,
        market_size: f64,
        quality: &[f64],
        costs: &[f64],
        categories: &[u16],
    ) -> Self {
        let mut labels: Vec<u16> = categories.to_vec();
        labels.sort_unstable();
        labels.dedup();
        let category = categories
            .iter()
            .map(|label| labels.binary_search(label).unwrap_or(0))
            .collect();
        let within = 1.0 - sigma;
        Self {
            mu,
            within,
            ln_outside,
            market_size,
            quality: quality.to_vec(),
            costs: costs.to_vec(),
            category,
            categories: labels.len(),
            scale: 1.0 / (mu * within),
        }
    }

    /// Number of products.
    #[must_use]
    pub fn size(&self) -> usize {
        self.costs.len()
    }

    /// Unit cost of each product \[$ at sensitivity 1\].
    #[must_use]
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// Quantities and profits at `prices` while sensitivities are `alpha`.
    #[must_use]
    pub fn sales(&self, alpha: &[f64], prices: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut quantities = vec![0.0; self.size()];
        let mut profits = vec![0.0; self.size()];
        self.sales_into(alpha, prices, &mut quantities, &mut profits);
        (quantities, profits)
    }

    /// The same into buffers of the caller; nothing is allocated up to 16 categories.
    ///
    /// All exponents are taken relative to the largest one, so that no finite prices overflow; a
    /// category whose whole weight vanishes beside the best one sells nothing.
    ///
    /// # Shape
    /// All four slices hold one entry a product.
    pub fn sales_into(
        &self,
        alpha: &[f64],
        prices: &[f64],
        quantities: &mut [f64],
        profits: &mut [f64],
    ) {
        let mut few = [0.0_f64; FEW];
        let mut many = Vec::new();
        let sums = scratch(&mut few, &mut many, self.categories);
        // Until the end `profits` holds the real prices.
        let mut top = f64::NEG_INFINITY;
        let set = prices.iter().zip(alpha).zip(&self.quality);
        for ((slot, real), ((price, sensitivity), a)) in
            quantities.iter_mut().zip(profits.iter_mut()).zip(set)
        {
            *real = price / sensitivity;
            let exponent = (a - *real) * self.scale;
            *slot = exponent;
            top = top.max(exponent);
        }
        for (slot, &category) in quantities.iter_mut().zip(&self.category) {
            *slot = math::exp(*slot - top);
            if let Some(sum) = sums.get_mut(category) {
                *sum += *slot;
            }
        }
        let mut total = math::exp(self.ln_outside - self.within * top);
        for sum in sums.iter_mut() {
            let inclusive = power(*sum, self.within);
            total += inclusive;
            // From here on: what one unit of weight in this category sells, before the total.
            *sum = if *sum > 0.0 { inclusive / *sum } else { 0.0 };
        }
        let each = self.market_size / total;
        for sum in sums.iter_mut() {
            *sum *= each;
        }
        let rows = self.category.iter().zip(&self.costs);
        for ((slot, profit), (&category, cost)) in
            quantities.iter_mut().zip(profits.iter_mut()).zip(rows)
        {
            *slot *= sums.get(category).copied().unwrap_or(0.0);
            *profit = (*profit - cost) * *slot;
        }
    }
}

/// Categories up to which sums live on the stack.
pub(crate) const FEW: usize = 16;

/// `len` zeros, from the stack where they fit.
pub(crate) fn scratch<'a>(
    few: &'a mut [f64; FEW],
    many: &'a mut Vec<f64>,
    len: usize,
) -> &'a mut [f64] {
    match few.get_mut(..len) {
        Some(slots) => slots,
        None => {
            many.resize(len, 0.0);
            many
        }
    }
}

/// `base` to the power `exponent` in (0, 1]: a root or nothing where that does it.
#[inline]
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent.to_bits() == 0.5_f64.to_bits() {
        base.sqrt()
    } else if exponent.to_bits() == 1.0_f64.to_bits() {
        base
    } else if base > 0.0 {
        math::exp(exponent * math::ln(base))
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One product, sigma 0, mu 1, outside weight 1: the plain logit share at x = a is one half.
    #[test]
    fn plain_logit_by_hand() {
        let demand = Demand::new(1.0, 0.0, 0.0, 100.0, &[2.0], &[1.0], &[1]);
        let (quantities, profits) = demand.sales(&[3.0], &[6.0]);
        assert!((quantities[0] - 50.0).abs() < 1e-12);
        assert!((profits[0] - 50.0).abs() < 1e-12);
    }

    #[test]
    fn no_finite_price_breaks_it() {
        let demand = Demand::new(
            1.0,
            0.5,
            0.3,
            100.0,
            &[2.0, 2.5, 2.2],
            &[1.0, 1.5, 1.2],
            &[1, 1, 2],
        );
        for price in [0.0, 1e3, 1e9, -1e3] {
            for other in [0.0, 1e6, 7.0] {
                let (q, p) = demand.sales(&[1.0, 2.0, 3.0], &[price, other, price]);
                assert!(
                    q.iter().chain(&p).all(|v| v.is_finite()),
                    "{price} {other}: {q:?} {p:?}"
                );
                assert!(q.iter().sum::<f64>() <= 100.0 + 1e-9);
            }
        }
    }
}
