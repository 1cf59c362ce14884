//! Laws that hold in every game.

use beer_game::action::Action;
use beer_game::chain::Chain;
use beer_game::config::{Charged, Config, Observe, OutOfRange, Rounding};
use beer_game::env::BeerGame;
use beer_game::instance::Instance;
use beer_game::observation::Observation;
use beer_game::reference::bound;
use beer_game::role::{ByRole, Role};
use beer_game::strategy::{action, config};
use proptest::prelude::*;
use sim_core::{
    Environment as _, Episode, Seed, ToolAdapter, ToolEnvironment as _, ToolInterface as _,
    canonical_json,
};
use std::sync::Arc;

fn game(config: &Config) -> Arc<Instance> {
    Arc::new(Instance::generate(config, Episode::of_run(Seed(1), 0)).unwrap())
}

/// Orders for all turns of a game, more than enough.
fn orders() -> impl Strategy<Value = Vec<Action>> {
    prop::collection::vec(action(&game(&Config::paper())), 120)
}

fn play(game: &Arc<Instance>, orders: &[Action]) -> BeerGame {
    let mut env = BeerGame::new(Arc::clone(game)).unwrap();
    for order in orders {
        if env.is_over() {
            break;
        }
        env.step(order).unwrap();
    }
    assert!(env.is_over());
    env
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Per role on hand = initial + received - shipped; along the chain on hand + in transit =
    /// initial + production started - delivered to the customer. Backlog is not stock.
    #[test]
    fn units_are_conserved(config in config(), orders in orders()) {
        let game = game(&config);
        let env = play(&game, &orders);
        let start = Chain::start(env.setup());
        let chain = &env.state().chain;
        let sum = |role: Role, field: fn(&beer_game::env::WeekRecord) -> f64| -> f64 {
            env.state().log.iter().map(|week| field(&week[role])).sum()
        };
        let stock = |chain: &Chain| -> f64 {
            chain.stages.iter().map(|(_, stage)| stage.inventory + stage.inbound.total()).sum()
        };
        for role in Role::ALL {
            let (now, then) = (chain.stage(role), start.stage(role));
            let moved = sum(role, |l| l.incoming_delivery) - sum(role, |l| l.outgoing_delivery);
            prop_assert!(same(now.inventory, then.inventory + moved), "{role}");
            // what was asked for was shipped or is owed
            let owed = sum(role, |l| l.incoming_order) - sum(role, |l| l.outgoing_delivery);
            prop_assert!(same(now.backlog, owed), "{role}");
            prop_assert!(now.inventory == 0.0 || now.backlog == 0.0, "{role}");
            if !config.board.brewery_self_order {
                let awaited = sum(role, |l| l.order) - sum(role, |l| l.incoming_delivery);
                prop_assert!(same(now.on_order, then.on_order + awaited), "{role}");
            }
        }
        let started = sum(Role::Brewery, |l| l.order);
        let delivered = sum(Role::Retailer, |l| l.outgoing_delivery);
        prop_assert!(same(stock(chain), stock(&start) + started - delivered));
    }

    /// The score is the sum of its parts, and no play is cheaper than the bound.
    #[test]
    fn cost_is_the_sum_of_its_parts(config in config(), orders in orders()) {
        let game = game(&config);
        let env = play(&game, &orders);
        let score = env.score().unwrap();
        let metrics = score.metrics();
        let by_role: f64 = Role::ALL.iter().map(|role| metrics[format!("cost_{role}").as_str()]).sum();
        prop_assert!(same(by_role, metrics["chain_cost"]));
        let booked: f64 = env.state().log.iter().flat_map(ByRole::iter).map(|(_, line)| line.cost).sum();
        prop_assert!(same(booked, metrics["chain_cost"]));
        let plain = config.cost.charged == Charged::EndOfWeek
            && config.board.rounding != Rounding::OrdersAndCosts;
        if plain {
            prop_assert!(same(
                metrics["holding_cost"] + metrics["backlog_cost"],
                metrics["own_cost"]
            ));
        }
        prop_assert!(score.value() >= bound(&game) - 1e-6, "bound {}", bound(&game));
    }

    /// Once a week is over, each seat can be told what the last one was told of its own week, also later in the game.
    #[test]
    fn a_week_is_told_to_every_seat_that_decided_before_its_end(config in config(), orders in orders()) {
        let game = game(&config);
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        let mut weeks = Vec::new();
        let mut orders = orders.iter();
        while !env.is_over() {
            let mut week = Vec::new();
            let period = env.period().index;
            while env.period().index == period {
                let (seat, order) = (env.turn(), *orders.next().unwrap());
                prop_assert!(env.feedback_at_end(&seat, period, &order).is_none(), "it goes on");
                let told = env.step(&order).unwrap();
                week.push((seat, order, told));
            }
            let (_, _, last) = week.last().unwrap();
            prop_assert!(last.outcome.is_some());
            weeks.push((week, env.outcomes()));
        }
        for (period, (week, outcomes)) in (0..).zip(&weeks) {
            for (seat, order, told) in week {
                let now = env.feedback_at_end(seat, period, order).unwrap();
                prop_assert_eq!((now.role, now.week, now.decided), (told.role, told.week, told.decided));
                let result = now.outcome.unwrap();
                prop_assert!(told.outcome.is_none_or(|then| then == result), "{:?}", told);
                let json = serde_json::to_value(result).unwrap();
                let its = outcomes.iter().find(|(of, _)| of == seat);
                prop_assert!(its.is_none_or(|(_, outcome)| *outcome == json), "{}", json);
            }
        }
    }

    /// A refused order changes nothing, a clipped one counts as the nearest permitted one.
    #[test]
    fn refused_orders_change_nothing(
        config in config(),
        orders in orders(),
        bad in prop_oneof![i64::MIN..0, 5001..i64::MAX],
        at in 0_usize..40,
    ) {
        let game = game(&config);
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        for order in orders.iter().take(at) {
            if env.is_over() {
                break;
            }
            env.step(order).unwrap();
        }
        let before = canonical_json(env.state()).unwrap();
        prop_assert!(env.step(&Action::of(bad)).is_err());
        prop_assert_eq!(canonical_json(env.state()).unwrap(), before);

        let mut clipping = config.clone();
        clipping.play.out_of_range = OutOfRange::Clip;
        let clipping = self::game(&clipping);
        let mut env = BeerGame::new(Arc::clone(&clipping)).unwrap();
        let mut nearest = env.clone();
        env.step(&Action::of(bad)).unwrap();
        nearest.step(&Action::of(bad.clamp(0, 5000))).unwrap();
        prop_assert_eq!(env.state(), nearest.state());
    }

    /// Games that differ only in what a seat cannot know look the same to it: demand to come, the
    /// other roles' stock, and the orders that others have sealed.
    #[test]
    fn hidden_state_is_hidden(
        config in config(),
        orders in orders(),
        at in 0_usize..40,
        other in 0_u32..5000,
    ) {
        let game = game(&config);
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        let mut played = 0;
        for order in orders.iter().take(at) {
            if played + 1 < game.demand.len() * game.play.controlled.len() {
                env.step(order).unwrap();
                played += 1;
            }
        }
        let closed = env.state().chain.weeks_closed as usize;
        let known = closed + usize::from(game.play.observe == Observe::CurrentWeek);
        let mut elsewhere = (*game).clone();
        for demand in elsewhere.demand.iter_mut().skip(known) {
            *demand = other;
        }
        let elsewhere = Arc::new(elsewhere);
        let mut elsewhere_env = BeerGame::new(Arc::clone(&elsewhere)).unwrap();
        let mut state = env.state().clone();
        let role = env.role_in_turn();
        for hidden in Role::ALL.into_iter().filter(|r| *r != role) {
            let stage = &mut state.chain.stages[hidden];
            stage.inventory += f64::from(other);
            stage.total_cost += 1.0;
            for week in &mut state.log {
                week[hidden].inventory += 1.0;
            }
            if let Some(sealed) = &mut state.sealed[hidden] {
                *sealed = (*sealed + other) % 5000;
            }
        }
        elsewhere_env.set_state(state).unwrap();
        prop_assert_eq!(env.observe(), elsewhere_env.observe());
        let (desk, elsewhere_env) = (ToolAdapter::new(env), ToolAdapter::new(elsewhere_env));
        prop_assert_eq!(desk.observation(), elsewhere_env.observation());
        prop_assert_eq!(desk.briefing(), elsewhere_env.briefing());
        prop_assert_eq!(desk.tools(), elsewhere_env.tools());
        let (mut desk, mut elsewhere_env) = (desk, elsewhere_env);
        for tool in ["get_stock", "get_history"] {
            let none = serde_json::json!({});
            prop_assert_eq!(desk.call(tool, &none), elsewhere_env.call(tool, &none));
        }
    }

    /// An observation can be stored and read; only `unmet`, which agents are not shown, is lost.
    #[test]
    fn observations_travel(config in config()) {
        let mut seen = BeerGame::new(game(&config)).unwrap().observe();
        let text = serde_json::to_string(&seen).unwrap();
        seen.unmet = 0.0;
        prop_assert_eq!(serde_json::from_str::<Observation>(&text).unwrap(), seen);
    }

    /// Snapshot, restore, continue equals continuing; a state of another game is refused.
    #[test]
    fn states_travel(config in config(), orders in orders(), at in 0_usize..40) {
        let game = game(&config);
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        let mut rest = orders.iter();
        for order in rest.by_ref().take(at) {
            if !env.is_over() {
                env.step(order).unwrap();
            }
        }
        let text = canonical_json(env.state()).unwrap();
        let mut there = BeerGame::new(Arc::clone(&game)).unwrap();
        there.set_state(serde_json::from_str(&text).unwrap()).unwrap();
        for order in rest {
            if !env.is_over() {
                prop_assert_eq!(
                    env.step(order).unwrap(),
                    there.step(order).unwrap()
                );
            }
        }
        prop_assert_eq!(canonical_json(env.state()), canonical_json(there.state()));

        let mut longer = config.clone();
        longer.board.ship_delay += 1;
        let mut elsewhere = BeerGame::new(self::game(&longer)).unwrap();
        prop_assert!(elsewhere.set_state(env.state().clone()).is_err());
    }
}

