//! `qa correlate`, `families`, `weights`, `filter`, `onet`, and `score --official`, on the stored vectors.

use crate::program::{json, names, ok, refused};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

fn vectors(name: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(FIXTURES).join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A vector file that only the shared folder holds; prints `SKIPPED` and returns `None` without it.
fn shared(name: &str) -> Option<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/qa");
    match std::fs::read_to_string(Path::new(folder).join(name)) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            eprintln!("SKIPPED: no vectors {name}");
            None
        }
    }
}

fn write(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

#[track_caller]
fn close(got: &Value, want: &Value, tolerance: f64, what: &str) {
    let (got, want) = (got.as_f64().unwrap(), want.as_f64().unwrap());
    assert!((got - want).abs() <= tolerance, "{what}: {got}, not {want}");
}

/// Tables 15 and 16 of the stored vectors as two tables of CSV.
fn published_tables(dir: &Path) -> String {
    let tables = vectors("published_tables.json");
    let domains = ["FIN", "ECON", "OM", "STAT"];
    let kinds = [("single", 0), ("multiple", 1), ("table", 3), ("general", 4)];
    let mut knowledge = "model".to_owned();
    for domain in domains.map(str::to_lowercase) {
        for (kind, _) in kinds {
            write!(knowledge, ",{domain}/{kind}").unwrap();
        }
    }
    knowledge.push_str("\nn");
    for domain in domains {
        let n = &tables["knowledge_n"][domain];
        write!(knowledge, ",{},{},,", n[0], n[1]).unwrap();
    }
    let mut application = String::new();
    for (model, cells) in tables["table15"].as_object().unwrap() {
        write!(knowledge, "\n{model}").unwrap();
        for domain in domains {
            for (_, place) in kinds {
                write!(knowledge, ",{}", cells[domain][place].as_str().unwrap()).unwrap();
            }
        }
        let row = tables["table16"][model].as_object().unwrap();
        if application.is_empty() {
            let names = row
                .keys()
                .map(|name| name.replace("AT_T_Alg", "AT_T_Algorithm"));
            application = format!("model,{}", names.collect::<Vec<_>>().join(","));
        }
        let cells: Vec<String> = row.values().map(Value::to_string).collect();
        write!(application, "\n{model},{}", cells.join(",")).unwrap();
    }
    let knowledge = write(dir, "knowledge.csv", &knowledge);
    format!(
        "{knowledge} {}",
        write(dir, "application.csv", &application)
    )
}

#[test]
fn correlations_are_those_of_scipy_from_tables_and_from_the_published_ones() {
    let dir = tempfile::tempdir().unwrap();
    let tables = published_tables(dir.path());
    let wanted = vectors("correlation.json");
    let mut compared = 0;
    for source in [tables.as_str(), "--published"] {
        for (coefficient, key) in [
            ("pearson", "pearson"),
            ("spearman", "spearman"),
            ("kendall", "kendall_b"),
        ] {
            for value in ["gpt", "acc", "mean4"] {
                let found = json(&format!(
                    "qa correlate {source} --coefficient {coefficient} --domain-value {value} --json"
                ));
                assert_eq!(list(&found, "models").len(), 23);
                assert_eq!(list(&found, "cells").len(), 84);
                for row in list(&wanted, "table")
                    .iter()
                    .filter(|row| row["domain_value"] == value)
                {
                    let task = row["task"]
                        .as_str()
                        .unwrap()
                        .replace("AT_T_Alg", "AT_T_Algorithm");
                    let same =
                        |cell: &&Value| cell["row"] == task && cell["column"] == row["domain"];
                    let cell = list(&found, "cells").iter().find(same).unwrap();
                    close(&cell["coefficient"], &row[key], 1e-9, &task);
                    close(&cell["p"], &row[format!("{}_p", coefficient)], 1e-9, &task);
                    compared += 2;
                }
            }
        }
    }
    assert_eq!(compared, 2 * 44 * 6);
}

#[test]
fn a_heat_map_is_drawn_and_columns_can_be_named() {
    let dir = tempfile::tempdir().unwrap();
    let svg = dir.path().join("map.svg");
    let text = ok(&format!("qa correlate --published --svg {}", svg.display()));
    // The remarks of the paper on its figure 4: FRM .77 .78 .82 .81, PM_A .85 .86 .90 .89.
    let row = |name: &str| -> Vec<f64> {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name));
        line.unwrap()
            .split_whitespace()
            .skip(1)
            .map(|cell| (cell.parse::<f64>().unwrap() * 100.0).round() / 100.0)
            .collect()
    };
    assert_eq!(row("FRM"), [0.77, 0.78, 0.82, 0.81]);
    assert_eq!(row("PM_A"), [0.85, 0.86, 0.9, 0.89]);
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(
        drawn.starts_with("<svg") && drawn.matches("<rect").count() > 84,
        "{}",
        drawn.len()
    );
    for name in ["AP_A", "AT_T_Strategy", "FIN", "STAT"] {
        assert!(drawn.contains(&format!("\n{name}\n")), "{name}");
    }
    // A second drawing replaces the first, other files are left alone.
    ok(&format!("qa correlate --published --svg {}", svg.display()));
    let notes = write(dir.path(), "notes.txt", "mine\n");
    refused(&["qa", "correlate", "--published", "--svg", &notes], 2);
    // Figure 5: figures of other benchmarks, joined by model.
    let other = write(
        dir.path(),
        "other.csv",
        "model,SWE-bench,size\nGPT-5-2025-08-07,74.9%,big\nGrok3,,big\nLlama3-8B,1,small\n\
         GPT-4.1-2025-04-14,54.6,big\n",
    );
    let line = format!(
        "qa correlate {other} --published --rows SWE-bench --columns knowledge,application"
    );
    let found = json(&format!("{line} --json"));
    let cells = list(&found, "cells");
    assert_eq!((cells.len(), &cells[0]["models"]), (2, &3.into()));
    assert!(cells[0]["coefficient"].as_f64().unwrap() > 0.9);
    let first = &cells[0];
    assert_eq!(
        (&first["row"], &first["column"]),
        (&"SWE-bench".into(), &"knowledge".into())
    );
    assert!(first["p"].is_number(), "{first}");
    let said = refused(&["qa", "correlate", "--published", "--rows", "AIME"], 2);
    names(&said, &["AIME"]);
    refused(&["qa", "correlate"], 2);
}

