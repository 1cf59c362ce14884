//! The pictures of a run against its record.

use edt::Spec;
use sim_core::plot::Shape;
use sim_core::testkit::{check_plots, play_plots};
use sim_core::{Plot, Seed};

#[test]
fn every_preset_has_sound_pictures() {
    check_plots(&Spec, "simple").unwrap();
}

#[test]
fn the_spans_of_the_projects_sum_to_the_effort_of_the_run() {
    for (preset, policy) in [
        ("paper", "simple"),
        ("paper", "optimal"),
        ("small", "template"),
    ] {
        let (record, plots) = play_plots(&Spec, preset, policy, Seed(5)).unwrap();
        let Shape::Spans { rows } = &Plot::find(&plots, "projects").unwrap().shape else {
            panic!("spans")
        };
        let spans = rows.iter().flat_map(|row| &row.spans);
        let effort: f64 = spans.map(|span| (span.to - span.from) * span.value).sum();
        // Utilization is the effort over the time of all consultants, step by step.
        let used = Plot::find(&plots, "utilization")
            .unwrap()
            .series("in the step")
            .unwrap();
        let heads = record.score.metrics()["consultants"];
        let width = used.points[1].0 - used.points[0].0;
        let booked = used.sum() * heads * width;
        // What is done in the last step is never reported, so it is in the spans only.
        let last = rows.iter().filter_map(|row| row.spans.last());
        let end = used.points.last().unwrap().0 + width;
        let late: f64 = last.filter(|s| s.to == end).map(|s| s.value * width).sum();
        assert!(
            effort >= booked - 1e-6 && effort - booked <= late + 1e-6,
            "{preset} {policy}: {effort} in the spans, {booked} booked, {late} in the last step"
        );
    }
}

#[test]
fn the_money_ends_at_the_score_and_the_best_plan_earns_more() {
    let (record, plots) = play_plots(&Spec, "paper", "simple", Seed(5)).unwrap();
    let money = Plot::find(&plots, "money").unwrap();
    let end = |name: &str| money.series(name).unwrap().points.last().unwrap().1;
    assert_eq!(end("earnings so far"), record.score.value());
    assert_eq!(end("cash"), record.score.metrics()["cash"]);
    assert!(end("earnings of the best known plan") > end("earnings so far"));
    let lowest = money.series("cash").unwrap().points.iter().map(|(_, y)| *y);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    assert_eq!(lowest, record.score.metrics()["lowest_cash"]);
}
