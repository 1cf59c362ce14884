//! Plots of questions and interviews, from their records as JSON. The records stay untyped, so that those of
//! a run in progress and of other versions are drawn as far as they have the fields.

use qa_runner::labels::Labels;
use qa_scoring::taxonomy::{CellKey, LabelAxis, cells};
use serde_json::Value;
use sim_core::plot::{Axis, Cell, Plot, Series, SeriesRole, Shape};
use sim_core::{Seed, stats::mean};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a record is one of those that are counted.
type IsOne<'a> = &'a dyn Fn(&Value) -> bool;

/// The marks of the rubric of an interview.
const RUBRIC: [&str; 5] = [
    "structure",
    "quant",
    "business_sense",
    "communication",
    "overall",
];

/// Plots of all records of a run of questions or interviews. Questions with a label in `labels` are also
/// shown by capability and difficulty.
#[must_use]
pub fn run_plots(records: &[Value], labels: &Labels) -> Vec<Plot> {
    let is_interview = |record: &&Value| record.get("interview").is_some();
    let (interviews, questions): (Vec<&Value>, Vec<&Value>) =
        records.iter().partition(is_interview);
    let mut plots = Vec::new();
    if !questions.is_empty() {
        plots.push(by_task(&questions));
        plots.push(outcomes(&questions));
        plots.extend(by_label(&questions, labels));
    }
    if !interviews.is_empty() {
        plots.push(rubric(&interviews, "Mean mark of each judge"));
        plots.push(by_case(&interviews));
        plots.extend(calibration(&interviews));
    }
    plots.retain(|plot| !plot.is_empty());
    plots
}

/// Plots of one record: the marks and the facts of an interview; none of a question.
#[must_use]
pub fn record_plots(record: &Value) -> Vec<Plot> {
    if record.get("interview").is_none() {
        return Vec::new();
    }
    let mut plots = vec![rubric(&[record], "Mark of each judge"), facts(record)];
    plots.retain(|plot| !plot.is_empty());
    plots
}

fn text<'a>(record: &'a Value, path: &str) -> &'a str {
    record
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The task of a question: `application/FPB` of `application/FPB:2`.
fn task(record: &Value) -> &str {
    let item = text(record, "/header/item");
    item.split_once(':').map_or(item, |(task, _)| task)
}

fn score(record: &Value) -> Option<f64> {
    record.pointer("/grade/score").and_then(Value::as_f64)
}

/// Records by the group that `name` gives them.
fn grouped<'a>(
    records: &[&'a Value],
    name: impl Fn(&'a Value) -> &'a str,
) -> BTreeMap<&'a str, Vec<&'a Value>> {
    let mut groups = BTreeMap::<&str, Vec<&Value>>::new();
    for record in records {
        groups.entry(name(record)).or_default().push(record);
    }
    groups
}

fn names(groups: &BTreeMap<&str, Vec<&Value>>) -> Vec<String> {
    groups.keys().map(|name| (*name).to_owned()).collect()
}

fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    mean(&values.collect::<Vec<_>>()).unwrap_or(f64::NAN)
}

fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

fn by_task(questions: &[&Value]) -> Plot {
    let tasks = grouped(questions, task);
    let (x, y) = (Axis::default(), Axis::new("mean score", ""));
    let means = tasks
        .values()
        .map(|records| mean_of(records.iter().filter_map(|record| score(record))));
    Plot::bars("tasks", "Mean score by task", x, y, names(&tasks)).bar(
        SeriesRole::Own,
        "mean score",
        means,
    )
}

