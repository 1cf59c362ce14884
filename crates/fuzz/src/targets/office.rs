//! The office: folders of other companies, and access policies of others.

use super::command::{Work, run};
use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict, longest};
#[cfg(feature = "full")]
use crate::target::{files, repository};
use anyhow::{Context as _, Result};
use boardroom::Registry;
use boardroom::office::import_folder;
#[cfg(feature = "full")]
use enterprise_sandbox::access::{Access, AccessConfig};
use enterprise_sandbox::data::import::ImportOptions;
use serde_json::json;
use sim_core::{DynEnvironmentSpec as _, Effort, Seed};

/// Folders of companies.
pub const IMPORT: Target = Target {
    name: "import",
    about: "folders of companies: imported, filled, drawn tasks from, played",
    weight: 3,
    longest: longest::FILE,
    open: imports,
};

/// Access policies.
#[cfg(feature = "full")]
pub const CEDAR: Target = Target {
    name: "cedar",
    about: "access policies in Cedar",
    weight: 2,
    longest: longest::FILE,
    open: policies,
};

/// Largest file of a seed; longer ones are cut at a line.
const LONGEST: usize = 6_000;

fn imports() -> Result<Opened> {
    let work = Work::new()?;
    work.clear()?;
    let make = "office export --preset small -o office";
    run(make).context("no company was written")?;
    let mut files = work.bundled("office")?;
    for (name, content) in &mut files.0 {
        shorten(name, content);
    }
    let seeds = [
        "office import office --json",
        "office tasks office --count 3",
    ]
    .map(|command| {
        let named = Bundle::default().with("command", command);
        Bundle(named.0.into_iter().chain(files.0.clone()).collect()).write()
    })
    .to_vec();
    Ok(Opened::new(seeds, move |input| {
        let verdict = work.play(input);
        let Ok((company, _)) = import_folder(&work.dir().join("office"), &ImportOptions::default())
        else {
            return verdict;
        };
        let registry = Registry::new();
        let spec = registry.office();
        let digest = spec.add(company.into());
        let settings = [("imported".to_owned(), json!(digest))];
        let Ok(config) = spec.configure(Some("small"), &settings) else {
            return verdict;
        };
        let Ok(case) = spec.draw(&config, Seed(1), 0) else {
            return verdict;
        };
        let _ = case.reference(Effort::Quick);
        if let Ok(mut env) = case.open() {
            let seat = env.turn();
            for name in ["random", "greedy", "snoop"] {
                let Ok(mut player) = case.policy(name, &seat, Seed(1)) else {
                    continue;
                };
                for _ in 0..4 {
                    let Ok(action) = player.act(&*env) else { break };
                    if env.act(&action).is_rejected() || env.is_over() {
                        break;
                    }
                }
            }
            let _ = env.score();
        }
        Verdict::Played
    }))
}

/// Cuts a long list to its first entries.
fn shorten(name: &str, content: &mut Vec<u8>) {
    if content.len() <= LONGEST {
        return;
    }
    if name.ends_with(".json")
        && let Ok(serde_json::Value::Array(mut items)) = serde_json::from_slice(content)
    {
        let each = content.len() / items.len().max(1);
        items.truncate((LONGEST / each.max(1)).max(1));
        if let Ok(text) = serde_json::to_vec(&items) {
            *content = text;
        }
        return;
    }
    let cut = content
        .iter()
        .take(LONGEST)
        .rposition(|byte| *byte == b'\n');
    if let Some(cut) = cut {
        content.truncate(cut + 1);
    }
}

#[cfg(feature = "full")]
fn policies() -> Result<Opened> {
    let all = files(&repository("crates/enterprise-sandbox/policies"))?;
    let texts = all.into_iter().filter(|(name, _)| name.ends_with(".cedar"));
    let mut seeds: Vec<Vec<u8>> = texts.map(|(_, content)| content).collect();
    // Single policies too: a mutation of a long text is mostly found in one of many policies.
    let single: Vec<Vec<u8>> = seeds
        .iter()
        .flat_map(|text| {
            let text = String::from_utf8_lossy(text).into_owned();
            let parts = text
                .split("\n\n")
                .map(|part| format!("{part}\n").into_bytes());
            parts.collect::<Vec<_>>()
        })
        .collect();
    seeds.extend(single);
    Ok(Opened::new(seeds, |input| {
        let config = AccessConfig {
            policies: Some(String::from_utf8_lossy(input).into_owned()),
            ..AccessConfig::default()
        };
        match Access::new(config) {
            Ok(access) => {
                let _ = access.rules();
                Verdict::Played
            }
            Err(_) => Verdict::Refused,
        }
    }))
}
