//! `cargo xtask peers`: measures the same work in other programs.
//!
//! Creates Python environments in `target/peers`, installs the packages pinned in
//! `xtask/peers/requirements*.txt`, alternates the programs of a task with ours, and stores the
//! medians of their processor times. A row is written only if the programs computed the same
//! result.

use crate::bench::{Machine, Peer, PeerTask, Store, write_page};
use crate::command;
use crate::python::Environment;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folder of the scripts and their requirements.
const FOLDER: &str = "xtask/peers";

/// Python environments, and their requirement lists.
const ENVIRONMENTS: [(&str, &str); 2] = [
    ("main", "requirements.txt"),
    ("bptk", "requirements-bptk.txt"),
];

/// Interpreters by the name of their environment.
type Pythons = BTreeMap<&'static str, PathBuf>;

/// Results with at most this relative difference count as equal.
const SAME: f64 = 1e-9;

/// A program that does a task.
struct Program {
    /// Its name in the table.
    name: &'static str,
    /// The environment that it needs; `None` for our program.
    environment: Option<&'static str>,
    /// Script, and name of the task in it.
    script: (&'static str, &'static str),
    /// Maximum difference of its result from ours; `None` if it has another model.
    tolerance: Option<f64>,
}

/// Work that several programs do.
struct Task {
    name: &'static str,
    /// The operation that is timed.
    unit: &'static str,
    /// Its name in our program.
    ours: &'static str,
    others: &'static [Program],
}

const MAIN: Option<&str> = Some("main");

const fn script(
    name: &'static str,
    environment: Option<&'static str>,
    file: &'static str,
    task: &'static str,
) -> Program {
    Program {
        name,
        environment,
        script: (file, task),
        tolerance: Some(SAME),
    }
}

const TASKS: &[Task] = &[
    Task {
        name: "Beer Game, scripted retailer",
        unit: "a week",
        ours: "beer",
        others: &[
            script("BPTK-Py 3.2.0, agents", Some("bptk"), "agents.py", "beer"),
            script("plain Python", MAIN, "plain.py", "beer"),
            Program {
                tolerance: None,
                ..script(
                    "stockpyl 1.0.2, four stages in series (a model of its own)",
                    MAIN,
                    "chain.py",
                    "stockpyl",
                )
            },
            Program {
                tolerance: None,
                ..script(
                    "gym-invmgmt 0.2.1, four stages in series (a model of its own)",
                    MAIN,
                    "inventory.py",
                    "gym-invmgmt",
                )
            },
        ],
    },
    Task {
        name: "consulting firm, 12 x 10",
        unit: "a run of 96 steps",
        ours: "edt",
        others: &[script("plain Python", MAIN, "plain.py", "edt")],
    },
    Task {
        name: "blocking pairs of 50 x 50",
        unit: "a matching, pairs listed",
        ours: "scheduling",
        others: &[
            script("numpy 2.4.6", MAIN, "arrays.py", "scheduling"),
            script("plain Python", MAIN, "plain.py", "scheduling"),
        ],
    },
    Task {
        name: "nested logit demand, 10 products",
        unit: "a market",
        ours: "pricing",
        others: &[
            script("numpy 2.4.6", MAIN, "arrays.py", "pricing"),
            script("plain Python", MAIN, "plain.py", "pricing"),
        ],
    },
    Task {
        name: "best prices of 10 products",
        unit: "an optimum",
        ours: "pricing-optimum",
        others: &[Program {
            // A numeric search stops slightly before the optimum.
            tolerance: Some(1e-6),
            ..script(
                "scipy 1.17.1, minimize (a numeric search; ours is in closed form)",
                MAIN,
                "arrays.py",
                "pricing-optimum",
            )
        }],
    },
    Task {
        name: "ROUGE-1, -2, -L of 55 words",
        unit: "a pair",
        ours: "rouge-55",
        others: &[script("rouge-score 0.1.2", MAIN, "words.py", "rouge-55")],
    },
    Task {
        name: "ROUGE-1, -2, -L of 344 words",
        unit: "a pair",
        ours: "rouge-344",
        others: &[script("rouge-score 0.1.2", MAIN, "words.py", "rouge-344")],
    },
];

