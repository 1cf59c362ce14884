//! BPTK's system dynamics model. Its stocks are those of the start of a step, and its totals lag.

use super::*;

/// The rule of a case, by the model's switches.
fn rule(constants: &Value) -> OrderingRule {
    let on = |name: &str| constants[name].as_f64() == Some(1.0);
    if !on("sophisticated_order_decision_on") {
        return OrderingRule::TYPICAL;
    }
    let weeks = constants["inventory_adjustment_time"].as_f64().unwrap();
    OrderingRule(Formula::SystemDynamics {
        weeks,
        supply_line: on("include_supply_line_on"),
    })
}

#[test]
fn system_dynamics() {
    let Some(golden) = read("beer_sd.json") else {
        return;
    };
    let cost = Cost {
        charged: Charged::LaggedStock,
        ..Config::bptk().cost
    };
    let (mut cases, mut compared) = (0, 0);
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let constants = &case["constants"];
        let ship = constants["delivery_delay"]
            .as_u64()
            .map_or(1, |d| u32::try_from(d).unwrap());
        let board = bptk_board(ship, 1 + ship, Rounding::Exact);
        assert_eq!(board.order_on, OrderBasis::StartOfWeek);
        assert_eq!(board.supply_line, SupplyLine::OnOrder);
        let setup = Setup::new(&board, &cost, &Lineup::all(rule(constants)));
        let mut chain = Chain::start(&setup);
        let high = if constants["steady_state_on"].as_f64() == Some(1.0) {
            100.0
        } else {
            400.0
        };
        for week in 0..25 {
            let before = chain.clone();
            chain.open_week(if week == 0 { 100.0 } else { high });
            chain.close_week(&setup, &ByRole::all(None));
            for role in Role::ALL {
                let (start, end) = (before.stage(role), chain.stage(role));
                let sending = if role == Role::Brewery {
                    // the brewery's order is brewed after the same delay that a slip takes
                    None
                } else {
                    before.stage(role.supplier().unwrap()).slips.iter().next()
                };
                for (series, got) in [
                    ("incoming_order", Some(end.incoming_order)),
                    ("incoming_delivery", Some(end.incoming_delivery)),
                    ("outgoing_delivery", Some(end.outgoing_delivery)),
                    ("order_decision", Some(end.order)),
                    ("sending_orders", sending),
                    ("inventory", Some(start.inventory)),
                    ("backorder", Some(start.backlog)),
                    ("open_orders", Some(start.on_order)),
                    ("cost", Some(setup.cost_of(start.inventory, start.backlog))),
                ] {
                    let Some(got) = got else { continue };
                    let expected = case["result"][role.name()][series][week].as_f64().unwrap();
                    assert!(
                        close(got, expected),
                        "{name}: {role} {series} in week {}: {got} instead of {expected}",
                        week + 1
                    );
                    compared += 1;
                }
            }
            for (series, got) in [
                ("total_retailer_cost", chain.costs()[Role::Retailer]),
                ("total_supply_chain_cost", chain.costs().total()),
            ] {
                let expected = case["result"][series][week].as_f64().unwrap();
                assert!(
                    close(got, expected),
                    "{name}: {series}: {got} instead of {expected}"
                );
                compared += 1;
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 7);
    assert_eq!(compared, cases * 25 * (9 * ROLES - 1 + 2));
}
