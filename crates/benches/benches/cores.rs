//! The same work on one core and on two.
//!
//! * batches in shards (`sim_core::Shards`), whole episodes, fresh lanes each time, actions drawn per
//!   lane and step; as many lanes as make tens of milliseconds of work, for in a shorter burst the
//!   system may leave both threads on one core;
//! * `rouge`: 512 different pairs of 344 words, a scorer a thread.
//!
//! Pools of one and of two threads do the same jobs; that their results are the same bits is tested
//! in `tests/threads.rs`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use benches::{actions, text_pairs};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use qa_scoring::rouge::{Rouge, Stemming};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_core::{BatchEnvironment as _, Kind, Seed, Shards};
use std::hint::black_box;

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
}

/// Work for every thread of a pool, a few milliseconds: threads that have slept while lanes were made
/// share one core at first, and a run that goes on for long does not begin like that.
fn awake(pool: &ThreadPool) {
    pool.broadcast(|context| {
        let mut x = black_box(context.index() as u64 * 2 + 3);
        for _ in 0..5_000_000 {
            x = x.wrapping_mul(x);
        }
        black_box(x);
    });
}

/// A kind, a preset, lanes, lanes of a shard, steps.
type Batch = (Box<dyn Kind>, &'static str, usize, usize, u32);

fn batches() -> Vec<Batch> {
    vec![
        (
            Box::new(beer_game::BeerGameFamily),
            "paper",
            65_536,
            4_096,
            25,
        ),
        (Box::new(edt::EdtFamily), "paper", 512, 64, 1),
        (
            Box::new(econ_envs::procurement::ProcurementFamily),
            "hard",
            384,
            48,
            100,
        ),
        (
            Box::new(econ_envs::scheduling::SchedulingFamily),
            "hard",
            192,
            24,
            100,
        ),
        (
            Box::new(econ_envs::pricing::PricingFamily),
            "hard",
            4_096,
            256,
            100,
        ),
        (Box::new(ceo_reallocation::CeoFamily), "", 65_536, 2_048, 1),
    ]
}

fn stepping(c: &mut Criterion) {
    let mut group = c.benchmark_group("cores");
    group.sample_size(10);
    for (kind, preset, lanes, per_shard, steps) in batches() {
        let preset = Some(preset).filter(|name| !name.is_empty());
        let config = kind
            .configure(preset, &[])
            .or_else(|_| kind.configure(None, &[]))
            .expect("a preset");
        let fresh = || {
            Shards::new(kind.as_ref(), &config, lanes, per_shard, Seed(3))
                .expect("a configuration")
                .expect("a batch form")
        };
        let layout = fresh().layout().clone();
        let actions: Vec<Vec<f32>> = (0..steps).map(|step| actions(&layout, step)).collect();
        let mut obs = vec![0.0; layout.observation_len()];
        let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
        group.throughput(Throughput::Elements(lanes as u64 * u64::from(steps)));
        for threads in [1, 2] {
            let pool = pool(threads);
            group.bench_function(BenchmarkId::new(kind.name(), threads), |b| {
                b.iter_batched_ref(
                    || {
                        let shards = fresh();
                        awake(&pool);
                        shards
                    },
                    |shards| {
                        pool.install(|| {
                            for actions in &actions {
                                shards
                                    .step_batch(actions, &mut obs, &mut rewards, &mut dones)
                                    .expect("lengths");
                            }
                        });
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

fn scoring(c: &mut Criterion) {
    let pairs = text_pairs(344, 512);
    let mut group = c.benchmark_group("cores");
    group.throughput(Throughput::Elements(pairs.len() as u64));
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(BenchmarkId::new("rouge of 344 words", threads), |b| {
            b.iter(|| {
                let scored: Vec<f64> = pool.install(|| {
                    pairs
                        .par_iter()
                        .map_init(
                            || Rouge::new(Stemming::Off),
                            |scorer, (reference, prediction)| {
                                scorer.score(reference, prediction).mean_f()
                            },
                        )
                        .collect()
                });
                black_box(scored)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, stepping, scoring);
criterion_main!(benches);