#[test]
fn family_means_are_those_of_table_3() {
    let found = json("qa families --published --json");
    let tables = vectors("published_tables.json");
    let mut compared = 0;
    for row in list(&tables, "table3") {
        let same = |model: &&Value| model["model"] == row["model"];
        let ours = list(&found, "models").iter().find(same).unwrap();
        for (family, key) in [
            ("accuracy", "accuracy"),
            ("rouge", "rouge"),
            ("judged_label", "gpt_label"),
            ("judged_score", "gpt_score"),
        ] {
            close(
                &ours["families"][family]["value"],
                &row["computed"][key],
                1e-9,
                family,
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 4 * list(&tables, "table3").len());
    let text = ok("qa families --published");
    names(&text, &["GPT-5-2025-08-07", "73.84", "24.30", "8/8"]);
    assert_eq!(list(&found, "models").len(), 23);
}

#[test]
fn weights_are_the_stored_minima() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = vectors("bradley_terry.json");
    for case in list(&vectors, "cases") {
        let mut items = "depth,synthesis,centrality\n".to_owned();
        for item in list(case, "items") {
            writeln!(items, "{},{},{}", item[0], item[1], item[2]).unwrap();
        }
        let mut preferences = "better,worse\n".to_owned();
        for pair in list(case, "preferences") {
            writeln!(preferences, "{},{}", pair[0], pair[1]).unwrap();
        }
        let items = write(dir.path(), "items.csv", &items);
        let preferences = write(dir.path(), "preferences.csv", &preferences);
        let line = format!("qa weights {items} --preferences {preferences}");
        let found = json(&format!("{line} --json"));
        for k in 0..3 {
            close(&found["fit"]["weights"][k], &case["mle"][k], 1e-7, "free");
            close(
                &found["fit"]["normalised"][k],
                &case["mle_normalised"][k],
                1e-7,
                "sum 1",
            );
            close(
                &found["fit"]["simplex"][k],
                &case["simplex_mle"][k],
                1e-4,
                "simplex",
            );
        }
        close(&found["fit"]["loss"], &case["mle_loss"], 1e-7, "loss");
        assert!(found["agreement"].as_f64().unwrap() > 0.6, "{found}");
        names(&ok(&line), &["depth", "0.4", "simplex"]);
    }
    // Rankings give the same pairs; two scores are those of the conversion.
    let items = write(
        dir.path(),
        "items.csv",
        "id,clarity,misconception\na,9,2\nb,3,8\nc,2,3\n",
    );
    let rankings = write(
        dir.path(),
        "rankings.csv",
        "ranking\na>b>c\nb > a > c\nc>a\nc>b\n",
    );
    let found = json(&format!(
        "qa weights {items} --preferences {rankings} --json"
    ));
    assert_eq!(
        (&found["preferences"], &found["questions"]),
        (&8.into(), &3.into())
    );
    assert_eq!(found["published"], serde_json::json!([0.5, 0.5]));
    let unknown = write(dir.path(), "unknown.csv", "better,worse\na,z\n");
    let said = refused(&["qa", "weights", &items, "--preferences", &unknown], 2);
    names(&said, &["unknown.csv", "row 1", "`worse`", "`z`"]);
}

#[test]
fn rejection_recall_at_each_threshold() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = vectors("quality_filter.json");
    let mut items = "A,B,C,rejected\n".to_owned();
    for item in list(&vectors, "recall_items") {
        let rejected = item["rejected_by_experts"].as_bool().unwrap();
        writeln!(
            items,
            "{},{},{},{rejected}",
            item["A"], item["B"], item["C"]
        )
        .unwrap();
    }
    let items = write(dir.path(), "items.csv", &items);
    let thresholds: Vec<String> = list(&vectors, "recall")
        .iter()
        .map(|row| row["T"].to_string())
        .collect();
    let line = format!("qa filter {items} --threshold {}", thresholds.join(","));
    let found = json(&format!("{line} --json"));
    for (got, want) in list(&found, "recall").iter().zip(list(&vectors, "recall")) {
        close(
            &got["rejection_recall"],
            &want["recall_reject"],
            1e-12,
            "recall",
        );
    }
    assert_eq!(list(&found, "recall").len(), 7);
    names(
        &ok(&line),
        &["threshold", "0.90", "rejected by the experts"],
    );
    let bare = write(dir.path(), "bare.csv", "A,B,C\n7,6,9\n7,5.9,9\n");
    let found = json(&format!("qa filter {bare} --json"));
    assert_eq!(
        (&found["kept"], &found["reach_total"]),
        (&1.into(), &2.into())
    );
    refused(&["qa", "filter", &bare, "--threshold", "6"], 2);
}

