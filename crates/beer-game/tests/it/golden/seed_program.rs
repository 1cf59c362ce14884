//! The paper's program, bit for bit.

use super::*;

#[test]
fn seed_program() {
    let Some(golden) = read("beer_seed_code.json") else {
        return;
    };
    let config = Config::paper_exact();
    let demand = config.demand.draw(config.weeks, sim_core::Seed(0));
    let demand: Vec<f64> = demand.into_iter().map(f64::from).collect();
    let (mut cases, mut compared) = (0, 0);
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let rule = match case["opponent_policy"].as_str().unwrap() {
            "no_backorder" => OrderingRule::from_name("ignore-backorder").unwrap(),
            other => OrderingRule::from_name(&other.replace('_', "-")).unwrap(),
        };
        let setup = Setup::new(&config.board, &config.cost, &Lineup::all(rule));
        let orders = numbers(&case["controlled_orders"]);
        compared += compare(name, &setup, &demand, Some(&orders), &case["roles"]);
        let mut chain = Chain::start(&setup);
        for (&demand, &order) in demand.iter().zip(&orders) {
            chain.open_week(demand);
            chain.close_week(&setup, &ByRole::new([Some(order), None, None, None]));
        }
        let costs = chain.costs();
        assert_eq!(
            costs[Role::Retailer],
            case["total_cost_controlled"].as_f64().unwrap(),
            "{name}"
        );
        let chain_cost = costs.total();
        assert_eq!(
            chain_cost,
            case["total_cost_supply_chain"].as_f64().unwrap(),
            "{name}"
        );
        cases += 1;
    }
    assert_eq!(cases, 26);
    assert_eq!(compared, cases * 25 * ROLES * 8);
}
