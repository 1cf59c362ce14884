//! Ten kernels for `cargo xtask bench --check`, which counts their instructions under valgrind.
//!
//! `counts KERNEL ROUNDS` runs a kernel ROUNDS times and prints nothing; without arguments the program
//! prints the kernels with the operations of a round, and the vectors that the processor has. A count
//! does not depend on other programs on the machine, as a time does.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use beer_game::chain::{Chain, Setup};
use beer_game::role::{ByRole, Role};
use benches::{actions, text_pairs};
use econ_envs::procurement::{evaluate::Evaluator, menu::OfferId, optimum::solve};
use econ_envs::scheduling::blocking::Kernel as Blocking;
use econ_envs::{pricing, procurement, scheduling};
use edt::action::Window;
use edt::engine::{Chance, Engine};
use edt::firm::Firm;
use qa_scoring::rouge::{Rouge, Stemming};
use sim_core::{BatchEnvironment, Episode, Seed};
use std::hint::black_box;

/// A kernel with its inputs; a call is a round.
type Round = Box<dyn FnMut()>;

/// Name, operations of a round, and what makes the inputs.
type Kernel = (&'static str, u32, fn() -> Round);

const KERNELS: [Kernel; 10] = [
    ("beer-game lanes, a week", 64 * 25, beer_lanes),
    ("beer-game single with view, a week", 64 * 25, beer_single),
    ("edt totals, a run", 64, edt_totals),
    ("edt series, a run", 64, edt_series),
    ("pricing lanes, a market", 64 * 100, pricing_lanes),
    ("pricing optimum", 64, pricing_optimum),
    ("procurement plan", 64, procurement_plan),
    ("procurement optimum", 1, procurement_optimum),
    ("scheduling blocking pairs listed", 64, scheduling_list),
    ("rouge of 55 words", 64, rouge),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [kernel, rounds] = words.as_slice()
        && let Ok(rounds) = rounds.parse::<u32>()
    {
        let (.., inputs) = KERNELS
            .iter()
            .find(|(name, ..)| name == kernel)
            .expect("a kernel of the list");
        let mut round = inputs();
        for _ in 0..rounds {
            round();
        }
        return;
    }
    for (name, operations, _) in KERNELS {
        println!("kernel: {name} = {operations}");
    }
    println!("vectors: {}", vectors());
}

/// The widest vectors among those that valgrind knows.
fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    std::env::consts::ARCH
}

/// Steps a batch from its start to its end.
fn play_lanes(mut batch: impl BatchEnvironment + 'static) -> Round {
    let layout = batch.layout().clone();
    let steps: Vec<Vec<f32>> = (0..layout.horizon)
        .map(|step| actions(&layout, step))
        .collect();
    let mut obs = vec![0.0; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; layout.lanes], vec![false; layout.lanes]);
    Box::new(move || {
        for lane in 0..layout.lanes {
            batch
                .reset_lane(lane, Episode::of_run(Seed(2), lane as u64))
                .expect("the settings can be played");
        }
        for actions in &steps {
            batch
                .step_batch(actions, &mut obs, &mut rewards, &mut dones)
                .unwrap();
            black_box(&obs);
        }
    })
}

fn beer_lanes() -> Round {
    let config = beer_game::Config::random();
    play_lanes(beer_game::batch::Batch::new(&config, 64, Seed(1)).unwrap())
}

fn beer_single() -> Round {
    let config = beer_game::Config::paper();
    let setup = Setup::new(
        &config.board,
        &config.cost,
        config.opponents.first().unwrap(),
    );
    let draw = |name: &str, game, high| -> Vec<f64> {
        let mut stream = Seed(1).stream(name, game);
        (0..25).map(|_| stream.uniform(0.0, high).floor()).collect()
    };
    let games: Vec<_> = (0..64)
        .map(|game| (draw("demand", game, 500.0), draw("orders", game, 900.0)))
        .collect();
    Box::new(move || {
        for (demand, orders) in &games {
            let mut chain = Chain::start(&setup);
            for (demand, order) in demand.iter().zip(orders) {
                chain.open_week(*demand);
                black_box(chain.view(&setup, Role::Retailer));
                chain.close_week(&setup, &ByRole::new([Some(*order), None, None, None]));
            }
            black_box(chain.stage(Role::Retailer).total_cost);
        }
    })
}

