//! Routing: samples routed, policies learnt and judged.
//!
//! Samples differ from each other in all that a rule may look at, so that no branch predictor can
//! learn them.
//!
//! * `choose/table_4`: the six rows of Table 4 of the paper; `choose/learnt`: eight rules with gains,
//!   narrow ones first;
//! * `explain`: the same with reasons;
//! * `features`: those of a question with a page of context;
//! * `eval/9x5000`: predictions joined and judged, `eval/9x5000 from text`: read from JSON lines first;
//! * `learn/9x5000`: a policy with cross-fitting.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use aoa_router::matrix::Incomplete;
use aoa_router::policy::Evidence;
use aoa_router::{
    Agents, Bucket, Conflict, FEATURE_VERSION, Features, LearnSettings, Matrix, Router,
    RoutingPlaybook, RoutingPolicy, Sample, Strictness, TieBreaker, TraceRecord, evaluate, learn,
    read_traces,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sim_core::Seed;
use sim_core::seed::Stream;
use std::hint::black_box;

const TABLE_4: &str = include_str!("../../aoa-router/tests/fixtures/table_4.json");

fn sample(stream: &mut Stream) -> Sample {
    let tasks = [
        "finer",
        "tatqa",
        "finqa",
        "convfinqa",
        "edtsum",
        "headlines",
    ];
    let capabilities = [
        "IE",
        "NC",
        "DK",
        "CR",
        "Information Extraction",
        "Numerical Calculation",
        "Domain Knowledge",
        "Complex Reasoning",
    ];
    Sample {
        task_name: stream.pick(&tasks).map(|it| (*it).to_owned()),
        capability: stream.pick(&capabilities).map(|it| (*it).to_owned()),
        difficulty_bucket: *stream
            .pick(&[Bucket::Easy, Bucket::Middle, Bucket::Hard, Bucket::Unknown])
            .unwrap(),
        features: Features {
            has_table: Some(stream.chance(0.5)),
            has_code: Some(stream.chance(0.3)),
            num_numbers: Some(stream.below(60)),
            context_chars: Some(stream.below(9_000)),
            question_chars: Some(stream.below(900)),
            table_row_estimate: Some(stream.below(30)),
        },
    }
}

/// Table 4 with a gain for each rule and three more conditions, so that everything that can slow a
/// choice down occurs.
fn learnt(mut policy: RoutingPolicy) -> RoutingPolicy {
    let three: Vec<_> = policy.rules.iter().take(3).cloned().collect();
    for (rule, low) in policy.rules.iter_mut().zip([3.0, 5.0, 8.0, 13.0, 21.0]) {
        rule.when.feature_conditions.num_numbers_min = Some(low);
        rule.when.feature_conditions.question_chars_max = Some(870.0);
    }
    policy.rules.extend(three);
    for (rule, gain) in policy
        .rules
        .iter_mut()
        .zip([0.03, 0.035, 0.031, 0.05, 0.02, 0.033])
    {
        rule.evidence = Some(Evidence {
            n: 90,
            gain,
            low: 0.01,
            high: 0.1,
            p: 1e-6,
            folds: None,
        });
    }
    policy.conflict = Conflict::MostSpecific;
    policy.tie_breaker = TieBreaker::PreferSimpler;
    policy
}

fn choosing(c: &mut Criterion) {
    let agents = Agents::methods();
    let read = RoutingPlaybook::read(TABLE_4, &agents, Strictness::Strict).unwrap();
    let table_4 = read.value.routing_policy;
    let mut stream = Seed(1).stream("samples", 0);
    let samples: Vec<Sample> = (0..4_096).map(|_| sample(&mut stream)).collect();
    let mut group = c.benchmark_group("choose");
    group.throughput(Throughput::Elements(samples.len() as u64));
    for (name, policy) in [
        ("table_4", table_4.clone()),
        ("learnt", learnt(table_4.clone())),
    ] {
        let router = Router::new(&policy, &agents).unwrap();
        group.bench_function(name, |b| {
            b.iter(|| {
                for sample in &samples {
                    black_box(router.choose(black_box(sample)));
                }
            });
        });
    }
    group.finish();
    let router = Router::new(&table_4, &agents).unwrap();
    let mut group = c.benchmark_group("explain");
    group.throughput(Throughput::Elements(256));
    group.bench_function("table_4", |b| {
        b.iter(|| {
            for sample in samples.iter().take(256) {
                black_box(router.explain(black_box(sample)));
            }
        });
    });
    group.finish();
}

fn features(c: &mut Criterion) {
    let mut stream = Seed(2).stream("pages", 0);
    let pages: Vec<String> = (0..64)
        .map(|_| {
            let mut page = String::new();
            for _ in 0..60 {
                let (a, b) = (stream.below(9_999), stream.below(9_999));
                if stream.chance(0.3) {
                    page.push_str(&format!("| sales | {a},000 | {b}.5 |\n"));
                } else {
                    page.push_str(&format!(
                        "In the year sales rose from {a} to {b} per cent.\n"
                    ));
                }
            }
            page
        })
        .collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut group = c.benchmark_group("features");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("page", |b| {
        b.iter(|| {
            for page in &pages {
                black_box(Features::of(
                    "By how much did sales grow?",
                    Some(black_box(page)),
                ));
            }
        });
    });
    group.finish();
}

fn traces(count: u64) -> Vec<TraceRecord> {
    let mut stream = Seed(3).stream("world", 0);
    let mut traces = Vec::new();
    for number in 0..count {
        let sample = sample(&mut stream);
        for agent in Agents::methods().as_slice() {
            let strong = agent.name == "dc" && sample.features.has_table == Some(true);
            let correct = stream.chance(if strong { 0.8 } else { 0.65 });
            traces.push(TraceRecord {
                schema: 1,
                sample_id: format!("{number:06}"),
                task_name: sample.task_name.clone(),
                capability: sample.capability.clone(),
                difficulty_score: None,
                difficulty_bucket: Some(sample.difficulty_bucket),
                feature_version: FEATURE_VERSION,
                features: sample.features,
                question: None,
                method: agent.name.clone(),
                prediction: "Answer: 12.5".to_owned(),
                correct,
                score: f64::from(u8::from(correct)),
                trace_ref: None,
                usage: None,
                model: None,
                seed: None,
                order_index: None,
                feedback_mode: None,
            });
        }
    }
    traces
}

fn judging(c: &mut Criterion) {
    let traces = traces(5_000);
    let lines: Vec<String> = traces
        .iter()
        .map(|it| serde_json::to_string(it).unwrap())
        .collect();
    let text = lines.join("\n");
    let read = RoutingPlaybook::read(TABLE_4, &Agents::methods(), Strictness::Strict).unwrap();
    let policy = read.value.routing_policy;
    let mut group = c.benchmark_group("eval");
    group.sample_size(10);
    group.throughput(Throughput::Elements(traces.len() as u64));
    group.bench_function("9x5000", |b| {
        b.iter(|| {
            let matrix = Matrix::join(black_box(&traces), Incomplete::Refuse).unwrap();
            evaluate(&matrix, &policy).unwrap()
        });
    });
    group.bench_function("9x5000 from text", |b| {
        b.iter(|| {
            let traces = read_traces("bench", black_box(&text)).unwrap();
            let matrix = Matrix::join(&traces, Incomplete::Refuse).unwrap();
            evaluate(&matrix, &policy).unwrap()
        });
    });
    group.finish();
    let matrix = Matrix::join(&traces, Incomplete::Refuse).unwrap();
    let mut group = c.benchmark_group("learn");
    group.sample_size(10);
    group.bench_function("9x5000", |b| {
        b.iter(|| learn(black_box(&matrix), &LearnSettings::default()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, choosing, features, judging);
criterion_main!(benches);
