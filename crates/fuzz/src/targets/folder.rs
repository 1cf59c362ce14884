//! Run folders: what `verify`, `replay`, `compare`, `report`, `rescore`, `export` and `resume` make of
//! a folder in which something was changed.

use super::command::{Work, run};
use crate::bundle::Bundle;
use crate::target::{Opened, Target, committed, longest};
use anyhow::{Context as _, Result};
use sim_core::Digest;

/// Run folders.
pub const FOLDER: Target = Target {
    name: "folder",
    about: "run folders: verify, replay, compare, report, rescore, export, resume",
    weight: 5,
    longest: longest::FILE,
    open: folders,
};

/// Runs whose folders are made at the start, small ones of different kinds.
const RUNS: [&str; 6] = [
    "run beer-game --preset random --set weeks=4 --agent sterman --episodes 3 --out run",
    "run edt --agent random --episodes 2 --out run",
    "run procurement --agent random --episodes 2 --out run",
    "run ceo --agent random --episodes 2 --out run",
    "run consulting --preset short --episodes 2 --out run",
    "run qa --agent oracle --out run",
];

/// What is asked of a folder.
const COMMANDS: [&str; 7] = [
    "verify run",
    "replay run",
    "compare run",
    "report run -o report.html",
    "rescore run --json",
    "export run",
    "resume run --json",
];

/// The same folder, whenever it was made.
fn without_time(mut bundle: Bundle) -> Bundle {
    for (name, content) in &mut bundle.0 {
        if name.ends_with("/manifest.json")
            && let Ok(mut manifest) = sim_core::strict::json(content)
        {
            // Workers open the target anew. Without this the seeds would differ between them, and a
            // case could not be played again by its number.
            if let Some(started) = manifest.get_mut("started_unix") {
                *started = 0.into();
            }
            *content = manifest.to_string().into_bytes();
        }
    }
    bundle
}

/// A manifest whose plan was changed gets the digest of the changed plan, as a forger would write it:
/// what comes behind that check is to be tested too. One in four is left as it is.
fn forged(input: &[u8]) -> Vec<u8> {
    let Some(mut bundle) = Bundle::read(input) else {
        return input.to_vec();
    };
    let Digest([first, ..]) = Digest::of_bytes(input);
    for (name, content) in &mut bundle.0 {
        if name != "run/manifest.json" || first < 64 {
            continue;
        }
        let Ok(mut manifest) = sim_core::strict::json(content) else {
            continue;
        };
        let digest = manifest.get("plan").and_then(|plan| Digest::of(plan).ok());
        if let (Some(digest), Some(kept)) = (digest, manifest.get_mut("plan_digest")) {
            *kept = digest.to_string().into();
            // As text: a parsed manifest has each key once.
            *content = manifest.to_string().into_bytes();
        }
    }
    bundle.write()
}

fn folders() -> Result<Opened> {
    let work = Work::new()?;
    let mut made = Vec::new();
    for line in RUNS {
        work.clear()?;
        run(line).with_context(|| line.to_owned())?;
        made.push(without_time(work.bundled("run")?));
    }
    for seed in committed(FOLDER.name)? {
        made.extend(Bundle::read(&seed));
    }
    let mut seeds = Vec::new();
    for bundle in made {
        for command in COMMANDS {
            let files = bundle.open().cloned();
            let named = Bundle::default().with("command", command);
            seeds.push(Bundle(named.0.into_iter().chain(files).collect()).write());
        }
    }
    Ok(Opened::new(seeds, move |input| work.play(&forged(input))))
}
