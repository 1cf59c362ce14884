//! The Enterprise Digital Twin: Table 3's Simple, head counts, agent orders, optima.

use crate::numbers::plain;
use crate::play::{on_all_cores, play};
use crate::row::{Section, Source};
use anyhow::{Context, Result};
use edt::engine::{Chance, Engine};
use edt::firm::{AgentOrder, Firm};
use edt::optimum::{ProofLimits, RiskScope, SearchSettings, best_plan, upper_bound};
use edt::{Action, Config, Spec};
use serde::Deserialize;
use sim_core::{EnvironmentSpec as _, Episode, Seed, stats};
use std::sync::Arc;

const COMMAND: &str = "cargo xtask replicate edt";

/// Mean earnings of AMEM, by which the paper normalises \[million\].
const AMEM_MILLIONS: f64 = 6.76;

/// Number of runs for comparison with the printed standard deviation.
const RUNS: u64 = 5;

/// Simple by head count: earnings and mean utilization as recorded from the original engine.
const HEADS: [(i64, f64, &str); 6] = [
    (7, 5_180_500.0, "0.970"),
    (8, 6_124_500.0, "0.949"),
    (9, 7_116_500.0, "0.934"),
    (10, 7_190_500.0, "0.879"),
    (11, 6_452_500.0, "0.800"),
    (12, 5_692_500.0, "0.734"),
];

/// Simple by the order in which agents act.
const ORDERS: [(AgentOrder, &str, f64); 3] = [
    (
        AgentOrder::Cpf,
        "consultants, projects, controlling",
        7_116_500.0,
    ),
    (
        AgentOrder::Cfp,
        "consultants, controlling, projects",
        6_980_500.0,
    ),
    (
        AgentOrder::Fcp,
        "controlling, consultants, projects",
        7_052_500.0,
    ),
];

/// Simple by risk level, in millions.
const RISKS: [(f64, &str); 5] = [
    (0.11, "7.31"),
    (0.25, "8.21"),
    (0.5, "8.29"),
    (0.75, "7.92"),
    (1.0, "7.01"),
];

#[derive(Deserialize)]
struct Optima {
    rows: Vec<Optimum>,
}

#[derive(Deserialize)]
struct Optimum {
    #[serde(rename = "R_rule")]
    scope: String,
    best: f64,
    proven_optimal: bool,
    plan: Action,
}

