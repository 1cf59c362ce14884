//! Pricing: demand, optima, periods, lanes, a learning episode.
//!
//! Inputs are varied (256 price vectors of one HARD market, 256 markets), so that no branch
//! predictor can learn one.
//!
//! * `demand`: quantities and profits of ten products, not rounded;
//! * `rounded`: the same with both rounded to cents as the record shows them;
//! * `optimum`: the best prices in closed form, of a prepared demand;
//! * `period`: one period through `Environment::step`, history included;
//! * `lockstep`: one step of one lane of a batch of 16, rounding and observation included;
//! * `reset`: a new market for a lane;
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
use econ_envs::pricing::demand::MarketDemand;
use econ_envs::pricing::observation::round_cents;
use econ_envs::pricing::optimum::optimum;
use econ_envs::pricing::policy::Learning;
use econ_envs::pricing::{Action, Batch, Config, Instance, Pricing};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Policy as _, Seed};
use std::hint::black_box;
use std::sync::Arc;

const VECTORS: u64 = 256;
const LANES: usize = 16;

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

fn vectors(instance: &Instance) -> Vec<Vec<f64>> {
    (0..VECTORS)
        .map(|index| {
            let mut draws = Seed(2).stream("prices", index);
            instance
                .alpha
                .iter()
                .map(|a| a * draws.uniform(1.5, 6.0))
                .collect()
        })
        .collect()
}

fn kernel(c: &mut Criterion) {
    let instance = market(0);
    let demand = instance.demand().expect("a drawn market");
    let vectors = vectors(&instance);
    let (mut quantities, mut profits) = (vec![0.0; 10], vec![0.0; 10]);
    let mut group = c.benchmark_group("pricing/market");
    group.throughput(Throughput::Elements(VECTORS));
    group.bench_function("demand", |b| {
        b.iter(|| {
            for prices in &vectors {
                demand
                    .sales_into(&instance.alpha, prices, &mut quantities, &mut profits)
                    .expect("one entry a product");
                black_box(&profits);
            }
        });
    });
    group.bench_function("rounded", |b| {
        b.iter(|| {
            for prices in &vectors {
                demand
                    .sales_into(&instance.alpha, prices, &mut quantities, &mut profits)
                    .expect("one entry a product");
                for slot in quantities.iter_mut().chain(&mut profits) {
                    *slot = round_cents(*slot);
                }
                black_box(&profits);
            }
        });
    });
    let demands: Vec<MarketDemand> = (0..VECTORS)
        .map(|i| market(i).demand().expect("a drawn market"))
        .collect();
    group.bench_function("optimum", |b| {
        b.iter(|| {
            demands
                .iter()
                .map(|demand| optimum(demand).profit)
                .sum::<f64>()
        });
    });
    group.finish();
}

fn play(c: &mut Criterion) {
    let instance = market(0);
    let prices: Vec<Action> = vectors(&instance)
        .into_iter()
        .map(|prices| Action { prices })
        .collect();
    let fresh = Pricing::new(Arc::new(instance)).expect("a drawn market");
    let mut group = c.benchmark_group("pricing/step");
    group.throughput(Throughput::Elements(100));
    group.bench_function("period", |b| {
        b.iter_batched_ref(
            || fresh.clone(),
            |run| {
                for prices in prices.iter().take(100) {
                    black_box(run.step(prices).expect("prices in range"));
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
    let actions: Vec<Vec<f32>> = (0..64)
        .map(|_| {
            (0..layout.action_len())
                .map(|_| 5.0 + 30.0 * draw.unit() as f32)
                .collect()
        })
        .collect();
    group.throughput(Throughput::Elements(100 * LANES as u64));
    group.bench_function("lockstep", |b| {
        b.iter_batched_ref(
            batch,
            |batch| {
                for step in 0..100 {
                    let action = &actions[step % actions.len()];
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
            lanes
                .reset_lane(0, Episode::of_run(Seed(seed), 0))
                .expect("the settings can be played");
        });
    });
    group.finish();
}

/// Quantities and profits of markets of 4 to 256 products.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("pricing/demand by products");
    group.throughput(Throughput::Elements(VECTORS));
    for products in [4, 16, 64, 256] {
        let config = Config {
            products,
            // As many categories as HARD has, however many products.
            products_per_category: products.div_ceil(3),
            ..Config::hard()
        };
        let instance = Instance::generate(
            &config,
            Episode {
                seed: Seed(1),
                index: 0,
            },
        )
        .expect("a size in range");
        let demand = instance.demand().expect("a drawn market");
        let vectors = vectors(&instance);
        let n = usize::from(products);
        let (mut quantities, mut profits) = (vec![0.0; n], vec![0.0; n]);
        group.bench_function(BenchmarkId::from_parameter(products), |b| {
            b.iter(|| {
                for prices in &vectors {
                    demand
                        .sales_into(&instance.alpha, prices, &mut quantities, &mut profits)
                        .expect("one entry a product");
                    black_box(&profits);
                }
            });
        });
    }
    group.finish();
}

fn learning(c: &mut Criterion) {
    let instance = Arc::new(market(1));
    let mut group = c.benchmark_group("pricing/learning");
    group.sample_size(10);
    group.bench_function("episode", |b| {
        b.iter(|| {
            let mut run = Pricing::new(Arc::clone(&instance)).expect("a drawn market");
            let mut player = Learning::new(10, 50);
            while !run.is_over() {
                let prices = player.act(&run.observe());
                run.step(&prices).expect("prices in range");
            }
            run.score().expect("finite").value()
        });
    });
    group.finish();
}

criterion_group!(benches, kernel, play, growth, learning);
criterion_main!(benches);
