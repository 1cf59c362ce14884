//! Laws that hold in every game.

use beer_game::action::Order;
use beer_game::chain::Chain;
use beer_game::config::{
    Charged, Config, Demand, Moment, Objective, Observe, OutOfRange, Rounding, SupplyLine,
};
use beer_game::environment::BeerGame;
use beer_game::instance::Instance;
use beer_game::lineup::Lineup;
use beer_game::reference::bound;
use beer_game::role::{ByRole, Role};
use beer_game::rule::Rule;
use proptest::prelude::*;
use sim_core::{Environment as _, Seed, ToolAdapter, ToolEnvironment as _, canonical_json};
use std::sync::Arc;

fn any_rule() -> impl Strategy<Value = Rule> {
    let names = [
        "typical",
        "smoothing-4",
        "smoothing-8",
        "smoothing:4",
        "ignore-backorder",
        "base-stock",
        "include-supply-line",
        "slow-adjustment",
        "order-balance",
        "system-dynamics",
        "order-up-to",
        "sterman",
        "follow-demand",
        "constant:120",
    ];
    prop::sample::select(names.to_vec()).prop_map(|name| Rule::from_name(name).unwrap())
}

prop_compose! {
    fn any_config()(
        weeks in 1_u32..30,
        demand in prop::collection::vec(0_u32..600, 30),
        rules in prop::array::uniform4(any_rule()).prop_map(ByRole::new),
        delays in (1_u32..5, 1_u32..5, 1_u32..5),
        stock in (0_u32..600, 0_u32..200, 0_u32..500, 0_u32..4),
        end in any::<bool>(),
        current in any::<bool>(),
        on_order in any::<bool>(),
        rounding in 0..3,
        self_order in prop::bool::weighted(0.2),
        lagged in prop::bool::weighted(0.2),
        minimum in prop::sample::select(vec![0.0, 200.0]),
        controlled in prop::sample::subsequence(Role::ALL.to_vec(), 1..=4),
        chain in any::<bool>(),
    ) -> Config {
        let mut config = Config::paper();
        config.weeks = weeks;
        config.demand = Demand::Script { units: demand[..weeks as usize].to_vec() };
        config.opponents = vec![Lineup { rules }];
        let board = &mut config.board;
        (board.order_delay, board.ship_delay, board.production_delay) = delays;
        (board.initial_inventory, board.initial_flow, board.target_inventory, board.forced_weeks) =
            stock;
        board.order_on = if end { Moment::EndOfWeek } else { Moment::StartOfWeek };
        board.supply_line = if on_order { SupplyLine::OnOrder } else { SupplyLine::InTransit };
        board.rounding = match rounding {
            0 => Rounding::Exact,
            1 => Rounding::Orders,
            _ if lagged => Rounding::Orders,
            _ => Rounding::OrdersAndCosts,
        };
        board.brewery_self_order = self_order;
        config.cost.minimum = minimum;
        config.cost.charged = if lagged { Charged::LaggedStock } else { Charged::EndOfWeek };
        config.play.controlled = controlled;
        config.play.observe = if current { Observe::CurrentWeek } else { Observe::PreviousWeek };
        config.play.objective =
            if chain { Objective::ChainCost } else { Objective::OwnCost };
        config
    }
}

fn game(config: &Config) -> Arc<Instance> {
    Arc::new(Instance::generate(config, Seed(1), 0).unwrap())
}

/// Orders for all turns of a game, more than enough.
fn orders() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop_oneof![0_i64..900, Just(0), Just(5000)], 120)
}

