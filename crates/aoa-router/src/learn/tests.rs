use super::*;
use crate::matrix::Incomplete;
use crate::policy::{Confidence, FeatureConditions, When};
use crate::sample::{Bucket, Sample};
use crate::trace::TraceRecord;
use crate::{Features, evaluate};
use sim_core::METHODS;
use sim_core::stats::mean;
use sim_core::testkit::small_or_full;
use strum::VariantArray;

const CAPABILITIES: [&str; 4] = ["IE", "NC", "DK", "CR"];
const TASKS: [&str; 3] = ["finer", "tatqa", "bizbench"];

/// Samples on which agent `a` gets sample `s` right with probability `chance(a, s)`.
fn planted(
    agents: &[&str],
    samples: u64,
    seed: Seed,
    chance: impl Fn(&str, &Sample) -> f64,
) -> Matrix {
    let mut traces = Vec::new();
    let mut stream = seed.stream("world", 0);
    for number in 0..samples {
        let sample = Sample {
            task_name: stream.pick(&TASKS).map(|it| (*it).to_owned()),
            capability: stream.pick(&CAPABILITIES).map(|it| (*it).to_owned()),
            difficulty_bucket: *stream.pick(Bucket::VARIANTS).unwrap(),
            features: Features {
                has_table: Some(stream.chance(0.5)),
                has_code: Some(stream.chance(0.3)),
                num_numbers: Some(stream.below(40)),
                context_chars: None,
                question_chars: Some(stream.below(900)),
                table_row_estimate: Some(stream.below(30)),
            },
        };
        for agent in agents {
            let correct = stream.chance(chance(agent, &sample));
            traces.push(TraceRecord {
                task_name: sample.task_name.clone(),
                capability: sample.capability.clone(),
                difficulty_bucket: Some(sample.difficulty_bucket),
                features: sample.features,
                ..TraceRecord::new(format!("{number:05}"), *agent, correct)
            });
        }
    }
    Matrix::join(&traces, Incomplete::Refuse).unwrap()
}

fn capability(name: &str) -> When {
    When {
        capability: Some(name.to_owned()),
        ..When::default()
    }
}

/// gepa 0.65 everywhere; dc +0.25 on extraction with a table, ace +0.2 on hard questions.
fn two_rules(agent: &str, sample: &Sample) -> f64 {
    let extraction = sample.capability.as_deref() == Some("IE");
    match agent {
        "dc" if extraction && sample.features.has_table == Some(true) => 0.90,
        "ace" if sample.difficulty_bucket == Bucket::Hard => 0.85,
        "gepa" => 0.65,
        _ => 0.55,
    }
}

#[test]
fn planted_rules_are_found_with_their_margin() {
    // The nine methods of the paper.
    let names: Vec<&str> = METHODS
        .iter()
        .map(|method| method.name)
        .filter(|name| *name != "direct")
        .collect();
    let settings = LearnSettings::default();
    let matrix = planted(&names, 3_000, Seed(1), two_rules);
    let learned = learn(&matrix, &settings).unwrap();
    let policy = &learned.playbook.routing_policy;
    assert_eq!(policy.default_agent, "gepa");
    let rules: Vec<(String, &str)> = policy
        .rules
        .iter()
        .map(|rule| (rule.when.to_string(), rule.choose.as_str()))
        .collect();
    let expected = [
        ("difficulty hard".to_owned(), "ace"),
        ("capability IE and a table".to_owned(), "dc"),
    ];
    assert_eq!(rules, expected);
    for (rule, margin) in policy.rules.iter().zip([0.20, 0.25]) {
        let evidence = rule.evidence.unwrap();
        assert!(
            evidence.low <= margin && margin <= evidence.high,
            "{rule:?}"
        );
        assert!((evidence.gain - margin).abs() < 0.05, "{rule:?}");
        assert_eq!(evidence.folds, Some(5), "{rule:?}");
    }
    // A quarter of the samples is hard, an eighth of the rest is extraction with a table.
    let worth = 0.25 * 0.20 + 0.75 * 0.125 * 0.25;
    let cross_fit = learned.cross_fit;
    assert!(cross_fit.distinguishable);
    assert!(cross_fit.interval.unwrap().contains(worth), "{cross_fit:?}");

    // On fresh samples it beats the best single agent by the planted margin.
    let fresh = planted(&names, 3_000, Seed(2), two_rules);
    let evaluation = evaluate(&fresh, policy).unwrap();
    assert_eq!(evaluation.best_single, "gepa");
    let against = evaluation.router.against_best;
    assert!(
        against.distinguishable && against.interval.unwrap().contains(worth),
        "{against:?}"
    );

    // The policy can also be followed where features are counted.
    let file = serde_json::to_string(&learned.playbook).unwrap();
    let read = RoutingPlaybook::read(&file, &learned.agents, crate::Strictness::Strict).unwrap();
    assert_eq!(read.value, learned.playbook);
}

