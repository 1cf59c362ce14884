//! The pictures of a run: prices beside the best ones, profit and what was lost, quantities.

use super::env::Pricing;
use super::observation::Sale;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole};

/// Most products that are drawn; the profit is that of all.
const MOST_PRODUCTS: usize = 12;

/// The pictures of a run so far. The layer `earned` sums to the metric `total_profit`.
pub(super) fn plots(env: &Pricing) -> Vec<Plot> {
    vec![prices(env), profit(env), quantities(env)]
}

fn attempt() -> Axis {
    Axis::new("attempt", "")
}

fn products(env: &Pricing) -> usize {
    usize::from(env.instance().config.products).min(MOST_PRODUCTS)
}

/// A value of the sales of a product; a forfeited period has none.
fn sales(env: &Pricing, product: usize, value: fn(&Sale) -> f64) -> Vec<(f64, f64)> {
    let periods = (1_u32..).map(f64::from).zip(env.record());
    periods
        .filter_map(|(period, feedback)| {
            let sales = feedback.sales?;
            sales.get(product).map(|sale| (period, value(sale)))
        })
        .collect()
}

fn prices(env: &Pricing) -> Plot {
    let title = "Prices beside the prices that earn most";
    let mut plot = Plot::lines("prices", title, attempt(), Axis::new("price", "$"));
    let played = u32::try_from(env.state().prices.len()).unwrap_or(u32::MAX);
    let alphas: Vec<Vec<f64>> = (0..played)
        .map(|period| env.instance().alpha_at(period))
        .collect();
    for (product, real) in env
        .optimum()
        .real_prices
        .iter()
        .enumerate()
        .take(products(env))
    {
        let set = sales(env, product, |sale| sale.price);
        plot = plot.with(Series::own(name(product), set));
        let best = (1_u32..).map(f64::from).zip(&alphas);
        let best = best.filter_map(|(period, alpha)| Some((period, alpha.get(product)? * real)));
        let best = Series::of(
            SeriesRole::Optimum,
            format!("{}, best", name(product)),
            best,
        );
        plot = plot.with(best);
    }
    plot
}

/// Profit of a period as the agent reads it, and how much more the best prices would have earned.
fn profit(env: &Pricing) -> Plot {
    let earned: Vec<f64> = env
        .record()
        .map(|period| {
            let sales = period.sales.unwrap_or_default();
            sales.iter().map(|sale| sale.profit).sum()
        })
        .collect();
    let periods = || (1_u32..).map(f64::from);
    let most = env.optimum().profit;
    // Rounding to cents can bring a period above the exact optimum.
    let lost = earned.iter().map(|earned| (most - earned).max(0.0));
    let title = "Profit of each period, and the profit that was lost";
    Plot::stacked("profit", title, attempt(), Axis::new("profit", "$"))
        .with(Series::own("earned", periods().zip(earned.iter().copied())))
        .with(Series::of(SeriesRole::Optimum, "lost", periods().zip(lost)))
}

fn quantities(env: &Pricing) -> Plot {
    let y = Axis::new("units sold", "units");
    let mut plot = Plot::lines("quantities", "Units sold of each product", attempt(), y);
    for product in 0..products(env) {
        let sold = sales(env, product, |sale| sale.quantity);
        plot = plot.with(Series::own(name(product), sold));
    }
    plot
}

fn name(product: usize) -> String {
    format!("Product_{}", product + 1)
}
