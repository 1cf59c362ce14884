//! `paper`: the tables and figures of the papers, and the page that names an item for each of their parts.

use crate::program::{json, names, ok, refused};
use boardroom::cli::Cli;
use clap::CommandFactory as _;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The papers of the command.
const PAPERS: [&str; 5] = ["strategic", "markets", "office", "ceo", "bizcompass"];

/// The sections, tables, figures and appendices of each paper, by the short names of the page.
const PARTS: [(&str, &str); 5] = [
    (
        "strategic",
        "1;2;2.1;2.2;3;3.1;3.2;4;4.1;4.2;4.3;5;6;A;A.1;A.2;A.3;A.4;A.5;A.6;A.6.1;A.6.2;\
         A.6.3;A.6.4;A.6.5;A.6.6;A.7;A.8;Table 1;Table 2;Table 3;Table 4;Table 5;Figure 1;\
         Figure 2;Figure 3",
    ),
    (
        "markets",
        "1;2;3;3.1;3.2;3.3;3.3.1;3.3.2;3.3.3;3.4;4;4.1;4.2;4.3;5;A;A.1;A.2;B;B.1;B.2;C;\
         C.1;D;D.1;D.2;D.3;E;F;F.1;F.1.1;F.1.2;F.1.3;F.1.4;F.1.5;F.1.6;F.1.7;F.1.8;F.1.9;\
         F.1.10;F.2;F.2.1;F.2.2;F.2.3;F.2.4;F.2.5;F.2.6;F.2.7;F.2.8;F.2.9;F.2.10;F.3;\
         F.3.1;F.3.2;F.3.3;F.3.4;F.3.5;F.3.6;F.3.7;F.3.8;Table 1;Table 2;Table 3;Table 4;\
         Table 5;Figure 1;Figure 2",
    ),
    (
        "office",
        "1;2;3;3.1;3.2;3.2.1;3.2.2;3.3;3.3.1;3.3.2;3.3.3;3.3.4;3.4;3.5;4;4.1;4.2;4.2.1;\
         4.2.2;4.2.3;4.3;5;5.1;5.2;6;A;A.1;A.2;A.3;A.4;A.4.1;A.4.2;A.4.3;A.5;A.5.1;\
         Table 1;Table 2;Table 3;Table 4;Table 5;Table 6;Table 7;Table 8;Table 9;Table 10;\
         Table 11;Table 12;Table 13;Table 14;Figure 1;Figure 2;Figure 3;Figure 4;Figure 5;\
         Figure 6;Figure 7;Figure 8;Figure 9;Figure 10;Algorithm 1",
    ),
    (
        "CEO",
        "1;2;2.1;2.2;2.3;3;3.1;3.2;3.3;3.4;3.4.1;3.4.2;3.4.3;3.4.4;4;4.1;4.2;4.3;4.4;4.5;\
         4.6;4.7;4.7.1;4.7.2;5;A;A.1;A.2;B;C;C.1;C.2;C.3;C.4;C.5;D;E;F;Table 1;Table 2;\
         Table 3;Table 4;Table 5;Table 6;Table 7;Table 8;Table 9;Table 10;Table 11;\
         Table 12;Figure 1",
    ),
    (
        "BizCompass",
        "1;2;2.1;2.2;2.3;3;3.1;3.2;4;4.1;4.2;5;6;A;B;C;C.1;C.2;C.3;D;D.1;D.2;E;E.1;E.2;F;\
         G;H;I;J;J.1;J.2;Table 1;Table 2;Table 3;Table 4;Table 5;Table 6;Table 7;Table 8;\
         Table 9;Table 10;Table 11;Table 12;Table 13;Table 14;Table 15;Table 16;Table 17;\
         Table 18;Figure 1;Figure 2;Figure 3;Figure 4;Figure 5;Figure 6",
    ),
];

/// Whether the command line is one that the program reads; a part after `>` is a file of the shell.
fn parses(line: &str) -> Result<(), String> {
    let words = line.split_whitespace().take_while(|word| *word != ">");
    let mut command = Cli::command();
    match command.try_get_matches_from_mut(words) {
        Ok(_) => Ok(()),
        Err(e) => Err(format!("{line}: {e}")),
    }
}

