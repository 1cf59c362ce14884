//! The effect of repeated inputs.
//!
//! Each kernel is run on as many drawn inputs as its own bench has, in a cycle (`varied`), and on
//! one of them repeatedly (`repeated`). A processor learns the branches of a repeated input; the
//! difference between the two is the error of a bench that repeats its input.
#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use benches::text_pairs;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use econ_envs::scheduling::blocking::Kernel;
use econ_envs::scheduling::{Config, Instance};
use edt::Action;
use edt::engine::{Chance, Engine};
use edt::firm::Firm;
use qa_scoring::rouge::{Rouge, Stemming};
use sim_core::{Episode, Seed};
use std::hint::black_box;

/// Runs `work` on all inputs in turn, and on the first one alone.
fn both<T>(c: &mut Criterion, name: &str, inputs: &[T], mut work: impl FnMut(&T)) {
    let mut group = c.benchmark_group("inputs");
    for (kind, inputs) in [("repeated", &inputs[..1]), ("varied", inputs)] {
        let mut next = inputs.iter().cycle();
        group.bench_function(BenchmarkId::new(name, kind), |b| {
            b.iter(|| work(black_box(next.next().unwrap())));
        });
    }
    group.finish();
}

fn inputs(c: &mut Criterion) {
    let firm = Firm::paper();
    let mut stream = Seed(1).stream("plans", 0);
    let plans: Vec<Action> = (0..512)
        .map(|_| edt::policy::random_decision(&firm, &mut stream))
        .collect();
    let mut engine = Engine::new(&firm);
    let chance = Chance::threshold(0.0);
    both(c, "a run of the firm (512 plans)", &plans, |plan| {
        black_box(engine.run(plan, &chance));
    });

    let market = Instance::generate(
        &Config::hard(),
        Episode {
            seed: Seed(1),
            index: 3,
        },
    )
    .unwrap();
    let kernel = Kernel::new(&market.preferences).unwrap();
    let matchings: Vec<Vec<u16>> = (0..256)
        .map(|index| {
            let mut task_of: Vec<u16> = (0..50).collect();
            Seed(2).stream("matching", index).shuffle(&mut task_of);
            task_of
        })
        .collect();
    both(
        c,
        "blocking pairs listed (256 matchings)",
        &matchings,
        |matching| {
            black_box(kernel.blocking(matching).expect("a matching").list());
        },
    );

    let pairs = text_pairs(55, 512);
    let mut scorer = Rouge::new(Stemming::Off);
    both(
        c,
        "ROUGE of 55 words (512 pairs)",
        &pairs,
        |(reference, prediction)| {
            black_box(scorer.score(reference, prediction));
        },
    );
}

criterion_group!(benches, inputs);
criterion_main!(benches);
