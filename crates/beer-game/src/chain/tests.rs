use super::*;
use crate::config::Config;
use sim_core::Seed;

fn setup(config: &Config) -> Setup {
    Setup::new(&config.board, &config.cost, &config.opponents[0])
}

fn play(setup: &Setup, demand: &[u32], retailer: &[f64]) -> Chain {
    let mut chain = Chain::start(setup);
    for (&demand, &order) in demand.iter().zip(retailer) {
        chain.open_week(f64::from(demand));
        chain.close_week(setup, &ByRole::new([Some(order), None, None, None]));
    }
    chain
}

/// Four weeks of `paper` by hand. The retailer orders 400 from the first week; demand is
/// 100, 100, 400, 400.
#[test]
fn a_hand_computed_trace() {
    let setup = setup(&Config::paper());
    let mut chain = Chain::start(&setup);
    // (received, stock, backlog, cost) of the retailer and (order read, stock, order) of the
    // wholesaler at the end of each week
    let expected = [
        // week 1: 400 + 100 - 100; the wholesaler reads 100, orders 100 + (400 - 400) = 100
        ((100.0, 400.0, 0.0, 200.0), (100.0, 400.0, 100.0)),
        // week 2: still 100 in, 100 out; the wholesaler reads the first 400, ships it, keeps
        // 400 + 100 - 400 = 100 and orders 400 + (400 - 100) = 700
        ((100.0, 400.0, 0.0, 200.0), (400.0, 100.0, 700.0)),
        // week 3: demand 400, 100 arrives: 400 + 100 - 400 = 100; the wholesaler can ship 200 of
        // 400, owes 200 and orders 400 + 400 + 200 = 1000
        ((100.0, 100.0, 0.0, 200.0), (400.0, 0.0, 1000.0)),
        // week 4: the 400 shipped in week 2 arrive: 100 + 400 - 400 = 100
        ((400.0, 100.0, 0.0, 200.0), (400.0, 0.0, 1300.0)),
    ];
    for (week, (retailer, wholesaler)) in expected.into_iter().enumerate() {
        chain.open_week([100.0, 100.0, 400.0, 400.0][week]);
        chain.close_week(&setup, &ByRole::new([Some(400.0), None, None, None]));
        let r = chain.stage(Role::Retailer);
        assert_eq!(
            (r.incoming_delivery, r.inventory, r.backlog, r.cost),
            retailer,
            "{week}"
        );
        let w = chain.stage(Role::Wholesaler);
        assert_eq!(
            (w.incoming_order, w.inventory, w.order),
            wholesaler,
            "{week}"
        );
    }
    assert_eq!(chain.stage(Role::Retailer).total_cost, 800.0);
    assert_eq!(chain.stage(Role::Wholesaler).backlog, 500.0);
}

#[test]
fn the_steady_state_is_steady() {
    for sim_core::Preset { name, config, .. } in Config::presets() {
        let setup = setup(&config);
        let flow = config.board.initial_flow;
        let mut chain = Chain::start(&setup);
        for _ in 0..10 {
            chain.open_week(f64::from(flow));
            let decided = ByRole::all(Some(f64::from(flow)));
            chain.close_week(&setup, &decided);
        }
        // the paper's program's brewery reads its own orders too and floods the distributor
        let steady = if config.board.brewery_self_order {
            2
        } else {
            4
        };
        for (_, stage) in chain.stages.iter().take(steady) {
            assert_eq!(
                stage.inventory,
                f64::from(config.board.initial_inventory),
                "{name}"
            );
            assert_eq!(stage.backlog, 0.0, "{name}");
        }
    }
}

#[test]
fn a_runaway_chain_stays_finite() {
    let mut config = Config::paper_exact();
    config.weeks = 520;
    let setup = setup(&config);
    let chain = play(&setup, &[400; 520], &[5000.0; 520]);
    assert!(chain.stages.iter().all(|(_, stage)| stage.is_sane()));
}

#[test]
fn forced_weeks_override_every_role() {
    let setup = setup(&Config::classic());
    let chain = play(&setup, &[4; 4], &[500.0; 4]);
    assert!(
        chain
            .stages
            .iter()
            .all(|(_, stage)| stage.order == 4.0 && stage.inventory == 12.0)
    );
}

