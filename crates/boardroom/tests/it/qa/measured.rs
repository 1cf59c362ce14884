//! Figures of models from runs, result files and tables: the unit is the question, and what differs has a name.

use super::model::Model;
use crate::program::{json, names, ok, refused};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/qa/application");

fn write(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A result file in the authors' layout, in which the first `right` of four answers are right.
fn results(dir: &Path, at: &str, right: usize) {
    let mut text = String::new();
    for id in 0..4 {
        let given = if id < right { "A" } else { "B" };
        let line = serde_json::json!({
            "ID": id, "Question": "?", "Answer": "A", "Options": {"A": "a", "B": "b", "C": "c", "D": "d"},
            "model_evaluation_result": {"model_raw_response": given, "model_answer": given, "error": null},
        });
        writeln!(text, "{line}").unwrap();
    }
    write(dir, &format!("{at}/evaluation/questions_eval.json"), &text);
}

/// The row of Table 13 at temperature 0 with any top-p: its cell of single choice.
fn cold(report: &Value) -> Value {
    let tables = report["tables"].as_array().unwrap();
    let table = tables.iter().find(|it| it["place"] == "Table 13").unwrap();
    table["rows"][0]["cells"][0].clone()
}

#[test]
fn answers_without_sampling_count_their_questions_once() {
    let dir = tempfile::tempdir().unwrap();
    for (top_p, right) in [("0.6", 1), ("0.8", 2), ("0.9", 2), ("0.95", 3)] {
        results(
            dir.path(),
            &format!("Fin/single/m/tem0/top_k{top_p}"),
            right,
        );
    }
    let place = dir.path().display();
    let report = json(&format!("paper bizcompass --runs {place} --format json"));
    let cell = cold(&report);
    assert_eq!((&cell["n"], &cell["ours"]), (&4.into(), &50.0.into()));
    let ends = [0, 1].map(|at| cell["ci95"][at].as_f64().unwrap());
    assert!(ends[0] >= 0.0 && ends[1] <= 100.0, "{cell}");
    // The four ways of sampling stay apart everywhere else.
    let found = json(&format!(
        "qa correlate {place} --rows fin/single --columns FIN --domain-value acc --json"
    ));
    assert_eq!(found["models"].as_array().unwrap().len(), 4);
}

/// The letters stored in a file come from the published inference, which misreads replies: the replies count,
/// except in Table 13. What is set aside and where the provider failed is said.
#[test]
fn replies_count_and_what_is_set_aside_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = |at: &str, records: &[(Value, &str, Value)]| {
        let mut text = String::new();
        for (id, (right, reply, stored)) in records.iter().enumerate() {
            let line = serde_json::json!({
                "ID": id, "Question": "?", "Answer": right,
                "Options": {"A": "a", "B": "b", "C": "c", "D": "d"},
                "model_evaluation_result":
                    {"model_raw_response": reply, "model_answer": stored, "error": null},
            });
            writeln!(text, "{line}").unwrap();
        }
        let at = format!("{at}/tem0.2/top_k0.6/evaluation/questions_eval.json");
        write(dir.path(), &at, &text);
    };
    let letters = |text: &str| -> Value { text.chars().map(String::from).collect() };
    let one = |right: &str, reply, stored: &str| (right.into(), reply, stored.into());
    let long = "Option A) is wrong, option C) as well.\n\nAB";
    let misread = || (letters("AB"), long, letters("AC"));
    let model = "claude-opus-4-20250514";
    file(
        &format!("Fin/multiple/{model}"),
        &[
            misread(),
            misread(),
            misread(),
            (letters(""), "D", letters("D")),
        ],
    );
    file(
        &format!("Fin/single/{model}"),
        &[one("B", "It is not C.\n\nB", "C"), one("A", "A", "A")],
    );
    let failed = || (letters("A"), "", Value::from("Error_503"));
    let aside = (letters(""), "", Value::from("Error_503"));
    file("Fin/multiple/broken", &[failed(), failed(), aside]);
    let place = dir.path().display();
    let report = json(&format!("paper bizcompass --runs {place} --format json"));
    let tables = report["tables"].as_array().unwrap();
    let table = |place: &str| tables.iter().find(|it| it["place"] == place).unwrap();
    let cell = |place: &str, model: &str, column: &str| {
        let table = table(place);
        let columns = table["columns"].as_array().unwrap();
        let at = columns.iter().position(|name| name == column).unwrap();
        let mut rows = table["rows"].as_array().unwrap().iter();
        let row = rows.find(|row| row["labels"][0].as_str().unwrap().starts_with(model));
        row.unwrap()["cells"][at].clone()
    };
    let multiple = cell("Table 15", model, "FIN MC. %");
    assert_eq!(
        (&multiple["ours"], &multiple["n"]),
        (&100.0.into(), &3.into())
    );
    assert_eq!(multiple["published"], "81.21", "the row of Claude 4 Opus");
    let broken = cell("Table 15", "broken", "FIN MC. %");
    assert_eq!(broken["shown"], "provider errors only");
    assert!(broken["ours"].is_null(), "{broken}");
    // Table 13 counts what the authors counted.
    let grid = table("Table 13")["rows"].as_array().unwrap();
    let cold = grid
        .iter()
        .find(|row| row["labels"] == serde_json::json!(["0.2", "0.6"]));
    assert_eq!(cold.unwrap()["cells"][0]["ours"], 50.0);
    let said = [
        "fin/multiple: 2 answers in 2 sources to questions without a right answer set aside and not \
         counted (question 2, 3)",
        "broken: 2 of 2 answers are errors of the provider (100.00 %)",
        "provider errors only, so no figure: knowledge/fin/multiple",
    ];
    names(&tables[0]["notes"].to_string(), &said);
    // The same figures and notes in the other commands.
    let found = json(&format!(
        "qa correlate {place} --rows fin/multiple --columns FIN --domain-value acc --json"
    ));
    assert_eq!(found["models"], serde_json::json!([model]));
    names(&found["notes"].to_string(), &said);
}

