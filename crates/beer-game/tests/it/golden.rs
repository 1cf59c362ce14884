//! Parity with golden games: every case of every `beer_*.json`.
//!
//! The files hold games that other programs played (BPTK-Py, the paper's authors' environment, an
//! independent simulator of the board); each says which in its `source`.

use beer_game::chain::{Chain, Setup, Stage};
use beer_game::config::{Board, Charged, Config, Cost, OrderBasis, Rounding, SupplyLine};
use beer_game::role::{ByRole, ROLES, Role};
use beer_game::rule::Lineup;
use beer_game::rule::{Formula, OrderingRule};
use serde_json::Value;

mod board;
mod bptk;
pub(crate) mod files;
mod seed_program;
mod system_dynamics;

use files::read;

/// The board of BPTK's agent model, with other shipment and production delays where asked for.
fn bptk_board(ship_delay: u32, production_delay: u32, rounding: Rounding) -> Board {
    Board {
        ship_delay,
        production_delay,
        rounding,
        ..Config::bptk().board
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn close(got: f64, expected: f64) -> bool {
    (got - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// How a golden series is called and where the chain keeps it after a closed week.
type Series = (&'static str, fn(&Stage) -> f64);

const END_OF_WEEK: [Series; 11] = [
    ("incoming_order", |s| s.incoming_order),
    ("incoming_delivery", |s| s.incoming_delivery),
    ("outgoing_delivery", |s| s.outgoing_delivery),
    ("outgoing_order", |s| s.order),
    ("inventory", |s| s.inventory),
    ("backorder", |s| s.backlog),
    ("outstanding_orders", |s| s.on_order),
    ("order_balance", |s| s.inventory - s.backlog + s.on_order),
    ("cost", |s| s.cost),
    ("total_cost", |s| s.total_cost),
    ("supply_line", |s| s.inbound.total()),
];

/// Plays a game and compares every series of every role week by week; returns how many numbers
/// were compared.
fn compare(
    case: &str,
    setup: &Setup,
    demand: &[f64],
    retailer: Option<&[f64]>,
    golden: &Value,
) -> usize {
    let mut chain = Chain::start(setup);
    let mut compared = 0;
    for (week, &demand) in demand.iter().enumerate() {
        chain.open_week(demand);
        let mut decided = ByRole::all(None);
        decided[Role::Retailer] = retailer.map(|orders| orders[week]);
        chain.close_week(setup, &decided);
        for role in Role::ALL {
            for (name, value) in END_OF_WEEK {
                let Some(series) = golden[role.name()].get(name) else {
                    continue;
                };
                let expected = series[week].as_f64().unwrap();
                let got = value(chain.stage(role));
                assert!(
                    close(got, expected),
                    "{case}: {role} {name} in week {}: {got} instead of {expected}",
                    week + 1
                );
                compared += 1;
            }
        }
    }
    compared
}