/// A loop over episodes draws different games, and the same ones again.
#[test]
fn a_loop_over_episodes_draws_different_games() {
    let config = Config::random();
    let draw = |k| Instance::generate(&config, Episode::of_run(Seed(0), k)).unwrap();
    let games: std::collections::BTreeSet<String> = (0..1_000)
        .map(|k| canonical_json(&draw(k)).unwrap())
        .collect();
    assert!(games.len() > 800, "{} different games", games.len());
    assert_eq!(draw(7), draw(7));
}

/// Digest of a full game of each preset under scripted orders: size and digest of the final state
/// in canonical JSON. A changed size means another encoding, a changed digest other values; both
/// need a new `ABOUT.version`.
#[test]
fn golden_digests() {
    let episode = Episode {
        seed: Seed(5),
        index: 0,
    };
    let digests: Vec<String> = Config::presets()
        .into_iter()
        .map(|preset| {
            let game = Arc::new(Instance::generate(&preset.config, episode).unwrap());
            let mut env = BeerGame::new(game).unwrap();
            let mut turn = 0;
            while !env.is_over() {
                env.step(&Action::of(turn * 37 % 701)).unwrap();
                turn += 1;
            }
            let text = canonical_json(env.state()).unwrap();
            let digest = sim_core::Digest::of_bytes(text.as_bytes()).to_string();
            format!("{} {} {}", preset.name, text.len(), &digest[..16])
        })
        .collect();
    insta::assert_snapshot!(digests.join("\n"));
}

