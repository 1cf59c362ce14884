//! The pictures of a questionnaire: who would wait for which amount, and the rates that follow.

use super::config::DELAYS;
use super::env::Patience;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole};

/// The pictures of the answers so far. The rates are those of the score.
pub(super) fn plots(env: &Patience) -> Vec<Plot> {
    let answers = env.answers();
    let x = Axis::new("amount offered later, instead of $100 now", "$");
    let title = "Share of answers that wait, by amount and delay";
    let mut waited = Plot::lines("waited", title, x, Axis::new("answers that wait", "share"));
    for (number, delay) in DELAYS.iter().enumerate() {
        let of_delay = answers.iter().filter(|answer| answer.delay == number);
        let mut points: Vec<(f64, f64)> = of_delay
            .map(|answer| (f64::from(answer.tenths) / 10.0, answer.waited))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        waited = waited.with(Series::own(delay.words, points));
    }
    let mut plots = vec![waited];
    if let Ok(score) = env.score() {
        let metric = |kind: &str| {
            let of = |short: &str| {
                score
                    .metrics()
                    .get(format!("{kind}_{short}").as_str())
                    .copied()
            };
            let values = DELAYS
                .iter()
                .map(|delay| of(delay.short).unwrap_or(f64::NAN));
            values.collect::<Vec<_>>()
        };
        let groups = DELAYS.iter().map(|delay| delay.words.to_owned()).collect();
        let (x, y) = (Axis::new("delay", ""), Axis::new("discount rate", "a year"));
        let title = "Rate that fits the answers of each delay";
        let rates =
            Plot::bars("rates", title, x, y, groups).bar(SeriesRole::Own, "rate", metric("rate"));
        plots.push(rates);
    }
    plots
}
