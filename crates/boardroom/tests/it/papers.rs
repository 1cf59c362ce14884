//! `paper`: the tables and figures of the papers, and the page that names an item for each of their parts.

use crate::program::{call, json, names, ok, refused};
use crate::server::{Act, Server, reply, said};
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
         Figure 6;Figure 7;Figure 8;Figure 9;Figure 10;Algorithm 1;Listing 1;Listing 2",
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
        let evolved = commands
            .iter()
            .filter(|line| line.contains("--method gepa"));
        for line in evolved {
            names(line, &["--instruction "]);
        }
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

/// The tables of a paper at a place, by title.
fn tables(report: &Value, place: &str) -> Vec<(String, Value)> {
    let tables = report["tables"].as_array().unwrap().iter();
    let here = tables.filter(|table| table["place"] == place);
    here.map(|table| (table["title"].as_str().unwrap().to_owned(), table.clone()))
        .collect()
}

/// The cell of a table in the row whose last label is `row`, below the heading `column`.
fn cell<'a>(table: &'a Value, row: &str, column: &str) -> &'a Value {
    let columns = table["columns"].as_array().unwrap();
    let at = columns.iter().position(|held| held == column).unwrap();
    let mut rows = table["rows"].as_array().unwrap().iter();
    let row = rows.find(|held| held["labels"].as_array().unwrap().last().unwrap() == row);
    &row.unwrap()["cells"][at]
}

/// The folders that no table uses, by their names.
fn unused(report: &Value) -> BTreeSet<String> {
    let notes = report["unused"].as_array().unwrap().iter();
    let name = |note: &Value| {
        assert!(!note["remark"].as_str().unwrap().is_empty());
        let folder = Path::new(note["folder"].as_str().unwrap()).file_name();
        folder.unwrap().to_str().unwrap().to_owned()
    };
    notes.map(name).collect()
}

fn strings(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The paper hides the dynamics from its agents, and so does its plan; the preset tells them. Games of both are used.
#[test]
fn games_that_hide_the_dynamics_are_the_papers_too() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    for (name, options) in [("hidden", "--set disclosure=paper"), ("told", "")] {
        let line = format!(
            "run beer-game --preset paper --agent openai:mock --episodes 1 {options} --out {}",
            dir.path().join(name).display()
        );
        let played = server.run(&line);
        assert!(played.status.success(), "{played:?}");
    }
    let all = dir.path().display();
    let report = json(&format!("paper strategic --runs {all} --format json"));
    assert!(unused(&report).is_empty(), "{}", report["unused"]);
    let tables = tables(&report, "Table 1");
    assert_eq!(tables.len(), 2, "{tables:?}");
    for (_, table) in &tables {
        assert_eq!(cell(table, "BeerGame, mean cost", "CoT")["n"], 1);
    }
    let hidden = |title: &str| title.contains("disclosure");
    assert_eq!(tables.iter().filter(|of| hidden(&of.0)).count(), 1);
}

/// Games of a model: seeds are pooled, other settings stand apart, the same run twice is refused.
#[test]
fn games_of_a_model_are_pooled_only_under_equal_settings() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let server = Server::start(0.0);
    let play = |name: &str, options: &str| {
        let line = format!(
            "run beer-game --preset paper --set weeks=3 --agent openai:mock --episodes 2 {options} --out {}",
            path(name)
        );
        let played = server.run(&line);
        assert!(played.status.success(), "{played:?}");
    };
    play("one", "--seed 1");
    play("two", "--seed 2");
    play("warm", "--seed 1 --temperature 0.5");
    play("limited", "--seed 1 --method dc");
    let all = path("").trim_end_matches('/').to_owned();

    // Three weeks are not the game of the paper.
    let report = json(&format!("paper strategic --runs {all} --format json"));
    assert_eq!(unused(&report), strings(&["one", "two", "warm", "limited"]));
    let (_, table) = &tables(&report, "Table 1")[0];
    assert!(cell(table, "BeerGame, mean cost", "CoT")["shown"].is_null());

    let line = format!("paper strategic --runs {all} --other-settings --format json");
    let report = json(&line);
    assert!(unused(&report).is_empty(), "{}", report["unused"]);
    assert_eq!(report["other_settings"].as_array().unwrap().len(), 4);
    let tables = tables(&report, "Table 1");
    assert_eq!(tables.len(), 2, "{tables:?}");
    let (warm, usual): (Vec<_>, Vec<_>) = tables
        .iter()
        .partition(|(title, _)| title.contains("temperature = 0.5"));
    for (title, _) in &tables {
        names(title, &["openai:mock", "other settings"]);
    }
    let games = |table: &Value| cell(table, "BeerGame, mean cost", "CoT")["n"].clone();
    assert_eq!(
        (games(&usual[0].1), games(&warm[0].1)),
        (4.into(), 2.into())
    );
    // A run that has no figure says why, and does not name a command that was run already.
    let alone = cell(&warm[0].1, "BeerGame", "CoT");
    assert!(
        alone["command"].is_null() && alone["shown"].is_string(),
        "{alone}"
    );

    play("again", "--seed 2");
    let words: Vec<&str> = line.split(' ').collect();
    let twice = refused(&words, 2);
    names(&twice, &["/two", "/again"]);
}

