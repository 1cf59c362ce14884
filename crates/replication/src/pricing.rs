//! Pricing: the printed example, optima, fixed rules, the learner.

use crate::play::{mean, on_all_cores, play};
use crate::procurement::MarketOptima;
use crate::row::{Row, Section, Source};
use anyhow::{Context, Result, anyhow};
use econ_envs::pricing::{Action, Config, Instance, Pricing, Spec};
use sim_core::{Environment as _, EnvironmentSpec as _, Episode, Seed};
use std::sync::Arc;

const COMMAND: &str = "cargo xtask replicate pricing";

/// Level, its settings, hold-first-price and cost-plus as measured on the program's demand, and the
/// prototype's learner on drawn markets.
fn levels() -> [(&'static str, Config, &'static str, &'static str, f64); 3] {
    [
        ("BASIC", Config::basic(), "0.887", "0.685", 99.94),
        ("MEDIUM", Config::medium(), "0.845", "0.566", 100.0),
        ("HARD", Config::hard(), "0.839", "0.416", 100.0),
    ]
}

pub(crate) fn section() -> Result<Section> {
    let optima = MarketOptima::read()?.pricing;
    let optima = [optima.basic, optima.medium, optima.hard];
    let search = Source::program("numeric search of the public program", COMMAND);
    let fixed = Source::own("measured on the program's demand", COMMAND);
    let prototype = Source::own("prototype of the learner", COMMAND);
    let mut rows = printed_example()?;
    for ((level, config, hold, cost_plus, drawn), optima) in levels().into_iter().zip(optima) {
        let markets = Spec.suite("paper", &config)?;
        let agreeing = markets
            .iter()
            .zip(&optima)
            .filter(|(market, found)| {
                market
                    .optimum()
                    .is_ok_and(|best| (50.0 * best.profit - *found).abs() <= 1e-9 * *found)
            })
            .count();
        let what = format!("{level}: optimum of the last 50 periods, closed form");
        rows.push(search.count(what, agreeing, optima.len(), "1e-9 relative"));
        for (policy, figure) in [("hold-first-price", hold), ("cost-plus", cost_plus)] {
            let what = format!("{level}: `{policy}` for ever");
            let mut row = fixed.printed(what, figure, level_mean(&markets, policy)?);
            row.command = format!(
                "boardroom run pricing --preset {} --suite paper --agent {policy}",
                level.to_lowercase()
            );
            rows.push(row);
        }
        let own: Vec<Instance> = (0..12)
            .map(|n| Spec.generate(&config, Episode::of_run(Seed(77), n)))
            .collect::<Result<_, _>>()?;
        for (name, markets, known) in [
            ("the authors' markets", &markets, 100.0),
            ("12 markets of our own", &own, drawn),
        ] {
            let what = format!("{level}: learning player on {name} (% of the optimum)");
            let ours = 100.0 * level_mean(markets, "learning")?;
            rows.push(prototype.within(what, known, 1.0, 2, ours));
        }
    }
    Ok(Section {
        key: "pricing",
        title: "Pricing",
        about: "The unknown-markets paper (section 3.3.3, appendix E), on the authors' twelve \
                markets a level (suite `paper`). The two fixed rules know hidden state: \
                `hold-first-price` sets the best prices of the first period in every period, \
                `cost-plus` 1.5 times cost times the sensitivity at the start. The policy `learning` \
                knows only the form of demand.",
        rows,
        notes: vec![
            "Prices are optimal before rounding and sales are rounded to cents, so a score may \
             exceed 100 % by a few thousandths."
                .to_owned(),
        ],
    })
}

/// F.3.5: prices of 20 and 28 on the first BASIC market, and its ceiling.
fn printed_example() -> Result<Vec<Row>> {
    let source = Source::paper("unknown markets, F.3.5", COMMAND);
    let first = Spec
        .suite("paper", &Config::basic())?
        .into_iter()
        .next()
        .context("the suite is empty")?;
    let mut run = Pricing::new(Arc::new(first))?;
    let mut rows = vec![source.printed("ceiling", "38.11", run.ceiling())];
    for (price, quantity, profit) in [(20.0, "24.76", "40.92"), (28.0, "7.81", "23.50")] {
        let prices = vec![price];
        let feedback = run
            .step(&Action { prices })
            .map_err(|e| anyhow!("the example's price was refused: {e}"))?;
        let sales = feedback.sales.context("nothing was sold")?;
        let sale = sales.first().context("nothing was sold")?;
        rows.push(source.printed(format!("price {price}: quantity"), quantity, sale.quantity));
        rows.push(source.printed(format!("price {price}: profit"), profit, sale.profit));
        rows.push(source.printed(format!("price {price}: cost"), "1.72", sale.cost));
    }
    Ok(rows)
}

/// Mean score of a policy, with one run per market.
fn level_mean(markets: &[Instance], policy: &str) -> Result<f64> {
    let numbered: Vec<(u64, &Instance)> = (0..).zip(markets).collect();
    let scores = on_all_cores(&numbered, |(number, market)| {
        let market = Arc::new((*market).clone());
        Ok(play(&Spec, &market, policy, Seed(*number))?.value())
    })?;
    Ok(mean(&scores))
}
