use crate::rule;
use aoa_router::trace::AnswerUsage;
use aoa_router::{
    Incomplete, Matrix, Paired, PolicyEvaluation, RoutingPolicy, TraceRecord, When, evaluate,
    evaluate_picks,
};
use std::collections::BTreeMap;

/// Six samples, three agents, computed by hand.
///
/// ```text
///        1 2 3 4 5 6    capability IE IE IE DK DK DK
/// cot    1 1 0 0 0 0    2 of 6, 1 call
/// dc     1 1 1 0 0 0    3 of 6, 2 calls
/// ace    0 0 0 1 1 0    2 of 6, 3 calls
/// ```
fn traces() -> Vec<TraceRecord> {
    let rows = [
        ("cot", "110000", 1),
        ("dc", "111000", 2),
        ("ace", "000110", 3),
    ];
    let mut traces = Vec::new();
    for (method, right, calls) in rows {
        for (at, right) in right.chars().enumerate() {
            let capability = if at < 3 { "IE" } else { "Domain Knowledge" };
            traces.push(TraceRecord {
                capability: Some(capability.to_owned()),
                usage: Some(AnswerUsage {
                    calls,
                    input: 10,
                    output: 5,
                    cost: Some(0.5),
                }),
                ..TraceRecord::new(at.to_string(), method, right == '1')
            });
        }
    }
    traces
}

fn policy() -> RoutingPolicy {
    let when = When {
        capability: Some("DK".to_owned()),
        ..When::default()
    };
    RoutingPolicy {
        rules: vec![rule(when, "ACE")],
        ..RoutingPolicy::always("cot")
    }
}

#[test]
fn figures_by_hand() {
    let matrix = Matrix::join(&traces(), Incomplete::Refuse).unwrap();
    let got = evaluate(&matrix, &policy()).unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    near(got.router.accuracy, 4.0 / 6.0); // 1 and 2 by cot, 4 and 5 by ace
    near(got.router.score, 4.0 / 6.0);
    near(got.oracle, 5.0 / 6.0);
    near(got.regret, 1.0 / 6.0);
    near(got.router.default_share, 0.5);
    near(got.router.cost.calls.unwrap(), 2.0); // half of them 1, half of them 3
    near(got.router.cost.tokens.unwrap(), 15.0);
    near(got.router.cost.usd.unwrap(), 0.5);
    assert_eq!(got.best_single, "dc");
    let counts = Paired {
        n: 6,
        wins: 2,
        losses: 1,
    };
    assert_eq!(got.router.against_best.counts, counts);
    near(got.router.against_best.mcnemar, 1.0);
    assert!(!got.router.against_best.distinguishable);

    let names: Vec<&str> = got.agents.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["dc", "ace", "cot"]);
    assert!(got.agents[0].against_best.is_none());
    near(got.agents[1].share, 0.5);
    let ace = got.agents[1].router_against.counts;
    assert_eq!(
        ace,
        Paired {
            n: 6,
            wins: 2,
            losses: 0
        }
    );

    let dk = got
        .cells
        .iter()
        .find(|cell| cell.capability.as_deref() == Some("DK"))
        .unwrap();
    assert_eq!(
        (dk.n, dk.best_here.as_str(), dk.difficulty_bucket),
        (3, "ace", None)
    );
    near(dk.router, 2.0 / 3.0);
    near(dk.best_single, 0.0);
    assert_eq!(got.cells.len(), 4); // two capabilities, and each with its one difficulty

    assert_eq!(got.rules.len(), 2);
    assert_eq!((got.rules[0].n, got.rules[0].rule), (3, Some(0)));
    assert_eq!(
        got.rules[0].against_default.counts,
        Paired {
            n: 3,
            wins: 2,
            losses: 0
        }
    );
    assert_eq!((got.rules[1].n, got.rules[1].rule), (3, None));

    let json = serde_json::to_string(&got).unwrap();
    assert_eq!(
        serde_json::from_str::<PolicyEvaluation>(&json).unwrap(),
        got
    );
    let text = got.to_string();
    for part in [
        "router       0.667",
        "best single  0.500  dc",
        "regret 0.167",
        "capability DK",
        "not distinguishable",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_capability_is_one_group_in_every_spelling() {
    let spellings = [
        "Planning",
        "planning ",
        "domain knowledge",
        "dk",
        "DK",
        "PLANNING",
    ];
    let mut traces = traces();
    for trace in &mut traces {
        let at: usize = trace.sample_id.parse().unwrap();
        trace.capability = Some(spellings[at].to_owned());
    }
    let matrix = Matrix::join(&traces, Incomplete::Refuse).unwrap();
    let cells = evaluate(&matrix, &policy()).unwrap().cells;
    let groups: Vec<(Option<&str>, usize)> = cells
        .iter()
        .map(|cell| (cell.capability.as_deref(), cell.n))
        .collect();
    let expected = [(Some("DK"), 3), (Some("Planning"), 3)].map(|group| [group; 2]);
    assert_eq!(groups, expected.concat());
}

#[test]
fn a_policy_needs_answers_of_its_agents() {
    let only: Vec<TraceRecord> = traces()
        .into_iter()
        .filter(|it| it.method != "ace")
        .collect();
    let matrix = Matrix::join(&only, Incomplete::Refuse).unwrap();
    let error = evaluate(&matrix, &policy()).unwrap_err();
    assert_eq!(error.place, "rules[0].choose");
    assert!(error.message.contains("there are cot, dc"), "{error}");
}

#[test]
fn picks_of_a_model_are_judged_alike() {
    let matrix = Matrix::join(&traces(), Incomplete::Refuse).unwrap();
    let by_rules = evaluate(&matrix, &policy()).unwrap();
    let picks: BTreeMap<String, String> = ["3", "4", "5"]
        .map(|id| (id.to_owned(), "ACE".to_owned()))
        .into();
    let by_model = evaluate_picks(&matrix, &picks, "cot").unwrap();
    assert_eq!(by_model.router, by_rules.router);
    assert_eq!(by_model.cells, by_rules.cells);
    let wrong = BTreeMap::from([("3".to_owned(), "me".to_owned())]);
    assert_eq!(
        evaluate_picks(&matrix, &wrong, "cot").unwrap_err().place,
        "3"
    );
}
