//! The pictures of a game against its record.

use beer_game::Spec;
use sim_core::plot::Shape;
use sim_core::testkit::{check_plots, play_plots};
use sim_core::{DynEnvironmentSpec as _, Plot, Seed};

#[test]
fn every_preset_has_sound_pictures() {
    check_plots(&Spec, "typical").unwrap();
}

#[test]
fn the_weekly_costs_sum_to_the_costs_of_the_record() {
    for preset in ["paper", "random", "classic"] {
        let (record, plots) = play_plots(&Spec, preset, "sterman", Seed(5)).unwrap();
        let metric = |name: &str| record.score.metrics()[name];
        let cost = Plot::find(&plots, "cost").unwrap();
        let mut sum = 0.0;
        for role in ["retailer", "wholesaler", "distributor", "brewery"] {
            let of_role = cost.series(role).unwrap().sum();
            assert!(
                (of_role - metric(&format!("cost_{role}"))).abs() < 1e-6,
                "{preset} {role}"
            );
            sum += of_role;
        }
        assert!((sum - metric("chain_cost")).abs() < 1e-6, "{preset}");
        let own = Plot::find(&plots, "so_far")
            .unwrap()
            .series("this game")
            .unwrap();
        let (_, end) = own.points.last().unwrap();
        assert!((end - record.score.value()).abs() < 1e-6, "{preset}");
    }
}

#[test]
fn orders_are_those_of_the_record_and_the_plan_beside_them_costs_no_more() {
    let (record, plots) = play_plots(&Spec, "paper", "constant:150", Seed(5)).unwrap();
    let orders = Plot::find(&plots, "orders")
        .unwrap()
        .series("retailer")
        .unwrap();
    assert_eq!(orders.points.len(), record.entries.len());
    assert!(orders.points.iter().all(|(_, units)| *units == 150.0));
    let beside = Plot::find(&plots, "orders")
        .unwrap()
        .series("retailer, best known plan");
    assert_eq!(beside.unwrap().points.len(), record.entries.len());
    let end = |name: &str| {
        Plot::find(&plots, "so_far")
            .unwrap()
            .series(name)
            .unwrap()
            .points
            .last()
            .unwrap()
            .1
    };
    assert!(end("best known plan") < end("this game"));
    assert_eq!(
        end("best known plan"),
        9_200.0,
        "the published game's optimum"
    );
}

#[test]
fn stock_is_above_zero_and_backlog_below() {
    let (_, plots) = play_plots(&Spec, "paper", "constant:0", Seed(5)).unwrap();
    let Shape::Lines { series } = &Plot::find(&plots, "stock").unwrap().shape else {
        panic!("lines")
    };
    let retailer = &series[0].points;
    assert!(retailer.first().unwrap().1 > 0.0 && retailer.last().unwrap().1 < 0.0);
}

#[test]
fn a_record_of_another_game_has_no_pictures() {
    let (record, _) = play_plots(&Spec, "paper", "constant:150", Seed(5)).unwrap();
    let config = Spec.configure(Some("random"), &[]).unwrap();
    let other = Spec.draw(&config, Seed(5), 0).unwrap();
    assert_eq!(other.plots(&record).unwrap_err().place, "record");
}
