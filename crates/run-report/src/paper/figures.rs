//! The figures of a paper, drawn from the cells of its tables.

use super::draw::{PaperFigure, PointPanel, dots, heat, named, points, shares};
use super::spec::{Drawing, FigureSpec, Part, Spec, known};
use super::table::{PaperCell, PaperRow, PaperRowOrigin, PaperTable};
use run_engine::error::RunError;
use sim_core::plot::{RangeGroup, RangeRow};
use std::collections::BTreeSet;

/// A cell that is drawn, with its row and the heading of its column.
type Drawn<'a> = (&'a PaperRow, &'a str, &'a PaperCell);

/// The figures of `spec`; those without a figure of ours are absent. A table that is split has a figure for each value.
///
/// # Errors
/// When a figure cannot be drawn, or names a column that its table does not have.
pub(super) fn figures(spec: &Spec, tables: &[PaperTable]) -> Result<Vec<PaperFigure>, RunError> {
    let mut figures = Vec::new();
    for figure in &spec.figures {
        let own: Vec<&PaperTable> = tables
            .iter()
            .filter(|table| table.place == figure.table)
            .collect();
        let spec_of = spec.tables.iter().find(|table| table.place == figure.table);
        let parts = spec_of.map_or(&[][..], |table| table.columns.as_slice());
        // Where the spec does not say all headings that runs can make, a column may be one of a run that is still to be
        // played, so none can be called misspelt.
        let lists = parts.iter().map(Part::heading_lists);
        if let Some(lists) = lists.collect::<Option<Vec<_>>>() {
            // Of all tables of the place, because each table of a split one has runs of its own, and of all listed
            // values, because a value has a column only if there is a run of it.
            let columns = own.iter().flat_map(|table| &table.columns);
            let mut heads: BTreeSet<&str> = columns.map(String::as_str).collect();
            let listed = lists.concat().into_iter();
            let listed = listed.filter_map(|list| spec.lists.get(list)).flatten();
            heads.extend(listed.map(|named| named.heading.as_str()));
            let mut columns = figure.columns.iter().flatten();
            columns
                .try_for_each(|column| known("column", column, &heads))
                .map_err(|e| RunError::usage(format!("figure {}: {e}", figure.place)))?;
        }
        for table in &own {
            let Some(found) = draw(figure, table)? else {
                continue;
            };
            let of = table.split.as_deref().unwrap_or_default();
            // With several tables of one place the figures need names of their own, or one file
            // would replace another.
            figures.push(if own.len() > 1 {
                named(found, of)
            } else {
                found
            });
        }
    }
    Ok(figures)
}

fn draw(figure: &FigureSpec, table: &PaperTable) -> Result<Option<PaperFigure>, RunError> {
    let (place, title) = (figure.place.as_str(), figure.title.as_str());
    // Of those that it names, the columns that the table has: a value that was not played has none yet, and shares would
    // get the name of the column before theirs.
    let columns = figure.columns.as_ref().unwrap_or(&table.columns);
    let columns = columns.iter().map(String::as_str);
    let columns = columns.filter(|column| table.columns.iter().any(|held| held == column));
    let columns: Vec<&str> = columns.collect();
    let ours = table
        .rows
        .iter()
        .filter(|row| row.origin == PaperRowOrigin::Runs);
    let rows: Vec<&PaperRow> = ours.take(figure.rows.unwrap_or(usize::MAX)).collect();
    let mut cells: Vec<Vec<Drawn<'_>>> = Vec::new();
    for row in &rows {
        let of = |column: &&'_ str| {
            let at = table.columns.iter().position(|held| held == column)?;
            Some((*row, table.columns.get(at)?.as_str(), row.cells.get(at)?))
        };
        cells.push(columns.iter().filter_map(of).collect());
    }
    match figure.draw {
        Drawing::Dots => dots(place, title, by_column(figure, &columns, &cells)),
        Drawing::DotsByRow => {
            let group = |cells: &Vec<Drawn<'_>>| RangeGroup {
                name: cells
                    .first()
                    .filter(|_| !figure.bare)
                    .map_or_else(String::new, |(row, ..)| row.labels.join(", ")),
                rows: cells
                    .iter()
                    .enumerate()
                    .map(|(colour, (_, column, cell))| dot(column, cell, colour))
                    .collect(),
            };
            dots(
                place,
                title,
                with_figures(cells.iter().map(group).collect()),
            )
        }
        Drawing::Shares => {
            let parts = |cells: &Vec<Drawn<'_>>| {
                let shares: Vec<f64> = cells.iter().filter_map(|(.., cell)| cell.ours).collect();
                let name = cells.first().map(|(row, ..)| row.labels.join(", "));
                Some((name?, shares)).filter(|(_, shares)| !shares.is_empty())
            };
            shares(
                place,
                title,
                &columns,
                &cells.iter().filter_map(parts).collect::<Vec<_>>(),
            )
        }
        Drawing::Points => {
            let panel = |column: &&str| PointPanel {
                name: (*column).to_owned(),
                columns: point_columns(
                    figure,
                    cells.iter().flatten().filter(|(_, held, _)| held == column),
                ),
            };
            points(place, title, &columns.iter().map(panel).collect::<Vec<_>>())
        }
        Drawing::Heat => {
            // Either all from our runs or all from the paper: in one map nobody could tell them
            // apart.
            let has_ours = cells.iter().flatten().any(|(.., cell)| cell.ours.is_some());
            let value = |cell: &PaperCell| {
                if has_ours {
                    cell.ours
                } else {
                    cell.published.as_ref()?.parse().ok()
                }
            };
            let cell = |(row, column, cell): &Drawn<'_>| {
                let value = value(cell)?;
                Some((row.labels.join(", "), (*column).to_owned(), Some(value)))
            };
            heat(place, title, cells.iter().flatten().filter_map(cell))
        }
    }
}

