//! Draws the plots of an environment: as SVG for pages, and as text for the terminal.

pub mod items;
mod svg;
mod text;

pub use text::as_text;

use crate::drawing::{BASELINE, COLOURS, OPTIMUM, OWN};
use plotters::style::RGBColor;
use run_engine::engine::workload::RecordChoice;
use run_engine::environments::Environments;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::run_dir::Folder;
use serde::Serialize;
use sim_core::plot::{Series, SeriesRole, Shape};
use sim_core::{DynInstance, EpisodeRecord, Plot};
use std::path::Path;

/// The style of figures on a page: the colours that every SVG of this crate is drawn in, for light,
/// dark and print.
pub const STYLE: &str = include_str!("picture/figures.css");

/// A drawn plot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// What it shows.
    pub caption: String,
    /// The SVG, without links, scripts and style attributes; all texts in it are escaped.
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
pub fn as_picture(plot: &Plot) -> Result<Option<Picture>, RunError> {
    if plot.is_empty() {
        return Ok(None);
    }
    Ok(Some(Picture {
        caption: plot.title.clone(),
        svg: svg::svg(plot)?,
        keys: keys(plot),
    }))
}

/// Draws those of `plots` that have something to draw.
///
/// # Errors
/// When one cannot be drawn.
pub fn as_pictures(plots: &[Plot]) -> Result<Vec<Picture>, RunError> {
    let drawn = plots.iter().map(as_picture);
    let drawn: Vec<Option<Picture>> = drawn.collect::<Result<_, _>>()?;
    Ok(drawn.into_iter().flatten().collect())
}

/// Width of a plot below a transcript \[columns\].
const COLUMNS: usize = 72;

/// The main plot of an episode as text, with an empty line before it; nothing where there is none.
///
/// # Errors
/// When the record is not of this instance.
pub fn main_plot(instance: &dyn DynInstance, record: &EpisodeRecord) -> Result<String, RunError> {
    let plots = instance.plots(record)?;
    let main = plots.iter().find(|plot| !plot.is_empty());
    Ok(main.map_or_else(String::new, |plot| format!("\n{}", as_text(plot, COLUMNS))))
}

/// [`main_plot`] of the record `asked` of the run folder `dir`.
///
/// # Errors
/// When the folder cannot be read. An episode without a record has no plot.
pub fn main_plot_of(
    environments: &Environments,
    dir: &Path,
    asked: RecordChoice,
) -> Result<String, RunError> {
    let folder = Folder::read(dir)?;
    let plan = &folder.manifest.plan;
    let (Some(record), _) = folder.first(|header| asked.is(header))? else {
        return Ok(String::new());
    };
    let source = InstanceSource::of(environments.kind(&plan.environment)?, plan)?;
    main_plot(&*source.case(record.header.episode)?, &record)
}

/// A colour, the class of the style that stands for it, and whether its lines are dashed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Look {
    colour: RGBColor,
    class: &'static str,
    dashed: bool,
}

const CLASSES: [&str; COLOURS.len()] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

fn own_look(place: usize) -> Look {
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
        SeriesRole::Limit => (OWN, "own"),
    };
    Look {
        colour,
        class,
        dashed: true,
    }
}

