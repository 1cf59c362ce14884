//! Draws plots: as SVG for pages and files, and as text for terminals.
//!
//! ```text
//! EnvironmentSpec::plots ─┐               ┌─► as_picture: SVG, caption, legend   (report, view, class)
//! report, compare ────────┼─► sim_core::Plot ─► as_file: SVG that stands alone   (papers, figures)
//! papers ─────────────────┘               └─► as_text: text of a given width     (terminal)
//! ```
//!
//! Colours are written as hexadecimal attributes; [`STYLE`] gives each of them a value for light, for dark and for
//! print. A drawing holds no links, scripts or style attributes, and all texts in it are escaped.
//!
//! # Example
//!
//! ```
//! use sim_core::Plot;
//! use sim_core::plot::{Axis, Series};
//!
//! let (week, stock) = (Axis::new("week", ""), Axis::new("stock", "cases"));
//! let plot = Plot::lines("stock", "Stock", week, stock).with(Series::own("stock", [(1.0, 4.0), (2.0, 3.0)]));
//! assert!(pictures::as_picture(&plot)?.is_some());
//! # Ok::<(), pictures::DrawError>(())
//! ```

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

mod look;
mod svg;
mod text;

pub use look::COLOURS;
pub use text::as_text;

use look::{Look, bar_looks, looks, own_look};
use serde::Serialize;
use sim_core::Plot;
use sim_core::plot::Shape;

/// The style of figures on a page: the colours that every SVG of this crate is drawn in, for light,
/// dark and print.
pub const STYLE: &str = include_str!("figures.css");

/// A plot that the drawing library refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a plot could not be drawn: {0}")]
pub struct DrawError(String);

fn failed<E: std::fmt::Display>(error: E) -> DrawError {
    DrawError(error.to_string())
}

/// A drawn plot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// What it shows.
    pub caption: String,
    /// The SVG.
    pub svg: String,
    /// The legend.
    pub keys: Vec<Key>,
}

/// A line of a legend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Class of its colour in [`STYLE`].
    pub class: String,
    /// What has this colour.
    pub name: String,
}

/// Draws `plot` as SVG; `None` if there is nothing to draw.
///
/// # Errors
/// When it cannot be drawn.
pub fn as_picture(plot: &Plot) -> Result<Option<Picture>, DrawError> {
    if plot.is_empty() {
        return Ok(None);
    }
    // As names and classes: the page draws the legend, in its own letters and for either theme.
    let keys = legend(plot).into_iter();
    let keys = keys.map(|(look, name)| Key {
        class: look.class.to_owned(),
        name,
    });
    Ok(Some(Picture {
        caption: plot.title.clone(),
        svg: svg::of_page(plot)?,
        keys: keys.collect(),
    }))
}

/// Draws those of `plots` that have something to draw.
///
/// # Errors
/// When one cannot be drawn.
pub fn as_pictures(plots: &[Plot]) -> Result<Vec<Picture>, DrawError> {
    let drawn = plots.iter().map(as_picture);
    let drawn: Vec<Option<Picture>> = drawn.collect::<Result<_, _>>()?;
    Ok(drawn.into_iter().flatten().collect())
}

/// Draws `plots` one below the other as an SVG that stands alone, on white, each below its title and above its
/// legend. `title` is the `<title>` of the file, which screen readers read. `None` if there is nothing to draw.
///
/// # Errors
/// When one cannot be drawn.
pub fn as_file(title: &str, plots: &[Plot]) -> Result<Option<String>, DrawError> {
    // Left out before anything is measured: an empty plot would leave a title and a gap.
    let plots: Vec<&Plot> = plots.iter().filter(|plot| !plot.is_empty()).collect();
    if plots.is_empty() {
        return Ok(None);
    }
    let mut escaped = String::new();
    for letter in title.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            letter => escaped.push(letter),
        }
    }
    let svg = svg::of_file(&plots)?;
    // Put in by hand, because the drawing library writes no title; the first `>` ends the opening
    // tag.
    Ok(Some(svg.replacen(
        '>',
        &format!(">\n<title>{escaped}</title>"),
        1,
    )))
}

/// The looks and names of a legend.
fn legend(plot: &Plot) -> Vec<(Look, String)> {
    let named = |looks: Vec<Look>, names: Vec<String>| looks.into_iter().zip(names).collect();
    match &plot.shape {
        Shape::Lines { series } | Shape::Stacked { series } => named(
            looks(series),
            series.iter().map(|s| s.name.clone()).collect(),
        ),
        Shape::Bars { bars, .. } => named(
            bar_looks(bars.iter().map(|bars| bars.role)),
            bars.iter().map(|bars| bars.name.clone()).collect(),
        ),
        Shape::Spans { rows } => {
            let failed = rows.iter().flat_map(|row| &row.spans).any(|s| s.failed);
            // Spans are all of one colour, so a single key names what their height is.
            let mut keys = vec![(own_look(0), plot.y.text())];
            // A colour that nothing has would be looked for in the drawing.
            if failed {
                keys.push((own_look(1), "refused".to_owned()));
            }
            keys
        }
        Shape::Grid { kinds, .. } => {
            let places = 0..kinds.len();
            named(places.map(own_look).collect(), kinds.clone())
        }
        Shape::Ranges { levels, .. } => named(
            looks(levels),
            levels.iter().map(|s| s.name.clone()).collect(),
        ),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
