//! The Beer Game: the board, the paper's program, the BPTK tutorial, optima.

use crate::row::{Row, Section, Source};
use anyhow::{Context, Result};
use beer_game::chain::{Chain, Setup};
use beer_game::config::{Board, Charged, Config, Cost, Demand, OrderBasis, Rounding, SupplyLine};
use beer_game::instance::Instance;
use beer_game::reference::{OrderPlan, Replay, flow_bound, reference, team_bound};
use beer_game::role::{ByRole, ROLES, Role};
use beer_game::rule::Lineup;
use beer_game::rule::{Formula, OrderingRule};
use serde::Deserialize;
use sim_core::{Effort, Episode, Seed, Status};

const COMMAND: &str = "cargo xtask replicate beer-game";

pub(crate) fn section() -> Result<Section> {
    let mut rows = board()?;
    rows.extend(optima()?);
    rows.extend(seed_program()?);
    rows.extend(agent_model()?);
    rows.extend(system_dynamics()?);
    Ok(Section {
        key: "beer-game",
        title: "Beer Game",
        about: "Sterman's board game (Management Science 35(3), 1989), the game of the strategic \
                paper (A.5) as its public program plays it, and the two models of the BPTK \
                tutorial (BPTK-Py 3.2.0). Costs are totals over the game. Sterman's figures are \
                cited; his article is not among the papers that this page was checked against.",
        rows,
        notes: vec![
            "204 is the cost of a fixed rule, not an optimum: if the demand is known, a team can \
             play at a cost of 158, and a lower cost is impossible."
                .to_owned(),
            "The paper reports Beer Game results of language models only, normalised between the \
             best and the worst method; to reproduce them, the models are needed."
                .to_owned(),
        ],
    })
}

/// Costs by role of a game in which every role follows a rule, or the retailer a script.
fn costs(
    board: &Board,
    cost: &Cost,
    lineup: &Lineup,
    demand: &[f64],
    retailer: Option<&[f64]>,
) -> ByRole<f64> {
    let setup = Setup::new(board, cost, lineup);
    let mut chain = Chain::start(&setup);
    for (week, demand) in demand.iter().enumerate() {
        chain.open_week(*demand);
        let scripted = retailer.and_then(|orders| orders.get(week).copied());
        chain.close_week(&setup, &ByRole::new([scripted, None, None, None]));
    }
    chain.costs()
}

/// Demand of 100 in the first `low_weeks` weeks, then 400.
fn step(weeks: usize, low_weeks: usize) -> Vec<f64> {
    (0..weeks)
        .map(|week| if week < low_weeks { 100.0 } else { 400.0 })
        .collect()
}

fn rule(name: &str) -> Result<OrderingRule> {
    OrderingRule::from_name(name).with_context(|| format!("the rule {name}"))
}

/// Costs of Sterman's benchmark rule as printed, by role.
const BENCHMARK: [(&str, f64); ROLES] = [
    ("retailer", 46.0),
    ("wholesaler", 50.0),
    ("distributor", 54.0),
    ("factory", 54.0),
];

/// Cost of the team as printed.
const BENCHMARK_TEAM: f64 = 204.0;

#[derive(Deserialize)]
struct BoardFile {
    cases: Vec<BoardCase>,
}

#[derive(Deserialize)]
struct BoardCase {
    name: String,
    demand: Vec<f64>,
    #[serde(rename = "params_theta_alpha_beta_Sprime_per_role")]
    parameters: [[f64; 4]; ROLES],
    options: BoardOptions,
    total_cost: [f64; ROLES],
}

#[derive(Deserialize)]
struct BoardOptions {
    forced: Option<u32>,
}

fn board() -> Result<Vec<Row>> {
    let text = include_str!("../../beer-game/tests/golden/beer_classic_board.json");
    let file: BoardFile = serde_json::from_str(text).context("the board's games")?;
    let sterman = Source::paper("Sterman 1989, benchmark", COMMAND);
    let other = Source::own("independent simulator of the board", COMMAND);
    let mut rows = Vec::new();
    for case in &file.cases {
        let rules = ByRole::new(case.parameters).map(|[theta, alpha, beta, desired]| {
            OrderingRule(Formula::Sterman {
                theta,
                alpha,
                beta,
                desired: Some(desired),
                reach: 0.0,
            })
        });
        let classic = Config::classic();
        let board = Board {
            forced_weeks: case.options.forced.unwrap_or(classic.board.forced_weeks),
            ..classic.board
        };
        let ours = costs(&board, &classic.cost, &Lineup { rules }, &case.demand, None);
        if case.name == "sterman_benchmark" {
            for ((name, printed), (_, ours)) in BENCHMARK.iter().zip(ours) {
                rows.push(sterman.exact(format!("cost of the {name}"), *printed, ours));
            }
            rows.push(sterman.exact("cost of the team", BENCHMARK_TEAM, ours.total()));
        } else {
            let what = format!("{}, cost of the team", case.name.replace('_', " "));
            let team: f64 = case.total_cost.iter().sum();
            rows.push(other.within(what, team, 1e-6, 4, ours.total()));
        }
    }
    Ok(rows)
}

