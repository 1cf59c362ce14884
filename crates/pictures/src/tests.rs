use super::*;
use crate::look::CLASSES;
use sim_core::plot::{Axis, Cell, RangeGroup, RangeRow, Series, SeriesRole, Span, SpanRow};

fn axes() -> (Axis, Axis) {
    (Axis::new("week", ""), Axis::new("cost", "$"))
}

/// Two groups of means with intervals, and a line of reference.
fn ranges() -> Plot {
    let row = |name: &str, value: Option<f64>| RangeRow {
        name: name.to_owned(),
        value,
        inner: value.map(|value| [value - 1.0, value + 1.0]),
        other: value.map(|value| value + 3.0),
        ..RangeRow::default()
    };
    let group = |name: &str, rows| RangeGroup {
        name: name.to_owned(),
        rows,
    };
    let groups = vec![
        group("", vec![row("<b>one</b>", Some(4.0)), row("two", None)]),
        group("a heading", vec![row("three", Some(9.0))]),
    ];
    let levels = vec![Series::of(SeriesRole::Optimum, "optimum", [(12.0, 0.0)])];
    let (x, y) = axes();
    Plot::new("ranges", "Ranges", x, y, Shape::Ranges { groups, levels })
}

/// An axis with names.
fn presets() -> Axis {
    Axis::named("preset", vec!["easy".to_owned(), "<b>hard</b>".to_owned()])
}

fn named() -> Plot {
    Plot::lines("named", "Named", presets(), axes().1)
        .with(Series::own("a", [(-0.1, 1.0), (1.2, 3.0)]).apart())
        .with(Series::of(
            SeriesRole::Baseline,
            "a, mean",
            [(0.0, 1.0), (1.0, 3.0)],
        ))
}

fn parts() -> Plot {
    Plot::stacked("parts", "Parts", presets(), axes().1)
        .with(Series::own("a", [(0.0, 1.0), (1.0, 3.0)]))
        .with(Series::own("b", [(0.0, 2.0), (1.0, 0.0)]))
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
        ranges(),
        named(),
        parts(),
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

#[test]
fn a_file_holds_every_plot_with_its_title_and_its_legend() {
    let plots = all_forms();
    let file = as_file("a < b", &plots).unwrap().unwrap();
    assert!(file.contains("<title>a &lt; b</title>"));
    for bad in ["<script", "<b>", "style=", "NaN", "inf"] {
        assert!(!file.contains(bad), "{bad}");
    }
    for plot in &plots {
        assert!(file.contains(&plot.title), "{}", plot.title);
        for key in as_picture(plot).unwrap().unwrap().keys {
            let name = key.name.replace('<', "&lt;").replace('>', "&gt;");
            assert!(file.contains(&name), "{name}");
        }
    }
    let (x, y) = axes();
    assert_eq!(as_file("a", &[Plot::lines("a", "A", x, y)]).unwrap(), None);
}

#[test]
fn text_shows_names_of_positions() {
    assert!(as_text(&named(), 60).contains("preset: easy, <b>hard</b>"));
}

/// Parts below zero pile downwards, and a layer that ends early does not take away those below it.
#[test]
fn layers_pile_by_their_sign() {
    let (x, y) = axes();
    let plot = Plot::stacked("signs", "Signs", x, y)
        .with(Series::own("a", [(1.0, 100.0), (2.0, 100.0)]))
        .with(Series::own("b", [(1.0, -50.0)]))
        .with(Series::own("c", [(1.0, 20.0), (2.0, 20.0)]));
    let text = as_text(&plot, 60);
    assert!(text.contains("120") && text.contains("-50"), "{text}");
}

/// A value that is none of the kinds has a mark of its own.
#[test]
fn a_cell_of_no_kind_is_marked() {
    let shape = Shape::Grid {
        columns: vec!["1".to_owned(), "2".to_owned()],
        rows: vec!["a".to_owned()],
        cells: [0.0, 0.5]
            .into_iter()
            .enumerate()
            .map(|(column, value)| Cell {
                row: 0,
                column,
                value,
            })
            .collect(),
        kinds: vec!["one".to_owned()],
    };
    let (x, y) = axes();
    let text = as_text(&Plot::new("kinds", "Kinds", x, y, shape), 60);
    assert!(text.contains("a |o?|"), "{text}");
}

#[test]
fn small_amounts_keep_their_digits() {
    assert_eq!(look::figure(0.000_02), "0.00002");
    assert_eq!(look::figure(0.1 + 0.2), "0.3");
    assert_eq!(look::figure(0.3 - 0.1 - 0.2), "0");
}

#[test]
fn control_characters_do_not_reach_a_terminal() {
    let (x, y) = axes();
    let series = Series::own("b\u{1b}[2J", [(1.0, 2.0), (2.0, 3.0)]);
    let plot = Plot::lines("lines", "a\u{1b}[2J", x, y).with(series);
    assert!(
        as_text(&plot, 60)
            .chars()
            .all(|c| !c.is_control() || c == '\n')
    );
}
