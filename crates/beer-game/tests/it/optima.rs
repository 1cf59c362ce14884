//! Reference values: the stored optima, the bounds, and where they meet.

use beer_game::config::{Charged, Config, Demand, Objective, OrderBasis};
use beer_game::instance::Instance;
use beer_game::reference::{
    OrderPlan, Replay, SearchLength, best_plan, bound, flow_bound, reference, team_bound,
};
use beer_game::role::Role;
use beer_game::rule::Lineup;
use beer_game::rule::{Formula, OrderingRule};
use serde_json::Value;
use sim_core::{Effort, Episode, Seed, Status};

fn golden() -> Option<Value> {
    crate::golden::files::read("beer_optima.json")
}

fn orders(list: &Value) -> Vec<u32> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|x| u32::try_from(x.as_u64().unwrap()).unwrap())
        .collect()
}

fn instance(config: &Config, index: u64) -> Instance {
    Instance::generate(config, Episode::of_run(Seed(1), index)).unwrap()
}

/// The preset with 25 weeks of the given demand and one rule for all others.
fn retailer_game(row: &Value) -> Instance {
    let mut config = match row["preset"].as_str().unwrap() {
        "seed" => Config::paper(),
        "bptk" => Config::bptk(),
        other => panic!("unknown preset {other}"),
    };
    let rule = match row["opponents"].as_str().unwrap() {
        "typical" => OrderingRule::TYPICAL,
        "smoothing_4_text" => OrderingRule::SMOOTHING_4,
        "smoothing:4_code" => OrderingRule(Formula::GradualSmoothing { weeks: 4.0 }),
        other => panic!("unknown opponents {other}"),
    };
    config.opponents = vec![Lineup::all(rule)];
    config.weeks = 25;
    config.demand = Demand::Script {
        units: orders(&row["demand"]),
    };
    instance(&config, 0)
}

#[test]
fn stored_plans_cost_what_they_should_and_flow_bounds_agree() {
    let Some(golden) = golden() else { return };
    let rows = golden["rows"].as_array().unwrap();
    for row in rows {
        let game = retailer_game(row);
        let mut plan = OrderPlan::default();
        plan.orders[Role::Retailer] = orders(&row["orders"]);
        let cost = Replay::new(&game).cost(&plan);
        assert_eq!(cost, row["retailer_cost"].as_f64().unwrap(), "{row}");
        let stored = row["flow_lower_bound"].as_f64().unwrap();
        let (flow, proven) = (flow_bound(&game), row["proven_optimum"].as_bool().unwrap());
        assert!(
            stored <= flow && flow <= cost,
            "{flow} outside {stored} to {cost}: {row}"
        );
        // The stored bounds take the others' first orders for the initial flow; ours plays them,
        // and so proves what needed an integer programme there.
        assert_eq!(flow == cost, proven, "{row}");
    }
    assert_eq!(rows.len(), 5);
}

/// The classic board with one role under control and the others by the given rules.
fn classic(role: Role, others: Lineup) -> Instance {
    let mut config = Config::classic();
    config.opponents = vec![others];
    config.play.controlled = vec![role];
    config.play.objective = Objective::OwnCost;
    instance(&config, 0)
}

#[test]
fn stored_classic_plans_cost_what_they_should() {
    let Some(golden) = golden() else { return };
    let rows = golden["classic"].as_array().unwrap();
    for row in rows {
        let cost = row["cost"].as_f64().unwrap();
        let (game, plan) = match row["controlled"].as_str().unwrap() {
            "team" => {
                let mut plan = OrderPlan::default();
                for (orders_of, name) in plan.orders.values_mut().zip([
                    "retailer",
                    "wholesaler",
                    "distributor",
                    "factory",
                ]) {
                    *orders_of = orders(&row["orders"][name]);
                }
                (instance(&Config::classic(), 0), plan)
            }
            name => {
                let role = serde_json::from_value::<Role>(name.into()).unwrap();
                let others = if row["others"].as_str().unwrap().starts_with("benchmark") {
                    Config::classic_benchmark()
                } else {
                    Lineup::all(OrderingRule::STERMAN)
                };
                let mut plan = OrderPlan::default();
                plan.orders[role] = orders(&row["orders"]);
                (classic(role, others), plan)
            }
        };
        let got = Replay::new(&game).cost(&plan);
        // the file gives three decimals
        assert!((got - cost).abs() < 6e-4, "{got} instead of {cost}");
        assert!(
            bound(&game) <= got + 1e-9,
            "bound {} above {got}",
            bound(&game)
        );
    }
    assert_eq!(rows.len(), 9);
}

