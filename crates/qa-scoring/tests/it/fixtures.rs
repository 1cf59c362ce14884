//! The project's own sample questions: they load, and answers to them are graded by every profile.

use crate::python::Python;
use qa_scoring::judge::{self, JudgeRequest, NoReply};
use qa_scoring::load::{self, RemarkKind, StoredAnswer};
use qa_scoring::prompt::PromptStyle;
use qa_scoring::score::ResultSource;
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner};
use qa_scoring::{
    AnswerOutcome, Domain, Finance, Gold, Grader, Item, Metric, Profile, QuestionType, Settings,
    Task, prompt, score_results, score_set,
};
use qa_scoring::{construct, taxonomy};
use std::path::PathBuf;
use strum::VariantArray;

pub(crate) fn read(path: &str) -> Vec<u8> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")).join(path);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every sample file with its task.
pub(crate) fn samples() -> Vec<(Task, String)> {
    let mut all = vec![
        (
            Task::Knowledge(Domain::Om, QuestionType::Single),
            "knowledge/om_single.json".to_owned(),
        ),
        (
            Task::Knowledge(Domain::Fin, QuestionType::Multiple),
            "knowledge/fin_multiple.json".to_owned(),
        ),
        (
            Task::Knowledge(Domain::Econ, QuestionType::General),
            "knowledge/econ_general.json".to_owned(),
        ),
        (
            Task::Knowledge(Domain::Stat, QuestionType::Table),
            "knowledge/stat_table.json".to_owned(),
        ),
    ];
    for name in [
        "FPB", "CCFraud", "FOMC", "FRM", "EDTSUM", "FinQA", "TATQA", "FinRED", "FNXL",
    ] {
        all.push((
            format!("application/{name}").parse().unwrap(),
            format!("application/{name}.json"),
        ));
    }
    all.push((
        "PM_C".parse().unwrap(),
        "application/PM_Consultant.json".to_owned(),
    ));
    for set in Finance::VARIANTS {
        all.push((Task::Finance(*set), format!("finance/{set}.jsonl")));
    }
    all
}

pub(crate) fn items(path: &str, task: Task) -> Vec<Item> {
    load::items(task, &read(path)).unwrap().records
}

