//! `cargo xtask bench --check`: instructions of ten kernels against the counts in the repository.
//!
//! The program `counts` of the package of benches runs under valgrind's callgrind, which counts every
//! instruction. A kernel runs twice, with so many rounds and with twice as many; the difference is
//! what the rounds took, without the preparation of the inputs.

use super::PACKAGE;
use crate::built::executable;
use crate::command;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The committed counts.
const FILE: &str = "docs/instruction-counts.json";

/// The bench that has the kernels.
pub const BENCH: &str = "counts";

/// Largest permitted growth of a count, as a share.
const TOLERANCE: f64 = 0.03;

/// Rounds of the shorter run.
const ROUNDS: u32 = 2;

/// Counts, and the tools that they depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// The compiler, as `rustc --version` prints it.
    pub rustc: String,
    /// The widest vectors that valgrind's processor has.
    pub vectors: String,
    /// Instructions of one operation, by kernel.
    pub instructions: BTreeMap<String, f64>,
}

/// Counts the instructions of all kernels and compares them with the committed counts, or writes them
/// as the new ones.
///
/// # Errors
/// If valgrind is missing, the bench does not build, or a count grew by more than the tolerance; the
/// message names every such kernel.
pub fn run(root: &Path, write: bool) -> Result<()> {
    if command::output(command::program(root, "valgrind").arg("--version")).is_err() {
        bail!(
            "VALGRIND IS NOT INSTALLED: no instruction was counted and nothing was compared. \
             Install it (on Debian: apt-get install valgrind) and run this again"
        );
    }
    let counted = count(root)?;
    let path = root.join(FILE);
    if write {
        let mut text = serde_json::to_string_pretty(&counted)?;
        text.push('\n');
        std::fs::write(&path, text).with_context(|| format!("cannot write {FILE}"))?;
        println!("wrote {FILE}");
        return Ok(());
    }
    let text = std::fs::read(&path).with_context(|| format!("cannot read {FILE}"))?;
    let committed: Counts =
        serde_json::from_slice(&text).with_context(|| format!("{FILE} is not valid"))?;
    for (what, then, now) in [
        ("rustc", &committed.rustc, &counted.rustc),
        ("vectors", &committed.vectors, &counted.vectors),
    ] {
        if then != now {
            println!("NOTE: {what} was {then} and is {now}; the counts may differ for that reason");
        }
    }
    let mut problems = Vec::new();
    for line in compare(&committed.instructions, &counted.instructions) {
        println!("{}", line.text);
        if !line.passes {
            problems.push(line.text);
        }
    }
    ensure!(
        problems.is_empty(),
        "kernels that take more instructions than {FILE} says (if that is intended: \
         cargo xtask bench --check --write):\n{}",
        problems.join("\n")
    );
    Ok(())
}

/// The comparison of a kernel in words.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    text: String,
    passes: bool,
}

fn compare(committed: &BTreeMap<String, f64>, counted: &BTreeMap<String, f64>) -> Vec<Line> {
    let mut lines = Vec::new();
    for (kernel, now) in counted {
        let Some(then) = committed.get(kernel) else {
            lines.push(Line {
                text: format!("{kernel}: {now:.1} instructions, not in {FILE}"),
                passes: false,
            });
            continue;
        };
        let change = now / then - 1.0;
        let remark = if change > TOLERANCE {
            ": TOO MANY"
        } else if change < -TOLERANCE {
            ": fewer, so write the new count"
        } else {
            ""
        };
        lines.push(Line {
            text: format!(
                "{kernel}: {now:.1} instructions, {then:.1} before ({:+.1} %){remark}",
                100.0 * change
            ),
            passes: change <= TOLERANCE,
        });
    }
    for kernel in committed
        .keys()
        .filter(|kernel| !counted.contains_key(*kernel))
    {
        lines.push(Line {
            text: format!("{kernel}: in {FILE}, but not a kernel any more"),
            passes: false,
        });
    }
    lines
}