/// All cells of a table as JSON with their rows.
fn cells(report: &Value, place: &str) -> Vec<(Value, Vec<Value>)> {
    let tables = report["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["place"] == place);
    let rows = table.unwrap_or_else(|| panic!("no {place}"))["rows"]
        .as_array()
        .unwrap();
    rows.iter()
        .map(|row| {
            (
                row["labels"].clone(),
                row["cells"].as_array().unwrap().clone(),
            )
        })
        .collect()
}

/// Without runs every cell names a command that the program reads.
#[test]
fn cells_without_a_run_name_a_command() {
    for paper in PAPERS {
        let report = json(&format!("paper {paper} --format json"));
        let mut commands = BTreeSet::new();
        for table in report["tables"].as_array().unwrap() {
            for row in table["rows"].as_array().unwrap() {
                for cell in row["cells"].as_array().unwrap() {
                    assert!(
                        cell["shown"].is_null(),
                        "{paper} {}: {cell}",
                        table["place"]
                    );
                    match cell["command"].as_str() {
                        Some(command) => {
                            commands.extend(command.split(" && ").map(str::to_owned));
                        }
                        None => assert_eq!(row["origin"], "paper", "{}: {cell}", table["place"]),
                    }
                }
            }
        }
        assert!(!commands.is_empty(), "{paper}");
        let wrong: Vec<String> = commands
            .iter()
            .filter_map(|line| parses(line).err())
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn runs_fill_the_tables_and_draw_the_figures() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for agent in ["reference", "follow-cfo"] {
        let older = "--set older_rubric=true --json";
        ok(&format!(
            "run ceo --preset all --agent {agent} {older} --out {}",
            path(agent)
        ));
    }
    let runs = format!("{} {}", path("reference"), path("follow-cfo"));
    let report = json(&format!("paper ceo --runs {runs} --format json"));
    let overall = cells(&report, "Table 4");
    let (labels, first) = &overall[0];
    assert_eq!(labels[0], "reference");
    // The authored plans are good ones, and all of them keep the rules.
    let score = first[0]["ours"].as_f64().unwrap();
    assert!((80.0..=100.0).contains(&score), "{score}");
    assert_eq!(first[5]["shown"], "13/13");
    let low = first[0]["ci95"][0].as_f64().unwrap();
    assert!(low < score, "{low} {score}");
    assert!(
        first.iter().all(|cell| !cell["shown"].is_null()),
        "{first:?}"
    );
    // The tiers weigh by their scenarios: 3, 3, 4 and 3 of 13.
    let (_, tiers) = &cells(&report, "Table 5")[0];
    let tier = |at: usize| tiers[at]["ours"].as_f64().unwrap();
    let mean = (3.0 * tier(0) + 3.0 * tier(1) + 4.0 * tier(2) + 3.0 * tier(3)) / 13.0;
    assert!((mean - score).abs() < 1e-9, "{mean} {score}");
    assert_eq!(cells(&report, "Table 10").len(), 26);
    assert_eq!(cells(&report, "Section 3.4").len(), 26);

    let out = path("tables");
    let said = ok(&format!("paper ceo --runs {runs} --out {out}"));
    names(
        &said,
        &[
            "paper.md",
            "tables.csv",
            "tables.tex",
            "paper.json",
            "figure-1b.svg",
        ],
    );
    let read = |name: &str| std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
    names(
        &read("paper.md"),
        &["## Table 4", "(paper) | 73.86", "(figure-1d.svg)"],
    );
    for figure in ["figure-1a", "figure-1b", "figure-1c", "figure-1d"] {
        let svg = read(&format!("{figure}.svg"));
        assert!(
            svg.starts_with("<svg") && svg.contains("reference"),
            "{svg}"
        );
    }
    assert!(read("tables.tex").matches("\\begin{table}").count() >= 10);
    // A second call writes over its own files, and over no others.
    ok(&format!("paper ceo --runs {runs} --out {out}"));
    std::fs::write(Path::new(&out).join("paper.md"), "mine").unwrap();
    refused(&["paper", "ceo", "--out", &out], 2);
    assert_eq!(read("paper.md"), "mine");
}

/// The rows of the table below a heading of the page, as cells.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, rest) = page.split_once(&format!("\n### {heading}\n")).unwrap();
    let lines = rest.lines().skip_while(|line| !line.starts_with("|---"));
    let table = lines.skip(1).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let line = line.trim().trim_matches('|');
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    table.map(cells).collect()
}

/// Every part of every paper has a row, and every row a command that parses or a reason.
#[test]
fn every_part_of_the_papers_has_a_row() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sources.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut wrong = Vec::new();
    for (paper, parts) in PARTS {
        let rows = rows(&page, paper);
        let listed: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        let expected: Vec<&str> = parts.split(';').collect();
        assert_eq!(listed, expected, "{paper}");
        for row in &rows {
            let [place, subject, item, how] = row.as_slice() else {
                panic!("{paper}: {row:?}");
            };
            let built = how
                .strip_prefix('`')
                .and_then(|rest| rest.strip_suffix('`'));
            let fault = match built {
                Some(line) if line.starts_with("boardroom ") => parses(line).err(),
                Some(line) if line.starts_with("cargo xtask ") => None,
                _ if how.starts_with("not built, because ") => None,
                _ => Some(format!("neither a command nor a reason: {how}")),
            };
            wrong.extend(fault.map(|fault| format!("{paper} {place}: {fault}")));
            if subject.is_empty() || (built.is_some() && item.is_empty() && place.len() > 1) {
                wrong.push(format!("{paper} {place}: no subject or no item"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
