//! Weeks of the Beer Game per second.
//!
//! Each bench plays whole games of one week after the other on 256 drawn scripts (demand and
//! retailer's orders), so that no branch predictor can learn a game. The unit is the week of one
//! game.
//!
//! * `dynamics`: four roles, three by rule, a scripted retailer; no log, no record;
//! * `dynamics+view`: the same, and what the retailer sees is computed each week;
//! * `environment`: through `Environment::step`, with log and score;
//! * `lockstep`: a batch, actions in, eight observation fields, reward and end out each week, one lane after the
//!   other; `lockstep-by-field` is the same with one field after the other;
//! * `reset`: a new episode of a lane, whose demand is drawn in `random` and `stationary`;
//! * `rules`: games that rules play alone, from the first week to the last.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use beer_game::batch::{Batch, RuleGames};
use beer_game::chain::{Chain, Setup};
use beer_game::config::{Config, Demand};
use beer_game::env::BeerGame;
use beer_game::instance::Instance;
use beer_game::role::{ByRole, Role};
use beer_game::rule::Lineup;
use beer_game::rule::OrderingRule;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sim_core::batch::Layout;
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Seed};
use std::hint::black_box;
use std::sync::Arc;

const WEEKS: u32 = 25;
const SCRIPTS: u64 = 256;

/// Demand and retailer's orders of a game, drawn.
fn scripts() -> Vec<(Vec<f64>, Vec<f64>)> {
    let draw = |name: &str, script: u64, low, high| -> Vec<f64> {
        let mut stream = Seed(1).stream(name, script);
        (0..WEEKS)
            .map(|_| stream.uniform(low, high).floor())
            .collect()
    };
    (0..SCRIPTS)
        .map(|s| (draw("demand", s, 0.0, 500.0), draw("orders", s, 0.0, 900.0)))
        .collect()
}