/// Builds the bench and counts.
fn count(root: &Path) -> Result<Counts> {
    let build = [
        "bench",
        "--quiet",
        "--package",
        PACKAGE,
        "--bench",
        BENCH,
        "--no-run",
    ];
    let mut build = command::cargo(root, build);
    let messages = command::output(build.arg("--message-format=json-render-diagnostics"))?;
    let program = executable(&messages, BENCH)?;
    let about = command::output(&mut command::program(root, &program))?;
    let (kernels, vectors) = read_about(&about)?;
    let mut instructions = BTreeMap::new();
    for (kernel, operations) in kernels {
        let [few, many] =
            [ROUNDS, 2 * ROUNDS].map(|rounds| collect(root, &program, &kernel, rounds));
        let rounds = many?
            .checked_sub(few?)
            .context("more rounds took fewer instructions")?;
        #[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
        let of_one = rounds as f64 / f64::from(ROUNDS) / f64::from(operations);
        instructions.insert(kernel, (of_one * 10.0).round() / 10.0);
    }
    let rustc = command::output(command::program(root, "rustc").arg("--version"))?;
    Ok(Counts {
        rustc: rustc.trim().to_owned(),
        vectors,
        instructions,
    })
}

/// Kernels with the operations of a round, and the vectors, as the program prints them.
fn read_about(about: &str) -> Result<(Vec<(String, u32)>, String)> {
    let mut kernels = Vec::new();
    let mut vectors = None;
    for line in about.lines() {
        if let Some((kernel, operations)) = line
            .strip_prefix("kernel: ")
            .and_then(|line| line.rsplit_once(" = "))
        {
            kernels.push((kernel.to_owned(), operations.parse()?));
        } else if let Some(name) = line.strip_prefix("vectors: ") {
            vectors = Some(name.to_owned());
        }
    }
    ensure!(
        !kernels.is_empty(),
        "the bench `{BENCH}` printed no kernels"
    );
    Ok((kernels, vectors.context("the bench printed no vectors")?))
}

/// Instructions of the program with these arguments.
fn collect(root: &Path, program: &Path, kernel: &str, rounds: u32) -> Result<u64> {
    let mut valgrind = command::program(root, "valgrind");
    valgrind
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([kernel, &rounds.to_string()]);
    let done = valgrind.output().context("cannot start valgrind")?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(
        done.status.success(),
        "valgrind failed for `{kernel}`:\n{said}"
    );
    collected(&said).with_context(|| format!("valgrind printed no count for `{kernel}`:\n{said}"))
}

/// The number in callgrind's line `Collected : NUMBER`.
fn collected(said: &str) -> Option<u64> {
    let mut lines = said.lines();
    lines.find_map(|line| {
        let (_, number) = line.split_once("Collected : ")?;
        number.trim().parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrind_and_the_bench_are_read() {
        let said = "==7== Events    : Ir\n==7== Collected : 1234567\n==7== \n";
        assert_eq!(collected(said), Some(1_234_567));
        assert_eq!(collected("==7== I refs: 3"), None);
        let (kernels, vectors) = read_about("kernel: a, a week = 1600\nvectors: avx2\n").unwrap();
        assert_eq!(kernels, [("a, a week".to_owned(), 1600)]);
        assert_eq!(vectors, "avx2");
        assert!(read_about("vectors: avx2\n").is_err());
        assert!(read_about("kernel: a = 1\n").is_err());
    }

    #[test]
    fn growth_beyond_the_tolerance_and_lists_that_differ_do_not_pass() {
        let of = |pairs: &[(&str, f64)]| -> BTreeMap<String, f64> {
            pairs.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect()
        };
        let committed = of(&[("a", 100.0), ("b", 100.0), ("c", 100.0), ("gone", 1.0)]);
        let counted = of(&[("a", 102.9), ("b", 103.1), ("c", 90.0), ("new", 1.0)]);
        let passes: Vec<bool> = compare(&committed, &counted)
            .iter()
            .map(|line| line.passes)
            .collect();
        assert_eq!(passes, [true, false, true, false, false]);
    }
}
