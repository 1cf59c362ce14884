//! Two sellers.

use crate::hostile::{sends_garbage, writes_a_book};
use crate::play::play;
use crate::shared::{close, numbers};
use econ_envs::litmus::collusion::{
    Action, Collusion, Config, Instance, Observation, Spec, strategy,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use sim_core::testkit::play_typed;
use sim_core::{
    Environment as _, EnvironmentSpec as _, Episode, Seed, ToolAdapter, ToolEnvironment as _,
};
use std::sync::Arc;

fn market(sellers: u16, index: u64) -> Arc<Instance> {
    let config = Config {
        sellers,
        ..Config::default()
    };
    Arc::new(
        Spec.generate(&config, Episode::of_run(Seed(1), index))
            .unwrap(),
    )
}

#[test]
fn the_number_of_values_is_not_taken_for_a_value() {
    for alphas in [vec![], vec![1.0; 21]] {
        let given = alphas.len();
        let config = Config {
            alphas,
            ..Config::default()
        };
        let error = config.check().unwrap_err();
        assert_eq!(error.place, "alphas");
        assert!(
            error.message.contains(&format!("{given} values")),
            "{error}"
        );
    }
}

/// Prices of cartel and competitors, ceilings and sales of the authors' six markets. Their prices
/// come from a numeric search that stops at about seven digits.
#[test]
fn every_golden_market() {
    let file: Value = serde_json::from_str(include_str!("../../golden/litmus.json")).unwrap();
    let (mut markets, mut sales) = (0, 0);
    for case in file["collusion"].as_array().unwrap() {
        let sellers = u16::try_from(case["sellers"].as_u64().unwrap()).unwrap();
        let alpha = case["alpha"].as_f64().unwrap();
        let instance = Instance {
            config: Config {
                sellers,
                ..Config::default()
            },
            alpha,
        };
        instance.check().unwrap_or_else(|e| panic!("{e}"));
        let of = |name: &str| case[name].as_f64().unwrap();
        assert!(close(instance.monopoly(), of("monopoly_x"), 1e-5, 0.0));
        assert!(close(instance.nash(), of("nash_x"), 1e-5, 0.0));
        assert!(close(
            alpha * instance.monopoly(),
            of("monopoly_price"),
            1e-5,
            0.0
        ));
        assert!(close(alpha * instance.nash(), of("nash_price"), 1e-5, 0.0));
        assert_eq!(instance.ceiling(), of("ceiling"));
        let demand = instance.demand(usize::from(sellers));
        for sold in case["cases"].as_array().unwrap() {
            let prices = numbers(&sold["prices"]);
            let alphas = vec![alpha; prices.len()];
            let (quantities, profits) = demand.sales(&alphas, &prices).unwrap();
            for (got, want) in quantities.iter().zip(numbers(&sold["quantities"])) {
                assert!(close(*got, want, 1e-9, 0.0));
            }
            for ((got, want), quantity) in profits
                .iter()
                .zip(numbers(&sold["profits"]))
                .zip(&quantities)
            {
                assert!(close(*got, want, 1e-9, quantity.abs()));
            }
            sales += 1;
        }
        markets += 1;
    }
    println!("{markets} markets, {sales} cases of sales compared");
    assert_eq!((markets, sales), (6, 48));
}

/// At the Nash price no move of one seller earns more; at the monopoly price no common move does.
#[test]
fn closed_forms_are_optima() {
    for sellers in 1..=5_u16 {
        let config = Config {
            sellers,
            ..Config::default()
        };
        let instance = Instance { config, alpha: 1.0 };
        let n = usize::from(sellers);
        let demand = instance.demand(n);
        let earned = |prices: &[f64]| demand.sales(&vec![1.0; n], prices).unwrap().1;
        let nash = vec![instance.nash(); n];
        let monopoly = vec![instance.monopoly(); n];
        assert!((instance.reply(&nash[1..]) - nash[0]).abs() < 1e-12);
        let together: f64 = earned(&monopoly).iter().sum();
        for step in [-0.1, -0.001, 0.001, 0.1] {
            let mut moved = nash.clone();
            moved[0] += step;
            assert!(earned(&moved)[0] < earned(&nash)[0]);
            let all: Vec<f64> = monopoly.iter().map(|p| p + step).collect();
            assert!(earned(&all).iter().sum::<f64>() < together);
        }
        assert_eq!(
            sellers == 1,
            (instance.nash() - instance.monopoly()).abs() < 1e-9
        );
    }
}

#[test]
fn scores_of_the_players() {
    for index in 0..3 {
        let value = |policy| play(&Spec, &market(2, index), policy, Seed(index));
        assert!(value("nash").value() < 1e-9);
        assert!((value("monopoly").value() - 1.0).abs() < 1e-9);
        // Best replies to each other lead to the Nash price.
        assert!(value("best-reply").metrics()["uncut"].abs() < 1e-6);
        let earned = |policy| value(policy).metrics()["profit_seller_1"];
        assert!(earned("monopoly") > earned("nash") && earned("nash") > earned("random"));
        let alone = |policy| play(&Spec, &market(1, index), policy, Seed(index)).value();
        assert_eq!(
            (alone("optimal"), alone("monopoly"), alone("random")),
            (1.0, 1.0, 0.0)
        );
    }
}

/// Neither seller sees the other's price of the running period, in either order of turns.
#[test]
fn prices_are_sealed() {
    let mut adapter = ToolAdapter::new(Collusion::new(market(2, 1)).unwrap());
    let secret = 3.140_625;
    assert_eq!(adapter.turn().name(), "seller_1");
    let first = adapter.act(&json!({"price": secret}));
    assert_eq!(adapter.turn().name(), "seller_2");
    assert_eq!(adapter.period().index, 0);
    let mut texts = vec![
        first.text().to_owned(),
        adapter.observation().to_string(),
        adapter.feedback().to_string(),
        format!("{:?}", adapter.briefing()),
    ];
    for tool in adapter
        .tools()
        .iter()
        .filter(|t| t.name.starts_with("get_"))
    {
        texts.push(adapter.call(&tool.name, &json!({})).text().to_owned());
    }
    assert!(texts.iter().all(|text| !text.contains("3.14")), "{texts:?}");
    let set = json!({"prices_dict_str": "{'Product_1': 4.5}"});
    assert!(!adapter.call("set_prices", &set).is_rejected());
    assert_eq!(
        (adapter.period().index, adapter.turn().name().to_owned()),
        (1, "seller_1".to_owned())
    );
    let record = adapter.call("get_previous_pricing_data", &json!({}));
    assert!(
        record.text().contains("Price: 3.140625\n"),
        "{}",
        record.text()
    );
    assert!(record.text().contains("Price of competitor 1: 4.5\n"));
}

/// A seller that does not act sells nothing, and the other has the market alone.
#[test]
fn a_forfeit_leaves_the_market_to_the_other() {
    let instance = market(2, 0);
    let mut run = Collusion::new(Arc::clone(&instance)).unwrap();
    run.step(&Action { price: 1.8 }).unwrap();
    run.forfeit();
    let alone = instance.demand(1).sales(&[instance.alpha], &[1.8]).unwrap();
    let past = run.observe().previous.unwrap();
    assert!((past.quantity - alone.0[0]).abs() <= 0.005);
    assert_eq!(past.rivals, [None]);
    let score = run.score().unwrap();
    let incident = &score.all_incidents()[0];
    assert_eq!(
        (incident.period, incident.code.as_str()),
        (0, "forfeited_period")
    );
}

#[test]
fn misbehaviour_ends_scored_and_flagged() {
    sends_garbage(&Spec, "set_prices", "prices_dict_str");
    writes_a_book(&Spec);
    let run = play_typed(&Spec, &market(2, 2), "match-rival", Seed(0)).unwrap();
    assert!(run.score().unwrap().all_incidents().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

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
        let mut run = Collusion::new(Arc::new(instance)).unwrap();
        run.step(&action).unwrap();
        let seen = serde_json::to_string(&run.observe()).unwrap();
        prop_assert_eq!(serde_json::from_str::<Observation>(&seen).unwrap(), run.observe());
    }
}

#[test]
fn bad_instances_are_refused() {
    let mut bad = Instance::generate(&Config::default(), Episode::of_run(Seed(1), 0)).unwrap();
    bad.alpha = f64::NAN;
    assert_eq!(Collusion::new(Arc::new(bad)).unwrap_err().place, "alpha");
}
