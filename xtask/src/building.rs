//! `cargo xtask building`: what it costs to build and to test, and which crates cost it.
//!
//! A figure is the processor time of cargo and of everything that it starts, so that other work on
//! the machine changes little. Every cold build has its own empty folder. The figures are kept in
//! `docs/building.json`, from which `docs/building.md` is written, so that one row can be measured
//! again (`cargo xtask building program`).

use crate::bench::Machine;
use crate::command;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

mod crates;
mod page;
mod store;

pub use crates::{check_crates, default_crates};
pub use page::page;
pub use store::{CrateCost, Measured, ROWS, Row, Store};

/// Measures the named rows (all if none is named) and writes the page.
///
/// # Errors
/// If a row does not exist, a build fails, or a file cannot be written.
pub fn run(root: &Path, wanted: &[String]) -> Result<()> {
    for name in wanted {
        ensure!(
            ROWS.iter().any(|row| row.name == name.as_str()),
            "there is no row `{name}`; there are {}",
            ROWS.map(|row| row.name).join(", ")
        );
    }
    let mut store = Store::read(root)?;
    for row in ROWS {
        if wanted.is_empty() || wanted.iter().any(|name| name == row.name) {
            println!("measuring {}: {}", row.name, row.commands.join("; "));
            measure(root, &row, &mut store)?;
            store.crates = default_crates(root)?;
            let day = command::output(command::program(root, "date").args(["-u", "+%F"]))?;
            let machine = Machine::read(root)?;
            let day = day.trim().to_owned();
            store
                .measured
                .insert(row.name.to_owned(), Measured { day, machine });
            store.write(root)?;
        }
    }
    write_page(root, &store)
}

/// Writes `docs/building.md` from the stored figures.
///
/// # Errors
/// If the file cannot be written.
pub fn write_page(root: &Path, store: &Store) -> Result<()> {
    let path = root.join("docs/building.md");
    std::fs::write(&path, page(store))
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote docs/building.md");
    Ok(())
}

/// Runs the commands of a row one after another in an empty build folder.
fn measure(root: &Path, row: &Row, store: &mut Store) -> Result<()> {
    let folder = root.join("target").join("building").join(row.name);
    remove(&folder)?;
    let (built, times) = (folder.join("target"), folder.join("times"));
    std::fs::create_dir_all(&times)?;
    let wrapper = folder.join("rustc");
    std::fs::write(&wrapper, crates::WRAPPER)?;
    command::run(command::program(root, "chmod").arg("+x").arg(&wrapper))?;
    let mut seconds = Vec::new();
    for line in row.commands {
        seconds.push(processor_time(root, line, |command| {
            command.env("CARGO_TARGET_DIR", &built);
            command.env_remove("CARGO_INCREMENTAL");
            // Counted as a user builds it, whatever this developer has chosen.
            command.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
            command.env("RUSTC_WRAPPER", &wrapper);
            command.env(crates::TIMES, &times);
        })?);
        if seconds.len() == 1 {
            let costs = crates::costs(&times)?;
            store.by_crate.insert(row.name.to_owned(), costs);
        }
    }
    store.seconds.insert(row.name.to_owned(), seconds);
    if let Some(program) = row.program {
        let length = std::fs::metadata(built.join(program))?.len();
        store.bytes.insert(row.name.to_owned(), length);
    }
    if row.folder {
        store.bytes.insert(row.name.to_owned(), size(&built)?);
    }
    remove(&folder)
}

/// Runs a line of the shell in `root` and returns the processor time of all that it started
/// \[seconds\].
fn processor_time(root: &Path, line: &str, change: impl Fn(&mut Command)) -> Result<f64> {
    // The shell knows the time of the processes that it waited for, and of those they waited for.
    let script = format!("{{ {line}; }} >&2; code=$?; times; exit $code");
    let mut shell = command::program(root, "sh");
    shell.args(["-c", &script]);
    change(&mut shell);
    let printed = command::output(&mut shell).with_context(|| format!("`{line}`"))?;
    children_time(&printed).with_context(|| format!("`times` printed {printed:?}"))
}

/// The processor time of the children in what the shell's `times` prints: the second line, such as
/// `1m2.50s 0m3.25s` (user and system).
fn children_time(printed: &str) -> Option<f64> {
    let mut sum = 0.0;
    for part in printed.lines().nth(1)?.split_whitespace() {
        let (minutes, seconds) = part.trim_end_matches('s').split_once('m')?;
        sum += 60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?;
    }
    Some(sum)
}

/// Length of all files below a folder \[bytes\].
fn size(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        sum += if about.is_dir() {
            size(&entry.path())?
        } else {
            about.len()
        };
    }
    Ok(sum)
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            bail!("cannot remove {}: {e}", folder.display())
        }
        _ => Ok(()),
    }
}

/// A duration as a table shows it.
fn shown(seconds: f64) -> String {
    let mut text = String::new();
    let _ = if seconds < 100.0 {
        write!(text, "{seconds:.0} s")
    } else {
        write!(text, "{:.1} min", seconds / 60.0)
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read() {
        let printed = "0m0.01s 0m0.00s\n1m2.50s 0m3.25s\n";
        assert_eq!(children_time(printed), Some(65.75));
        assert_eq!(children_time("0m0.01s 0m0.00s\n"), None);
        assert_eq!(children_time("a\nb c\n"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_busy_process_is_measured_and_a_failure_is_reported() {
        let here = Path::new(".");
        let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let busy = processor_time(here, &format!("sh -c '{loops}'"), |_| {}).unwrap();
        let idle = processor_time(here, "true", |_| {}).unwrap();
        assert!(busy > idle, "{busy} {idle}");
        assert!(processor_time(here, "false", |_| {}).is_err());
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(shown(59.6), "60 s");
        assert_eq!(shown(390.0), "6.5 min");
    }
}