#[test]
fn every_sample_loads_and_can_be_asked() {
    let mut asked = 0;
    for (task, path) in samples() {
        let loaded = load::items(task, &read(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(!loaded.records.is_empty(), "{path}");
        for item in &loaded.records {
            assert_ne!(item.gold, Gold::Absent, "{path} {}", item.id);
            let put = prompt::question(item);
            let told = prompt::instruction(task, PromptStyle::default(), &Settings::default());
            assert!(put.contains(item.question.trim()), "{path}");
            // The program that computes the answer must never be shown to a model.
            if let Some(program) = &item.program {
                assert!(!put.contains(program) && !told.contains(program));
            }
            asked += 1;
        }
        for remark in &loaded.remarks {
            let expected = matches!(
                remark.kind,
                RemarkKind::ByteOrderMark | RemarkKind::NoOptions
            );
            assert!(expected, "{path}: {remark}");
        }
    }
    assert_eq!(asked, 80);
}

/// The right answer to an item, as a model would give it.
fn right_reply(task: Task, item: &Item) -> String {
    match (&item.gold, task.metric()) {
        (Gold::Letters(set), Metric::Choice) => format!("[[{set}]]"),
        (Gold::Letters(set), _) => format!("Answer: {set}"),
        (Gold::Text(_), Metric::Program) => {
            format!("```python\n{}\n```", item.program.clone().unwrap())
        }
        (Gold::Text(text), Metric::Completion) => format!("```python\n{text}```"),
        (Gold::Text(text), _) => text.clone(),
        (Gold::Absent, _) => String::new(),
    }
}

#[test]
fn right_answers_are_right_and_other_answers_are_not() {
    let Some(mut python) = Python::start() else {
        return;
    };
    let mut judge = |request: &JudgeRequest| -> Result<String, NoReply> {
        let text = &request.messages[0].text;
        let part = |tag: &str| {
            let rest = text.split(&format!("<{tag}>\n")).nth(1).unwrap();
            rest.split(&format!("\n</{tag}>"))
                .next()
                .unwrap()
                .to_owned()
        };
        let same = part("reference") == part("answer");
        Ok(if request.system.contains("\"correct\"") {
            format!("{{\"correct\": {same}}}")
        } else {
            format!("{{\"score\": {}}}", if same { 5 } else { 1 })
        })
    };
    let mut grader = Grader::new(Settings::default())
        .with_runner(&mut python)
        .with_judge(&mut judge);
    let mut compared = 0;
    for (task, path) in samples() {
        for item in items(&path, task) {
            let good = grader.grade(task, &item, Some(&right_reply(task, &item)));
            let full = if task.metric() == Metric::Judged {
                5.0
            } else {
                1.0
            };
            assert_eq!(good.value, Some(full), "{path} {} {good:?}", item.id);
            let bad = grader.grade(task, &item, Some("I would rather not."));
            assert!(
                bad.value.unwrap() < full / 2.0,
                "{path} {} {bad:?}",
                item.id
            );
            let none = grader.grade(task, &item, None);
            assert_eq!(
                (none.outcome, none.value),
                (AnswerOutcome::Missing, Some(0.0)),
                "{path}"
            );
            let failed = grader.grade(task, &item, Some("Error_429: slow down"));
            assert_eq!(failed.outcome, AnswerOutcome::ProviderError, "{path}");
            compared += 4;
        }
    }
    assert_eq!(compared, 4 * 80);
}

#[test]
fn programs_of_the_samples_give_their_answers() {
    let Some(mut python) = Python::start() else {
        return;
    };
    let mut compared = 0;
    for set in [Finance::FinCode, Finance::CodeFinQa, Finance::CodeTatQa] {
        let path = format!("finance/{set}.jsonl");
        for item in items(&path, Task::Finance(set)) {
            let snippet =
                Snippet::new(item.program.clone().unwrap()).with_table(item.table.clone());
            let SnippetReply::Value(value) = python.run(&snippet) else {
                panic!("{item:?}");
            };
            let gold: f64 = item.gold_text().unwrap().parse().unwrap();
            let got = value.as_float().unwrap();
            assert!(
                (got - gold).abs() <= 0.005 + 1e-6 * gold.abs(),
                "{got} {gold}"
            );
            assert_eq!(item.table.is_some(), set == Finance::CodeTatQa);
            compared += 1;
        }
    }
    assert_eq!(compared, 16);
}

#[test]
fn every_profile_grades_every_sample() {
    let mut run = |_: &Snippet| SnippetReply::Unsupported {
        what: "everything".to_owned(),
    };
    let mut graded = 0;
    for &profile in Profile::VARIANTS {
        let settings = Settings {
            profile,
            ..Settings::default()
        };
        let mut grader = Grader::new(settings).with_runner(&mut run);
        for (task, path) in samples() {
            for item in items(&path, task) {
                for reply in [
                    "",
                    "B",
                    "[[B]]",
                    "42",
                    "```python\n1+1\n```",
                    "{\"final_answer\": 1}",
                ] {
                    let grade = grader.grade(task, &item, Some(reply));
                    let top = if task.metric() == Metric::Judged {
                        5.0
                    } else {
                        1.0
                    };
                    assert!(
                        grade.value.is_none_or(|v| (0.0..=top).contains(&v)),
                        "{path} {grade:?}"
                    );
                    graded += 1;
                }
            }
        }
    }
    assert_eq!(graded, 4 * 80 * 6);
}

#[test]
fn predictions_as_lines_and_as_csv() {
    let task: Task = "FPB".parse().unwrap();
    let items = items("application/FPB.json", task);
    let lines = load::predictions(&read("predictions/FPB.jsonl"))
        .unwrap()
        .records;
    let mut grader = Grader::new(Settings::default());
    let report = score_set(task, &items, &lines, &mut grader);
    // 1 and 2 are right, 3 names two labels, 4 has no answer; the answer to 9 belongs to no item.
    assert_eq!((report.n, report.counted, report.unmatched), (4, 4, 1));
    assert_eq!(report.headline.as_ref().unwrap().value, 0.5);
    assert_eq!(report.count(AnswerOutcome::NoAnswer), 1);
    assert_eq!(report.count(AnswerOutcome::Missing), 1);
    let classes = report.classes.as_ref().unwrap();
    assert_eq!(classes.majority_accuracy, 0.5);
    assert!((classes.balanced_accuracy - 0.5).abs() < 1e-12);
    assert_eq!(report.headline.as_ref().unwrap().value, 0.5);
    let csv = load::predictions(&read("predictions/FPB.csv"))
        .unwrap()
        .records;
    let report = score_set(task, &items, &csv, &mut grader);
    assert_eq!(report.headline.unwrap().value, 1.0);
    // The paper's rule takes the whole text: "negative, clearly" is not a label.
    let settings = Settings {
        profile: Profile::Paper,
        ..Settings::default()
    };
    let report = score_set(task, &items, &csv, &mut Grader::new(settings));
    assert_eq!(report.headline.unwrap().value, 0.75);
}

#[test]
fn programs_without_an_interpreter_are_counted_apart() {
    let task = Task::Finance(Finance::FinCode);
    let items = items("finance/FinCode.jsonl", task);
    let predictions = load::predictions(&read("predictions/FinCode.jsonl"))
        .unwrap()
        .records;
    let report = score_set(
        task,
        &items,
        &predictions,
        &mut Grader::new(Settings::default()),
    );
    // Numbers beside the code are read; an answer that cannot be computed is wrong.
    assert_eq!(
        report.count(AnswerOutcome::Right),
        5,
        "{:?}",
        report.outcomes
    );
    assert_eq!(report.count(AnswerOutcome::NoAnswer), 1);
    let bare: Vec<load::Prediction> = items
        .iter()
        .map(|item| {
            load::Prediction::new(
                item.id.clone(),
                Some(format!("```python\n{}\n```", item.program.clone().unwrap())),
            )
        })
        .collect();
    let report = score_set(task, &items, &bare, &mut Grader::new(Settings::default()));
    assert_eq!(report.count(AnswerOutcome::Unsupported), 6);
    assert!(!report.metrics.contains_key("accuracy_supported"));
    let Some(mut python) = Python::start() else {
        return;
    };
    let mut grader = Grader::new(Settings::default()).with_runner(&mut python);
    let report = score_set(task, &items, &bare, &mut grader);
    assert_eq!(report.headline.unwrap().value, 1.0);
}

#[test]
fn result_records_use_the_gold_letter_inside_them() {
    let loaded = load::results(QuestionType::Single, &read("results/questions_eval.json")).unwrap();
    let ids: Vec<&str> = loaded.records.iter().map(|r| r.item.id.as_str()).collect();
    assert_eq!(ids, ["2", "3", "4"]);
    assert!(matches!(
        loaded.records[1].answer,
        StoredAnswer::ProviderError(_)
    ));
    let task = Task::Knowledge(Domain::Econ, QuestionType::Single);
    let count = |source, profile| {
        let settings = Settings {
            profile,
            ..Settings::default()
        };
        let report = score_results(task, &loaded.records, source, &mut Grader::new(settings));
        (
            report.count(AnswerOutcome::Right),
            report.count(AnswerOutcome::Wrong),
            report.count(AnswerOutcome::NoAnswer),
            report.count(AnswerOutcome::ProviderError),
        )
    };
    assert_eq!(count(ResultSource::Stored, Profile::Strict), (1, 1, 0, 1));
    assert_eq!(count(ResultSource::Reply, Profile::Strict), (1, 0, 1, 1));
    // The published rule reads an A out of "answer" and a C out of "Cannot".
    assert_eq!(count(ResultSource::Reply, Profile::Authors), (0, 2, 0, 1));
}

/// Pins the prompts of models and judges: a changed word changes scores, so the change must be
/// intended. Update the digest with the change, and name the changed prompts in the change log.
#[test]
fn prompts_are_what_they_were() {
    let mut told = String::new();
    for (task, _) in samples() {
        let instruction = prompt::instruction(task, PromptStyle::default(), &Settings::default());
        told.push_str(&format!("{task}\n{instruction}\n"));
    }
    let subject = judge::Subject {
        question: "q",
        reference: "r",
        answer: "a",
    };
    for rubric in [judge::Rubric::Score, judge::Rubric::Label] {
        let request = judge::request(rubric, &subject, 0);
        told.push_str(&sim_core::canonical_json(&request).unwrap());
    }
    let item = items("application/FPB.json", "FPB".parse().unwrap()).remove(0);
    told.push_str(&sim_core::canonical_json(&taxonomy::classify_request("FPB", &item)).unwrap());
    let draft = construct::QuestionDraft {
        question: "q".to_owned(),
        answer: "a".to_owned(),
        evidence: vec!["e".to_owned()],
    };
    for request in [
        construct::draft_request("t", 2),
        construct::score_request(&draft),
        construct::suitability_request(&draft),
        construct::distractor_request(&draft, 3, &[]),
    ] {
        told.push_str(&sim_core::canonical_json(&request).unwrap());
    }
    let digest = sim_core::Digest::of_bytes(told.as_bytes());
    assert_eq!(
        (told.len(), digest.short().as_str()),
        (12_905, "68495f361141dc52"),
        "prompts changed"
    );
}
