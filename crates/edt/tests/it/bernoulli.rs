//! The random modes against recorded means.

use crate::golden::{load, template};
use edt::Action;
use edt::action::Window;
use edt::engine::{Chance, Engine, RiskMode};
use edt::firm::{AgentOrder, Firm};
use serde::Deserialize;
use serde_json::Value;
use sim_core::Seed;

const SEEDS: u64 = 2_000;

struct Sample {
    name: &'static str,
    values: Vec<f64>,
}

impl Sample {
    fn mean_and_error(&self) -> (f64, f64) {
        let n = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / n;
        let squares: f64 = self.values.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0) / n).sqrt())
    }
}

fn check(firm: &Firm, case: &Value, number: u64) -> usize {
    let schedule = case["schedule"].as_str().unwrap();
    let everywhere = |deadline| {
        Some(Window {
            start: 1.0,
            deadline,
        })
    };
    let projects = match schedule {
        "template" => Action::template(firm).projects,
        "simple" => vec![everywhere(96.0); firm.projects.len()],
        "simple95" => vec![everywhere(95.0); firm.projects.len()],
        other => panic!("schedule {other}"),
    };
    let decision = Action {
        consultants: case["consultants"].as_i64().unwrap(),
        risk_level: case["revenue_risk_level"].as_f64().unwrap(),
        projects,
    };
    let mode = match case["extension_mode"].as_str().unwrap() {
        "repeat" => RiskMode::BernoulliRepeat,
        "once" => RiskMode::BernoulliOnce,
        other => panic!("extension mode {other}"),
    };
    let names = [
        "accumulated_earnings",
        "overall_avg_utilization",
        "mean_of_per_step_utilization",
        "project_count",
    ];
    let mut samples = names.map(|name| Sample {
        name,
        values: Vec::new(),
    });
    let mut engine = Engine::new(firm);
    let mut series = Vec::new();
    for k in 0..SEEDS {
        let chance = Chance {
            mode,
            risk_level: 0.0,
            seed: Seed(1).child("case", number).child("run", k),
        };
        series.clear();
        let totals = engine.run_with_series(&decision, &chance, &mut series);
        let last = series.last().unwrap();
        let values = [
            totals.accumulated_earnings,
            last.overall_avg_utilization,
            totals.mean_utilization,
            last.projects,
        ];
        for (sample, value) in samples.iter_mut().zip(values) {
            sample.values.push(value);
        }
    }
    let mut compared = 0;
    for sample in &samples {
        let recorded = &case[sample.name];
        if recorded.is_null() {
            continue;
        }
        let (mean, error) = sample.mean_and_error();
        let (theirs, their_error) = (
            recorded["mean"].as_f64().unwrap(),
            recorded["se"].as_f64().unwrap(),
        );
        let slack = 4.0 * error.hypot(their_error) + 1e-9;
        assert!(
            (mean - theirs).abs() <= slack,
            "{schedule} {mode:?} R={} {}: recorded {theirs}, ours {mean}, allowed {slack}",
            decision.risk_level,
            sample.name
        );
        compared += 1;
    }
    compared
}

#[test]
fn slow_means_of_both_modes() {
    let mut cases = 0;
    for file in [
        "edt_bernoulli_stats.json",
        "edt_bernoulli_stats_seed_template.json",
    ] {
        let Some(golden) = load(&format!("beer_edt/{file}")) else {
            return;
        };
        let firm = Firm {
            agent_order: AgentOrder::deserialize(&golden["agent_order"]).unwrap(),
            ..template(&golden["template"])
        };
        for case in golden["cases"].as_array().unwrap() {
            assert_eq!(check(&firm, case, cases), 3, "stored means of a case");
            cases += 1;
        }
    }
    assert_eq!(cases, 45);
}
