//! Demand, optimum, ceiling and price rules against the authors' program.

use crate::shared::{close, golden, numbers};
use econ_envs::pricing::config::OutsideLaw;
use econ_envs::pricing::instance::Shift;
use econ_envs::pricing::observation::round_cents;
use econ_envs::pricing::{Action, Config, Instance, Pricing, Spec};
use serde_json::Value;
use sim_core::{Environment as _, EnvironmentSpec as _};
use std::sync::Arc;

const LEVELS: [&str; 3] = ["basic", "medium", "hard"];

fn level(name: &str) -> Config {
    match name {
        "basic" => Config::basic(),
        "medium" => Config::medium(),
        _ => Config::hard(),
    }
}

fn instance(config: Config, case: &Value) -> Instance {
    let shift = &case["shift"];
    let number = |name: &str| case[name].as_f64().unwrap();
    assert_eq!((config.sigma, config.mu), (number("sigma"), number("mu")));
    assert_eq!(
        (config.outside_quality, config.market_size),
        (number("a0"), number("M"))
    );
    Instance {
        costs: numbers(&case["costs"]),
        quality: numbers(&case["a"]),
        categories: numbers(&case["groups"])
            .into_iter()
            .map(|g| g as u16)
            .collect(),
        alpha: numbers(&shift["alpha_init"]),
        shift: if shift["type"] == "linear" {
            Shift::Linear {
                steps: numbers(&shift["slopes"]),
            }
        } else {
            Shift::Periodic {
                amplitudes: numbers(&shift["amplitudes"]),
                length: u32::try_from(shift["period_length"].as_u64().unwrap()).unwrap(),
            }
        },
        ceiling_factor: case["upper_bound"]["mult"].as_f64().unwrap(),
        config,
    }
}

/// All golden instances of a level, each with its case; `None` without the files.
fn cases(name: &str) -> Option<Vec<(Instance, Value)>> {
    let file = golden(&format!("econ/pricing_{name}.json"))?;
    let list = file["instances"].as_array().unwrap();
    Some(
        list.iter()
            .map(|case| (instance(level(name), case), case.clone()))
            .collect(),
    )
}

#[test]
fn every_golden_market() {
    let (mut instances, mut markets, mut values) = (0, 0, 0);
    for name in LEVELS {
        let Some(cases) = cases(name) else { return };
        for (instance, case) in cases {
            instance.check().unwrap();
            for (period, want) in case["alpha_at"].as_object().unwrap() {
                let got = instance.alpha_at(period.parse().unwrap());
                for (got, want) in got.iter().zip(numbers(want)) {
                    assert!(close(*got, want, 1e-14, 0.0));
                }
            }
            let demand = instance.demand().unwrap();
            for market in case["cases"].as_array().unwrap() {
                let period = u32::try_from(market["t"].as_u64().unwrap()).unwrap();
                let prices = numbers(&market["prices"]);
                let (quantities, profits) =
                    demand.sales(&instance.alpha_at(period), &prices).unwrap();
                let shown = &market["displayed"];
                for (got, name) in [
                    (&prices, "prices"),
                    (&quantities, "quantities"),
                    (&profits, "profits"),
                ] {
                    for (got, want) in got.iter().zip(numbers(&shown[name])) {
                        assert_eq!(round_cents(*got), want, "{name} as shown");
                    }
                }
                // A profit near zero is a difference of large terms: it is compared on the scale
                // of what was sold.
                for ((got, want), sold) in quantities
                    .iter()
                    .zip(numbers(&market["quantities"]))
                    .zip(&quantities)
                {
                    assert!(close(*got, want, 1e-9, 0.0), "{got} {want} {sold}");
                    values += 1;
                }
                for ((got, want), sold) in profits
                    .iter()
                    .zip(numbers(&market["profits"]))
                    .zip(&quantities)
                {
                    assert!(close(*got, want, 1e-9, sold.abs()), "{got} {want}");
                    values += 1;
                }
                markets += 1;
            }
            instances += 1;
        }
    }
    println!("{instances} instances, {markets} markets, {values} values compared");
    assert_eq!((instances, markets), (60, 1060));
    assert!(values > 10_000);
}

