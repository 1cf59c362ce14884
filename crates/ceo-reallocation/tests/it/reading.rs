//! Replies from which a plan must be read: the right plan or the right code, never a panic.

use crate::golden::scorer;
use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::plan::{
    Amount as PlanAmount, DecisionType, ReallocationPlan, ViolationCode, Warning, parse_plan,
};
use ceo_reallocation::scenario::{UnitId, authored};
use ceo_reallocation::score::Scorer;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a reply must come to in C3-R3.
enum Expect {
    /// These signed moves, valid.
    Moves(&'static [(&'static str, f64)]),
    /// These codes, all of them.
    Codes(&'static [ViolationCode]),
}

use Expect::{Codes, Moves};
use ViolationCode::{
    Amount, BothSides, Ceiling, DeclaredTotal, Floor, MassBalance, Parse, ReallocCap, Transfer,
    UnknownUnit,
};

#[track_caller]
fn check(reply: &str, expect: &Expect) {
    let shown: String = reply.chars().take(200).collect();
    let scorer = scorer("C3-R3");
    let read = parse_plan(reply);
    match (expect, read) {
        (Codes([Parse]), Err(_)) => {}
        (_, Err(_)) => panic!("no plan read from {shown}"),
        (Codes(codes), Ok(plan)) => {
            let mut found: Vec<_> = scorer.violations(&plan).iter().map(|v| v.code).collect();
            found.sort();
            found.dedup();
            assert_eq!(&found, codes, "{shown}");
        }
        (Moves(moves), Ok(plan)) => {
            assert_eq!(scorer.violations(&plan), [], "{shown}");
            let deltas = scorer.moves(&plan).unwrap().deltas();
            for (id, delta) in scorer.ids().iter().zip(deltas) {
                let want = moves
                    .iter()
                    .find(|(u, _)| *u == id.as_str())
                    .map_or(0.0, |(_, pp)| *pp);
                assert!((delta - want).abs() < 1e-9, "{shown}: {id} {delta}");
            }
        }
    }
}

const SMALL: Expect = Moves(&[("A", -3.0), ("B", 3.0)]);
const EMPTY: Expect = Moves(&[]);
const NO_PLAN: Expect = Codes(&[Parse]);