#[test]
fn shares_and_coverage_are_the_stored_ones() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = vectors("onet.json");
    let mut occupations = "title,category,employment,openings\n".to_owned();
    for row in list(&vectors, "occupations_with_duplicates") {
        let word = |key: &str| row[key].as_str().unwrap();
        let line = format!(
            "{},{},{},{}",
            word("title"),
            word("category"),
            row["employment"],
            row["openings"]
        );
        writeln!(occupations, "{line}").unwrap();
    }
    let mut tasks = String::new();
    for (role, of) in vectors["roles"].as_object().unwrap() {
        for (number, row) in list(of, "relevance").iter().enumerate() {
            let mut line = serde_json::json!({"role": role, "task": format!("task {number}")});
            for (place, cell) in row.as_array().unwrap().iter().enumerate() {
                line[format!("t{place}")] = cell.clone();
            }
            writeln!(tasks, "{line}").unwrap();
        }
    }
    // A task that is listed twice counts once.
    let first = tasks.lines().next().unwrap().to_owned();
    tasks.push_str(&first);
    let occupations = write(dir.path(), "occupations.csv", &occupations);
    let tasks = write(dir.path(), "tasks.jsonl", &tasks);
    let line = format!("qa onet {occupations} --tasks {tasks}");
    let found = json(&format!("{line} --json"));
    for (name, want) in vectors["shares"].as_object().unwrap() {
        for key in ["employment_share", "opening_share"] {
            close(&found["shares"][name][key], &want[key], 1e-9, name);
        }
    }
    let total = &vectors["total_core"];
    close(
        &found["shares"]["total"]["employment_share"],
        &total["employment"],
        1e-9,
        "total",
    );
    for (role, want) in vectors["roles"].as_object().unwrap() {
        let got = &found["coverage"][role];
        assert_eq!(
            got["tasks"].as_u64().unwrap(),
            list(want, "relevance").len() as u64
        );
        close(&got["coverage"], &want["coverage"], 1e-9, role);
        for (place, want) in list(want, "H").iter().enumerate() {
            close(&got["matched"][format!("t{place}")], want, 1e-9, role);
        }
    }
    names(&ok(&line), &["38.76", "95.25", "70.52", "overall"]);
    let bad = write(
        dir.path(),
        "bad.csv",
        "title,category,employment,openings\na,law,1,1\n",
    );
    names(&refused(&["qa", "onet", &bad], 2), &["row 1", "`law`"]);
}