/// Interviews that other judges marked are not pooled, and a single judge has no spread.
#[test]
fn marks_of_different_judges_stand_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let server = Server::acting(|n, body| {
        let mark = match body["model"].as_str().unwrap() {
            "strict" => 4,
            "mild" => 8,
            _ => return Act::Answer(reply(body, n)),
        };
        let marks = serde_json::json!({"structure": mark, "quant": mark, "business_sense": mark,
                                       "communication": mark, "overall": mark, "feedback": "so"});
        Act::Answer(said(&marks.to_string()))
    });
    let held = |name: &str, judges: &str| -> Value {
        let held = server.run(&format!(
            "run consulting --agent openai:talks --episodes 2 --rounds 2 {judges} --json --out {}",
            path(name)
        ));
        assert!(held.status.success(), "{held:?}");
        serde_json::from_slice(&held.stdout).unwrap()
    };
    let strict = held("strict", "--judge openai:strict");
    let both = held("both", "--judge openai:strict --judge openai:mild");
    let spread = |run: &Value| run["metrics"]["judges_spread"]["mean"].as_f64();
    assert_eq!((spread(&strict), spread(&both)), (None, Some(4.0)));
    let table = ok(&format!("export {}", path("both")));
    // The metrics are the last columns, and numbers hold no comma.
    let mut lines = table.lines().map(|line| line.rsplit(','));
    let at = lines
        .next()
        .unwrap()
        .position(|name| name == "judges_spread");
    let spreads: Vec<&str> = lines.map(|mut row| row.nth(at.unwrap()).unwrap()).collect();
    assert_eq!(spreads, ["4", "4"]);
    let runs = format!("{} {}", path("strict"), path("both"));
    let report = json(&format!("paper strategic --runs {runs} --format json"));
    let tables = tables(&report, "Table 2");
    assert_eq!(tables.len(), 2);
    let of = |judges: &str| {
        let found = tables.iter().find(|(title, _)| title.contains(judges));
        &found.unwrap_or_else(|| panic!("{judges}: {tables:?}")).1
    };
    let (one, two) = (
        of("(judge openai:strict temperature 0)"),
        of("judge openai:strict temperature 0 and openai:mild temperature 0"),
    );
    let overall = |table| cell(table, "Overall", "CoT")["ours"].as_f64().unwrap();
    assert!((overall(one) - 0.4).abs() < 1e-9 && (overall(two) - 0.6).abs() < 1e-9);
    let spread = |table| cell(table, "Spread of the judges", "CoT").clone();
    assert!((spread(two)["ours"].as_f64().unwrap() - 0.4).abs() < 1e-9);
    let none = spread(one);
    assert!(
        none["ours"].is_null() && none["command"].is_null(),
        "{none}"
    );
    names(none["shown"].as_str().unwrap(), &["one judge"]);
    // Neither a script nor these interviews have a place in another paper.
    ok(&format!(
        "run consulting --agent ideal --episodes 3 --out {}",
        path("ideal")
    ));
    let all = format!("{runs} {}", path("ideal"));
    let report = json(&format!("paper strategic --runs {all} --format json"));
    assert_eq!(unused(&report), strings(&["ideal"]));
    let (_, sets) = &self::tables(&report, "Table 5")[0];
    assert_eq!(cell(sets, "Interactive Consulting", "test")["ours"], 2.0);
    // Marks by rules are not those of the paper's protocol.
    held("rules", "");
    let rules = path("rules");
    let report = json(&format!("paper strategic --runs {rules} --format json"));
    for (place, row) in [("Table 2", "Overall"), ("Table 1", "Consulting")] {
        let (_, table) = &self::tables(&report, place)[0];
        let found = cell(table, row, "CoT");
        assert!(found["ours"].is_null(), "{found}");
        names(found["shown"].as_str().unwrap(), &["marks by rules"]);
    }
}