#[test]
fn states_that_cannot_be_are_refused() {
    let env = BeerGame::new(game(&Config::classic())).unwrap();
    let refuse = |change: &dyn Fn(&mut beer_game::env::State), place: &str| {
        let mut state = env.state().clone();
        change(&mut state);
        let mut env = env.clone();
        let error = env.set_state(state).unwrap_err();
        assert_eq!(error.place, place, "{error}");
    };
    refuse(&|s| s.chain.weeks_closed = 99, "state.chain.weeks_closed");
    refuse(&|s| s.chain.weeks_closed = 1, "state.log");
    refuse(&|s| s.chain.is_open = false, "state.chain.is_open");
    refuse(
        &|s| s.chain.stages[Role::Distributor].inventory = -1.0,
        "state.chain.stages.2",
    );
    for endless in [f64::INFINITY, f64::NAN, 1e308] {
        refuse(
            &|s| s.chain.stages[Role::Wholesaler].backlog = endless,
            "state.chain.stages.1",
        );
    }
    refuse(&|s| s.sealed[Role::Brewery] = Some(4), "state.sealed");
    refuse(&|s| s.sealed[Role::Retailer] = Some(5001), "state.sealed");
    refuse(&|s| s.sealed = ByRole::all(Some(4)), "state.sealed");
}

