//! The optimum against enumeration, against a general solver, and its certificate under attack.

use super::golden::instances;
use crate::shared::episode;
use econ_envs::procurement::action::MOST_COPIES;
use econ_envs::procurement::config::Config;
use econ_envs::procurement::evaluate::Evaluator;
use econ_envs::procurement::instance::Instance;
use econ_envs::procurement::menu::OfferId;
use econ_envs::procurement::optimum::{NodeEnd, Refuted, solve, solve_milp};
use sim_core::Seed;
use sim_core::testkit::small_or_full;
use std::sync::Arc;

/// Markets so small that every plan can be tried: the drawn budget, cut down.
fn tiny(number: u64) -> Instance {
    let mut draw = Seed(number).stream("tiny", 0);
    let categories = draw.between(1, 3) as u32;
    let config = Config {
        categories,
        products_per_category: draw.between(1, 2) as u32,
        products_p: 0.5,
        units_p: 0.4,
        max_effectiveness: draw.between(1, 6) as u32,
        ..Config::basic()
    };
    let mut instance = Instance::generate(&config, episode(Seed(number))).unwrap();
    let budget = instance.menu.budget_cents.min(draw.between(1_500, 9_000));
    Arc::make_mut(&mut instance.menu).budget_cents = budget;
    instance
}

/// The best plan by trying all of them, and how many there were.
pub(super) fn brute_force(instance: &Instance) -> (f64, u64) {
    fn go(
        instance: &Instance,
        evaluator: &Evaluator,
        plan: &mut Vec<(OfferId, u32)>,
        left: i64,
        best: &mut f64,
        tried: &mut u64,
    ) {
        let Some(offer) = instance.menu.offers.get(plan.len()) else {
            let result = evaluator.evaluate(plan);
            assert!(result.is_feasible());
            *best = best.max(result.workers);
            *tried += 1;
            return;
        };
        let id = OfferId(plan.len() as u32);
        for copies in 0.. {
            let price = offer.upfront_cents() * i64::from(copies > 0)
                + offer.unit_cents * i64::from(copies);
            if copies > 0 && (price > left || copies > MOST_COPIES) {
                break;
            }
            if copies > 0 && copies < offer.min_copies() {
                continue;
            }
            plan.push((id, copies));
            go(instance, evaluator, plan, left - price, best, tried);
            plan.pop();
        }
    }
    let (mut best, mut tried) = (0.0, 0);
    let evaluator = Evaluator::new(instance).unwrap();
    go(
        instance,
        &evaluator,
        &mut Vec::new(),
        instance.menu.budget_cents,
        &mut best,
        &mut tried,
    );
    (best, tried)
}

#[test]
fn five_hundred_tiny_markets_agree_with_enumeration_and_with_the_general_solver() {
    let (mut plans, mut empty) = (0, 0);
    for number in 0..500 {
        let instance = tiny(number);
        let (best, tried) = brute_force(&instance);
        plans += tried;
        empty += u32::from(best == 0.0);
        let optimum = solve(&instance, 100_000).unwrap();
        assert!(
            (optimum.workers - best).abs() <= 1e-9 * best,
            "{number}: {optimum:?} {best}"
        );
        assert!(optimum.is_proven(), "{number}");
        optimum
            .certificate
            .verify(&instance, &optimum.plan)
            .unwrap();
        let milp = Evaluator::new(&instance)
            .unwrap()
            .evaluate(&solve_milp(&instance).unwrap());
        assert!(milp.is_feasible());
        assert!(
            (milp.workers - best).abs() <= 1e-9 * best,
            "{number}: {milp:?} {best}"
        );
    }
    eprintln!("500 markets, {plans} plans tried, {empty} markets that support no workers");
    assert!(
        plans > 20_000 && empty > 5 && empty < 250,
        "{plans} {empty}"
    );
}