/// Questions of two files with equal ids are different questions; examples in the prompt are a setting.
#[test]
fn answers_to_other_questions_and_under_other_settings_stand_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/qa/finance/FinKnow.jsonl"
    );
    let text = std::fs::read_to_string(fixture).unwrap();
    for (folder, text) in [
        ("here", text.clone()),
        (
            "there",
            text.replace("\"question\": \"", "\"question\": \"Say: "),
        ),
    ] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
        std::fs::write(dir.path().join(folder).join("FinKnow.jsonl"), text).unwrap();
    }
    let questions = text.lines().count();
    let server = Server::start(0.0);
    let ask = |name: &str, data: &str, options: &str| {
        let asked = server.run(&format!(
            "run qa --data {} --agent openai:m {options} --out {}",
            path(data),
            path(name)
        ));
        assert!(asked.status.success(), "{asked:?}");
    };
    ask("one", "here", "");
    ask("two", "there", "");
    ask("three", "here", "--shots 1");
    // A part of a set does not make another set.
    ask("part", "here", "--method direct --items 1");
    let runs = ["one", "two", "three", "part"].map(path).join(" ");
    let report = json(&format!("paper strategic --runs {runs} --format json"));
    let tables = tables(&report, "Figure 3");
    let titles: BTreeSet<&String> = tables.iter().map(|(title, _)| title).collect();
    assert_eq!(titles.len(), 3, "{titles:?}");
    let counts: Vec<u64> = tables
        .iter()
        .map(|(_, table)| cell(table, "all", "CoT")["n"].as_u64().unwrap())
        .collect();
    assert!(counts.iter().all(|n| *n <= questions as u64), "{counts:?}");
    let (_, sets) = &self::tables(&report, "Table 5")[0];
    assert_eq!(
        cell(sets, "FinKnow", "test")["ours"],
        2.0 * questions as f64
    );
    // Nor do parts that different seeds draw, without the whole set beside them.
    ask("third", "here", "--seed 3 --items 3");
    ask("fourth", "here", "--seed 4 --items 3");
    let parts = ["third", "fourth"].map(path).join(" ");
    let report = json(&format!("paper strategic --runs {parts} --format json"));
    assert_eq!(self::tables(&report, "Figure 3").len(), 1);
}

