//! Procurement: plans evaluated, periods played, optima proven.
//!
//! Inputs are varied (256 plans of one HARD market, 200 drawn markets a level), so that no branch
//! predictor can learn one.
//!
//! * `plan/sparse`, `plan/dense`: one evaluation of a plan of 15 offers as lines, or as a count
//!   for each of 100 offers;
//! * `period`: one period through `Environment::step`, history included;
//! * `lockstep`: one step of one lane of a batch, observation out; `reset`: a new market for it;
//! * `optimum`: best plan with certificate; beside the mean of the harness the median and the
//!   worst of 200 markets are printed;
//! * `certificate`: re-checking it;
//! * `learning`: one period of the player `learning`, over whole episodes.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use econ_envs::procurement::evaluate::Evaluator;
use econ_envs::procurement::menu::OfferId;
use econ_envs::procurement::optimum::solve;
use econ_envs::procurement::policy::Learning;
use econ_envs::procurement::{Action, Batch, Config, Instance, Procurement};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Policy as _, Seed};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const PLANS: u64 = 256;
const MARKETS: u64 = 200;
const LANES: usize = 64;

fn market(config: &Config, seed: u64) -> Instance {
    let seed = Seed(seed);
    Instance::generate(config, Episode { seed, index: 0 }).expect("a preset can be drawn")
}

/// Plans with 15 offers.
fn plans(offers: u32) -> Vec<Vec<(OfferId, u32)>> {
    (0..PLANS)
        .map(|plan| {
            let mut draw = Seed(1).stream("plan", plan);
            let mut order: Vec<u32> = (0..offers).collect();
            draw.shuffle(&mut order);
            order.truncate(15);
            order
                .into_iter()
                .map(|n| (OfferId(n), 1 + draw.index(60) as u32))
                .collect()
        })
        .collect()
}

fn evaluate(c: &mut Criterion) {
    let instance = market(&Config::hard(), 1);
    let evaluator = Evaluator::new(&instance).expect("it was drawn");
    let sparse = plans(100);
    let dense: Vec<Vec<u32>> = (0..PLANS)
        .map(|plan| {
            let mut draw = Seed(2).stream("plan", plan);
            (0..100).map(|_| 1 + draw.index(20) as u32).collect()
        })
        .collect();
    let mut group = c.benchmark_group("procurement/plan");
    group.throughput(Throughput::Elements(PLANS));
    group.bench_function("sparse", |b| {
        b.iter(|| {
            sparse
                .iter()
                .map(|plan| evaluator.evaluate(plan).workers)
                .sum::<f64>()
        });
    });
    group.bench_function("dense", |b| {
        b.iter(|| {
            dense
                .iter()
                .map(|plan| evaluator.evaluate_counts(plan).workers)
                .sum::<f64>()
        });
    });
    group.finish();
}

