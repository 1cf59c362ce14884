//! Plans of the chief executive's desk, scored per second.
//!
//! Every scoring bench goes round 4,096 drawn valid plans of all 13 scenarios, so that no branch
//! predictor can learn one.
//!
//! * `numbers`: the kernel, moves in, all marks out;
//! * `plan`: a plan with its words, messages and labels;
//! * `words`: what a rationale contains;
//! * `read`: a plan out of a reply with prose around it;
//! * `best`: the solver, by scenario;
//! * `generate`: a checked company;
//! * `round`: a decision carried out, with advisors and evaluation of the next round;
//! * `lanes`: a batch of one-decision episodes, action vectors in, observations and rewards out.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use ceo_reallocation::config::GeneratorConfig;
use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::dynamics::{Decision, World};
use ceo_reallocation::generator::generate;
use ceo_reallocation::optimum::best_plan;
use ceo_reallocation::plan::{ReallocationPlan, parse_plan};
use ceo_reallocation::policy::random_moves;
use ceo_reallocation::scenario::authored;
use ceo_reallocation::score::{Moves, Scorer};
use ceo_reallocation::{Batch, Config, Instance};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sim_core::{BatchEnvironment as _, Effort, Episode, Seed};
use std::collections::BTreeMap;
use std::hint::black_box;

const PLANS: usize = 4096;

fn scorers() -> Vec<Scorer> {
    authored()
        .scenarios
        .iter()
        .map(|scenario| Scorer::new(scenario, &ScoringConfig::default()).unwrap())
        .collect()
}

/// Drawn valid moves, each with the number of its scenario.
fn moves(scorers: &[Scorer]) -> Vec<(usize, Moves)> {
    let mut stream = Seed(1).stream("plans", 0);
    (0..PLANS)
        .map(|n| {
            let at = n % scorers.len();
            (at, random_moves(&scorers[at], &mut stream).unwrap())
        })
        .collect()
}

/// The reference texts and shorter ones, in turn.
fn plans(scorers: &[Scorer], moves: &[(usize, Moves)]) -> Vec<(usize, ReallocationPlan)> {
    moves
        .iter()
        .enumerate()
        .map(|(n, (at, moves))| {
            let reference = &authored().scenarios[*at]
                .evaluation
                .reference_plan
                .rationale;
            let text = match n % 3 {
                0 => reference.clone(),
                1 => "We follow the CFO because this advice fits our position.".to_owned(),
                _ => reference.chars().take(100 + n % 97).collect(),
            };
            let scorer = &scorers[*at];
            (
                *at,
                scorer.plan(moves, scorer.right_kind(moves.removed()), text),
            )
        })
        .collect()
}

fn scoring(c: &mut Criterion) {
    let scorers = scorers();
    let moves = moves(&scorers);
    let plans = plans(&scorers, &moves);
    let mut group = c.benchmark_group("ceo");
    group.throughput(Throughput::Elements(1));
    let mut next = moves.iter().cycle();
    group.bench_function("numbers", |b| {
        b.iter(|| {
            let (at, moves) = next.next().unwrap();
            let scorer = &scorers[*at];
            let r = moves.removed();
            let kind = Some(scorer.right_kind(r));
            black_box(scorer.judge(black_box(moves), r, kind, scorer.best_wording()))
        });
    });
    let mut next = plans.iter().cycle();
    group.bench_function("plan", |b| {
        b.iter(|| {
            let (at, plan) = next.next().unwrap();
            black_box(scorers[*at].score(black_box(plan)))
        });
    });
    let mut next = plans.iter().cycle();
    group.bench_function("words", |b| {
        b.iter(|| {
            let (at, plan) = next.next().unwrap();
            black_box(scorers[*at].read_words(black_box(&plan.rationale)))
        });
    });
    let replies: Vec<String> = plans
        .iter()
        .map(|(_, plan)| {
            let json = serde_json::to_string_pretty(plan).unwrap();
            format!("Here is what I decide.\n```json\n{json}\n```\nThat is all.")
        })
        .collect();
    let mut next = replies.iter().cycle();
    group.bench_function("read", |b| {
        b.iter(|| black_box(parse_plan(black_box(next.next().unwrap())).unwrap()));
    });
    group.finish();
}

