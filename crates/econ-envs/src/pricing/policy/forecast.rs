//! Forecasts of each product's price sensitivity.
//!
//! Three laws are compared: constant, linear, and a sine with a common length. Each
//! product has coefficients of its own. The Bayesian information criterion chooses among
//! them: more coefficients must pay for themselves by a better fit.

// For a given season length the three laws are linear in their coefficients, so each is a weighted
// least squares fit. The sine is not linear in the season length, so every candidate length has a
// fit of its own: a nonlinear search could end in a local minimum.

use super::fit::Fit;
use sim_core::math;

/// One estimate of a product's sensitivity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    pub(super) period: u32,
    pub(super) alpha: f64,
    /// One over its variance.
    pub(super) weight: f64,
}

/// Shortest season tried, number of seasons, and the step between them \[periods\].
// From 4 to 31, wider than any season that is drawn (10 to 20): the policy does not know that
// range.
const SEASONS: (f64, u32, f64) = (4.0, 109, 0.25);
/// Estimates per product before a season is considered: three coefficients and a length fit four
/// points exactly, whatever they are.
const ENOUGH_FOR_SEASON: usize = 6;

/// The law by which all sensitivities change, with the coefficients of each product.
#[derive(Debug, Clone)]
pub(super) enum Law {
    Constant(Vec<[f64; 1]>),
    Linear(Vec<[f64; 2]>),
    Periodic(f64, Vec<[f64; 3]>),
}

/// All laws under consideration: for each law one weighted least squares fit per product.
#[derive(Debug, Clone)]
pub(super) struct Forecast {
    estimates: Vec<usize>,
    constant: Vec<Fit<1>>,
    linear: Vec<Fit<2>>,
    seasons: Vec<(f64, Vec<Fit<3>>)>,
}

impl Forecast {
    pub(super) fn new(products: usize) -> Self {
        let (first, many, step) = SEASONS;
        Self {
            estimates: vec![0; products],
            constant: vec![Fit::new(); products],
            linear: vec![Fit::new(); products],
            seasons: (0..many)
                .map(|i| (first + step * f64::from(i), vec![Fit::new(); products]))
                .collect(),
        }
    }

    /// Adds one estimate of `product`.
    pub(super) fn add(&mut self, product: usize, estimate: Estimate) {
        let Estimate {
            period,
            alpha,
            weight,
        } = estimate;
        let at = f64::from(period);
        if let Some(count) = self.estimates.get_mut(product) {
            *count += 1;
        }
        if let Some(fit) = self.constant.get_mut(product) {
            fit.add([1.0], alpha, weight);
        }
        if let Some(fit) = self.linear.get_mut(product) {
            fit.add([1.0, at], alpha, weight);
        }
        for (length, fits) in &mut self.seasons {
            if let Some(fit) = fits.get_mut(product) {
                fit.add(waves(*length, at), alpha, weight);
            }
        }
    }

    /// The constant, linear or periodic law with the smallest Bayesian information criterion.
    /// `None` without any estimate of some product.
    // All products are judged together, because they share the kind of law and the length
    // of the season; that makes the choice far more certain than one product alone could.
    pub(super) fn best(&self) -> Option<Law> {
        let count: usize = self.estimates.iter().sum();
        #[expect(clippy::cast_precision_loss, reason = "counts of periods and products")]
        let (count, n) = (count as f64, self.estimates.len() as f64);
        // Weights are inverse variances, so a residual of one per point is what rounding alone
        // explains. Smaller residuals are not evidence for a law, hence the floor.
        let criterion = |squares: f64, unknowns: f64| {
            count * math::ln((squares / count).max(1.0)) + unknowns * math::ln(count.max(2.0))
        };
        let (constant, squares) = solve_all(&self.constant)?;
        let mut best = (criterion(squares, n), Law::Constant(constant));
        if let Some((linear, squares)) = solve_all(&self.linear) {
            let value = criterion(squares, 2.0 * n);
            if value < best.0 {
                best = (value, Law::Linear(linear));
            }
        }
        // The season length counts as one more unknown (+ 1.0): it is chosen from the data too.
        if self.estimates.iter().all(|&many| many >= ENOUGH_FOR_SEASON) {
            for (length, fits) in &self.seasons {
                if let Some((periodic, squares)) = solve_all(fits) {
                    let value = criterion(squares, 3.0 * n + 1.0);
                    if value < best.0 {
                        best = (value, Law::Periodic(*length, periodic));
                    }
                }
            }
        }
        Some(best.1)
    }
}

impl Law {
    /// The sensitivity of every product in `period`.
    pub(super) fn at(&self, period: u32) -> Vec<f64> {
        let at = f64::from(period);
        match self {
            Self::Constant(products) => products.iter().map(|[a]| *a).collect(),
            Self::Linear(products) => products.iter().map(|[a, b]| a + b * at).collect(),
            Self::Periodic(length, products) => {
                let [_, sine, cosine] = waves(*length, at);
                products
                    .iter()
                    .map(|[a, b, c]| a + b * sine + c * cosine)
                    .collect()
            }
        }
    }
}

fn waves(length: f64, at: f64) -> [f64; 3] {
    let angle = std::f64::consts::TAU * at / length;
    [1.0, math::sin(angle), math::cos(angle)]
}

/// Coefficients of every product and the residuals of all; `None` when one is not determined.
fn solve_all<const K: usize>(fits: &[Fit<K>]) -> Option<(Vec<[f64; K]>, f64)> {
    let mut squares = 0.0;
    let mut all = Vec::with_capacity(fits.len());
    for fit in fits {
        let (coefficients, residual) = fit.solve()?;
        squares += residual;
        all.push(coefficients);
    }
    Some((all, squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(law: impl Fn(f64) -> f64, many: u32) -> Forecast {
        let mut forecast = Forecast::new(2);
        for period in 0..many {
            for product in 0..2 {
                let alpha = law(f64::from(period));
                forecast.add(
                    product,
                    Estimate {
                        period,
                        alpha,
                        weight: 1e6,
                    },
                );
            }
        }
        forecast
    }

    #[test]
    fn each_law_is_recognised_and_continued() {
        let season = |at: f64| 5.0 + 2.0 * (std::f64::consts::TAU * at / 13.0).sin();
        let cases: [(&dyn Fn(f64) -> f64, u32); 3] =
            [(&|_| 3.0, 10), (&|at| 3.0 - 0.01 * at, 10), (&season, 16)];
        for (law, many) in cases {
            let best = forecast(law, many).best().unwrap();
            for period in [many, many + 7] {
                for alpha in best.at(period) {
                    assert!((alpha - law(f64::from(period))).abs() < 1e-6);
                }
            }
        }
        assert!(Forecast::new(1).best().is_none());
    }
}
