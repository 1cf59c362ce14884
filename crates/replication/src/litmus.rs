//! The litmus tests: recorded allocations, market prices.

use crate::row::{Section, Source};
use anyhow::{Context, Result, anyhow};
use econ_envs::litmus::collusion;
use econ_envs::litmus::efficiency::{Action, Config, Efficiency, Instance};
use serde::Deserialize;
use sim_core::Environment as _;
use std::collections::BTreeMap;
use std::sync::Arc;

const COMMAND: &str = "cargo xtask replicate litmus";

#[derive(Deserialize)]
struct Recorded {
    instances: Vec<Firm>,
    markets: Vec<Market>,
}

#[derive(Deserialize)]
struct Firm {
    seed: u64,
    task_sizes: Vec<u32>,
    productivity: Vec<f64>,
    allocations: BTreeMap<String, Allocation>,
}

#[derive(Deserialize)]
struct Allocation {
    worker_of_task: Vec<u16>,
    revenue: f64,
    inequality: f64,
    litmus_score: f64,
    efficiency_competency: f64,
    equality_competency: f64,
}

#[derive(Deserialize)]
struct Market {
    sellers: u16,
    alpha: f64,
    monopoly_price: f64,
    nash_price: f64,
    ceiling: f64,
}

pub(crate) fn section() -> Result<Section> {
    let text = include_str!("../fixtures/litmus.json");
    let recorded: Recorded = serde_json::from_str(text).context("the litmus figures")?;
    let program = Source::program("public program", COMMAND);
    let mut rows = Vec::new();
    for firm in &recorded.instances {
        let equal = firm
            .allocations
            .get("max_equality")
            .context("an allocation is missing")?;
        let instance = Arc::new(Instance {
            config: Config::default(),
            sizes: firm.task_sizes.clone(),
            equal: equal.worker_of_task.clone(),
            productivity: firm.productivity.clone(),
        });
        instance.check()?;
        let (mut agreeing, mut all) = (0, 0);
        for allocation in firm.allocations.values() {
            let mut run = Efficiency::new(Arc::clone(&instance))?;
            for period in allocation.worker_of_task.chunks(4) {
                let worker_of = period.to_vec();
                run.step(&Action { worker_of })
                    .map_err(|e| anyhow!("a recorded allocation was refused: {e}"))?;
            }
            let score = run.score()?;
            for (name, recorded) in [
                ("revenue", allocation.revenue),
                ("inequality", allocation.inequality),
                ("litmus", allocation.litmus_score),
                ("efficiency_competency", allocation.efficiency_competency),
                ("equality_competency", allocation.equality_competency),
            ] {
                let ours = score.metrics().get(name).copied().unwrap_or(f64::NAN);
                agreeing += usize::from((ours - recorded).abs() <= 1e-12 * recorded.abs().max(1.0));
                all += 1;
            }
        }
        let what = format!(
            "efficiency and equality, seed {}: revenue, inequality and scores of 4 allocations",
            firm.seed
        );
        rows.push(program.count(what, agreeing, all, "1e-12 relative"));
    }
    let search = Source::program("public program, numeric search", COMMAND);
    for market in &recorded.markets {
        let config = collusion::Config {
            sellers: market.sellers,
            ..collusion::Config::default()
        };
        let instance = collusion::Instance {
            config,
            alpha: market.alpha,
        };
        let (sellers, alpha) = (market.sellers, market.alpha);
        let place = format!("collusion, {sellers} selling, alpha {alpha}");
        let scale = 1e-5 * market.monopoly_price;
        for (name, found, ours) in [
            (
                "monopoly price",
                market.monopoly_price,
                alpha * instance.monopoly(),
            ),
            ("Nash price", market.nash_price, alpha * instance.nash()),
        ] {
            let mut row = search.within(format!("{place}: {name}"), found, scale, 5, ours);
            row.tolerance = "1e-5 relative".to_owned();
            rows.push(row);
        }
        let what = format!("{place}: ceiling");
        rows.push(search.exact(what, market.ceiling, instance.ceiling()));
    }
    Ok(Section {
        key: "litmus",
        title: "Litmus tests",
        about: "The three litmus tests beside the unknown-markets paper, as its public program \
                defines them. All figures are recordings of that program; the paper does not \
                print them. Reproducing the scores of models needs the models.",
        rows,
        notes: Vec::new(),
    })
}
