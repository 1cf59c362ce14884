//! Numbers in replies: real ones, and forms of our own.

use crate::golden::{rows, text, vectors};
use qa_scoring::extract::number;
use qa_scoring::judge::{JudgeRequest, NoReply};
use qa_scoring::load::Prediction;
use qa_scoring::rules::quantity;
use qa_scoring::{AnswerOutcome, Gold, Grader, Item, Metric, Profile, Settings, Task, score_set};

/// Real replies of models to questions that ask for one number, with a person's verdict. They were not asked for a form.
#[test]
fn real_replies_are_read_as_a_person_reads_them() {
    let Some(file) = vectors("number_replies.json") else {
        return;
    };
    let task: Task = "CodeFinQA".parse().unwrap();
    let mut wrong = Vec::new();
    let mut counts = Vec::new();
    for lenient in [false, true] {
        let mut grader = Grader::new(Settings {
            lenient,
            ..Settings::default()
        });
        let (mut right, mut of, mut false_right, mut read) = (0, 0, 0, 0);
        for (place, row) in rows(&file, "replies").iter().enumerate() {
            let item = Item::new(
                "1",
                text(row, "question"),
                Gold::Text(text(row, "right").to_owned()),
            );
            let grade = grader.grade(task, &item, Some(text(row, "reply")));
            let is_right = grade.outcome == AnswerOutcome::Right;
            match text(row, "person") {
                "right" => {
                    of += 1;
                    right += usize::from(is_right);
                    if lenient && !is_right {
                        wrong.push(format!(
                            "{place}: {:?} for {}",
                            grade.read,
                            item.gold_text().unwrap_or_default()
                        ));
                    }
                }
                verdict => {
                    false_right += usize::from(is_right);
                    if is_right {
                        wrong.push(format!(
                            "{place}: {verdict}, but {:?} is right, lenient {lenient}",
                            grade.read
                        ));
                    }
                    let refused_and_read = verdict == "refused" && grade.read.is_some();
                    read += usize::from(refused_and_read);
                    if refused_and_read && lenient {
                        wrong.push(format!("{place}: refused, but read {:?}", grade.read));
                    }
                }
            }
        }
        counts.push((right, of, false_right, read));
    }
    eprintln!("right, of, false right, refusals read: {counts:?}");
    if std::env::var_os("SHOW_REPLIES").is_some() {
        eprintln!("{}", wrong.join("\n"));
    }
    let [
        (strict, of, strict_false, refused),
        (lenient, _, lenient_false, _),
    ] = counts[..]
    else {
        unreachable!();
    };
    assert!(
        strict * 100 >= of * 60 && lenient * 100 >= of * 85,
        "{counts:?}"
    );
    assert!(
        strict_false <= 3 && lenient_false <= 8 && refused <= 20,
        "{counts:?}"
    );
}

