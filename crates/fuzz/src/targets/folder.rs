//! Run folders: what `verify`, `replay`, `compare`, `report`, `rescore`, `export` and `resume` make of
//! a folder in which something was changed.

use super::command::{Work, run};
use crate::bundle::Bundle;
use crate::target::{Opened, Target, committed};
use anyhow::{Context as _, Result};

/// Run folders.
pub const FOLDER: Target = Target {
    name: "folder",
    about: "run folders: verify, replay, compare, report, rescore, export, resume",
    weight: 5,
    open: folders,
};

/// Runs whose folders are made at the start, small ones of different kinds.
const RUNS: [&str; 5] = [
    "run beer-game --preset random --set weeks=4 --agent sterman --episodes 3 --out run",
    "run edt --agent random --episodes 2 --out run",
    "run procurement --agent random --episodes 2 --out run",
    "run ceo --agent random --episodes 2 --out run",
    "run consulting --preset short --episodes 2 --out run",
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

fn folders() -> Result<Opened> {
    let work = Work::new()?;
    let mut made = Vec::new();
    for line in RUNS {
        work.clear()?;
        run(line).with_context(|| line.to_owned())?;
        made.push(work.bundled("run")?);
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
    Ok(Opened::new(seeds, move |input| work.play(input)))
}