/// Grids of Table 13: the model of the paper comes first, a grid without a figure is left out, and figures with many
/// errors of the provider say so.
#[test]
fn grids_begin_with_the_model_of_the_paper_and_mark_errors() {
    let dir = tempfile::tempdir().unwrap();
    let error = |id: u32, said: &str| {
        let text = serde_json::json!({
            "ID": id, "Question": "?", "Answer": "A", "Options": {"A": "a", "B": "b", "C": "c", "D": "d"},
            "model_evaluation_result": {"model_raw_response": said, "model_answer": said, "error": null},
        });
        format!("{text}\n")
    };
    for top_p in ["0.6", "0.8"] {
        for model in ["Aya-8B", "Llama3-8B"] {
            results(
                dir.path(),
                &format!("Fin/single/{model}/tem0.2/top_k{top_p}"),
                2,
            );
        }
        for (model, answers) in [
            ("broken", ["Error_503"; 4]),
            ("Often", ["A", "A", "A", "Error_429: later"]),
        ] {
            let lines: String = (0..)
                .zip(answers)
                .map(|(id, said)| error(id, said))
                .collect();
            let place =
                format!("Fin/single/{model}/tem0.2/top_k{top_p}/evaluation/questions_eval.json");
            write(dir.path(), &place, &lines);
        }
    }
    let report = json(&format!(
        "paper bizcompass --runs {} --format json",
        dir.path().display()
    ));
    let tables = report["tables"].as_array().unwrap();
    let grids: Vec<&Value> = tables
        .iter()
        .filter(|it| it["place"] == "Table 13")
        .collect();
    let titles: Vec<&str> = grids
        .iter()
        .map(|it| it["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles.len(), 3, "{titles:?}");
    assert!(
        titles[0].contains("Llama3-8B,") || titles[0].contains(", Llama3-8B"),
        "{titles:?}"
    );
    assert!(
        titles.iter().all(|title| !title.contains("broken")),
        "{titles:?}"
    );
    names(&grids[0]["notes"].to_string(), &["Left out", "broken"]);
    let marked = |grid: &Value| {
        let rows = grid["rows"].as_array().unwrap();
        let mut cells = rows.iter().flat_map(|row| row["cells"].as_array().unwrap());
        cells.any(|cell| cell["remark"] == "25 % provider errors")
    };
    let of = |name: &str| {
        grids
            .iter()
            .find(|it| it["title"].as_str().unwrap().contains(name))
    };
    assert!(marked(of("Often").unwrap()));
    assert!(!marked(of("Aya").unwrap()));
}

#[test]
fn a_folder_and_its_parent_hold_the_same_files() {
    let dir = tempfile::tempdir().unwrap();
    results(dir.path(), "all/Fin/single/m/tem0/top_k0.6", 3);
    let parent = dir.path().join("all").display().to_string();
    let alone = json(&format!("paper bizcompass --runs {parent} --format json"));
    let twice = json(&format!(
        "paper bizcompass --runs {parent} {parent}/Fin --format json"
    ));
    assert_eq!(cold(&twice), cold(&alone));
    assert_eq!(cold(&twice)["n"], 4);
    let notes = twice["tables"][0]["notes"].to_string();
    names(&notes, &["1 result file", "Fin"]);
    // Another file of the same model, task and sampling is not the same file.
    results(dir.path(), "copy/Fin/single/m/tem0/top_k0.6", 3);
    let copy = dir.path().join("copy").display().to_string();
    let said = refused(&["paper", "bizcompass", "--runs", &parent, &copy], 2);
    names(&said, &["all", "copy"]);
}

/// Runs the task FPB, and scores of models by setting.
#[test]
fn runs_with_other_settings_are_other_models() {
    let model = Model::start(|_| Ok("positive".to_owned()));
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let run = format!("run qa --data {DATA} --agent openai:m --method direct --json");
    for (name, more) in [
        ("plain", "--task FPB,FRM"),
        ("shots", "--task FPB,FRM --shots 1"),
        ("letters", "--task FRM --letters api"),
    ] {
        model.json(&format!("{run} {more} --out {}", out(name)));
    }
    let all = [out("plain"), out("shots"), out("letters")].join(" ");
    let found = json(&format!("qa families {all} --json"));
    // An example is not asked, so a run with examples has other questions, and the names say so.
    let mut asked = BTreeSet::new();
    let shown: Vec<String> = found["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let name = row["model"].as_str().unwrap();
            let (before, after) = name.split_once("questions of ").unwrap();
            let (questions, after) = after.split_once(", ").unwrap();
            asked.insert(questions.to_owned());
            format!("{before}{after}")
        })
        .collect();
    assert_eq!(asked.len(), 4, "two of each task: {asked:?}");
    // The reading of letters does not concern FPB.
    let expected = [
        "openai:m direct (shots 0)",
        "openai:m direct (letters of the rules, shots 0)",
        "openai:m direct (shots 1)",
        "openai:m direct (letters of the rules, shots 1)",
        "openai:m direct (letters api, shots 0)",
    ];
    for name in expected {
        assert!(shown.iter().any(|it| it == name), "{name}: {shown:?}");
    }
    assert_eq!(shown.len(), expected.len(), "{shown:?}");
    // A run that is named twice is one run.
    let plain = out("plain");
    let once = json(&format!("qa families {plain} --json"));
    assert_eq!(json(&format!("qa families {plain} {plain} --json")), once);
    assert_eq!(once["models"][0]["model"], "openai:m direct");
}

#[test]
fn a_mean_over_some_tasks_is_marked_and_its_interval_stays_in_range() {
    let model = Model::start(|_| Ok("positive".to_owned()));
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    let run = format!("run qa --data {DATA} --task CCFraud,FPB --agent openai:m --method direct");
    model.json(&format!("{run} --json --out {out}"));
    let text = ok(&format!("qa families {out}"));
    let row = text
        .lines()
        .find(|line| line.contains("openai:m direct"))
        .unwrap();
    let cells: Vec<&str> = row
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect();
    names(cells[1], &["(2 of 8 tasks)"]);
    assert_eq!(cells[2..5], ["-", "-", "2/8"], "{row}");
    let report = json(&format!("paper bizcompass --runs {out} --format json"));
    let tables = report["tables"].as_array().unwrap();
    let table = tables.iter().find(|it| it["place"] == "Table 3").unwrap();
    let cell = &table["rows"][0]["cells"][0];
    assert!(cell["ours"].is_null() && cell["ci95"].is_null(), "{cell}");
    names(cell["shown"].as_str().unwrap(), &["2 of 8 tasks"]);
}

/// A model with one task changes neither the others' weighted scores nor their correlation.
#[test]
fn a_model_with_few_tasks_is_left_out_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let other =
        "model,SWE-bench\nGPT-5-2025-08-07,74.9\nGrok3,50\nLlama3-8B,1\nGPT-4.1-2025-04-14,54.6\n";
    let rich = write(dir.path(), "other.csv", other);
    let poor = write(
        dir.path(),
        "poor.csv",
        "model,FRM,fin/single,SWE-bench\npoor,10,99,80\n",
    );
    let line = "qa correlate --published --rows SWE-bench --columns knowledge,application,FIN";
    let alone = json(&format!("{line} {rich} --json"));
    let found = json(&format!("{line} {rich} {poor} --json"));
    assert_eq!(found["cells"], alone["cells"]);
    assert_eq!(found["cells"][0]["models"], 4);
    for column in ["knowledge", "application"] {
        assert_eq!(found["left_out"][column], serde_json::json!(["poor"]));
    }
    // The head counts the models that are used, and every table says whom it lacks.
    let text = ok(&format!("{line} {rich} {poor}"));
    names(
        &text,
        &[
            "over 4 models",
            "the paper has no figure of poor",
            "and 12 more",
        ],
    );
    assert_eq!(found["absent"]["the paper"], serde_json::json!(["poor"]));
    assert_eq!(found["absent"][rich.as_str()].as_array().unwrap().len(), 20);
}

