//! The authors' program, number for number: cost, feasibility, workers, optima.

use econ_envs::procurement::Spec;
use econ_envs::procurement::action::Action;
use econ_envs::procurement::config::Config;
use econ_envs::procurement::evaluate::{Evaluator, shown_workers};
use econ_envs::procurement::instance::Instance;
use econ_envs::procurement::menu::{EquipmentType, Menu, Offer, OfferId, Terms};
use econ_envs::procurement::optimum::solve;
use serde_json::Value;
use sim_core::EnvironmentSpec;
use std::sync::Arc;

const LEVELS: [&str; 3] = ["basic", "medium", "hard"];

/// The golden file of a level; `None`, loudly, where the folder is absent.
fn golden(level: &str) -> Option<Value> {
    let path = format!(
        "{}/../../../shared/golden/econ/procurement_{level}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            eprintln!("SKIPPED: no golden file {path}");
            None
        }
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

fn lines(plan: &Value) -> Vec<(OfferId, u32)> {
    let plan = plan.as_object().unwrap().iter();
    plan.map(|(id, copies)| (id_of(id), copies.as_u64().unwrap() as u32))
        .collect()
}

fn id_of(name: &str) -> OfferId {
    OfferId::from_name(name).unwrap()
}

/// A golden instance in our form. The order of an offer's contents is lost in sorted JSON; no
/// number depends on it.
pub(super) fn instance(golden: &Value) -> Instance {
    let products = list(golden, "categories")
        .iter()
        .map(|c| c.as_array().unwrap());
    let offers = list(golden, "offers")
        .iter()
        .enumerate()
        .map(|(number, offer)| {
            assert_eq!(id_of(offer["id"].as_str().unwrap()).index(), number);
            Offer {
                unit_cents: offer["unit_cents"].as_i64().unwrap(),
                terms: match offer["kind"].as_str().unwrap() {
                    "simple" => Terms::Simple,
                    "two_part" => Terms::TwoPart {
                        upfront_cents: offer["upfront_cents"].as_i64().unwrap(),
                    },
                    "bulk_only" => Terms::BulkOnly {
                        min_copies: offer["min_copies"].as_u64().unwrap() as u32,
                    },
                    other => panic!("{other}"),
                },
                contents: offer["contents"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(name, units)| {
                        (
                            EquipmentType::from_name(name).unwrap(),
                            units.as_u64().unwrap() as u32,
                        )
                    })
                    .collect(),
            }
        });
    let effect = |name: &Value| {
        golden["effectiveness"][name.as_str().unwrap()]
            .as_u64()
            .unwrap()
    };
    let effectiveness: Vec<Vec<u32>> = products
        .clone()
        .map(|c| c.iter().map(|name| effect(name) as u32).collect())
        .collect();
    let instance = Instance {
        name: golden["id"].as_str().map(str::to_owned),
        rules: Default::default(),
        menu: Arc::new(Menu {
            products: products.map(|c| c.len() as u32).collect(),
            budget_cents: golden["budget_cents"].as_i64().unwrap(),
            offers: offers.collect(),
        }),
        max_effectiveness: 20,
        effectiveness,
        seed_plan: lines(&golden["seed_plan"]),
    };
    instance.check().unwrap();
    instance
}

/// All golden instances of a level.
pub(super) fn instances(level: &str) -> Vec<(Instance, Value)> {
    let Some(golden) = golden(level) else {
        return Vec::new();
    };
    list(&golden, "instances")
        .iter()
        .map(|g| (instance(g), g.clone()))
        .collect()
}

#[test]
fn every_plan_has_the_authors_cost_feasibility_and_workers() {
    let (mut plans, mut cents) = (0, 0);
    for level in LEVELS {
        for (instance, golden) in instances(level) {
            let evaluator = Evaluator::new(&instance).unwrap();
            for case in list(&golden, "plans") {
                let name = format!("{} {}", golden["id"], case["kind"]);
                let plan = lines(&case["plan"]);
                let result = evaluator.evaluate(&plan);
                assert_eq!(
                    result.cost_cents,
                    case["cost_cents"].as_i64().unwrap(),
                    "{name}"
                );
                assert_eq!(
                    result.over_budget,
                    case["over_budget"].as_bool().unwrap(),
                    "{name}"
                );
                assert_eq!(
                    result.under_minimum as usize,
                    list(case, "under_min").len(),
                    "{name}"
                );
                assert_eq!(
                    result.is_feasible(),
                    case["feasible"].as_bool().unwrap(),
                    "{name}"
                );
                let sums = list(case, "category_sums")
                    .iter()
                    .map(|s| s.as_u64().unwrap());
                assert!(evaluator.sums(&plan).into_iter().eq(sums), "{name}");
                for key in ["workers", "ref_workers"] {
                    let workers = case[key].as_f64().unwrap();
                    assert!(
                        (result.workers - workers).abs() <= 1e-12 * workers,
                        "{name}"
                    );
                }
                // The authors' dollars are floats; where their test differs from ours, it is
                // because the plan spends the budget to the cent.
                if case["ref_feasible"] != case["feasible"] {
                    assert_eq!(result.cost_cents, instance.menu.budget_cents, "{name}");
                    cents += 1;
                }
                let dense = Action::new(plan.iter().copied()).unwrap();
                let mut copies = vec![0; instance.menu.offers.len()];
                dense
                    .lines()
                    .iter()
                    .for_each(|(offer, n)| copies[offer.index()] = *n);
                assert_eq!(evaluator.evaluate_counts(&copies), result, "{name}");
                plans += 1;
            }
        }
    }
    eprintln!("{plans} plans compared, {cents} of them refused by floating-point dollars");
    assert!(plans == 0 || (plans, cents) == (1492, 4));
}

/// Optima of the authors' suite: two integer programmes agree on each.
#[test]
fn slow_optima_of_the_suite_are_those_of_two_integer_programmes() {
    let known: Value =
        serde_json::from_str(include_str!("../../golden/market_optima.json")).unwrap();
    let mut compared = 0;
    for (level, config) in [
        ("basic", Config::basic()),
        ("medium", Config::medium()),
        ("hard", Config::hard()),
    ] {
        let markets = Spec.suite("paper", &config).unwrap();
        let known = list(&known["procurement"], level);
        for (market, known) in markets.iter().zip(known) {
            let (best, known) = (solve(market, 100_000).unwrap(), known.as_f64().unwrap());
            assert!(best.is_proven(), "{level}");
            assert!(best.certificate.verify(market, &best.plan).is_ok());
            assert!((best.workers - known).abs() <= 1e-9 * known, "{level}");
            compared += 1;
        }
    }
    assert_eq!(compared, 36);
}

#[test]
fn every_optimum_is_the_golden_one_and_its_certificate_holds() {
    let (mut compared, mut closed) = (0, 0);
    for level in LEVELS {
        for (instance, golden) in instances(level) {
            let optimum = solve(&instance, 10_000).unwrap();
            let expected = golden["opt"]["workers"].as_f64().unwrap();
            let name = &golden["id"];
            assert!(
                (optimum.workers - expected).abs() <= 1e-12 * expected,
                "{name}"
            );
            assert!(optimum.is_proven(), "{name}: {}", optimum.log_bound);
            let checked = optimum
                .certificate
                .verify(&instance, &optimum.plan)
                .unwrap();
            closed += checked.closed;
            compared += 1;
            // The authors' plan is as good, but may be another one.
            let theirs = lines(&golden["opt"]["plan"]);
            assert!(
                optimum.certificate.verify(&instance, &theirs).is_ok(),
                "{name}"
            );
        }
    }
    eprintln!("{compared} optima compared, {closed} nodes of their certificates re-checked");
    assert!(compared == 0 || compared == 60);
}

/// The first BASIC market has the budget that the paper prints (F.1.7 and F.1.10). By enumeration its best
/// plan is 44 copies of Offer_4 and 6 of Offer_8: (88 x 352 x 18)^(1/3) = 82.31 for 109.89.
///
/// The last dollar of the other budgets is unknown. The rest of the budget is the cost of the seed plan, so the
/// optimum lies between those of that cost and of a dollar more.
#[test]
fn the_unknown_dollar_of_the_budgets_moves_the_optima_of_the_suite() {
    for (config, largest) in [
        (Config::basic(), 0.222),
        (Config::medium(), 0.011),
        (Config::hard(), 0.003),
    ] {
        for (number, mut instance) in (0..).zip(Spec.suite("paper", &config).unwrap()) {
            let evaluator = Evaluator::new(&instance).unwrap();
            let seed = evaluator.evaluate(&instance.seed_plan).cost_cents;
            let slack = instance.menu.budget_cents - seed;
            assert!((0..=100).contains(&slack));
            let mut at = |cents: i64| {
                Arc::make_mut(&mut instance.menu).budget_cents = cents;
                let optimum = solve(&instance, 20_000).unwrap();
                assert!(optimum.is_proven());
                optimum.workers
            };
            let [low, ours, high] = [seed, seed + slack, seed + 100].map(&mut at);
            let width = (high - low) / ours;
            eprintln!(
                "{}: slack {slack}, {low:.4} to {high:.4}, ours {ours:.4}, {:.2} %",
                instance.name.as_deref().unwrap(),
                100.0 * width
            );
            assert!(low <= ours && ours <= high && width <= largest, "{number}");
            if instance.name.as_deref() == Some("BASIC_0") {
                assert_eq!((seed, slack), (10_922, 76));
                assert!((ours - 557_568_f64.cbrt()).abs() < 1e-12);
            }
        }
    }
}

/// The paper's example output of the first BASIC market (appendix F.1.5).
#[test]
fn the_papers_printed_example_is_reproduced() {
    let mut suite = Spec.suite("paper", &Config::basic()).unwrap();
    let first = suite.swap_remove(0);
    let evaluator = Evaluator::new(&first).unwrap();
    for (plan, workers, cents) in [
        (vec![(4, 1), (9, 1), (11, 1), (12, 1)], 4.67, 5_004),
        (vec![(4, 3), (9, 2), (10, 1), (7, 1)], 0.0, 8_754),
    ] {
        let plan: Vec<_> = plan
            .into_iter()
            .map(|(n, copies)| (OfferId(n - 1), copies))
            .collect();
        let result = evaluator.evaluate(&plan);
        assert!(result.is_feasible());
        assert_eq!(
            (shown_workers(result.workers), result.cost_cents),
            (workers, cents)
        );
    }
}