#[test]
fn slow_the_general_solver_agrees_on_the_golden_markets() {
    let medium = small_or_full(5, 20);
    let mut compared = 0;
    for (level, most) in [("basic", 20), ("medium", medium)] {
        for (instance, golden) in instances(level).into_iter().take(most) {
            let plan = solve_milp(&instance).unwrap();
            let result = Evaluator::new(&instance).unwrap().evaluate(&plan);
            let expected = golden["opt"]["workers"].as_f64().unwrap();
            assert!(result.is_feasible());
            assert!(
                (result.workers - expected).abs() <= 1e-9 * expected,
                "{}",
                golden["id"]
            );
            compared += 1;
        }
    }
    eprintln!("{compared} optima compared");
    assert!(compared == 0 || compared == 20 + medium);
}

/// The same at HARD, on the markets that the general solver finishes soonest.
#[test]
fn slow_the_general_solver_agrees_on_hard_markets() {
    let mut compared = 0;
    for (instance, golden) in instances("hard") {
        if !["HARD_2", "HARD_3", "HARD_5"].contains(&golden["id"].as_str().unwrap()) {
            continue;
        }
        let result = Evaluator::new(&instance)
            .unwrap()
            .evaluate(&solve_milp(&instance).unwrap());
        let optimum = solve(&instance, 10_000).unwrap();
        assert!(result.is_feasible());
        assert!(
            (result.workers / optimum.workers - 1.0).abs() <= 1e-9,
            "{}",
            golden["id"]
        );
        compared += 1;
    }
    assert!(compared == 0 || compared == 3);
}

#[test]
fn other_sizes_and_budgets_are_proven_too() {
    let mut closed = 0;
    for (number, k) in [1, 2, 7, 12, 16, 20].into_iter().enumerate() {
        let config = Config {
            categories: k,
            products_per_category: 3,
            offers: Some(3 * k + 5),
            products_p: 0.3,
            units_p: 0.3,
            max_effectiveness: 9,
            ..Config::basic()
        };
        let mut instance = Instance::generate(&config, episode(Seed(number as u64))).unwrap();
        for share in [0.37, 1.0, 1.41] {
            let budget = (instance.menu.budget_cents as f64 * share) as i64;
            let before = instance.menu.budget_cents;
            Arc::make_mut(&mut instance.menu).budget_cents = budget;
            let optimum = solve(&instance, 20_000).unwrap();
            assert!(optimum.is_proven(), "{k} {share}");
            closed += optimum
                .certificate
                .verify(&instance, &optimum.plan)
                .unwrap()
                .closed;
            assert!(optimum.bound().unwrap() >= optimum.workers);
            Arc::make_mut(&mut instance.menu).budget_cents = before;
        }
    }
    assert!(closed > 18, "{closed}");
}

/// The limit is a number of relaxations, not of seconds, so that the answer is the same everywhere.
#[test]
fn a_market_of_63_categories_ends_with_a_bound_and_claims_no_proof() {
    let config = Config {
        categories: 63,
        products_per_category: 8,
        ..Config::hard()
    };
    let instance = Instance::generate(&config, episode(Seed(0))).unwrap();
    let found = solve(&instance, 20_000).unwrap();
    assert!(
        (1..=10).contains(&found.relaxations),
        "{}",
        found.relaxations
    );
    assert!(found.bound().is_some_and(|bound| bound >= found.workers));
    let again = solve(&instance, 20_000).unwrap();
    assert_eq!((again.plan, again.log_bound), (found.plan, found.log_bound));
}

#[test]
fn a_search_cut_short_says_so() {
    let instance = Instance::generate(&Config::hard(), episode(Seed(3))).unwrap();
    let full = solve(&instance, 10_000).unwrap();
    let short = solve(&instance, 2).unwrap();
    assert!(full.is_proven() && !short.is_proven());
    assert!(short.workers <= full.workers && short.bound().unwrap() >= full.workers);
    assert!(matches!(
        short.certificate.verify(&instance, &short.plan),
        Err(Refuted::Open(_))
    ));
}

