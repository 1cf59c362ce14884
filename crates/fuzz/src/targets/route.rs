//! The router: traces, policies, lessons.

use super::command::{Work, run};
use crate::bundle::Bundle;
use crate::target::{Opened, Target, longest};
use anyhow::{Context as _, Result};
use aoa_router::{Agents, Features, Strictness, TraceRecord, read_experiences};
use serde_json::json;
use sim_core::{Seed, Stored as _};

/// Policies and traces.
pub const ROUTE: Target = Target {
    name: "route",
    about: "traces, policies and lessons of the router: learn, eval, explain",
    weight: 3,
    longest: longest::FILE,
    open: routes,
};

const METHODS: [&str; 4] = ["cot", "dc", "ace", "debate"];

/// Answers of four methods to some questions, each best at its own kind.
fn traces() -> Result<String> {
    let mut text = String::new();
    for number in 0..160_u64 {
        let question = format!("Case {number}: sales were {number}.5 % of 1,200");
        for (place, method) in (0_u64..).zip(METHODS) {
            let chance = if number % 4 == place { 0.95 } else { 0.3 };
            let correct = Seed(5).stream(method, number).chance(chance);
            let kinds = ["IE", "NC", "DK", "CR"];
            let kind = usize::try_from(number % 4)
                .ok()
                .and_then(|at| kinds.get(at));
            let record = TraceRecord {
                schema: TraceRecord::SCHEMA,
                sample_id: format!("s{number}"),
                task_name: Some(format!("t{}", number % 2)),
                capability: kind.map(|&kind| kind.to_owned()),
                difficulty_score: Some(f64::from(u32::try_from(number % 10)?)),
                difficulty_bucket: None,
                feature_version: aoa_router::FEATURE_VERSION,
                features: Features::of(&question, None),
                question: Some(question.clone()),
                method: method.to_owned(),
                prediction: "x".to_owned(),
                correct,
                score: f64::from(u8::from(correct)),
                trace_ref: None,
                usage: None,
                model: None,
                seed: None,
                order_index: None,
                feedback_mode: None,
            };
            text.push_str(&serde_json::to_string(&record)?);
            text.push('\n');
        }
    }
    Ok(text)
}

fn routes() -> Result<Opened> {
    let work = Work::new()?;
    let traces = traces()?;
    let learn = "route learn --predictions t.jsonl -o policy.json";
    work.clear()?;
    let given = Bundle::default().with("t.jsonl", traces.clone());
    work.write(&given)?;
    run(learn).context("no policy was learnt")?;
    let policy = std::fs::read(work.dir().join("policy.json"))?;
    let lesson = json!({
        "schema": 1, "bullet": "read the table twice",
        "tags": {"agent_method": "dc"}, "routing_hint": {"prefer_agent": "dc"},
    });
    let seeds = [
        given.clone().with("command", learn),
        given.clone().with(
            "command",
            "route learn --predictions t.jsonl --leave-out --half first",
        ),
        given
            .with(
                "command",
                "route eval --policy policy.json --predictions t.jsonl --json",
            )
            .with("policy.json", policy.clone()),
        Bundle::default()
            .with(
                "command",
                "route explain --policy policy.json --capability NC --difficulty 5",
            )
            .with("policy.json", policy.clone()),
        Bundle::default()
            .with(
                "command",
                "route explain --policy policy.json --lenient --json --task t1",
            )
            .with("policy.json", policy),
        Bundle::default()
            .with("command", "route schema experience")
            .with("lessons.jsonl", format!("{lesson}\n")),
    ];
    let seeds = seeds.iter().map(Bundle::write).collect();
    Ok(Opened::new(seeds, move |input| {
        if let Some(bundle) = Bundle::read(input) {
            let lessons = bundle.text("lessons.jsonl");
            let _ = read_experiences(&lessons, &Agents::methods(), Strictness::Strict);
        }
        work.play(input)
    }))
}
