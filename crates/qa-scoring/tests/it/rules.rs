//! The published rules of the finance sets against stored vectors.

use crate::golden::{rows, text, vectors};
use crate::python::{Python, number, scripted};
use qa_scoring::extract::final_answer;
use qa_scoring::formula_eval;
use qa_scoring::rules::{choice, formula, number as numbers, program, quantity, tags};
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue};
use serde_json::Value;

/// The values of the snippets in the vectors; all others fail.
const KNOWN: &[(&str, f64)] = &[
    ("2*21", 42.0),
    ("x=2\ny=x*21", 42.0),
    ("6*7", 42.0),
    ("40+2", 42.0),
    ("42", 42.0),
    ("'42'", 42.0),
    ("True", 1.0),
    ("round(41.999,0)", 42.0),
];

#[test]
fn numbers_and_tolerances() {
    let Some(file) = vectors("numeric_tolerance.json") else {
        return;
    };
    let mut run = scripted(KNOWN);
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let (given, right) = (text(row, "pred"), text(row, "gold"));
        let got = numbers::authors_number(given, Some(&mut run));
        assert_eq!(got, number(&row["parsed_pred"]), "{given:?}");
        assert_eq!(
            numbers::first_number(right),
            number(&row["parsed_gold"]),
            "{right:?}"
        );
        let truth = |key: &str| row[key].as_bool().unwrap();
        let authors = program::authors(given, right, 0.01, Some(&mut run));
        assert_eq!(authors, truth("authors_program"), "{given:?} {right:?}");
        let paper = program::authors(given, right, 1e-6, Some(&mut run));
        assert_eq!(paper, truth("paper_program"), "{given:?} {right:?}");
        let same = quantity::authors(given, right, Some(&mut run));
        assert_eq!(same, truth("authors_quantity"), "{given:?} {right:?}");
        compared += 5;
        if let Some(kensho) = row["kensho_brace"].as_array() {
            let got = numbers::bizbench_brace(given);
            assert_eq!(got.is_some(), kensho[0].as_bool().unwrap(), "{given:?}");
            assert_eq!(
                got.unwrap_or(-1.0),
                number(&kensho[1]).unwrap(),
                "{given:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 452 * 5 + 300, "{compared}");
}

#[test]
fn finer_lists() {
    let Some(file) = vectors("finer_formula_quantity.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "finer") {
        let (given, right) = (text(row, "pred"), text(row, "gold"));
        for (who, got) in [
            ("firm", tags::authors(given, right)),
            ("ace", tags::ace(given, right)),
        ] {
            assert_eq!(
                got.all,
                row[format!("{who}_all_correct")].as_bool().unwrap(),
                "{row}"
            );
            let counts = &row[format!("{who}_counts")];
            assert_eq!(got.hits as u64, counts[0].as_u64().unwrap(), "{row}");
            assert_eq!(got.places as u64, counts[1].as_u64().unwrap(), "{row}");
            compared += 3;
        }
    }
    assert_eq!(compared, 146 * 6);
}

/// Where the two published programs disagree: ACE's evaluates the right answer first.
#[test]
fn a_quoted_tag_is_read_by_the_rule_that_is_named() {
    let right = "\"Revenues\", Goodwill";
    let hits =
        |given: &str| [tags::strict, tags::authors, tags::ace].map(|rule| rule(given, right).hits);
    assert_eq!(hits("revenues,goodwill"), [2, 1, 2]);
    assert_eq!(hits("\"Revenues\",Goodwill"), [2, 2, 2]);
    assert_eq!(hits("'Revenues',Goodwill"), [2, 2, 2]);
    assert_eq!(hits("Sales,Goodwill"), [1, 1, 1]);
}

#[test]
fn formula_numbers() {
    let Some(file) = vectors("finer_formula_quantity.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "formula") {
        let (given, right) = (text(row, "pred"), text(row, "gold"));
        assert_eq!(
            formula::authors(given, right),
            row["firm"].as_bool().unwrap(),
            "{row}"
        );
        assert_eq!(
            formula::first_home(given, right),
            row["ace"].as_bool().unwrap(),
            "{row}"
        );
        assert_eq!(
            final_answer(given),
            text(row, "ace_extract_answer"),
            "{row}"
        );
        compared += 3;
    }
    assert_eq!(compared, 116 * 3);
}

#[test]
fn quantities() {
    let Some(file) = vectors("finer_formula_quantity.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "quantity") {
        let (given, right) = (text(row, "pred"), text(row, "gold"));
        let got = quantity::authors(given, right, None);
        assert_eq!(got, row["authors_quantity"].as_bool().unwrap(), "{row}");
        compared += 1;
    }
    assert_eq!(compared, 110);
}

#[test]
fn option_labels_and_double_brackets() {
    let Some(file) = vectors("choice_extraction.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let given = text(row, "text");
        let options: Vec<&str> = rows(row, "firmbench_options")
            .iter()
            .map(|o| o.as_str().unwrap())
            .collect();
        assert_eq!(
            choice::authors_label(given, &options),
            text(row, "firmbench_label"),
            "{row}"
        );
        let kensho = numbers::bizbench_brace(given);
        assert_eq!(
            kensho.is_some(),
            row["kensho_brace"][0].as_bool().unwrap(),
            "{row}"
        );
        assert_eq!(
            kensho.unwrap_or(-1.0),
            number(&row["kensho_brace"][1]).unwrap(),
            "{row}"
        );
        compared += 3;
    }
    assert_eq!(compared, 186);
}

fn outputs(value: &Value) -> SnippetValue {
    match value {
        Value::Null => SnippetValue::None,
        Value::Array(list) => SnippetValue::List(list.iter().map(outputs).collect()),
        other => SnippetValue::Float(number(other).unwrap()),
    }
}

#[test]
fn formula_eval_outputs() {
    let Some(file) = vectors("formula_eval.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let equal = row["candidate_error"].is_null()
            && formula_eval::equal(
                &outputs(&row["candidate_outputs"]),
                &outputs(&row["reference_outputs"]),
            );
        assert_eq!(equal, row["equal"].as_bool().unwrap(), "{row}");
        let target = formula_eval::find_target(text(row, "prompt")).unwrap();
        assert_eq!(target.name, text(row, "target"));
        assert_eq!(
            target.class.map(|c| c.name).as_deref(),
            row["class_name"].as_str()
        );
        compared += 3;
    }
    assert_eq!(compared, 24);
}

/// All steps: programs are assembled, run on the stored cases, and judged on drawn ones.
#[test]
fn formula_eval_programs_run() {
    let Some(file) = vectors("formula_eval.json") else {
        return;
    };
    let Some(mut python) = Python::start() else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let (prompt, reference, candidate) = (
            text(row, "prompt"),
            text(row, "reference"),
            text(row, "candidate"),
        );
        let target = formula_eval::find_target(prompt).unwrap();
        let cases: Vec<formula_eval::CallInputs> = rows(row, "cases").iter().map(case).collect();
        let calls = formula_eval::harness(&target, &cases);
        let program = formula_eval::assemble(prompt, reference);
        let reply = python.run(&Snippet::new(format!("{program}\n{calls}")));
        let SnippetReply::Value(got) = reply else {
            panic!("{reply:?}");
        };
        assert!(
            formula_eval::equal(&got, &outputs(&row["reference_outputs"])),
            "{got:?}"
        );
        let verdict = formula_eval::judge(prompt, reference, candidate, &mut python);
        let right = verdict == formula_eval::Judgement::Right;
        assert_eq!(
            right,
            row["equal"].as_bool().unwrap(),
            "{verdict:?} {candidate}"
        );
        // The same body in a fence, and as a whole program.
        let fenced = format!("Here:\n```python\n{reference}```");
        let verdict = formula_eval::judge(prompt, reference, &fenced, &mut python);
        assert_eq!(verdict, formula_eval::Judgement::Right);
        let whole = format!("```python\n{prompt}{reference}```");
        let verdict = formula_eval::judge(prompt, reference, &whole, &mut python);
        assert_eq!(verdict, formula_eval::Judgement::Right);
        compared += 4;
    }
    assert_eq!(compared, 32);
}

fn case(value: &Value) -> formula_eval::CallInputs {
    let inputs = |value: &Value| -> Vec<(String, formula_eval::InputValue)> {
        value
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, v)| (name.clone(), serde_json::from_value(v.clone()).unwrap()))
            .collect()
    };
    match value.get("fields") {
        Some(fields) => formula_eval::CallInputs {
            fields: inputs(fields),
            arguments: inputs(&value["args"]),
        },
        None => formula_eval::CallInputs {
            fields: Vec::new(),
            arguments: inputs(value),
        },
    }
}
