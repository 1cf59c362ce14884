//! Markets that nobody would draw: prices of a cent, budgets of billions, effects of nothing. `optimal` must
//! play what the reference says, and the general solver must agree or say that it cannot.

use super::optimum::brute_force;
use econ_envs::procurement::action::MOST_COPIES;
use econ_envs::procurement::config::Rules;
use econ_envs::procurement::evaluate::Evaluator;
use econ_envs::procurement::instance::Instance;
use econ_envs::procurement::menu::{EquipmentType, Menu, Offer, OfferId, Terms};
use econ_envs::procurement::optimum::{MilpError, Refuted, Solver, solve, solve_milp};
use econ_envs::procurement::policy::Optimal;
use econ_envs::procurement::{Procurement, reference};
use sim_core::testkit::small_or_full;
use sim_core::{Effort, Environment, Policy, Seed, Status, Stream};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A number between `low` and `high`, even on the scale of logarithms.
fn spread(draw: &mut Stream, low: i64, high: i64) -> i64 {
    let log = draw.uniform((low as f64).ln(), (high as f64 + 1.0).ln());
    (log.exp() as i64).clamp(low, high)
}

fn one_of<T>(draw: &mut Stream, choices: [T; 3]) -> T {
    let at = draw.index(3);
    choices.into_iter().nth(at).unwrap()
}

/// Market `number`: 1 to 4 categories and 1 to 8 offers; prices, budget, units and effects tame or up to
/// their limits, each by a coin of its own.
fn market(number: u64) -> Instance {
    let mut draw = Seed(number).stream("custom market", 0);
    let draw = &mut draw;
    let categories = draw.between(1, 4);
    let products: Vec<u32> = (0..categories).map(|_| draw.between_u32(1, 3)).collect();
    let max_effectiveness = one_of(draw, [1, 6, 1_000]);
    let least = u32::from(!draw.chance(0.3));
    let effectiveness = products
        .iter()
        .map(|&count| {
            (0..count)
                .map(|_| draw.between_u32(least, max_effectiveness))
                .collect()
        })
        .collect();
    let dearest = one_of(draw, [3, 2_000, 100_000_000]);
    let most_units = one_of(draw, [1, 5, 10_000]);
    let least_copies = one_of(draw, [3, 50, 10_000]);
    let everything: Vec<EquipmentType> = (0_u16..)
        .zip(&products)
        .flat_map(|(category, &count)| {
            (0..count as u16).map(move |index| EquipmentType { category, index })
        })
        .collect();
    let offers: Vec<Offer> = (0..draw.between(1, 8))
        .map(|_| Offer {
            unit_cents: spread(draw, 1, dearest),
            terms: match draw.index(3) {
                0 => Terms::Simple,
                1 => Terms::TwoPart {
                    upfront_cents: spread(draw, 1, dearest) - 1,
                },
                _ => Terms::BulkOnly {
                    min_copies: spread(draw, 1, least_copies) as u32,
                },
            },
            contents: everything
                .iter()
                .filter_map(|&product| {
                    let units = spread(draw, 1, most_units) as u32;
                    draw.chance(0.4).then_some((product, units))
                })
                .collect(),
        })
        .collect();
    let prices: i64 = offers
        .iter()
        .map(|o| o.unit_cents + o.upfront_cents())
        .sum();
    let budget_cents = match draw.index(3) {
        0 => spread(draw, 1, prices.max(2)),
        1 => spread(draw, prices, prices * 100),
        _ => spread(draw, 1, 1_000_000_000_000),
    };
    let instance = Instance {
        name: None,
        rules: Rules {
            periods: 1,
            ..Rules::default()
        },
        menu: Arc::new(Menu {
            products,
            budget_cents,
            offers,
        }),
        effectiveness,
        max_effectiveness,
        seed_plan: Vec::new(),
    };
    instance.check().unwrap();
    instance
}

/// Number of plans within the limits, without the budget's coupling: what an enumeration tries at most.
fn plans(instance: &Instance) -> f64 {
    let menu = &instance.menu;
    let counts = menu.offers.iter().map(|offer| {
        let left = (menu.budget_cents - offer.upfront_cents()).max(0);
        1.0 + (left / offer.unit_cents).min(i64::from(MOST_COPIES)) as f64
    });
    counts.product()
}

/// The workers that `optimal` reaches in a market of one period.
fn played(instance: &Instance) -> f64 {
    let mut policy = Optimal::new(instance, Solver::BranchAndBound, Effort::Quick).unwrap();
    let mut env = Procurement::new(Arc::new(instance.clone())).unwrap();
    env.step(&policy.act(&env.observe())).unwrap();
    env.score().unwrap().value()
}

