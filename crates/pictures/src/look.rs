//! What all drawings have in common: colours, sizes, ranges, names and numbers on axes.

use plotters::style::RGBColor;
use sim_core::plot::{Series, SeriesRole, number};

/// Most letters of a name; longer ones are cut.
const NAME: usize = 24;
/// Width of a letter, roughly (px).
const LETTER_WIDTH: usize = 7;

/// Colours that differ in brightness as well, so that they can be told apart in print.
pub const COLOURS: [RGBColor; 8] = [
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
const OPTIMUM: RGBColor = RGBColor(0, 120, 40);
/// Colour of the baseline.
pub(crate) const BASELINE: RGBColor = RGBColor(150, 150, 150);
/// Colour of limits, such as the best known play that uses only what its seat sees.
const LIMIT: RGBColor = RGBColor(120, 60, 160);

pub(crate) const CLASSES: [&str; COLOURS.len()] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// A colour, the class of the style that stands for it, and whether its lines are dashed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub(crate) colour: RGBColor,
    pub(crate) class: &'static str,
    pub(crate) dashed: bool,
}

pub(crate) fn own_look(place: usize) -> Look {
    // From the first one again: a ninth series is rare, and more colours could not be told apart.
    let all = COLOURS.into_iter().zip(CLASSES).cycle();
    let (colour, class) = all.clone().nth(place).unwrap_or((COLOURS[0], CLASSES[0]));
    Look {
        colour,
        class,
        dashed: false,
    }
}

fn look(role: SeriesRole, place: usize) -> Look {
    let (colour, class) = match role {
        SeriesRole::Own => return own_look(place),
        SeriesRole::Optimum => (OPTIMUM, "optimum"),
        SeriesRole::Baseline => (BASELINE, "baseline"),
        // Not one of the colours of series, which are given by place.
        SeriesRole::Limit => (LIMIT, "own"),
    };
    Look {
        colour,
        class,
        dashed: true,
    }
}

/// The look of each series. A reference that is named after one of the others (`retailer, best plan`)
/// has its colour.
pub(crate) fn looks(series: &[Series]) -> Vec<Look> {
    let own: Vec<&Series> = series
        .iter()
        .filter(|series| series.role == SeriesRole::Own)
        .collect();
    // Counted among the own series only, so that a reference in between shifts no colour.
    let place = |name: &str| own.iter().position(|series| series.name == name);
    series
        .iter()
        .map(|series| {
            let of = series.name.rsplit_once(", ").and_then(|(of, _)| place(of));
            match (series.role, of) {
                (SeriesRole::Own, _) => own_look(place(&series.name).unwrap_or_default()),
                (_, Some(place)) => Look {
                    dashed: true,
                    ..own_look(place)
                },
                (role, None) => look(role, 0),
            }
        })
        .collect()
}

/// The look of each bar in a group.
pub(crate) fn bar_looks(roles: impl Iterator<Item = SeriesRole>) -> Vec<Look> {
    let mut own = 0;
    roles
        .map(|role| {
            let look = look(role, own);
            // A reference takes no colour, so that agents have the same ones with and without it.
            own += usize::from(role == SeriesRole::Own);
            look
        })
        .collect()
}

/// A name that fits beside a plot.
pub(crate) fn short(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    // Characters and not bytes, as a cut inside a character is no text.
    let kept: String = name.chars().take(NAME - 1).collect();
    format!("{kept}…")
}

/// The width of the longest of `names`, each cut to what fits (px).
pub(crate) fn names_width<'a>(names: impl Iterator<Item = &'a String>) -> u32 {
    let letters = names.map(|name| name.chars().count().min(NAME)).max();
    pixels(letters.unwrap_or(0) * LETTER_WIDTH + 16)
}

/// A number on an axis. Ticks are sums of steps, so what is left of 0.1 + 0.2 - 0.3 is 0; dollars for a request
/// (0.00002) keep their digits.
pub(crate) fn figure(value: f64) -> String {
    if value.abs() >= 1e-3 {
        return number(value);
    }
    // The sum with 0 makes a plain zero of a negative one.
    ((value * 1e8).round() / 1e8 + 0.0).to_string()
}

/// The least and the greatest of `values`.
pub(crate) fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
        (l.min(x), h.max(x))
    });
    (low <= high).then_some((low, high))
}

/// The layers of piles: position, beginning and end. Those above zero and those below it are piled apart, because a
/// negative part would cover what lies below it.
pub(crate) fn piled(series: &[Series]) -> Vec<Vec<(f64, f64, f64)>> {
    let mut tops: Vec<(f64, f64)> = Vec::new();
    let layer = |layer: &Series| {
        // Only longer: a layer that ends early keeps the sums of those below it.
        tops.resize(tops.len().max(layer.points.len()), (0.0, 0.0));
        let piles = layer.points.iter().zip(&mut tops);
        let piles = piles.map(|((x, value), top)| {
            let side = if *value < 0.0 { &mut top.1 } else { &mut top.0 };
            let from = *side;
            *side += value;
            (*x, from, *side)
        });
        piles.collect()
    };
    series.iter().map(layer).collect()
}

/// The least and the greatest of `values` with a margin, never an empty range.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let Some((low, high)) = bounds(values.filter(|x| x.is_finite())) else {
        // No finite value at all: the axes are drawn all the same.
        return 0.0..1.0;
    };
    // Also where all values are equal: a range without width has no scale, and one below the
    // precision of the values cannot be divided.
    let margin = ((high - low) * 0.05)
        .max(high.abs().max(low.abs()) * 1e-6)
        .max(1e-9);
    low - margin..high + margin
}

/// A count as a size in pixels.
pub(crate) fn pixels(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A count as a coordinate.
pub(crate) fn count(count: usize) -> f64 {
    f64::from(pixels(count))
}
