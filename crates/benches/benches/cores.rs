//! The same work on one core and on two: how much the second brings.
//!
//! * batches in shards (`sim_core::ParallelBatch`), whole episodes, fresh lanes each time, actions drawn per
//!   lane and step;
//! * `rouge of 344 words`: 512 different pairs of texts, a scorer a thread.
//!
//! One and two take turns, and each turn swaps who begins, so that a processor which changes its
//! pace meets both alike; the gain is the median of the gains of the turns. Pools of one and of two
//! threads do the same jobs; that their results are the same bits is tested in `tests/threads.rs`.
//!
//! Prints lines `figure: cores/WORK/THREADS = VALUE ns` (an element) and
//! `figure: cores/WORK/gain = VALUE x`, each with its median deviation.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench reads the clock, prints, and stops at the first surprise"
)]

use benches::{actions, text_pairs};
use qa_scoring::rouge::{Rouge, Stemming};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_core::{BatchEnvironment as _, DynEnvironmentSpec, ParallelBatch, Seed};
use std::hint::black_box;
use std::time::Instant;

/// Turns of one and two, after one that is not counted.
const TURNS: usize = 15;

/// A pool whose threads keep to a core each: left alone, the system may run both on one core for
/// tens of milliseconds after they have slept, which says nothing of the work.
fn pool(threads: usize) -> ThreadPool {
    let cores = core_affinity::get_core_ids().expect("a system that lists its cores");
    assert!(
        cores.len() >= threads,
        "{threads} cores, there are {}",
        cores.len()
    );
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |thread| {
            let kept = cores
                .get(thread)
                .is_some_and(|&core| core_affinity::set_for_current(core));
            assert!(kept, "thread {thread} cannot be kept to a core");
        })
        .build()
        .expect("a pool")
}

/// The median, and the median deviation from it as a share of it.
fn median(mut values: Vec<f64>) -> (f64, f64) {
    fn middle(values: &mut [f64]) -> f64 {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }
    let median = middle(&mut values);
    let mut apart: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    (median, middle(&mut apart) / median)
}

/// Measures `work` of `elements` elements on both pools; `prepare` makes what it works on, untimed.
fn compare<T>(
    name: &str,
    elements: usize,
    mut prepare: impl FnMut() -> T,
    mut work: impl FnMut(&ThreadPool, &mut T),
) {
    let pools = [pool(1), pool(2)];
    let mut times = [Vec::new(), Vec::new()];
    for turn in 0..=TURNS {
        let mut order = [0, 1];
        order.rotate_left(turn % 2);
        for which in order {
            let (Some(pool), Some(times)) = (pools.get(which), times.get_mut(which)) else {
                continue;
            };
            let mut subject = prepare();
            let began = Instant::now();
            work(pool, &mut subject);
            let elapsed = began.elapsed().as_secs_f64();
            if turn > 0 {
                times.push(elapsed / elements as f64 * 1e9);
            }
        }
    }
    let [one, two] = times;
    let gains = one.iter().zip(&two).map(|(one, two)| one / two).collect();
    for (what, unit, values) in [("1", "ns", one), ("2", "ns", two), ("gain", "x", gains)] {
        let (median, spread) = median(values);
        println!("figure: cores/{name}/{what} = {median:.3} {unit} spread {spread:.4}");
    }
}

/// A kind, a preset, lanes, lanes of a shard, steps.
type Batch = (Box<dyn DynEnvironmentSpec>, &'static str, usize, usize, u32);

fn batches() -> Vec<Batch> {
    vec![
        (Box::new(beer_game::Spec), "paper", 65_536, 4_096, 25),
        (Box::new(edt::Spec), "paper", 16_384, 128, 1),
        (Box::new(econ_envs::procurement::Spec), "hard", 384, 12, 100),
        (Box::new(econ_envs::scheduling::Spec), "hard", 384, 12, 100),
        (Box::new(econ_envs::pricing::Spec), "hard", 4_096, 256, 100),
        (Box::new(ceo_reallocation::Spec), "", 65_536, 2_048, 1),
    ]
}

fn stepping() {
    for (kind, preset, lanes, per_shard, steps) in batches() {
        let preset = Some(preset).filter(|name| !name.is_empty());
        let config = kind.configure(preset, &[]).expect("a preset");
        let fresh = || {
            ParallelBatch::new(kind.as_ref(), &config, lanes, per_shard, Seed(3))
                .expect("a configuration")
                .expect("a batch form")
        };
        let layout = fresh().layout().clone();
        let actions: Vec<Vec<f32>> = (0..steps).map(|step| actions(&layout, step)).collect();
        let mut obs = vec![0.0; layout.observation_len()];
        let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
        compare(
            kind.name(),
            lanes * steps as usize,
            fresh,
            |pool, shards| {
                pool.install(|| {
                    for actions in &actions {
                        shards
                            .step_batch(actions, &mut obs, &mut rewards, &mut dones)
                            .expect("lengths");
                    }
                });
            },
        );
    }
}

fn scoring() {
    let pairs = text_pairs(344, 512);
    compare(
        "rouge of 344 words",
        pairs.len(),
        || (),
        |pool, ()| {
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
            black_box(scored);
        },
    );
}

fn main() {
    stepping();
    scoring();
}