/// Only runs with the paper's settings are used; a folder above runs and other things can be named.
#[test]
fn what_no_table_uses_is_listed_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let play = |name: &str, line: &str| {
        ok(&format!("run {line} --out {}", path(name)));
    };
    play(
        "suite",
        "scheduling --preset basic --suite paper --agent fix-one-pair",
    );
    play(
        "drawn",
        "scheduling --preset basic --agent fix-one-pair --episodes 3",
    );
    play(
        "short",
        "scheduling --preset basic --suite paper --set periods=5 --agent fix-one-pair",
    );
    play(
        "deep/office",
        "office --preset small --agent oracle --episodes 3",
    );
    for folder in ["search", "notes/old"] {
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    std::fs::write(dir.path().join("search/evolved.json"), "{}").unwrap();
    std::fs::write(dir.path().join("prices.toml"), "").unwrap();
    let all = path("").trim_end_matches('/').to_owned();

    let report = json(&format!("paper markets --runs {all} --format json"));
    assert_eq!(
        unused(&report),
        strings(&["drawn", "short", "office", "search", "notes"])
    );
    let basic = |report: &Value| {
        let (_, table) = &tables(report, "Table 2")[0];
        let rows = table["rows"].as_array().unwrap().clone();
        let ours = rows.into_iter().filter(|row| row["origin"] == "runs");
        let basic = ours.filter(|row| row["labels"][1] == "BASIC");
        basic
            .map(|row| (row["labels"][0].clone(), row["cells"][2]["n"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(basic(&report), [("fix-one-pair".into(), 12.into())]);
    let report = json(&format!(
        "paper markets --runs {all} --other-settings --format json"
    ));
    assert_eq!(unused(&report), strings(&["office", "search", "notes"]));
    assert_eq!(basic(&report).len(), 3);
    let report = json(&format!("paper office --runs {all} --format json"));
    assert_eq!(unused(&report).len(), 6);

    // What a shell makes of `runs/*`, with the reasons in the page and beside it.
    let words = ["search", "prices.toml", "suite", "drawn"].map(path);
    let mut line = vec!["paper", "markets", "--runs"];
    line.extend(words.iter().map(String::as_str));
    let called = call(&line);
    assert_eq!(called.code, 0, "{}", called.err);
    for text in [&called.out, &called.err] {
        names(text, &["prices.toml", "evolve", "suite paper"]);
    }
    refused(&["paper", "markets", "--runs", &path("search")], 2);
    refused(&["paper", "markets", "--runs", &path("nowhere")], 2);
}

/// One task of the office is one, with the rules of access and without.
#[test]
fn tasks_are_counted_once_under_both_access_settings() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for (name, set) in [("on", ""), ("off", "--set access.enforcement=off")] {
        let line = format!("run office --preset small --agent oracle {set} --episodes 12");
        ok(&format!("{line} --out {}", path(name)));
    }
    let counted = |runs: &str| {
        let report = json(&format!(
            "paper office --other-settings --runs {runs} --format json"
        ));
        let [(_, tasks)] = &cells(&report, "Section 3.1")[..1] else {
            panic!("one row");
        };
        let [(_, domains)] = &cells(&report, "Figure 2")[..] else {
            panic!("one row");
        };
        (tasks.clone(), domains.clone())
    };
    let (tasks, domains) = counted(&path("on"));
    let both = counted(&format!("{} {}", path("on"), path("off")));
    assert_eq!(both, (tasks.clone(), domains));
    let [tools, steps] = [3, 4].map(|at| tasks[at]["ours"].as_f64().unwrap());
    assert!(tools <= steps && tools >= 1.0, "{tools} {steps}");
}

/// One mean has one interval, whatever prints it; and settings that the table itself distinguishes are in no name.
#[test]
fn a_table_of_ones_own_has_the_intervals_of_the_runs() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let spec = r#"
        name = "costs"
        title = "Costs"
        [[source]]
        environment = "beer-game"
        free = ["*"]
        labels = { delay = "config.board.ship_delay" }
        [[table]]
        place = "Table 1"
        title = "cost of a game"
        stubs = ["agent"]
        rows = [{ by = "agent" }]
        columns = [{ by = "delay", stat = "mean", of = "score", over = ["attempt"], decimals = 1 }]
        [table.cell]
        command = "boardroom run beer-game {options} --out RUN"
    "#;
    std::fs::write(path("costs.toml"), spec).unwrap();
    let mut intervals = Vec::new();
    for delay in [1, 2, 3] {
        let run = json(&format!(
            "run beer-game --preset random --agent random --episodes 12 --seed 3 --set board.ship_delay={delay} \
             --json --out {}",
            path(&format!("runs/{delay}"))
        ));
        intervals.push(run["score"]["ci95"].clone());
    }
    let line = format!(
        "paper --spec {} --runs {}",
        path("costs.toml"),
        path("runs")
    );
    let report = json(&format!("{line} --format json"));
    let rows = cells(&report, "Table 1");
    let [(_, cells)] = rows.as_slice() else {
        panic!("one row for the one agent: {rows:?}");
    };
    let found: Vec<Value> = cells.iter().map(|cell| cell["ci95"].clone()).collect();
    assert_eq!(found, intervals);
}

/// Runs of several seeds have the interval of the report, whatever their folders are called.
#[test]
fn seeds_that_stand_together_have_the_interval_of_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let spec = r#"
        name = "costs"
        title = "Costs"
        [[source]]
        environment = "beer-game"
        presets = ["random"]
        [[table]]
        place = "Table 1"
        title = "cost of a game"
        stubs = ["agent"]
        rows = [{ by = "agent" }]
        columns = [{ head = "cost", stat = "mean", of = "score", decimals = 1 }]
        [table.cell]
        command = "boardroom run beer-game {options} --out RUN"
    "#;
    std::fs::write(path("costs.toml"), spec).unwrap();
    for (folder, seed) in [("a", 9), ("b", 4)] {
        for agent in ["random", "order-up-to"] {
            let out = path(&format!("runs/{folder}-{agent}"));
            ok(&format!(
                "run beer-game --preset random --agent {agent} --episodes 12 --seed {seed} --out {out}"
            ));
        }
    }
    let runs = path("runs");
    let line = format!("paper --spec {} --runs {runs}", path("costs.toml"));
    let paper = json(&format!("{line} --format json"));
    let rows = cells(&paper, "Table 1");
    let page = path("report.html");
    let report = json(&format!("report {runs} --output {page} --json"));
    let agents = report["tasks"][0]["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 2, "{agents:?}");
    for agent in agents {
        assert_eq!(agent["extent"]["seeds"], serde_json::json!([4, 9]));
        let summary = &agent["summary"];
        let row = rows
            .iter()
            .find(|(labels, _)| labels[0] == summary["agent"]);
        let (_, cells) = row.unwrap_or_else(|| panic!("no row of {summary}"));
        assert_eq!(cells[0]["ci95"], summary["score"]["ci95"], "{summary}");
    }
}

/// A name that the environment or the runs do not have is refused with those that there are.
#[test]
fn wrong_names_in_a_spec_are_refused_with_the_right_ones() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for delay in [1, 3] {
        ok(&format!(
            "run beer-game --preset random --agent sterman --episodes 2 --set board.ship_delay={delay} --out {}",
            path(&format!("runs/{delay}"))
        ));
    }
    ok(&format!(
        "run beer-game --preset classic --agent sterman --episodes 2 --out {}",
        path("runs/classic")
    ));
    let write = |source: &str, columns: &str, more: &str| {
        let spec = format!(
            "name = \"costs\"\ntitle = \"Costs\"\n{more}\n[[source]]\n{source}\n[[table]]\nplace = \"Table 1\"\n\
             title = \"cost\"\nstubs = [\"agent\"]\nrows = [{{ by = \"agent\" }}]\ncolumns = [{columns}]\n\
             [table.cell]\nstat = \"mean\"\nof = \"score\"\ncommand = \"boardroom run beer-game\"\n\
             [[figure]]\nplace = \"Figure 1\"\ntitle = \"cost\"\ndraw = \"dots\"\ntable = \"Table 1\"\n\
             columns = [\"3\"]\n"
        );
        std::fs::write(path("costs.toml"), spec).unwrap();
    };
    let (spec, runs) = (path("costs.toml"), path("runs"));
    let line = [
        "paper", "--spec", &spec, "--runs", &runs, "--format", "json",
    ];
    let game = "environment = \"beer-game\"\n";
    let delays = "{ by = \"delay\" }";
    let labelled = |labels: &str| format!("{game}free = [\"*\"]\nlabels = {{ {labels} }}");
    let right = labelled("delay = \"config.board.ship_delay\"");
    for (source, columns, facts) in [
        (
            "environment = \"beergame\"".to_owned(),
            "{ head = \"3\" }",
            ["beergame", "beer-game"],
        ),
        (
            format!("{game}presets = [\"clasic\"]\nfree = [\"*\"]"),
            "{ head = \"3\" }",
            ["`clasic`", "classic"],
        ),
        (
            format!("{game}free = [\"board.ship_dely\"]"),
            "{ head = \"3\" }",
            ["`free`", "ship_delay"],
        ),
        (
            labelled("delay = \"config.board.ship_dely\""),
            delays,
            ["label `delay`", "ship_delay"],
        ),
        (
            labelled("delay = \"instance.nope\""),
            delays,
            ["label `delay`", "no `nope`"],
        ),
        (
            labelled("delay = \"config.board.ship_delay\"") + "\nfigures = { z = \"state.nope\" }",
            delays,
            ["figure `z`", "no `nope`"],
        ),
        // Values of conditions that no run can have.
        (
            right.clone(),
            "{ head = \"3\", where = { preset = \"clasic\" } }",
            ["label `preset`", "`clasic`"],
        ),
        (
            right.clone(),
            "{ head = \"3\", where = { agent = \"stermann\" } }",
            ["`stermann`", "order-up-to"],
        ),
        (
            format!("{game}policies = [\"stermann\"]"),
            "{ head = \"3\" }",
            ["`stermann`", "order-up-to"],
        ),
        // A column that no value of the label has.
        (
            right.clone(),
            "{ by = \"delay\", list = \"two\" }",
            ["Figure 1", "column `3`"],
        ),
    ] {
        let lists = "[lists]\ntwo = [[\"1\", \"one\"], [\"3\", \"three\"]]";
        write(&source, columns, lists);
        names(&refused(&line, 2), &facts);
    }
    write(&right, delays, "");
    ok(&line.join(" "));

    // `*` frees settings; the presets that the source names stay those of the table.
    let own = format!("{game}presets = [\"random\"]\nfree = [\"*\"]");
    write(&own, "{ head = \"3\" }", "");
    let report = json(&line.join(" "));
    assert_eq!(unused(&report), strings(&["classic"]));
    let (_, cells) = &cells(&report, "Table 1")[0];
    assert_eq!(cells[0]["n"], 4, "{cells:?}");

    // Neither a value that is still to be played nor a setting of a kind of demand that no preset has is a mistake.
    std::fs::remove_dir_all(path("runs/3")).unwrap();
    let more = right.replace("[\"*\"]", "[\"*\", \"demand.units\"]");
    write(&more, delays, "");
    ok(&line.join(" "));
}

/// A published figure for which the spec has no place is named, and fails the check.
#[test]
fn published_figures_without_a_place_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    ok(&format!(
        "run beer-game --preset classic --agent sterman --episodes 1 --out {}",
        path("run")
    ));
    let text = r#"
        name = "costs"
        title = "Costs"
        published = "costs.csv"
        [[source]]
        environment = "beer-game"
        presets = ["classic"]
        [[table]]
        place = "Table 1"
        title = "cost of a game"
        compare = "own"
        stubs = ["agent"]
        rows = [{ by = "agent" }]
        columns = [{ head = "cost", stat = "mean", of = "score" }]
        [table.cell]
        command = "boardroom run beer-game {options} --out RUN"
    "#;
    std::fs::write(path("costs.toml"), text).unwrap();
    let (spec, run) = (path("costs.toml"), path("run"));
    let line = ["paper", "--spec", &spec, "--runs", &run, "--format", "json"];
    let found = |further: &str| {
        let head = "table,row,column,printed,tolerance,expect\nTable 1,sterman,cost,0,1e9,\n";
        std::fs::write(path("costs.csv"), format!("{head}{further}\n")).unwrap();
        let check = call(&[&line[..], &["--check"]].concat());
        (call(&line), check)
    };
    let (told, checked) = found("");
    assert_eq!(
        (told.code, told.err.as_str(), checked.code),
        (0, "", 0),
        "{}",
        checked.err
    );
    for (further, fact) in [
        ("Table 9,sterman,cost,5,,", "Table 1"),
        ("Table 1,nobody,cost,5,,", "sterman"),
        ("Table 1,sterman,nocol,5,,", "cost"),
    ] {
        let (told, checked) = found(further);
        let place = further.trim_end_matches(",5,,").replace(',', ", ");
        assert_eq!((told.code, checked.code), (0, 1), "{further}");
        for text in [&told.err, &checked.err] {
            names(text, &[&place, fact]);
        }
    }
    let (told, _) = found("Table 1,random,cost,abc,,");
    assert_eq!(told.code, 2);
    names(&told.err, &["costs.csv", "Table 1, random, cost", "`abc`"]);

    // The same where no figure is compared, and agents are compared with models of the paper.
    let plain = text.replace("compare = \"own\"", "");
    for rows in ["by = \"agent\"", "by = \"agent\", model = \"agent\""] {
        std::fs::write(&spec, plain.replace("by = \"agent\"", rows)).unwrap();
        let (told, checked) = found("");
        assert_eq!((told.err.as_str(), checked.code), ("", 0), "{rows}");
        let report: Value = serde_json::from_str(&told.out).unwrap();
        let (_, cells) = &cells(&report, "Table 1")[0];
        assert_eq!(cells[0]["published"], "0", "{rows}");
        for row in ["stermann", "GPT-4o"] {
            let (told, checked) = found(&format!("Table 1,{row},cost,5,,"));
            assert_eq!((told.code, checked.code), (0, 1), "{rows} {row}");
            names(&told.err, &[row, "sterman"]);
        }
    }
}