fn play(game: &Arc<Instance>, orders: &[i64]) -> BeerGame {
    let mut env = BeerGame::new(Arc::clone(game)).unwrap();
    for order in orders {
        if env.is_over() {
            break;
        }
        env.step(&Order::of(*order)).unwrap();
    }
    assert!(env.is_over());
    env
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Per role on hand = initial + received - shipped; along the chain on hand + under way =
    /// initial + production started - delivered to the customer. Backlog is no stock.
    #[test]
    fn units_are_conserved(config in any_config(), orders in orders()) {
        let game = game(&config);
        let env = play(&game, &orders);
        let start = Chain::start(env.setup());
        let chain = &env.state().chain;
        let sum = |role: Role, field: fn(&beer_game::state::Line) -> f64| -> f64 {
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
    fn cost_is_the_sum_of_its_parts(config in any_config(), orders in orders()) {
        let game = game(&config);
        let env = play(&game, &orders);
        let score = env.score().unwrap();
        let metrics = score.metrics();
        let by_role: f64 = Role::ALL.iter().map(|role| metrics[&format!("cost_{role}")]).sum();
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

    /// A refused order changes nothing, a clipped one counts as the nearest permitted one.
    #[test]
    fn refused_orders_change_nothing(
        config in any_config(),
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
            env.step(&Order::of(*order)).unwrap();
        }
        let before = canonical_json(env.state()).unwrap();
        prop_assert!(env.step(&Order::of(bad)).is_err());
        prop_assert_eq!(canonical_json(env.state()).unwrap(), before);

        let mut clipping = config.clone();
        clipping.play.out_of_range = OutOfRange::Clip;
        let clipping = self::game(&clipping);
        let mut env = BeerGame::new(Arc::clone(&clipping)).unwrap();
        let mut nearest = env.clone();
        env.step(&Order::of(bad)).unwrap();
        nearest.step(&Order::of(bad.clamp(0, 5000))).unwrap();
        prop_assert_eq!(env.state(), nearest.state());
    }

    /// Games that differ only in what a seat cannot know look the same to it: demand to come, the
    /// other roles' stock, and the orders that others have sealed.
    #[test]
    fn hidden_state_is_hidden(
        config in any_config(),
        orders in orders(),
        at in 0_usize..40,
        other in 0_u32..5000,
    ) {
        let game = game(&config);
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        let mut played = 0;
        for order in orders.iter().take(at) {
            if played + 1 < game.demand.len() * game.play.controlled.len() {
                env.step(&Order::of(*order)).unwrap();
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
        let mut twin = BeerGame::new(Arc::clone(&elsewhere)).unwrap();
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
        twin.set_state(state).unwrap();
        prop_assert_eq!(env.observe(), twin.observe());
        let (desk, twin) = (ToolAdapter::new(env), ToolAdapter::new(twin));
        prop_assert_eq!(desk.observation(), twin.observation());
        prop_assert_eq!(desk.briefing(), twin.briefing());
        prop_assert_eq!(desk.tools(), twin.tools());
        let (mut desk, mut twin) = (desk, twin);
        for tool in ["get_stock", "get_history"] {
            let none = serde_json::json!({});
            prop_assert_eq!(desk.call(tool, &none), twin.call(tool, &none));
        }
    }

    /// Snapshot, restore, continue equals continuing; a state of another game is refused.
    #[test]
    fn states_travel(config in any_config(), orders in orders(), at in 0_usize..40) {
        let game = game(&config);
        let mut env = BeerGame::new(Arc::clone(&game)).unwrap();
        let mut rest = orders.iter();
        for order in rest.by_ref().take(at) {
            if !env.is_over() {
                env.step(&Order::of(*order)).unwrap();
            }
        }
        let text = canonical_json(env.state()).unwrap();
        let mut there = BeerGame::new(Arc::clone(&game)).unwrap();
        there.set_state(serde_json::from_str(&text).unwrap()).unwrap();
        for order in rest {
            if !env.is_over() {
                prop_assert_eq!(
                    env.step(&Order::of(*order)).unwrap(),
                    there.step(&Order::of(*order)).unwrap()
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

/// Digest of a full game of each preset under scripted orders: size and digest of the final state
/// in canonical JSON. A changed size means another encoding, a changed digest other values; both
/// need a new `VERSION`.
#[test]
fn golden_digests() {
    let digests: Vec<String> = Config::presets()
        .into_iter()
        .map(|preset| {
            let game = Arc::new(Instance::generate(&preset.config, Seed(5), 0).unwrap());
            let mut env = BeerGame::new(game).unwrap();
            let mut turn = 0;
            while !env.is_over() {
                env.step(&Order::of(turn * 37 % 701)).unwrap();
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
    let refuse = |change: &dyn Fn(&mut beer_game::state::State), place: &str| {
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
