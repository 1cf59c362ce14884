//! The drawings: scores by capability and difficulty, marks of the interviews, the router.

use super::model::{Column, Model};
use super::{MARKS, QUESTIONS};
use crate::paper::draw::{Dot, DotGroup, PaperFigure, dots};
use crate::paper::published::Published;
use crate::paper::table::Measure;
use qa_scoring::taxonomy::TaxonomyLabel;
use run_engine::error::RunError;

/// A row of a drawing for each method.
fn method_dots(
    columns: &[Column],
    of: impl Fn(&str) -> Option<Measure>,
    published: impl Fn(&str) -> Option<f64>,
) -> Vec<Dot> {
    let dot = |(colour, column): (usize, &Column)| {
        let (measure, name) = (of(&column.key), &column.heading);
        Dot {
            name: name.clone(),
            value: measure.map(|measure| measure.value),
            ci95: measure.and_then(|measure| measure.ci95),
            published: published(name),
            colour,
        }
    };
    let all = columns.iter().enumerate().map(dot);
    all.filter(|dot| dot.value.is_some()).collect()
}

pub(super) fn capability_figure(
    model: &Model<'_>,
    published: &Published,
) -> Result<Option<PaperFigure>, RunError> {
    let columns = model.columns();
    let mut groups = Vec::new();
    for (capability, bucket, domain, task) in QUESTIONS {
        let keep = |label: &TaxonomyLabel| {
            let fits = label.capability == Some(capability);
            fits && (bucket.is_none() || label.bucket() == bucket)
        };
        let key = format!("{domain}, {task}");
        groups.push(DotGroup {
            name: key.clone(),
            dots: method_dots(
                &columns,
                |key| model.questions(key, keep),
                |name| published.number("Table 1", &key, name),
            ),
        });
    }
    groups.retain(|group| !group.dots.is_empty());
    dots(
        "Table 1",
        "score by capability, difficulty and method, with 95 % intervals",
        &groups,
    )
}

pub(super) fn marks_figure(
    model: &Model<'_>,
    published: &Published,
) -> Result<Option<PaperFigure>, RunError> {
    let columns = model.columns();
    let marks = MARKS.iter().copied().chain([("overall", "Overall")]);
    let group = |(mark, name): (&str, &str)| DotGroup {
        name: name.to_owned(),
        dots: method_dots(
            &columns,
            |key| model.mark(key, mark),
            |heading| published.number("Table 2", name, heading),
        ),
    };
    let mut groups: Vec<DotGroup> = marks.map(group).collect();
    groups.push(DotGroup {
        name: "Spread of the judges".to_owned(),
        dots: method_dots(&columns, |key| model.spread(key), |_| None),
    });
    groups.retain(|group| !group.dots.is_empty());
    dots(
        "Table 2",
        "marks of the interviews by method, with 95 % intervals",
        &groups,
    )
}

pub(super) fn routed_figure(
    model: &Model<'_>,
    published: &Published,
) -> Result<Option<PaperFigure>, RunError> {
    let columns = model.columns_with_routed();
    let group = DotGroup {
        name: String::new(),
        dots: method_dots(
            &columns,
            |key| model.all_questions(key),
            |name| published.number("Figure 3", "all", name),
        ),
    };
    dots(
        "Figure 3",
        "score over all questions, with 95 % intervals",
        &[group],
    )
}
