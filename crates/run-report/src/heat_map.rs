//! Coefficients and scores as a heat map: an SVG that stands alone.

use crate::report::plot::{failed, room};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use qa_scoring::model_table::CorrelationCell;
use run_engine::error::RunError;

/// Size of a cell (px).
const CELL: (u32, u32) = (84, 24);
/// Height of the names of the columns and of the scale (px).
const HEAD: u32 = 30;
/// Size of letters (px, as the drawing library counts them).
const LETTERS: u32 = 15;
/// Colour of a coefficient of 1, and of -1; 0 is white.
const ENDS: [(u8, u8, u8); 2] = [(0, 90, 160), (200, 80, 0)];

/// A cell of a heat map.
#[derive(Debug)]
pub(crate) struct HeatCell {
    /// Name of its row.
    pub(crate) row: String,
    /// Name of its column.
    pub(crate) column: String,
    /// A number from -1 to 1; absent for an empty cell.
    pub(crate) value: Option<f64>,
}

/// Draws correlations, row by row as `cells` has them. An undefined coefficient is an empty cell.
///
/// # Errors
/// When the picture cannot be drawn.
pub fn correlations(cells: &[CorrelationCell]) -> Result<String, RunError> {
    let cell = |cell: &CorrelationCell| HeatCell {
        row: cell.row.clone(),
        column: cell.column.clone(),
        value: cell.correlation.map(|found| found.coefficient),
    };
    draw(&cells.iter().map(cell).collect::<Vec<_>>(), -1.0)
}

/// Draws numbers from `least` (-1 or 0) to 1, row by row as `cells` has them. Blue is positive and orange
/// negative; the colour deepens towards 1 and -1. Every cell shows its number.
///
/// # Errors
/// When the picture cannot be drawn.
pub(crate) fn draw(cells: &[HeatCell], least: f64) -> Result<String, RunError> {
    let (mut rows, mut columns): (Vec<&String>, Vec<&String>) = (Vec::new(), Vec::new());
    for cell in cells {
        if !rows.contains(&&cell.row) {
            rows.push(&cell.row);
        }
        if !columns.contains(&&cell.column) {
            columns.push(&cell.column);
        }
    }
    let left = room(rows.iter().copied());
    let wide = CELL.0.max(room(columns.iter().copied()));
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let width = left.saturating_add(count(columns.len()).saturating_mul(wide)) + 10;
    let height = HEAD.saturating_add(count(rows.len()).saturating_mul(CELL.1)) + HEAD;
    let at =
        |n: usize, step: u32, start: u32| px(start.saturating_add(count(n).saturating_mul(step)));
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let write = |text: &str, place: (i32, i32), side: HPos, ink: &RGBColor| {
            let style = ("sans-serif", LETTERS).into_font().color(ink);
            let style = style.pos(Pos::new(side, VPos::Center));
            root.draw(&Text::new(text.to_owned(), place, style))
                .map_err(failed)
        };
        for (n, name) in columns.iter().enumerate() {
            let middle = at(n, wide, left) + px(wide) / 2;
            write(name, (middle, px(HEAD) / 2), HPos::Center, &BLACK)?;
        }
        for (n, name) in rows.iter().enumerate() {
            let middle = at(n, CELL.1, HEAD) + px(CELL.1) / 2;
            write(name, (px(left) - 6, middle), HPos::Right, &BLACK)?;
        }
        for cell in cells {
            let (Some(row), Some(column)) = (
                rows.iter().position(|name| **name == cell.row),
                columns.iter().position(|name| **name == cell.column),
            ) else {
                continue;
            };
            let Some(found) = cell.value else {
                continue;
            };
            let corner = (at(column, wide, left), at(row, CELL.1, HEAD));
            let end = (corner.0 + px(wide) - 1, corner.1 + px(CELL.1) - 1);
            let paint = shade(found);
            let area = Rectangle::new([corner, end], paint.filled());
            root.draw(&area).map_err(failed)?;
            let ink = if found.abs() > 0.6 { &WHITE } else { &BLACK };
            let middle = ((corner.0 + end.0) / 2, (corner.1 + end.1) / 2);
            // Rounded first, so that no cell shows a negative zero.
            let number = format!("{:.2}", (found * 100.0).round() / 100.0 + 0.0);
            write(&number, middle, HPos::Center, ink)?;
        }
        // The scale.
        let base = px(height) - px(HEAD) / 2;
        let step = ((px(width) - px(left) - 70) / 21).max(2);
        for k in 0..21 {
            let x = px(left) + 26 + k * step;
            let paint = shade(least + (1.0 - least) * f64::from(k) / 20.0);
            let area = [(x, base - 6), (x + step - 1, base + 6)];
            root.draw(&Rectangle::new(area, paint.filled()))
                .map_err(failed)?;
        }
        write(
            &least.to_string(),
            (px(left) + 18, base),
            HPos::Right,
            &BLACK,
        )?;
        write("1", (px(left) + 32 + 21 * step, base), HPos::Left, &BLACK)?;
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

fn px(size: u32) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}

/// White at 0, the end's colour at 1 or -1.
fn shade(coefficient: f64) -> RGBColor {
    let [positive, negative] = ENDS;
    let (r, g, b) = if coefficient < 0.0 {
        negative
    } else {
        positive
    };
    let strength = coefficient.abs().min(1.0);
    let mix = |end: u8| {
        let value = 255.0 + (f64::from(end) - 255.0) * strength;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between a byte and 255"
        )]
        let value = value.round() as u8;
        value
    };
    RGBColor(mix(r), mix(g), mix(b))
}
