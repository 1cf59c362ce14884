//! Tables over many evaluations, and the older rubric.

use crate::golden::{plans, scorer};
use ceo_reallocation::plan::parse_plan;
use ceo_reallocation::policy::nothing;
use ceo_reallocation::report::{compare, row};
use ceo_reallocation::scenario::{StrategyLabel, authored};
use ceo_reallocation::score::{DecisionGrade, DecisionOutcome, ScoreCard, older_rubric, round2};
use sim_core::Seed;

#[test]
fn a_row_sums_an_agent_up() {
    let plans = plans().scenarios;
    let cards: Vec<(String, ScoreCard)> = plans
        .iter()
        .map(|(id, policies)| (id.clone(), scorer(id).score(&policies["follow_cfo"])))
        .collect();
    let of = |cards: &'static [(String, ScoreCard)]| cards.iter().map(|(id, c)| (id.as_str(), c));
    let cards: &'static [(String, ScoreCard)] = Box::leak(cards.into_boxed_slice());
    let summary = row(of(cards), Seed(1)).unwrap();
    // The mean of the design's table.
    assert_eq!(round2(summary.mean), 64.26);
    assert_eq!((summary.valid.count, summary.valid.of), (13, 13));
    assert_eq!(summary.grades.values().sum::<u64>(), 13);
    assert_eq!(summary.labels[&StrategyLabel::NotBoldEnough].count, 12);
    assert_eq!(summary.labels[&StrategyLabel::InvalidPlan].count, 0);
    assert!(summary.labels[&StrategyLabel::InvalidPlan].interval.1 > 0.2);
    let interval = summary.interval.unwrap();
    assert!(interval.low < summary.mean && interval.high > summary.mean);
    assert!(interval.high - interval.low < 10.0);
    assert!(
        summary
            .scenarios
            .values()
            .all(|(_, deviation)| deviation.is_none())
    );
    assert!(row([], Seed(1)).is_none());

    let reference: Vec<(String, ScoreCard)> = plans
        .iter()
        .map(|(id, policies)| (id.clone(), scorer(id).score(&policies["reference"])))
        .collect();
    let reference: &'static [(String, ScoreCard)] = Box::leak(reference.into_boxed_slice());
    let difference = compare(of(reference), of(cards), Seed(1)).unwrap();
    assert_eq!(difference.clusters, 13);
    assert!((difference.mean - (97.3173 - 64.2636)).abs() < 1e-3);
    assert!(difference.is_distinguishable());
}

#[test]
fn repeats_have_a_deviation() {
    let scorer = scorer("C3-R3");
    let scenario = authored().scenario("C3-R3").unwrap();
    let plans = [scenario.evaluation.reference_plan.clone(), nothing()];
    let cards = plans.map(|plan| scorer.score(&plan));
    let summary = row(cards.iter().map(|card| ("C3-R3", card)), Seed(1)).unwrap();
    let (mean, deviation) = summary.scenarios["C3-R3"];
    assert!((mean - (97.5 + 47.875) / 2.0).abs() < 1e-9);
    assert!((deviation.unwrap() - (97.5 - 47.875) / 2.0_f64.sqrt()).abs() < 1e-9);
    assert!(
        summary.interval.is_none(),
        "one scenario says nothing about others"
    );
    assert_eq!(
        (
            summary.grades[&DecisionGrade::A],
            summary.grades[&DecisionGrade::D]
        ),
        (1, 1)
    );
}

#[test]
fn the_older_rubric_by_hand() {
    let scenario = authored().scenario("C3-R3").unwrap();
    let scorer = scorer("C3-R3");
    let of = |reply: &str| older_rubric(scenario, &scorer, &parse_plan(reply).unwrap());
    // 30 valid + 30 in 11..15 + 20 aligned + 10 + 10 (1 - 6/15) = 96; C is warned, so times 0.9
    let good = of(r#"{"remove_from":{"A":13},"add_to":{"C":6,"D":4,"B":3}}"#);
    assert!((good.score - 86.4).abs() < 1e-9, "{good:?}");
    assert_eq!(good.outcome, DecisionOutcome::AcceptableWithTradeoffs);
    // 30 + 30 (1 - 6/15) + 20 + 0 + 0 = 68; out of range, so times 0.72
    let bold = of(r#"{"remove_from":{"A":17,"B":2,"D":2},"add_to":{"C":21}}"#);
    assert!((bold.score - 48.96).abs() < 1e-9, "{bold:?}");
    // 30 + 0 + 0 + 10 + 10 = 50; out of range
    let idle = of(r#"{"remove_from":{},"add_to":{}}"#);
    assert!((idle.score - 36.0).abs() < 1e-9, "{idle:?}");
    // 0 + 30 + 20 + 10 + 6 = 66; invalid, so times 0.45
    let broken = of(r#"{"remove_from":{"A":13},"add_to":{"C":6,"D":4,"B":2}}"#);
    assert!((broken.score - 29.7).abs() < 1e-9, "{broken:?}");
    // 30 + 30 + 20 + 10 + 10: everything right, without the warned unit
    let best = of(r#"{"remove_from":{"A":12},"add_to":{"D":6,"B":6}}"#);
    assert_eq!(
        (best.score, best.outcome),
        (100.0, DecisionOutcome::HighQuality)
    );
    let unreadable = of(r#"{"remove_from":{"Q":12},"add_to":{"D":12}}"#);
    assert_eq!(unreadable.score, 0.0);
}
