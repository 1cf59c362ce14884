//! BPTK's agent model: all roles by rule, a scripted retailer, and the unmodified integer classes.

use super::*;

/// The rule that a golden file calls `name`.
fn rule(name: &str) -> OrderingRule {
    match name {
        "rule_a0.5_b0.5" => OrderingRule(Formula::Typical {
            alpha: 0.5,
            beta: 0.5,
            window: 1,
        }),
        "sterman_mean_scaled" => OrderingRule::STERMAN,
        "slow_inventory_adjustment_8" => OrderingRule::from_name("slow-adjustment:8").unwrap(),
        "order_balance_8" => OrderingRule::from_name("order-balance:8").unwrap(),
        "order_up_to_1200" => OrderingRule::order_up_to(1200.0),
        "order_up_to_1600" => OrderingRule::order_up_to(1600.0),
        other => OrderingRule::from_name(&other.replace('_', "-")).unwrap(),
    }
}

fn check(file: &str, board: &Board, expected_cases: usize) {
    let Some(golden) = read(file) else { return };
    let cost = Config::bptk().cost;
    let (mut cases, mut compared) = (0, 0);
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let policy = &case["policy"];
        let (others, orders) = match policy["all_roles"].as_str() {
            Some(all) => (all, None),
            None => (
                policy["others"].as_str().unwrap(),
                Some(numbers(&policy["retailer_orders"])),
            ),
        };
        let setup = Setup::new(board, &cost, &Lineup::all(rule(others)));
        let demand = numbers(&case["demand"]);
        assert_eq!(demand.len() as u64, case["steps"].as_u64().unwrap());
        compared += compare(name, &setup, &demand, orders.as_deref(), &case["roles"]);
        cases += 1;
    }
    assert_eq!(cases, expected_cases, "cases in {file}");
    assert_eq!(
        compared,
        cases * 25 * ROLES * 10,
        "numbers compared in {file}"
    );
}

#[test]
fn all_roles_bptk() {
    check(
        "beer_all_roles_bptk.json",
        &bptk_board(1, 2, Rounding::Exact),
        70,
    );
}

#[test]
fn all_roles_with_two_weeks_of_shipping() {
    check(
        "beer_all_roles_paper.json",
        &bptk_board(2, 3, Rounding::Exact),
        70,
    );
}

#[test]
fn scripted_retailer_bptk() {
    check(
        "beer_scripted_retailer_bptk.json",
        &bptk_board(1, 2, Rounding::Exact),
        24,
    );
}

#[test]
fn scripted_retailer_with_two_weeks_of_shipping() {
    check(
        "beer_scripted_retailer_paper.json",
        &bptk_board(2, 3, Rounding::Exact),
        24,
    );
}

#[test]
fn integer_truncation() {
    let board = bptk_board(1, 2, Rounding::OrdersAndCosts);
    check("beer_bptk_integer_truncation.json", &board, 5);
}
