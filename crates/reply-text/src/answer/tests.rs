use super::*;

#[test]
fn answers_of_real_kinds() {
    let cases: [(&str, Option<f64>); 40] = [
        (
            "Orders were 10 in 2019 and 74.2 in 2020. So the change is 64.2.",
            Some(64.2),
        ),
        (
            "Orders were 10 in 2019 and 74.2 in 2020. Thus, 74.2 - 10 = 64.2",
            Some(64.2),
        ),
        (
            "Orders were 10 in 2019 and 74.2 in 2020. Final result: 64.2",
            Some(64.2),
        ),
        ("in 2019 it was 5", Some(5.0)),
        (
            "The stock of the year 2020 was $1,204 million.",
            Some(1204.0),
        ),
        (
            "Orders were 10 in 2019. Answer: US$64.2 million",
            Some(64.2),
        ),
        ("Orders were 10 in 2019. Answer: CHF 64.2", Some(64.2)),
        (r"Orders were 10 in 2019. Answer: \(64.2\)", Some(64.2)),
        ("Orders were 10 in 2019. <answer>64.2</answer>", Some(64.2)),
        ("Orders were 10 in 2019. #### 64.2", Some(64.2)),
        ("The answer is $1{,}250.", Some(1250.0)),
        (r"\boxed{1{,}250}", Some(1250.0)),
        (r"\boxed{\$9{,}500}", Some(9500.0)),
        ("Answer: –4.9%", Some(-4.9)),
        ("[[(1,204)]]", Some(-1204.0)),
        ("the growth rate is 101.5%", Some(101.5)),
        ("Boats sold brought $381.6 million in cash in FY2020.", None),
        (
            "The firm generated $381.6 million in cash in FY2020.",
            Some(381.6),
        ),
        (
            "The firm had total assets of $59,268 million at the end of FY2021.",
            Some(59268.0),
        ),
        ("The ratio is 0.68 (5,121.3 / 7,491.5).", Some(0.68)),
        ("The ratio is 0.75 or 75%.", Some(0.75)),
        ("It is 4 or 5.", None),
        ("It is between 5 and 7.", None),
        ("The margin was 4.1% in 2018 and 4.3% in 2019.", None),
        (
            "The margin is 4.1%. This means that for every $1 there are 4 cents.",
            Some(4.1),
        ),
        ("The cost is 5. I cannot verify this.", None),
        ("If sales were 10, the ratio would be 5.", None),
        ("We get 6/80*100", None),
        ("Answer: 5x + 3", None),
        ("Is it 5?", None),
        ("[[none]] 5", None),
        (r#"{"answer": null, "x": 5}"#, None),
        (r#"{"why": "2 steps", "answer": 7}"#, Some(7.0)),
        (r#"{"final_answer": "$40"}"#, Some(40.0)),
        (r#"{"answer": 4} or rather {"answer": 5}"#, Some(5.0)),
        ("So the total is 5.\n\n**64.2**", Some(64.2)),
        ("64.2\n\nThis is the sum of the two rows.", Some(64.2)),
        ("10\n20\n30", None),
        (
            "The provided context does not mention it. Therefore, the cost is 0.",
            None,
        ),
        ("There were none. Therefore, the cost is 0.", Some(0.0)),
    ];
    for (text, want) in cases {
        assert_eq!(number(text).map(|answer| answer.value()), want, "{text}");
    }
}
