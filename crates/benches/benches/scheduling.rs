//! Scheduling: blocking pairs, expectations, periods, lanes, a learning episode.
//!
//! Inputs are varied (256 random matchings of one HARD market), so that no branch predictor can
//! learn one.
//!
//! * `blocking/rows`: the bitset of all blocking pairs; `blocking/list`: all of them as a list;
//!   `blocking/count`: their number; `blocking/five`: five drawn from them;
//! * `expectation`: the exact denominator of the score, from prepared tables; `tables`: preparing
//!   them;
//! * `stable`: deferred acceptance from the workers' side;
//! * `period`: one period through `Environment::step`, history included;
//! * `lockstep`: one step of one lane of a batch, observation out; `reset`: a new market for it;
//! * `learning`: one whole episode of the player `learning`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use econ_envs::scheduling::blocking::{Kernel, RankTables};
use econ_envs::scheduling::policy::Learning;
use econ_envs::scheduling::stable::worker_optimal;
use econ_envs::scheduling::{Action, Batch, Config, Instance, Scheduling};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Policy as _, Seed};
use std::hint::black_box;
use std::sync::Arc;

const MATCHINGS: u64 = 256;
const LANES: usize = 64;

fn market(index: u64) -> Instance {
    Instance::generate(
        &Config::hard(),
        Episode {
            seed: Seed(1),
            index,
        },
    )
    .expect("a preset can be drawn")
}

fn matchings() -> Vec<Vec<u16>> {
    (0..MATCHINGS)
        .map(|index| {
            let mut task_of: Vec<u16> = (0..50).collect();
            Seed(2).stream("matching", index).shuffle(&mut task_of);
            task_of
        })
        .collect()
}

fn kernel(c: &mut Criterion) {
    let instance = market(3);
    let kernel = Kernel::new(&instance.preferences).expect("drawn rankings");
    let matchings = matchings();
    let mut group = c.benchmark_group("scheduling/blocking");
    group.throughput(Throughput::Elements(MATCHINGS));
    group.bench_function("rows", |b| {
        b.iter(|| {
            matchings
                .iter()
                .filter(|m| kernel.blocking(m).expect("a matching").is_empty())
                .count()
        });
    });
    group.bench_function("count", |b| {
        b.iter(|| {
            matchings
                .iter()
                .map(|m| kernel.count(m).expect("a matching"))
                .sum::<usize>()
        });
    });
    group.bench_function("list", |b| {
        b.iter(|| {
            matchings
                .iter()
                .map(|m| kernel.blocking(m).expect("a matching").list().len())
                .sum::<usize>()
        });
    });
    let mut draws = Seed(3).stream("five", 0);
    let mut five = Vec::with_capacity(5);
    group.bench_function("five", |b| {
        b.iter(|| {
            for matching in &matchings {
                let blocking = kernel.blocking(matching).expect("a matching");
                let count = blocking.count();
                let positions: [usize; 5] = std::array::from_fn(|_| draws.index(count));
                five.clear();
                blocking.pick(&positions, &mut five);
                black_box(&five);
            }
        });
    });
    group.finish();
    let markets: Vec<Instance> = (0..32).map(market).collect();
    let tables: Vec<RankTables> = markets
        .iter()
        .map(|m| RankTables::new(&m.preferences).expect("drawn rankings"))
        .collect();
    let mut group = c.benchmark_group("scheduling/market");
    group.throughput(Throughput::Elements(32));
    group.bench_function("expectation", |b| {
        b.iter(|| {
            tables
                .iter()
                .map(|tables| tables.expected_blocking().0)
                .sum::<u64>()
        });
    });
    group.bench_function("tables", |b| {
        b.iter(|| {
            for market in &markets {
                black_box(Kernel::new(&market.preferences).expect("drawn rankings"));
            }
        });
    });
    group.bench_function("stable", |b| {
        b.iter(|| {
            for market in &markets {
                black_box(worker_optimal(&market.preferences).expect("drawn rankings"));
            }
        });
    });
    group.finish();
}

fn play(c: &mut Criterion) {
    let fresh = Scheduling::new(Arc::new(market(3))).expect("a drawn market");
    let assignments: Vec<Action> = matchings().into_iter().map(Action::new).collect();
    let mut group = c.benchmark_group("scheduling/step");
    group.throughput(Throughput::Elements(100));
    group.bench_function("period", |b| {
        b.iter_batched_ref(
            || fresh.clone(),
            |run| {
                for assignment in assignments.iter().take(100) {
                    black_box(run.step(assignment).expect("a matching"));
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
    // Another set of actions in every step, so that no assignment is repeated.
    let actions: Vec<Vec<f32>> = (0..100)
        .map(|_| {
            (0..layout.action_len())
                .map(|_| 49.0 * draw.unit() as f32)
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
                        .expect("right lengths");
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
                .reset_lane(seed as usize % LANES, episode)
                .expect("the settings can be played");
        });
    });
    group.finish();
}

/// The number of blocking pairs of drawn matchings of 10 to 1,000 workers.
fn growth(c: &mut Criterion) {
    // Two ways of counting: rows of bits up to 64 workers, a scan of ranks beyond.
    for workers in [16, 32, 64, 100, 300, 1000] {
        let way = if workers <= 64 { "bits" } else { "scan" };
        let mut group = c.benchmark_group(format!("scheduling/count by workers, {way}"));
        let config = Config {
            workers,
            ..Config::hard()
        };
        let instance = Instance::generate(
            &config,
            Episode {
                seed: Seed(1),
                index: 3,
            },
        )
        .expect("a size in range");
        let kernel = Kernel::new(&instance.preferences).expect("drawn rankings");
        let matchings: Vec<Vec<u16>> = (0..32)
            .map(|index| {
                let mut task_of: Vec<u16> = (0..workers).collect();
                Seed(2).stream("matching", index).shuffle(&mut task_of);
                task_of
            })
            .collect();
        group.throughput(Throughput::Elements(32));
        group.bench_function(BenchmarkId::from_parameter(workers), |b| {
            b.iter(|| {
                matchings
                    .iter()
                    .map(|m| kernel.count(m).expect("a matching"))
                    .sum::<usize>()
            });
        });
        group.finish();
    }
}

fn learning(c: &mut Criterion) {
    let instance = Arc::new(market(3));
    let mut group = c.benchmark_group("scheduling/learning");
    group.sample_size(10);
    group.bench_function("episode", |b| {
        b.iter(|| {
            let mut run = Scheduling::new(Arc::clone(&instance)).expect("a drawn market");
            let mut player = Learning::new(50, Seed(6)).expect("50 workers fit");
            while !run.is_over() {
                let assignment = player.act(&run.observe());
                run.step(&assignment).expect("a matching");
            }
            run.score().expect("finite").value()
        });
    });
    group.finish();
}

criterion_group!(benches, kernel, play, growth, learning);
criterion_main!(benches);