#[test]
fn replies() {
    let cases: Vec<(&str, Expect)> = vec![
        // as asked
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":3},"total_realloc_share":3,"decision_type":"conservative","rationale":"x"}"#,
            SMALL,
        ),
        (
            r#"{"remove_from":{"A":3.0},"add_to":{"B":1.5,"C":1.5}}"#,
            Moves(&[("A", -3.0), ("B", 1.5), ("C", 1.5)]),
        ),
        (
            r#"{"remove_from":{"A":2,"D":1},"add_to":{"B":3},"history_refs":[1,2]}"#,
            Moves(&[("A", -2.0), ("D", -1.0), ("B", 3.0)]),
        ),
        // prose and fences around it
        (
            "I have decided.\n{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "```json\n{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}\n```\nThat is all.",
            SMALL,
        ),
        (
            "```\n{\n  \"remove_from\": {\"A\": 3},\n  \"add_to\": {\"B\": 3}\n}\n```",
            SMALL,
        ),
        (
            "The set {A, B} matters. {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "An open brace { in prose. {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "{ my plan: {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}} }",
            SMALL,
        ),
        (
            "He said \"{\" and then {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "\u{feff}{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "计划如下：{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}} 完毕",
            SMALL,
        ),
        (
            "<think>{\"remove_from\": maybe}</think>{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        // two objects
        (
            "{\"analysis\":{\"CFO\":\"careful\"}} {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}} or {\"remove_from\":{\"A\":9},\"add_to\":{\"B\":9}}",
            SMALL,
        ),
        ("{} {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}", SMALL),
        (
            "{\"remove_from\":[\"A\"]} {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        ("[{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}]", SMALL),
        // numbers in other clothes
        (r#"{"remove_from":{"A":"3"},"add_to":{"B":"3"}}"#, SMALL),
        (r#"{"remove_from":{"A":"3%"},"add_to":{"B":"3 %"}}"#, SMALL),
        (
            r#"{"remove_from":{"A":" 3.0 "},"add_to":{"B":"3e0"}}"#,
            SMALL,
        ),
        (r#"{"remove_from":{"A":"+3"},"add_to":{"B":3}}"#, SMALL),
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":3},"total_realloc_share":"3%"}"#,
            SMALL,
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":3},"total_realloc_share":null}"#,
            SMALL,
        ),
        (r#"{"remove_from":{" A ":3},"add_to":{"B ":3}}"#, SMALL),
        // missing and empty
        (r#"{"remove_from":{},"add_to":{}}"#, EMPTY),
        (r#"{"remove_from":{}}"#, EMPTY),
        (r#"{"add_to":{}}"#, EMPTY),
        (r#"{"remove_from":null,"add_to":null}"#, EMPTY),
        (r#"{"remove_from":[],"add_to":[]}"#, EMPTY),
        (r#"{"remove_from":{"A":3}}"#, Codes(&[MassBalance])),
        (r#"{"add_to":{"B":3}}"#, Codes(&[MassBalance])),
        // what models add to JSON
        ("{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},}", SMALL),
        ("{\"remove_from\":{\"A\":3,},\"add_to\":{\"B\":3}}", SMALL),
        (
            "{ // cut the legacy\n\"remove_from\":{\"A\":3}, /* and help */ \"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},\"rationale\":\"braces } and { inside\"}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},\"rationale\":\"a \\\"quoted\\\" word\"}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},\"rationale\":\"two\nlines\"}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},\"rationale\":[\"a\",\"b\"],\"confidence\":0.9}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":9,\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},\"history_refs\":[1, ]} tail",
            SMALL,
        ),
        (
            "{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3},\"rationale\":\"// {no} comment\"}",
            SMALL,
        ),
        // braces that open no object before one that does
        ("{] {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}", SMALL),
        ("{/ {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}", SMALL),
        (
            "{nul} {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        (
            "{\"remove_from\" 1} {\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}",
            SMALL,
        ),
        // fractions: taken as written
        (
            r#"{"remove_from":{"A":0.13},"add_to":{"C":0.13},"total_realloc_share":0.13}"#,
            Moves(&[("A", -0.13), ("C", 0.13)]),
        ),
        // amounts that are none
        (
            r#"{"remove_from":{"A":-3},"add_to":{"B":-3}}"#,
            Codes(&[Amount]),
        ),
        (
            "{\"remove_from\":{\"A\":\u{2212}3},\"add_to\":{\"B\":3}}",
            Codes(&[Amount]),
        ),
        (
            "{\"remove_from\":{\"A\":\"\u{2212}3\"},\"add_to\":{\"B\":3}}",
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":"lots"},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":"NaN"},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":"inf"},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":101},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":1e308},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":null},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":true},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":{"pp":3}},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":"3 pp"},"add_to":{"B":3}}"#,
            Codes(&[Amount]),
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":3},"total_realloc_share":"some"}"#,
            Codes(&[Amount]),
        ),
        // units
        (
            r#"{"remove_from":{"Z":3},"add_to":{"B":3}}"#,
            Codes(&[UnknownUnit]),
        ),
        (
            r#"{"remove_from":{"a":3},"add_to":{"B":3}}"#,
            Codes(&[UnknownUnit]),
        ),
        (
            r#"{"remove_from":{"Legacy Acquiring":3},"add_to":{"B":3}}"#,
            Codes(&[UnknownUnit]),
        ),
        (
            r#"{"remove_from":{"Z":-3},"add_to":{"Y":3}}"#,
            Codes(&[UnknownUnit]),
        ),
        (
            r#"{"remove_from":{"Z":3,"A":-1},"add_to":{"B":3}}"#,
            Codes(&[UnknownUnit, Amount]),
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"A":3}}"#,
            Codes(&[BothSides]),
        ),
        (r#"{"remove_from":{"A":3,"B":0},"add_to":{"B":3}}"#, SMALL),
        // hard limits, all of them at once
        (
            r#"{"remove_from":{"A":20,"B":4,"D":6},"add_to":{"C":30}}"#,
            Codes(&[ReallocCap, Ceiling]),
        ),
        (
            r#"{"remove_from":{"B":5},"add_to":{"C":5}}"#,
            Codes(&[Floor, Transfer]),
        ),
        (
            r#"{"remove_from":{"A":13},"add_to":{"C":6,"D":4,"B":2},"total_realloc_share":13}"#,
            Codes(&[MassBalance]),
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":3},"total_realloc_share":9}"#,
            Codes(&[DeclaredTotal]),
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":3},"total_realloc_share":-3}"#,
            Codes(&[DeclaredTotal]),
        ),
        // no plan at all
        ("{\"remove_from", NO_PLAN),
        ("{//}", NO_PLAN),
        ("", NO_PLAN),
        ("I would rather not.", NO_PLAN),
        ("{}", NO_PLAN),
        ("[]", NO_PLAN),
        ("null", NO_PLAN),
        (
            "{\"remove_from\": {\"A\": 3}, \"add_to\": {\"B\": 3",
            NO_PLAN,
        ),
        (
            "{\"remove_from\": {\"A\": 3}, \"add_to\": {\"B\": 3}, \"rationale\": \"cut o",
            NO_PLAN,
        ),
        ("{\"Remove_from\":{\"A\":3},\"Add_to\":{\"B\":3}}", NO_PLAN),
        ("{\"remove\":{\"A\":3},\"add\":{\"B\":3}}", NO_PLAN),
        ("{'remove_from':{'A':3},'add_to':{'B':3}}", NO_PLAN),
        ("{\"remove_from\":\"A: 3\",\"add_to\":\"B: 3\"}", NO_PLAN),
        (
            "{\"remove_from\":[{\"unit\":\"A\",\"pp\":3}],\"add_to\":{}}",
            NO_PLAN,
        ),
        (
            "{\"plan\":{\"remove_from\":{\"A\":3},\"add_to\":{\"B\":3}}}",
            NO_PLAN,
        ),
        ("remove_from: A: 3\nadd_to: B: 3", NO_PLAN),
        ("}}}{{{", NO_PLAN),
    ];
    assert!(cases.len() >= 60);
    for (reply, expect) in &cases {
        check(reply, expect);
    }
    eprintln!("{} replies", cases.len());
}

#[test]
fn fractions_are_warned_of_and_not_rescaled() {
    let scorer = scorer("C3-R3");
    let warned = |reply: &str| scorer.score(&parse_plan(reply).unwrap()).warnings;
    let small = r#"{"remove_from":{"A":0.13},"add_to":{"C":0.13},"total_realloc_share":0.13}"#;
    assert_eq!(warned(small), [Warning::Fraction]);
    assert_eq!(warned(r#"{"remove_from":{"A":2},"add_to":{"C":2}}"#), []);
    assert_eq!(warned(r#"{"remove_from":{},"add_to":{}}"#), []);
    let declared_whole =
        r#"{"remove_from":{"A":0.13},"add_to":{"C":0.13},"total_realloc_share":13}"#;
    assert_eq!(warned(declared_whole), []);
}

#[test]
fn messages_say_what_and_where() {
    let scorer = scorer("C3-R3");
    let said = |reply: &str| {
        let plan = parse_plan(reply).unwrap();
        scorer
            .violations(&plan)
            .into_iter()
            .map(|v| v.message)
            .collect::<Vec<_>>()
    };
    for (reply, messages) in [
        (
            r#"{"remove_from":{"Z":3}}"#,
            vec!["unit 'Z' does not exist in C3-R3"],
        ),
        (
            r#"{"remove_from":{"A":"lots"},"add_to":{"B":101}}"#,
            vec![
                "amount for 'A' must be between 0 and 100, got `lots`",
                "amount for 'B' must be between 0 and 100, got 101",
            ],
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"A":3}}"#,
            vec!["unit 'A' is both a source and a destination"],
        ),
        (
            r#"{"remove_from":{"A":3},"add_to":{"B":2.5},"total_realloc_share":9}"#,
            vec![
                "removed 3.00 pp but added 2.50 pp",
                "total_realloc_share says 9.00, the plan moves 3.00",
            ],
        ),
        (
            r#"{"remove_from":{"A":26},"add_to":{"C":26}}"#,
            vec![
                "the plan moves 26.00 pp, the cap is 25.00",
                "'A' would be at 12.00, floor 18.00",
                "'C' would be at 46.00, ceiling 44.00",
            ],
        ),
        (
            r#"{"remove_from":{"B":5},"add_to":{"C":5}}"#,
            vec![
                "'B' would be at 19.00, floor 20.00",
                "transfer rule broken: 'B' must keep at least 20 pp",
            ],
        ),
    ] {
        assert_eq!(said(reply), messages, "{reply}");
    }
    assert_eq!(
        parse_plan("no").unwrap_err().to_string(),
        "no reallocation plan found in the reply"
    );
}

#[test]
fn forbidden_flows_look_at_totals() {
    // Worked example 13 of the design.
    let scorer = scorer("C6-R2");
    let codes = |reply: &str| {
        scorer
            .violations(&parse_plan(reply).unwrap())
            .iter()
            .map(|v| v.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(r#"{"remove_from":{"B":2,"A":2},"add_to":{"C":2,"D":2}}"#),
        []
    );
    assert_eq!(
        codes(r#"{"remove_from":{"B":3,"A":1},"add_to":{"C":3,"D":1}}"#),
        [Transfer]
    );
    assert_eq!(
        codes(r#"{"remove_from":{"E":1,"A":1},"add_to":{"D":2}}"#),
        [ViolationCode::Locked]
    );
}

#[test]
fn a_million_bytes_are_read_or_refused_in_time() {
    let plan = r#"{"remove_from":{"A":3},"add_to":{"B":3}}"#;
    let mut hard: Vec<(String, Option<f64>)> = vec![
        ("x".repeat(1_000_000) + plan, Some(3.0)),
        ("{ ".repeat(20) + &"word ".repeat(190_000) + plan, Some(3.0)),
        ("{".repeat(1_000_000), None),
        ("{\"a\":".repeat(200_000), None),
        ("{\"a\":[".repeat(160_000), None),
        ("{/*".repeat(330_000), None),
        ("{//".repeat(330_000), None),
        ("{\"".repeat(500_000), None),
        ("{},".repeat(330_000), None),
        (
            format!(
                "{{\"rationale\":\"{}\",\"remove_from\":{{\"A\":3}}}}",
                "y".repeat(1_000_000)
            ),
            Some(3.0),
        ),
        ("\u{1F980}".repeat(250_000) + plan, Some(3.0)),
    ];
    let mut many = String::from("{\"remove_from\":{");
    for n in 0..40_000 {
        let _ = write!(many, "\"u{n}\":1,");
    }
    many.push_str("\"A\":3},\"add_to\":{}}");
    hard.push((many, Some(40_003.0)));
    for (text, removed) in &hard {
        let read = parse_plan(text)
            .ok()
            .map(|plan: ReallocationPlan| plan.removed());
        assert_eq!(
            read,
            *removed,
            "{}",
            text.chars().take(20).collect::<String>()
        );
    }
    assert_eq!(hard.len(), 12);
}

#[test]
fn amounts_read_percent_signs_and_typographic_minus() {
    for (text, value) in [
        ("13", 13.0),
        (" 12.5 % ", 12.5),
        ("\u{2212}3", -3.0),
        ("1e1", 10.0),
    ] {
        assert_eq!(PlanAmount::Text(text.to_owned()).value(), value, "{text}");
    }
    for text in ["", "%", "lots", "inf", "NaN", "1,5", "5 pp", "0x10"] {
        assert!(PlanAmount::Text(text.to_owned()).value().is_nan(), "{text}");
    }
}

#[test]
fn a_plan_reads_back_as_it_was_written() {
    let plan = ReallocationPlan {
        remove_from: BTreeMap::from([(UnitId::from("A"), PlanAmount::Text("13%".to_owned()))]),
        add_to: BTreeMap::from([(UnitId::from("B"), f64::NAN.into())]),
        ..ReallocationPlan::default()
    };
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(
        serde_json::from_str::<ReallocationPlan>(&text).unwrap(),
        plan
    );
    assert_eq!(plan.removed(), 13.0);
    assert!(plan.added().is_nan());
}

#[test]
fn decision_types_are_steps_apart() {
    assert_eq!(DecisionType::read(" Bold "), Some(DecisionType::Bold));
    assert_eq!(DecisionType::read("daring"), None);
    assert_eq!(DecisionType::Conservative.distance(DecisionType::Bold), 2);
}

/// The name of a unit may begin with a sign.
#[test]
fn names_that_begin_with_a_sign_are_found_in_a_rationale() {
    let mut scenario = authored().scenario("C3-R3").unwrap().clone();
    scenario.units[0].name = ".NET Tools".to_owned();
    let scorer = Scorer::new(&scenario, &ScoringConfig::default()).unwrap();
    let units = |text: &str| scorer.read_words(text).units.count_ones();
    assert_eq!(units("We add to .NET Tools."), 1);
    assert_eq!(units("We add (.net tools)"), 1);
    assert_eq!(units("We add to ASP.NET Tools."), 0);
}