#[test]
fn optimal_plays_what_the_reference_says() {
    let (mut proven, mut enumerated, mut at_the_limit, mut empty) = (0, 0, 0, 0);
    for number in 0..1_000 {
        let instance = market(number);
        let best = reference(&instance, Effort::Quick);
        let optimum = best.optimum.unwrap();
        let bound = best.bound.unwrap();
        let got = played(&instance);
        assert!(bound.is_finite() && optimum <= bound, "{number}: {best:?}");
        if best.status == Status::Proven {
            assert!(got == optimum, "{number}: {got} {best:?}");
            assert!(bound <= optimum * (1.0 + 2e-9), "{number}: {best:?}");
            proven += 1;
        } else {
            assert!(got >= optimum && got <= bound, "{number}: {got} {best:?}");
        }
        if plans(&instance) <= 20_000.0 {
            let (most, _) = brute_force(&instance);
            assert!(
                (optimum - most).abs() <= 1e-9 * most,
                "{number}: {best:?} {most}"
            );
            enumerated += 1;
        }
        let plan = solve(&instance, 20_000).unwrap().plan;
        at_the_limit += u32::from(plan.iter().any(|line| line.1 == MOST_COPIES));
        empty += u32::from(plan.is_empty());
    }
    eprintln!(
        "{proven} proven, {enumerated} enumerated, {at_the_limit} with a million copies, {empty} empty"
    );
    assert!(proven >= 990 && enumerated > 300 && at_the_limit > 100 && empty < 500);
}

fn is_optimum(instance: &Instance, workers: f64) {
    let best = reference(instance, Effort::Quick);
    assert_eq!(best.status, Status::Proven);
    assert!((best.optimum.unwrap() - workers).abs() < 1e-6, "{best:?}");
    assert_eq!(best.optimum, Some(played(instance)));
}

/// A million copies of both: the budget would pay for half a million more of each.
#[test]
fn no_plan_holds_more_copies_than_an_action_may() {
    let mut instance = market(0);
    let product = |category| EquipmentType { category, index: 0 };
    let cheap = |category| Offer {
        unit_cents: 1,
        terms: Terms::Simple,
        contents: vec![(product(category), 1)],
    };
    instance.menu = Arc::new(Menu {
        products: vec![1, 1],
        budget_cents: 3_000_000,
        offers: vec![cheap(0), cheap(1)],
    });
    instance.effectiveness = vec![vec![1], vec![1]];
    is_optimum(&instance, 1_000_000.0);
    // A certificate says nothing of plans that no action holds.
    let certificate = solve(&instance, 100).unwrap().certificate;
    let more = [(OfferId(0), 1_500_000), (OfferId(1), 1_500_000)];
    assert_eq!(
        certificate.verify(&instance, &more),
        Err(Refuted::Infeasible)
    );
    assert_eq!(solve_milp(&instance).unwrap().len(), 2);

    // With a fixed charge of a million dollars: half a million of each remains.
    let mut menu = Menu::clone(&instance.menu);
    menu.offers[0].terms = Terms::TwoPart {
        upfront_cents: 100_000_000,
    };
    menu.offers.push(Offer {
        unit_cents: 1_000,
        ..cheap(0)
    });
    menu.budget_cents = 101_000_000;
    instance.menu = Arc::new(menu);
    is_optimum(&instance, 500_000.0);
}

/// The upfront price of the offer alone exceeds what other offers leave, so copies must go, many at once.
#[test]
fn a_debt_of_a_million_copies_is_paid_in_few_steps() {
    let mut instance = market(0);
    let offers = (0..12).map(|number| Offer {
        unit_cents: 1,
        terms: Terms::TwoPart {
            upfront_cents: 1_000_000 + number,
        },
        contents: vec![(
            EquipmentType {
                category: 0,
                index: 0,
            },
            1 + number as u32,
        )],
    });
    instance.menu = Arc::new(Menu {
        products: vec![1],
        budget_cents: 6_000_000,
        offers: offers.collect(),
    });
    instance.effectiveness = vec![vec![1]];
    let best = reference(&instance, Effort::Quick);
    assert!(best.optimum <= best.bound && played(&instance) >= best.optimum.unwrap());
}

#[test]
fn slow_the_general_solver_agrees_or_says_that_it_cannot() {
    let (mut agreed, mut refused) = (0, BTreeMap::new());
    let markets = small_or_full(300, 1_000);
    for number in 0..markets {
        let instance = market(number);
        let optimum = reference(&instance, Effort::Quick).optimum.unwrap();
        match solve_milp(&instance) {
            Ok(plan) => {
                let result = Evaluator::new(&instance).unwrap().evaluate(&plan);
                assert!(result.is_feasible(), "{number}: {plan:?}");
                let off = (result.workers - optimum).abs();
                assert!(
                    off <= 1e-9 * optimum,
                    "{number}: {} {optimum}",
                    result.workers
                );
                agreed += 1;
            }
            Err(MilpError::Instance(error)) => panic!("{number}: {error}"),
            Err(error) => *refused.entry(error.to_string()).or_insert(0) += 1,
        }
    }
    eprintln!("{agreed} agreed, not solved: {refused:?}");
    assert!(agreed * 100 >= markets * 95, "{agreed} {refused:?}");
}
