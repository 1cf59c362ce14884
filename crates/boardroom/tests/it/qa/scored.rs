//! `boardroom score`.

use crate::program::{json, names, ok, refused, sandbox, without_saving};
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

fn score(words: &str) -> serde_json::Value {
    json(&format!("score {words} --json"))
}

fn write(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn labels_are_scored_with_interval_and_baselines() {
    let words = format!("FPB --predictions {SAMPLES}/predictions/FPB.csv --gold {SAMPLES}");
    let scored = score(&words);
    let report = &scored["report"];
    assert_eq!(report["task"], "application/FPB");
    assert_eq!(
        (&report["n"], &report["headline"]["value"]),
        (&4.into(), &1.0.into())
    );
    assert_eq!(report["classes"]["majority_label"], "positive");
    assert_eq!(report["classes"]["majority_accuracy"], 0.5);
    let paper = score(&format!("{words} --profile paper"));
    assert_eq!(
        paper["report"]["headline"]["value"], 0.75,
        "`negative, clearly` does not count as a label"
    );
    assert!(
        paper["report"]["headline"]["interval"]["low"]
            .as_f64()
            .unwrap()
            < 0.75
    );
    let text = ok(&format!("score {words} --profile paper"));
    let parts = [
        "paper",
        "95 %",
        "baseline",
        "balanced accuracy",
        "no answer 1",
    ];
    names(&text, &parts);
    for profile in ["strict", "authors", "bizbench"] {
        let scored = score(&format!("{words} --profile {profile}"));
        assert_eq!(scored["report"]["profile"], profile);
    }
}

#[test]
fn programs_are_run_and_what_cannot_be_run_is_counted_apart() {
    if sandbox().is_none() {
        return;
    }
    let words = format!(
        "finance/FinCode --predictions {SAMPLES}/predictions/FinCode.jsonl --gold \
         {SAMPLES}/finance/FinCode.jsonl"
    );
    let scored = score(&words);
    assert_eq!(
        scored["report"]["headline"]["value"]
            .as_f64()
            .map(|v| (v * 6.0).round()),
        Some(5.0)
    );
    let dir = tempfile::tempdir().unwrap();
    let code = |code: &str| serde_json::json!(format!("```python\n{code}\n```"));
    let lines = [
        (0, "coupon = 6\nprice = 80\nanswer = coupon / price * 100"),
        (1, "import no_such_module\nno_such_module.total([6000.0])"),
        (2, "import os\nos.system('echo 3359.79')"),
        (3, "while True:\n    pass\n1"),
    ]
    .map(|(id, text)| format!("{{\"id\": {id}, \"prediction\": {}}}\n", code(text)))
    .concat();
    let path = write(dir.path(), "answers.jsonl", &lines);
    let gold = format!("{SAMPLES}/finance/FinCode.jsonl");
    let report = score(&format!("FinCode --predictions {path} --gold {gold}"))["report"].clone();
    assert_eq!(
        report["outcomes"],
        serde_json::json!({"right": 1, "wrong": 2, "missing": 2, "unsupported": 1})
    );
    assert_eq!(report["metrics"]["accuracy_supported"], 0.2);
    let share = report["metrics"]["unsupported_share"].as_f64().unwrap();
    assert!((share - 1.0 / 6.0).abs() < 1e-12, "{share}");
    let printed = ok(&format!("score FinCode --predictions {path} --gold {gold}"));
    assert!(
        printed.contains("1 program (16.7 %) could not be run: import no_such_module (1)"),
        "{printed}"
    );
    let report = score(&format!(
        "FinCode --predictions {path} --gold {gold} --python none"
    ))["report"]
        .clone();
    assert_eq!(report["outcomes"]["unsupported"], 4);
    // The table of a CodeTAT-QA item is available as `df`.
    let answer = serde_json::json!({"id": 0, "prediction":
        "```python\nanswer = df['Grain sales']['2022'] - df['Grain sales']['2021']\n```"});
    let path = write(dir.path(), "tables.jsonl", &answer.to_string());
    let report =
        score(&format!("CodeTAT-QA --predictions {path} --gold {SAMPLES}"))["report"].clone();
    assert_eq!(report["outcomes"]["right"], 1);
    // A function body is correct if its function returns what the reference returns.
    let body = serde_json::json!({"id": 0, "prediction": "```python\n    return years * rate * principal\n```"});
    let wrong =
        serde_json::json!({"id": 1, "prediction": "```python\n    return fixed_cost / price\n```"});
    let path = write(dir.path(), "bodies.jsonl", &format!("{body}\n{wrong}\n"));
    let report = score(&format!(
        "FormulaEval --predictions {path} --gold {SAMPLES}"
    ))["report"]
        .clone();
    assert_eq!(
        report["outcomes"],
        serde_json::json!({"right": 1, "wrong": 1, "missing": 3})
    );
}

/// Without Python programs count apart from wrong ones, and the reason is printed once; who asks for Python is refused.
#[test]
fn programs_without_python_are_unsupported() {
    let dir = tempfile::tempdir().unwrap();
    let [gold, replies] = ["gold.jsonl", "replies.jsonl"].map(|name| dir.path().join(name));
    let item = serde_json::json!({"question": "The current yield?", "answer": "7.5", "task": "FinCode",
        "context": "c", "context_type": null, "options": null, "program": null});
    let program =
        "```python\ntotal = 0\nfor part in (3, 4.5):\n    total += part\nprint(total)\n```";
    let reply = serde_json::json!({"id": "0", "prediction": program});
    std::fs::write(&gold, item.to_string()).unwrap();
    std::fs::write(&replies, reply.to_string()).unwrap();
    let words = format!(
        "score finance/FinCode --predictions {} --gold {} --json",
        replies.display(),
        gold.display()
    );
    let call = |more: &[&str]| {
        let words: Vec<&str> = words
            .split_whitespace()
            .chain(more.iter().copied())
            .collect();
        without_saving(&words).env("PATH", "").output().unwrap()
    };
    let scored = call(&[]);
    let said = String::from_utf8(scored.stderr).unwrap();
    assert!(scored.status.success(), "{said}");
    assert_eq!(said.matches("python3").count(), 1, "{said}");
    let report: serde_json::Value = serde_json::from_slice(&scored.stdout).unwrap();
    assert_eq!(report, json(&format!("{words} --python none")));
    let outcomes = &report["report"]["outcomes"];
    assert!(outcomes["unsupported"].as_u64().unwrap() > 0, "{outcomes}");
    assert!(outcomes["wrong"].is_null(), "{outcomes}");
    let refused = call(&["--python", "system"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty());
}

#[test]
fn a_table_has_a_cell_for_each_pair() {
    let dir = tempfile::tempdir().unwrap();
    let labels = write(
        dir.path(),
        "labels.jsonl",
        "{\"id\": \"FPB:test:1\", \"capability\": \"Domain Knowledge\", \"difficulty\": 2}\n\
         {\"id\": 2, \"capability\": \"Domain Knowledge\", \"difficulty\": 9}\n\
         {\"id\": 3, \"capability\": \"Information Extraction\", \"difficulty\": 5}\n",
    );
    let words = format!(
        "FPB --predictions {SAMPLES}/predictions/FPB.csv --gold {SAMPLES} --labels {labels} \
         --profile paper"
    );
    let cells = score(&format!("{words} --by capability,difficulty"))["cells"].clone();
    let row = |cell: &serde_json::Value| {
        (
            cell["capability"].as_str().unwrap_or("-").to_owned(),
            cell["bucket"].as_str().unwrap_or("-").to_owned(),
            cell["n"].as_u64().unwrap(),
            cell["mean"].as_f64().unwrap(),
        )
    };
    let rows: Vec<_> = cells.as_array().unwrap().iter().map(row).collect();
    let cell = |a: &str, b: &str, n, mean| (a.to_owned(), b.to_owned(), n, mean);
    assert_eq!(
        rows,
        [
            cell("-", "-", 1, 1.0),
            cell("Information Extraction", "-", 1, 1.0),
            cell("Domain Knowledge", "easy", 1, 1.0),
            cell("Domain Knowledge", "hard", 1, 0.0),
        ]
    );
    let text = ok(&format!("score {words} --by capability"));
    let row = |line: &&str| line.trim_start().starts_with("Domain Knowledge ");
    let row = text.lines().find(row).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>()[2..4],
        ["2", "0.5000"]
    );
    let words: Vec<&str> = words.split(" --labels").collect();
    let words = format!("score {} --by difficulty", words[0]);
    let error = refused(&words.split_whitespace().collect::<Vec<_>>(), 2);
    names(&error, &["--labels"]);
}

#[test]
fn a_published_result_file_brings_its_own_right_answers() {
    let file = format!("{SAMPLES}/results/questions_eval.json");
    let replies = score(&format!("knowledge/fin/single --predictions {file}"))["report"].clone();
    let stored = score(&format!(
        "knowledge/fin/single --predictions {file} --stored"
    ))["report"]
        .clone();
    assert_eq!(replies["n"], stored["n"]);
    assert_eq!(replies["outcomes"]["provider_error"], 1);
    let error = refused(&["score", "FRM", "--predictions", &file], 2);
    names(&error, &["--gold"]);
}

#[test]
fn wrong_words_are_answered_with_what_would_be_right() {
    let nowhere = format!("{SAMPLES}/nowhere.jsonl");
    let answers = format!("{SAMPLES}/predictions/FPB.csv");
    for (words, part) in [
        (
            vec!["score", "poetry", "--predictions", "x"],
            "knowledge/fin/single",
        ),
        (
            vec!["score", "FPB", "--predictions", &nowhere, "--gold", SAMPLES],
            "nowhere.jsonl",
        ),
        (
            vec![
                "score",
                "SECQUE",
                "--predictions",
                &answers,
                "--gold",
                SAMPLES,
            ],
            "SECQUE",
        ),
        (
            vec![
                "score",
                "FPB",
                "--predictions",
                &answers,
                "--profile",
                "kind",
            ],
            "bizbench",
        ),
        (
            vec![
                "score",
                "FPB",
                "--predictions",
                &answers,
                "--gold",
                SAMPLES,
                "--judge",
                "me",
            ],
            "openai:MODEL",
        ),
    ] {
        names(&refused(&words, 2), &[part]);
    }
}

/// Identifiers and answers of four items in the forms of other programs; the first line says how many have an answer.
#[test]
fn files_of_other_programs_are_joined_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let labels = ["positive", "negative", "neutral", "positive"];
    let items = (1..).zip(labels);
    let gold: Vec<_> = items
        .map(|(id, label)| serde_json::json!({"ID": id, "sentence": "s", "label": label}))
        .collect();
    let gold = write(dir.path(), "FPB.json", &serde_json::json!(gold).to_string());
    let accuracy = |name: &str, text: &str| {
        let answers = write(dir.path(), name, text);
        let words = format!("FPB --predictions {answers} --gold {gold}");
        let printed = ok(&format!("score {words}"));
        let first = printed.lines().next().unwrap_or_default();
        let report = score(&words)["report"].clone();
        let matched = report["matched"].as_u64().unwrap();
        assert!(
            first.contains(&format!("4 items, {matched} in the file of answers")),
            "{first}"
        );
        (matched, report["headline"]["value"].as_f64().unwrap())
    };
    let rows = |before: &str, between: &str| {
        let rows = (1..).zip(labels);
        rows.map(|(id, label)| format!("{before}{id}{between}{label}\r\n"))
            .collect::<String>()
    };
    assert_eq!(
        accuracy("pandas.csv", &format!("id,answer\r\n{}", rows("", ".0,"))),
        (4, 1.0)
    );
    assert_eq!(
        accuracy(
            "excel.csv",
            &format!("\u{feff}id;answer\r\n{}", rows("", ";"))
        ),
        (4, 1.0)
    );
    assert_eq!(
        accuracy("answers.tsv", &format!("id\tanswer\r\n{}", rows("", "\t"))),
        (4, 1.0)
    );
    let map = r#"{"1":"positive","2":"negative","3":"neutral","4":"positive"}"#;
    assert_eq!(accuracy("plain.json", map), (4, 1.0));
    let batch = r#"{"custom_id":"1","response":{"status_code":200,"body":{"choices":[{"message":{"content":"positive"}}]}}}"#;
    assert_eq!(accuracy("batch.jsonl", batch), (1, 0.25));
    let harness =
        r#"{"doc_id":2,"doc":{"q":"x"},"resps":[["neutral"]],"filtered_resps":["neutral"]}"#;
    assert_eq!(accuracy("samples.jsonl", harness), (1, 0.25));
    let padded = write(
        dir.path(),
        "padded.csv",
        &format!("id,answer\n{}", rows("00", ",")),
    );
    let said = refused(
        &["score", "FPB", "--predictions", &padded, "--gold", &gold],
        2,
    );
    names(&said, &["0 of 4", "`001`", "`1`"]);
    // Lines that were left out are in the error too, which shows no notes.
    let gaps = write(
        dir.path(),
        "gaps.csv",
        "prediction\npositive\n\n\n\nneutral\n",
    );
    let said = refused(
        &["score", "FPB", "--predictions", &gaps, "--gold", &gold],
        2,
    );
    names(&said, &["0 of 4", "3, 4, 5"]);
    let other = write(dir.path(), "other.parquet", "PAR1....");
    let said = refused(
        &["score", "FPB", "--predictions", &other, "--gold", &gold],
        2,
    );
    names(&said, &["Parquet"]);
}

