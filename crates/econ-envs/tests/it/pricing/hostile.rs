//! Agents that misbehave, and what no reply may give away.

use crate::hostile::{never_submits, sends_garbage, sends_garbage_for_long, writes_a_book};
use econ_envs::pricing::config::{Horizon, Wording};
use econ_envs::pricing::{Action, Config, Pricing, Spec};
use serde_json::json;
use sim_core::{
    Environment as _, EnvironmentSpec as _, Episode, Seed, ToolAdapter, ToolEnvironment as _,
    ToolInterface as _,
};
use std::sync::Arc;

#[test]
fn misbehaviour_ends_scored_and_flagged() {
    let silent = never_submits(&Spec, "get_product_ids");
    assert_eq!(silent.score.value(), 0.0);
    assert_eq!(silent.score.all_incidents().len(), 100);
    sends_garbage(&Spec, "set_prices", "prices_dict_str");
    sends_garbage_for_long(&Spec, "set_prices", "prices_dict_str");
    writes_a_book(&Spec);
}

/// No hidden parameter, printed with six significant digits, stands in anything that is shown.
#[test]
fn no_reply_gives_anything_away() {
    let config = Config {
        periods: 8,
        scored_periods: 4,
        ..Config::hard()
    };
    let instance = Spec.generate(&config, Episode::of_run(Seed(9), 1)).unwrap();
    let best = instance.optimum().unwrap();
    let mut hidden: Vec<f64> = vec![best.markup, best.profit, instance.ceiling_factor];
    for list in [
        &instance.alpha,
        &instance.quality,
        &instance.costs,
        &best.real_prices,
    ] {
        hidden.extend(list);
    }
    let hidden: Vec<String> = hidden.iter().map(|x| format!("{x:.4}")).collect();
    let mut adapter = ToolAdapter::new(Pricing::new(Arc::new(instance)).unwrap());
    let mut read = 0;
    while !adapter.is_over() {
        let mut texts = vec![
            adapter.observation().to_string(),
            format!("{:?}", adapter.briefing()),
        ];
        for tool in adapter
            .tools()
            .iter()
            .filter(|t| t.name.starts_with("get_"))
        {
            texts.push(serde_json::to_string(&adapter.call(&tool.name, &json!({}))).unwrap());
        }
        let prices = (0..10).map(|i| 3.0 + f64::from(i)).collect();
        let action = serde_json::to_value(Action { prices }).unwrap();
        texts.push(serde_json::to_string(&adapter.act(&action)).unwrap());
        texts.push(adapter.feedback().to_string());
        for text in &texts {
            for secret in &hidden {
                assert!(!text.contains(secret.as_str()), "{secret} in {text}");
            }
            for word in ["alpha", "quality", "sigma", "optimum", "seed", "categor"] {
                assert!(!text.contains(word), "`{word}` in {text}");
            }
            read += 1;
        }
    }
    assert!(read > 40);
}

#[test]
fn costs_are_hidden_before_the_first_attempt_and_shown_after() {
    let instance = Spec
        .generate(&Config::basic(), Episode::of_run(Seed(9), 0))
        .unwrap();
    let mut adapter = ToolAdapter::new(Pricing::new(Arc::new(instance)).unwrap());
    let ceiling = adapter.env().ceiling();
    assert!(
        adapter
            .briefing()
            .opening
            .contains(&format!("above {ceiling:?} "))
    );
    assert_eq!(
        adapter.call("get_previous_pricing_data", &json!({})).text(),
        ""
    );
    let set = json!({"prices_dict_str": "{'Product_1': 12.5}"});
    assert!(
        adapter
            .call("set_prices", &set)
            .text()
            .contains("Price: 12.50\nQuantity: ")
    );
    let record = adapter.call("get_previous_pricing_data", &json!({}));
    assert!(
        record
            .text()
            .starts_with("Attempt 0:\nProduct_1:\nPrice: 12.50\n")
    );
    assert!(record.text().contains("\nCost: "));
    assert!(
        adapter
            .call("get_previous_pricing_data", &json!({}))
            .is_rejected()
    );
    assert_eq!(adapter.env().observe().attempt, 1);
}

/// What the options add to and take from the prompts.
#[test]
fn prompts_follow_their_options() {
    let system = |config: Config| {
        let instance = Spec.generate(&config, Episode::of_run(Seed(9), 0)).unwrap();
        Pricing::new(Arc::new(instance)).unwrap().briefing().system
    };
    let standard = system(Config::basic());
    assert!(standard.contains("reasoning") && !standard.contains("100"));
    let plain = system(Config {
        wording: Wording::WithoutReasoning,
        ..Config::basic()
    });
    assert!(!plain.contains("reasoning"));
    let known = system(Config {
        horizon: Horizon::Known,
        ..Config::basic()
    });
    assert!(known.contains("100 attempts") && !known.contains("judged"));
    let goal = system(Config {
        horizon: Horizon::KnownWithGoal,
        ..Config::basic()
    });
    assert!(goal.contains("attempts 50 to 99"));
}
