//! The pictures of an episode against its record.

use ceo_reallocation::Spec;
use sim_core::testkit::{check_plots, play_plots};
use sim_core::{Plot, Seed};

fn values(plots: &[Plot], name: &str, bar: &str) -> Vec<f64> {
    let bars = Plot::find(plots, name).unwrap().bars_of(bar).unwrap();
    bars.values.iter().map(|value| value.unwrap()).collect()
}

#[test]
fn every_preset_has_sound_pictures() {
    check_plots(&Spec, "optimal").unwrap();
}

#[test]
fn shares_sum_to_the_whole_and_the_moves_lie_between_them() {
    let (record, plots) = play_plots(&Spec, "C3-R3", "random", Seed(5)).unwrap();
    let (before, after) = (
        values(&plots, "shares", "before"),
        values(&plots, "shares", "after"),
    );
    let moved = values(&plots, "proposals", "plan");
    for bar in [&before, &after] {
        assert!((bar.iter().sum::<f64>() - 100.0).abs() < 0.1, "{bar:?}");
    }
    for ((before, after), by) in before.iter().zip(&after).zip(&moved) {
        assert!((after - before - by).abs() < 1e-9);
    }
    let given: f64 = moved.iter().filter(|by| **by > 0.0).sum();
    assert!((given - record.score.metrics()["moved_pp"]).abs() < 1e-6);
    for officer in ["CFO", "CTO", "COO", "CMO"] {
        assert!(
            values(&plots, "proposals", officer)
                .iter()
                .sum::<f64>()
                .abs()
                < 1e-6
        );
    }
}

#[test]
fn the_marks_are_those_of_the_score() {
    let (record, plots) = play_plots(&Spec, "C3-R3", "random", Seed(5)).unwrap();
    let own = values(&plots, "marks", "plan");
    assert!((own[0] - record.score.value()).abs() < 1e-9);
    assert!(values(&plots, "marks", "best known plan")[0] >= own[0]);
}