#[test]
fn a_finding_is_as_sure_as_its_rule() {
    let mut seen = Vec::new();
    for seed in 0..10 {
        let matrix = planted(&["gepa", "dc", "ace"], 400, Seed(seed), two_rules);
        let playbook = learn(&matrix, &LearnSettings::default()).unwrap().playbook;
        for rule in &playbook.routing_policy.rules {
            let ending = format!("on samples with {}.", rule.when);
            let mut findings = playbook.meta_findings.iter();
            let finding = findings.find(|it| it.summary.ends_with(&ending)).unwrap();
            assert_eq!(finding.confidence, rule.confidence, "{finding:?}");
            seen.extend(rule.confidence);
        }
    }
    assert!(seen.iter().any(|it| *it != Confidence::High), "{seen:?}");
}

#[test]
fn borders_of_features_are_found() {
    let long = |agent: &str, sample: &Sample| {
        let numbers = sample.features.num_numbers.unwrap_or(0);
        if agent == "dc" && numbers >= 24 {
            0.95
        } else {
            0.6
        }
    };
    let matrix = planted(&["cot", "dc"], 1_500, Seed(4), long);
    let policy = learn(&matrix, &LearnSettings::default())
        .unwrap()
        .playbook
        .routing_policy;
    // dc is best overall, so the rule is about the others: no agent is better on few numbers, and
    // dc needs no rule.
    assert_eq!(
        (policy.default_agent.as_str(), policy.rules.len()),
        ("dc", 0)
    );

    let worse_else = |agent: &str, sample: &Sample| {
        long(agent, sample)
            - if agent == "dc" && sample.features.num_numbers < Some(24) {
                0.4
            } else {
                0.0
            }
    };
    let matrix = planted(&["cot", "dc"], 1_500, Seed(4), worse_else);
    let policy = learn(&matrix, &LearnSettings::default())
        .unwrap()
        .playbook
        .routing_policy;
    let rule = &policy.rules[0];
    assert_eq!(
        (policy.default_agent.as_str(), rule.choose.as_str()),
        ("cot", "dc")
    );
    let least = rule.when.feature_conditions.num_numbers_min.unwrap();
    assert!((20.0..=28.0).contains(&least), "{least}");
}

#[test]
fn twins_are_settled_by_cost() {
    let twins = |agent: &str, sample: &Sample| match agent {
        "gepa" => 0.65,
        _ if sample.capability.as_deref() == Some("DK") => 0.9,
        _ => 0.5,
    };
    // Two agents with the same answers: a copy under another name.
    let matrix = planted(&["gepa", "debate"], 1_200, Seed(7), twins);
    let mut traces = Vec::new();
    for (agent, name) in [(1, "gepa"), (0, "debate"), (0, "amem")] {
        for (at, id) in matrix.ids().iter().enumerate() {
            traces.push(TraceRecord {
                capability: matrix.samples()[at].capability.clone(),
                ..TraceRecord::new(id, name, matrix.is_correct(agent, at))
            });
        }
    }
    let matrix = Matrix::join(&traces, Incomplete::Refuse).unwrap();
    let learned = learn(&matrix, &LearnSettings::default()).unwrap();
    let rule = &learned.playbook.routing_policy.rules[0];
    // debate comes first by name, amem needs fewer requests
    assert_eq!(
        (rule.when.clone(), rule.choose.as_str()),
        (capability("DK"), "amem")
    );
}