#[test]
fn a_second_table_of_a_kind_is_refused_with_both_names() {
    let dir = tempfile::tempdir().unwrap();
    let text = "title,category,employment,openings\na,analysis,3,1\n";
    let first = write(dir.path(), "first.csv", text);
    let second = write(dir.path(), "second.csv", text);
    let said = refused(&["paper", "bizcompass", "--tables", &first, &second], 2);
    names(&said, &["first.csv", "second.csv", "occupations"]);
}

#[test]
fn messages_name_the_file_and_the_tasks_at_fault() {
    let dir = tempfile::tempdir().unwrap();
    let scores = "id,depth,synthesis,centrality\na,1,0,0\nb,0,1,0\nc,0,0,1\n";
    let items = write(dir.path(), "items.csv", scores);
    let cycle = write(dir.path(), "cycle.csv", "better,worse\na,b\nb,a\n");
    let said = refused(&["qa", "weights", &items, "--preferences", &cycle], 2);
    assert!(
        said.contains("cycle.csv") && !said.contains("items.csv"),
        "{said}"
    );
    let said = refused(
        &[
            "run", "qa", "--data", DATA, "--task", "single", "--agent", "openai:m",
        ],
        2,
    );
    names(&said, &["knowledge/fin/single", "knowledge/stat/single"]);
    let occupations = write(
        dir.path(),
        "occupations.csv",
        "title,category,employment,openings\na,analysis,3,1\n",
    );
    for form in ["", " --json"] {
        let text = ok(&format!("qa onet {occupations}{form}"));
        assert!(!text.contains("-0"), "{text}");
    }
}