fn outcomes(questions: &[&Value]) -> Plot {
    let tasks = grouped(questions, task);
    let (x, y) = (Axis::default(), Axis::new("answers", ""));
    let mut plot = Plot::bars("outcomes", "Answers by task", x, y, names(&tasks));
    let is = |record: &Value, right: bool| {
        score(record).is_some()
            && record.pointer("/grade/correct").and_then(Value::as_bool) == Some(right)
    };
    let kinds: [(&str, IsOne<'_>); 3] = [
        ("right", &|record| is(record, true)),
        ("wrong", &|record| is(record, false)),
        ("no score", &|record| score(record).is_none()),
    ];
    for (name, is_one) in kinds {
        let counts = tasks
            .values()
            .map(|records| number(records.iter().filter(|record| is_one(record)).count()));
        plot = plot.bar(SeriesRole::Own, name, counts);
    }
    plot
}

/// The label of a question: by its whole name or, in a run of one task, by its identifier alone.
fn by_label(questions: &[&Value], labels: &Labels) -> Option<Plot> {
    let is_one_task = grouped(questions, task).len() == 1;
    let label = |record: &Value| {
        let item = text(record, "/header/item");
        let id = item.split_once(':').map(|(_, id)| id);
        let alone = id.filter(|_| is_one_task).and_then(|id| labels.get(id));
        labels.get(item).or(alone)
    };
    let scored = questions
        .iter()
        .filter_map(|record| Some((label(record)?, score(record)?)));
    // The intervals of the cells are not drawn.
    let cells = cells(
        scored,
        &[LabelAxis::Capability, LabelAxis::Difficulty],
        Seed(0),
    );
    let rows: BTreeSet<_> = cells.iter().map(|cell| cell.key.capability).collect();
    // Capabilities without buckets have a column of their own, the last one.
    let column_of = |key: &CellKey| (key.bucket.is_none(), key.bucket);
    let columns: BTreeSet<_> = cells.iter().map(|cell| column_of(&cell.key)).collect();
    let drawn = cells.iter().map(|cell| Cell {
        row: rows.range(..cell.key.capability).count(),
        column: columns.range(..column_of(&cell.key)).count(),
        value: cell.mean,
    });
    let shape = Shape::Grid {
        cells: drawn.collect(),
        columns: columns
            .iter()
            .map(|(_, bucket)| {
                bucket.map_or_else(|| "all".to_owned(), |it| format!("{it:?}").to_lowercase())
            })
            .collect(),
        rows: rows
            .iter()
            .map(|capability| {
                capability
                    .map_or("no capability", |it| it.name())
                    .to_owned()
            })
            .collect(),
        kinds: Vec::new(),
    };
    let title = "Mean score by capability and difficulty";
    let (x, y) = (Axis::new("difficulty", ""), Axis::new("mean score", ""));
    Some(Plot::new("labels", title, x, y, shape)).filter(|plot| !plot.is_empty())
}

/// The verdicts of the judges of an interview, each with the name of the judge.
fn verdicts(record: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let judged = record.pointer("/interview/panel/judged");
    let judged = judged.and_then(Value::as_array).into_iter().flatten();
    judged.filter_map(|verdict| {
        let scores = verdict.get("scores").filter(|scores| scores.is_object())?;
        Some((text(verdict, "/judge"), scores))
    })
}

fn mark(scores: &Value, part: &str) -> Option<f64> {
    scores.get(part).and_then(Value::as_f64)
}

fn rubric(interviews: &[&Value], title: &str) -> Plot {
    let groups = RUBRIC.map(|part| part.replace('_', " ")).to_vec();
    let (x, y) = (Axis::default(), Axis::new("mark", "of 10"));
    let mut plot = Plot::bars("rubric", title, x, y, groups);
    let mut judges = BTreeMap::<&str, Vec<&Value>>::new();
    for (judge, scores) in interviews.iter().flat_map(|record| verdicts(record)) {
        judges.entry(judge).or_default().push(scores);
    }
    for (judge, scores) in judges {
        let means = RUBRIC.map(|part| mean_of(scores.iter().filter_map(|s| mark(s, part))));
        plot = plot.bar(SeriesRole::Own, judge, means);
    }
    plot
}

fn by_case(interviews: &[&Value]) -> Plot {
    let cases = grouped(interviews, |record| text(record, "/header/item"));
    let (x, y) = (
        Axis::default(),
        Axis::new("mean of the four marks", "of 10"),
    );
    let means = cases.values().map(|records| {
        let means = records
            .iter()
            .filter_map(|record| record.pointer("/interview/panel/scores/overall"));
        mean_of(means.filter_map(Value::as_f64))
    });
    Plot::bars("cases", "Mark by case", x, y, names(&cases)).bar(SeriesRole::Own, "mark", means)
}

/// The overall mark of each judge against the mean of the other judges of the interview: points on the line
/// agree. None where an interview has one judge.
fn calibration(interviews: &[&Value]) -> Option<Plot> {
    let mut points = BTreeMap::<&str, Vec<(f64, f64)>>::new();
    for record in interviews {
        let marks: Vec<(&str, f64)> = verdicts(record)
            .filter_map(|(judge, scores)| Some((judge, mark(scores, "overall")?)))
            .collect();
        for (place, (judge, own)) in marks.iter().enumerate() {
            let others = marks
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place);
            let others: Vec<f64> = others.map(|(_, (_, mark))| *mark).collect();
            if let Some(mean) = mean(&others) {
                points.entry(judge).or_default().push((mean, *own));
            }
        }
    }
    if points.is_empty() {
        return None;
    }
    let (x, y) = (
        Axis::new("mean of the other judges", "of 10"),
        Axis::new("mark of the judge", "of 10"),
    );
    let title = "Each judge against the others: overall mark";
    let equal = Series::of(
        SeriesRole::Baseline,
        "equal marks",
        [(0.0, 0.0), (10.0, 10.0)],
    );
    let mut plot = Plot::lines("judges", title, x, y).with(equal);
    for (judge, mut points) in points {
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        plot = plot.with(Series::own(judge, points).apart());
    }
    Some(plot)
}

