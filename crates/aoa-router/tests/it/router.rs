use crate::{TABLE_4, read, router, rule};
use aoa_router::router::DecidedBy;
use aoa_router::{
    Agents, Bucket, Conflict, Evidence, Explanation, Features, Router, RoutingPolicy, RoutingRule,
    Sample, TieBreaker, When,
};
use proptest::prelude::*;
use strum::VariantArray;

fn table_4() -> RoutingPolicy {
    read(TABLE_4).unwrap().routing_policy
}

fn sample(task: &str, capability: &str, bucket: Bucket, table: bool, code: bool) -> Sample {
    Sample {
        task_name: Some(task.to_owned()),
        capability: Some(capability.to_owned()),
        difficulty_bucket: bucket,
        features: Features {
            has_table: Some(table),
            has_code: Some(code),
            ..Features::default()
        },
    }
}

/// Table 4, evaluated by hand: the agent, and the rules that match.
fn expected(sample: &Sample) -> (&'static str, Vec<usize>) {
    let is = |capability| sample.capability.as_deref() == Some(capability);
    let mut rules = Vec::new();
    if is("IE") && sample.features.has_table == Some(true) {
        rules.push(0);
    }
    if is("DK") && sample.difficulty_bucket == Bucket::Hard {
        rules.push(1);
    }
    if is("DK") && sample.task_name.as_deref() == Some("finer") {
        rules.push(2);
    }
    if is("NC") && sample.features.has_code == Some(true) {
        rules.push(3);
    }
    if is("CR") && sample.difficulty_bucket == Bucket::Middle {
        rules.push(4);
    }
    let agent = match rules.first() {
        Some(0) => "dc",
        Some(1) => "ace",
        Some(2) => "amem",
        Some(4) => "discussion",
        _ => "gepa",
    };
    (agent, rules)
}

/// Every sample that Table 4 distinguishes.
fn every_sample() -> Vec<Sample> {
    let mut all = Vec::new();
    for task in ["finer", "tatqa"] {
        for capability in ["IE", "NC", "DK", "CR"] {
            for &bucket in Bucket::VARIANTS {
                for (table, code) in [(false, false), (false, true), (true, false), (true, true)] {
                    all.push(sample(task, capability, bucket, table, code));
                }
            }
        }
    }
    all
}

#[test]
fn table_4_is_followed_in_every_mode() {
    let mut overlaps = 0;
    for sample in every_sample() {
        let (agent, rules) = expected(&sample);
        for &conflict in Conflict::VARIANTS {
            for tie_breaker in [
                TieBreaker::PreferDefault,
                TieBreaker::PreferSimpler,
                TieBreaker::PreferAce,
            ] {
                let policy = RoutingPolicy {
                    conflict,
                    tie_breaker,
                    ..table_4()
                };
                let router = router(&policy);
                let choice = router.choose(&sample);
                // Every rule has two conditions, so both modes take the first; no rule has a gain,
                // so there are no ties.
                assert_eq!(choice.agent, agent, "{sample:?}");
                assert_eq!(choice.rule, rules.first().copied());
                assert!(!choice.tied);
                let told = router.explain(&sample);
                assert_eq!(
                    (told.agent.as_str(), told.rule),
                    (choice.agent, choice.rule)
                );
                let losers: Vec<usize> = told.losers.iter().map(|it| it.rule).collect();
                assert_eq!(losers, rules.get(1..).unwrap_or_default());
                assert_eq!(told.missed.len(), 5 - rules.len());
            }
        }
        overlaps += usize::from(rules.len() > 1);
    }
    // hard finer questions on domain knowledge, with and without table and code
    assert_eq!(overlaps, 4);
}

/// Table 4 with a gain for the two rules that overlap, optionally in another order.
fn overlapping(ace: f64, amem: f64, amem_first: bool) -> RoutingPolicy {
    let mut policy = table_4();
    for (at, gain) in [(1, ace), (2, amem)] {
        policy.rules[at].evidence = Some(Evidence {
            n: 100,
            gain,
            low: 0.0,
            high: 0.2,
            p: 0.01,
            folds: None,
        });
    }
    if amem_first {
        policy.rules.swap(1, 2);
    }
    policy
}