/// One difference has one interval, whether a table or `compare` prints it.
#[test]
fn a_difference_in_pairs_has_the_interval_of_compare() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let spec = r#"
        name = "costs"
        title = "Costs"
        [[source]]
        environment = "beer-game"
        presets = ["random"]
        [[table]]
        place = "Table 1"
        title = "cost of a game"
        stubs = ["agents"]
        rows = [{ is = ["random less sterman"] }]
        columns = [{ head = "difference", stat = "paired", of = "score", where = { player = "random" }, than = { player = "sterman" } }]
        [table.cell]
        command = "boardroom run beer-game {options} --out RUN"
    "#;
    std::fs::write(path("costs.toml"), spec).unwrap();
    for agent in ["sterman", "random"] {
        let out = path(&format!("runs/{agent}"));
        ok(&format!(
            "run beer-game --preset random --agent {agent} --episodes 12 --seed 3 --out {out}"
        ));
    }
    let line = format!(
        "paper --spec {} --runs {}",
        path("costs.toml"),
        path("runs")
    );
    let report = json(&format!("{line} --format json"));
    let (_, cells) = &cells(&report, "Table 1")[0];
    let runs = ["sterman", "random"].map(|agent| path(&format!("runs/{agent}")));
    let compared = json(&format!("compare {} --json", runs.join(" ")));
    let other = &compared["others"][0];
    assert_eq!(
        (&cells[0]["ours"], &cells[0]["ci95"]),
        (&other["difference"], &other["ci95"])
    );
    assert!(other["ci95"].is_array(), "{other}");
}

