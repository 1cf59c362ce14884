//! The fast engine against the agent model.

use crate::firms::firm_and_action;
use edt::Action;
use edt::agent_model::AgentModel;
use edt::engine::{Chance, Engine, Figures, RiskMode};
use edt::firm::Firm;
use proptest::prelude::*;
use sim_core::Seed;

fn close(place: impl std::fmt::Display, plain: f64, fast: f64) {
    let scale = plain.abs().max(1.0);
    assert!(
        (plain - fast).abs() <= 1e-9 * scale,
        "{place}: plain {plain}, fast {fast}"
    );
}

/// All figures of a step, in their order.
fn numbers(f: &Figures) -> [f64; 21] {
    [
        f.time,
        f.revenue,
        f.expenses,
        f.earnings,
        f.accumulated_revenue,
        f.accumulated_expenses,
        f.accumulated_earnings,
        f.cash,
        f.cash_flow,
        f.consultant_demand,
        f.consultant_capacity,
        f.consultant_capacity_fte,
        f.avg_utilization,
        f.overall_avg_utilization,
        f.revenue_risk,
        f.profit_margin,
        f.overall_profit_margin,
        f.avg_consulting_fee,
        f.overall_avg_consulting_fee,
        f.projects,
        f64::from(f.busy),
    ]
}

/// Series, totals and project ends of both agree.
fn same(firm: &Firm, decision: &Action, chance: &Chance) {
    let mut model = AgentModel::new(firm, decision, *chance);
    let plain = model.run();
    let mut engine = Engine::new(firm);
    let quick = engine.run(decision, chance);
    let mut fast: Vec<Figures> = Vec::new();
    let totals = engine.run_with_series(decision, chance, &mut fast);
    assert_eq!(quick, totals);
    assert_eq!(plain.len(), fast.len());
    for (step, (a, b)) in plain.iter().zip(&fast).enumerate() {
        for (k, (a, b)) in numbers(a).into_iter().zip(numbers(b)).enumerate() {
            close(format_args!("figure {k} at step {step}"), a, b);
        }
    }
    let last = plain.last().unwrap();
    close(
        "earnings",
        last.accumulated_earnings,
        totals.accumulated_earnings,
    );
    close(
        "revenue",
        last.accumulated_revenue,
        totals.accumulated_revenue,
    );
    close(
        "expenses",
        last.accumulated_expenses,
        totals.accumulated_expenses,
    );
    close(
        "utilization",
        model.ledger().mean_utilization(),
        totals.mean_utilization,
    );
    close("projects", last.projects, f64::from(totals.projects));
    let ends = engine.project_ends();
    assert_eq!(ends.len(), model.projects().len());
    for (end, project) in ends.iter().zip(model.projects()) {
        assert_eq!((end.state, end.staff), (project.state(), project.staff()));
        assert_eq!(
            (end.follow_on, end.extensions),
            (project.terms().is_follow_on, project.extensions())
        );
        assert_eq!(
            (end.start, end.deadline),
            (project.terms().start_time, project.terms().deadline)
        );
        close("delivered", project.delivered(), end.delivered);
        // The model keeps 0 until the first consultant joins; the record of the run shows the contract.
        let left = match project.staff() {
            0 => project.terms().contracted_effort,
            _ => project.remaining_effort(),
        };
        close("remaining", left, end.remaining);
    }
}

fn modes() -> impl Strategy<Value = (RiskMode, u64)> {
    let mode = prop_oneof![
        2 => Just(RiskMode::Threshold),
        1 => Just(RiskMode::BernoulliRepeat),
        1 => Just(RiskMode::BernoulliOnce),
    ];
    (mode, any::<u64>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 15000, ..ProptestConfig::default() })]

    #[test]
    fn fast_equals_plain((firm, decision) in firm_and_action(8), (mode, seed) in modes()) {
        let chance = Chance { mode, risk_level: 0.0, seed: Seed(seed) };
        same(&firm, &decision, &chance);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn fast_equals_plain_beyond_one_word((firm, decision) in firm_and_action(90), (mode, seed) in modes()) {
        let chance = Chance { mode, risk_level: 0.0, seed: Seed(seed) };
        same(&firm, &decision, &chance);
    }
}

#[test]
fn extension_without_end_stays_bounded() {
    let mut firm = Firm::paper();
    firm.projects[0].contracted_effort = 0.0;
    firm.projects[0].extension_probability = 1.0;
    firm.projects[0].extension_effort = 1e-3;
    let decision = Action {
        risk_level: 1.0,
        ..Action::simple(&firm)
    };
    same(&firm, &decision, &Chance::threshold(1.0));
}
