//! The pictures of a run: the prices of the sellers between those of a cartel and of competitors, and
//! what each seller earned.

use super::env::Collusion;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole};

/// The pictures of a run so far. The profits of a seller sum to its metric.
pub(super) fn plots(env: &Collusion) -> Vec<Plot> {
    let instance = env.instance();
    let end = f64::from(instance.config.periods.max(1));
    let level =
        |role, name: &str, real: f64| Series::level(role, name, real * instance.alpha, 1.0, end);
    let axis = || Axis::new("attempt", "");
    let mut prices = Plot::lines(
        "prices",
        "Prices of the sellers",
        axis(),
        Axis::new("price", "$"),
    );
    let title = "Profit of each seller by period";
    let mut profits = Plot::lines("profits", title, axis(), Axis::new("profit", "$"));
    for (seller, seat) in env.seats().iter().enumerate() {
        let record = env.record(seller);
        let periods = || (1_u32..).map(f64::from);
        let set = periods()
            .zip(&record)
            .filter_map(|(period, past)| Some((period, past.price?)));
        prices = prices.with(Series::own(seat.name(), set));
        let earned = periods()
            .zip(&record)
            .map(|(period, past)| (period, past.profit));
        profits = profits.with(Series::own(seat.name(), earned));
    }
    if env.state().prices.is_empty() {
        return vec![prices, profits];
    }
    prices = prices.with(level(SeriesRole::Optimum, "cartel", instance.monopoly()));
    if instance.config.sellers > 1 {
        let nash = level(SeriesRole::Baseline, "competitors", instance.nash());
        prices = prices.with(nash);
    }
    vec![prices, profits]
}