/// The number of facts that the candidate had after each round.
fn facts(record: &Value) -> Plot {
    let unlocked = record.pointer("/interview/facts_unlocked");
    let unlocked = unlocked.and_then(Value::as_array).into_iter().flatten();
    let rounds: Vec<f64> = unlocked
        .filter_map(|fact| fact.get("round").and_then(Value::as_f64))
        .collect();
    let last = record.pointer("/interview/rounds").and_then(Value::as_u64);
    let last = u32::try_from(last.unwrap_or_default())
        .unwrap_or(u32::MAX)
        .min(1_000);
    let points = (0..=last).map(f64::from).map(|round| {
        let known = rounds.iter().filter(|unlocked| **unlocked <= round);
        (round, number(known.count()))
    });
    let (x, y) = (Axis::new("round", ""), Axis::new("facts", ""));
    let title = "Facts of the case that the candidate got";
    Plot::lines("facts", title, x, y).with(Series::own("facts", points))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(item: &str, score: Option<f64>) -> Value {
        json!({"header": {"set": "qa", "item": item},
            "grade": {"score": score, "correct": score == Some(1.0)}})
    }

    fn interview(case: &str, marks: &[(&str, f64)]) -> Value {
        let scores = |mark: f64| {
            json!({"structure": mark, "quant": mark, "business_sense": mark,
            "communication": mark, "overall": mark, "feedback": ""})
        };
        let judged: Vec<Value> = marks
            .iter()
            .map(|(judge, mark)| json!({"judge": judge, "scores": scores(*mark)}))
            .collect();
        let all: Vec<f64> = marks.iter().map(|(_, mark)| *mark).collect();
        json!({"header": {"set": "consulting", "item": case}, "interview": {"rounds": 5,
            "facts_unlocked": [{"id": "a", "round": 2}, {"id": "b", "round": 4}],
            "panel": {"scores": {"overall": mean(&all)}, "judged": judged}}})
    }

    fn of<'a>(plots: &'a [Plot], name: &str) -> &'a Plot {
        plots.iter().find(|plot| plot.name == name).unwrap()
    }

    #[test]
    fn means_and_counts_of_questions_are_those_of_their_records() {
        let records = [
            question("b/FPB:1", Some(1.0)),
            question("b/FPB:2", Some(0.0)),
            question("b/FPB:3", None),
            question("a/PM:1", Some(1.0)),
        ];
        let label = |capability: &str, difficulty: f64| {
            serde_json::from_value(json!({"capability": capability, "difficulty": difficulty}))
        };
        let labels: Labels = [("b/FPB:1", 2.0), ("b/FPB:2", 2.0), ("a/PM:1", 9.0)]
            .into_iter()
            .filter_map(|(item, difficulty)| {
                let label = label("Numerical Calculation", difficulty).ok()?;
                Some((item.to_owned(), label))
            })
            .collect();
        assert_eq!(labels.len(), 3);
        let plots = run_plots(&records, &labels);
        let means = of(&plots, "tasks").bars_of("mean score").unwrap();
        assert_eq!(means.values, [Some(1.0), Some(0.5)]);
        let counts = |name: &str| of(&plots, "outcomes").bars_of(name).unwrap().values.clone();
        assert_eq!(counts("right"), [Some(1.0), Some(1.0)]);
        assert_eq!(counts("wrong"), [Some(0.0), Some(1.0)]);
        assert_eq!(counts("no score"), [Some(0.0), Some(1.0)]);
        let Shape::Grid { cells, columns, .. } = &of(&plots, "labels").shape else {
            panic!("a grid")
        };
        assert_eq!(columns, &["easy", "hard"]);
        let values: Vec<f64> = cells.iter().map(|cell| cell.value).collect();
        assert_eq!(values, [0.5, 1.0]);
        for plot in &plots {
            plot.check().unwrap();
        }
        assert!(record_plots(&records[0]).is_empty());
    }

    #[test]
    fn marks_of_interviews_are_those_of_their_judges() {
        let one = interview("bakery", &[("x", 8.0), ("y", 6.0)]);
        let two = interview("bank", &[("x", 4.0), ("y", 6.0)]);
        let plots = run_plots(&[one.clone(), two], &Labels::new());
        let rubric = of(&plots, "rubric");
        assert_eq!(rubric.bars_of("x").unwrap().values, [Some(6.0); 5]);
        let cases = of(&plots, "cases").bars_of("mark").unwrap();
        assert_eq!(cases.values, [Some(7.0), Some(5.0)]);
        let judge = of(&plots, "judges").series("x").unwrap();
        assert_eq!(judge.points, [(6.0, 4.0), (6.0, 8.0)]);
        let plots = record_plots(&one);
        let facts = &of(&plots, "facts").series("facts").unwrap().points;
        assert_eq!(
            facts.iter().map(|p| p.1).collect::<Vec<_>>(),
            [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
        );
        let alone = run_plots(&[interview("bank", &[("x", 4.0)])], &Labels::new());
        assert!(alone.iter().all(|plot| plot.name != "judges"), "one judge");
    }
}
