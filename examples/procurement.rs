//! Buying bundles under a budget without knowing what they are worth.
//!
//! ```text
//!   menu, budget ─►  plan  ─►  workers and cost, or why it is not allowed  ─►  next attempt
//!                      ▲                                                          │
//!                      └─────────────── 100 attempts, the best one counts ◄───────┘
//! ```
//!
//! Run with: `cargo run --release -p econ-envs --example procurement`
#![allow(clippy::print_stdout, reason = "an example prints")]

use econ_envs::procurement::optimum::solve;
use econ_envs::procurement::{Config, Spec};
use serde_json::json;
use sim_core::testkit::play;
use sim_core::{DynEnvironmentSpec, Effort, EnvironmentSpec, ToolEnvironment as _};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", attempts()?);
    print!("{}", proof()?);
    print!("{}", players("basic", 3)?);
    Ok(())
}

/// The tool side, as a language model or a person plays it: two attempts on the first of the
/// authors' markets.
fn attempts() -> Result<String, Box<dyn Error>> {
    let instance = EnvironmentSpec::suite(&Spec, "paper", &Config::basic())?.remove(0);
    let mut desk = sim_core::ToolAdapter::new(Spec.begin(instance.into())?);
    let mut text = String::new();
    text += desk.call("get_equipment_information", &json!({})).text();
    text += &format!(
        "\nbudget {}\n\n",
        desk.call("get_budget", &json!({})).text()
    );
    for plan in [
        "{'Offer_4': 1, 'Offer_9': 1, 'Offer_11': 1, 'Offer_12': 1}",
        "{'Offer_2': 1}",
    ] {
        let reply = desk.call("submit_purchase_plan", &json!({ "purchase_plan": plan }));
        text += &format!("{}\n\n", reply.text());
    }
    Ok(text)
}

/// The best plan of that market, and its proof checked.
fn proof() -> Result<String, Box<dyn Error>> {
    let instance = EnvironmentSpec::suite(&Spec, "paper", &Config::basic())?.remove(0);
    let best = solve(&instance, 10_000)?;
    let checked = best.certificate.verify(&instance, &best.plan)?;
    let plan: Vec<String> = best
        .plan
        .iter()
        .map(|(offer, copies)| format!("{copies} x {offer}"))
        .collect();
    Ok(format!(
        "best plan: {} supports {:.2} workers; proof of {} closed nodes checked\n\n",
        plan.join(", "),
        best.workers,
        checked.closed
    ))
}

/// Built-in players on drawn markets, as a share of the optimum.
fn players(preset: &str, episodes: u64) -> Result<String, Box<dyn Error>> {
    let config = Spec.configure(Some(preset), &[])?;
    let mut text = format!("share of the optimum on {episodes} markets, preset {preset}\n");
    for policy in ["random", "greedy", "learning", "optimal"] {
        let mut share = 0.0;
        for index in 0..episodes {
            let case = DynEnvironmentSpec::draw(&Spec, &config, sim_core::Seed(1), index)?;
            let best = case
                .reference(Effort::Quick)
                .value()
                .ok_or("no reference")?;
            let record = play(&Spec, &*case, policy)?;
            share += record.score.value() / best / episodes as f64;
        }
        text += &format!("{policy:<10} {share:.3}\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_runs_and_prints_what_the_paper_prints() {
        let attempts = super::attempts().unwrap();
        assert!(attempts.contains("- Offer_9: $11.74 for 3 units of B3"));
        assert!(attempts.contains("supports 4.67 workers and incurs cost of 50.04"));
        assert!(attempts.contains("quantity 1 for Offer_2 is insufficient"));
        assert!(super::proof().unwrap().contains("supports 82.31 workers"));
        assert!(
            super::players("basic", 1)
                .unwrap()
                .contains("optimal    1.000")
        );
    }
}