fn configs() -> [(&'static str, Config); 4] {
    let with = |config: Config, rule: OrderingRule| Config {
        weeks: WEEKS,
        demand: Demand::Uniform { low: 0, high: 500 },
        opponents: vec![Lineup::all(rule)],
        ..config
    };
    [
        ("bptk/typical", with(Config::bptk(), OrderingRule::TYPICAL)),
        (
            "bptk/order-up-to",
            with(Config::bptk(), OrderingRule::order_up_to(1200.0)),
        ),
        (
            "paper/typical",
            with(Config::paper(), OrderingRule::TYPICAL),
        ),
        (
            "paper/smoothing-4",
            with(Config::paper(), OrderingRule::SMOOTHING_4),
        ),
    ]
}

fn single(c: &mut Criterion) {
    let scripts = scripts();
    let mut group = c.benchmark_group("beer_game/single");
    group.throughput(Throughput::Elements(SCRIPTS * u64::from(WEEKS)));
    for (name, config) in configs() {
        let [lineup] = config.opponents.as_slice() else {
            continue;
        };
        let setup = Setup::new(&config.board, &config.cost, lineup);
        for with_view in [false, true] {
            let id = if with_view {
                "dynamics+view"
            } else {
                "dynamics"
            };
            group.bench_function(BenchmarkId::new(id, name), |b| {
                b.iter(|| {
                    let mut total = 0.0;
                    for (demand, orders) in &scripts {
                        let mut chain = Chain::start(&setup);
                        for (demand, order) in demand.iter().zip(orders) {
                            chain.open_week(*demand);
                            if with_view {
                                black_box(chain.view(&setup, Role::Retailer));
                            }
                            chain
                                .close_week(&setup, &ByRole::new([Some(*order), None, None, None]));
                        }
                        total += chain.stage(Role::Retailer).total_cost;
                    }
                    total
                });
            });
        }
        let games: Vec<Arc<Instance>> = (0..SCRIPTS)
            .filter_map(|seed| {
                Instance::generate(
                    &config,
                    Episode {
                        seed: Seed(seed),
                        index: 0,
                    },
                )
                .ok()
                .map(Arc::new)
            })
            .collect();
        group.bench_function(BenchmarkId::new("environment", name), |b| {
            b.iter(|| {
                let mut total = 0.0;
                for (game, (_, orders)) in games.iter().zip(&scripts) {
                    let Ok(mut env) = BeerGame::new(Arc::clone(game)) else {
                        continue;
                    };
                    for order in orders {
                        black_box(env.observe());
                        let order = beer_game::Action::nearest(*order, 5000);
                        black_box(env.step(&order).is_ok());
                    }
                    total += env.score().map_or(0.0, |score| score.value());
                }
                total
            });
        });
    }
    group.finish();
}

fn lockstep(c: &mut Criterion) {
    in_lockstep(c, "beer_game/lockstep", Layout::LaneMajor);
    in_lockstep(c, "beer_game/lockstep-by-field", Layout::FieldMajor);
}

fn in_lockstep(c: &mut Criterion, group: &str, layout: Layout) {
    let mut group = c.benchmark_group(group);
    for lanes in [1024_usize, 8192] {
        for (name, config) in configs() {
            let Ok(mut batch) = Batch::new(&config, lanes, Seed(3)) else {
                continue;
            };
            assert!(batch.arrange(layout), "both layouts are there");
            let mut obs = vec![0.0; batch.layout().observation_len()];
            let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
            let weeks: Vec<Vec<f32>> = (0..WEEKS)
                .map(|week| {
                    let mut stream = Seed(9).stream("actions", u64::from(week));
                    (0..lanes)
                        .map(|_| stream.uniform(0.0, 900.0).floor() as f32)
                        .collect()
                })
                .collect();
            group.throughput(Throughput::Elements(lanes as u64 * u64::from(WEEKS)));
            group.bench_function(BenchmarkId::new(name, lanes), |b| {
                b.iter_batched_ref(
                    || batch.clone(),
                    |batch| {
                        for actions in &weeks {
                            let stepped =
                                batch.step_batch(actions, &mut obs, &mut rewards, &mut dones);
                            black_box(stepped.is_ok());
                        }
                    },
                    criterion::BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

fn rules(c: &mut Criterion) {
    let mut group = c.benchmark_group("beer_game/rules");
    let boards = [("bptk", Config::bptk()), ("paper", Config::paper())];
    for (board, config) in boards {
        let config = Config {
            weeks: WEEKS,
            demand: Demand::Uniform { low: 0, high: 500 },
            ..config
        };
        for (rule, lineup) in [
            ("constant", Lineup::all(OrderingRule::constant(250.0))),
            ("base-stock", Lineup::all(OrderingRule::BASE_STOCK)),
        ] {
            for lanes in [1024_usize, 8192] {
                let games = RuleGames::new(&config, &lineup, lanes, Seed(3)).unwrap();
                group.throughput(Throughput::Elements(lanes as u64 * u64::from(WEEKS)));
                group.bench_function(BenchmarkId::new(format!("{board}/{rule}"), lanes), |b| {
                    b.iter_batched_ref(
                        || games.clone(),
                        |games| {
                            games.play();
                            black_box(games.costs().len())
                        },
                        criterion::BatchSize::PerIteration,
                    );
                });
            }
        }
    }
    group.finish();
}

/// New episodes of a lane. Divided by the weeks of an episode, a figure can be compared with that of a week.
fn resets(c: &mut Criterion) {
    let mut group = c.benchmark_group("beer_game/reset");
    group.throughput(Throughput::Elements(1));
    for (name, config) in [
        ("paper", Config::paper()),
        ("random", Config::random()),
        ("stationary", Config::stationary()),
    ] {
        let mut batch = Batch::new(&config, 1024, Seed(3)).expect("a preset");
        let mut index = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                let lane = (index % 1024) as usize;
                batch
                    .reset_lane(lane, Episode::of_run(Seed(5), index))
                    .expect("the settings can be played");
                index += 1;
            });
        });
    }
    group.finish();
}

criterion_group!(benches, single, lockstep, resets, rules);
criterion_main!(benches);