#[test]
fn right_answers_that_rouge_cannot_count_are_remarked() {
    let dir = tempfile::tempdir().unwrap();
    let gold = write(
        dir.path(),
        "EDTSUM.json",
        r#"[{"ID": 1, "Text": "t", "Answer": "выручка выросла"}, {"ID": 2, "Text": "t", "Answer": "Sales rose"}]"#,
    );
    let answers = write(
        dir.path(),
        "answers.json",
        r#"{"1": "выручка выросла", "2": "Sales rose"}"#,
    );
    let words = format!("EDTSUM --predictions {answers} --gold {gold}");
    assert_eq!(score(&words)["report"]["headline"]["value"], 0.5);
    let printed = ok(&format!("score {words}"));
    names(
        &printed,
        &["ROUGE is 0 for it whatever is said", "1 record"],
    );
}

/// Where nothing is to run programs, Python is not even looked for: it may hang.
#[cfg(unix)]
#[test]
fn without_python_none_is_started() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let (python, mark) = (dir.path().join("python3"), dir.path().join("started"));
    let script = format!("#!/bin/sh\necho > {}\n", mark.display());
    std::fs::write(&python, script).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o700)).unwrap();
    let line = format!(
        "score FinCode --predictions {SAMPLES}/predictions/FinCode.jsonl --gold {SAMPLES} --python"
    );
    for (choice, code, started) in [("none", 0, false), ("system", 2, true)] {
        let words: Vec<&str> = line.split_whitespace().chain([choice]).collect();
        let mut command = without_saving(&words);
        let output = command.env("PATH", dir.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{choice}");
        assert_eq!(mark.exists(), started, "{choice}");
    }
}
