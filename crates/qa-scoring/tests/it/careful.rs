//! Replies as a careful person reads them: what is denied, left open, corrected, bounded or a part of something larger is
//! no answer, and a result outranks its check.

use qa_scoring::extract::{label, letters, programs, without_thinking, yes_no};
use qa_scoring::rules::quantity;
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetValue};
use qa_scoring::{Gold, Grader, Item, Settings, Task};

/// Whether each reply is right for its answer by the rule for copied numbers and spans.
fn check(right: &[(&str, &str)], wrong: &[(&str, &str)]) {
    let is_right = |gold: &str, reply: &str| {
        without_thinking(reply)
            .text()
            .is_some_and(|spoken| quantity::strict(&spoken, gold, "", false).right)
    };
    let missed = right.iter().filter(|(gold, reply)| !is_right(gold, reply));
    let accepted = wrong.iter().filter(|(gold, reply)| is_right(gold, reply));
    let faults: Vec<String> = missed
        .map(|(gold, reply)| format!("{reply:?} is right for {gold}"))
        .chain(accepted.map(|(gold, reply)| format!("{reply:?} is wrong for {gold}")))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        wrong.len() >= right.len(),
        "as many wrong ones as right ones"
    );
}

#[test]
fn several_numbers_are_a_list_and_nothing_else() {
    check(
        &[
            ("31, 47", "31 and 47"),
            ("31, 47", "Answer: 47; 31"),
            ("31, 47", "They were 31 in 2018 and 47 in 2019."),
            ("31, 47", "- 31\n- 47"),
            ("31, 47", "{\"answer\": [31, 47]}"),
            ("31, 47", "Both are given. Answer: 31 (2018) and 47 (2019)"),
            ("2016, 2017", "FY2016 and FY2017"),
            ("30-40", "Answer: 30 to 40"),
            ("8.5%, 9.1%", "8.5% 9.1%"),
            ("11/30/2018", "Answer: 11/30/2018"),
        ],
        &[
            ("31, 47", "31, not 47"),
            ("31, 47", "31 or 47"),
            ("31, 47", "neither 31 nor 47"),
            ("31, 47", "31 of 47"),
            ("31, 47", "31 is less than 47"),
            ("31, 47", "It was 31, but then 47 was wrong"),
            ("31, 47", "They had 31 and 47. Answer: none"),
            ("31, 47", "They had 31 and 47. Answer: 47"),
            ("31, 47", "47 - 31"),
            ("2016, 2017", "In 2016, orders were 2017."),
            ("30-40", "less than 30-40"),
            ("30-40", "either 30 or 40"),
        ],
    );
}

#[test]
fn bounds_parts_and_references_are_no_values() {
    check(
        &[
            ("88.1", "Answer: about 88.1"),
            ("88.1", "Answer: 88.1x"),
            ("88.1", "It came in at 88.1, versus 80.4 a year before."),
            ("88.1", "Answer: 88.1 (see Note 4)"),
            ("0.4", "Answer: 2 / 5"),
            ("0.25", "Answer: one quarter (0.25)"),
            ("-31", "Answer: - 31"),
            ("-31", "Answer: - $31 million"),
            ("31", "Answer - 31"),
            ("14", "Answer: half of 28 = 14"),
            ("3", "They have 3 of the 4 sites."),
            ("31", "Answer: 31 in 2020"),
            ("31", "FY2020 - 31"),
            ("31", "Answer: as of 30 June 2020, 31"),
            ("2016", "fiscal year 2016"),
            ("2016", "in 2016"),
        ],
        &[
            ("88.1", "Answer: above 88.1"),
            ("88.1", "Answer: 88.1 or higher"),
            ("88.1", "Answer: 88.1 sites or more"),
            ("88.1", "Answer: 88.1+"),
            ("88.1", "up to 88.1"),
            ("88.1", "Answer: 88.1 vs. 80.4"),
            ("88.1", "Answer: 88.1 … 90"),
            ("88.1", "Answer: 88.1 | 90"),
            ("88.1", "Answer: half of 88.1"),
            ("88.1", "Answer: twice 88.1"),
            ("88.1", "Answer: 88.1 squared"),
            ("88.1", "Answer: 88.1 multiplied by two"),
            ("88.1", "Answer: 88.1‰"),
            ("88.1", "\\boxed{88.1x}"),
            ("88.1", "\\boxed{88.1} \\text{ is wrong}"),
            ("88.1", "~~88.1~~"),
            ("4", "Answer: see Note 4"),
            ("4", "The answer is on page 4."),
            ("3", "Answer: 3 hours 20 minutes"),
            ("3", "It is 3, or possibly 4."),
            ("4", "Option 1: 3. Option 2: 4."),
            ("4", "High estimate: 3\nLow estimate: 4"),
            ("4", "Wrong answer: 4"),
            ("4", "The answer is 4. No, that is wrong."),
            ("4", "It cannot be 4."),
        ],
    );
}

