//! Nested logit demand: quantities and profits at given prices.
//!
//! ```
//! use econ_envs::pricing::Config;
//! use econ_envs::pricing::demand::MarketDemand;
//!
//! // One product of the preset: quality 2.5, cost 1.5.
//! let config = Config::basic();
//! let demand = MarketDemand::new(config.mu, config.sigma, config.ln_outside(), 100.0, &[2.5], &[1.5], &[1])?;
//! let (units, profits) = demand.sales(&[4.0], &[4.0 * 2.5])?;
//! // At a real price of 2.5 the product weighs exp(0) = 1 and the outside option the square root of 2.
//! let share = 1.0 / (1.0 + 2.0_f64.sqrt());
//! assert!((units[0] - 100.0 * share).abs() < 1e-9);
//! assert!((profits[0] - units[0] * (2.5 - 1.5)).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use sim_core::{ConfigError, ShapeError, math};

/// The demand of one market, with all terms precomputed that do not depend on prices.
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
pub struct MarketDemand {
    /// Scale of taste differences.
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
    pub(crate) scale: f64,
}

impl MarketDemand {
    /// A market with one entry per product in each slice; category labels are arbitrary numbers.
    ///
    /// `mu`, `sigma`, `ln_outside` (the logarithm of the weight of buying nothing) and `market_size`
    /// \[units / period\] are those of [`Config`](super::Config).
    ///
    /// # Errors
    /// When `costs` or `categories` differ in length from `quality`.
    ///
    /// Also when `mu` or `market_size` is not positive, `sigma` lies outside of 0 to
    /// below 1, there are no products, or a number is not finite.
    pub fn new(
        mu: f64,
        sigma: f64,
        ln_outside: f64,
        market_size: f64,
        quality: &[f64],
        costs: &[f64],
        categories: &[u16],
    ) -> Result<Self, ConfigError> {
        for (place, len) in [("costs", costs.len()), ("categories", categories.len())] {
            if len != quality.len() {
                return Err(ConfigError::new(
                    place,
                    format!(
                        "`{len}` entries; there must be {}, one for each product",
                        quality.len()
                    ),
                ));
            }
        }
        let numbers = [
            ("mu", mu > 0.0 && mu.is_finite(), mu),
            ("sigma", (0.0..1.0).contains(&sigma), sigma),
            ("ln_outside", ln_outside.is_finite(), ln_outside),
            (
                "market_size",
                market_size > 0.0 && market_size.is_finite(),
                market_size,
            ),
        ];
        if let Some((place, _, value)) = numbers.into_iter().find(|(_, fits, _)| !fits) {
            return Err(ConfigError::new(
                place,
                format!(
                    "`{value}` is out of range; `mu` and `market_size` must be positive, `sigma` from 0 to below 1"
                ),
            ));
        }
        if quality.is_empty() {
            return Err(ConfigError::new("quality", "there must be a product"));
        }
        for (place, list) in [("quality", quality), ("costs", costs)] {
            if let Some(at) = list.iter().position(|value| !value.is_finite()) {
                return Err(ConfigError::new(
                    format!("{place}.{at}"),
                    "must be a finite number",
                ));
            }
        }
        let mut labels: Vec<u16> = categories.to_vec();
        labels.sort_unstable();
        labels.dedup();
        let category = categories
            .iter()
            .map(|label| labels.binary_search(label).unwrap_or(0))
            .collect();
        let within = 1.0 - sigma;
        Ok(Self {
            mu,
            within,
            ln_outside,
            market_size,
            quality: quality.to_vec(),
            costs: costs.to_vec(),
            category,
            categories: labels.len(),
            scale: 1.0 / (mu * within),
        })
    }