pub(crate) fn section() -> Result<Section> {
    let firm = Firm::paper();
    let simple = Action::simple(&firm);
    let run = |firm: &Firm, decision: &Action| {
        Engine::new(firm).run(decision, &Chance::threshold(decision.risk_level))
    };
    let paper = Source::paper(
        "strategic paper, Table 3",
        "boardroom run edt --agent simple",
    );
    let engine = Source::program("original engine", COMMAND);
    let totals = run(&firm, &simple);
    let mut rows = vec![
        paper.printed(
            "Simple: mean earnings (M)",
            "7.12",
            totals.accumulated_earnings / 1e6,
        ),
        paper.printed("Simple: utilization", "0.934", totals.mean_utilization),
        paper.printed(
            "Simple: normalised earnings",
            "1.05",
            totals.accumulated_earnings / (AMEM_MILLIONS * 1e6),
        ),
        paper.printed(
            "Simple: standard deviation of earnings (M)",
            "0.000",
            deviation()? / 1e6,
        ),
        engine.exact("Simple: earnings", 7_116_500.0, totals.accumulated_earnings),
    ];
    for (consultants, earnings, utilization) in HEADS {
        let decision = Action {
            consultants,
            ..simple.clone()
        };
        let totals = run(&firm, &decision);
        let what = format!("Simple with {consultants} consultants: earnings");
        rows.push(engine.exact(what, earnings, totals.accumulated_earnings));
        let what = format!("Simple with {consultants} consultants: utilization");
        rows.push(engine.printed(what, utilization, totals.mean_utilization));
    }
    for (agent_order, words, earnings) in ORDERS {
        let firm = Firm {
            agent_order,
            ..firm.clone()
        };
        let ours = run(&firm, &simple).accumulated_earnings;
        rows.push(engine.exact(
            format!("Simple, agents in the order {words}"),
            earnings,
            ours,
        ));
    }
    for (risk_level, millions) in RISKS {
        let decision = Action {
            risk_level,
            ..simple.clone()
        };
        let ours = run(&firm, &decision).accumulated_earnings / 1e6;
        let what = format!("Simple at risk level {risk_level}: earnings (M)");
        rows.push(engine.printed(what, millions, ours));
    }
    let claim = best_plan(
        &firm,
        &Chance::threshold(0.0),
        &SearchSettings {
            runs: 1,
            moves: 60_000,
            ..SearchSettings::default()
        },
        1_500,
        &ProofLimits::default(),
    );
    let text = include_str!("../../edt/tests/golden/optima/edt_optima.json");
    let optima: Optima = serde_json::from_str(text).context("the recorded optima")?;
    let best = optima.rows.iter().map(|row| row.best);
    let best = best.fold(f64::NEG_INFINITY, f64::max);
    let source = Source::own("reference optima", COMMAND);
    let mut row = source.exact("optimum of the template, any plan", best, claim.earnings);
    if claim.proven {
        row.ours.push_str(", found and proven");
    }
    rows.push(row);
    let bounds = on_all_cores(&optima.rows, |row| Ok(bound(&firm, row)))?;
    for (row, bound) in optima.rows.iter().zip(bounds) {
        let earned = run(&firm, &row.plan).accumulated_earnings;
        let heads = row.plan.consultants;
        let scope = if row.scope == "any R" {
            "any risk"
        } else {
            "no risk"
        };
        let status = if row.proven_optimal { ", proven" } else { "" };
        let what = format!("best plan known with {heads} consultants, {scope}");
        let mut figure = source.exact(what, row.best, earned);
        figure.compared.push_str(status);
        if bound <= earned {
            figure.ours.push_str(", proven");
        } else {
            figure
                .ours
                .push_str(&format!(", no plan above {}", plain(bound.floor())));
        }
        rows.push(figure);
    }
    let share = 100.0 * totals.accumulated_earnings / claim.earnings;
    Ok(Section {
        key: "edt",
        title: "Enterprise Digital Twin",
        about: "The strategic paper (Table 3, A.6) on its public template of 12 consultants and 10 \
                projects, and the engine on which it ran (BPTK-Py 3.2.0). 84 recorded runs of that \
                engine are compared figure by figure in `cargo nextest run -p edt goldens`.",
        rows,
        notes: vec![
            format!(
                "The paper's own finding holds: a plan of four lines beats all nine methods. It \
                 reaches {share:.1} % of the optimum, and with one consultant more it earns more."
            ),
            format!(
                "The paper's spread of earnings between runs comes from the language models; the \
                 simulation itself has no randomness, so {RUNS} runs with different seeds earn the \
                 same. Earnings are normalised by AMEM's as printed, \
                 {AMEM_MILLIONS} M, because it needs a model to compute them."
            ),
        ],
    })
}

/// Standard deviation of the earnings of Simple over runs with different seeds, played through the
/// program's own interface.
fn deviation() -> Result<f64> {
    let config = Config::default();
    let earnings: Vec<f64> = (0..RUNS)
        .map(|number| {
            let episode = Episode::of_run(Seed(number), number);
            let game = Arc::new(Spec.generate(&config, episode)?);
            Ok(play(&Spec, &game, "simple", Seed(number))?.value())
        })
        .collect::<Result<_>>()?;
    stats::sd(&earnings).context("one run has no deviation")
}

/// Earnings that no plan with these consultants exceeds.
fn bound(firm: &Firm, row: &Optimum) -> f64 {
    let scope = if row.scope == "any R" {
        RiskScope::Any
    } else {
        RiskScope::Level(0.0)
    };
    let heads = u32::try_from(row.plan.consultants).ok();
    upper_bound(firm, scope, heads, row.best, 600, &ProofLimits::default())
}
