//! Every published file loads, and every record and every remark is checked.

use crate::golden::published;
use qa_scoring::load::{Remark, RemarkKind, inventory, items, results};
use qa_scoring::metric::class_scores;
use qa_scoring::{Gold, LoadError, Metric, QuestionType, Task};
use std::path::Path;

fn paths() -> Vec<String> {
    let mut all: Vec<String> = Task::all().filter_map(Task::file).collect();
    all.push("Dataset/Actual_Task/SD_Trader/SD_Trader.json".to_owned());
    all
}

#[test]
fn all_published_files_load_whole() {
    let (mut files, mut records, mut absent) = (0, 0, Vec::new());
    let mut remarks = Vec::new();
    for path in paths() {
        let task = Task::of_path(&path).unwrap();
        let Some(bytes) = published(&format!("bizcompass/{path}")) else {
            absent.push(path);
            continue;
        };
        let loaded = items(task, &bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(Some(loaded.records.len()), task.items(), "{path}");
        for item in &loaded.records {
            let fits = match task.metric() {
                Metric::Letter => item.gold_letters().is_some_and(|set| set.len() == 1),
                Metric::LetterSet => item.gold_letters().is_some_and(|set| set.len() >= 2),
                Metric::Label(labels) => {
                    let gold = item.gold_text().unwrap_or_default().to_lowercase();
                    labels.contains(&gold.as_str())
                }
                _ => item.gold_text().is_some() || item.gold == Gold::Absent,
            };
            assert!(fits, "{path} {item:?}");
        }
        files += 1;
        records += loaded.records.len();
        for remark in loaded.remarks {
            remarks.push((path.clone(), remark.kind, remark.count));
        }
    }
    if files == 0 {
        eprintln!("SKIPPED: no published files");
        return;
    }
    assert_eq!((files, records), (36, 15_164));
    assert_eq!(
        absent,
        [
            "Dataset/OM/General QA/questions.json",
            "Dataset/Stat/General QA/questions.json"
        ]
    );
    let count = |kind: &RemarkKind| -> (usize, usize) {
        let found = remarks.iter().filter(|(_, k, _)| k == kind);
        found.fold((0, 0), |(f, n), (_, _, count)| (f + 1, n + count))
    };
    assert_eq!(count(&RemarkKind::ByteOrderMark), (9, 9));
    assert_eq!(count(&RemarkKind::NoOptions), (1, 6));
    // OM has three items with an option E, FRM one with only three options.
    assert_eq!(count(&RemarkKind::UnusualOptions), (2, 4));
    assert_eq!(count(&RemarkKind::GluedOptions), (1, 4));
    assert_eq!(count(&RemarkKind::UnsplitOptions), (0, 0));
    assert_eq!(count(&RemarkKind::RepeatedId), (0, 0));
    // FRM 33: three options are listed, the fourth is right.
    assert_eq!(count(&RemarkKind::GoldBeyondOptions), (1, 1));
    // SD_Consultant 86 is null throughout, EDTSUM 448 has no headline.
    for (name, want) in [("question", (1, 1)), ("text", (1, 1)), ("answer", (2, 2))] {
        let kind = RemarkKind::EmptyField(name.to_owned());
        assert_eq!(count(&kind), want, "{name}");
    }
    // Three records of one file carry keys made from broken text.
    let unknown: Vec<&String> = remarks
        .iter()
        .filter(|(_, kind, _)| matches!(kind, RemarkKind::UnknownField(_)))
        .map(|(path, _, _)| path)
        .collect();
    assert!(!unknown.is_empty());
    assert!(
        unknown.iter().all(|p| p.contains("Econ/Multiple Choice")),
        "{unknown:?}"
    );
}

#[test]
fn options_in_one_text_are_told_apart() {
    let (mut compared, mut with_four) = (0, 0);
    for name in ["application/AP_A", "application/FRM"] {
        let task: Task = name.parse().unwrap();
        let Some(bytes) = published(&format!("bizcompass/{}", task.file().unwrap())) else {
            return;
        };
        for item in items(task, &bytes).unwrap().records {
            compared += 1;
            with_four += usize::from(item.options.len() == 4);
        }
    }
    // Six of FRM have none and one has three.
    assert_eq!((compared, with_four), (933, 926));
}

#[test]
fn a_right_answer_is_one_of_the_labels() {
    let fpb = "FPB".parse::<Task>().unwrap();
    let line =
        |label: &str| format!(r#"{{"ID": 1, "sentence": "Profit rose.", "label": {label}}}"#);
    for known in ["\"Positive.\"", "null"] {
        assert_eq!(items(fpb, line(known).as_bytes()).unwrap().records.len(), 1);
    }
    let error = items(fpb, line("\"bullish\"").as_bytes()).unwrap_err();
    let LoadError::UnknownLabel {
        index: 0,
        found,
        labels,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(found, "bullish");
    assert_eq!(labels, ["positive", "neutral", "negative"]);
}

#[test]
fn finance_lines_load_whole() {
    for (path, name, count) in [
        ("finance_qa/ace_formula_test.jsonl", "finance/formula", 200),
        (
            "finance_qa/ace_finer_test_first80.jsonl",
            "finance/finer",
            80,
        ),
    ] {
        let Some(bytes) = published(path) else {
            return;
        };
        let loaded = items(name.parse().unwrap(), &bytes).unwrap();
        assert_eq!(loaded.records.len(), count, "{path}");
        assert!(loaded.remarks.is_empty(), "{:?}", loaded.remarks);
        assert!(loaded.records.iter().all(|item| item.gold_text().is_some()));
    }
}

#[test]
fn a_data_folder_is_sorted_by_task() {
    let all = paths();
    let there: Vec<&str> = all
        .iter()
        .map(String::as_str)
        .filter(|p| !p.contains("General QA") || p.contains("Econ") || p.contains("Fin/"))
        .chain(["README.md", "notes.json"])
        .collect();
    let found = inventory(&there);
    assert_eq!(found.present.len(), 35);
    assert_eq!(found.present.values().map(Vec::len).sum::<usize>(), 36);
    assert_eq!(found.unknown, ["notes.json"]);
    let absent: Vec<String> = found.absent.iter().map(|a| a.task.to_string()).collect();
    assert_eq!(absent, ["knowledge/om/general", "knowledge/stat/general"]);
    assert!(found.absent.iter().all(|a| a.never_published));
    for (path, want) in [
        ("finance/CodeTAT-QA.jsonl", "finance/CodeTAT-QA"),
        ("finance/TAT-QA.jsonl", "finance/TAT-QA"),
        ("application/TATQA.json", "application/TATQA"),
        ("codetat_qa_test.jsonl", "finance/CodeTAT-QA"),
        ("sec_num_test.jsonl", "finance/SEC-NUM"),
        ("formulaeval_test.jsonl", "finance/FormulaEval"),
        ("ace_formula_test.jsonl", "finance/formula"),
        ("ace_finer_test_first80.jsonl", "finance/finer"),
        ("test_FinCode.jsonl", "finance/FinCode"),
        ("split/test-code-tat-qa.json", "finance/CodeTAT-QA"),
        ("application/FPB.json", "application/FPB"),
        ("knowledge/om_single.json", "knowledge/om/single"),
    ] {
        assert_eq!(Task::of_path(path).unwrap().to_string(), want, "{path}");
    }
}

#[test]
fn paths_name_their_task_wherever_the_folder_lies() {
    let task = Task::of_path("/elsewhere/Dataset/Fin/Single Choice/questions.json").unwrap();
    assert_eq!(task.to_string(), "knowledge/fin/single");
    assert!(Task::of_path("questions.json").is_none());
    assert!(Path::new(&task.file().unwrap()).is_relative());
}

/// Accuracy of always giving the most frequent label on the published label sets.
#[test]
fn majority_baselines_of_the_label_sets() {
    let mut compared = 0;
    for (name, label, share) in [
        ("application/CCFraud", "no", 0.996),
        ("application/Taiwan", "no", 0.964),
        ("application/FPB", "positive", 0.834),
        ("application/CIKM18", "rise", 0.59),
    ] {
        let task: Task = name.parse().unwrap();
        let Some(bytes) = published(&format!("bizcompass/{}", task.file().unwrap())) else {
            return;
        };
        let gold: Vec<String> = items(task, &bytes)
            .unwrap()
            .records
            .iter()
            .map(|item| item.gold_text().unwrap().to_lowercase())
            .collect();
        let scores = class_scores(gold.iter().map(|g| (g.as_str(), Some(label)))).unwrap();
        assert_eq!(scores.majority_label, label);
        assert!((scores.majority_accuracy - share).abs() < 1e-12, "{name}");
        assert_eq!(scores.accuracy, scores.majority_accuracy);
        let kinds = scores.labels.len() as f64;
        assert!((scores.balanced_accuracy - 1.0 / kinds).abs() < 1e-12);
        compared += 1;
    }
    assert_eq!(compared, 4);
}

#[test]
fn a_byte_order_mark_does_not_change_the_form_of_a_file() {
    let own = "{\"q1\": [[\"5\"], \"million\"]}";
    let read = |file: &str| qa_scoring::official::tatqa::predictions(file.as_bytes()).unwrap();
    let found = read(&format!("\u{feff}{own}"));
    assert_eq!(found, read(own));
    assert_eq!(found["q1"].scale, "million");
}

/// The files below a folder.
fn below(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Every result file of the authors with single or multiple choice is read, those with a blank right
/// answer included.
#[test]
fn all_result_files_of_the_authors_load() {
    let usual = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/upstream/bizcompass/results"
    );
    let dir = std::env::var_os("BIZCOMPASS_RESULTS").unwrap_or_else(|| usual.into());
    let dir = Path::new(&dir);
    if !dir.exists() {
        eprintln!(
            "SKIPPED: no result files in {}; BIZCOMPASS_RESULTS names the folder `results` of a clone of \
             github.com/xuyj233/BizCompass",
            dir.display()
        );
        return;
    }
    let mut files = Vec::new();
    below(dir, &mut files);
    let (mut read, mut wrong) = (0, Vec::new());
    let (mut records, mut aside, mut with_aside) = (0, 0, 0);
    for path in files
        .iter()
        .filter(|path| path.ends_with("questions_eval.json"))
    {
        let text = path.display().to_string().to_lowercase();
        let kind = match text.as_str() {
            text if text.contains("/single") => QuestionType::Single,
            text if text.contains("/multiple") => QuestionType::Multiple,
            _ => continue,
        };
        match results(kind, &std::fs::read(path).unwrap()) {
            Ok(loaded) if !loaded.records.is_empty() => {
                read += 1;
                records += loaded.records.len();
                let of = |remark: &&Remark| remark.kind == RemarkKind::NoRightAnswer;
                if let Some(remark) = loaded.remarks.iter().find(of) {
                    aside += remark.count;
                    with_aside += 1;
                }
            }
            Ok(_) => wrong.push(format!("{text}: no record")),
            Err(e) => wrong.push(format!("{text}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{read} files, {records} records, {aside} of them set aside in {with_aside} files");
    assert_eq!((read, with_aside), (235, 39));
}

#[test]
fn a_right_letter_may_be_written_small() {
    let knowledge = |name: &str, answer: &str| {
        let line = format!(
            r#"{{"ID": 1, "Question": "?", "Options": {{"A": "w", "B": "x", "C": "y"}}, "Answer": {answer}}}"#
        );
        items(name.parse().unwrap(), line.as_bytes())
    };
    let frm = |answer: &str| {
        let line =
            format!(r#"{{"ID": 1, "Question": "?", "Options": "A. w B. x", "Answer": {answer}}}"#);
        items("FRM".parse().unwrap(), line.as_bytes())
    };
    for (loaded, want) in [
        (knowledge("fin/single", r#""b""#), "B"),
        (knowledge("fin/multiple", r#"["c", "A"]"#), "A,C"),
        (frm(r#""b""#), "B"),
    ] {
        let gold = loaded.unwrap().records[0].gold_letters().unwrap();
        assert_eq!(gold.to_string(), want);
    }
    for loaded in [
        knowledge("fin/single", r#""bc""#),
        knowledge("fin/single", r#""2""#),
        knowledge("fin/multiple", r#"["ac"]"#),
        frm(r#""é""#),
    ] {
        let fault = loaded.unwrap_err();
        assert!(
            matches!(
                fault,
                LoadError::BadField {
                    field: "answer",
                    ..
                }
            ),
            "{fault}"
        );
    }
}
