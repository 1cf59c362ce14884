//! What a run of models costs and how it goes, for the progress line.

use super::backends::Models;
use crate::engine::live::ProgressStatus;
use crate::words::number;
use agent_client::ledger::Spending;
use agent_client::money::Money;

impl ProgressStatus for Models {
    fn text(&self, seconds: f64) -> String {
        let ledger = &self.ledger;
        words(&ledger.spending(), ledger.cap(), self.allowed(), seconds)
    }

    fn news(&self) -> Option<String> {
        let pause = self.take_pause()?;
        Some(format!(
            "the server asks for a pause of {} s; the next attempt begins after {} s",
            pause.asked.as_secs(),
            pause.made.as_secs()
        ))
    }
}

/// Cost, rate and retries in words.
fn words(spending: &Spending, cap: Option<Money>, allowed: Option<u32>, seconds: f64) -> String {
    let total = spending.total();
    #[expect(clippy::cast_precision_loss, reason = "a rate to look at")]
    // Replayed answers are left out: after a resume they come at once and would show a rate that no server has.
    let rate = (total.requests - total.replayed) as f64 * 60.0 / seconds.max(1.0);
    let cost = spending.spent.dollars();
    let cap = cap.map_or_else(String::new, |cap| format!(" of ${:.2}", cap.dollars()));
    let retries = spending.retries;
    let at_once = allowed.map_or_else(String::new, |n| format!(" of {n}"));
    let tokens = total.usage.input.saturating_add(total.usage.output);
    format!(
        "{} tokens, ${cost:.4}{cap}, {rate:.0} answers/min, {}{at_once} in progress, {retries} retries",
        number(tokens as f64),
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
        (agent.usage.input, agent.usage.output) = (12_000, 345);
        assert_eq!(
            words(&spending, "5".parse().ok(), Some(32), 120.0),
            "12,345 tokens, $1.2500 of $5.00, 20 answers/min, 7 of 32 in progress, 3 retries"
        );
        assert_eq!(
            words(&Spending::default(), None, None, 0.0),
            "0 tokens, $0.0000, 0 answers/min, 0 in progress, 0 retries"
        );
    }
}
