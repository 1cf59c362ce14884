use agent_client::decide::agree::{all_agree, answer_in, joined, joined_call, most_typical, vote};
use agent_client::message::ToolCall;
use serde_json::{Value, json};

#[test]
fn answers_stand_behind_their_mark() {
    let cases = [
        ("So it is 4.\nANSWER: 4", "4"),
        ("answer: 1\nno, **Answer:** 2 ", "2"),
        ("**ANSWER: B**", "B"),
        ("just this", "just this"),
        ("é ANSWER:", ""),
    ];
    for (text, answer) in cases {
        assert_eq!(answer_in(text), answer, "{text}");
    }
}

#[test]
fn the_same_answer_in_other_words() {
    let agree = [
        ["1,200", "$1200.00"],
        ["12.5%", "12.50"],
        ["(300)", "-300"],
        ["(B)", "b."],
        ["{\"a\":1,\"b\":2}", "{\"b\": 2, \"a\": 1}"],
        ["Yes,  it does", "yes, it does."],
    ];
    for [a, b] in agree {
        assert!(all_agree(&[a, b]), "{a} and {b}");
    }
    for [a, b] in [["1200", "1201"], ["A", "B"], ["1", "one"], ["", "0"]] {
        assert!(!all_agree(&[a, b]), "{a} and {b}");
    }
    assert_eq!(vote(&["3", "5", "5.0"]), 1);
    assert_eq!(vote(&["3", "4", "5"]), 0, "agent 0 breaks ties");
    assert_eq!(most_typical(&["a b c", "x y", "a b d"]), 0);
}

#[test]
fn joined_values_lie_between() {
    let join = |values: &[Value]| joined(&values.iter().collect::<Vec<_>>());
    assert_eq!(join(&[json!(4), json!(100), json!(6)]), json!(6));
    assert_eq!(
        join(&[
            json!({"c": 3, "accept": ["a", "b"], "go": true}),
            json!({"c": 5, "accept": ["b", "c"], "go": true, "odd": 1}),
            json!({"c": 9, "accept": ["b", "a"], "go": false}),
        ]),
        json!({"c": 5, "accept": ["a", "b"], "go": true})
    );
    assert_eq!(
        join(&[json!([1, 5]), json!([2, 7]), json!([9, 6])]),
        json!([2, 6])
    );
    assert_eq!(
        join(&[
            json!("{\"W1\": 2}"),
            json!("{\"W1\": 4}"),
            json!("{\"W1\": 3}")
        ]),
        json!("{\"W1\":3}")
    );
    let calls = [
        ToolCall::new("1", "order", json!({"papers": 10})),
        ToolCall::new("2", "wait", json!({})),
        ToolCall::new("3", "order", json!({"papers": 30})),
    ];
    let call = joined_call(&calls.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(
        (call.name.as_str(), call.arguments.value()),
        ("order", json!({"papers": 10}))
    );
}
