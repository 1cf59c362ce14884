//! `cargo xtask replicate`: plays the runs of `fixtures/replication`, and writes the page that compares their figures
//! with those of papers, other programs and our own references.

use crate::built::Boardroom;
use crate::command;
use crate::papers::words;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;

/// The page.
const PAGE: &str = "docs/replication.md";

/// What it is made of.
const PARTS: &str = "fixtures/replication";

/// Plays the runs and writes the page; with `check`, compares the page instead.
///
/// # Errors
/// If a run fails, a figure is outside its tolerance, or the page differs from the computed one.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let out = root.join("target/replication");
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    let runs = out.join("runs");
    fs::create_dir_all(&runs).with_context(|| format!("cannot make {}", runs.display()))?;
    let program = Boardroom::build(root, &out)?;
    let call = |line: &[String]| {
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let mut command = program.call(&line);
        command.current_dir(root);
        command
    };
    for line in part(root, "runs.txt")?.lines() {
        if let Some(line) = words(line, &runs) {
            command::output(&mut call(&line))?;
        }
    }
    let spec = format!("{PARTS}/figures.toml");
    let runs = runs.display().to_string();
    let line = [
        "paper", "--spec", &spec, "--format", "markdown", "--check", "--runs", &runs,
    ];
    let output = call(&line.map(str::to_owned))
        .output()
        .context("cannot start boardroom")?;
    let missed = String::from_utf8_lossy(&output.stderr).into_owned();
    let tables = String::from_utf8(output.stdout).context("the tables are not UTF-8")?;
    let Some((_, tables)) = tables.split_once("\n## Result") else {
        bail!("boardroom {}: {missed}", line.join(" "));
    };
    ensure!(
        !tables.contains("Runs that no table uses"),
        "a run has no place: {missed}"
    );
    let (head, tail) = (part(root, "head.md")?, part(root, "tail.md")?);
    let computed = format!("{head}## Result{tables}\n{tail}");
    let path = root.join(PAGE);
    if check {
        let stored = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {PAGE}: run `cargo xtask replicate`"))?;
        if let Some(difference) = first_difference(&stored, &computed) {
            bail!("{PAGE} differs from what was computed {difference}");
        }
        println!("{PAGE} is up to date");
    } else {
        fs::write(&path, computed).with_context(|| format!("cannot write {PAGE}"))?;
        println!("wrote {PAGE}");
    }
    ensure!(output.status.success(), "{missed}");
    Ok(())
}

fn part(root: &Path, name: &str) -> Result<String> {
    let path = root.join(PARTS).join(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
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
    use super::{first_difference, part};
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

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

    /// The tables in a list such as `Tables 1, 5 and 12 to 14`.
    fn tables(place: &str) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let (mut last, mut is_range) = (None, false);
        let words = place.split_once("Table").map_or("", |(_, rest)| rest);
        for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
            match (word.parse::<u32>(), last) {
                (Ok(number), Some(first)) if is_range => found.extend(first..=number),
                (Ok(number), _) => {
                    found.insert(number);
                }
                _ if ["s", "and", "to"].contains(&word) => {}
                _ => break,
            }
            is_range = word == "to";
            last = word.parse().ok().or(last);
        }
        found
    }

    #[test]
    fn tables_are_read_from_a_place() {
        let of = |place| tables(place).into_iter().collect::<Vec<_>>();
        assert_eq!(of("office, Tables 1, 5 and 12 to 14"), [1, 5, 12, 13, 14]);
        assert_eq!(of("a paper, Table 13, cell (.6, .6)"), [13]);
        assert_eq!(of("a paper, Tables 2 to 5 and Figure 9"), [2, 3, 4, 5]);
        assert_eq!(of("a paper, section 4"), [0_u32; 0]);
    }

    #[test]
    fn every_table_of_the_papers_has_a_place() {
        let page = part(&root(), "tail.md").unwrap();
        let from = |start: &str| page.split_once(start).unwrap().1;
        let lines = from("## What cannot be reproduced").lines();
        let listed = lines
            .take_while(|line| !line.starts_with("## "))
            .filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
        let rest = from("are not listed: ").lines().next().unwrap();
        let rest = rest.trim_end_matches('.').split("; ");
        // Table 3 of BizCompass is computed completely.
        let mut named: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for place in listed.chain(rest).chain(["BizCompass, Table 3"]) {
            let paper = place.split(',').next().unwrap();
            named.entry(paper).or_default().extend(tables(place));
        }
        for (paper, count) in [
            ("strategic paper", 5),
            ("unknown markets", 5),
            ("office paper", 14),
            ("reallocation paper", 12),
            ("BizCompass", 18),
        ] {
            let all: BTreeSet<u32> = (1..=count).collect();
            assert_eq!(named.get(paper), Some(&all), "{paper}");
        }
    }

    /// The text of every test of a crate.
    fn tests_of(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                tests_of(&path, text);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&fs::read_to_string(&path).unwrap());
            }
        }
    }

    /// The tests that the page names exist.
    #[test]
    fn tests_on_the_page_exist() {
        let page = part(&root(), "tail.md").unwrap();
        let mut found = 0;
        for code in page.split('`').skip(1).step_by(2) {
            let Some((package, name)) = code.split_once(' ') else {
                continue;
            };
            let folder = root().join("crates").join(package).join("tests");
            if name.contains(' ') || !folder.is_dir() {
                continue;
            }
            let mut text = String::new();
            tests_of(&folder, &mut text);
            assert!(text.contains(&format!("fn {name}(")), "{code}");
            found += 1;
        }
        assert!(found >= 20, "{found}");
    }

    #[test]
    fn the_routers_gain_is_weighed_with_printed_figures() {
        // Test questions of Table 5, without the interviews.
        let questions: u32 = [788, 288, 132, 47, 441, 589, 200, 50, 2_000, 120]
            .iter()
            .sum();
        let n = f64::from(questions);
        assert_eq!(questions, 4_655);
        let one = (0.729 * (1.0 - 0.729) / n).sqrt();
        assert_eq!(format!("{one:.4}"), "0.0065");
        // With b and c questions that only one got right, the difference b - c has the standard error
        // sqrt(b + c - (b - c)^2 / n).
        let gained = (0.729 - 0.725) * n;
        assert_eq!(format!("{gained:.0}"), "19");
        let most = (gained / 1.96).powi(2) + gained.powi(2) / n;
        assert_eq!(format!("{most:.0}"), "90");
        let page = part(&root(), "tail.md").unwrap();
        for figure in ["4,655", "0.0065", "19 answers", "90 such"] {
            assert!(page.contains(figure), "{figure}");
        }
    }
}