/// Runs every program of every task `rounds` times, in turn, and writes the table.
///
/// # Errors
/// If Python or a package is missing, a program fails, or results differ.
pub fn run(root: &Path, rounds: u32) -> Result<()> {
    ensure!(rounds > 0, "at least one round is needed");
    let mut pythons = BTreeMap::new();
    for (name, requirements) in ENVIRONMENTS {
        let pinned = root.join(FOLDER).join(requirements);
        let made = Environment::make(root.join("target/peers").join(name), &pinned)?;
        pythons.insert(name, made.python());
    }
    let mut build = command::cargo(
        root,
        ["bench", "--quiet", "--no-run", "--package", "benches"],
    );
    command::run(build.args(["--bench", "peers"]))?;
    let mut tasks = Vec::new();
    for task in TASKS {
        let measured = measure(root, &pythons, task, rounds)?;
        for peer in &measured.peers {
            println!("{:<34} {:<62} {:>14.1} ns", task.name, peer.name, peer.ns);
        }
        tasks.push(measured);
    }
    let mut store = Store::read(root)?;
    store.peers = tasks;
    store.machine = Machine::read(root)?;
    store.write(root)?;
    write_page(root, &store)
}

fn measure(root: &Path, pythons: &Pythons, task: &Task, rounds: u32) -> Result<PeerTask> {
    let ours = Program {
        name: "Boardroom, one thread",
        environment: None,
        script: ("", task.ours),
        tolerance: Some(SAME),
    };
    let programs: Vec<&Program> = std::iter::once(&ours).chain(task.others).collect();
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); programs.len()];
    let mut results = vec![0.0; programs.len()];
    for _ in 0..rounds {
        for ((program, times), result) in programs.iter().zip(&mut times).zip(&mut results) {
            let (found, ns) = once(root, pythons, program)?;
            *result = found;
            times.push(ns);
        }
    }
    let expected = results.first().copied().unwrap_or_default();
    let mut peers = Vec::new();
    for ((program, mut times), result) in programs.iter().zip(times).zip(results) {
        if let Some(tolerance) = program.tolerance {
            ensure!(
                (result - expected).abs() <= tolerance * expected.abs(),
                "{}: {} computes {result}, ours {expected}",
                task.name,
                program.name
            );
        }
        times.sort_by(f64::total_cmp);
        peers.push(Peer {
            name: program.name.to_owned(),
            ns: median(&times),
            range: [
                times.first().copied().unwrap_or_default(),
                times.last().copied().unwrap_or_default(),
            ],
            result,
            agrees: program.tolerance.is_some(),
        });
    }
    Ok(PeerTask {
        task: task.name.to_owned(),
        unit: task.unit.to_owned(),
        peers,
    })
}

/// Runs a program once; returns its result and the processor time of one operation \[ns\].
fn once(root: &Path, pythons: &Pythons, program: &Program) -> Result<(f64, f64)> {
    let (file, task) = program.script;
    let printed = match program.environment {
        None => {
            let mut cargo = command::cargo(root, ["bench", "--quiet", "--package", "benches"]);
            command::output(cargo.args(["--bench", "peers", "--", task]))?
        }
        Some(environment) => {
            let python = pythons
                .get(environment)
                .with_context(|| format!("there is no environment `{environment}`"))?;
            let mut python = command::program(&root.join(FOLDER), python);
            // One thread per program, and no files in the source folder.
            python.env("OMP_NUM_THREADS", "1");
            python.env("OPENBLAS_NUM_THREADS", "1");
            python.args(["-B", file, task]);
            command::output(&mut python)?
        }
    };
    line(&printed).with_context(|| format!("{} printed `{printed}`", program.name))
}

/// The last line: a result and a time.
fn line(printed: &str) -> Option<(f64, f64)> {
    let (result, ns) = printed.trim_end().lines().next_back()?.split_once(' ')?;
    Some((result.parse().ok()?, ns.parse().ok()?))
}

/// The middle one of sorted values.
fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        assert_eq!(
            line("warning: x y\n3607521.5 54.25\n"),
            Some((3_607_521.5, 54.25))
        );
        assert_eq!(line("np.float64(3.0) 5.0"), None);
        assert_eq!(line(""), None);
    }

    #[test]
    fn medians_are_of_the_middle() {
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn every_script_is_there() {
        let root = command::workspace_root().unwrap();
        let ours = std::fs::read_to_string(root.join("crates/benches/benches/peers.rs")).unwrap();
        for task in TASKS {
            assert!(
                ours.contains(&format!("\"{}\" =>", task.ours)),
                "{}",
                task.ours
            );
            for program in task.others {
                let (file, name) = program.script;
                let text = std::fs::read_to_string(root.join(FOLDER).join(file)).unwrap();
                assert!(text.contains(&format!("\"{name}\":")), "{file} {name}");
            }
        }
    }
}
