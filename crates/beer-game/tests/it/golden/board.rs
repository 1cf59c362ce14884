//! The classic board, against an independent simulator and Sterman's published benchmark.

use super::*;

#[test]
fn classic_board() {
    let Some(golden) = read("beer_classic_board.json") else {
        return;
    };
    let mut compared = 0;
    let cases = golden["cases"].as_array().unwrap();
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let mut rules = ByRole::all(OrderingRule::STERMAN);
        let parameters = case["params_theta_alpha_beta_Sprime_per_role"]
            .as_array()
            .unwrap();
        for (rule, row) in rules.values_mut().zip(parameters) {
            let row = numbers(row);
            *rule = OrderingRule(Formula::Sterman {
                theta: row[0],
                alpha: row[1],
                beta: row[2],
                desired: Some(row[3]),
                reach: 0.0,
            });
        }
        let mut board = Config::classic().board;
        if let Some(forced) = case["options"].get("forced") {
            board.forced_weeks = u32::try_from(forced.as_u64().unwrap()).unwrap();
        }
        let setup = Setup::new(&board, &Config::classic().cost, &Lineup { rules });
        let mut chain = Chain::start(&setup);
        for (week, demand) in numbers(&case["demand"]).into_iter().enumerate() {
            chain.open_week(demand);
            chain.close_week(&setup, &ByRole::all(None));
            for (role, stage) in chain.stages.iter() {
                for (series, got) in [
                    ("inventory", stage.inventory),
                    ("backlog", stage.backlog),
                    ("orders", stage.order),
                ] {
                    let expected = case[series][role.index()][week].as_f64().unwrap();
                    assert!(
                        close(got, expected),
                        "{name}: {series} of {role} in week {week}"
                    );
                    compared += 1;
                }
            }
        }
        for ((_, got), expected) in chain.costs().into_iter().zip(numbers(&case["total_cost"])) {
            assert!(close(got, expected), "{name}: {got} instead of {expected}");
        }
    }
    assert_eq!(cases.len(), 6);
    assert_eq!(compared, (5 * 36 + 50) * ROLES * 3);
}

#[test]
fn the_benchmark_rule_costs_204() {
    let config = Config::classic();
    let setup = Setup::new(&config.board, &config.cost, &Config::classic_benchmark());
    let mut chain = Chain::start(&setup);
    for demand in config.demand.draw(config.weeks, sim_core::Seed(0)) {
        chain.open_week(f64::from(demand));
        chain.close_week(&setup, &ByRole::all(None));
    }
    assert_eq!(chain.costs(), ByRole::new([46.0, 50.0, 54.0, 54.0]));
}
