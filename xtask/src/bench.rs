//! `cargo xtask bench`: runs the benches of the workspace and writes the page of their figures.
//!
//! Each bench runs separately, and its figures are stored in `docs/benchmarks.json` before the next
//! one starts: an interrupted run loses at most one bench, and a single bench can be measured again
//! (`cargo xtask bench beer_game`). The page is written from that file.

use crate::command;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::SystemTime;

pub mod counts;
mod criterion;
mod page;
mod slope;
mod store;
mod targets;

pub use page::page;
pub use slope::{log_log_slope, size_of};
pub use store::{Entry, Machine, Peer, PeerTask, Store};
pub use targets::{TARGETS, Target, target_of};

/// The package that holds every bench.
pub const PACKAGE: &str = "benches";

/// Benches that are plain programs, not run by the harness.
const PROGRAMS: [&str; 4] = ["cores", "memory", "peers", "yardstick"];

/// Durations of the measurements.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Warm-up time of each figure \[seconds\].
    pub warm_up: f64,
    /// Measurement time of each figure \[seconds\].
    pub measurement: f64,
    /// Number of samples of each figure (a bench may use fewer).
    pub samples: u32,
}

/// Runs the named benches (all if none is named) and writes the page.
///
/// # Errors
/// If a bench does not exist or fails, or a file cannot be written.
pub fn run(root: &Path, wanted: &[String], timing: Timing) -> Result<()> {
    let benches = names(root)?;
    for name in wanted {
        ensure!(
            benches.contains(name),
            "there is no bench `{name}`; there are {}",
            benches.join(", ")
        );
    }
    let mut store = Store::read(root)?;
    store.benches.retain(|name, _| benches.contains(name));
    let mut failed = Vec::new();
    for name in &benches {
        if !wanted.is_empty() && !wanted.contains(name) {
            continue;
        }
        println!("measuring {name}");
        let measured = if PROGRAMS.contains(&name.as_str()) {
            program(root, name)
        } else {
            measure(root, name, timing)
        };
        match measured {
            Ok(entries) => {
                println!("{name}: {} figures", entries.len());
                store.benches.insert(name.clone(), entries);
                store.machine = Machine::read(root)?;
                store.write(root)?;
            }
            // The other benches still run; the older figures of this one are kept.
            Err(error) => {
                println!("{name}: FAILED: {error:#}");
                failed.push(name.as_str());
            }
        }
    }
    write_page(root, &store)?;
    ensure!(
        failed.is_empty(),
        "these benches failed, measure them again: {}",
        failed.join(", ")
    );
    Ok(())
}

/// Writes `docs/benchmarks.md` from the stored figures.
///
/// # Errors
/// If the file cannot be written.
pub fn write_page(root: &Path, store: &Store) -> Result<()> {
    let path = root.join("docs/benchmarks.md");
    std::fs::write(&path, page(store))
        .with_context(|| format!("cannot write {}", path.display()))?;
    let (met, all) = store.targets_met();
    println!("wrote docs/benchmarks.md: {met} of {all} targets met");
    Ok(())
}

/// The benches of the package, except for those that `cargo xtask peers` and `bench --check` run.
fn names(root: &Path) -> Result<Vec<String>> {
    let path = root.join("crates").join(PACKAGE).join("Cargo.toml");
    let manifest = std::fs::read_to_string(&path)
        .with_context(|| format!("there are no benches: cannot read {}", path.display()))?;
    Ok(bench_names(&manifest)
        .into_iter()
        .filter(|name| name != "peers" && name != counts::BENCH)
        .collect())
}

/// The names under `[[bench]]` of a manifest.
fn bench_names(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut in_bench = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            in_bench = line == "[[bench]]";
        } else if let (true, Some((key, value))) = (in_bench, line.split_once('='))
            && key.trim() == "name"
        {
            names.push(value.trim().trim_matches('"').to_owned());
        }
    }
    names
}

/// Runs one bench with the harness and collects its figures.
fn measure(root: &Path, name: &str, timing: Timing) -> Result<Vec<Entry>> {
    let began = stamp(root)?;
    let mut bench = command::cargo(root, ["bench", "--package", PACKAGE, "--features", "full"]);
    bench.args(["--bench", name, "--", "--noplot"]);
    bench.args(["--warm-up-time", &timing.warm_up.to_string()]);
    bench.args(["--measurement-time", &timing.measurement.to_string()]);
    bench.args(["--sample-size", &timing.samples.to_string()]);
    let printed = passed_on(&mut bench)?;
    let mut entries = criterion::collect(&root.join("target/criterion"), began)?;
    ensure!(!entries.is_empty(), "the bench `{name}` left no figures");
    entries.extend(figures(&printed));
    Ok(entries)
}

/// The modification time of a new file, by the clock of the file system, which the harness's files
/// have too.
fn stamp(root: &Path) -> Result<SystemTime> {
    let path = root.join("target").join("bench-began");
    std::fs::write(&path, "").with_context(|| format!("cannot write {}", path.display()))?;
    Ok(std::fs::metadata(&path)?.modified()?)
}

/// Runs a bench that is a plain program; it prints its figures.
fn program(root: &Path, name: &str) -> Result<Vec<Entry>> {
    let mut bench = command::cargo(root, ["bench", "--package", PACKAGE, "--bench", name]);
    let printed = passed_on(&mut bench)?;
    let entries = figures(&printed);
    ensure!(!entries.is_empty(), "the bench `{name}` printed no figures");
    Ok(entries)
}

/// Runs a command, prints its output, and returns it.
fn passed_on(command: &mut std::process::Command) -> Result<String> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let mut printed = String::new();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line?;
            println!("{line}");
            printed.push_str(&line);
            printed.push('\n');
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "the bench failed ({status})");
    Ok(printed)
}

/// Figures that a bench prints itself, one per line: `figure: ID = VALUE UNIT`, followed by `
/// spread SHARE` if there are samples.
fn figures(printed: &str) -> Vec<Entry> {
    printed
        .lines()
        .filter_map(|line| {
            let (id, rest) = line.trim().strip_prefix("figure: ")?.split_once(" = ")?;
            let (value, unit) = rest.split_once(' ')?;
            let (unit, spread) = match unit.split_once(" spread ") {
                Some((unit, share)) => (unit, Some(share.parse().ok()?)),
                None => (unit, None),
            };
            Some(Entry {
                id: id.to_owned(),
                value: value.parse().ok()?,
                unit: unit.to_owned(),
                spread,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benches_are_read_from_the_manifest() {
        let manifest = "[package]\nname = \"benches\"\n\n[[bench]]\nname = \"edt\"\nharness = false\n\
                        [[bench]]\nname= \"qa\"\n[dependencies]\nname = \"x\"\n";
        assert_eq!(bench_names(manifest), ["edt", "qa"]);
    }

    #[test]
    fn printed_figures_are_read_and_other_lines_are_not() {
        let printed = "figure: a/b worst = 12.5 ns\nfigure: broken\ntime: 3 ns\n figure: c = 84 bytes\n\
             figure: d = 1.9 x spread 0.05\nfigure: e = 1 x spread much\n";
        let found = figures(printed);
        let short: Vec<(&str, f64, &str, Option<f64>)> = found
            .iter()
            .map(|entry| {
                (
                    entry.id.as_str(),
                    entry.value,
                    entry.unit.as_str(),
                    entry.spread,
                )
            })
            .collect();
        assert_eq!(
            short,
            [
                ("a/b worst", 12.5, "ns", None),
                ("c", 84.0, "bytes", None),
                ("d", 1.9, "x", Some(0.05)),
            ]
        );
    }
}