/// A group for each column and the further labels of a row; a dot for each first label of a row.
fn by_column(figure: &FigureSpec, columns: &[&str], cells: &[Vec<Drawn<'_>>]) -> Vec<RangeGroup> {
    let mut names: Vec<&str> = Vec::new();
    let mut rests: Vec<&[String]> = Vec::new();
    for (row, ..) in cells.iter().filter_map(|cells| cells.first()) {
        let (name, rest) = row
            .labels
            .split_first()
            .map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
        if !names.contains(&name) {
            names.push(name);
        }
        if !rests.contains(&rest) {
            rests.push(rest);
        }
    }
    let drawn: &[&str] = if figure.first {
        columns.get(..1).unwrap_or_default()
    } else {
        columns
    };
    let mut groups = Vec::new();
    for column in drawn {
        for rest in &rests {
            let mut name: Vec<&str> = rest.iter().map(String::as_str).collect();
            if !figure.first && !figure.bare {
                name.insert(0, column);
            }
            let of = cells.iter().filter(|cells| {
                cells
                    .first()
                    .and_then(|(row, ..)| row.labels.get(1..))
                    .is_some_and(|held| held == *rest)
            });
            let dots = of.filter_map(|cells| {
                let usual = cells.iter().find(|(_, held, _)| held == column);
                // Words say that there is nothing to be measured in the column, so the next one counts.
                let first = cells
                    .iter()
                    .find(|(.., cell)| cell.ours.is_some() || cell.command.is_some());
                let (row, _, cell) = if figure.first { first? } else { usual? };
                let name = row.labels.first()?;
                // In each group the same label has the same colour.
                Some(dot(name, cell, names.iter().position(|held| held == name)?))
            });
            groups.push(RangeGroup {
                name: name.join(", "),
                rows: dots.collect(),
            });
        }
    }
    with_figures(groups)
}

/// The groups without dots that have no figure.
fn with_figures(mut groups: Vec<RangeGroup>) -> Vec<RangeGroup> {
    for group in &mut groups {
        group.rows.retain(|row| row.value.is_some());
    }
    groups.retain(|group| !group.rows.is_empty());
    groups
}

fn dot(name: &str, cell: &PaperCell, colour: usize) -> RangeRow {
    RangeRow {
        name: name.to_owned(),
        value: cell.ours,
        inner: cell.ci95,
        whole: None,
        other: cell.published.as_ref().and_then(|text| text.parse().ok()),
        colour,
    }
}

/// The observations of cells by the labels of their rows but the first, the last label first.
fn point_columns<'a>(
    figure: &FigureSpec,
    cells: impl Iterator<Item = &'a Drawn<'a>>,
) -> Vec<(String, Vec<f64>)> {
    let mut found: Vec<(Vec<String>, Vec<f64>)> = Vec::new();
    let mut orders: Vec<Vec<String>> = Vec::new();
    for (row, _, cell) in cells {
        let mut labels: Vec<String> = row.labels.get(1..).unwrap_or_default().to_vec();
        labels.reverse();
        for (at, label) in labels.iter().enumerate() {
            if orders.len() <= at {
                orders.push(Vec::new());
            }
            if let Some(order) = orders.get_mut(at).filter(|order| !order.contains(label)) {
                order.push(label.clone());
            }
        }
        match found.iter_mut().find(|(held, _)| *held == labels) {
            Some((_, values)) => values.extend(&cell.observed),
            None => found.push((labels, cell.observed.clone())),
        }
    }
    // In the order in which the rows name the labels, level by level: sorted by name, `hard` would
    // stand before `medium`.
    found.sort_by_key(|(labels, _)| {
        let places = labels.iter().zip(&orders);
        places
            .map(|(label, order)| order.iter().position(|held| held == label))
            .collect::<Vec<_>>()
    });
    let short = |label: &String| figure.short.get(label).unwrap_or(label).clone();
    let named = found.into_iter();
    named
        .map(|(labels, values)| {
            (
                labels.iter().map(short).collect::<Vec<_>>().join(" "),
                values,
            )
        })
        .collect()
}
