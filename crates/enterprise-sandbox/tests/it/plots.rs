//! The pictures of a task against its record.

use enterprise_sandbox::Spec;
use sim_core::plot::Shape;
use sim_core::testkit::{check_plots, play_plots};
use sim_core::{DynEnvironmentSpec as _, Plot, Seed};

#[test]
fn every_call_has_a_span_and_the_checks_are_those_of_the_score() {
    let spec = Spec::default();
    let preset = spec.preset_list()[0].name;
    for policy in ["oracle", "null", "snoop"] {
        let (record, plots) = play_plots(&spec, preset, policy, Seed(5)).unwrap();
        for plot in &plots {
            plot.check().unwrap();
        }
        assert!(plots.len() >= 2);
        let Shape::Spans { rows } = &Plot::find(&plots, "calls").unwrap().shape else {
            panic!("spans")
        };
        let spans: Vec<_> = rows.iter().flat_map(|row| &row.spans).collect();
        let metric = |name: &str| record.score.metrics()[name];
        let ends = rows
            .iter()
            .filter(|row| ["answer", "refuse"].contains(&row.name.as_str()));
        assert_eq!(
            (spans.len() - ends.count()) as f64,
            metric("steps"),
            "{policy}"
        );
        let failed = spans.iter().filter(|span| span.failed).count();
        assert!(failed as f64 <= metric("steps"));
        let checks = Plot::find(&plots, "checks")
            .unwrap()
            .bars_of("this task")
            .unwrap();
        assert_eq!(checks.values[0], Some(record.score.value()), "{policy}");
        assert_eq!(checks.values[2], Some(metric("fact_recall")), "{policy}");
    }
}

#[test]
fn tasks_have_sound_pictures() {
    check_plots(&Spec::default(), "oracle").unwrap();
}
