//! What the schema of a setting says about its range is what the check allows.

use econ_envs::{litmus, pricing, procurement, scheduling};
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use sim_core::ConfigError;

/// Compares the ranges of one environment's settings; gives how many ends were tried.
fn compare<C>(default: &C, check: impl Fn(&C) -> Result<(), ConfigError>) -> usize
where
    C: Serialize + DeserializeOwned + JsonSchema,
{
    let schema = schema_for!(C).to_value();
    let before = serde_json::to_value(default).unwrap();
    let mut tried = 0;
    for (field, about) in schema["properties"].as_object().unwrap() {
        let text = about["description"].as_str().unwrap_or("");
        let ends = ["minimum", "maximum"].map(|end| about[end].as_f64());
        if !before[field].is_number() {
            continue;
        }
        // The place of the error, if `value` is refused. A number that the type cannot hold is refused too.
        let refused = |value: f64| {
            let whole = value.fract() == 0.0 && !before[field].is_f64();
            let mut after = before.clone();
            after[field] = if whole {
                json!(value as i64)
            } else {
                json!(value)
            };
            match serde_json::from_value::<C>(after) {
                Ok(config) => check(&config).err().map(|e| e.place),
                Err(_) => Some(field.clone()),
            }
        };
        let step = |end: f64| {
            if before[field].is_f64() {
                (0.01 * end.abs()).max(1e-7)
            } else {
                1.0
            }
        };
        for (end, beyond) in ends.into_iter().zip([-1.0, 1.0]) {
            let Some(end) = end else { continue };
            // Another setting may forbid the end with these defaults; its own check may not, unless it says so.
            let excepted = text.contains("below 1 where") || text.contains("in all");
            let at =
                refused(end).filter(|place| place == field && !excepted && !text.contains('`'));
            assert_eq!(at, None, "{field} = {end}: {text}");
            let past = end + beyond * step(end);
            assert_eq!(
                refused(past).as_ref(),
                Some(field),
                "{field} = {past}: {text}"
            );
            tried += 1;
        }
    }
    tried
}

#[test]
fn the_schema_of_a_setting_gives_the_range_of_its_check() {
    use litmus::{collusion, efficiency, patience};
    let tried = [
        compare(&pricing::Config::hard(), pricing::Config::check),
        compare(&scheduling::Config::hard(), scheduling::Config::check),
        compare(&procurement::Config::hard(), procurement::Config::check),
        compare(&collusion::Config::duopoly(), collusion::Config::check),
        compare(&efficiency::Config::both(), efficiency::Config::check),
        compare(&patience::Config::paper(), patience::Config::check),
    ];
    assert!(tried.iter().all(|&tried| tried >= 3), "{tried:?}");
}
