//! The market over its periods, and its evaluator against the definition.

use crate::shared::episode;
use econ_envs::procurement::evaluate::Evaluator;
use econ_envs::procurement::menu::OfferId;
use econ_envs::procurement::observation::PlanOutcome;
use econ_envs::procurement::{Action, Config, Instance, Procurement, Spec, strategy};
use proptest::prelude::*;
use serde_json::{Value, json};
use sim_core::{Environment, EnvironmentSpec, Seed, ToolInterface};
use std::sync::Arc;

fn open(config: &Config, seed: u64) -> Procurement {
    Spec.begin(Arc::new(
        Instance::generate(config, episode(Seed(seed))).unwrap(),
    ))
    .unwrap()
}

/// The first of the authors' BASIC markets: A, B and C with 4 products each, budget 109.98.
fn paper() -> Procurement {
    let instance = Spec.suite("paper", &Config::basic()).unwrap().remove(0);
    Spec.begin(Arc::new(instance)).unwrap()
}

fn plan(lines: &[(u32, u32)]) -> Action {
    Action::new(lines.iter().map(|&(n, copies)| (OfferId(n - 1), copies))).unwrap()
}

/// By hand: 40 copies of Offer_4 (1.38 each, 2 B2, 1 A4, 1 B1; effectiveness 3, 2, 2) and 7 of
/// Offer_8 (18.45 upfront, 5.12 each, 1 C4 of 3) cost 55.20 + 18.45 + 35.84 = 109.49, sums 80,
/// 320, 21, workers (80 x 320 x 21)^(1/3) = 81.31.
#[test]
fn a_hand_computed_episode() {
    let mut market = paper();
    let best = market.step(&plan(&[(4, 40), (8, 7)])).unwrap();
    assert_eq!(
        best.outcome,
        PlanOutcome::Supports {
            workers: 81.31,
            cost_cents: 10_949
        }
    );
    let score = market.score().unwrap();
    assert!((score.value() - 537_600_f64.cbrt()).abs() < 1e-12);

    // A bulk line under its minimum is charged nothing and forbids the plan.
    let short = market.step(&plan(&[(2, 1), (12, 5)])).unwrap();
    let PlanOutcome::NotAllowed {
        under_minimum,
        over_budget,
    } = &short.outcome
    else {
        panic!()
    };
    assert_eq!((under_minimum.len(), under_minimum[0].needed), (1, 2));
    assert_eq!(*over_budget, None);
    // 8 copies at 18.50 alone cost 148.00.
    let dear = market.step(&plan(&[(12, 8)])).unwrap();
    let PlanOutcome::NotAllowed {
        over_budget: Some(14_800),
        ..
    } = dear.outcome
    else {
        panic!()
    };
    let nothing = market.step(&plan(&[])).unwrap();
    assert_eq!(
        nothing.outcome,
        PlanOutcome::Supports {
            workers: 0.0,
            cost_cents: 0
        }
    );
    market.forfeit();
    market.step(&plan(&[(8, 7), (3, 0), (4, 40)])).unwrap();

    let score = market.score().unwrap();
    let metric = |name: &str| score.metrics()[name];
    assert_eq!(metric("plans"), 5.0);
    assert_eq!(metric("feasible_share"), 0.6);
    assert_eq!(metric("best_attempt"), 0.0);
    // The first and the last plan are the same one in other words, and use 99.6 % of the budget.
    assert_eq!(metric("exploration_rate"), 0.8);
    assert_eq!(metric("budget_utilization"), 0.4);
    assert_eq!(metric("budget_utilization_loose"), 0.4);
    let incident = &score.all_incidents()[0];
    assert_eq!(
        (incident.code.as_str(), incident.period),
        ("forfeited_period", 4)
    );
}

#[test]
fn an_episode_without_a_feasible_plan_scores_nothing() {
    let mut market = open(&Config::basic(), 1);
    while !market.is_over() {
        market.step(&plan(&[(1, 1_000_000)])).unwrap();
    }
    assert!(market.step(&plan(&[])).is_err());
    assert_eq!(market.score().unwrap().value(), 0.0);
    assert_eq!(market.state().attempts.len(), 100);
}