fn play(c: &mut Criterion) {
    let instance = Arc::new(market(&Config::hard(), 1));
    let fresh = Procurement::new(Arc::clone(&instance)).expect("it was drawn");
    let plans: Vec<Action> = plans(100)
        .into_iter()
        .map(|lines| Action::new(lines).expect("few copies"))
        .collect();
    let mut group = c.benchmark_group("procurement/step");
    group.throughput(Throughput::Elements(100));
    group.bench_function("period", |b| {
        b.iter_batched_ref(
            || fresh.clone(),
            |market| {
                for plan in plans.iter().take(100) {
                    black_box(market.step(plan).expect("known offers"));
                }
            },
            BatchSize::SmallInput,
        );
    });
    let batch = || Batch::new(&Config::hard(), LANES, Seed(4)).expect("a preset");
    let layout = batch().layout().clone();
    let mut obs = vec![0.0; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; LANES], vec![false; LANES]);
    let mut draw = Seed(5).stream("actions", 0);
    // Another set of actions in every step, with about 15 offers each.
    let actions: Vec<Vec<f32>> = (0..100)
        .map(|_| {
            (0..layout.action_len())
                .map(|_| {
                    if draw.chance(0.15) {
                        draw.index(60) as f32
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect();
    group.throughput(Throughput::Elements(100 * LANES as u64));
    group.bench_function("lockstep", |b| {
        b.iter_batched_ref(
            batch,
            |batch| {
                for action in &actions {
                    batch
                        .step_batch(action, &mut obs, &mut rewards, &mut dones)
                        .expect("shapes");
                }
            },
            BatchSize::PerIteration,
        );
    });
    let (mut lanes, mut seed) = (batch(), 0);
    group.throughput(Throughput::Elements(1));
    group.bench_function("reset", |b| {
        b.iter(|| {
            seed += 1;
            let episode = Episode::of_run(Seed(seed), 0);
            lanes
                .reset_lane(0, episode)
                .expect("the settings can be played");
        });
    });
    group.finish();
}

fn optimum(c: &mut Criterion) {
    for (name, config) in [
        ("basic", Config::basic()),
        ("medium", Config::medium()),
        ("hard", Config::hard()),
    ] {
        let markets: Vec<Instance> = (0..MARKETS).map(|seed| market(&config, seed)).collect();
        let mut times: Vec<f64> = markets
            .iter()
            .map(|instance| {
                // Each market is solved once, because the processor learns a repeated problem.
                let start = Instant::now();
                black_box(solve(instance, 100_000).expect("it was drawn"));
                start.elapsed().as_secs_f64() * 1e9
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "figure: procurement/optimum/{name} median = {:.0} ns",
            times[times.len() / 2]
        );
        println!(
            "figure: procurement/optimum/{name} worst = {:.0} ns",
            times[times.len() - 1]
        );
        let mut group = c.benchmark_group("procurement/optimum");
        group.throughput(Throughput::Elements(1));
        let mut turn = 0;
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                turn = (turn + 1) % markets.len();
                solve(&markets[turn], 100_000)
                    .expect("it was drawn")
                    .workers
            });
        });
        group.finish();
        let solved: Vec<_> = markets
            .iter()
            .map(|instance| solve(instance, 100_000).expect("it was drawn"))
            .collect();
        let mut group = c.benchmark_group("procurement/certificate");
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                turn = (turn + 1) % markets.len();
                solved[turn]
                    .certificate
                    .verify(&markets[turn], &solved[turn].plan)
                    .is_ok()
            });
        });
        group.finish();
    }
}

/// A count for every offer of markets of 30 to 1,000 offers.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("procurement/plan by offers");
    group.throughput(Throughput::Elements(PLANS));
    for products in [6, 20, 60, 200] {
        let config = Config {
            products_per_category: products,
            ..Config::medium()
        };
        let instance = market(&config, 1);
        let evaluator = Evaluator::new(&instance).expect("it was drawn");
        let offers = instance.menu.offers.len();
        let plans: Vec<Vec<u32>> = (0..PLANS)
            .map(|plan| {
                let mut draw = Seed(2).stream("plan", plan);
                (0..offers).map(|_| 1 + draw.index(20) as u32).collect()
            })
            .collect();
        group.bench_function(BenchmarkId::from_parameter(offers), |b| {
            b.iter(|| {
                plans
                    .iter()
                    .map(|plan| evaluator.evaluate_counts(plan).workers)
                    .sum::<f64>()
            });
        });
    }
    group.finish();
}

fn learning(c: &mut Criterion) {
    let mut group = c.benchmark_group("procurement/learning");
    group.sample_size(10);
    group.throughput(Throughput::Elements(100));
    let mut seed = 0;
    group.bench_function("hard", |b| {
        b.iter(|| {
            seed += 1;
            let instance = Arc::new(market(&Config::hard(), seed));
            let mut player = Learning::new(&instance, Seed(seed));
            let mut market = Procurement::new(instance).expect("it was drawn");
            while !market.is_over() {
                let plan = player.act(&market.observe());
                market.step(&plan).expect("its plans are known offers");
            }
            market.score().expect("finite").value()
        });
    });
    group.finish();
}

criterion_group!(benches, evaluate, play, optimum, growth, learning);
criterion_main!(benches);
