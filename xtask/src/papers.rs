//! `cargo xtask papers`: runs the small plans of all papers with a scripted model, and checks that
//! `boardroom paper` fills every cell with a number. Cells that cannot have one are listed with the reason.
//!
//! The model answers on the loopback interface in the language of OpenAI. The request determines
//! the reply, so the tables are the same every time; the figures say nothing about models.

use crate::built::Boardroom;
use crate::step::Stopwatch;
use anyhow::{Context, Result, bail, ensure};
use model::ScriptedModel;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod model;

/// The papers, by the names of `boardroom paper`.
pub const PAPERS: [&str; 5] = ["strategic", "markets", "office", "ceo", "bizcompass"];

/// The places that must be drawn for each paper: its figures, and tables whose figures are also drawn.
const FIGURES: [(&str, &[&str]); 5] = [
    ("strategic", &["Table 1", "Table 2", "Figure 3"]),
    ("markets", &["Table 2", "Figure 2"]),
    ("office", &["Figure 2", "Figure 3"]),
    ("ceo", &["Figure 1a", "Figure 1b", "Figure 1c", "Figure 1d"]),
    ("bizcompass", &["Figure 4", "Figure 5"]),
];

/// Longest time that the runs of all papers together may take, without the build.
const LONGEST: Duration = Duration::from_secs(300);

/// A cell that holds no number for a known reason.
struct Exception {
    paper: &'static str,
    /// The table or the column; empty for all of the paper.
    place: &'static str,
    /// What the cell shows: words, `None` for any words, or nothing.
    shown: Option<&'static str>,
    /// Why.
    reason: &'static str,
}

/// All of them.
const EXCEPTIONS: [Exception; 13] = [
    except("strategic", "Table 4", None, WORDS),
    except("strategic", "", Some("yes"), WORDS),
    except("strategic", "", Some("no"), WORDS),
    except(
        "strategic",
        "",
        Some("nobody employed"),
        "no consultant was employed",
    ),
    except(
        "markets",
        "",
        Some("not played"),
        "a rule of another environment",
    ),
    except("office", "", Some("does not plan"), "a rule does not plan"),
    except(
        "office",
        "Appendix A.2",
        Some("no value told"),
        "no answer told a value",
    ),
    except("ceo", "grade", None, WORDS),
    except("ceo", "outcome", None, WORDS),
    except("ceo", "failure modes", None, WORDS),
    except("ceo", "primary failure", None, WORDS),
    except("ceo", "patterns", None, WORDS),
    except("ceo", "plan", None, WORDS),
];

const WORDS: &str = "words in the paper as well";

const fn except(
    paper: &'static str,
    place: &'static str,
    shown: Option<&'static str>,
    reason: &'static str,
) -> Exception {
    Exception {
        paper,
        place,
        shown,
        reason,
    }
}

impl Exception {
    /// Whether it is of a cell of `paper`.
    fn is_of(&self, paper: &str, place: &str, column: &str, shown: &str) -> bool {
        self.paper == paper
            && ["", place, column].contains(&self.place)
            && self.shown.map_or(!shown.is_empty(), |words| words == shown)
    }
}

/// The small plans.
const PLANS: &str = "docs/plans/small";

/// The words of a line of a file of commands, in which `OUT` stands for the folder of the runs.
pub(crate) fn words(line: &str, runs: &Path) -> Option<Vec<String>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let out = runs.display().to_string();
    let words = line
        .split_whitespace()
        .map(|word| word.replace("OUT", &out));
    Some(words.collect())
}

/// Runs the plans of `papers` (all of them if none is named) below the folder `out`.
///
/// # Errors
/// If a run fails, a cell of a table holds no number and is not an exception, a figure is missing, or the runs
/// take longer than five minutes.
pub fn run(root: &Path, papers: &[String], out: &Path) -> Result<()> {
    for paper in papers {
        ensure!(
            PAPERS.contains(&paper.as_str()),
            "`{paper}` is not a paper; choose from {}",
            PAPERS.join(", ")
        );
    }
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let program = Boardroom::build(root, out)?;
    let model = ScriptedModel::start()?;
    let begun = Stopwatch::start();
    for paper in PAPERS {
        if papers.is_empty() || papers.iter().any(|named| named == paper) {
            one(root, &program, &model, paper, &out.join(paper))?;
        }
    }
    println!("all papers in {}", begun.seconds());
    in_time(begun.time())
}

/// Checks the time that all papers took.
fn in_time(took: Duration) -> Result<()> {
    ensure!(
        took <= LONGEST,
        "the papers took {:.0} s, at most {} s are allowed",
        took.as_secs_f64(),
        LONGEST.as_secs()
    );
    Ok(())
}