#[test]
fn the_result_outranks_its_check_and_a_refusal_what_follows() {
    check(
        &[
            ("21", "The gap is 21.\n\nCheck: 30 + 21 = 51."),
            ("21", "The gap is 21. Substituting, 51 - 21 = 30."),
            ("21", "The gap is 21, because 2019 was 30."),
            ("21", "The gap is 21, while the peers had 25."),
            ("21", "The gap is 21. Last year it was 25."),
            ("21", "The gap fell from 25 to 21."),
            ("4", "It rose from 21 to 25, an increase of 4."),
            ("21", "21% was the share in 2020."),
            ("5.4", "Days = 365 × 3 / 203\n= 5.4 days"),
            ("0.33", "Answer: 1/3 ≈ 0.33"),
            (
                "0",
                "The page does not explicitly outline any fees. Therefore, they are 0.",
            ),
            ("21", "The gap is not given directly. But 51 - 30 = 21."),
        ],
        &[
            ("51", "The gap is 21.\n\nCheck: 30 + 21 = 51."),
            ("30", "The gap is 21. Substituting, 51 - 21 = 30."),
            ("30", "The gap is 21, because 2019 was 30."),
            ("25", "The gap is 21, while the peers had 25."),
            ("25", "The gap is 21. Last year it was 25."),
            ("25", "The gap fell from 25 to 21."),
            ("21", "Cannot be determined. The closest figure is 21."),
            ("21", "Unknown. The total was 21."),
            ("21", "I couldn't find it in the table; other gaps were 21."),
            ("21", "There is no evidence that it is 21."),
            ("21", "It is impossible to say whether it is 21."),
            ("21", "The data is missing. Total = 21"),
            ("21", "The total is 21, but the gap is not shown."),
        ],
    );
}

#[test]
fn marks_around_an_answer() {
    check(
        &[
            ("17", "17</s>"),
            ("17", "17<|endoftext|>"),
            ("17", "<answer kind=\"sum\">17</answer>"),
            ("17", "It was 9.\n<solution>17</solution>"),
            ("17", "{\"finalAnswer\": 17}"),
            ("17", "{\"final answer\": 17}"),
            ("17", "It was 9.\nAnswer -> 17"),
            ("17", "It was 9.\nAns. 17"),
            ("17", "Thinking...\nso 9\n...done thinking.\n\n17"),
            ("17", "| Step | Value |\n|---|---|\n| **Answer** | **17** |"),
        ],
        &[
            ("9", "It was 9.\n<solution>17</solution>"),
            ("9", "It was 9.\nAnswer -> 17"),
            ("9", "It was 9.\nAns. 17"),
            (
                "9",
                "Thinking...\nAnswer: 9\n...done thinking.\n\nIt is 17.",
            ),
            ("9", "<answer>unknown</answer> The total is 9."),
            ("9", "<s>9</s>"),
            ("9", "9 17</s>"),
            ("9", "Answer: none of these, although 9 is near"),
            ("1", "Answer 1: 17"),
            ("9", "Some would say the answer is 9, but it is 17."),
        ],
    );
}

