use crate::newsvendor::{Config, Newsvendor, Order, Vectors};
use serde_json::json;
use sim_core::batch::LaneBatch;
use sim_core::testkit::{check_contract, play};
use sim_core::{
    BatchEnvironment as _, DynEnvironmentSpec, DynInstance, Environment as _, EnvironmentSpec as _,
    Episode, Seed,
};
use std::sync::Arc;

pub fn case(index: u64) -> Arc<dyn DynInstance> {
    let config = Newsvendor.configure(None, &[]).unwrap();
    DynEnvironmentSpec::draw(&Newsvendor, &config, Seed(1), index).unwrap()
}

#[test]
fn the_walk_through_keeps_the_contract() {
    let report = check_contract(&Newsvendor).unwrap();
    assert_eq!((report.presets, report.episodes), (1, 2));
    assert!(report.hostile > 100, "{report:?}");
    assert!(report.batch_steps >= 370, "{report:?}");
}

#[test]
fn settings_are_named_when_wrong() {
    let set = |path: &str, value| Newsvendor.configure(None, &[(path.to_owned(), value)]);
    assert_eq!(set("days", json!(3)).unwrap()["days"], 3);
    let message = |path: &str, value| set(path, value).unwrap_err().to_string();
    assert_eq!(
        message("days", json!(0)),
        "days: `0` is out of range, it must be 1 to 365"
    );
    assert!(message("dayz", json!(3)).contains("no key `dayz`; there are cost, days"));
    assert!(message("price", json!("dear")).starts_with("price: invalid type"));
    let unknown = Newsvendor
        .configure(Some("modern"), &[])
        .unwrap_err()
        .to_string();
    assert_eq!(
        unknown,
        "preset: `newsvendor` has no preset `modern`; there are classic"
    );
}

#[test]
fn instances_from_files_are_checked() {
    let mut instance = case(0).instance().clone();
    assert!(Newsvendor.load(&instance).is_ok());
    instance["demand"] = json!([1, 2]);
    let error = Newsvendor
        .load(&instance)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert_eq!(error, "instance.demand: must have one number for each day");
    instance["demand"] = json!([1, "two"]);
    let error = Newsvendor
        .load(&instance)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("instance.demand[1]: "), "{error}");
}

#[test]
fn players_are_named_when_wrong() {
    let policy = |name: &str| {
        case(0)
            .policy(name, &sim_core::Seat::AGENT, Seed(0))
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(policy("best").contains("no policy `best`; there are constant, fractile"));
    assert!(policy("fractile:3").contains("takes no argument"));
    assert!(policy("constant:x").contains("`x` is not a number"));
    assert!(policy("constant:NaN").contains("is not a number"));
}

#[test]
fn the_schema_describes_every_field() {
    let schema = Newsvendor.config_schema();
    let days = &schema["properties"]["days"];
    assert_eq!(days["description"], "Days in an episode.");
    assert_eq!([&days["minimum"], &days["maximum"]], [1, 365]);
}

/// Demand 13, order 20, price 100, cost 40: 1,300 - 800 = 500.
#[test]
fn a_day_by_hand() {
    let mut instance = case(0).instance().clone();
    instance["demand"][0] = json!(13);
    let mut env = Newsvendor.load(&instance).unwrap().open().unwrap();
    let reply = env.act(&serde_json::to_value(Order { papers: 20 }).unwrap());
    assert_eq!(reply.text(), "Sold 13, 7 left over, 500 cents earned.");
    assert_eq!(
        env.feedback(),
        json!({"sold": 13, "unsold": 7, "profit": 500})
    );
}

#[test]
fn digests_do_not_depend_on_key_order() {
    let text = case(0).instance().to_string();
    let reversed: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        Newsvendor.load(&reversed).unwrap().digest(),
        case(0).digest()
    );
    assert_eq!(
        case(3).digest().to_string(),
        "54128d02431505bb8eca837deb70bb43e551183bf96f88fb791dcf038d9d6717",
        "an instance of the walk-through has changed: canonical JSON or the draws moved"
    );
}

#[test]
fn a_policy_refuses_a_foreign_environment() {
    let mut policy = case(0)
        .policy("fractile", &sim_core::Seat::AGENT, Seed(0))
        .unwrap();
    let foreign = crate::seats::table();
    assert!(
        policy
            .act(&*foreign)
            .unwrap_err()
            .to_string()
            .contains("plays `newsvendor` only")
    );
    assert!(play(&Newsvendor, &*case(0), "fractile").is_ok());
}

/// A lane is an environment stepped by hand; numbers outside of the range of an order are clipped to it.
#[test]
fn lanes_play_as_environments_stepped_by_hand() {
    let config = Config {
        days: 3,
        ..Config::default()
    };
    let mut batch = LaneBatch::<Vectors>::new(&config, 2, Seed(1)).unwrap();
    let mut by_hand = [0, 1].map(|lane| {
        let episode = Episode::of_run(Seed(1), lane);
        let instance = Newsvendor.generate(&config, episode).unwrap();
        Newsvendor.begin(Arc::new(instance)).unwrap()
    });
    let (mut obs, mut rewards, mut dones) = ([0.0; 4], [0.0; 2], [false; 2]);
    for (numbers, orders) in [
        ([20.4, f32::NAN], [20, 0]),
        ([2_000.0, -5.0], [1_000, 0]),
        ([f32::NEG_INFINITY, f32::INFINITY], [0, 1_000]),
    ] {
        let actions = batch.action_value(&numbers[..1]);
        assert_eq!(actions, json!({"papers": orders[0]}));
        batch
            .step_batch(&numbers, &mut obs, &mut rewards, &mut dones)
            .unwrap();
        for (lane, env) in by_hand.iter_mut().enumerate() {
            let sales = env
                .step(&Order {
                    papers: orders[lane],
                })
                .unwrap();
            assert_eq!(rewards[lane], sales.profit as f64);
            assert_eq!(batch.lane_value(lane), Some(env.score().unwrap().value()));
            let seen = env.observe();
            let row = [seen.day as f32, seen.yesterdays_demand.unwrap() as f32];
            assert_eq!(obs[2 * lane..2 * lane + 2], row);
            assert_eq!(dones[lane], env.is_over());
        }
    }
    // Lanes that are over keep their state and earn nothing, until they are reset.
    let before = batch.lane_value(0);
    batch
        .step_batch(&[20.0; 2], &mut obs, &mut rewards, &mut dones)
        .unwrap();
    assert_eq!((rewards, dones), ([0.0; 2], [true; 2]));
    assert_eq!(batch.lane_value(0), before);
    batch.reset_lane(0, Episode::of_run(Seed(1), 0)).unwrap();
    assert!(batch.reset_lane(2, Episode::of_run(Seed(1), 2)).is_err());
    batch.observe_into(&mut obs).unwrap();
    assert_eq!(obs[..2], [0.0, -1.0]);
    assert_eq!(batch.lane_value(0), Some(0.0));
}