#[test]
fn tat_qa_is_scored_by_its_own_evaluator() {
    let Some(vectors) = shared("tatqa_official.json") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (mut questions, mut answers) = (Vec::new(), serde_json::Map::new());
    for (number, row) in list(&vectors, "rows").iter().enumerate() {
        let uid = format!("q{number}");
        questions.push(serde_json::json!({
            "uid": uid, "answer": row["gold"], "answer_type": row["answer_type"],
            "answer_from": row["answer_from"], "scale": row["gold_scale"],
        }));
        answers.insert(uid, serde_json::json!([row["pred"], row["pred_scale"]]));
    }
    let gold = serde_json::json!([{"table": {}, "paragraphs": [], "questions": questions}]);
    let gold = write(dir.path(), "gold.json", &gold.to_string());
    let given = write(
        dir.path(),
        "answers.json",
        &Value::Object(answers).to_string(),
    );
    let line = format!("score TATQA --official --gold {gold} --predictions {given}");
    let found = json(&format!("{line} --json"));
    let rows = list(&vectors, "rows");
    assert_eq!(
        (&found["n"], &found["missing"]),
        (&rows.len().into(), &0.into())
    );
    for (got, want) in list(&found, "items").iter().zip(rows) {
        for (place, key) in ["exact", "f1", "scale"].into_iter().enumerate() {
            assert_eq!(
                got[key].as_f64(),
                want["em_f1_scale"][place].as_f64(),
                "{key} {want}"
            );
        }
    }
    for place in 0..3 {
        let sum: f64 = rows
            .iter()
            .map(|row| row["em_f1_scale"][place].as_f64().unwrap())
            .sum();
        let mean = found["figures"][place]["value"].as_f64().unwrap();
        assert!((mean - sum / rows.len() as f64).abs() < 1e-12);
    }
    names(
        &ok(&line),
        &["exact match", "f1", "scale", "multi-span", "95 %"],
    );
    refused(
        &[
            "score",
            "FPB",
            "--official",
            "--gold",
            &gold,
            "--predictions",
            &given,
        ],
        2,
    );
    refused(
        &["score", "TATQA", "--official", "--predictions", &given],
        2,
    );
}

#[test]
fn programs_of_finqa_are_scored_by_result_and_by_algebra() {
    let dir = tempfile::tempdir().unwrap();
    let question = |id: u32, program: &str, answer: Value| {
        serde_json::json!({
            "id": id, "table": [["", "2019", "2018"], ["sales", "$1,200", "1000 (a)"]],
            "qa": {"question": "?", "program": program, "exe_ans": answer},
        })
    };
    let gold = serde_json::json!([
        question(0, "subtract(1200, 1000), divide(#0, 1000)", 0.2.into()),
        question(1, "table_sum(sales, none)", 2200.into()),
        question(2, "greater(5, 3)", "yes".into()),
        question(3, "add(1, 2)", 3.into()),
        question(4, "add(2, 2)", 4.into()),
        question(5, "add(1, 1)", 2.into()),
    ]);
    let answers = serde_json::json!([
        // The same by algebra, as tokens.
        {"id": 0, "predicted": ["divide(", "1200", "1000", ")", "divide(", "1000", "1000", ")",
            "subtract(", "#0", "#1", ")", "EOF"]},
        {"id": "1", "prediction": "table_sum(sales, none)"},
        {"id": 2, "prediction": "greater(3, 5)"},
        // The same result by another program.
        {"id": 3, "prediction": "add(2, 1)"},
        {"id": 4, "prediction": "multiply(2, 2)"},
        {"id": 9, "prediction": "add(2, 2)"},
    ]);
    let gold = write(dir.path(), "gold.json", &gold.to_string());
    let given = write(dir.path(), "answers.json", &answers.to_string());
    let line = format!("score FinQA --official --gold {gold} --predictions {given}");
    let found = json(&format!("{line} --json"));
    let flags = |key: &str| -> Vec<bool> {
        list(&found, "items")
            .iter()
            .map(|item| item[key].as_bool().unwrap())
            .collect()
    };
    // The floating result of the first is 0.2 after rounding to five places.
    assert_eq!(flags("execution"), [true, true, false, true, true, false]);
    assert_eq!(flags("program"), [true, true, false, true, false, false]);
    assert_eq!(
        (&found["missing"], &found["unmatched"]),
        (&1.into(), &1.into())
    );
    close(
        &found["figures"][0]["value"],
        &(4.0 / 6.0).into(),
        1e-12,
        "execution",
    );
    names(
        &ok(&line),
        &[
            "execution accuracy",
            "program accuracy",
            "1 missing",
            "1 prediction",
        ],
    );
}

