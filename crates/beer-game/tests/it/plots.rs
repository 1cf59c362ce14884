//! The pictures of a game against its record.

use beer_game::Spec;
use sim_core::plot::Shape;
use sim_core::{DynEnvironmentSpec, EpisodeRecord, Plot, Seed, testkit};

fn played(spec: &dyn DynEnvironmentSpec, preset: &str, policy: &str) -> (EpisodeRecord, Vec<Plot>) {
    let config = spec.configure(Some(preset), &[]).unwrap();
    let instance = spec.draw(&config, Seed(5), 0).unwrap();
    let record = testkit::play(spec, &*instance, policy).unwrap();
    let plots = instance.plots(&record).unwrap();
    (record, plots)
}

fn of<'a>(plots: &'a [Plot], name: &str) -> &'a Plot {
    plots.iter().find(|plot| plot.name == name).unwrap()
}

#[test]
fn every_preset_has_sound_pictures() {
    testkit::check_plots(&Spec, "typical").unwrap();
}

#[test]
fn the_weekly_costs_sum_to_the_costs_of_the_record() {
    for preset in ["paper", "random", "classic"] {
        let (record, plots) = played(&Spec, preset, "sterman");
        let metric = |name: &str| record.score.metrics()[name];
        let cost = of(&plots, "cost");
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
        let own = of(&plots, "so_far").series("this game").unwrap();
        let (_, end) = own.points.last().unwrap();
        assert!((end - record.score.value()).abs() < 1e-6, "{preset}");
    }
}

#[test]
fn orders_are_those_of_the_record_and_the_plan_beside_them_costs_no_more() {
    let (record, plots) = played(&Spec, "paper", "constant:150");
    let orders = of(&plots, "orders").series("retailer").unwrap();
    assert_eq!(orders.points.len(), record.entries.len());
    assert!(orders.points.iter().all(|(_, units)| *units == 150.0));
    let beside = of(&plots, "orders").series("retailer, best known plan");
    assert_eq!(beside.unwrap().points.len(), record.entries.len());
    let end = |name: &str| {
        of(&plots, "so_far")
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
    let (_, plots) = played(&Spec, "paper", "constant:0");
    let Shape::Lines { series } = &of(&plots, "stock").shape else {
        panic!("lines")
    };
    let retailer = &series[0].points;
    assert!(retailer.first().unwrap().1 > 0.0 && retailer.last().unwrap().1 < 0.0);
}

#[test]
fn a_record_of_another_game_has_no_pictures() {
    let (record, _) = played(&Spec, "paper", "constant:150");
    let config = Spec.configure(Some("random"), &[]).unwrap();
    let other = Spec.draw(&config, Seed(5), 0).unwrap();
    assert_eq!(other.plots(&record).unwrap_err().place, "record");
}