/// What a memory may be told follows from what the seat has seen: its own weeks.
#[test]
fn metrics_that_a_seat_sees_follow_from_its_own_weeks() {
    for role in beer_game::role::Role::ALL {
        let mut config = Config::random();
        config.play.controlled = vec![role];
        let game = Arc::new(Instance::generate(&config, Episode::of_run(Seed(3), 1)).unwrap());
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        let mut weeks = Vec::new();
        while !env.is_over() {
            let told = env
                .step(&Action::of(weeks.len() as i64 * 37 % 701))
                .unwrap();
            weeks.push(told.outcome.unwrap().line);
        }
        let variance = |of: &dyn Fn(&beer_game::env::WeekRecord) -> f64| {
            let count = weeks.len() as f64;
            let mean = weeks.iter().map(of).sum::<f64>() / count;
            weeks
                .iter()
                .map(|week| (of(week) - mean).powi(2))
                .sum::<f64>()
                / count
        };
        let cost: f64 = weeks.iter().map(|week| week.cost).sum();
        let holding: f64 = weeks
            .iter()
            .map(|week| (0.5 * week.inventory).max(200.0))
            .sum();
        let asked: f64 = weeks.iter().map(|week| week.incoming_order).sum();
        let at_once: f64 = weeks
            .iter()
            .map(|week| (week.incoming_order - week.backlog).max(0.0))
            .sum();
        let whip = variance(&|week| week.order) / variance(&|week| week.incoming_order);
        let own = format!("cost_{role}");
        let mut expected = std::collections::BTreeMap::from([
            (own.as_str(), cost),
            ("own_cost", cost),
            ("holding_cost", holding),
            ("backlog_cost", cost - holding),
            ("service", at_once / asked),
        ]);
        if role == beer_game::role::Role::Retailer {
            expected.extend([("bullwhip", whip), ("bullwhip_retailer", whip)]);
        }
        let score = env.score().unwrap();
        let seat = sim_core::Seat::named(role.name());
        let metrics = score.metrics().iter();
        let seen: Vec<(&str, f64)> = metrics
            .filter(|(name, _)| env.sees_metric(&seat, name))
            .map(|(name, value)| (&**name, *value))
            .collect();
        assert_eq!(seen.len(), expected.len(), "{role}: {seen:?}");
        for (name, value) in seen {
            let right = expected[name];
            assert!(
                (value - right).abs() <= 1e-9 * right.abs().max(1.0),
                "{role} {name}: {value}, {right}"
            );
        }
        assert!(!env.sees_metric(&sim_core::Seat::AGENT, "own_cost"));
    }
}