/// Plans of the paper's firm: most projects accepted, windows drawn.
fn firm_plans(firm: &Firm) -> Vec<edt::Action> {
    let last = i64::from(firm.stop) - 1;
    (0..64)
        .map(|plan| {
            let mut draw = Seed(1).stream("plan", plan);
            let consultants = draw.between(4, i64::from(firm.head_count()));
            let mut window = || {
                let start = draw.between(1, last * 2 / 3);
                let deadline = draw.between(start, last);
                let [start, deadline] = [start, deadline].map(|t| f64::from(t as i32));
                (!draw.chance(0.2)).then_some(Window { start, deadline })
            };
            edt::Action {
                consultants,
                risk_level: 0.5,
                projects: firm.projects.iter().map(|_| window()).collect(),
            }
        })
        .collect()
}

fn edt_totals() -> Round {
    let firm = Firm::paper();
    let (plans, mut engine) = (firm_plans(&firm), Engine::new(&firm));
    Box::new(move || {
        for plan in &plans {
            black_box(engine.run(plan, &Chance::threshold(0.0)));
        }
    })
}

fn edt_series() -> Round {
    let firm = Firm::paper();
    let (plans, mut engine) = (firm_plans(&firm), Engine::new(&firm));
    let mut series = Vec::new();
    Box::new(move || {
        for plan in &plans {
            series.clear();
            black_box(engine.run_with_series(plan, &Chance::threshold(0.0), &mut series));
        }
    })
}

fn pricing_lanes() -> Round {
    let config = pricing::Config::hard();
    play_lanes(pricing::Batch::new(&config, 64, Seed(1)).unwrap())
}

fn pricing_optimum() -> Round {
    let config = pricing::Config::hard();
    let demand = |index| {
        let episode = Episode {
            seed: Seed(1),
            index,
        };
        pricing::Instance::generate(&config, episode)
            .unwrap()
            .demand()
            .unwrap()
    };
    let demands: Vec<_> = (0..64).map(demand).collect();
    Box::new(move || {
        for demand in &demands {
            black_box(pricing::optimum::optimum(demand));
        }
    })
}

fn hard_market(seed: u64) -> procurement::Instance {
    let episode = Episode {
        seed: Seed(seed),
        index: 0,
    };
    procurement::Instance::generate(&procurement::Config::hard(), episode).unwrap()
}

fn procurement_plan() -> Round {
    let evaluator = Evaluator::new(&hard_market(1)).unwrap();
    let plan = |plan| -> Vec<(OfferId, u32)> {
        let mut draw = Seed(1).stream("plan", plan);
        let mut order: Vec<u32> = (0..100).collect();
        draw.shuffle(&mut order);
        let offers = order.into_iter().take(15);
        offers
            .map(|n| (OfferId(n), draw.between_u32(1, 60)))
            .collect()
    };
    let plans: Vec<_> = (0..64).map(plan).collect();
    Box::new(move || {
        for plan in &plans {
            black_box(evaluator.evaluate(plan).workers);
        }
    })
}

fn procurement_optimum() -> Round {
    let market = hard_market(2);
    Box::new(move || {
        black_box(solve(&market, 100_000).unwrap());
    })
}

fn scheduling_list() -> Round {
    let episode = Episode {
        seed: Seed(1),
        index: 3,
    };
    let market = scheduling::Instance::generate(&scheduling::Config::hard(), episode).unwrap();
    let kernel = Blocking::new(&market.preferences).unwrap();
    let matching = |index| {
        let mut task_of: Vec<u16> = (0..50).collect();
        Seed(2).stream("matching", index).shuffle(&mut task_of);
        task_of
    };
    let matchings: Vec<_> = (0..64).map(matching).collect();
    Box::new(move || {
        for matching in &matchings {
            black_box(kernel.blocking(matching).unwrap().list());
        }
    })
}

fn rouge() -> Round {
    let pairs = text_pairs(55, 64);
    let mut scorer = Rouge::new(Stemming::Off);
    Box::new(move || {
        for (reference, prediction) in &pairs {
            black_box(scorer.score(reference, prediction).mean_f());
        }
    })
}
