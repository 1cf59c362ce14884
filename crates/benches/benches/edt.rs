//! Runs of the consulting firm per second.
//!
//! Every bench goes round 512 drawn plans, so that no branch predictor can learn one. The unit is
//! a whole run (96 steps with the paper's template).
//!
//! * `totals`: final figures only, as searches use it;
//! * `series`: the figures of every step;
//! * `plain`: the agent-by-agent model, with the figures of every step;
//! * `environment`: through `Environment::step`, with the outcome that an agent is shown;
//! * `lanes`: a batch, action vectors in, observations, rewards and ends out;
//! * `totals of a drawn firm`: by number of projects.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use edt::action::Window;
use edt::agent_model::AgentModel;
use edt::config::Drawn;
use edt::engine::{Chance, Engine, RiskMode};
use edt::firm::Firm;
use edt::{Action, Batch, Config, Edt, Instance};
use sim_core::{BatchEnvironment as _, Environment as _, Episode, Seed};
use std::hint::black_box;
use std::sync::Arc;

const PLANS: usize = 512;

/// Plans of every kind: 4 to 12 consultants (a third of the staff to all of it), three risk levels,
/// a fifth of the projects rejected, windows drawn.
fn plans(firm: &Firm) -> Vec<Action> {
    let mut stream = Seed(1).stream("plans", 0);
    let heads = i64::from(firm.head_count());
    let last = i64::from(firm.stop) - 1;
    (0..PLANS)
        .map(|_| {
            let consultants = stream.between(heads / 3, heads);
            let risk_level = [0.0, 0.5, 1.0].get(stream.index(3)).copied().unwrap_or(0.0);
            let mut window = || {
                let start = stream.between(1, last * 2 / 3);
                let deadline = stream.between(start, last);
                let window = Window {
                    start: start as f64,
                    deadline: deadline as f64,
                };
                (!stream.chance(0.2)).then_some(window)
            };
            let projects = firm.projects.iter().map(|_| window()).collect();
            Action {
                consultants,
                risk_level,
                projects,
            }
        })
        .collect()
}

/// One plan after the other.
fn round<'a>(plans: &'a [Action]) -> impl FnMut() -> &'a Action {
    let mut next = plans.iter().cycle();
    move || next.next().unwrap()
}

fn paper(c: &mut Criterion) {
    let firm = Firm::paper();
    let plans = plans(&firm);
    let chance = Chance::threshold(0.0);
    let mut group = c.benchmark_group("edt/paper");
    group.throughput(Throughput::Elements(1));
    let mut engine = Engine::new(&firm);
    let mut next = round(&plans);
    group.bench_function("totals", |b| {
        b.iter(|| engine.run(black_box(next()), &chance))
    });
    let draws = Chance {
        mode: RiskMode::BernoulliRepeat,
        risk_level: 0.0,
        seed: Seed(4),
    };
    group.bench_function("totals, random mode", |b| {
        b.iter(|| engine.run(black_box(next()), &draws));
    });
    let mut series = Vec::new();
    group.bench_function("series", |b| {
        b.iter(|| {
            series.clear();
            engine.run_with_series(black_box(next()), &chance, &mut series)
        });
    });
    group.bench_function("plain", |b| {
        b.iter(|| AgentModel::new(&firm, black_box(next()), chance).run())
    });
    let instance = Arc::new(Instance::of_firm(firm.clone()));
    let fresh = Edt::new(instance).unwrap();
    group.bench_function("environment", |b| {
        b.iter(|| {
            let mut env = fresh.clone();
            env.step(black_box(next())).unwrap();
            env.score().unwrap()
        });
    });
    group.finish();
}

fn lanes(c: &mut Criterion) {
    const LANES: usize = 1024;
    let mut batch = Batch::new(&Config::default(), LANES, Seed(1)).unwrap();
    let layout = batch.layout().clone();
    let mut stream = Seed(2).stream("actions", 0);
    let fields = layout.action.iter().cycle().take(layout.action_len());
    let actions: Vec<f32> = fields
        .map(|f| stream.uniform(f64::from(f.low), f64::from(f.high)) as f32)
        .collect();
    let mut obs = vec![0.0; layout.observation_len()];
    let (mut rewards, mut dones) = (vec![0.0; LANES], vec![false; LANES]);
    let mut group = c.benchmark_group("edt/lanes");
    group.throughput(Throughput::Elements(LANES as u64));
    group.bench_function("1024", |b| {
        b.iter(|| {
            for lane in 0..LANES {
                let episode = Episode::of_run(Seed(1), lane as u64);
                batch
                    .reset_lane(lane, episode)
                    .expect("the settings can be played");
            }
            batch
                .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
                .unwrap();
        });
    });
    group.finish();
}

fn drawn(c: &mut Criterion) {
    let mut group = c.benchmark_group("edt/totals of a drawn firm");
    group.throughput(Throughput::Elements(1));
    for projects in [5, 200, 10_000] {
        let firm = Drawn {
            projects,
            ..Drawn::default()
        }
        .firm(Seed(1))
        .expect("usable settings");
        let plans = plans(&firm);
        let mut engine = Engine::new(&firm);
        let mut next = round(&plans);
        let chance = Chance::threshold(0.0);
        group.bench_function(BenchmarkId::from_parameter(projects), |b| {
            b.iter(|| engine.run(black_box(next()), &chance));
        });
    }
    group.finish();
}

criterion_group!(benches, paper, lanes, drawn);
criterion_main!(benches);
