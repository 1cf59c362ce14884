use crate::{TABLE_4, read};
use aoa_router::policy::{MAX_BYTES, MAX_RULES, MAX_TEXT};
use aoa_router::{Agents, Bucket, Features, Router, RoutingPlaybook, Sample, Strictness, When};

#[test]
fn a_published_policy_loads_and_round_trips() {
    let policy = read(TABLE_4).unwrap();
    assert_eq!(policy.routing_policy.rules.len(), 5);
    assert_eq!(policy.routing_policy.rules[0].when.difficulty_bucket, None);
    for pretty in [false, true] {
        let text = if pretty {
            serde_json::to_string_pretty(&policy).unwrap()
        } else {
            sim_core::canonical_json(&policy).unwrap()
        };
        assert_eq!(read(&text).unwrap(), policy);
    }
}

/// A policy with one rule whose condition is `when`.
fn with(when: &str) -> String {
    format!(
        "{{\"routing_policy\": {{\"default_agent\": \"cot\", \"rules\": [\n\
         {{\"when\": {when},\n \"choose\": \"dc\"}}]}}}}"
    )
}

#[test]
fn wildcards_and_their_spellings() {
    let any = [
        "{}",
        r#"{"task_name": "ALL", "capability": null, "difficulty_bucket": ""}"#,
        r#"{"task_name": " all ", "capability": "omit", "feature_conditions": null}"#,
        r#"{"feature_conditions": {"has_table": "omit", "num_numbers_min": "omit"}}"#,
        r#"{"feature_conditions": {"has_code": null, "context_chars_max": ""}}"#,
    ];
    for when in any {
        let policy = read(&with(when)).unwrap();
        let when = &policy.routing_policy.rules[0].when;
        assert_eq!(*when, When::default());
        assert!(when.matches(&Sample::default()));
    }
    let sample = Sample {
        task_name: Some("FinER ".to_owned()),
        capability: Some("Domain Knowledge".to_owned()),
        difficulty_bucket: Bucket::Unknown,
        features: Features {
            has_table: Some(true),
            num_numbers: Some(7),
            ..Features::default()
        },
    };
    let cases = [
        (r#"{"task_name": "finer"}"#, true),
        (r#"{"task_name": "fine"}"#, false),
        (r#"{"capability": "dk"}"#, true),
        (r#"{"capability": "domain knowledge"}"#, true),
        (r#"{"capability": "NC"}"#, false),
        (r#"{"difficulty_bucket": "na"}"#, true),
        (r#"{"feature_conditions": {"has_table": "true"}}"#, true),
        (r#"{"feature_conditions": {"has_table": false}}"#, false),
        (r#"{"feature_conditions": {"has_code": false}}"#, false),
        (r#"{"feature_conditions": {"num_numbers_min": 7}}"#, true),
        (r#"{"feature_conditions": {"num_numbers_max": "7"}}"#, true),
        (r#"{"feature_conditions": {"num_numbers_min": 7.5}}"#, false),
        (
            r#"{"feature_conditions": {"num_numbers_min": 1e300}}"#,
            false,
        ),
        (
            r#"{"feature_conditions": {"question_chars_min": 0}}"#,
            false,
        ),
        (r#"{"task_name": "finer", "capability": "NC"}"#, false),
    ];
    for (when, expected) in cases {
        let policy = read(&with(when)).unwrap();
        let when = &policy.routing_policy.rules[0].when;
        assert_eq!(when.matches(&sample), expected, "{when}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let rule = "routing_policy.rules[0]";
    let cases = [
        (
            with("{}").replace("\"dc\"", "\"gemma\""),
            format!("{rule}.choose (line 3)"),
            "cot, gepa",
        ),
        (
            with("{}").replace("\"cot\"", "\"x\""),
            "routing_policy.default_agent (line 1)".to_owned(),
            "`x`",
        ),
        (
            with(r#"{"colour": 1}"#),
            format!("{rule}.when.colour"),
            "line 2",
        ),
        (
            with(r#"{"difficulty_bucket": "medium"}"#),
            format!("{rule}.when.difficulty_bucket"),
            "easy, middle",
        ),
        (
            with(r#"{"task_name": 3}"#),
            format!("{rule}.when.task_name"),
            "a name",
        ),
        (
            with(r#"{"feature_conditions": {"has_table": "yes"}}"#),
            format!("{rule}.when.feature_conditions.has_table"),
            "true or false",
        ),
        (
            with(r#"{"feature_conditions": {"num_numbers_min": -1}}"#),
            format!("{rule}.when.feature_conditions.num_numbers_min"),
            "from 0 on",
        ),
        (
            with(r#"{"feature_conditions": {"num_numbers_min": "NaN"}}"#),
            format!("{rule}.when.feature_conditions.num_numbers_min"),
            "from 0 on",
        ),
        (
            with(r#"{"feature_conditions": {"num_numbers_min": 9, "num_numbers_max": 8}}"#),
            format!("{rule}.when.feature_conditions (line 2)"),
            "at least 9",
        ),
        (
            with("{}").replace("\"rules\"", "\"min_margin\": 2, \"rules\""),
            "routing_policy.min_margin".to_owned(),
            "0 to 1",
        ),
        (
            with("{}").replacen('{', "{\"schema\": 2, ", 1),
            "schema (line 1)".to_owned(),
            "form 1",
        ),
        (
            with("{}").replacen('{', "{\"feature_version\": 9, ", 1),
            "feature_version".to_owned(),
            "anew",
        ),
    ];
    for (text, place, part) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.place.starts_with(&place), "{error}\n{text}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn hostile_files_are_refused_cleanly() {
    let deep = format!(
        "{}{}",
        "{\"routing_policy\":".repeat(50_000),
        "}".repeat(50_000)
    );
    let wide = "x".repeat(MAX_TEXT + 1);
    let many = format!(
        "[{}]",
        vec![r#"{"choose": "cot"}"#; MAX_RULES + 1].join(",")
    );
    let cases = [
        (String::new(), "EOF"),
        ("{".to_owned(), "EOF"),
        ("null".to_owned(), "invalid type"),
        ("[1, 2]".to_owned(), "invalid"),
        (deep, "recursion limit"),
        (
            with(r#"{"feature_conditions": {"num_numbers_min": 1e400}}"#),
            "out of range",
        ),
        (
            with(r#"{"feature_conditions": {"num_numbers_min": "1e400"}}"#),
            "from 0 on",
        ),
        (
            with(&format!(
                "{{\"feature_conditions\": {{\"num_numbers_min\": {}}}}}",
                "9".repeat(400)
            )),
            "out of range",
        ),
        (with(r##"{"$ref": "#"}"##), "unknown field"),
        (
            with(r#"{"task_name": "a", "task_name": "b"}"#),
            "`task_name` occurs twice",
        ),
        (
            with(&format!("{{\"task_name\": \"{wide}\"}}")),
            "more than 20000 characters",
        ),
        (" ".repeat(MAX_BYTES + 1), "at most"),
        (with("{}").replace("[\n", "[\u{feff}"), "expected value"),
        (
            format!(r#"{{"routing_policy": {{"default_agent": "cot", "rules": {many}}}}}"#),
            "at most 1000",
        ),
    ];
    for (text, part) in cases {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.chars().count() < 600, "{error}");
    }
    // A text that contains a template stays text.
    let own = with(r#"{"task_name": "{{ routing_policy.rules }} &a *a"}"#);
    assert_eq!(read(&own).unwrap().routing_policy.rules.len(), 1);
}

#[test]
fn lenient_reading_leaves_out_and_tells() {
    let text = with(r#"{"colour": {"deep": 1}, "task_name": "finer"}"#)
        .replace("\"choose\"", "\"votes\": 3, \"choose\"")
        .replacen('{', "{\"licence\": \"MIT\", ", 1);
    assert!(read(&text).is_err());
    let reading = RoutingPlaybook::read(&text, &Agents::methods(), Strictness::Lenient).unwrap();
    let mut left_out = reading.left_out;
    left_out.sort();
    let expected = [
        "licence",
        "routing_policy.rules[0].votes",
        "routing_policy.rules[0].when.colour",
    ];
    assert_eq!(left_out, expected);
    let when = &reading.value.routing_policy.rules[0].when;
    assert_eq!(when.task_name.as_deref(), Some("finer"));
}

#[test]
fn a_key_given_twice_is_refused_in_every_way_of_reading() {
    let text = with(r#"{"task_name": "finer", "task_name": "tatqa"}"#);
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        assert!(RoutingPlaybook::read(&text, &Agents::methods(), strictness).is_err());
    }
}

#[test]
fn the_schema_knows_every_field() {
    let schema = RoutingPlaybook::schema();
    let text = schema.to_string();
    let names = [
        "meta_findings",
        "routing_policy",
        "default_agent",
        "tie_breaker",
        "min_margin",
        "when",
        "feature_conditions",
        "table_row_estimate_max",
        "choose",
        "rationale",
        "confidence",
        "prefer_simpler",
        "most_specific",
    ];
    for name in names {
        assert!(text.contains(name), "{name}");
    }
    // A file with every field passes the removal of unknown fields unchanged.
    let full = read(TABLE_4).unwrap();
    let text = serde_json::to_string(&full).unwrap();
    let again = RoutingPlaybook::read(&text, &Agents::methods(), Strictness::Lenient).unwrap();
    assert_eq!(again.left_out, [""; 0]);
    assert_eq!(again.value, full);
    assert_eq!(schema["required"], serde_json::json!(["routing_policy"]));
}

#[test]
fn a_router_needs_its_agents() {
    let policy = read(TABLE_4).unwrap().routing_policy;
    let few = Agents::new([("gepa".to_owned(), None)]);
    let error = Router::new(&policy, &few).unwrap_err();
    assert_eq!(error.place, "rules[0].choose");
}
