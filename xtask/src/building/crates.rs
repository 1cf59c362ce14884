//! The crates of the default program: how many there are, and what each costs.

use super::store::{CrateCost, Store};
use crate::command;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The variable that names the folder for [`WRAPPER`]'s notes.
pub(super) const TIMES: &str = "CRATE_TIMES";

/// Stands before the compiler and writes down the name of each crate and its processor time.
// A file for each process: compilers run at once, and the two lines of one would mix with those of others.
pub(super) const WRAPPER: &str = r#"#!/bin/sh
name=none before=none
for word in "$@"; do
  if [ "$before" = --crate-name ]; then name=$word; fi
  before=$word
done
"$@"
code=$?
{ echo "$name"; times; } >> "$CRATE_TIMES/$$"
exit $code
"#;

/// Number of crates by which the default program may grow without a line in the changelog.
const MAY_GROW: usize = 10;

/// Number of crates that are compiled for the default program, build scripts included.
///
/// # Errors
/// If cargo does not list them.
pub fn default_crates(root: &Path) -> Result<usize> {
    let mut tree = command::cargo(root, ["tree", "--locked", "--package", "boardroom"]);
    tree.args(["--edges", "normal,build", "--prefix", "none"]);
    // Counted as a user builds it, whatever this developer has chosen.
    tree.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    Ok(different(&command::output(&mut tree)?))
}

/// Number of different packages in what `cargo tree` prints; a package is its name and version.
fn different(printed: &str) -> usize {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?))
    };
    let packages: BTreeSet<String> = printed.lines().filter_map(package).collect();
    packages.len()
}

/// Checks that the default program has not gained more than ten crates since it was last measured,
/// unless the changelog has the new number.
///
/// # Errors
/// If it has gained more.
pub fn check_crates(root: &Path) -> Result<()> {
    let changelog = root.join("CHANGELOG.md");
    let changelog = std::fs::read_to_string(&changelog).context("there is no CHANGELOG.md")?;
    let (before, now) = (Store::read(root)?.crates, default_crates(root)?);
    println!("the default program has {now} crates; docs/building.json says {before}");
    compare(before, now, &changelog)
}

fn compare(before: usize, now: usize, changelog: &str) -> Result<()> {
    let told = changelog.contains(&format!("{now} crates"));
    ensure!(
        told || now <= before + MAY_GROW,
        "the default program grew from {before} to {now} crates; drop dependencies, or say why in \
         CHANGELOG.md in a line with `{now} crates`"
    );
    Ok(())
}

/// The crates of the notes in a folder, the dearest first.
pub(super) fn costs(folder: &Path) -> Result<Vec<CrateCost>> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let text = std::fs::read_to_string(entry?.path())?;
        for (name, seconds) in notes(&text) {
            *sums.entry(name).or_default() += seconds;
        }
    }
    let mut costs: Vec<CrateCost> = sums
        .into_iter()
        .map(|(name, seconds)| CrateCost { name, seconds })
        .collect();
    costs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    Ok(costs)
}

/// Names and times in a file of notes: a process number may have been used twice.
fn notes(text: &str) -> Vec<(String, f64)> {
    let lines: Vec<&str> = text.lines().collect();
    let notes = lines.chunks(3).filter_map(|note| {
        let (name, times) = note.split_first()?;
        Some(((*name).to_owned(), super::children_time(&times.join("\n"))?))
    });
    notes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_counted_once() {
        let printed =
            "a v1.0.0 (/somewhere)\nb v1.0.0\nb v2.0.0\nb v1.0.0 (*)\n\nc v0.1.0 (proc-macro)\n";
        assert_eq!(different(printed), 4);
    }

    #[test]
    fn growth_needs_a_line_in_the_changelog() {
        compare(230, 240, "").unwrap();
        let error = compare(230, 241, "we have 240 crates").unwrap_err();
        assert!(error.to_string().contains("`241 crates`"), "{error}");
        compare(230, 241, "- The default program has 241 crates: ...").unwrap();
    }

    #[test]
    fn notes_of_a_process_number_that_was_used_twice() {
        let text = "serde\n0m0.0s 0m0.0s\n0m2.5s 0m0.5s\nlibc\n0m0.0s 0m0.0s\n1m0.0s 0m1.0s\n";
        let expected = [("serde".to_owned(), 3.0), ("libc".to_owned(), 61.0)];
        assert_eq!(notes(text), expected);
    }
}
