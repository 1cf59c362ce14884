//! Correlations as a heat map: an SVG that stands alone.

use crate::picture::not_drawn;
use qa_scoring::model_table::CorrelationCell;
use run_engine::error::RunError;
use sim_core::Plot;
use sim_core::plot::{Axis, Cell, Shape};

/// Draws correlations, row by row as `cells` has them. An undefined coefficient is an empty cell.
///
/// # Errors
/// When the picture cannot be drawn.
pub fn correlations(cells: &[CorrelationCell]) -> Result<String, RunError> {
    let values = cells.iter().map(|cell| {
        let found = cell.correlation.map(|found| found.coefficient);
        (cell.row.clone(), cell.column.clone(), found)
    });
    let plot = heat_map("correlations", "Correlations", "coefficient", values);
    let drawn = pictures::as_file("Correlations", &[plot]).map_err(not_drawn)?;
    Ok(drawn.unwrap_or_default())
}

/// A grid of the values of rows and columns, both in the order in which they are first named.
pub(crate) fn heat_map(
    name: &str,
    title: &str,
    what: &str,
    values: impl Iterator<Item = (String, String, Option<f64>)>,
) -> Plot {
    // A list and not a map: names stand in the order of the cells, and there are tens of them.
    fn place(names: &mut Vec<String>, name: String) -> usize {
        names
            .iter()
            .position(|one| *one == name)
            .unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
    }
    let (mut rows, mut columns, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, value) in values {
        let (row, column) = (place(&mut rows, row), place(&mut columns, column));
        cells.extend(value.map(|value| Cell { row, column, value }));
    }
    let shape = Shape::Grid {
        columns,
        rows,
        cells,
        kinds: Vec::new(),
    };
    Plot::new(name, title, Axis::default(), Axis::new(what, ""), shape)
}
