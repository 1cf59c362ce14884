//! Laws that hold in any market.

use econ_envs::pricing::config::OutsideLaw;
use econ_envs::pricing::demand::MarketDemand;
use econ_envs::pricing::instance::Shift;
use econ_envs::pricing::strategy::{self, instance as market};
use econ_envs::pricing::{Action, Batch, Config, Instance, Pricing, Spec};
use proptest::prelude::*;
use sim_core::{BatchEnvironment as _, Environment as _, EnvironmentSpec as _, Episode, Seed};
use std::sync::Arc;

/// `ln(sum of exp(x))`.
fn ln_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    top + terms.map(|x| (x - top).exp()).sum::<f64>().ln()
}

/// The printed formula in logarithms, term by term, which the kernel is checked against.
fn naive(instance: &Instance, period: u32, prices: &[f64]) -> Vec<f64> {
    let c = &instance.config;
    let inner = 1.0 - c.sigma;
    let alpha = instance.alpha_at(period);
    let exponent: Vec<f64> = (0..prices.len())
        .map(|i| (instance.quality[i] - prices[i] / alpha[i]) / (c.mu * inner))
        .collect();
    let members = exponent.iter().zip(&instance.categories);
    let ln_sum = |group: u16| {
        let own = members.clone().filter(move |(_, g)| **g == group);
        ln_sum_exp(own.map(|(exponent, _)| *exponent))
    };
    let groups: std::collections::BTreeSet<u16> = instance.categories.iter().copied().collect();
    let ln_outside = match c.outside {
        OutsideLaw::Program => inner * (c.outside_quality / c.mu - inner.ln()),
        OutsideLaw::Paper => c.outside_quality / inner,
        OutsideLaw::Textbook => c.outside_quality / c.mu,
    };
    let inclusive = groups.iter().map(|&group| inner * ln_sum(group));
    let ln_total = ln_sum_exp(inclusive.chain([ln_outside]));
    let share = |(exponent, group): (&f64, &u16)| {
        let ln_sum = ln_sum(*group);
        (exponent - ln_sum + inner * ln_sum - ln_total).exp()
    };
    let all = members.clone();
    all.map(|of| c.market_size * share(of)).collect()
}