#[test]
fn rouge_lsum_is_a_further_figure() {
    let dir = tempfile::tempdir().unwrap();
    let gold = write(
        dir.path(),
        "gold.json",
        &serde_json::json!([
            {"ID": 1, "Text": "x", "Answer": "a b\nc d"}, {"ID": 2, "Text": "y", "Answer": "e f"},
        ])
        .to_string(),
    );
    let given = write(
        dir.path(),
        "answers.jsonl",
        "{\"id\": 1, \"prediction\": \"c d\\na b\"}\n",
    );
    let line = format!("score EDTSUM --gold {gold} --predictions {given} --json");
    let plain = json(&line);
    assert!(plain["report"]["metrics"].get("rougeLsum_f").is_none());
    let found = json(&format!("{line} --lsum"));
    // The order of lines does not matter; the missing answer counts 0.
    assert_eq!(found["report"]["metrics"]["rougeLsum_f"], 0.5);
    assert_eq!(found["report"]["headline"], plain["report"]["headline"]);
}

/// Result files in the authors' layout: every cell of Table 13 that the stored vectors give, from folders.
#[test]
fn result_files_of_the_authors_are_read_by_their_folders() {
    let Some(vectors) = shared("table13_grid.json") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let cells = list(&vectors, "cells");
    for cell in cells {
        for (domain, rows) in cell["domains"].as_object().unwrap() {
            let (temperature, top_p) = (cell["temperature"].as_f64().unwrap(), &cell["top_p"]);
            let folder: PathBuf = [
                domain,
                "single",
                "llama3-8b-instruct",
                &format!("tem{temperature:.1}"),
                &format!("top_k{top_p}"),
                "evaluation",
            ]
            .iter()
            .fold(dir.path().to_owned(), |path, part| path.join(part));
            std::fs::create_dir_all(&folder).unwrap();
            let mut text = String::new();
            for row in rows.as_array().unwrap() {
                let line = serde_json::json!({
                    "ID": row[0], "Question": "?", "Answer": row[1],
                    "Options": {"A": "a", "B": "b", "C": "c", "D": "d"},
                    "model_evaluation_result": {"model_raw_response": row[2], "model_answer": row[2], "error": null},
                });
                writeln!(text, "{line}").unwrap();
            }
            std::fs::write(folder.join("questions_eval.json"), text).unwrap();
        }
    }
    let line = format!(
        "qa correlate {} --rows econ/single --columns FIN --domain-value acc --json",
        dir.path().display()
    );
    let found = json(&line);
    assert_eq!(list(&found, "models").len(), cells.len());
    assert_eq!(
        found["cells"][0]["models"].as_u64(),
        Some(cells.len() as u64)
    );
    // Every cell that the vectors give is printed to the digit of the paper.
    let report = json(&format!(
        "paper bizcompass --runs {} --format json",
        dir.path().display()
    ));
    let tables = list(&report, "tables");
    let grid = tables
        .iter()
        .find(|table| table["place"] == "Table 13")
        .unwrap();
    for cell in cells {
        let temperature = cell["temperature"].as_f64().unwrap();
        let top_p = if temperature > 0.0 {
            cell["top_p"].to_string()
        } else {
            "any".to_owned()
        };
        let labels = serde_json::json!([temperature.to_string(), top_p]);
        let row = list(grid, "rows")
            .iter()
            .find(|row| row["labels"] == labels)
            .unwrap();
        let ours = &row["cells"][0];
        close(&ours["ours"], &cell["pooled_percent"], 1e-9, "pooled");
        assert_eq!(ours["shown"], ours["published"], "{labels}");
        assert_eq!(
            ours["published"],
            format!("{:.2}", cell["paper_percent"].as_f64().unwrap())
        );
        assert!(ours["ci95"][0].as_f64() < ours["ours"].as_f64());
    }
}

