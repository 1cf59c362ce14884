//! Means over tasks: the unit is the question, and intervals lie in the range of the figure.

use crate::golden::close;
use proptest::prelude::*;
use qa_scoring::aggregate::{ItemFigure, per_question};
use qa_scoring::model_table::ModelTable;
use qa_scoring::{Grader, MetricFamily, SetReport, Settings, Task, load, report_of, score_set};
use sim_core::stats::share_interval;

/// The report of a task with yes and no as answers, of which the first `right` of `n` are right.
fn report(task: &str, right: usize, n: usize) -> SetReport {
    let task: Task = task.parse().unwrap();
    let items: Vec<String> = (0..n)
        .map(|id| format!(r#"{{"ID": {id}, "Text": "x", "Answer": "yes"}}"#))
        .collect();
    let items = load::items(task, format!("[{}]", items.join(",")).as_bytes()).unwrap();
    let given: Vec<String> = (0..n)
        .map(|id| {
            let word = if id < right { "yes" } else { "no" };
            format!(r#"{{"id": {id}, "prediction": "{word}"}}"#)
        })
        .collect();
    let given = load::predictions(given.join("\n").as_bytes()).unwrap();
    let mut grader = Grader::new(Settings::default());
    score_set(task, &items.records, &given.records, &mut grader)
}

fn interval(reports: &[SetReport]) -> (f64, f64) {
    let mut table = ModelTable::default();
    for report in reports {
        table.add_reports("m", &[report]);
    }
    let family = MetricFamily::Accuracy;
    table.families("m")[&family].interval(0.95, family).unwrap()
}

/// One task of right and wrong answers has Wilson's interval.
#[test]
fn the_interval_of_one_task_is_wilsons() {
    for (right, n) in [(0, 5), (1, 40), (3, 4), (20, 20)] {
        let (low, high) = interval(&[report("CCFraud", right, n)]);
        let wilson = share_interval(right as u64, n as u64, 0.95).unwrap();
        close(low, 100.0 * wilson.low, 1e-9, "low");
        close(high, 100.0 * wilson.high, 1e-9, "high");
    }
}

proptest! {
    /// Ends in the range, the mean between them, never narrower than for as many items of one task.
    #[test]
    fn intervals_of_several_tasks_stay_in_range(a in 0_usize..=6, b in 0_usize..=9) {
        let reports = [report("CCFraud", a, 6), report("Taiwan", b, 9)];
        let (low, high) = interval(&reports);
        let mean = 100.0 * (a + b) as f64 / 15.0;
        prop_assert!((0.0..=100.0).contains(&low) && (0.0..=100.0).contains(&high));
        prop_assert!(low <= mean + 1e-9 && mean <= high + 1e-9);
        let one = share_interval((a + b) as u64, 15, 0.95).unwrap();
        prop_assert!(high - low >= 100.0 * (one.high - one.low) - 1e-9);
    }
}

/// Repeats of the questions are averaged by question: more of them do not make more questions.
#[test]
fn repeats_do_not_count_as_questions() {
    let (first, second) = (report("CCFraud", 2, 4), report("CCFraud", 4, 4));
    let values = per_question(&[&first, &second], ItemFigure::Right);
    assert_eq!(values, [1.0, 1.0, 0.5, 0.5]);
    let mut table = ModelTable::default();
    table.add_reports("m", &[&first, &second]);
    let figure = table.figure("m", "CCFraud").unwrap();
    assert_eq!((figure.value, figure.items), (75.0, Some(4)));
    let mean = |table: &ModelTable| table.families("m")[&MetricFamily::Accuracy].clone();
    let found = mean(&table);
    assert_eq!((found.value, found.weight, found.tasks), (75.0, 4.0, 1));
    // The same answers twice are no more than once.
    let (mut same, mut once) = (ModelTable::default(), ModelTable::default());
    same.add_reports("m", &[&first, &first]);
    once.add_reports("m", &[&first]);
    assert_eq!(mean(&same), mean(&once));
    // One file may use an identifier for two questions.
    let mut grades = first.grades.clone();
    grades.extend(first.grades.clone());
    let twice = report_of(first.task, &Settings::default(), grades, false);
    assert_eq!(per_question(&[&twice], ItemFigure::Right).len(), 8);
}

/// Of every family the table of the paper names as many tasks.
#[test]
fn families_have_the_tasks_of_table_3() {
    use MetricFamily::{Accuracy, JudgedLabel, JudgedScore, Rouge};
    let tasks = [Accuracy, Rouge, JudgedLabel, JudgedScore].map(MetricFamily::application_tasks);
    assert_eq!(tasks, [8, 3, 4, 6]);
}
