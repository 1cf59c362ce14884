//! `cargo xtask replicate`: compares our figures with those of papers, other programs and our own
//! references.
//!
//! The program is a separate package, built with optimisation, so that this package stays quick to
//! build.

use crate::command;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

/// The page that the program writes.
const PAGE: &str = "docs/replication.md";

/// Computes all sections and writes the page; with `check`, compares the page instead; with named
/// sections, prints those.
///
/// # Errors
/// If a figure is outside its tolerance, or the page differs from the computed one.
pub fn run(root: &Path, sections: &[String], check: bool) -> Result<()> {
    if !sections.is_empty() {
        ensure!(!check, "`--check` compares the whole page: name no section");
        return command::run(&mut program(root, sections));
    }
    let output = program(root, &[])
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    let computed = String::from_utf8(output.stdout).context("the page is not UTF-8")?;
    ensure!(
        output.status.success() || computed.contains("\n## "),
        "the replication program failed ({})",
        output.status
    );
    let path = root.join(PAGE);
    if check {
        let stored = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {PAGE}: run `cargo xtask replicate`"))?;
        if let Some(difference) = first_difference(&stored, &computed) {
            bail!("{PAGE} differs from what was computed {difference}");
        }
        println!("{PAGE} is up to date");
    } else {
        std::fs::write(&path, computed).with_context(|| format!("cannot write {PAGE}"))?;
        println!("wrote {PAGE}");
    }
    ensure!(
        output.status.success(),
        "figures are outside their tolerance (see above)"
    );
    Ok(())
}

fn program(root: &Path, sections: &[String]) -> Command {
    let mut command = command::cargo(root, ["run", "--release", "--quiet", "--locked"]);
    command.args(["--package", "replication", "--"]);
    command.args(sections);
    command
}

/// The first difference of two texts, as text.
fn first_difference(stored: &str, computed: &str) -> Option<String> {
    if stored == computed {
        return None;
    }
    let mut lines = (1..).zip(stored.lines().map(Some).chain(std::iter::repeat(None)));
    let mut new = computed.lines().map(Some).chain(std::iter::repeat(None));
    lines.find_map(|(number, old)| {
        let new = new.next().flatten();
        match (old, new) {
            (None, None) => Some("in its line ends".to_owned()),
            _ if old == new => None,
            _ => Some(format!(
                "in line {number}:\n  stored:   {}\n  computed: {}",
                old.unwrap_or("(ends)"),
                new.unwrap_or("(ends)")
            )),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let found = first_difference("a\nb\nc\n", "a\nx\nc\n").unwrap();
        assert_eq!(found, "in line 2:\n  stored:   b\n  computed: x");
        let found = first_difference("a\n", "a\nb\n").unwrap();
        assert!(
            found.ends_with("stored:   (ends)\n  computed: b"),
            "{found}"
        );
        assert_eq!(first_difference("a\n", "a").unwrap(), "in its line ends");
    }
}