/// The tables of the paper from tables of one's own and without any run: printed figures, commands, slips.
#[test]
fn the_paper_is_filled_from_tables_and_names_its_slips() {
    let dir = tempfile::tempdir().unwrap();
    let occupations = write(
        dir.path(),
        "occupations.csv",
        "title,category,employment,openings\na,analysis,3,1\nb,none,1,1\na,analysis,3,1\n",
    );
    let tasks = write(
        dir.path(),
        "tasks.csv",
        "role,task,asset pricing,algorithmic trading,strategy development\n\
         trading,one,yes,no,no\ntrading,two,no,no,no\n",
    );
    let items = write(
        dir.path(),
        "items.csv",
        "id,depth,synthesis,centrality,rejected\na,9,5,4,no\nb,4,8,6,no\nc,5,4,9,yes\nd,7,7,7,yes\n",
    );
    let preferences = write(
        dir.path(),
        "preferences.csv",
        "ranking\na>b>c\nb>a>d\nd>c>a\nc>b\nd>a\na>c\nb>d\n",
    );
    let other = write(
        dir.path(),
        "other.csv",
        "model,SWE-bench\nGPT-5-2025-08-07,74.9\nGrok3,50\nLlama3-8B,1\nGPT-4.1-2025-04-14,54.6\n",
    );
    let out = dir.path().join("out").display().to_string();
    let said = ok(&format!(
        "paper bizcompass --tables {occupations} {tasks} {items} {preferences} {other} --out {out}"
    ));
    names(
        &said,
        &[
            "paper.md",
            "tables.csv",
            "tables.tex",
            "figure-4.svg",
            "figure-5.svg",
        ],
    );
    let read = |name: &str| std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
    let page = read("paper.md");
    for table in ["2", "3", "4", "13", "15", "16", "17", "18"] {
        names(&page, &[format!("## Table {table}: ")]);
    }
    names(
        &page,
        &[
            "exchanged",
            "33.48",
            "612 of 1,875",
            "73.84",
            "| analysis | 75.00, paper 33.60 | 50.00, paper 30.72 |",
        ],
    );
    names(
        &page,
        &[
            "| trading | asset pricing | 50.00, paper 30.40 |",
            "| rejection recall | 0.50, paper 0.90 |",
        ],
    );
    let csv = read("tables.csv");
    // Every printed cell of Table 13, the first row for all top-p.
    let cells: Vec<&str> = csv
        .lines()
        .filter(|line| line.contains(",Table 13,"))
        .collect();
    assert_eq!(cells.len(), 2 * 17);
    for (row, printed) in [
        ("0 · any", "32.73"),
        ("0.6 · 0.6", "33.16"),
        ("0.8 · 0.95", "35.93"),
    ] {
        let has = |line: &&str| {
            line.contains(&format!(",{row},runs,single choice %,")) && line.contains(printed)
        };
        assert!(cells.iter().any(has), "{row}");
    }
    // The 23 models of Tables 15 and 16 with the digits of the paper.
    assert_eq!(
        csv.lines()
            .filter(|line| line.contains(",Table 15,"))
            .count(),
        24 * 20
    );
    assert_eq!(
        csv.lines()
            .filter(|line| line.contains(",Table 16,"))
            .count(),
        24 * 27
    );
    names(
        &csv,
        &[
            "GPT-4.1-2025-04-14,paper,FIN TableQA,,,,,,4.950,",
            "Grok3,paper,FRM,,,,,,66.44,",
        ],
    );
    refused(&["paper", "ceo", "--tables", &items], 2);
    let notes = write(dir.path(), "notes.csv", "word\nmine\n");
    refused(&["paper", "bizcompass", "--tables", &notes], 2);
}