/// No forged certificate passes: for a worse plan, with altered multipliers or an altered tree.
#[test]
fn certificates_cannot_be_forged() {
    let instance = Instance::generate(&Config::medium(), episode(Seed(8))).unwrap();
    let optimum = solve(&instance, 10_000).unwrap();
    let certificate = optimum.certificate;
    assert!(certificate.nodes.len() > 3);
    certificate.verify(&instance, &optimum.plan).unwrap();
    let text = serde_json::to_string(&certificate).unwrap();
    assert_eq!(certificate, serde_json::from_str(&text).unwrap());

    let mut worse = optimum.plan.clone();
    worse[0].1 -= 1;
    assert!(certificate.verify(&instance, &worse).is_err());
    let mut dearer = optimum.plan.clone();
    dearer[0].1 += 1_000;
    assert_eq!(
        certificate.verify(&instance, &dearer),
        Err(Refuted::Infeasible)
    );

    let (mut altered, mut refused) = (0, 0);
    for number in 0..certificate.nodes.len() {
        let mut forged = certificate.clone();
        forged.nodes[number].end = NodeEnd::Closed;
        if certificate.nodes[number].end != NodeEnd::Closed {
            altered += 1;
            refused += u32::from(forged.verify(&instance, &optimum.plan).is_err());
        }
        let mut forged = certificate.clone();
        if let Some(prices) = &mut forged.nodes[number].prices {
            prices.money = f64::NAN;
            assert_eq!(
                forged.verify(&instance, &optimum.plan),
                Err(Refuted::Malformed(number))
            );
        }
        let mut forged = certificate.clone();
        if let NodeEnd::Split { first_child, .. } = &mut forged.nodes[number].end {
            *first_child = 0;
            assert!(forged.verify(&instance, &optimum.plan).is_err());
        }
    }
    assert!(altered > 0 && altered == refused, "{altered} {refused}");
}

/// For a plan that is not the best no certificate passes, whatever stands in it.
#[test]
fn no_altered_certificate_vouches_for_a_worse_plan() {
    let (mut tried, mut honest) = (0, 0);
    for number in 0..150 {
        let instance = tiny(number);
        let optimum = solve(&instance, 100_000).unwrap();
        if optimum.workers == 0.0 {
            continue;
        }
        let mut draw = Seed(number).stream("forgery", 0);
        let evaluator = Evaluator::new(&instance).unwrap();
        let mut worse = optimum.plan.clone();
        let line = draw.index(worse.len());
        let least = instance.menu.offers[worse[line].0.index()].min_copies();
        worse[line].1 = if worse[line].1 > least {
            worse[line].1 - 1
        } else {
            0
        };
        if evaluator.evaluate(&worse).workers >= optimum.workers * (1.0 - 1e-8) {
            continue;
        }
        for _ in 0..40 {
            let mut forged = optimum.certificate.clone();
            for node in &mut forged.nodes {
                if let Some(prices) = &mut node.prices {
                    for y in &mut prices.categories {
                        *y *= (2.0 * draw.normal()).exp();
                    }
                    prices.money *= (2.0 * draw.normal()).exp();
                }
                if draw.chance(0.1) {
                    node.end = NodeEnd::Closed;
                }
                if let NodeEnd::Split { offer, at, .. } = &mut node.end {
                    *offer = OfferId(draw.index(instance.menu.offers.len()) as u32);
                    *at = draw.index(5) as u32;
                }
            }
            assert!(
                forged.verify(&instance, &worse).is_err(),
                "{number}: {forged:?}"
            );
            tried += 1;
            // For the best plan any prices may do: they bound, well or badly.
            honest += u32::from(forged.verify(&instance, &optimum.plan).is_ok());
        }
    }
    eprintln!("{tried} forgeries refused; {honest} would have done for the best plan");
    assert!(tried > 2_000 && honest > 100, "{tried} {honest}");
}

/// A market in which no workers can be supported has the empty plan as its proven optimum.
#[test]
fn a_hopeless_market_is_proven_hopeless() {
    let mut instance = Instance::generate(&Config::basic(), episode(Seed(1))).unwrap();
    Arc::make_mut(&mut instance.menu).budget_cents = 50;
    let optimum = solve(&instance, 100).unwrap();
    assert!(optimum.is_proven() && optimum.plan.is_empty() && optimum.workers == 0.0);
    optimum.certificate.verify(&instance, &[]).unwrap();
    assert!(solve_milp(&instance).unwrap().is_empty());
}