#[test]
fn every_golden_optimum_and_ceiling() {
    let (mut optima, mut searched, mut ceilings) = (0, 0, 0);
    for name in LEVELS {
        let Some(cases) = cases(name) else { return };
        for (instance, case) in cases {
            let best = instance.optimum().unwrap();
            let want = &case["opt"];
            let of = |name: &str| want[name].as_f64().unwrap();
            assert!(close(best.markup, of("markup"), 1e-12, 0.0));
            assert!(close(best.profit, of("profit_per_period"), 1e-12, 0.0));
            assert!(close(best.outside_share, of("outside_share"), 1e-12, 0.0));
            assert!(close(50.0 * best.profit, of("opt_last50"), 1e-12, 0.0));
            for (got, want) in best.real_prices.iter().zip(numbers(&want["x"])) {
                assert!(close(*got, want, 1e-12, 0.0));
            }
            for (period, prices) in want["prices_at"].as_object().unwrap() {
                let alpha = instance.alpha_at(period.parse().unwrap());
                for ((alpha, x), want) in alpha.iter().zip(&best.real_prices).zip(numbers(prices)) {
                    assert!(close(alpha * x, want, 1e-12, 0.0));
                }
            }
            // The authors' numeric search, where it was run.
            if let Some(found) = case["ref_opt_last50"].as_f64() {
                assert!(close(50.0 * best.profit, found, 1e-9, 0.0));
                searched += 1;
            }
            let printed = Config {
                outside: OutsideLaw::Paper,
                ..instance.config.clone()
            };
            let printed = Instance {
                config: printed,
                ..instance.clone()
            }
            .optimum()
            .unwrap();
            let want = &case["opt_paper_formula"];
            assert!(close(
                printed.markup,
                want["markup"].as_f64().unwrap(),
                1e-12,
                0.0
            ));
            let profit = want["profit_per_period"].as_f64().unwrap();
            assert!(close(printed.profit, profit, 1e-12, 0.0));
            let bound = &case["upper_bound"];
            assert_eq!(instance.ceilings().unwrap(), numbers(&bound["blocks"]));
            if bound["ref_blocks"].is_array() {
                assert_eq!(instance.ceilings().unwrap(), numbers(&bound["ref_blocks"]));
                ceilings += 1;
            }
            optima += 1;
        }
    }
    println!(
        "{optima} optima ({searched} beside the authors' search), {ceilings} ceilings of theirs"
    );
    assert_eq!((optima, searched, ceilings), (60, 36, 6));
}

/// Three price rules over whole runs: score with rounded and with exact profits, adaptability.
#[test]
fn every_golden_trajectory() {
    let mut compared = 0;
    for name in LEVELS {
        let Some(cases) = cases(name) else { return };
        for (instance, case) in cases {
            let best = instance.optimum().unwrap();
            let optimal = |period: u32, round: bool| -> Vec<f64> {
                let alpha = instance.alpha_at(period);
                let prices = alpha.iter().zip(&best.real_prices).map(|(a, x)| a * x);
                prices
                    .map(|p| if round { round_cents(p) } else { p })
                    .collect()
            };
            let cost_plus: Vec<f64> = instance
                .costs
                .iter()
                .zip(&instance.alpha)
                .map(|(c, a)| 1.5 * c * a)
                .collect();
            for path in case["trajectory"].as_array().unwrap() {
                let rule = path["prices_rule"].as_str().unwrap();
                let mut run = Pricing::new(Arc::new(instance.clone())).unwrap();
                while !run.is_over() {
                    let period = run.observe().attempt;
                    let prices = if rule.contains("period-0") {
                        optimal(0, true)
                    } else if rule.contains("that period's") {
                        optimal(period, true)
                    } else {
                        assert!(rule.contains("1.5 * cost"), "{rule}");
                        cost_plus.clone()
                    };
                    run.step(&Action { prices }).unwrap();
                }
                let score = run.score().unwrap();
                let of = |name: &str| path[name].as_f64().unwrap();
                assert!(close(score.value(), of("score_ref"), 1e-9, 0.0), "{rule}");
                let exact: f64 = run.profits().iter().skip(50).sum();
                assert!(close(
                    exact / (50.0 * best.profit),
                    of("score_exact"),
                    1e-9,
                    0.0
                ));
                assert!(close(
                    score.metrics()["adaptability"],
                    of("adaptability"),
                    1e-9,
                    1.0
                ));
                compared += 1;
            }
        }
    }
    println!("{compared} whole runs compared");
    assert_eq!(compared, 180);
}

/// Profit of the last 50 periods on the authors' suite, by the numeric search of their public program.
#[test]
fn optima_of_the_suite_are_those_of_the_numeric_search() {
    let known: Value =
        serde_json::from_str(include_str!("../../golden/market_optima.json")).unwrap();
    let mut compared = 0;
    for name in LEVELS {
        let markets = Spec.suite("paper", &level(name)).unwrap();
        for (market, known) in markets.iter().zip(numbers(&known["pricing"][name])) {
            let best = 50.0 * market.optimum().unwrap().profit;
            assert!(
                (best - known).abs() <= 1e-9 * known,
                "{name}: {best} {known}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 36);
}

/// The run that the paper prints: prices of 20 and 28 on the first BASIC instance, ceiling 38.11.
#[test]
fn the_printed_example() {
    let first = Spec
        .suite("paper", &Config::basic())
        .unwrap()
        .swap_remove(0);
    let mut run = Pricing::new(Arc::new(first)).unwrap();
    assert_eq!(run.ceiling(), 38.11);
    for (price, quantity, profit) in [(20.0, 24.76, 40.92), (28.0, 7.81, 23.50)] {
        let sales = run
            .step(&Action {
                prices: vec![price],
            })
            .unwrap()
            .sales
            .unwrap();
        let got = (
            sales[0].price,
            sales[0].quantity,
            sales[0].profit,
            sales[0].cost,
        );
        assert_eq!(got, (price, quantity, profit, 1.72));
    }
}

/// The suite is what the golden files hold for seeds 0 to 11.
#[test]
fn suite_is_the_authors_own() {
    let mut compared = 0;
    for name in LEVELS {
        let Some(cases) = cases(name) else { return };
        for (mine, (theirs, _)) in Spec
            .suite("paper", &level(name))
            .unwrap()
            .iter()
            .zip(&cases)
        {
            assert_eq!(mine, theirs);
            compared += 1;
        }
    }
    assert_eq!(compared, 36);
}
