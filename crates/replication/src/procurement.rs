//! Procurement: the printed example, optima, players.

use crate::play::{mean, on_all_cores, play};
use crate::row::{Row, Section, Source};
use anyhow::{Context, Result};
use econ_envs::procurement::evaluate::Evaluator;
use econ_envs::procurement::menu::OfferId;
use econ_envs::procurement::optimum::solve;
use econ_envs::procurement::{Config, Instance, Spec};
use serde::Deserialize;
use sim_core::{EnvironmentSpec as _, Episode, Seed};
use std::sync::Arc;

const COMMAND: &str = "cargo xtask replicate procurement";

/// Maximum number of relaxations in one proof.
const RELAXATIONS: usize = 100_000;

/// Optima of the suite `paper`.
#[derive(Deserialize)]
pub(crate) struct MarketOptima {
    pub(crate) procurement: Levels,
    pub(crate) pricing: Levels,
}

#[derive(Deserialize)]
pub(crate) struct Levels {
    pub(crate) basic: Vec<f64>,
    pub(crate) medium: Vec<f64>,
    pub(crate) hard: Vec<f64>,
}

impl MarketOptima {
    pub(crate) fn read() -> Result<Self> {
        let text = include_str!("../fixtures/market_optima.json");
        serde_json::from_str(text).context("the optima of the authors' markets")
    }
}

/// Level, its settings, and the prototype's learner in percent: authors' markets, drawn ones.
fn levels() -> [(&'static str, Config, f64, f64); 3] {
    [
        ("BASIC", Config::basic(), 100.0, 100.0),
        ("MEDIUM", Config::medium(), 99.67, 99.95),
        ("HARD", Config::hard(), 99.81, 100.0),
    ]
}

pub(crate) fn section() -> Result<Section> {
    let optima = MarketOptima::read()?;
    let optima = [
        optima.procurement.basic,
        optima.procurement.medium,
        optima.procurement.hard,
    ];
    let proof = Source::own("two integer programmes", COMMAND);
    let prototype = Source::own("prototype of the learner", COMMAND);
    let mut rows = printed_example()?;
    for ((level, config, authors, drawn), optima) in levels().into_iter().zip(optima) {
        let markets = Spec.suite("paper", &config)?;
        let solved = on_all_cores(&markets, |market| {
            let best = solve(market, RELAXATIONS)?;
            let checked = best.certificate.verify(market, &best.plan).is_ok();
            Ok((best.workers, best.is_proven() && checked))
        })?;
        let agreeing = solved
            .iter()
            .zip(&optima)
            .filter(|((ours, proven), known)| *proven && (ours - *known).abs() <= 1e-9 * *known)
            .count();
        rows.push(proof.count(
            format!("{level}: optimum of each market, certificate re-checked"),
            agreeing,
            optima.len(),
            "1e-9 relative",
        ));
        for (name, markets, known) in [
            ("the authors' markets", markets, authors),
            ("12 markets of our own", ours(&config)?, drawn),
        ] {
            let share = 100.0 * learning(&markets)?;
            let what = format!("{level}: learning player on {name} (% of the optimum)");
            rows.push(prototype.within(what, known, 1.0, 2, share));
        }
    }
    Ok(Section {
        key: "procurement",
        title: "Procurement",
        about: "The unknown-markets paper (section 3.3.1, appendices C and F.1), on the authors' \
                twelve markets a level (suite `paper`). The policy `learning` knows only the form \
                of the model and the largest effectiveness.",
        rows,
        notes: vec![
            "The last dollar of each budget is drawn from a generator that the authors' program \
             does not seed, so their own optima cannot be known to the cent; ours are those of the \
             stored budgets. The paper prints the budget of the first BASIC market, which is stored."
                .to_owned(),
        ],
    })
}

/// The two attempts that the paper prints, on the menu that it prints.
fn printed_example() -> Result<Vec<Row>> {
    let source = Source::paper("unknown markets, F.1.5", COMMAND);
    let first = Spec
        .suite("paper", &Config::basic())?
        .into_iter()
        .next()
        .context("the suite is empty")?;
    let evaluator = Evaluator::new(&first)?;
    let mut rows = Vec::new();
    for (attempt, plan, workers, cost) in [
        (0, vec![(4, 1), (9, 1), (11, 1), (12, 1)], "4.67", "50.04"),
        (1, vec![(4, 3), (9, 2), (10, 1), (7, 1)], "0.00", "87.54"),
    ] {
        let lines: Vec<(OfferId, u32)> = plan
            .iter()
            .map(|(offer, copies)| (OfferId(offer - 1), *copies))
            .collect();
        let found = evaluator.evaluate(&lines);
        #[expect(clippy::cast_precision_loss, reason = "a few thousand cents")]
        let dollars = found.cost_cents as f64 / 100.0;
        rows.push(source.printed(
            format!("attempt {attempt}: workers"),
            workers,
            found.workers,
        ));
        rows.push(source.printed(format!("attempt {attempt}: cost"), cost, dollars));
    }
    Ok(rows)
}

fn ours(config: &Config) -> Result<Vec<Instance>> {
    (0..12)
        .map(|n| Ok(Spec.generate(config, Episode::of_run(Seed(500), n))?))
        .collect()
}

/// Mean share of the optimum that the policy `learning` reaches.
fn learning(markets: &[Instance]) -> Result<f64> {
    let numbered: Vec<(u64, &Instance)> = (0..).zip(markets).collect();
    let shares = on_all_cores(&numbered, |(number, market)| {
        let optimum = solve(market, RELAXATIONS)?.workers;
        let market = Arc::new((*market).clone());
        let score = play(&Spec, &market, "learning", Seed(*number))?;
        Ok(score.value() / optimum)
    })?;
    Ok(mean(&shares))
}