/// Every form of a right answer is right, and its near misses are wrong: by the rule for copied numbers.
#[test]
fn forms_of_right_and_wrong_answers() {
    let right = |given: &str, wanted: &str| {
        let spoken = qa_scoring::extract::without_thinking(given).text();
        spoken.is_some_and(|spoken| quantity::strict(&spoken, wanted, "", false).right)
    };
    let mut faults = Vec::new();
    for (wanted, given) in RIGHT.iter().filter(|(wanted, given)| !right(given, wanted)) {
        let read = number(given).map(|found| (found.value(), found.rule));
        faults.push(format!("{given:?} is right for {wanted}, read {read:?}"));
    }
    for (wanted, given) in WRONG.iter().filter(|(wanted, given)| right(given, wanted)) {
        faults.push(format!("{given:?} is wrong for {wanted}"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(RIGHT.len() + WRONG.len() >= 150 && WRONG.len() >= RIGHT.len());
}

const RIGHT: &[(&str, &str)] = &[
    ("64.2", "64.2"),
    ("64.2", "Answer: 64.2"),
    ("64.2", "**Answer:** $64.2 million"),
    ("64.2", "**Final Answer**\n\n64.2"),
    ("64.2", "### Answer\n**64.2**"),
    ("64.2", "Final answer (in USD millions): 64.2"),
    ("64.2", "The answer to the question is approximately €64.2."),
    ("64.2", "My final answer: 64.2 percent"),
    ("64.2", "So the answer would be 64.2"),
    ("64.2", "The correct answer is: \\(64.2\\)"),
    ("64.2", "The answer is \\[ 64.2 \\]"),
    ("64.2", "Sales were 10 and 74.2. <answer> 64.2 </answer>"),
    ("64.2", "74.2 - 10 = 64.2\n#### 64.2"),
    ("64.2", "We get $\\boxed{64.2\\%}$."),
    ("64.2", "We get \\boxed{\\text{64.2 million}}"),
    ("64.2", "It is [[64.2]]"),
    ("64.2", "```json\n{\"final_answer\": 64.2}\n```"),
    (
        "64.2",
        "Here: {\"reason\": \"10 less\", \"answer\": \"$64.2\"} as asked.",
    ),
    (
        "64.2",
        "{\"answer\": 10}\nNo, I was wrong:\n{\"answer\": 64.2}",
    ),
    ("64.2", "<think>The answer is 10</think>64.2"),
    ("64.2", "It is 10? No.</think>\n\n64.2"),
    (
        "64.2",
        "<|channel|>analysis<|message|>10<|end|><|start|>assistant<|channel|>final<|message|>64.2<|return|>",
    ),
    (
        "64.2",
        "Sales rose from 10 to 74.2. Therefore, the change is 64.2.",
    ),
    ("64.2", "Change = 74.2 − 10 = 64.2"),
    (
        "64.2",
        "Change = 74.2 − 10 ≈ 64.2 (rounded to 1 decimal place)",
    ),
    ("64.2", "The change equals 64.2."),
    (
        "64.2",
        "Thus the change in FY2020 was 64.2 million dollars.",
    ),
    (
        "64.2",
        "In 2019, 2020 and 2021 there were boats. Change: 64.2",
    ),
    ("64.2", "Total change: $64.2 million\n"),
    ("64.2", "The firm paid $64.2 million in dividends in 2020."),
    ("64.2", "The firm had net assets of 64.2 million."),
    ("64.2", "The ratio comes to 64.2."),
    ("64.2", "The ratio is 64.2 (128.4 / 2)."),
    (
        "64.2",
        "The ratio is 64.2. This means that for every $1 it earns $64.2.",
    ),
    (
        "64.2",
        "The answer is 10. Wait, I made a mistake. The answer is 64.2.",
    ),
    (
        "64.2",
        "1. Sales in 2019: 10\n2. Sales in 2020: 74.2\n3. Change: 64.2",
    ),
    ("64.2", "Step 3: the change is 64.2"),
    ("64.2", "答案是64.2"),
    (
        "64.2",
        "The change is:\n\n$64.2 million\n\nIt is in the \"Changes\" of 2020.",
    ),
    (
        "0.642",
        "Share = 64.2 / 100 = 0.642 = 64.2%\n\nSo the share is 64.2%.",
    ),
    (
        "64.2",
        "Here are the details to answer the question:\n- Sales of 2019 are 10.\nThe change is 64.2.",
    ),
    (
        "64.2",
        "The change is 64.2. This is because it is not stated otherwise.",
    ),
    ("64.2", "It had assets amounting to $64.2 million."),
    ("1250", "1,250"),
    ("1250", "1 250"),
    ("1250", "1\u{a0}250"),
    ("1250", "1\u{2009}250"),
    ("1250", "1\u{202f}250"),
    ("1250", "1'250"),
    ("1250", "1{,}250"),
    ("1250", "$1,\\!250$"),
    ("1250", "1.25e3"),
    ("1250", "1.25 × 10^3"),
    ("1250", "$1.25 \\times 10^{3}$"),
    ("1250", "1,250.00"),
    ("1250", "USD 1,250"),
    ("1250", "1250."),
    ("-57", "(57)"),
    ("-57", "$(57) million"),
    ("-57", "The change was (57)."),
    ("-57", "–57"),
    ("-57", "minus 57"),
    ("-57", "There was a change of negative 57."),
    ("-57", "-$57"),
    ("-57", "$-57"),
    ("-57", "It was −57 %."),
    ("0.75", "3/4"),
    ("0.75", "\\frac{3}{4}"),
    ("0.75", "The share is 3/4."),
    ("1.75", "1 3/4"),
    ("0.5", "½"),
    ("12.5", "12,5"),
    ("12.5", "Answer: 12,50 %"),
    ("0.0000001", "1e-7"),
    ("0.001", "0.001"),
    ("0", "0"),
    ("0", "The cost is zero: 0."),
    ("0.2", "about 0.2"),
    ("0.2", "approximately $0.2"),
    ("0.2", "Roughly 0.2."),
    ("0.2", "0.2 (20%)"),
    ("0.2", "It is 0.2 (20 %)."),
    ("0.2", "0.2, or 20 %"),
    ("20", "20% (0.2)"),
    ("1.5", "$1.5 million (1,500,000)"),
    ("5", "5 (2019)"),
    ("6.42", "(74.2 - 10) / 10"),
    ("6.42", "Answer: (74.2 - 10) / 10"),
    ("642", "\\boxed{\\frac{74.2-10}{10} \\times 100\\%}"),
    ("7.5", "[[6/80*100]]"),
    ("1500", "Answer: 1,200 + 300"),
    ("10", "Answer \\( (9+1) \\)"),
    ("1024", "\\boxed{2^{10}}"),
    ("2", "\\boxed{\\sqrt{4}}"),
    ("54", "$\\boxed{204_5}$"),
    ("64.2", "Answer: 64.2 (74.2 - 10)"),
    ("64.2", "**64.2** (74.2 - 10)"),
    ("640", "The final answer is 640 (800 - 160)"),
    ("640", "#### 640 (800 - 160)"),
    ("640", "{\"answer\": \"640 (800 - 160)\"}"),
    ("0.75", "Answer: 0.75 (3/4)"),
    ("0.5", "\\boxed{0.5 (1/2)}"),
    ("0.5", "$\\frac{1}{2}$ (1/2)"),
    ("1.414", "1.414 (\\sqrt{2})"),
    ("6.28", "6.28 (2\\pi)"),
    ("1024", "1024 (2^10)"),
    ("5000", "Answer: $5,000 ($10,000/2)"),
    ("25", "Final answer: 25 (2020–2021)"),
    ("5", "Answer: 5 (2019-2020)"),
    ("5", "Answer: 5 (e)"),
    ("1300", "<answer>1,200 + 300. Less 200 it is 1,300</answer>"),
    ("13", "Answer: 3 * 4\n= 12 + 1\n= 13"),
    ("12", "<answer>10 + 5\nminus 3 is 12</answer>"),
    ("yes", "Yes."),
    ("yes", "**Yes**, sales rose."),
    ("no", "Answer: No"),
    ("no", "{\"answer\": \"no\"}"),
    ("2019, 2018", "2018 and 2019"),
    ("10-15", "10 to 15"),
    ("$ 1,204 / $ 1,131", "Answer: $1,131 and $1,204"),
    ("value added tax", "Answer: Value added tax."),
    ("value added tax", "[[Value added tax]]"),
];

const WRONG: &[(&str, &str)] = &[
    (
        "10",
        "Sales were 10 in 2019 and 74.2 in 2020. The change is 64.2.",
    ),
    (
        "74.2",
        "Sales were 10 in 2019 and 74.2 in 2020. The change is 64.2.",
    ),
    ("2019", "In 2019 sales rose."),
    ("2020", "in 2020 it was 5"),
    ("2020", "The stock of the year 2020 was $1,204 million."),
    ("5", "The answer is between 5 and 7."),
    ("7", "The answer is between 5 and 7."),
    ("5", "The answer is 5 or 6."),
    ("6", "It is 5 or 6."),
    ("5", "5-7"),
    ("5", "5 to 7"),
    ("5", "Answer: 5:7"),
    ("3", "Answer: 3/4"),
    ("4", "Answer: 3/4"),
    ("3", "\\boxed{\\frac{3}{4}}"),
    ("2", "\\boxed{\\sqrt{2}}"),
    ("2", "\\boxed{2\\pi}"),
    ("2", "\\boxed{2x + 3}"),
    ("3", "\\boxed{2x + 3}"),
    ("2", "Answer: 2^10"),
    ("5", "Answer: 5!"),
    ("1", "1e-7"),
    ("1.5", "1.5e7"),
    ("1.5", "1.5 × 10^7"),
    ("1.5", "$1.5 \\times 10^{7}$"),
    ("10", "1.5 × 10^7"),
    ("1", "1,250"),
    ("250", "1,250"),
    ("1", "1 250"),
    ("1", "1{,}250"),
    ("250", "1{,}250"),
    ("125", "12,5"),
    ("1250", "12,50"),
    ("157", "1,57 %"),
    ("12", "12,5"),
    ("1", "1.2.3"),
    ("1.2", "1.2.3"),
    ("123", "1,2,3"),
    ("57", "(57)"),
    ("57", "-57"),
    ("57", "$(57) million"),
    ("57", "minus 57"),
    ("57", "–57"),
    ("-57", "57"),
    ("-57", "10-57"),
    ("-15", "10-15"),
    ("-2020", "2019-2020"),
    ("10", "form 10-K"),
    ("3", "Q3"),
    ("3", "3rd"),
    ("19", "COVID-19"),
    ("12", "12/31/2019"),
    ("2019", "2019-12-31"),
    ("31", "December 31, 2019"),
    ("31", "It was on December 31."),
    ("0.0000001", "0"),
    ("0.000001", "0.0000015"),
    ("0", "0.00001"),
    (
        "64.2",
        "To answer this we divide 64.2 by 10. The answer is 6.42.",
    ),
    ("0", "If there were none, the answer would be 0."),
    ("64.2", "[[none]] 64.2"),
    ("64.2", "\\boxed{\\text{unknown}} though 64.2 is near"),
    ("64.2", "{\"answer\": null, \"sales\": 64.2}"),
    ("64.2", "{\"answer\": 64.2}\nCorrection: {\"answer\": 10}"),
    ("64.2", "<think>64.2"),
    ("64.2", "<think>64.2</think>I do not know."),
    ("64.2", "<|channel|>analysis<|message|>It is 64.2"),
    ("64.2", "The answer is 64.2. Wait. The answer is 10."),
    ("64.2", "If sales had been 74.2, the change would be 64.2."),
    ("64.2", "Is it 64.2?"),
    ("64.2", "For example, the change is 64.2."),
    (
        "64.2",
        "The change is 64.2 in this case. But I cannot tell what it is for your firm.",
    ),
    ("64.2", "I'm sorry, but the data for 64.2 are not provided."),
    ("64.2", "Change = (74.2 - 10) * 100 / 64.2"),
    ("64.2", "Change = 64.2 * 100"),
    ("64.2", "Divide 128.4 by 64.2 to get the ratio."),
    ("64.2", "The margin was 64.2 in 2018 and 70.1 in 2019."),
    ("64.2", "74.2\n64.2\n54.2"),
    ("0.642", "64.2%"),
    ("64200000", "$64.2 million"),
    ("2019", "2019, 2018"),
    ("2019, 2018", "2019"),
    ("2019, 2018", "2019, 2018, 2017"),
    ("10-15", "10"),
    ("10-15", "15"),
    ("$ 1,204 / $ 1,131", "1204"),
    ("12.5%, 13.1%", "12.5"),
    ("20", "0.2 (30%)"),
    ("0.2", "0.2 (30%)"),
    ("20", "-20% (0.2)"),
    ("5", "5 (6)"),
    ("2019", "5 (2019)"),
    ("0.2", "about 0.2 to 0.3"),
    ("0.2", "not 0.2"),
    ("0.2", "0.2 is not given"),
    ("8", "10-2"),
    ("8", "10 - 2"),
    ("2", "(2-0)"),
    ("2018", "2020-01-01"),
    ("0.00024752", "1/2/2020"),
    ("-679", "555-1234"),
    ("432", "(555) 123-4567"),
    ("5", "5(1)"),
    ("30", "(5)(6)"),
    ("4", "(3, 4+1)"),
    ("120", "The answer is 5!"),
    ("1.57", "1/2\\pi"),
    ("8", "3 + 5 million"),
    ("3", "1 + 2 or 4"),
    ("74.2", "Answer: (74.2 - 10) / 10"),
    ("6", "[[6/80*100]]"),
    ("204", "$\\boxed{204_5}$"),
    ("17", "$\\sqrt{17}$"),
    ("2", "\\boxed{2 \\pm \\sqrt{5}}"),
    ("4121.64", "Answer: 64.2 (74.2 - 10)"),
    ("64.2", "Answer: 10 (74.2 - 10)"),
    ("409600", "The final answer is 640 (800 - 160)"),
    ("160", "The final answer is 640 (800 - 160)"),
    ("0.5625", "Answer: 0.75 (3/4)"),
    ("0.25", "\\boxed{0.5 (1/2)}"),
    ("0.25", "$\\frac{1}{2}$ (1/2)"),
    ("1048576", "1024 (2^10)"),
    ("25000000", "Answer: $5,000 ($10,000/2)"),
    ("-25", "Final answer: 25 (2020–2021)"),
    ("-5", "Answer: 5 (2019-2020)"),
    ("80", "10 2^3"),
    ("12", "* 3\n* 4"),
    ("6000", "* 10\n* 20\n* 30"),
    ("7", "+ 3\n+ 4"),
    ("10000", "100\n(50 + 50)"),
    ("144", "12\n\\sqrt{144}"),
    ("16", "$\\sqrt{16}$ $\\sqrt{16}$"),
    ("1500", "<answer>1,200 + 300. Less 200 it is 1,300</answer>"),
    ("12", "Answer: 3 * 4\n= 12 + 1\n= 13"),
    ("15", "<answer>10 + 5\nminus 3 is 12</answer>"),
    ("700", "Answer: (500) + 200"),
    ("-300", "Answer: (500) + 200"),
    ("1208", "Answer: (1,204) + 4"),
    ("20", "Answer: (10) * 2"),
    ("-6", "- 3\\sqrt{4}"),
    ("-5", "- 5 * 1"),
    ("100", "Answer: 5 * 20%"),
    ("1728", "Answer: 12³"),
    ("60", "2020_3"),
    ("yes", "No."),
    ("yes", "Yesterday sales rose."),
    ("no", "There is no way to tell."),
    ("no", "Not sure."),
    ("no", "Answer: None"),
    ("yes", "Yes and no"),
    (
        "value added tax",
        "The tax is not the value added tax of 2019.",
    ),
    ("value added tax", "added tax"),
];

/// Without a judge, the rule in its place applies units where they are asked for.
#[test]
fn the_companion_rule_is_lenient_where_it_is_told_to_be() {
    let task: Task = "FinQA".parse().unwrap();
    let item = Item::new("1", "Growth?", Gold::Text("0.125".to_owned()));
    for (lenient, want) in [(false, AnswerOutcome::Wrong), (true, AnswerOutcome::Right)] {
        let mut grader = Grader::new(Settings {
            lenient,
            ..Settings::default()
        });
        let grade = grader.grade(task, &item, Some("The answer is 12.5 %."));
        assert_eq!(grade.outcome, want, "{grade:?}");
    }
}

/// The companion rule of FinQA says what it read, and what the last number of the reply would give.
#[test]
fn the_companion_rule_shows_what_it_read() {
    use AnswerOutcome::{NoAnswer, Right, Wrong};
    let task: Task = "FinQA".parse().unwrap();
    let cases = [
        ("0.2", "about 0.2", Right, Some("0.2"), Some(true)),
        ("0.2", "0.2 (20%)", Right, Some("0.2"), Some(false)),
        ("0.2", "The answer is 0.3.", Wrong, Some("0.3"), Some(false)),
        ("0.2", "We divide 10 by 0.2", NoAnswer, None, Some(true)),
        ("0.2", "I do not know.", NoAnswer, None, Some(false)),
        ("yes", "Yes, it rose.", Right, Some("yes"), None),
        ("yes", "Answer: no", Wrong, Some("no"), None),
        ("yes", "5", NoAnswer, None, None),
    ];
    for (right, reply, outcome, read, flexible) in cases {
        let item = Item::new("1", "Growth?", Gold::Text(right.to_owned()));
        let grade = Grader::new(Settings::default()).grade(task, &item, Some(reply));
        assert_eq!(
            (grade.outcome, grade.read.as_deref(), grade.flexible),
            (outcome, read, flexible),
            "{reply} for {right}"
        );
    }
}

/// The published evaluation of knowledge questions removes records without a reply; the other rules count them as wrong.
/// What each is called does not depend on the rules.
#[test]
fn empty_and_missing_replies_to_knowledge_questions() {
    let items = ["1", "2", "3", "4"]
        .map(|id| Item::new(id, "Which?", Gold::Letters("A".chars().collect())));
    let answers = [
        ("1", Some("A")),
        ("2", Some("B")),
        ("3", Some(" ")),
        ("4", None),
    ]
    .map(|(id, reply)| Prediction::new(id, reply.map(str::to_owned)));
    let task: Task = "knowledge/fin/single".parse().unwrap();
    for (profile, counted, accuracy) in [
        (Profile::Strict, 4, 0.25),
        (Profile::Paper, 4, 0.25),
        (Profile::Authors, 2, 0.5),
    ] {
        let settings = Settings {
            profile,
            ..Settings::default()
        };
        let report = score_set(task, &items, &answers, &mut Grader::new(settings));
        assert_eq!((report.n, report.counted), (4, counted), "{profile}");
        let outcomes = [AnswerOutcome::NoAnswer, AnswerOutcome::Missing];
        assert_eq!(outcomes.map(|outcome| report.count(outcome)), [1, 1]);
        let says = report.to_string().contains("2 of 4 items");
        assert_eq!(says, counted < 4, "{profile}: {report}");
        assert_eq!(report.headline.unwrap().value, accuracy, "{profile}");
    }
}

/// Without a judge the other answers to a judged task are not counted either.
#[test]
fn without_a_judge_a_missing_answer_to_a_judged_task_is_not_counted() {
    let items = ["1", "2"].map(|id| Item::new(id, "Why?", Gold::Text("Because.".to_owned())));
    let answers = [Prediction::new("1", Some("So it is.".to_owned()))];
    let task: Task = "RM_C".parse().unwrap();
    for profile in [Profile::Strict, Profile::Authors] {
        let settings = Settings {
            profile,
            ..Settings::default()
        };
        let mut grader = Grader::new(settings.clone());
        let report = score_set(task, &items, &answers, &mut grader);
        assert_eq!((report.n, report.counted, report.headline), (2, 0, None));
        let missing = report.outcomes.get(&AnswerOutcome::Missing);
        assert_eq!(missing, Some(&1), "the outcome stays");
        let none = score_set(task, &items, &[], &mut Grader::new(settings.clone()));
        assert_eq!((none.counted, none.headline), (0, None));
        let mut judge = |_: &JudgeRequest| Ok("{\"score\": 4, \"reason\": \"x\"}".to_owned());
        let mut grader = Grader::new(settings).with_judge(&mut judge);
        let report = score_set(task, &items, &answers, &mut grader);
        assert_eq!(report.counted, 2, "{profile}");
    }
}

/// A judge that does not answer counts as the published code counts it, `API_ERROR`, 0, and has no grade by our rules.
#[test]
fn a_judge_without_a_reply() {
    let task = Task::all()
        .find(|task| task.metric() == Metric::Judged)
        .unwrap();
    let item = Item::new("1", "Why?", Gold::Text("Because.".to_owned()));
    let cases = [
        (
            Profile::Authors,
            AnswerOutcome::Graded,
            Some(0.0),
            "API_ERROR",
        ),
        (Profile::Strict, AnswerOutcome::Unscored, None, ""),
    ];
    for (profile, outcome, score, note) in cases {
        let mut silent = |_: &JudgeRequest| -> Result<String, NoReply> {
            Err(NoReply {
                reason: "filtered".to_owned(),
            })
        };
        let mut grader = Grader::new(Settings {
            profile,
            ..Settings::default()
        })
        .with_judge(&mut silent);
        let grade = grader.grade(task, &item, Some("It is so."));
        assert_eq!((grade.outcome, grade.value), (outcome, score), "{profile}");
        assert!(grade.note.unwrap_or_default().contains(note));
    }
}