#[derive(Deserialize)]
struct OptimaFile {
    rows: Vec<RetailerOptimum>,
    classic: Vec<ClassicOptimum>,
}

#[derive(Deserialize)]
struct RetailerOptimum {
    preset: String,
    opponents: String,
    demand: Vec<u32>,
    orders: Vec<u32>,
    retailer_cost: f64,
    proven_optimum: bool,
}

#[derive(Deserialize)]
struct ClassicOptimum {
    controlled: String,
    cost: f64,
}

fn optima() -> Result<Vec<Row>> {
    let text = include_str!("../../beer-game/tests/golden/beer_optima.json");
    let file: OptimaFile = serde_json::from_str(text).context("the optima")?;
    let source = Source::own("reference optima", COMMAND);
    let mut rows = Vec::new();
    for row in &file.rows {
        let mut config = match row.preset.as_str() {
            "seed" => Config::paper(),
            _ => Config::bptk(),
        };
        let rule = match row.opponents.as_str() {
            "typical" => OrderingRule::TYPICAL,
            "smoothing_4_text" => OrderingRule::SMOOTHING_4,
            _ => OrderingRule(Formula::GradualSmoothing { weeks: 4.0 }),
        };
        config.opponents = vec![Lineup::all(rule)];
        config.weeks = 25;
        config.demand = Demand::Script {
            units: row.demand.clone(),
        };
        let game = Instance::generate(&config, Episode::of_run(Seed(1), 0))?;
        let mut plan = OrderPlan::default();
        plan.orders[Role::Retailer].clone_from(&row.orders);
        let preset = match row.preset.as_str() {
            "seed" => "paper",
            other => other,
        };
        let against = row.opponents.replace('_', " ");
        let cost = Replay::new(&game).cost(&plan);
        let what = format!("{preset} against {against}: cost of the best plan known");
        rows.push(source.exact(what, row.retailer_cost, cost));
        if row.proven_optimum {
            let what = format!("{preset} against {against}: bound that no play can beat");
            rows.push(source.exact(what, row.retailer_cost, flow_bound(&game)));
        }
    }
    let game = Instance::generate(&Config::classic(), Episode::of_run(Seed(1), 0))?;
    let team = team_bound(&game).context("the board has a team bound")?;
    let known = file
        .classic
        .iter()
        .find(|row| row.controlled == "team")
        .context("the team's optimum")?
        .cost;
    rows.push(source.exact("board, best possible team: bound", known, team.bound));
    let cost = Replay::new(&game).cost(&team.plan);
    rows.push(source.exact(
        "board, best possible team: a plan that costs it",
        known,
        cost,
    ));
    for (index, against, opponents) in [
        (0, "typical", "typical"),
        (1, "smoothing-4", "smoothing_4_text"),
    ] {
        let known = file
            .rows
            .iter()
            .find(|row| row.preset == "seed" && row.opponents == opponents)
            .with_context(|| format!("no optimum against {opponents}"))?;
        let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(1), index))?;
        let best = reference(&game, Effort::Quick);
        let ours = best.optimum.unwrap_or(f64::NAN);
        let what = format!("preset `paper` against {against}: optimum");
        let mut row = source.exact(what, known.retailer_cost, ours);
        if best.status == Status::Proven {
            row.ours.push_str(", proven");
        }
        row.command = "boardroom run beer-game --agent constant:400".to_owned();
        rows.push(row);
    }
    Ok(rows)
}

#[derive(Deserialize)]
struct SeedFile {
    cases: Vec<SeedCase>,
}

#[derive(Deserialize)]
struct SeedCase {
    name: String,
    opponent_policy: String,
    controlled_orders: Vec<f64>,
    total_cost_controlled: f64,
    total_cost_supply_chain: f64,
}

fn seed_program() -> Result<Vec<Row>> {
    let text = include_str!("../../beer-game/tests/golden/beer_seed_code.json");
    let file: SeedFile = serde_json::from_str(text).context("games of the paper's program")?;
    let source = Source::program("strategic paper, public program", COMMAND);
    let config = Config::paper_exact();
    let demand = step(25, 2);
    let (mut rows, mut agreeing) = (Vec::new(), 0);
    for case in &file.cases {
        let rule = match case.opponent_policy.as_str() {
            "no_backorder" => rule("ignore-backorder")?,
            other => rule(&other.replace('_', "-"))?,
        };
        let orders = Some(case.controlled_orders.as_slice());
        let lineup = Lineup::all(rule);
        let ours = costs(&config.board, &config.cost, &lineup, &demand, orders);
        let own = ours[Role::Retailer];
        let chain: f64 = ours.total();
        agreeing += usize::from(own == case.total_cost_controlled);
        agreeing += usize::from(chain == case.total_cost_supply_chain);
        let shown = [
            "const_400/",
            "const_100/typical",
            "zero/typical",
            "retailer_typical",
        ];
        if shown.iter().any(|start| case.name.starts_with(start)) {
            let what = format!("`{}`: cost of the retailer", case.name);
            rows.push(source.exact(what, case.total_cost_controlled, own));
        }
    }
    let all = 2 * file.cases.len();
    let what = "all 26 recorded games: cost of the retailer and of the chain";
    rows.push(source.count(what, agreeing, all, "none"));
    Ok(rows)
}