/// Share of 60 (in full 200) sample sets without any difference between agents in which a rule is found.
fn false_rules(chance: impl Fn(&Sample) -> f64) -> f64 {
    let agents = ["cot", "gepa", "dc", "ace", "amem"];
    let found = (0..small_or_full(60, 200)).map(|seed| {
        let matrix = planted(&agents, 400, Seed(seed), |_, sample| chance(sample));
        let list = list::fit(
            &matrix,
            &matrix.agents(),
            &matrix.all(),
            &LearnSettings::default(),
        );
        f64::from(u8::from(!list.rules.is_empty()))
    });
    mean(&found.collect::<Vec<f64>>()).unwrap()
}

#[test]
fn slow_equal_agents_give_no_rules() {
    let share = false_rules(|_| 0.6);
    assert!(share <= 0.05, "{share}");
}

#[test]
fn slow_hard_samples_are_no_reason_for_a_rule() {
    // Accuracy differs from cell to cell, but equally for all agents.
    let share = false_rules(|sample| match sample.difficulty_bucket {
        Bucket::Easy => 0.95,
        Bucket::Hard => 0.15,
        _ => 0.5,
    });
    assert!(share <= 0.05, "{share}");
}

#[test]
fn learning_is_repeatable_and_says_what_it_cannot_do() {
    let matrix = planted(&["cot", "gepa"], 120, Seed(3), |_, _| 0.5);
    let settings = LearnSettings::default();
    assert_eq!(
        learn(&matrix, &settings).unwrap(),
        learn(&matrix, &settings).unwrap()
    );
    let alone = planted(&["cot"], 120, Seed(3), |_, _| 0.5);
    assert_eq!(learn(&alone, &settings).unwrap_err().place, "method");
    let few = planted(&["cot", "gepa"], 9, Seed(3), |_, _| 0.5);
    assert_eq!(learn(&few, &settings).unwrap_err().place, "folds");
    let cases = [
        (
            "min_margin",
            LearnSettings {
                min_margin: f64::NAN,
                ..settings
            },
        ),
        (
            "min_samples",
            LearnSettings {
                min_samples: 1,
                ..settings
            },
        ),
        (
            "max_rules",
            LearnSettings {
                max_rules: 1_000,
                ..settings
            },
        ),
    ];
    for (place, settings) in cases {
        assert_eq!(learn(&matrix, &settings).unwrap_err().place, place);
    }
    let none = LearnSettings {
        max_rules: 0,
        ..settings
    };
    assert!(
        learn(&matrix, &none)
            .unwrap()
            .playbook
            .routing_policy
            .rules
            .is_empty()
    );
}

#[test]
fn conditions_that_say_the_same_are_tried_once() {
    let matrix = planted(&["cot", "gepa"], 400, Seed(5), |_, _| 0.5);
    let settings = LearnSettings::default();
    let found = candidate::candidates(&matrix, &matrix.all(), &settings);
    let mut samples: Vec<_> = found.iter().map(|it| it.samples.clone()).collect();
    samples.sort();
    samples.dedup();
    assert_eq!(samples.len(), found.len());
    // "no table" is a condition; together with its opposite it makes no pair.
    let no_table = FeatureConditions {
        has_table: Some(false),
        ..FeatureConditions::default()
    };
    assert!(
        found
            .iter()
            .any(|it| it.when.feature_conditions == no_table)
    );
    assert!(
        found
            .iter()
            .all(|it| it.samples.count() >= settings.min_samples)
    );
}