/// The look of each series. An optimum that is named after one of the others (`retailer, best plan`)
/// has its colour.
fn looks(series: &[Series]) -> Vec<Look> {
    let own: Vec<&Series> = series
        .iter()
        .filter(|series| series.role == SeriesRole::Own)
        .collect();
    let place = |name: &str| own.iter().position(|series| series.name == name);
    series
        .iter()
        .map(|series| {
            let of = series.name.split_once(", ").and_then(|(of, _)| place(of));
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
fn bar_looks(roles: impl Iterator<Item = SeriesRole>) -> Vec<Look> {
    let mut own = 0;
    roles
        .map(|role| {
            let look = look(role, own);
            own += usize::from(role == SeriesRole::Own);
            look
        })
        .collect()
}

fn keys(plot: &Plot) -> Vec<Key> {
    let key = |look: &Look, name: &str| Key {
        class: look.class.to_owned(),
        name: name.to_owned(),
    };
    match &plot.shape {
        Shape::Lines { series } | Shape::Stacked { series } => looks(series)
            .iter()
            .zip(series)
            .map(|(look, series)| key(look, &series.name))
            .collect(),
        Shape::Bars { bars, .. } => bar_looks(bars.iter().map(|bars| bars.role))
            .iter()
            .zip(bars)
            .map(|(look, bars)| key(look, &bars.name))
            .collect(),
        Shape::Spans { rows } => {
            let failed = rows.iter().flat_map(|row| &row.spans).any(|s| s.failed);
            let mut keys = vec![key(&own_look(0), &plot.y.text())];
            if failed {
                keys.push(key(&own_look(1), "refused"));
            }
            keys
        }
        Shape::Grid { kinds, .. } => kinds
            .iter()
            .enumerate()
            .map(|(place, kind)| key(&own_look(place), kind))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::plot::{Axis, Cell, Span, SpanRow};

    fn axes() -> (Axis, Axis) {
        (Axis::new("week", ""), Axis::new("cost", "$"))
    }

    fn all_forms() -> Vec<Plot> {
        let points = || (1..=20).map(|k| (f64::from(k), f64::from(k * k)));
        let (x, y) = axes();
        let lines = Plot::lines("lines", "Lines", x.clone(), y.clone())
            .with(Series::own("a", points()))
            .with(Series::of(SeriesRole::Optimum, "a, best", points()))
            .with(Series::level(SeriesRole::Limit, "limit", 90.0, 1.0, 20.0));
        let stacked = Plot::stacked("stacked", "Stacked", x.clone(), y.clone())
            .with(Series::own("a", points()))
            .with(Series::own("b", points()));
        let groups = vec!["one".to_owned(), "<script>two</script>".to_owned()];
        let bars = Plot::bars("bars", "Bars", x.clone(), y.clone(), groups)
            .bar(SeriesRole::Own, "a", [1.0, -2.0])
            .bar(SeriesRole::Optimum, "b", [3.0, f64::NAN]);
        let span = |from: f64, value, failed| Span {
            from,
            to: from + 2.0,
            value,
            failed,
        };
        let rows = vec![SpanRow {
            name: "<b>row</b>".to_owned(),
            spans: vec![
                span(0.0, 2.0, false),
                span(4.0, 0.0, false),
                span(7.0, 1.0, true),
            ],
        }];
        let spans = Plot::new(
            "spans",
            "Spans",
            x.clone(),
            y.clone(),
            Shape::Spans { rows },
        );
        let cells = vec![Cell {
            row: 0,
            column: 1,
            value: 1.0,
        }];
        let names = |n: usize| (0..n).map(|k| k.to_string()).collect();
        let shape = Shape::Grid {
            columns: names(3),
            rows: names(2),
            cells,
            kinds: Vec::new(),
        };
        vec![
            lines,
            stacked,
            bars,
            spans,
            Plot::new("grid", "Grid", x, y, shape),
        ]
    }

    #[test]
    fn every_form_is_drawn_and_what_is_named_in_it_stays_text() {
        for plot in all_forms() {
            let picture = as_picture(&plot).unwrap().unwrap();
            assert!(picture.svg.starts_with("<svg"), "{}", plot.name);
            for bad in ["<script", "<b>", "style=", "NaN", "inf"] {
                assert!(!picture.svg.contains(bad), "{} has {bad}", plot.name);
            }
            assert_eq!(picture.caption, plot.title);
        }
    }

    #[test]
    fn an_optimum_has_the_colour_of_what_it_is_named_after() {
        let plots = all_forms();
        let keys = as_picture(&plots[0]).unwrap().unwrap().keys;
        let classes: Vec<&str> = keys.iter().map(|key| key.class.as_str()).collect();
        assert_eq!(classes, ["c0", "c0", "own"]);
        for class in CLASSES {
            assert!(STYLE.contains(&format!("--{class}:")));
        }
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let (x, y) = axes();
        assert_eq!(as_picture(&Plot::lines("a", "A", x, y)).unwrap(), None);
    }

    #[test]
    fn text_stays_within_its_width_and_names_everything() {
        for plot in all_forms() {
            let text = as_text(&plot, 60);
            assert!(text.starts_with(&plot.title), "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 60),
                "{text}"
            );
        }
        let lines = as_text(&all_forms()[0], 60);
        assert!(
            lines.contains("a, best") && lines.contains("400"),
            "{lines}"
        );
    }
}