/// Retailer and chain by rule: BPTK's mechanics over 25 steps, with goods in transit for one or two
/// weeks.
const AGENT_MODEL: [(&str, [f64; 2], [f64; 2]); 7] = [
    ("typical", [42_750.0, 997_650.0], [99_700.0, 2_902_600.0]),
    (
        "smoothing-4",
        [75_454.0, 1_844_330.0],
        [113_520.0, 3_958_407.0],
    ),
    (
        "ignore-backorder",
        [18_050.0, 136_550.0],
        [34_500.0, 203_800.0],
    ),
    (
        "include-supply-line",
        [8_600.0, 223_800.0],
        [27_300.0, 754_800.0],
    ),
    ("order-balance:8", [8_307.0, 31_898.0], [18_441.0, 62_501.0]),
    ("order-up-to 1200", [5_000.0, 21_600.0], [9_100.0, 33_100.0]),
    ("order-up-to 1600", [9_000.0, 41_600.0], [8_100.0, 39_300.0]),
];

fn agent_model() -> Result<Vec<Row>> {
    let source = Source::program("BPTK-Py, agent model", COMMAND);
    let bptk = Config::bptk();
    let mut rows = Vec::new();
    for (name, one, two) in AGENT_MODEL {
        let rule = match name.strip_prefix("order-up-to ") {
            Some(level) => OrderingRule::order_up_to(level.parse()?),
            None if name == "smoothing-4" => OrderingRule::SMOOTHING_4,
            None => rule(name)?,
        };
        for (recorded, ship_delay) in [(one, 1), (two, 2)] {
            let board = Board {
                ship_delay,
                production_delay: ship_delay + 1,
                rounding: Rounding::Exact,
                order_on: OrderBasis::StartOfWeek,
                supply_line: SupplyLine::OnOrder,
                ..bptk.board.clone()
            };
            let ours = costs(&board, &bptk.cost, &Lineup::all(rule), &step(25, 1), None);
            let own = ours[Role::Retailer];
            let [retailer, chain] = recorded;
            let weeks = if ship_delay == 1 { "1 week" } else { "2 weeks" };
            // The recorded figures have no fractions.
            let what = format!("all by {name}, goods {weeks} on their way: retailer");
            rows.push(source.within(what, retailer, 0.5, 1, own));
            let what = format!("all by {name}, goods {weeks} on their way: chain");
            rows.push(source.within(what, chain, 0.5, 1, ours.total()));
        }
    }
    Ok(rows)
}

#[derive(Deserialize)]
struct SystemFile {
    cases: Vec<SystemCase>,
}

#[derive(Deserialize)]
struct SystemCase {
    name: String,
    constants: std::collections::BTreeMap<String, f64>,
    result: SystemTotals,
}

#[derive(Deserialize)]
struct SystemTotals {
    total_retailer_cost: Vec<f64>,
    total_supply_chain_cost: Vec<f64>,
}

fn system_dynamics() -> Result<Vec<Row>> {
    let text = include_str!("../../beer-game/tests/golden/beer_sd.json");
    let file: SystemFile = serde_json::from_str(text).context("the system dynamics games")?;
    let source = Source::program("BPTK-Py, system dynamics model", COMMAND);
    let bptk = Config::bptk();
    let cost = Cost {
        charged: Charged::LaggedStock,
        ..bptk.cost.clone()
    };
    let mut rows = Vec::new();
    for case in &file.cases {
        let constant = |name: &str| case.constants.get(name).copied();
        let on = |name: &str| constant(name) == Some(1.0);
        let ship_delay = if constant("delivery_delay") == Some(2.0) {
            2
        } else {
            1
        };
        let rule = if on("sophisticated_order_decision_on") {
            OrderingRule(Formula::SystemDynamics {
                weeks: constant("inventory_adjustment_time").unwrap_or(1.0),
                supply_line: on("include_supply_line_on"),
            })
        } else {
            OrderingRule::TYPICAL
        };
        let board = Board {
            ship_delay,
            production_delay: ship_delay + 1,
            ..bptk.board.clone()
        };
        let low_weeks = if on("steady_state_on") { 25 } else { 1 };
        let demand = step(25, low_weeks);
        let ours = costs(&board, &cost, &Lineup::all(rule), &demand, None);
        let own = ours[Role::Retailer];
        let name = case.name.replace('_', " ");
        let last = |series: &[f64]| series.last().copied().unwrap_or(f64::NAN);
        let recorded = last(&case.result.total_retailer_cost);
        rows.push(source.exact(format!("{name}: retailer"), recorded, own));
        let recorded = last(&case.result.total_supply_chain_cost);
        rows.push(source.exact(format!("{name}: chain"), recorded, ours.total()));
    }
    Ok(rows)
}