#[test]
fn a_plan_that_spends_the_budget_to_the_cent_is_allowed() {
    let mut instance = Instance::generate(&Config::basic(), episode(Seed(5))).unwrap();
    let cost = Evaluator::new(&instance)
        .unwrap()
        .evaluate(&instance.seed_plan)
        .cost_cents;
    for (budget, feasible) in [(cost, true), (cost - 1, false)] {
        Arc::make_mut(&mut instance.menu).budget_cents = budget;
        let result = Evaluator::new(&instance)
            .unwrap()
            .evaluate(&instance.seed_plan);
        assert_eq!(result.is_feasible(), feasible);
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let mut market = open(&Config::basic(), 1);
    market.step(&plan(&[(1, 2)])).unwrap();
    let before = market.state().clone();
    for (attempts, place) in [
        (json!([[["Offer_13", 1]]]), "attempts.0"),
        (
            json!([null, [["Offer_1", 1], ["Offer_1", 2]]]),
            "attempts.1",
        ),
        (json!(vec![Value::Null; 101]), "attempts"),
    ] {
        let state = serde_json::from_value(json!({"attempts": attempts})).unwrap();
        assert_eq!(market.set_state(state).unwrap_err().place, place);
        assert_eq!(market.state(), &before);
    }
}

/// Two markets that differ in what is hidden show the same until a plan supports any workers.
#[test]
fn nothing_hidden_shows_before_a_plan_supports_somebody() {
    let one = Instance::generate(&Config::medium(), episode(Seed(4))).unwrap();
    let mut other = one.clone();
    for value in other.effectiveness.iter_mut().flatten() {
        *value = 6 - *value;
    }
    other.seed_plan.clear();
    let mut markets = [one, other].map(|instance| Spec.begin(Arc::new(instance)).unwrap());
    let shown = |market: &Procurement| {
        let texts: Vec<String> = market
            .tools()
            .iter()
            .filter_map(|tool| market.get(&tool.name, &json!({})).ok())
            .map(|shown| shown.text)
            .collect();
        (
            serde_json::to_value(market.observe()).unwrap(),
            texts,
            market.briefing(),
        )
    };
    for (number, lines) in [
        vec![],
        vec![(1, 999_999)],
        vec![(1, 1), (2, 1), (3, 1)],
        vec![(30, 1)],
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(
            shown(&markets[0]),
            shown(&markets[1]),
            "before plan {number}"
        );
        let feedback = markets
            .each_mut()
            .map(|market| market.step(&plan(lines)).unwrap());
        if matches!(feedback[0].outcome, PlanOutcome::Supports { workers, .. } if workers > 0.0) {
            continue;
        }
        assert_eq!(feedback[0], feedback[1]);
        assert_eq!(
            markets[0].feedback_text(&feedback[0]),
            markets[1].feedback_text(&feedback[1])
        );
    }
    // Once somebody is supported the workers do differ.
    let lines: Vec<(u32, u32)> = (1..=30).map(|n| (n, 10)).collect();
    let sums = markets.each_ref().map(|m| {
        let all: Vec<_> = lines
            .iter()
            .map(|&(n, copies)| (OfferId(n - 1), copies))
            .collect();
        Evaluator::new(m.instance()).unwrap().evaluate(&all).workers
    });
    assert_ne!(sums[0], sums[1]);
}

/// Cost, sums and workers straight from the definition.
fn naive(instance: &Instance, lines: &[(OfferId, u32)]) -> (i64, u32, f64) {
    let (mut cost, mut under) = (0_i64, 0);
    let mut sums = vec![0_u128; instance.effectiveness.len()];
    for &(offer, copies) in lines {
        let offer = &instance.menu.offers[offer.index()];
        for &(product, units) in &offer.contents {
            let (c, i) = (usize::from(product.category), usize::from(product.index));
            sums[c] +=
                u128::from(instance.effectiveness[c][i]) * u128::from(units) * u128::from(copies);
        }
        if copies == 0 {
            continue;
        }
        if copies < offer.min_copies() {
            under += 1;
        } else {
            cost += offer.upfront_cents() + offer.unit_cents * i64::from(copies);
        }
    }
    let k = sums.len() as f64;
    (
        cost,
        under,
        sums.iter().map(|&sum| (sum as f64).powf(1.0 / k)).product(),
    )
}

proptest! {

    /// The facade: what the strategies give can be generated, opened and played.
    #[test]
    fn strategies_give_valid_values(
        config in strategy::config(),
        (instance, action) in strategy::instance().prop_flat_map(|instance| {
            let action = strategy::action(&instance);
            (Just(instance), action)
        }),
    ) {
        prop_assert!(config.check().is_ok());
        let mut run = Procurement::new(Arc::new(instance)).unwrap();
        let feedback = run.step(&action).unwrap();
        prop_assert_eq!(run.observe().history, [feedback]);
    }
    #[test]
    fn the_evaluator_equals_the_definition(
        k in 1_u32..40,
        seed in any::<u64>(),
        copies in proptest::collection::vec(prop_oneof![Just(0_u32), 1_u32..60, 0_u32..=1_000_000], 1..80),
    ) {
        let config = Config { categories: k, products_per_category: 2, ..Config::medium() };
        let instance = Instance::generate(&config, episode(Seed(seed))).unwrap();
        let evaluator = Evaluator::new(&instance).unwrap();
        let mut counts = vec![0; instance.menu.offers.len()];
        counts.iter_mut().zip(&copies).for_each(|(count, &copies)| *count = copies);
        let lines: Vec<_> = (0..).map(OfferId).zip(counts.iter().copied()).collect();
        let result = evaluator.evaluate(&lines);
        let (cost, under, workers) = naive(&instance, &lines);
        prop_assert_eq!((result.cost_cents, result.under_minimum), (cost, under));
        prop_assert_eq!(result.over_budget, cost > instance.menu.budget_cents);
        prop_assert!((result.workers - workers).abs() <= 1e-9 * workers);
        prop_assert_eq!(evaluator.evaluate_counts(&counts), result);
        // Order does not matter, nor do zeros.
        let backwards: Vec<_> = lines.iter().rev().copied().filter(|l| l.1 > 0).collect();
        prop_assert_eq!(evaluator.evaluate(&backwards), result);
    }

    /// More of anything never supports fewer, and no feasible plan beats the optimum.
    #[test]
    fn more_copies_never_support_fewer(
        seed in 0_u64..50,
        counts in proptest::collection::vec(0_u32..20, 12),
        more in 0_usize..12,
    ) {
        let instance = Instance::generate(&Config::basic(), episode(Seed(seed))).unwrap();
        let evaluator = Evaluator::new(&instance).unwrap();
        let before = evaluator.evaluate_counts(&counts);
        let mut larger = counts.clone();
        larger[more] += 1;
        prop_assert!(evaluator.evaluate_counts(&larger).workers >= before.workers);
        if before.is_feasible() {
            let optimum = econ_envs::procurement::optimum::solve(&instance, 10_000).unwrap();
            prop_assert!(before.workers <= optimum.workers * (1.0 + 1e-9));
        }
    }
}