fn one(
    root: &Path,
    program: &Boardroom,
    model: &ScriptedModel,
    paper: &str,
    dir: &Path,
) -> Result<()> {
    let begun = Stopwatch::start();
    let (runs, tables) = (dir.join("runs"), dir.join("tables"));
    for dir in [&runs, &tables] {
        if dir.exists() {
            fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        }
    }
    fs::create_dir_all(&runs).with_context(|| format!("cannot make {}", runs.display()))?;
    let call = |words: &[String]| -> Result<()> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = program.call(&words);
        command
            .current_dir(root)
            .env("OPENAI_BASE_URL", model.base())
            .env("OPENAI_API_KEY", "none");
        let output = command.output().context("cannot start boardroom")?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            bail!("boardroom {}: {error}", words.join(" "));
        }
        Ok(())
    };
    let mut folders = Vec::new();
    let plan = format!("{PLANS}/{paper}.toml");
    if root.join(&plan).exists() {
        let sweep = runs.join("sweep");
        let words = ["run", "--plan", &plan, "--out"].map(str::to_owned);
        call(&[words.to_vec(), vec![sweep.display().to_string()]].concat())?;
        folders.push(sweep);
    }
    let commands = root.join(PLANS).join(format!("{paper}.txt"));
    if commands.exists() {
        let text = fs::read_to_string(&commands)
            .with_context(|| format!("cannot read {}", commands.display()))?;
        for line in text.lines() {
            let Some(words) = words(line, &runs) else {
                continue;
            };
            call(&words)?;
            let out = words.iter().position(|word| word == "--out");
            let out = out.and_then(|at| words.get(at + 1)).map(PathBuf::from);
            folders.extend(out.filter(|out| out.join("manifest.json").exists()));
        }
    }
    let mut words = vec!["paper".to_owned(), paper.to_owned(), "--runs".to_owned()];
    words.extend(folders.iter().map(|folder| folder.display().to_string()));
    let labels = format!("{PLANS}/{paper}-labels.jsonl");
    if root.join(&labels).exists() {
        words.extend(["--labels".to_owned(), labels]);
    }
    let own = root.join(PLANS).join(format!("{paper}-tables"));
    if own.exists() {
        let files = fs::read_dir(&own).with_context(|| format!("cannot read {}", own.display()))?;
        let mut files: Vec<String> = files
            .flatten()
            .map(|file| file.path().display().to_string())
            .collect();
        files.sort();
        words.push("--tables".to_owned());
        words.extend(files);
    }
    // The plans are shortened versions of the papers' settings.
    words.push("--other-settings".to_owned());
    words.extend(["--out".to_owned(), tables.display().to_string()]);
    call(&words)?;
    let text = fs::read_to_string(tables.join("paper.json")).context("no paper.json")?;
    let report: Value = serde_json::from_str(&text).context("paper.json")?;
    let (filled, without) = check(paper, &report)?;
    check_figures(paper, &report, &tables)?;
    let without: Vec<String> = without
        .iter()
        .map(|(reason, count)| format!("{count} without ({reason})"))
        .collect();
    println!(
        "{paper}: {} tables, {} figures, {filled} cells of our runs with a number, {}, {}, in {}",
        list(&report, "tables").len(),
        list(&report, "figures").len(),
        if without.is_empty() {
            "none without".to_owned()
        } else {
            without.join(", ")
        },
        begun.seconds(),
        tables.display()
    );
    Ok(())
}

/// The list under a key; empty where there is none.
fn list(value: &Value, key: &str) -> Vec<Value> {
    let found = value.get(key).and_then(Value::as_array);
    found.cloned().unwrap_or_default()
}

/// The text under a key; empty where there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Checks that every cell of a row of ours holds a number or is one of the exceptions, and that each table
/// has such a row; returns the number of cells with a number, and that of the others by reason.
fn check(paper: &str, report: &Value) -> Result<(u64, BTreeMap<&'static str, u64>)> {
    let (mut filled, mut without, mut empty) = (0, BTreeMap::new(), Vec::new());
    let tables = list(report, "tables");
    ensure!(!tables.is_empty(), "there is no table");
    for table in &tables {
        let place = text(table, "place");
        let columns = list(table, "columns");
        let rows = list(table, "rows");
        let ours: Vec<&Value> = rows
            .iter()
            .filter(|row| text(row, "origin") == "runs")
            .collect();
        if ours.is_empty() {
            empty.push(format!("{place} has no row of our runs"));
        }
        for row in ours {
            let cells = list(row, "cells");
            ensure!(
                cells.len() == columns.len(),
                "{place}: a row has {} cells",
                cells.len()
            );
            for (cell, column) in cells.iter().zip(&columns) {
                let shown = text(cell, "shown");
                let name = column.as_str().unwrap_or_default();
                let exception = EXCEPTIONS
                    .iter()
                    .find(|known| known.is_of(paper, place, name, shown));
                if cell.get("ours").is_some_and(Value::is_number) {
                    filled += 1;
                } else if let Some(known) = exception {
                    *without.entry(known.reason).or_default() += 1;
                } else {
                    let labels = list(row, "labels");
                    empty.push(format!("{place}, {labels:?}, {column}: `{shown}`"));
                }
            }
        }
    }
    if let Some(first) = empty.first() {
        bail!("{} cells hold no number, the first is {first}", empty.len());
    }
    Ok((filled, without))
}