/// Figures from 0 to 1 have intervals from 0 to 1, and attempts at a case are not further cases.
#[test]
fn intervals_stay_in_range_and_attempts_are_averaged() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for agent in ["reference", "nothing"] {
        let line = format!("run ceo --preset all --agent {agent} --episodes 26");
        ok(&format!("{line} --out {}", path(agent)));
    }
    let runs = format!("{} {}", path("reference"), path("nothing"));
    let report = json(&format!("paper ceo --runs {runs} --format json"));
    let place = "Appendices C.1 to C.4";
    for (labels, cells) in cells(&report, place) {
        for at in [0, 1, 2, 3, 4, 5, 12] {
            let cell = &cells[at];
            let ends: Vec<f64> = cell["ci95"]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect();
            assert!(ends[0] >= 0.0 && ends[1] <= 1.0, "{labels}: {cell}");
        }
    }
    for (_, cells) in cells(&report, "Figure 1d") {
        assert!(cells.iter().all(|cell| cell["n"] == 13), "{cells:?}");
    }
    // Neither agent is a model.
    for (labels, cells) in cells(&report, "Table 12") {
        assert!(cells.iter().all(|cell| cell["ours"].is_null()), "{labels}");
    }
    for (labels, cells) in cells(&report, "Table 10") {
        let grades = cells[1]["shown"].as_str().unwrap();
        assert!(grades.starts_with("2 × "), "{labels}: {grades}");
    }
    let tex = ok(&format!("paper ceo --runs {runs} --format latex"));
    assert!(!tex.contains('`') && tex.contains("\\texttt{older rubric}"));
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
                Some(line) if line.starts_with("cargo ") => None,
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