#[test]
fn rules_of_scoring_are_shown_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let given = "{\"id\": 1, \"prediction\": \"Answer: A\"}\n";
    let given = write(dir.path(), "given.jsonl", given);
    let line = format!("score FRM --gold {DATA} --predictions {given}");
    assert!(
        json(&format!("{line} --json"))["report"]
            .get("letters")
            .is_none()
    );
    let found = json(&format!("{line} --letters published --json"));
    assert_eq!(found["report"]["letters"], "published");
    names(
        &ok(&format!("{line} --letters published")),
        &["letters published"],
    );
    let base = ["score", "FRM", "--gold", DATA, "--predictions", &given];
    names(
        &refused(&[&base[..], &["--lsum"]].concat(), 2),
        &["--lsum", "EDTSUM"],
    );
    let label = ["score", "FPB", "--gold", DATA, "--predictions", &given];
    names(
        &refused(&[&label[..], &["--letters", "api"]].concat(), 2),
        &["--letters"],
    );
}

/// Options in fields of their own are shown to the model, and the letter of a label is the label.
#[test]
fn options_in_fields_of_their_own_are_asked() {
    let model = Model::start(|asked| {
        let has_options = asked.text.contains("A. negative\nB. positive\nC. neutral");
        Ok(if has_options { "positive" } else { "neutral" }.to_owned())
    });
    let dir = tempfile::tempdir().unwrap();
    let text = r#"[{"ID": 1, "sentence": "Sales grew .", "A": "negative", "B": "positive", "C": "neutral", "label": "B"}]"#;
    let data = write(dir.path(), "FPB.json", text);
    let run = format!("run qa --data {data} --task FPB --agent openai:m --method direct --json");
    let found = model.json(&run);
    assert_eq!(found["figures"][0]["headline"]["value"], 1.0, "{found}");
}