/// A board that nobody checked: no sum of its numbers overflows, and its pipelines stay in range.
#[test]
fn delays_out_of_range_do_not_overflow() {
    let mut config = Config::paper();
    config.board.order_delay = u32::MAX;
    config.board.ship_delay = u32::MAX;
    let setup = setup(&config);
    assert_eq!(
        setup.standing(Role::Retailer).lead_time,
        2.0 * f64::from(u32::MAX)
    );
    let chain = play(&setup, &[100], &[100.0]);
    assert_eq!(chain.stage(Role::Retailer).inbound.delay(), MAX_DELAY);
}

/// Settings as constants change no bit: the same weeks with the settings read each week.
#[test]
fn usual_games_are_those_of_any_settings() {
    let config = Config::paper();
    for rule in [OrderingRule::TYPICAL, OrderingRule::SMOOTHING_4] {
        for delays in [(1, 2, 2), (1, 1, 1), (2, 3, 8)] {
            let mut board = config.board.clone();
            (board.order_delay, board.ship_delay, board.production_delay) = delays;
            let usual = Setup::new(&board, &config.cost, &Lineup::all(rule));
            let any = Setup {
                usual: false,
                ..usual.clone()
            };
            assert!(usual.usual, "the paper's board is usual");
            let (mut fast, mut plain) = (Chain::start(&usual), Chain::start(&any));
            let mut draw = Seed(3).stream("weeks", 0);
            for _ in 0..60 {
                let demand = f64::from(draw.between_u32(0, 500));
                let mut decided = ByRole::all(None);
                for role in Role::ALL {
                    let order = f64::from(draw.between_u32(0, 900)) + 0.5;
                    decided[role] = draw.chance(0.3).then_some(order);
                }
                fast.open_week(demand);
                plain.open_week(demand);
                fast.close_week(&usual, &decided);
                plain.close_week(&any, &decided);
                assert_eq!(fast, plain, "{rule:?}, delays {delays:?}");
            }
        }
    }
}

/// Every setting that the fast path has as a constant keeps a game out of it.
#[test]
fn other_settings_are_not_usual() {
    let config = Config::paper();
    let usual =
        |board: &Board, cost: &Cost, rule| Setup::new(board, cost, &Lineup::all(rule)).usual;
    let (board, cost) = (config.board.clone(), config.cost.clone());
    let boards = [
        Board {
            order_on: OrderBasis::StartOfWeek,
            ..board.clone()
        },
        Board {
            rounding: Rounding::Exact,
            ..board.clone()
        },
        Board {
            rounding: Rounding::OrdersAndCosts,
            ..board.clone()
        },
        Board {
            forced_weeks: 1,
            ..board.clone()
        },
        Board {
            brewery_self_order: true,
            ..board.clone()
        },
    ];
    for other in &boards {
        assert!(!usual(other, &cost, OrderingRule::TYPICAL), "{other:?}");
    }
    let lagged = Cost {
        charged: Charged::LaggedStock,
        ..cost.clone()
    };
    assert!(!usual(&board, &lagged, OrderingRule::TYPICAL));
    for name in [
        "base-stock",
        "ignore-backorder",
        "follow-demand",
        "constant:100",
        "order-up-to",
    ] {
        let rule = OrderingRule::from_name(name).unwrap();
        assert!(!usual(&board, &cost, rule), "{name}");
    }
    let half = OrderingRule(Formula::Typical {
        alpha: 0.5,
        beta: 1.0,
        window: 1,
    });
    assert!(!usual(&board, &cost, half));
    let mut mixed = Lineup::all(OrderingRule::TYPICAL);
    mixed.rules[Role::Brewery] = OrderingRule::constant(100.0);
    assert!(!Setup::new(&board, &cost, &mixed).usual);
    assert!(usual(&board, &cost, OrderingRule::TYPICAL));
}

/// A fraction is cut off whether or not the rules are expected to order whole amounts.
#[test]
fn fractions_are_cut_whatever_the_rules_order() {
    let whole = setup(&Config::paper());
    assert!(whole.orders_whole);
    let any = Setup {
        orders_whole: false,
        ..whole.clone()
    };
    let orders = [
        0.0,
        -0.0,
        -3.5,
        0.25,
        0.5,
        1.5,
        2.75,
        399.75,
        1e12 - 0.25,
        1e12,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for order in orders {
        let chain = play(&whole, &[100], &[order]);
        assert_eq!(chain, play(&any, &[100], &[order]), "{order}");
        let expected = order.clamp(0.0, 1e12).max(0.0).trunc() + 0.0;
        let placed = chain.stage(Role::Retailer).order;
        assert_eq!(placed.to_bits(), expected.to_bits(), "{order}");
    }
}