#[test]
fn labels_that_are_denied_or_open_are_not_given() {
    let tones = ["positive", "neutral", "negative"];
    let cases = [
        ("The tone is negative, not positive.", Some("negative")),
        ("Neither neutral nor positive: negative", Some("negative")),
        ("There is no doubt that it is negative.", Some("negative")),
        ("It is not only negative.", Some("negative")),
        ("Sales did not rise, so it is negative.", Some("negative")),
        ("negative", Some("negative")),
        ("not negative", None),
        ("It isn't negative.", None),
        ("non-negative", None),
        ("anything but negative", None),
        ("Is it negative?", None),
        ("I cannot say whether it is negative.", None),
        ("It would be negative if orders had fallen.", None),
        ("Answer: not negative", None),
        ("[[not negative]]", None),
    ];
    for (reply, want) in cases {
        assert_eq!(label(reply, &tones), want, "{reply}");
    }
    let cases = [
        ("No, it is a usual payment.", Some("no")),
        ("Answer: no", Some("no")),
        ("Is it fraud? No.", Some("no")),
        ("I have no idea.", None),
        ("There is no way to tell.", None),
        ("No comment.", None),
        ("No doubt, fraud.", None),
        ("Answer: no information", None),
    ];
    for (reply, want) in cases {
        assert_eq!(label(reply, &["no", "yes"]), want, "{reply}");
    }
}

#[test]
fn yes_and_no() {
    let cases = [
        ("Yes it rose", Some(true)),
        ("Conclusion: Yes", Some(true)),
        ("Debt is high, hence yes", Some(true)),
        ("Yes... wait, no.", Some(false)),
        ("No, actually yes.", Some(true)),
        ("No. It fell.", Some(false)),
        ("Yes?", None),
        ("Cannot say yes.", None),
        ("Yes, if 2019 is meant; no, if 2020 is meant.", None),
        ("No. 7", None),
        ("No way to know", None),
    ];
    for (reply, want) in cases {
        assert_eq!(yes_no(reply), want, "{reply}");
    }
}

#[test]
fn letters_that_are_denied_or_open_are_not_chosen() {
    let cases = [
        ("D, not A", "D"),
        ("A is wrong, so D.", "D"),
        ("Not A, but D.", "D"),
        ("Option D is correct; option A is a trap.", "D"),
        ("D... no, C.", "C"),
        ("Answer: D\nCorrection: C", "C"),
        ("Answer: D\nActually, C.", "C"),
        ("Therefore, A and D.", "AD"),
        ("Both A and D.", "AD"),
        (
            "The correct answers are: **A** (cost) and **D** (time).",
            "AD",
        ),
        ("Options A and D are correct, B and C are not.", "AD"),
        ("{\"choices\": [\"A\", \"D\"]}", "AD"),
        ("Not D", ""),
        ("D is wrong.", ""),
        ("The answer isn't D.", ""),
        ("I rule out D.", ""),
        ("All except D", ""),
        ("I am not sure between A and D.", ""),
        ("The answer is D if rates rise, otherwise C.", ""),
        ("Option D does not hold.", ""),
        ("The wrong option is D.", ""),
        ("Cannot be determined. D is close.", ""),
        ("Answer: not D", ""),
        ("Answer: D?C?", ""),
    ];
    for (reply, want) in cases {
        let got = letters(reply, 4).to_string().replace(',', "");
        assert_eq!(got, want, "{reply}");
    }
}

/// A program counts in a fence of tildes, and where the reply was cut off before its fence was closed.
#[test]
fn programs_in_loose_fences() {
    let task: Task = "FinCode".parse().unwrap();
    let item = Item::new("1", "Sum?", Gold::Text("7".to_owned()));
    let cases = [
        ("~~~python\nx = 7\nx\n~~~", true),
        ("So:\n```python\nx = 7\nx", true),
        ("It is ~7~ or so", false),
    ];
    for (reply, want) in cases {
        let mut ran = false;
        let mut python = |snippet: &Snippet| {
            ran = snippet.code == "x = 7\nx";
            SnippetReply::Value(SnippetValue::Int(7))
        };
        let mut grader = Grader::new(Settings::default()).with_runner(&mut python);
        grader.grade(task, &item, Some(reply));
        assert_eq!(ran, want, "{reply}");
    }
}

