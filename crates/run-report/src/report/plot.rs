//! What the plots of agents have in common: their captions, and the lines of reference.

use super::collect::PoolData;
pub(crate) use crate::drawing::{
    BASELINE, COLOURS, LETTERS, OPTIMUM, OWN, WIDTH, colour, failed, figure, range, room, short,
};
use crate::picture::Key;
use plotters::prelude::*;

/// One figure of the page.
#[derive(Debug, serde::Serialize)]
pub(super) struct Plot {
    /// What it shows.
    pub(super) caption: String,
    /// The SVG.
    pub(super) svg: String,
    /// Names of the colours, where the plot does not name them itself.
    pub(super) keys: Vec<Key>,
}

/// References that every plot of scores shows, with their names.
pub(super) fn references(data: &[PoolData]) -> Vec<(f64, &'static str, RGBColor)> {
    let first = data.first().map(|d| &d.summary.reference);
    let lines = first.map(|r| {
        let bound = r.bound.filter(|_| r.optimum.is_none());
        [
            (r.optimum, "optimum", OPTIMUM),
            (bound, "bound", OPTIMUM),
            (r.own_information, "own info", OWN),
            (r.baseline, "baseline", BASELINE),
        ]
    });
    lines
        .into_iter()
        .flatten()
        .filter_map(|(value, name, colour)| value.map(|value| (value, name, colour)))
        .collect()
}
