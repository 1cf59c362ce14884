//! Plots over the records of a run of questions or interviews.

use super::labels::Labels;
use super::rows::LabelledRow;
use qa_scoring::taxonomy::{CellKey, LabelAxis, cells};
use sim_core::plot::{Axis, Cell, Plot, SeriesRole, Shape};
use sim_core::{Seed, stats::mean};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a record is one of those that are counted.
type IsOne<'a> = &'a dyn Fn(&LabelledRow) -> bool;

/// The marks of the rubric of an interview.
pub(crate) const RUBRIC: [&str; 4] = ["structure", "quant", "business_sense", "communication"];

/// Plots of all records of a run whose instances have labels; none for other runs. Questions with a label in `labels`
/// are also shown by capability and difficulty.
#[must_use]
pub fn run_plots(rows: &[LabelledRow], labels: &Labels) -> Vec<Plot> {
    let mut plots = Vec::new();
    let has = |name: &str| {
        rows.iter()
            .any(|row| row.labels.iter().any(|(key, _)| *key == name))
    };
    if has("task") {
        plots.push(by_group(rows, "tasks", "Mean score by task", ""));
        plots.push(outcomes(rows));
        plots.extend(by_label(rows, labels));
    }
    if has("case") {
        plots.push(rubric(rows));
        plots.push(by_group(rows, "cases", "Mark by case", "of 10"));
    }
    plots.retain(|plot| !plot.is_empty());
    plots
}

/// Records by task, or by case.
fn grouped(rows: &[LabelledRow]) -> BTreeMap<&str, Vec<&LabelledRow>> {
    let mut groups = BTreeMap::<&str, Vec<&LabelledRow>>::new();
    for row in rows {
        groups.entry(row.task()).or_default().push(row);
    }
    groups
}

fn names(groups: &BTreeMap<&str, Vec<&LabelledRow>>) -> Vec<String> {
    groups.keys().map(|name| (*name).to_owned()).collect()
}

fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    // A number that is none leaves a gap; zero would be a score.
    mean(&values.collect::<Vec<_>>()).unwrap_or(f64::NAN)
}

fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

fn by_group(rows: &[LabelledRow], name: &'static str, title: &str, unit: &str) -> Plot {
    let groups = grouped(rows);
    let (x, y) = (Axis::default(), Axis::new("mean score", unit));
    let means = groups
        .values()
        .map(|rows| mean_of(rows.iter().filter_map(|row| row.score)));
    Plot::bars(name, title, x, y, names(&groups)).bar(SeriesRole::Own, "mean score", means)
}

fn outcomes(rows: &[LabelledRow]) -> Plot {
    let tasks = grouped(rows);
    let (x, y) = (Axis::default(), Axis::new("answers", ""));
    let mut plot = Plot::bars("outcomes", "Answers by task", x, y, names(&tasks));
    let kinds: [(&str, IsOne<'_>); 4] = [
        ("full score", &|row| {
            row.score.is_some_and(|score| score >= 1.0)
        }),
        ("part of it", &|row| {
            row.score.is_some_and(|score| score > 0.0 && score < 1.0)
        }),
        ("no part of it", &|row| {
            row.score.is_some_and(|score| score <= 0.0)
        }),
        ("no score", &|row| row.score.is_none()),
    ];
    for (name, is_one) in kinds {
        let counts = tasks
            .values()
            .map(|rows| number(rows.iter().filter(|row| is_one(row)).count()));
        plot = plot.bar(SeriesRole::Own, name, counts);
    }
    plot
}

/// Mean scores by capability and difficulty; `None` if no question has a label.
fn by_label(rows: &[LabelledRow], labels: &Labels) -> Option<Plot> {
    let is_one_task = grouped(rows).len() == 1;
    let scored = rows
        .iter()
        .filter_map(|row| Some((row.label(labels, is_one_task)?, row.score?)));
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
            .map(|(_, bucket)| bucket.map_or("all", Into::into).to_owned())
            .collect(),
        rows: rows
            .iter()
            .map(|capability| capability.map_or("no capability", Into::into).to_owned())
            .collect(),
        kinds: Vec::new(),
    };
    let title = "Mean score by capability and difficulty";
    let (x, y) = (Axis::new("difficulty", ""), Axis::new("mean score", ""));
    Some(Plot::new("labels", title, x, y, shape)).filter(|plot| !plot.is_empty())
}

fn rubric(rows: &[LabelledRow]) -> Plot {
    let groups = RUBRIC.map(|part| part.replace('_', " ")).to_vec();
    let (x, y) = (Axis::default(), Axis::new("mark", "of 10"));
    let means =
        RUBRIC.map(|part| mean_of(rows.iter().filter_map(|row| row.metrics.get(part).copied())));
    Plot::bars("rubric", "Mean of each mark", x, y, groups).bar(SeriesRole::Own, "mark", means)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::score::Metrics;
    use sim_core::{Causes, Digest, Header};

    fn row(label: &'static str, name: &str, score: Option<f64>) -> LabelledRow {
        let digest = Digest::of_bytes(name.as_bytes());
        LabelledRow {
            header: Header::new(label, 1, digest, digest, Seed(0), 0, "a"),
            labels: vec![(label, name.to_owned())],
            compared_by: digest,
            score,
            metrics: Metrics::default(),
            causes: Causes::default(),
        }
    }

    fn of<'a>(plots: &'a [Plot], name: &str) -> &'a Plot {
        plots.iter().find(|plot| plot.name == name).unwrap()
    }

    #[test]
    fn means_and_counts_of_questions_are_those_of_their_records() {
        let rows = [
            row("task", "b/FPB:1", Some(1.0)),
            row("task", "b/FPB:2", Some(0.0)),
            row("task", "b/FPB:3", None),
            row("task", "a/PM:1", Some(1.0)),
        ];
        let label = |difficulty: f64| {
            let label = serde_json::json!({"capability": "Numerical Calculation", "difficulty": difficulty});
            serde_json::from_value(label).unwrap()
        };
        let labels: Labels = [("b/FPB:1", 2.0), ("b/FPB:2", 2.0), ("a/PM:1", 9.0)]
            .map(|(item, difficulty)| (item.to_owned(), label(difficulty)))
            .into();
        let plots = run_plots(&rows, &labels);
        let means = of(&plots, "tasks").bars_of("mean score").unwrap();
        assert_eq!(means.values, [Some(1.0), Some(0.5)]);
        let counts = |name: &str| of(&plots, "outcomes").bars_of(name).unwrap().values.clone();
        assert_eq!(counts("full score"), [Some(1.0), Some(1.0)]);
        assert_eq!(counts("no part of it"), [Some(0.0), Some(1.0)]);
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
    }

    #[test]
    fn marks_of_interviews_are_means_by_case() {
        let marked = |case: &str, mark: f64| {
            let mut row = row("case", case, Some(mark));
            row.metrics.insert("quant", mark);
            row
        };
        let plots = run_plots(
            &[marked("bakery", 8.0), marked("bank", 4.0)],
            &Labels::new(),
        );
        let rubric = of(&plots, "rubric").bars_of("mark").unwrap();
        assert_eq!(rubric.values, [None, Some(6.0), None, None]);
        let cases = of(&plots, "cases").bars_of("mean score").unwrap();
        assert_eq!(cases.values, [Some(8.0), Some(4.0)]);
        assert!(run_plots(&[row("week", "1", Some(1.0))], &Labels::new()).is_empty());
    }
}
