//! Learning who should answer what: nine agents answer the samples of a made-up world in which two
//! of them have a strength; the rules are learnt on one half and judged on the other.
//!
//! ```text
//!   traces ──halves──► learn ──► policy ──┐
//!              └──────────────────────────┴──► evaluate      (no agent is run)
//! ```
//!
//! Run with: `cargo run --release -p aoa-router --example route -- 9000` (samples; 4,000 if not said)
#![allow(clippy::print_stdout, reason = "an example prints")]

use aoa_router::matrix::Incomplete;
use aoa_router::trace::{AnswerUsage, halves};
use aoa_router::{
    Agents, Bucket, Features, LearnSettings, Learned, Matrix, Router, Sample, TraceRecord,
    evaluate, learn,
};
use sim_core::{ConfigError, Seed};
use strum::VariantArray;

/// What each agent is good at. `gepa` is good everywhere, `dc` with tables, `ace` where it is hard.
fn chance(agent: &str, sample: &Sample) -> f64 {
    let from_table =
        sample.capability.as_deref() == Some("IE") && sample.features.has_table == Some(true);
    match agent {
        "dc" if from_table => 0.90,
        "ace" if sample.difficulty_bucket == Bucket::Hard => 0.85,
        "gepa" => 0.65,
        _ => 0.55,
    }
}

/// The answers of all nine to `count` samples.
fn world(count: u64, seed: Seed) -> Vec<TraceRecord> {
    let mut stream = seed.stream("world", 0);
    let mut traces = Vec::new();
    for number in 0..count {
        let capability = stream.pick(&["IE", "NC", "DK", "CR"]).copied();
        let context = if stream.chance(0.5) {
            "year | sales | cost\n2023 | 1,200 | 900\n2024 | 1,450 | 980"
        } else {
            "Sales rose from 1,200 to 1,450."
        };
        let sample = Sample {
            task_name: None,
            capability: capability.map(str::to_owned),
            difficulty_bucket: stream.pick(Bucket::VARIANTS).copied().unwrap_or_default(),
            features: Features::of("By how much did sales grow?", Some(context)),
        };
        for agent in Agents::methods().as_slice() {
            let correct = stream.chance(chance(&agent.name, &sample));
            traces.push(TraceRecord {
                capability: sample.capability.clone(),
                difficulty_bucket: Some(sample.difficulty_bucket),
                features: sample.features,
                usage: (agent.calls.is_finite()).then(|| AnswerUsage {
                    calls: if agent.calls < 2.0 { 1 } else { 3 },
                    ..AnswerUsage::default()
                }),
                ..TraceRecord::new(format!("{number:06}"), &agent.name, correct)
            });
        }
    }
    traces
}

/// Learns on one half of `traces`; returns the other half, too.
fn study(traces: Vec<TraceRecord>) -> Result<(Learned, Matrix), ConfigError> {
    let (first, second) = halves(traces, Seed(1));
    let learned = learn(
        &Matrix::join(&first, Incomplete::Refuse)?,
        &LearnSettings::default(),
    )?;
    Ok((learned, Matrix::join(&second, Incomplete::Refuse)?))
}

fn main() -> Result<(), ConfigError> {
    let count = std::env::args().nth(1).and_then(|it| it.parse().ok());
    let (learned, fresh) = study(world(count.unwrap_or(4_000), Seed(7)))?;
    for finding in &learned.playbook.meta_findings {
        println!("{} {} {}", finding.id, finding.summary, finding.evidence);
    }
    let policy = &learned.playbook.routing_policy;
    println!("\n{}", evaluate(&fresh, policy)?);
    let router = Router::new(policy, &learned.agents)?;
    if let Some((id, sample)) = fresh.ids().iter().zip(fresh.samples()).next() {
        print!("sample {id} goes to {}", router.explain(sample));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strengths_are_found_and_hold() -> Result<(), ConfigError> {
        let (learned, fresh) = study(world(4_000, Seed(7)))?;
        let policy = learned.playbook.routing_policy;
        assert_eq!(policy.default_agent, "gepa");
        let agents: Vec<&str> = policy.rules.iter().map(|it| it.choose.as_str()).collect();
        assert_eq!(agents, ["ace", "dc"]);
        let evaluation = evaluate(&fresh, &policy)?;
        assert!(evaluation.router.against_best.distinguishable);
        assert!(evaluation.router.accuracy < evaluation.oracle);
        Ok(())
    }
}