#[test]
fn the_classic_team_optimum_is_158_proven() {
    let game = instance(&Config::classic(), 0);
    let team = team_bound(&game).unwrap();
    assert_eq!(team.bound, 158.0);
    assert_eq!(Replay::new(&game).cost(&team.plan), 158.0);
    let reference = reference(&game, Effort::Quick);
    assert_eq!(reference.status, Status::Proven);
    assert_eq!(reference.optimum, Some(158.0));
}

#[test]
fn the_paper_optimum_is_9200_proven_against_both_opponents() {
    for index in 0..2 {
        let reference = reference(&instance(&Config::paper(), index), Effort::Quick);
        assert_eq!(reference.status, Status::Proven, "{reference:?}");
        assert_eq!(reference.optimum, Some(9200.0));
    }
}

#[test]
fn other_presets_are_solved_too() {
    // (preset, episode, optimum, whether the quick effort proves it)
    for (config, index, optimum, proven) in [
        (Config::paper_exact(), 0, 7600.0, true),
        (Config::paper_exact(), 1, 9215.0, true),
        (Config::bptk(), 0, 5900.0, true),
        (Config::bptk(), 1, 6954.6875, false),
        (Config::bptk_sd(), 0, 5700.0, true),
    ] {
        let reference = reference(&instance(&config, index), Effort::Quick);
        assert_eq!(reference.optimum, Some(optimum), "{reference:?}");
        let status = if proven {
            Status::Proven
        } else {
            Status::BestKnown
        };
        assert_eq!(reference.status, status, "{reference:?}");
        assert!(reference.baseline.unwrap() > optimum);
    }
}

#[test]
fn drawn_games_get_their_bound_and_a_search_on_request() {
    let game = instance(&Config::random(), 0);
    let quick = reference(&game, Effort::Quick);
    assert_eq!((quick.status, quick.optimum), (Status::Bound, None));
    let found = SearchLength {
        moves: 5_000,
        runs: 1,
    }
    .run(&game, &OrderPlan::default(), quick.bound.unwrap());
    assert!(found.cost >= quick.bound.unwrap());
    assert_eq!(Replay::new(&game).cost(&found.plan), found.cost);
    assert!(found.cost < quick.baseline.unwrap());
}

/// Every plan of a small game, by brute force.
fn cheapest_by_force(game: &Instance) -> f64 {
    let replay = Replay::new(game);
    let choices = u64::from(game.play.largest_order) + 1;
    let (weeks, roles) = (game.demand.len(), &game.play.controlled);
    let slots = u32::try_from(weeks * roles.len()).unwrap();
    let mut best = f64::INFINITY;
    for mut code in 0..choices.pow(slots) {
        let mut plan = OrderPlan::default();
        for role in roles {
            for _ in 0..weeks {
                plan.orders[*role].push(u32::try_from(code % choices).unwrap());
                code /= choices;
            }
        }
        best = best.min(replay.cost(&plan));
    }
    best
}