    /// A plain logit (sigma 0) of `products` products with the same quality and cost.
    pub(crate) fn identical(
        products: usize,
        mu: f64,
        ln_outside: f64,
        market_size: f64,
        quality: f64,
        cost: f64,
    ) -> Self {
        Self {
            mu,
            within: 1.0,
            ln_outside,
            market_size,
            quality: vec![quality; products],
            costs: vec![cost; products],
            category: vec![0; products],
            categories: products.min(1),
            scale: 1.0 / mu,
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

    /// Quantities \[units\] and profits \[$\] at `prices` \[$\] with price sensitivities `alpha`.
    ///
    /// # Errors
    /// When `alpha` or `prices` do not hold one entry per product.
    ///
    /// All slices have one entry per product, in the order of [`MarketDemand::new`].
    pub fn sales(&self, alpha: &[f64], prices: &[f64]) -> Result<(Vec<f64>, Vec<f64>), ShapeError> {
        let mut quantities = vec![0.0; self.size()];
        let mut profits = vec![0.0; self.size()];
        self.sales_into(alpha, prices, &mut quantities, &mut profits)?;
        Ok((quantities, profits))
    }

    /// [`sales`](Self::sales) into buffers of the caller; does not allocate up to 16 categories, unless the
    /// weights of one all but vanish next to the best one.
    ///
    /// # Errors
    /// When a slice does not hold one entry per product; the buffers are unchanged then.
    ///
    /// A sensitivity of 0 gives quantities that are not numbers;
    /// [`Instance::check`](super::Instance::check) keeps sensitivities above 0.
    pub fn sales_into(
        &self,
        alpha: &[f64],
        prices: &[f64],
        quantities: &mut [f64],
        profits: &mut [f64],
    ) -> Result<(), ShapeError> {
        let n = self.size();
        ShapeError::check("alpha", alpha.len(), n)?;
        ShapeError::check("prices", prices.len(), n)?;
        ShapeError::check("quantities", quantities.len(), n)?;
        ShapeError::check("profits", profits.len(), n)?;
        self.fill(alpha, prices, quantities, profits);
        Ok(())
    }

    /// Turns exponents into weights relative to the largest one, `top`, and adds them up by category. Gives what
    /// the power `within` of each sum must be multiplied by; `exact` are the exponents once more, which categories
    /// far below the best one need.
    pub(crate) fn weigh<I: Iterator<Item = f64> + Clone>(
        &self,
        exponents: &mut [f64],
        top: f64,
        sums: &mut [f64],
        exact: I,
    ) -> impl Iterator<Item = f64> + use<I> {
        for exponent in exponents.iter_mut() {
            *exponent -= top;
        }
        math::exp_all(exponents);
        for (weight, &category) in exponents.iter().zip(&self.category) {
            if let Some(sum) = sums.get_mut(category) {
                *sum += *weight;
            }
        }
        let factors = if sums.iter().any(|sum| *sum < FAR_BELOW) {
            let products = self.category.iter().copied().zip(exact);
            rescale(products, exponents.iter_mut(), sums, self.within, top)
        } else {
            Vec::new()
        };
        factors.into_iter().chain(std::iter::repeat(1.0))
    }

    /// [`sales_into`](Self::sales_into) for slices of the right length.
    pub(crate) fn fill(
        &self,
        alpha: &[f64],
        prices: &[f64],
        quantities: &mut [f64],
        profits: &mut [f64],
    ) {
        // Exponents are taken relative to the largest one. Multiplying every weight by
        // exp(-top) leaves all shares unchanged, and no exponent is positive, so no weight
        // overflows. `rescale` sees to the categories whose weights all but vanish next to it.
        let mut few = [0.0_f64; FEW];
        let mut many = Vec::new();
        let sums = scratch(&mut few, &mut many, self.categories);
        // `quantities` and `profits` serve as working memory: they hold the exponents and the real
        // prices until the last loop, so that no allocation is needed.
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
        let mut total = math::exp(self.ln_outside - self.within * top);
        let real = self.quality.iter().zip(profits.iter());
        let exponents = real.map(|(a, real)| (a - real) * self.scale);
        let factors = self.weigh(quantities, top, sums, exponents);
        for (sum, factor) in sums.iter_mut().zip(factors) {
            let inclusive = factor * power(*sum, self.within);
            total += inclusive;
            // The slot now holds D_g^(s-1): the sales per unit of weight before division by the total.
            *sum = inclusive / *sum;
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

/// Sum of the weights of a category, relative to the largest weight of the market, below which
/// [`rescale`] is needed.
// Weights below 2.2e-308 lose digits, and below 5e-324 they are 0. Where sigma is near 1 such a category
// may still sell: with s = 0.01 the sum 1e-320 counts as 6e-4, and 1e-320^(s-1) is infinite. With the authors'
// s = 1/2 no category below this limit changes the last bit of a total of 1 or more.
pub(crate) const FAR_BELOW: f64 = 1e-200;

/// Takes the weights of categories below [`FAR_BELOW`] relative to the largest exponent of their own category in
/// place of `top`, that of the market. Gives what the power `s` of each category's sum must be multiplied by:
/// `exp(s (top_g - top))`, 1 where nothing changed.
///
/// `products` are the category and the exponent of each product.
#[cold]
pub(crate) fn rescale<'a>(
    products: impl Iterator<Item = (usize, f64)> + Clone,
    weights: impl Iterator<Item = &'a mut f64>,
    sums: &mut [f64],
    within: f64,
    top: f64,
) -> Vec<f64> {
    // Of prices of 1e306 and more an exponent may be minus infinity. The least number in its place sells as
    // little, and its distance from another one is a number.
    let finite =
        |(category, exponent): (usize, f64)| (category, exponent.clamp(f64::MIN, f64::MAX));
    let products = products.map(finite);
    let far = |sum: &f64| *sum < FAR_BELOW;
    let start = |sum: &f64| if far(sum) { f64::NEG_INFINITY } else { top };
    let mut tops: Vec<f64> = sums.iter().map(start).collect();
    for (category, exponent) in products.clone() {
        if let Some(own) = tops.get_mut(category) {
            *own = own.max(exponent);
        }
    }
    // The other categories are added up again too, from the same exponents in the same order, which
    // gives the same bits.
    sums.fill(0.0);
    for ((category, exponent), weight) in products.zip(weights) {
        if let (Some(own), Some(sum)) = (tops.get(category), sums.get_mut(category)) {
            *weight = math::exp(exponent - own);
            *sum += *weight;
        }
    }
    let factor = |own: f64| math::exp(within * (own - top));
    tops.into_iter().map(factor).collect()
}

/// Number of categories up to which sums are kept on the stack.
pub(crate) const FEW: usize = 16;

/// `len` zeros: from `few` when they fit, else from `many`.
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

/// `base` to the power `exponent` in (0, 1].
///
/// Exponents 1/2 (the authors' sigma) and 1 avoid the logarithm and the exponential, which cost more
/// than the rest of a category's sum.
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
        let demand = MarketDemand::new(1.0, 0.0, 0.0, 100.0, &[2.0], &[1.0], &[1]).unwrap();
        let (quantities, profits) = demand.sales(&[3.0], &[6.0]).unwrap();
        assert!((quantities[0] - 50.0).abs() < 1e-12);
        assert!((profits[0] - 50.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_without_a_meaning_are_refused() {
        let place = |mu, sigma, market_size, quality: &[f64], costs: &[f64]| {
            let categories = vec![1; quality.len()];
            MarketDemand::new(mu, sigma, 0.0, market_size, quality, costs, &categories)
                .unwrap_err()
                .place
        };
        assert_eq!(place(0.0, 0.5, 100.0, &[2.0], &[1.0]), "mu");
        assert_eq!(place(f64::NAN, 0.5, 100.0, &[2.0], &[1.0]), "mu");
        assert_eq!(place(1.0, 1.0, 100.0, &[2.0], &[1.0]), "sigma");
        assert_eq!(place(1.0, 0.5, -1.0, &[2.0], &[1.0]), "market_size");
        assert_eq!(place(1.0, 0.5, 100.0, &[], &[]), "quality");
        assert_eq!(place(1.0, 0.5, 100.0, &[2.0], &[f64::INFINITY]), "costs.0");
        assert_eq!(place(1.0, 0.5, 100.0, &[2.0], &[]), "costs");
    }

    /// A market with three products in two categories.
    fn three(sigma: f64) -> MarketDemand {
        let (quality, costs) = ([2.0, 2.5, 2.2], [1.0, 1.5, 1.2]);
        MarketDemand::new(1.0, sigma, 0.3, 100.0, &quality, &costs, &[1, 1, 2]).unwrap()
    }

    #[test]
    fn no_finite_price_breaks_it() {
        for sigma in [0.0, 0.5, 0.96, 0.99] {
            let demand = three(sigma);
            for price in [0.0, 9.0, 1e3, 1e9, 1e307, -1e3] {
                for other in [0.0, 1e6, 7.0, 21.0] {
                    let (q, p) = demand
                        .sales(&[1.0, 2.0, 3.0], &[price, other, price])
                        .unwrap();
                    assert!(
                        q.iter().chain(&p).all(|v| v.is_finite()),
                        "{sigma} {price} {other}: {q:?} {p:?}"
                    );
                    assert!(q.iter().sum::<f64>() <= 100.0 + 1e-9);
                }
            }
        }
    }

    /// The price of the second category, which is alone in it, moves its share smoothly through the limit below which
    /// its weight relative to the market is no ordinary number.
    #[test]
    fn categories_far_below_the_best_one_sell_their_share() {
        let (sigma, s) = (0.99, 1.0 - 0.99);
        let demand = three(sigma);
        for step in 0..400 {
            let x = 3.0 + f64::from(step) * 0.02;
            let (q, _) = demand.sales(&[1.0; 3], &[2.0, 2.5, x]).unwrap();
            // Both products of the first category have the exponent 0: their sum is 2, and D_2^s = exp(2.2 - x).
            let second = (2.2 - x).exp();
            let want = 100.0 * second / (0.3_f64.exp() + 2.0_f64.powf(s) + second);
            assert!((q[2] - want).abs() <= 1e-12 * want, "{x}: {} {want}", q[2]);
        }
    }

    #[test]
    fn slices_of_different_length_are_refused() {
        let new = |quality: &[f64], costs: &[f64], categories: &[u16]| {
            MarketDemand::new(1.0, 0.5, 0.0, 100.0, quality, costs, categories)
        };
        assert_eq!(new(&[1.0; 2], &[1.0], &[1; 2]).unwrap_err().place, "costs");
        let error = new(&[1.0; 2], &[1.0; 2], &[1; 3]).unwrap_err();
        assert_eq!(error.place, "categories");
        let demand = new(&[1.0; 2], &[1.0; 2], &[1; 2]).unwrap();
        assert_eq!(demand.sales(&[1.0], &[1.0; 2]).unwrap_err().buffer, "alpha");
        let mut short = [7.0];
        let error = demand.sales_into(&[1.0; 2], &[1.0; 2], &mut [0.0; 2], &mut short);
        assert_eq!((error.unwrap_err().buffer, short), ("profits", [7.0]));
    }
}