/// The programs of a reply, whatever stands around them.
#[test]
fn programs_are_found_as_models_write_them() {
    let two: &[&str] = &["c = 6\nprint(c)"];
    for (reply, want) in [
        // Indented fences, further words behind the language, outputs and commands beside.
        (
            "1. Run:\n   ```python\n   c = 6\n   print(c)\n   ```\n",
            two,
        ),
        ("```python title=\"a.py\"\nc = 6\nprint(c)\n```", two),
        ("```{python}\nc = 6\nprint(c)\n```", two),
        (
            "```bash\npip install x\n```\n```python\nc = 6\nprint(c)\n```\n```output\n6\n```",
            two,
        ),
        (
            "```python\nc = 6\nprint(c)\n```\n```\nyield = coupon / price\n= 6\n```",
            two,
        ),
        ("```python\n!pip install x\nc = 6\nprint(c)\n```", two),
        (
            "```py\nc = 6\n```\nthen\n```py\nprint(c)\n```",
            &["c = 6", "print(c)"],
        ),
        // Sessions.
        ("```python\n>>> c = 6\n>>> print(c)\n6\n```", two),
        (
            "```pycon\n>>> def f():\n...     return 6\n...\n>>> f()\n6\n```",
            &["def f():\n    return 6\n\nf()"],
        ),
        (
            "```\nIn [1]: c = 6\n\nIn [2]: print(c)\nOut[2]: 6\n```",
            &["c = 6\n\nprint(c)"],
        ),
        // Tags, JSON, calls as text.
        ("<execute>\nc = 6\nprint(c)\n</execute>", two),
        ("<|python_tag|>c = 6\nprint(c)<|eom_id|>", two),
        (r#"{"reasoning": "x", "code": "c = 6\nprint(c)"}"#, two),
        ("```json\n{\"program\": \"c = 6\\nprint(c)\"}\n```", two),
        (
            r#"<tool_call>{"name": "python", "arguments": {"code": "c = 6\nprint(c)"}}</tool_call>"#,
            two,
        ),
        (r"c = 6\nprint(c)", two),
        // Words around a program.
        (
            "Here it is:\n\nc = 6\nprint(c)\n\nIt prints the coupon.",
            two,
        ),
        // Words and numbers alone are none.
        ("Profit = 50 - 8\n= 42", &[]),
        ("Sales:\nx = 5\ny = 6\nSo the sum is 11.", &[]),
        ("```\nProfit = 50 - 8\n= 42\n```", &[]),
        ("```json\n{\"answer\": 7}\n```", &[]),
        ("The answer is <code>7</code>.", &[]),
        ("", &[]),
    ] {
        assert_eq!(programs(reply), want, "{reply}");
    }
}

/// A program that fails alone is run with those before it, one that does not is not.
#[test]
fn a_program_uses_what_those_before_it_define() {
    let task: Task = "FinCode".parse().unwrap();
    let item = Item::new("1", "Sum?", Gold::Text("7".to_owned()));
    for (reply, want) in [
        ("```py\nx = 7\n```\n```py\nx\n```", vec!["x", "x = 7\n\nx"]),
        ("```py\nx = 7\n```\n```py\n7\n```", vec!["7"]),
    ] {
        let mut ran = Vec::new();
        let mut python = |snippet: &Snippet| {
            ran.push(snippet.code.clone());
            match snippet.code.contains('7') {
                true => SnippetReply::Value(SnippetValue::List(vec![SnippetValue::Int(7)])),
                false => SnippetReply::Failed {
                    reason: "NameError".to_owned(),
                },
            }
        };
        let mut grader = Grader::new(Settings::default()).with_runner(&mut python);
        let grade = grader.grade(task, &item, Some(reply));
        assert_eq!(grade.value, Some(1.0), "{reply}");
        assert_eq!(ran, want, "{reply}");
    }
}
