//! What all drawings have in common: sizes, colours, ranges, numbers on axes.
//!
//! Colours are written as hexadecimal attributes; the style sheet of the page gives each of them a
//! value for light, for dark and for print.

use plotters::prelude::*;
use run_engine::error::RunError;

/// Width of every plot (px). Narrow enough for its letters to be read on a phone.
pub(crate) const WIDTH: u32 = 520;
/// Size of letters (px, as the drawing library counts them).
pub(crate) const LETTERS: u32 = 16;
/// Width of a letter, roughly (px).
const LETTER_WIDTH: usize = 7;
/// Most letters of a name; longer ones are cut.
const NAME: usize = 24;

/// Colours that differ in brightness as well, so that they can be told apart in print.
pub(crate) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 90, 160),
    RGBColor(200, 80, 0),
    RGBColor(0, 130, 90),
    RGBColor(170, 40, 110),
    RGBColor(90, 90, 90),
    RGBColor(220, 150, 0),
    RGBColor(90, 170, 220),
    RGBColor(120, 60, 20),
];
/// Colour of optimum and bound.
pub(crate) const OPTIMUM: RGBColor = RGBColor(0, 120, 40);
/// Colour of the baseline.
pub(crate) const BASELINE: RGBColor = RGBColor(150, 150, 150);

/// Colour of the best known play that uses only what its seat sees.
pub(crate) const OWN: RGBColor = RGBColor(120, 60, 160);

pub(crate) fn colour(place: usize) -> RGBColor {
    COLOURS.iter().copied().cycle().nth(place).unwrap_or(BLACK)
}

pub(crate) fn failed<E: std::fmt::Display>(error: E) -> RunError {
    RunError::Failed(format!("a plot could not be drawn: {error}"))
}

/// A name that fits beside a plot.
pub(crate) fn short(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    let kept: String = name.chars().take(NAME - 1).collect();
    format!("{kept}…")
}

/// Room for the longest of `names` (px).
pub(crate) fn room<'a>(names: impl Iterator<Item = &'a String>) -> u32 {
    let letters = names.map(|name| name.chars().count()).max().unwrap_or(0);
    u32::try_from(letters * LETTER_WIDTH + 16).unwrap_or(u32::MAX)
}

/// A number on an axis.
pub(crate) fn figure(value: f64) -> String {
    run_engine::words::number((value * 1e4).round() / 1e4)
}

/// The least and the greatest of `values` with a margin, never an empty range.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) = values
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
    if low > high {
        return 0.0..1.0;
    }
    let margin = ((high - low) * 0.05)
        .max(high.abs().max(low.abs()) * 1e-6)
        .max(1e-9);
    low - margin..high + margin
}
