//! The live line of a model run: how far it is, what it costs, how it goes.

use super::backends::Models;
use crate::clock::Stopwatch;
use agent_client::ledger::Spending;
use agent_client::money::Money;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error; nothing where that is no terminal.
#[derive(Debug)]
pub struct Live {
    bar: ProgressBar,
    watch: Stopwatch,
}

impl Live {
    /// A bar for `total` pieces of work called `what`; hidden unless `shown`.
    #[must_use]
    pub fn new(total: u64, what: &str, shown: bool) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let style =
            ProgressStyle::with_template(&format!("{{bar:20}} {{pos}}/{{len}} {what}, {{msg}}"));
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self {
            bar,
            watch: Stopwatch::start(),
        }
    }

    /// Shows that `done` pieces are done.
    pub fn show(&self, done: u64, models: &Models) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_position(done);
        self.bar.set_message(words(
            &models.ledger.spending(),
            models.ledger.cap(),
            models.allowed(),
            self.watch.elapsed().as_secs_f64(),
        ));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Cost, rate and retries in words.
fn words(spending: &Spending, cap: Option<Money>, allowed: Option<u32>, seconds: f64) -> String {
    let total = spending.total();
    #[expect(clippy::cast_precision_loss, reason = "a rate to look at")]
    let rate = (total.requests - total.replayed) as f64 * 60.0 / seconds.max(1.0);
    let cost = spending.spent.dollars();
    let cap = cap.map_or_else(String::new, |cap| format!(" of ${:.2}", cap.dollars()));
    let retries = spending.retries;
    let at_once = allowed.map_or_else(String::new, |n| format!(" of {n}"));
    format!(
        "${cost:.4}{cap}, {rate:.0} answers/min, {}{at_once} under way, {retries} retries",
        spending.in_flight
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client::request::ModelRole;

    #[test]
    fn the_line_says_cost_rate_and_retries() {
        let mut spending = Spending {
            spent: "1.25".parse().unwrap(),
            in_flight: 7,
            retries: 3,
            ..Spending::default()
        };
        let agent = spending.roles.entry(ModelRole::Agent).or_default();
        (agent.requests, agent.replayed) = (50, 10);
        assert_eq!(
            words(&spending, "5".parse().ok(), Some(32), 120.0),
            "$1.2500 of $5.00, 20 answers/min, 7 of 32 under way, 3 retries"
        );
        assert_eq!(
            words(&Spending::default(), None, None, 0.0),
            "$0.0000, 0 answers/min, 0 under way, 0 retries"
        );
    }
}
