//! Reading mappings: what agents write, and what no text may do.

use econ_envs::action_text::{Literal, MAX_BYTES, MAX_DEPTH, read_mapping, read_mapping_text};
use proptest::prelude::*;
use serde_json::{Value, json};

fn check(text: &str, expected: &[(&str, Literal)]) {
    let read = read_mapping_text(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let read: Vec<(&str, Literal)> = read.iter().map(|(k, v)| (k, v.clone())).collect();
    assert_eq!(read, expected, "{text}");
}

fn refused(text: &str, code: &str) -> String {
    let error = read_mapping_text(text).expect_err(text);
    assert_eq!(error.code, code, "{text}: {error}");
    assert!(!error.message.contains('\n'), "{error}");
    error.message
}

#[test]
fn both_notations_are_read() {
    use Literal::{Bool, Float, Int, Null, Text};
    let two = [("Offer_1", Int(2)), ("Offer_2", Int(3))];
    for text in [
        "{'Offer_1': 2, 'Offer_2': 3}",
        r#"{"Offer_1": 2, "Offer_2": 3}"#,
        "  {'Offer_1':2,'Offer_2':3,}\n",
        r#"{\"Offer_1\": 2, \"Offer_2\": 3}"#,
        r"{\'Offer_1\': 2,\n \'Offer_2\': 3}",
        r#"{'\x4fffer_1': +2, "\u004fffer_2": 3}"#,
    ] {
        check(text, &two);
    }
    check("{}", &[]);
    check("{'W1': 'T3'}", &[("W1", Text("T3".into()))]);
    check("{'a': 1, 'b': 2, 'a': 3}", &[("a", Int(3)), ("b", Int(2))]);
    check(
        "{'a': 2.0, 'b': -1.5e3, 'c': .5}",
        &[("a", Float(2.0)), ("b", Float(-1500.0)), ("c", Float(0.5))],
    );
    check(
        "{'a': True, 'b': false, 'c': null, 'd': None}",
        &[
            ("a", Bool(true)),
            ("b", Bool(false)),
            ("c", Null),
            ("d", Null),
        ],
    );
    check("{'a': 1_000, 7: 1}", &[("a", Int(1000)), ("7", Int(1))]);
    check("{'a': 99999999999999999999}", &[("a", Float(1e20))]);
    check(
        r#"{"\ud83d\ude00": 1, "\ud83d": 2}"#,
        &[("😀", Int(1)), ("\u{fffd}", Int(2))],
    );
    check(
        "{'a': [1, 'x'], 'b': (2,), 'c': {}}",
        &[
            ("a", Literal::List(vec![Int(1), Text("x".into())])),
            ("b", Literal::List(vec![Int(2)])),
            ("c", Literal::Map(Default::default())),
        ],
    );
    let not_finite = read_mapping_text("{'a': NaN, 'b': -Infinity}").unwrap();
    let not_finite: Vec<f64> = not_finite
        .iter()
        .map(|(_, v)| v.number().unwrap())
        .collect();
    assert!(not_finite[0].is_nan() && not_finite[1] == f64::NEG_INFINITY);
}

#[test]
fn everything_else_is_answered() {
    for text in [
        "{a: 1}",
        "```{'a': 1}```",
        "{'a': 1}{'b': 2}",
        "",
        "{",
        "{'a'",
        "{'a': }",
        "{'a': 1 'b': 2}",
        "{'a: 1}",
        "{[1]: 2}",
        "{'a': 1-2}",
        "{'a': --1}",
        "{'a': -x}",
        "{'a': 1.2.3}",
        "plan",
        "{'a': \u{0}}",
    ] {
        refused(text, "unreadable_mapping");
    }
    for text in ["[1]", "5", "'text'", "None", "nan", "()"] {
        refused(text, "not_a_mapping");
    }
    let message = refused("{'Offer_1': 2 'Offer_2': 3}", "unreadable_mapping");
    assert_eq!(
        message,
        "the text is neither JSON nor a Python dictionary: at character 14 there is \
         `'Offer_2': 3}` where a comma or a closing brace was expected"
    );
    refused(&"{".repeat(MAX_BYTES + 1), "mapping_too_long");
    refused(&"[".repeat(10_000), "mapping_too_deep");
    refused(&"{'a':".repeat(MAX_DEPTH), "mapping_too_deep");
    for value in [json!(5), json!([1]), json!(null), json!(true)] {
        assert_eq!(read_mapping(&value).unwrap_err().code, "not_a_mapping");
    }
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({ "a": deep });
    }
    assert_eq!(read_mapping(&deep).unwrap_err().code, "mapping_too_deep");
}

#[test]
fn a_long_mapping_is_read_in_one_pass() {
    let text: String = (0..15_000).map(|i| format!("'k{i}': {i},")).collect();
    let text = format!("{{{text}}}");
    assert!(text.len() <= MAX_BYTES, "{}", text.len());
    let read = read_mapping_text(&text);
    assert_eq!(read.unwrap().len(), 15_000);
}

proptest! {
    #[test]
    fn no_text_panics(text in ".*") {
        let _ = read_mapping_text(&text);
    }

    #[test]
    fn no_near_miss_panics(text in r#"[\{\}\[\]\(\)'":,\\uxU0-9a-fTNn+\-._ e\n😀]{0,60}"#) {
        let _ = read_mapping_text(&text);
    }

    #[test]
    fn what_json_writes_is_read_back(entries in proptest::collection::btree_map(".*", any::<i64>(), 0..20)) {
        let text = serde_json::to_string(&entries).unwrap();
        for argument in [Value::String(text.clone()), serde_json::from_str(&text).unwrap()] {
            let read = read_mapping(&argument).unwrap();
            let read: Vec<(&str, i64)> = read.iter().map(|(k, v)| (k, v.whole().unwrap())).collect();
            let expected: Vec<(&str, i64)> = entries.iter().map(|(k, v)| (k.as_str(), *v)).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