#[test]
fn the_overlap_is_settled_by_order_parts_and_ties() {
    use Conflict::{FirstMatch, MostSpecific};
    use TieBreaker::{PreferAce, PreferDefault, PreferSimpler};
    let hard_finer = sample("finer", "DK", Bucket::Hard, false, false);
    let cases = [
        // gains of ace and amem, amem first, more parts for amem, mode, tie-breaker -> agent, tied
        (
            0.05,
            0.05,
            false,
            false,
            FirstMatch,
            PreferDefault,
            "ace",
            false,
        ),
        (
            0.05,
            0.05,
            true,
            false,
            FirstMatch,
            PreferDefault,
            "amem",
            false,
        ),
        (
            0.05,
            0.055,
            true,
            false,
            FirstMatch,
            PreferSimpler,
            "ace",
            true,
        ),
        (
            0.05,
            0.055,
            false,
            false,
            FirstMatch,
            PreferSimpler,
            "ace",
            false,
        ),
        (0.05, 0.055, true, false, FirstMatch, PreferAce, "ace", true),
        (
            0.05, 0.07, true, false, FirstMatch, PreferAce, "amem", false,
        ),
        (
            0.05,
            0.07,
            true,
            false,
            FirstMatch,
            PreferSimpler,
            "amem",
            false,
        ),
        // a much larger gain does not change the order
        (
            0.05,
            0.90,
            false,
            false,
            FirstMatch,
            PreferSimpler,
            "ace",
            false,
        ),
        (
            0.05,
            0.05,
            false,
            true,
            MostSpecific,
            PreferDefault,
            "amem",
            false,
        ),
        (
            0.05,
            0.05,
            false,
            true,
            FirstMatch,
            PreferDefault,
            "ace",
            false,
        ),
        (
            0.05,
            0.05,
            true,
            false,
            MostSpecific,
            PreferDefault,
            "amem",
            false,
        ),
        (
            0.05,
            0.05,
            false,
            true,
            MostSpecific,
            PreferSimpler,
            "ace",
            true,
        ),
        (
            0.05,
            0.20,
            false,
            true,
            MostSpecific,
            PreferSimpler,
            "amem",
            false,
        ),
    ];
    for (ace, amem, amem_first, longer, conflict, tie_breaker, agent, tied) in cases {
        let mut policy = overlapping(ace, amem, amem_first);
        policy.conflict = conflict;
        policy.tie_breaker = tie_breaker;
        if longer {
            let rule = policy.rules.iter_mut().find(|rule| rule.choose == "AMEM");
            rule.unwrap().when.feature_conditions.has_table = Some(false);
        }
        let router = router(&policy);
        let choice = router.choose(&hard_finer);
        let case = (ace, amem, amem_first, longer, conflict, tie_breaker);
        assert_eq!((choice.agent, choice.tied), (agent, tied), "{case:?}");
    }
}

#[test]
fn the_default_agent_is_preferred_among_equals() {
    let mut policy = overlapping(0.05, 0.05, false);
    policy.default_agent = "amem".to_owned();
    let router = router(&policy);
    let choice = router.choose(&sample("finer", "DK", Bucket::Hard, false, false));
    assert_eq!(
        (choice.agent, choice.rule, choice.tied),
        ("amem", Some(2), true)
    );
}

#[test]
fn what_is_not_known_matches_nothing() {
    let router = router(&table_4());
    let mut unknown = sample("finer", "IE", Bucket::Hard, true, true);
    assert_eq!(router.choose(&unknown).agent, "dc");
    unknown.features.has_table = None;
    assert_eq!(router.choose(&unknown).agent, "gepa");
    unknown.capability = None;
    assert_eq!(router.explain(&unknown).decided_by, DecidedBy::Default);
}

#[test]
fn explanations_read_well() {
    let router = router(&table_4());
    let told = router.explain(&sample("finer", "DK", Bucket::Hard, false, false));
    let expected = "ace: rule 2 (capability DK and difficulty hard)\n  \
        rule 3 (amem) matches too: another rule comes first\n  \
        rule 1 does not match: it wants capability IE\n  \
        rule 4 does not match: it wants capability NC\n  \
        rule 5 does not match: it wants capability CR\n";
    assert_eq!(told.to_string(), expected);
    let json = serde_json::to_string(&told).unwrap();
    assert_eq!(serde_json::from_str::<Explanation>(&json).unwrap(), told);
    assert_eq!(
        router.choosable(),
        ["gepa", "dc", "ace", "amem", "discussion"]
    );
    assert_eq!(router.default_agent(), "gepa");
}

proptest! {
    /// For any rules, the explanation agrees with the choice and names an existing agent.
    #[test]
    fn choices_are_explained_as_they_are_made(
        rules in prop::collection::vec((0_usize..9, 0_u8..8, prop::option::of(0.0_f64..0.1)), 0..8),
        specific: bool,
        breaker in 0_u8..3,
    ) {
        let agents = Agents::methods();
        let rules = rules.into_iter().map(|(agent, parts, gain)| {
            let has = |bit: u8| parts & bit != 0;
            let when = When {
                task_name: has(1).then(|| "finer".to_owned()),
                capability: has(2).then(|| "DK".to_owned()),
                difficulty_bucket: has(4).then_some(Bucket::Hard),
                ..When::default()
            };
            RoutingRule {
                evidence: gain.map(|gain| Evidence { n: 9, gain, low: 0.0, high: 0.1, p: 0.5, folds: None }),
                ..rule(when, &agents.as_slice()[agent].name)
            }
        });
        let policy = RoutingPolicy {
            rules: rules.collect(),
            conflict: Conflict::VARIANTS[usize::from(specific)],
            tie_breaker: [TieBreaker::PreferDefault, TieBreaker::PreferSimpler, TieBreaker::PreferAce]
                [usize::from(breaker)],
            ..RoutingPolicy::always("gepa")
        };
        let router = Router::new(&policy, &agents).unwrap();
        for sample in every_sample() {
            let choice = router.choose(&sample);
            let told = router.explain(&sample);
            prop_assert_eq!((&*told.agent, told.rule), (choice.agent, choice.rule));
            prop_assert!(agents.find(choice.agent).is_some());
            let matching = policy.rules.iter().filter(|rule| rule.when.matches(&sample)).count();
            prop_assert_eq!(choice.rule.is_none(), matching == 0);
            prop_assert_eq!(told.losers.len() + usize::from(matching > 0), matching.max(usize::from(matching > 0)));
        }
    }
}
