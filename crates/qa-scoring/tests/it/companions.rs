//! TAT-QA and FinQA companions, F1 over sets, all against stored vectors.

use crate::golden::{close, rows, text, vectors};
use qa_scoring::finqa::{self, ProgramOutcome};
use qa_scoring::metric::set_scores;
use qa_scoring::tatqa::{self, AnswerType, GoldAnswer};
use qa_scoring::{AnswerOutcome, Gold, Grader, Item, LetterSet, Settings, Task, python};
use serde_json::Value;

fn parts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(python::value_text).collect(),
        other => vec![python::value_text(other)],
    }
}

#[test]
fn tatqa_rows_of_the_official_evaluator() {
    let Some(file) = vectors("tatqa_official.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let answer_type: AnswerType = serde_json::from_value(row["answer_type"].clone()).unwrap();
        let gold = GoldAnswer {
            answer_type,
            parts: parts(&row["gold"]),
            scale: text(row, "gold_scale").to_owned(),
        };
        let given = parts(&row["pred"]);
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let got = tatqa::score(&gold, &given, text(row, "pred_scale"));
        let want = [0, 1, 2].map(|k| row["em_f1_scale"][k].as_f64().unwrap());
        assert_eq!([got.exact, got.f1, got.scale], want, "{row}");
        compared += 3;
    }
    assert_eq!(compared, 613 * 3);
}

#[test]
fn tatqa_numbers_and_texts() {
    let Some(file) = vectors("tatqa_official.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "utils") {
        let given = text(row, "text");
        assert_eq!(
            tatqa::is_number(given),
            row["is_number"].as_bool().unwrap(),
            "{given}"
        );
        let number = tatqa::to_number(given).map(tatqa::TatqaNumber::text);
        let want = match &row["to_number"] {
            Value::Null => None,
            value => Some(python::value_text(value)),
        };
        assert_eq!(number, want, "{given}");
        assert_eq!(
            tatqa::normalised(given),
            text(row, "normalize_answer"),
            "{given}"
        );
        compared += 3;
    }
    assert_eq!(compared, 78);
}

#[test]
fn finqa_programs() {
    let Some(file) = vectors("tatqa_official.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "finqa_programs") {
        let program = text(row, "program");
        let table: Vec<Vec<String>> = serde_json::from_value(row["table"].clone()).unwrap();
        let mut tokens = finqa::tokens(program);
        let got = finqa::run_tokens(&tokens, &table);
        tokens.push("EOF".to_owned());
        let want: Vec<String> = serde_json::from_value(row["tokens"].clone()).unwrap();
        assert_eq!(tokens, want, "{program}");
        let want = match (row["result"][0].as_u64().unwrap(), &row["result"][1]) {
            (0, Value::String(word)) => ProgramOutcome::Yes(word == "yes"),
            (0, value) => ProgramOutcome::Number(value.as_f64().unwrap()),
            _ => ProgramOutcome::Invalid,
        };
        assert_eq!(got, want, "{program}");
        compared += 2;
    }
    assert_eq!(compared, 16);
}

/// Program accuracy against the verdicts of the data set's own evaluator.
#[test]
fn finqa_programs_that_are_the_same() {
    let file = vectors("finqa_equal.json").unwrap();
    let mut same = 0;
    let pairs = rows(&file, "pairs");
    for pair in pairs {
        let program = |place: usize| finqa::tokens(pair[place].as_str().unwrap());
        let want = pair[2].as_bool().unwrap();
        assert_eq!(
            finqa::same_program(&program(0), &program(1)),
            want,
            "{pair}"
        );
        same += usize::from(want);
    }
    assert_eq!((pairs.len(), same), (159, 88));
}

fn set(value: &Value) -> LetterSet {
    match value {
        Value::String(letter) if letter.len() == 1 => letter.chars().collect(),
        Value::Array(list) => list
            .iter()
            .filter_map(Value::as_str)
            .flat_map(str::chars)
            .collect(),
        _ => LetterSet::EMPTY,
    }
}

#[test]
fn three_f1_definitions_on_real_runs() {
    let Some(file) = vectors("bizcompass_choice_combos.json") else {
        return;
    };
    let mut compared = 0;
    for combo in rows(&file, "combos") {
        for (key, field) in [
            ("expected_from_model_answer", "model_answer"),
            ("expected_strict_from_stored_raw", "strict_raw"),
        ] {
            let pairs: Vec<(LetterSet, LetterSet)> = rows(combo, "items")
                .iter()
                .map(|item| (set(&item["gold"]), set(&item[field])))
                .collect();
            let got = set_scores(&pairs).unwrap();
            let want = &combo[key];
            assert_eq!(got.n as u64, want["n"].as_u64().unwrap());
            assert_eq!(got.exact as u64, want["exact"].as_u64().unwrap());
            for (got, name) in [
                (got.accuracy, "accuracy"),
                (got.f1, "f1_per_question_mean"),
                (got.f1_micro, "f1_micro"),
                (got.f1_macro_label, "f1_macro_label"),
            ] {
                close(got, want[name].as_f64().unwrap(), 1e-12, name);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 32);
}

/// Lists of spans and of entities, without a judge, in the shapes that models write.
#[test]
fn lists_in_the_shapes_that_models_write() {
    let outcome = |task: &str, right: &str, reply: &str| {
        let task: Task = task.parse().unwrap();
        let item = Item::new("1", "Which?", Gold::Text(right.to_owned()));
        let mut grader = Grader::new(Settings::default());
        grader.grade(task, &item, Some(reply)).outcome
    };
    for (reply, want) in [
        ("2019\n2018", true),
        ("2019, 2018", true),
        ("2019 and 2018", true),
        ("- 2019\n- 2018", true),
        ("1. 2019\n2. 2018", true),
        ("Answer:\n2019\n2018\n\nBoth are in the table.", true),
        ("[\"2019\", \"2018\"]", true),
        ("**2019**\n**2018**", true),
        ("2019, 2018, 2017", false),
        ("2017\n2016", false),
    ] {
        let got = outcome("TATQA", "2019\n2018", reply);
        assert_eq!(got == AnswerOutcome::Right, want, "{reply}: {got:?}");
    }
    for (reply, want) in [("-5\n3", true), ("- -5\n- 3", true), ("5\n3", false)] {
        let got = outcome("TATQA", "-5\n3", reply);
        assert_eq!(got == AnswerOutcome::Right, want, "{reply}: {got:?}");
    }
    let entities = "Bank of X, ORG\nJane Roe, PER";
    for (reply, want) in [
        ("1. Bank of X, ORG\n2. Jane Roe, PER", AnswerOutcome::Right),
        (
            "Answer:\nBank of X, ORG.\nJane Roe, PER.",
            AnswerOutcome::Right,
        ),
        (
            "**Bank of X**, ORG\n\"Jane Roe\", PER",
            AnswerOutcome::Right,
        ),
        ("Bank of X, PER\nJane Roe, ORG", AnswerOutcome::Graded),
        ("Bank of X, ORG\nJane Roe, ORG", AnswerOutcome::Graded),
    ] {
        assert_eq!(outcome("FinRED", entities, reply), want, "{reply}");
    }
}