/// Metrics of a run from the demand of each of its periods: the naive reference for the stored sums.
fn naive_metrics(instance: &Instance, run: &Pricing) -> Vec<(&'static str, Option<f64>)> {
    let config = &instance.config;
    let (mut scored, mut all, mut ratios) = (0.0, 0.0, Vec::new());
    for (period, feedback) in (0..).zip(run.record()) {
        let sales = feedback.sales.iter().flatten();
        let total: f64 = sales.map(|sale| sale.profit).sum();
        all += total;
        if period >= config.periods - config.scored_periods {
            scored += total;
        }
        let exact = run.state().prices[period as usize].as_ref().map(|prices| {
            let sales = instance
                .demand()
                .unwrap()
                .sales(&instance.alpha_at(period), prices)
                .unwrap();
            sales.1.iter().sum::<f64>()
        });
        ratios.push(exact.unwrap_or(0.0) / run.optimum().profit);
    }
    let late = config.scored_periods as usize;
    let adaptability = econ_envs::metrics::adaptability(&ratios, 10, late);
    let periods = u32::try_from(ratios.len().max(1)).unwrap();
    let best = run.optimum().profit;
    vec![
        (
            "score",
            Some(scored / (best * f64::from(config.scored_periods))),
        ),
        ("scored_profit", Some(scored)),
        ("total_profit", Some(all)),
        ("whole_run", Some(all / (best * f64::from(periods)))),
        ("adaptability", adaptability.filter(|_| run.is_over())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The facade: what the strategies give can be generated, opened and played.
    #[test]
    fn strategies_give_valid_values(
        config in strategy::config(),
        (instance, action) in market().prop_flat_map(|instance| {
            let action = strategy::action(&instance);
            (Just(instance), action)
        }),
    ) {
        prop_assert!(config.check().is_ok());
        let mut run = Pricing::new(Arc::new(instance)).unwrap();
        let feedback = run.step(&action).unwrap();
        prop_assert_eq!(run.observe().previous, Some(feedback));
    }

    /// Bit for bit, in every period, and for a run that goes on from a stored state.
    #[test]
    fn kept_sums_equal_the_demand_computed_anew(
        instance in market(),
        seed: u64,
        forfeits in prop::collection::vec(prop::bool::weighted(0.2), 12),
        stored_at in 0..12_usize,
    ) {
        let new = || Pricing::new(Arc::new(instance.clone())).unwrap();
        let mut run = new();
        let mut draws = Seed(seed).stream("prices", 0);
        for (period, forfeited) in (0..).zip(forfeits) {
            if forfeited {
                run.forfeit();
            } else {
                let alpha = instance.alpha_at(period);
                let prices = alpha.iter().map(|a| a * draws.uniform(0.0, 8.0)).collect();
                run.step(&Action { prices }).unwrap();
            }
            if period as usize == stored_at {
                let stored = serde_json::to_value(run.state()).unwrap();
                prop_assert_eq!(stored.as_object().unwrap().len(), 1, "the prices alone are stored");
                run = new();
                run.set_state(serde_json::from_value(stored).unwrap()).unwrap();
            }
            let score = run.score().unwrap();
            for (name, want) in naive_metrics(&instance, &run) {
                let got = match name {
                    "score" => Some(score.value()),
                    name => score.metrics().get(name).copied(),
                };
                prop_assert_eq!(got.map(f64::to_bits), want.map(f64::to_bits), "{}", name);
            }
        }
    }

    #[test]
    fn demand_equals_the_printed_formula(instance in market(), seed: u64, period in 0..12_u32) {
        let mut draws = Seed(seed).stream("prices", 0);
        let prices: Vec<f64> =
            instance.alpha_at(period).iter().map(|a| a * draws.uniform(0.0, 8.0)).collect();
        let demand = instance.demand().unwrap();
        let (quantities, profits) = demand.sales(&instance.alpha_at(period), &prices).unwrap();
        for (got, want) in quantities.iter().zip(naive(&instance, period, &prices)) {
            prop_assert!((got - want).abs() <= 1e-9 * want.abs() + 1e-250, "{got} {want}");
        }
        for (i, profit) in profits.iter().enumerate() {
            let want = (prices[i] / instance.alpha_at(period)[i] - instance.costs[i]) * quantities[i];
            prop_assert!((profit - want).abs() <= 1e-12 * want.abs().max(1e-12));
        }
    }

    /// Sales never exceed the size of the market, whatever the prices, and nothing is ever undefined.
    #[test]
    fn no_price_breaks_the_arithmetic(
        instance in market(),
        prices in prop::collection::vec(prop_oneof![
            0.0..1e9_f64, 0.0..20.0_f64, Just(0.0), Just(1e9), Just(f64::MIN_POSITIVE)
        ], 25),
    ) {
        let n = instance.size();
        let mut run = Pricing::new(Arc::new(instance)).unwrap();
        let feedback = run.step(&Action { prices: prices[..n].to_vec() }).unwrap();
        let sales = feedback.sales.unwrap();
        prop_assert!(sales.iter().all(|s| s.quantity.is_finite() && s.profit.is_finite()));
        let sold: f64 = sales.iter().map(|s| s.quantity).sum();
        prop_assert!(sold <= 100.0 + 0.01 * n as f64);
        prop_assert!(run.score().unwrap().value().is_finite());
    }

    /// What is refused changes nothing.
    #[test]
    fn bad_prices_are_refused(instance in market(), at in 0..25_usize, kind in 0..5) {
        let n = instance.size();
        let mut run = Pricing::new(Arc::new(instance)).unwrap();
        let mut prices = vec![1.0; n];
        match kind {
            0 => prices[at % n] = -0.01,
            1 => prices[at % n] = f64::NAN,
            2 => prices[at % n] = f64::INFINITY,
            3 => prices[at % n] = 1.1e9,
            _ => prices.push(1.0),
        }
        let before = run.state().clone();
        let refused = run.step(&Action { prices }).is_err();
        prop_assert!(refused);
        prop_assert_eq!(run.state(), &before);
    }

    /// The closed form: equal markups, the stated profit, and no random prices earn more.
    #[test]
    fn nothing_beats_the_optimum(instance in market(), seed: u64) {
        let best = instance.optimum().unwrap();
        let demand = instance.demand().unwrap();
        let earned = |alpha: &[f64], prices: &[f64]| -> f64 {
            demand.sales(alpha, prices).unwrap().1.iter().sum()
        };
        let mut draws = Seed(seed).stream("prices", 0);
        for period in [0, 7] {
            let alpha = instance.alpha_at(period);
            let prices: Vec<f64> =
                alpha.iter().zip(&best.real_prices).map(|(a, x)| a * x).collect();
            let most = earned(&alpha, &prices);
            prop_assert!((most - best.profit).abs() <= 1e-9 * best.profit);
            for spread in [0.01, 0.2, 1.0] {
                let other: Vec<f64> = prices
                    .iter()
                    .map(|p| p * (1.0 + spread * draws.uniform(-1.0, 1.0)))
                    .collect();
                prop_assert!(earned(&alpha, &other) <= most * (1.0 + 1e-12));
            }
        }
    }

    /// A snapshot in any period goes on identically.
    #[test]
    fn snapshots_go_on(instance in market(), at in 0..12_usize, seed: u64) {
        let n = instance.size();
        let mut run = Pricing::new(Arc::new(instance.clone())).unwrap();
        let mut draws = Seed(seed).stream("prices", 0);
        let mut price =
            || Action { prices: (0..n).map(|_| draws.uniform(0.0, 40.0)).collect::<Vec<_>>() };
        for _ in 0..at {
            run.step(&price()).unwrap();
        }
        let text = serde_json::to_string(run.state()).unwrap();
        let mut copy = Pricing::new(Arc::new(instance)).unwrap();
        copy.set_state(serde_json::from_str(&text).unwrap()).unwrap();
        while !run.is_over() {
            let prices = price();
            prop_assert_eq!(run.step(&prices).unwrap(), copy.step(&prices).unwrap());
        }
        prop_assert_eq!(run.score().unwrap(), copy.score().unwrap());
    }
}

/// Lanes in blocks of sixteen against single runs: every number that a lane shows is what the
/// single environment shows, to the last bit of single precision; lanes reset in between too.
#[test]
fn lanes_show_what_single_runs_show() {
    let mut compared = 0;
    for (config, lanes) in [
        (Config::hard(), 19),
        (Config::basic(), 5),
        (Config::medium(), 16),
        (
            Config {
                mu: 100.0,
                ceiling_low: 100.0,
                ceiling_high: 100.0,
                ..Config::basic()
            },
            3,
        ),
        // Near 1 a category sells although its weights vanish next to those of the best one.
        (
            Config {
                sigma: 0.99,
                ..Config::hard()
            },
            17,
        ),
    ] {
        let config = Config {
            periods: 20,
            scored_periods: 10,
            ..config
        };
        let n = usize::from(config.products);
        let mut batch = Batch::new(&config, lanes, Seed(8)).unwrap();
        let mut references: Vec<_> = (0..lanes)
            .map(|lane| batch.reference_env(lane).unwrap())
            .collect();
        let layout = batch.layout().clone();
        let mut obs = vec![0.0; layout.observation_len()];
        let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
        let mut draws = Seed(9).stream("actions", 0);
        for step in 0..25 {
            if step == 7 {
                batch
                    .reset_lane(2, sim_core::Episode::of_run(Seed(5), 2))
                    .unwrap();
                references[2] = batch.reference_env(2).unwrap();
            }
            let actions: Vec<f32> = (0..layout.action_len())
                .map(|_| draws.uniform(0.0, 60.0) as f32)
                .collect();
            batch
                .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
                .unwrap();
            for (lane, reference_env) in references.iter_mut().enumerate() {
                if reference_env.is_over() {
                    assert_eq!((rewards[lane], dones[lane]), (0.0, true));
                    continue;
                }
                let action = batch.action_value(&actions[lane * n..(lane + 1) * n]);
                assert!(!reference_env.act(&action).is_rejected());
                assert_eq!(dones[lane], reference_env.is_over());
                let sales = &reference_env.feedback()["sales"];
                let row = &obs[lane * layout.observation.len()..];
                for (field, shown) in layout.observation.iter().zip(row) {
                    let range = field.low..=field.high;
                    assert!(range.contains(shown), "{}: {shown}", field.name);
                }
                for product in 0..n {
                    for (field, name) in ["price", "quantity", "profit", "cost"].iter().enumerate()
                    {
                        let want = sales[product][name].as_f64().unwrap() as f32;
                        assert_eq!(row[2 + 4 * product + field], want, "{name}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 15_000, "{compared}");
}

/// Three products by hand, two categories, sigma 1/2: the shares of the formula with pencil and
/// paper (weights 1, 1 and 4; roots of the sums: root 2 and 2).
#[test]
fn two_categories_by_hand() {
    let ln2 = std::f64::consts::LN_2;
    let demand = MarketDemand::new(
        1.0,
        0.5,
        0.0,
        100.0,
        &[1.0, 1.0, 1.0 + ln2],
        &[0.0; 3],
        &[1, 1, 2],
    )
    .unwrap();
    let (quantities, _) = demand.sales(&[1.0; 3], &[1.0; 3]).unwrap();
    let root2 = 2.0_f64.sqrt();
    let total = 1.0 + root2 + 2.0;
    for (got, want) in
        quantities
            .iter()
            .zip([50.0 * root2 / total, 50.0 * root2 / total, 200.0 / total])
    {
        assert!((got - want).abs() < 1e-12);
    }
}

#[test]
fn instances_that_cannot_be_played_are_refused() {
    let good = Spec
        .generate(&Config::medium(), Episode::of_run(Seed(1), 0))
        .unwrap();
    let mut refused = 0;
    let mut check = |place: &str, change: &dyn Fn(&mut Instance)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(bad.check().unwrap_err().place, place);
        assert!(Pricing::new(Arc::new(bad)).is_err());
        refused += 1;
    };
    check("costs", &|i| i.costs.truncate(3));
    check("quality.1", &|i| i.quality[1] = f64::NAN);
    check("alpha.0", &|i| i.alpha[0] = 0.0);
    check("categories", &|i| i.categories[2] = 0);
    check("ceiling_factor", &|i| i.ceiling_factor = 0.5);
    check("shift.length", &|i| {
        i.shift = Shift::Periodic {
            amplitudes: vec![0.1; 4],
            length: 0,
        }
    });
    check("shift", &|i| {
        i.shift = Shift::Linear {
            steps: vec![-1.0; 4],
        }
    });
    check("config.periods", &|i| i.config.periods = 0);
    check("", &|i| i.quality = vec![-900.0; 4]);
    // Its best price cannot be set.
    check("alpha", &|i| {
        i.alpha[2] = 1e6;
        i.costs[2] = 1e4;
        i.quality[2] = 1e4;
    });
    assert_eq!(refused, 10);
}
