//! The pictures of the environments against their records.

use econ_envs::{litmus, pricing, procurement, scheduling};
use sim_core::plot::Shape;
use sim_core::testkit::{check_plots, play_plots};
use sim_core::{Plot, Seed};

fn end(plots: &[Plot], plot: &str, series: &str) -> f64 {
    Plot::find(plots, plot)
        .unwrap()
        .series(series)
        .unwrap()
        .points
        .last()
        .unwrap()
        .1
}

#[test]
fn every_preset_has_sound_pictures() {
    check_plots(&procurement::Spec, "greedy").unwrap();
    check_plots(&scheduling::Spec, "fix-all-pairs").unwrap();
    check_plots(&pricing::Spec, "cost-plus").unwrap();
    check_plots(&litmus::collusion::Spec, "match-rival").unwrap();
    check_plots(&litmus::efficiency::Spec, "equality-greedy").unwrap();
    check_plots(&litmus::patience::Spec, "later").unwrap();
}

#[test]
fn the_best_so_far_of_procurement_is_the_score_and_the_frontier_ends_at_the_optimum() {
    for policy in ["greedy", "random", "optimal"] {
        let (record, plots) = play_plots(&procurement::Spec, "basic", policy, Seed(5)).unwrap();
        assert_eq!(end(&plots, "value", "best so far"), record.score.value());
        let plans = Plot::find(&plots, "value").unwrap().series("plan");
        let refused = Plot::find(&plots, "value")
            .unwrap()
            .series("plan that is not allowed");
        let all = [plans, refused]
            .into_iter()
            .flatten()
            .map(|s| s.points.len());
        assert_eq!(all.sum::<usize>(), record.entries.len(), "one point a plan");
        let frontier = Plot::find(&plots, "frontier")
            .unwrap()
            .series("best known for the budget")
            .unwrap();
        assert!(frontier.points.is_sorted_by(|a, b| a.1 <= b.1));
        assert!(frontier.points.last().unwrap().1 >= record.score.value() - 1e-9);
        let budget = end(&plots, "cost", "budget");
        let bought = Plot::find(&plots, "frontier").unwrap().series("plan");
        for (cost, _) in bought.iter().flat_map(|s| &s.points) {
            assert!(*cost <= budget);
        }
    }
}

#[test]
fn the_blocking_pairs_of_the_last_assignment_are_the_marked_cells() {
    let (record, plots) = play_plots(&scheduling::Spec, "basic", "random", Seed(5)).unwrap();
    let blocking = end(&plots, "blocking", "assignment");
    assert_eq!(blocking, record.score.metrics()["blocking_pairs"]);
    let Shape::Grid { cells, rows, .. } = &Plot::find(&plots, "pairs").unwrap().shape else {
        panic!("a grid")
    };
    let of_kind = |kind: f64| cells.iter().filter(|cell| cell.value == kind).count();
    assert_eq!(of_kind(1.0) as f64, blocking);
    assert_eq!(of_kind(0.0), rows.len(), "everybody has a task");
    let expected = end(&plots, "blocking", "random assignment, mean");
    assert!((1.0 - blocking / expected - record.score.value()).abs() < 1e-9);
}

#[test]
fn earned_and_lost_profit_sum_to_the_profit_of_the_run_and_to_the_best() {
    let (record, plots) = play_plots(&pricing::Spec, "basic", "random", Seed(5)).unwrap();
    let profit = Plot::find(&plots, "profit").unwrap();
    let earned = profit.series("earned").unwrap();
    let total = record.score.metrics()["total_profit"];
    assert!((earned.sum() - total).abs() < 1e-6 * total.abs().max(1.0));
    let best = earned.sum() + profit.series("lost").unwrap().sum();
    let whole_run = record.score.metrics()["whole_run"];
    assert!(
        (total / best - whole_run).abs() < 1e-3,
        "{} {whole_run}",
        total / best
    );
    let (_, plots) = play_plots(&pricing::Spec, "basic", "optimal", Seed(5)).unwrap();
    let (set, best) = (
        end(&plots, "prices", "Product_1"),
        end(&plots, "prices", "Product_1, best"),
    );
    assert!((set - best).abs() < 0.011, "{set} {best}");
}

#[test]
fn profits_and_prices_of_the_sellers_are_those_of_the_record() {
    let (record, plots) =
        play_plots(&litmus::collusion::Spec, "duopoly", "best-reply", Seed(5)).unwrap();
    for seller in ["1", "2"] {
        let earned = Plot::find(&plots, "profits")
            .unwrap()
            .series(&format!("seller_{seller}"))
            .unwrap()
            .sum();
        let metric = record.score.metrics()[format!("profit_seller_{seller}").as_str()];
        assert!((earned - metric).abs() < 1e-6 * metric.abs().max(1.0));
    }
    assert!(end(&plots, "prices", "competitors") < end(&plots, "prices", "cartel"));
}

#[test]
fn revenue_and_pay_end_where_the_score_says() {
    let (record, plots) = play_plots(&litmus::efficiency::Spec, "both", "random", Seed(5)).unwrap();
    let revenue = end(&plots, "revenue", "this run");
    assert!((revenue - record.score.metrics()["revenue"]).abs() < 1e-6);
    assert!(end(&plots, "revenue", "most efficient") >= revenue);
    let Shape::Lines { series } = &Plot::find(&plots, "pay").unwrap().shape else {
        panic!("lines")
    };
    // As tools and record call the workers.
    assert_eq!(series[0].name, "W1");
    let Shape::Grid { rows, .. } = &Plot::find(&plots, "work").unwrap().shape else {
        panic!("a grid")
    };
    assert_eq!(rows[0], "W1");
    let pay: Vec<f64> = series.iter().map(|s| s.points.last().unwrap().1).collect();
    let (low, high) = pay
        .iter()
        .fold((f64::MAX, 0.0_f64), |(l, h), x| (l.min(*x), h.max(*x)));
    assert!((high - low - record.score.metrics()["inequality"]).abs() < 1e-6);
}

#[test]
fn the_answers_of_the_questionnaire_give_its_share_and_its_rates() {
    let (record, plots) = play_plots(&litmus::patience::Spec, "paper", "random", Seed(5)).unwrap();
    let Shape::Lines { series } = &Plot::find(&plots, "waited").unwrap().shape else {
        panic!("lines")
    };
    let points: Vec<f64> = series.iter().flat_map(|s| &s.points).map(|p| p.1).collect();
    let waited = points.iter().sum::<f64>() / points.len() as f64;
    assert!((1.0 - waited - record.score.metrics()["now_share"]).abs() < 1e-9);
    let rates = Plot::find(&plots, "rates")
        .unwrap()
        .bars_of("rate")
        .unwrap();
    assert_eq!(
        rates.values[2],
        record.score.metrics().get("rate_1_year").copied()
    );
}
