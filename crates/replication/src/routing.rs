//! The router: the strategic paper's Table 4, followed.

use crate::row::{Section, Source};
use anyhow::{Context, Result};
use aoa_router::sample::Bucket;
use aoa_router::{Agents, Features, Router, RoutingPlaybook, Sample, Strictness};

/// A row of Table 4, and a question that meets its condition and no other.
struct Condition {
    printed: &'static str,
    agent: &'static str,
    task: &'static str,
    capability: &'static str,
    difficulty: Bucket,
    features: Features,
}

fn table_4() -> [Condition; 6] {
    let row = |printed, agent, task, capability| Condition {
        printed,
        agent,
        task,
        capability,
        difficulty: Bucket::Easy,
        features: Features {
            has_table: Some(false),
            has_code: Some(false),
            ..Features::default()
        },
    };
    let [mut table, mut hard, finer, mut code, mut middle, default] = [
        row("IE, has_table", "DC", "tatqa", "IE"),
        row("DK, difficulty hard", "ACE", "finknow", "DK"),
        row("DK, task finer", "AMEM", "finer", "DK"),
        row("NC, has_code", "GEPA", "codefinqa", "NC"),
        row("CR, difficulty middle", "Discussion", "formula", "CR"),
        row("default strategy", "GEPA", "tatqa", "IE"),
    ];
    table.features.has_table = Some(true);
    hard.difficulty = Bucket::Hard;
    code.features.has_code = Some(true);
    middle.difficulty = Bucket::Middle;
    [table, hard, finer, code, middle, default]
}

pub(crate) fn section() -> Result<Section> {
    let text = include_str!("../../aoa-router/tests/fixtures/table_4.json");
    let agents = Agents::methods();
    let playbook = RoutingPlaybook::read(text, &agents, Strictness::Strict).context("Table 4")?;
    let router = Router::new(&playbook.value.routing_policy, &agents)?;
    let source = Source::paper("strategic paper, Table 4", "cargo xtask replicate router");
    let (mut followed, mut conditions) = (0, Vec::new());
    let rows = table_4();
    let all = rows.len();
    for row in rows {
        let choice = router.choose(&Sample {
            task_name: Some(row.task.to_owned()),
            capability: Some(row.capability.to_owned()),
            difficulty_bucket: row.difficulty,
            features: row.features,
        });
        followed += usize::from(choice.agent.eq_ignore_ascii_case(row.agent));
        conditions.push(format!("{}: {}", row.printed, row.agent));
    }
    let what = format!("the agent under each condition ({})", conditions.join("; "));
    Ok(Section {
        key: "router",
        title: "The router",
        about: "The strategic paper's routing rules (section 4.3, Table 4), stored as a policy file and \
                followed by the router. The rules are copied from the paper, not learnt again, which \
                would need the authors' predictions (see \"What cannot be reproduced, and why\"). The \
                row shows that the router follows the rules, and counts once.",
        rows: vec![source.count(what, followed, all, "none")],
        notes: Vec::new(),
    })
}