/// Small games: a flow of 1, stock 2, delays 1 to 2, up to 5 weeks.
fn small(seed: u64) -> Instance {
    let mut draw = Seed(seed).stream("small", 0);
    let mut config = Config::paper();
    let weeks = u32::try_from(draw.between(3, 5)).unwrap();
    config.weeks = weeks;
    config.demand = Demand::Script {
        units: (0..weeks)
            .map(|_| u32::try_from(draw.below(4)).unwrap())
            .collect(),
    };
    config.board.order_delay = 1;
    config.board.ship_delay = u32::try_from(draw.between(1, 2)).unwrap();
    config.board.production_delay = u32::try_from(draw.between(1, 2)).unwrap();
    config.board.initial_inventory = u32::try_from(draw.below(3)).unwrap();
    config.board.initial_flow = 1;
    config.board.target_inventory = 2;
    config.board.forced_weeks = u32::try_from(draw.below(2)).unwrap();
    config.board.brewery_self_order = draw.chance(0.2);
    if draw.chance(0.5) {
        config.board.order_on = OrderBasis::StartOfWeek;
        config.cost.charged = Charged::LaggedStock;
    }
    config.cost.minimum = if draw.chance(0.5) { 1.0 } else { 0.0 };
    config.play.largest_order = if weeks == 5 { 5 } else { 6 };
    config.play.controlled = vec![*draw.pick(&Role::ALL).unwrap()];
    if draw.chance(0.3) {
        config.play.objective = Objective::ChainCost;
    }
    let rules = [
        OrderingRule::TYPICAL,
        OrderingRule::SMOOTHING_4,
        OrderingRule::order_up_to(5.0),
        OrderingRule::STERMAN,
    ];
    config.opponents = vec![Lineup::all(*draw.pick(&rules).unwrap())];
    instance(&config, 0)
}

#[test]
fn bounds_and_searches_agree_with_brute_force() {
    let (mut tight, mut games) = (0, 0);
    for seed in 0..40 {
        let game = small(seed);
        let cheapest = cheapest_by_force(&game);
        let bound = bound(&game);
        assert!(
            bound <= cheapest + 1e-9,
            "seed {seed}: bound {bound} above {cheapest}"
        );
        let found = best_plan(&game, Effort::Quick);
        assert!(
            (found.cost - cheapest).abs() < 1e-9,
            "seed {seed}: {} not {cheapest}",
            found.cost
        );
        tight += usize::from(bound == cheapest);
        games += 1;
    }
    assert!(
        tight * 2 > games,
        "the bound is reached in {tight} of {games} games only"
    );
}

#[test]
fn the_team_bound_agrees_with_brute_force() {
    let mut games = 0;
    for seed in 0..12 {
        let mut draw = Seed(seed).stream("team", 0);
        let mut config = Config::classic();
        config.weeks = 4;
        let units = (0..4)
            .map(|_| u32::try_from(draw.below(3)).unwrap())
            .collect();
        config.demand = Demand::Script { units };
        config.board.order_delay = 1;
        config.board.ship_delay = 1;
        config.board.production_delay = 1;
        config.board.initial_inventory = u32::try_from(draw.below(2)).unwrap();
        config.board.initial_flow = 1;
        config.board.forced_weeks = u32::try_from(draw.below(2)).unwrap();
        config.play.largest_order = 1;
        let game = instance(&config, 0);
        let cheapest = cheapest_by_force(&game);
        let team = team_bound(&game).unwrap();
        assert!(
            team.bound <= cheapest + 1e-9,
            "seed {seed}: {} above {cheapest}",
            team.bound
        );
        games += 1;
    }
    assert_eq!(games, 12);
}

/// Where orders are large enough, the team plan reaches its bound on any demand that does not
/// leave the fixed weeks with a backlog.
#[test]
fn the_team_plan_reaches_its_bound_on_drawn_demand() {
    for seed in 0..50 {
        let mut config = Config::classic();
        config.demand = Demand::Uniform { low: 0, high: 8 };
        let game = Instance::generate(&config, Episode::of_run(Seed(seed), 0)).unwrap();
        let team = team_bound(&game).unwrap();
        assert_eq!(
            Replay::new(&game).cost(&team.plan),
            team.bound,
            "seed {seed}"
        );
        assert!(flow_bound(&game) <= team.bound);
    }
}
