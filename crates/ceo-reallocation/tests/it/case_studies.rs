//! The two case studies of the paper (section 4.7) as statements about plans.

use crate::golden::scorer;
use ceo_reallocation::plan::{DecisionType, ReallocationPlan};
use ceo_reallocation::scenario::Officer;
use ceo_reallocation::score::{Diagnostic, Moves, Scorer};

fn score(scorer: &Scorer, moves: &[(&str, f64)], kind: DecisionType, text: &str) -> f64 {
    card(scorer, moves, kind, text).score()
}

fn card(
    scorer: &Scorer,
    moves: &[(&str, f64)],
    kind: DecisionType,
    text: &str,
) -> ceo_reallocation::score::ScoreCard {
    let mut deltas = [0.0; 8];
    for (unit, pp) in moves {
        deltas[scorer
            .ids()
            .iter()
            .position(|id| id.as_str() == *unit)
            .unwrap()] = *pp;
    }
    let plan: ReallocationPlan = scorer.plan(&Moves::from_deltas(&deltas), kind, text);
    scorer.score(&plan)
}

#[test]
fn case_1_the_middle_beats_both_ends() {
    let scorer = scorer("C3-R3");
    let text = "The CMO wants 20 points, but the CFO sees a covenant and the CTO a limit; because \
                the earlier rounds raised Open Platform, we prioritise Open Platform within its limit.";
    let middle: Vec<f64> = [
        vec![("A", -12.0), ("C", 6.0), ("D", 4.0), ("B", 2.0)],
        vec![("A", -13.0), ("C", 6.0), ("D", 4.0), ("B", 3.0)],
        vec![("A", -14.0), ("C", 6.0), ("D", 5.0), ("B", 3.0)],
    ]
    .iter()
    .map(|moves| score(&scorer, moves, DecisionType::Moderate, text))
    .collect();
    // The same words for all, so that only the moves differ.
    let ends = [
        score(
            &scorer,
            &[("A", -7.0), ("C", 4.0), ("D", 3.0)],
            DecisionType::Conservative,
            text,
        ),
        score(
            &scorer,
            &[("A", -6.0), ("C", 3.0), ("D", 3.0)],
            DecisionType::Conservative,
            text,
        ),
        score(
            &scorer,
            &[("A", -17.0), ("B", -2.0), ("D", -2.0), ("C", 21.0)],
            DecisionType::Bold,
            text,
        ),
    ];
    for middle in &middle {
        for end in ends {
            assert!(*middle > end + 20.0, "{middle} {end}");
        }
    }
    assert!(ends[0] > ends[1] && ends[1] > ends[2], "{ends:?}");
    let captured = card(
        &scorer,
        &[("A", -17.0), ("B", -2.0), ("D", -2.0), ("C", 21.0)],
        DecisionType::Bold,
        text,
    );
    assert!(
        captured
            .diagnostics
            .contains(&Diagnostic::SingleAdvisorCapture {
                officer: Officer::Cmo
            })
    );
}

#[test]
fn case_2_the_staged_reversal_wins() {
    let scorer = scorer("C7-R3");
    let text = "The two prior rounds scaled Home Robotics, but the market is gone.";
    let staged = score(
        &scorer,
        &[
            ("E", -10.0),
            ("C", -5.0),
            ("F", 8.0),
            ("B", 4.0),
            ("D", 3.0),
        ],
        DecisionType::Bold,
        text,
    );
    let simple = score(
        &scorer,
        &[("E", -12.0), ("F", 12.0)],
        DecisionType::Moderate,
        text,
    );
    let exit = score(
        &scorer,
        &[("E", -16.0), ("C", -4.0), ("F", 14.0), ("B", 6.0)],
        DecisionType::Bold,
        text,
    );
    let hold = card(
        &scorer,
        &[],
        DecisionType::Conservative,
        "We stay the course.",
    );
    let no_reversal = card(
        &scorer,
        &[("F", -3.0), ("C", -2.0), ("E", 5.0)],
        DecisionType::Conservative,
        "We stay the course: Home Robotics remains our growth engine and the team was just scaled.",
    );
    assert!(staged > simple && simple > exit && exit > hold.score());
    assert!(hold.score() > no_reversal.score());
    assert!((no_reversal.score() - 37.3179).abs() < 1e-4);
    assert!(
        no_reversal
            .diagnostics
            .contains(&Diagnostic::PathDependentAnchoring)
    );
    assert!(
        no_reversal
            .diagnostics
            .contains(&Diagnostic::HistoricalAmnesia)
    );
    assert!(hold.diagnostics.contains(&Diagnostic::ConservativeDefault));
}

#[test]
fn boldness_by_total() {
    // Worked example 1 of the design.
    let scorer = scorer("C3-R3");
    let mut compared = 0;
    for (r, want) in [
        (0.0, 0.0),
        (6.5, 7.5),
        (8.0, 31.8182),
        (10.0, 77.2727),
        (11.0, 100.0),
        (13.0, 100.0),
        (15.5, 95.8333),
        (18.0, 75.0),
        (21.0, 50.0),
        (24.0, 25.0),
    ] {
        let moves = Moves {
            remove: [r, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            add: [0.0, 0.0, r, 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        let marks = scorer.judge(&moves, r, None, scorer.best_wording());
        assert!(
            (marks.boldness - want).abs() < 1e-4,
            "{r}: {}",
            marks.boldness
        );
        compared += 1;
    }
    assert_eq!(compared, 10);
}