fn solving(c: &mut Criterion) {
    let mut group = c.benchmark_group("ceo best");
    group.sample_size(10);
    for id in ["C3-R3", "C7-R3", "C6-R3"] {
        let scenario = authored().scenario(id).unwrap();
        let scorer = Scorer::new(scenario, &ScoringConfig::default()).unwrap();
        group.bench_function(BenchmarkId::from_parameter(id), |b| {
            b.iter(|| black_box(best_plan(scenario, &scorer, Effort::Quick)));
        });
    }
    group.finish();
}

fn companies(c: &mut Criterion) {
    let mut group = c.benchmark_group("ceo");
    group.throughput(Throughput::Elements(1));
    let mut seed = 0;
    group.bench_function("generate", |b| {
        b.iter(|| {
            seed += 1;
            black_box(generate(Seed(seed), &GeneratorConfig::default()).unwrap())
        });
    });
    // Rounds of a company that makes its rule's plan, from the start again after 40.
    let instance = Instance::authored("C1-R1").unwrap();
    let mut world = World::start(&instance);
    group.bench_function("round", |b| {
        b.iter(|| {
            if world.scenario.round > 40 || world.in_distress() {
                world = World::start(&instance);
            }
            let plan = world.scenario.evaluation.reference_plan.clone();
            let mut deltas = BTreeMap::new();
            for (id, pp) in &plan.add_to {
                deltas.insert(id.clone(), pp.value());
            }
            for (id, pp) in &plan.remove_from {
                deltas.insert(id.clone(), -pp.value());
            }
            let decision = Decision {
                deltas,
                rejected: false,
                decision_type: "moderate",
                rationale: "",
            };
            black_box(world.carry_out(&instance, &decision)).unwrap();
        });
    });
    group.finish();
}

/// The kernel on companies of 4 to 8 units.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("ceo/numbers by units");
    for units in [4, 6, 8] {
        let target = GeneratorConfig {
            units: Some(units),
            ..GeneratorConfig::default()
        };
        let scorers: Vec<Scorer> = (0..16)
            .map(|seed| {
                let company = generate(Seed(seed), &target).unwrap();
                Scorer::new(&company.scenario, &ScoringConfig::default()).unwrap()
            })
            .collect();
        let moves = moves(&scorers);
        let mut next = moves.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(units), |b| {
            b.iter(|| {
                let (at, moves) = next.next().unwrap();
                let scorer = &scorers[*at];
                let r = moves.removed();
                let kind = Some(scorer.right_kind(r));
                black_box(scorer.judge(black_box(moves), r, kind, scorer.best_wording()))
            });
        });
    }
    group.finish();
}

fn lanes(c: &mut Criterion) {
    let mut group = c.benchmark_group("ceo lanes");
    {
        let lanes = 1024_usize;
        let mut batch = Batch::new(&Config::default(), lanes, Seed(1)).unwrap();
        let layout = batch.layout().clone();
        let mut stream = Seed(2).stream("actions", 0);
        let actions: Vec<f32> = (0..layout.action_len())
            .map(|_| stream.uniform(-15.0, 15.0) as f32)
            .collect();
        let mut obs = vec![0.0; layout.observation_len()];
        let (mut rewards, mut dones) = (vec![0.0; lanes], vec![false; lanes]);
        group.throughput(Throughput::Elements(lanes as u64));
        group.bench_function(BenchmarkId::from_parameter(lanes), |b| {
            b.iter(|| {
                for lane in 0..lanes {
                    let episode = Episode::of_run(Seed(3), lane as u64);
                    batch
                        .reset_lane(lane, episode)
                        .expect("the settings can be played");
                }
                batch
                    .step_batch(&actions, &mut obs, &mut rewards, &mut dones)
                    .unwrap();
                black_box(&rewards);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scoring, solving, companies, growth, lanes);
criterion_main!(benches);