/// Checks that every expected figure of a paper is in its report, and that each one in it was drawn in a
/// file of `dir`.
fn check_figures(paper: &str, report: &Value, dir: &Path) -> Result<()> {
    let figures = list(report, "figures");
    let expected = FIGURES.iter().find(|(name, _)| *name == paper);
    for place in expected.map_or(&[][..], |(_, places)| places) {
        ensure!(
            figures.iter().any(|figure| text(figure, "place") == *place),
            "{place} of {paper} was not drawn"
        );
    }
    for figure in &figures {
        let file = dir.join(format!("{}.svg", text(figure, "id")));
        let drawing =
            fs::read_to_string(&file).with_context(|| format!("no {}", file.display()))?;
        ensure!(
            drawing.contains("<svg") && drawing.trim_end().ends_with("</svg>"),
            "{} is not a drawing",
            file.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(ours: &Value, shown: &str) -> Value {
        json!({"tables": [{"place": "Table 1", "columns": ["score"], "rows": [
            {"labels": ["a"], "origin": "runs", "cells": [{"ours": ours, "shown": shown}]},
            {"labels": ["b"], "origin": "paper", "cells": [{"shown": null}]},
        ]}]})
    }

    #[test]
    fn cells_of_our_rows_must_hold_a_number() {
        let filled = report(&json!(1.0), "1.0");
        assert_eq!(check("ceo", &filled).unwrap(), (1, BTreeMap::new()));
        assert!(check("ceo", &report(&Value::Null, "")).is_err());
        // Words are not a number.
        assert!(check("ceo", &report(&Value::Null, "undefined")).is_err());
        assert!(check("ceo", &json!({"tables": []})).is_err());
        let mut without = filled.clone();
        without["tables"][0]["rows"][0]["origin"] = json!("paper");
        assert!(check("ceo", &without).is_err());
    }

    #[test]
    fn every_figure_must_be_drawn() {
        let dir = tempfile::tempdir().unwrap();
        let mut report = json!({"figures": [
            {"id": "figure-2", "place": "Figure 2"}, {"id": "figure-3", "place": "Figure 3"},
        ]});
        let checked = |report: &Value| {
            let checked = check_figures("office", report, dir.path());
            checked.map_err(|e| e.to_string())
        };
        assert!(checked(&report).unwrap_err().contains("figure-2.svg"));
        for name in ["figure-2", "figure-3"] {
            fs::write(dir.path().join(format!("{name}.svg")), "<svg></svg>\n").unwrap();
        }
        assert_eq!(checked(&report), Ok(()));
        fs::write(dir.path().join("figure-3.svg"), "").unwrap();
        assert!(checked(&report).unwrap_err().contains("not a drawing"));
        report["figures"].as_array_mut().unwrap().pop();
        assert_eq!(
            checked(&report).unwrap_err(),
            "Figure 3 of office was not drawn"
        );
    }

    #[test]
    fn five_minutes_are_enough() {
        assert!(in_time(Duration::from_secs(300)).is_ok());
        let late = in_time(Duration::from_millis(300_500)).unwrap_err();
        assert!(late.to_string().contains("at most 300 s"), "{late}");
    }

    #[test]
    fn every_paper_has_expected_figures() {
        assert_eq!(FIGURES.map(|(name, _)| name), PAPERS);
    }

    /// An exception holds for its paper, its table and its words.
    #[test]
    fn exceptions_are_counted_by_reason() {
        for known in &EXCEPTIONS {
            let mut report = report(&Value::Null, known.shown.unwrap_or("words"));
            report["tables"][0]["place"] = json!(known.place);
            let (filled, without) = check(known.paper, &report).unwrap();
            assert_eq!((filled, without.get(known.reason)), (0, Some(&1)));
            assert!(check("another", &report).is_err());
            report["tables"][0]["place"] = json!("Table 99");
            assert_eq!(check(known.paper, &report).is_ok(), known.place.is_empty());
        }
    }

    #[test]
    fn commands_name_the_folder_of_the_runs() {
        let runs = Path::new("runs");
        assert_eq!(words("# a remark", runs), None);
        assert_eq!(
            words("run qa --out OUT/qa", runs).unwrap(),
            ["run", "qa", "--out", "runs/qa"]
        );
    }
}
