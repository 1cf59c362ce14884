//! The strict letter cascade and the published letter rules against the vectors.

use crate::golden::{rows, text, vectors};
use qa_scoring::extract::{letters, published, written_options};
use qa_scoring::score::ResultSource;
use qa_scoring::{
    AnswerOutcome, Domain, Gold, Grader, Item, LetterSet, Profile, QuestionType, Settings, Task,
    load, score_results,
};
use serde_json::Value;
use strum::VariantArray;

fn set(value: &Value) -> LetterSet {
    match value {
        Value::Null => LetterSet::EMPTY,
        Value::String(letter) => letter.chars().collect(),
        Value::Array(list) => list
            .iter()
            .flat_map(|v| v.as_str().unwrap().chars())
            .collect(),
        other => panic!("{other}"),
    }
}

/// The answer to an item with one right letter: none if several were given.
fn one(set: LetterSet) -> LetterSet {
    set.single().into_iter().collect()
}

#[test]
fn the_strict_cascade_on_made_up_replies() {
    let Some(file) = vectors("choice_extraction.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let reply = text(row, "text");
        let options = usize::try_from(row["strict_options"].as_u64().unwrap()).unwrap();
        let got = letters(reply, options);
        assert_eq!(got, set(&row["strict_multi"]), "{reply:?} {got:?}");
        assert_eq!(one(got), set(&row["strict_single"]), "{reply:?}");
        compared += 2;
    }
    assert_eq!(compared, 124);
}

#[test]
fn published_letter_rules() {
    let Some(file) = vectors("choice_extraction.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let reply = text(row, "text");
        let gold = text(row, "gold");
        let one = |value: &Value| value.as_str().and_then(|s| s.chars().next());
        let equal = published::evaluator_letter(reply) == published::evaluator_letter(gold);
        assert_eq!(
            equal,
            row["bizcompass_evaluator_equal"].as_bool().unwrap(),
            "{reply:?}"
        );
        assert_eq!(
            published::api_letter(reply),
            one(&row["bizcompass_api_first_letter"]),
            "{reply:?}"
        );
        let local = published::local_letters(reply);
        assert_eq!(
            local.first().copied(),
            one(&row["bizcompass_local_single"]),
            "{reply:?}"
        );
        let multi: Vec<char> = row["bizcompass_local_multi"]
            .as_array()
            .map(|list| list.iter().filter_map(one).collect())
            .unwrap_or_default();
        assert_eq!(local, multi, "{reply:?}");
        compared += 4;
    }
    assert_eq!(compared, 248);
}

/// Replies whose stored letter contradicts the cascade as it is described, with what it gives.
///
/// 497 walks through the options ("The option A states .. Option B suggests .. The option D implies");
/// the stored A is the first of them, the opening "C)" is the model's choice. 202 ends "So, the correct
/// answer is B) 5%", the last phrase; stored is the opening C. 26 says "The answer is a single
/// letter, which is "B""; stored is the article.
const READ_DIFFERENTLY: [(&str, u64, &str); 3] =
    [("Econ", 26, "B"), ("Econ", 202, "B"), ("Econ", 497, "C")];

#[test]
fn the_strict_cascade_on_real_replies() {
    let Some(file) = vectors("bizcompass_choice_combos.json") else {
        return;
    };
    let (mut compared, mut different) = (0, Vec::new());
    for combo in rows(&file, "combos") {
        let single = text(combo, "question_type") == "single";
        for item in rows(combo, "items") {
            let options = usize::try_from(item["n_options"].as_u64().unwrap()).unwrap();
            let got = letters(text(item, "raw"), options);
            let got = if single { one(got) } else { got };
            if got != set(&item["strict_raw"]) {
                different.push((
                    text(combo, "domain").to_owned(),
                    item["id"].as_u64().unwrap(),
                    got.to_string(),
                ));
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 1_883);
    let want: Vec<(String, u64, String)> = READ_DIFFERENTLY
        .iter()
        .map(|&(domain, id, letters)| (domain.to_owned(), id, letters.to_owned()))
        .collect();
    different.sort();
    let mut want = want;
    want.sort();
    assert_eq!(different, want);
}

/// Replies in the shapes that models write, for a question with four options: what each answers, ""
/// where it names no option.
const SHAPES: &[(&str, &str)] = &[
    // A final letter below an analysis of every option.
    (
        "Let me go through each option.\n\nA) This ignores the discount rate.\nB) This is the textbook case.\nC) Partly true.\nD) Not supported.\n\nB",
        "B",
    ),
    (
        "**Option A** raises cost.\n**Option B** lowers quality.\n**Option C** does neither.\n**Option D** is illegal.\n\n**C**",
        "C",
    ),
    (
        "Analysis:\n- Option A: wrong sign\n- Option B: wrong unit\n- Option C: right\n- Option D: irrelevant\n\nC",
        "C",
    ),
    (
        "Evaluating the choices:\n1. A - false\n2. B - true\n3. C - true\n4. D - false\n\nB, C",
        "BC",
    ),
    (
        "A is tempting, but the premium is sunk.\nB fails on risk.\nD holds.\n\nD.",
        "D",
    ),
    (
        "The question asks for each option\nA) to be judged.\n\nSince demand is elastic, revenue falls.\n\nA",
        "A",
    ),
    (
        "First, Option B looks right.\nBut the covenant binds.\n\nA",
        "A",
    ),
    ("Step 1: NPV = 12.\nStep 2: IRR = 9%.\n\n(C)", "C"),
    ("Reasoning omitted.\n\n`D`", "D"),
    ("Reasoning omitted.\n\n\"B\"", "B"),
    ("Reasoning omitted.\n\n- B\n- D", "BD"),
    ("Reasoning omitted.\n\nA\nC\nD", "ACD"),
    ("Reasoning omitted.\n\nACD", "ACD"),
    ("Reasoning omitted.\n\nA and D", "AD"),
    ("Reasoning omitted.\n\n> C", "C"),
    ("Reasoning omitted.\n\n## B", "B"),
    ("Reasoning omitted.\r\n\r\nB\r\n", "B"),
    ("Reasoning omitted.\n\nOption B", "B"),
    ("Reasoning omitted.\n\n**Option D**", "D"),
    // A phrase.
    ("The correct answer is B.", "B"),
    ("Because prices rise, the correct answer is (C).", "C"),
    ("**Answer: D**", "D"),
    ("**Answer:** D", "D"),
    ("Answer - see below.\n\nFinal Answer: A", "A"),
    (
        "### Final Answer\n\n**B**\n\nThis follows from the envelope theorem.",
        "B",
    ),
    (
        "**Correct answer:**\nC) Raise the price\n\nThe others ignore entry.",
        "C",
    ),
    ("The answer is option D because the hedge is perfect.", "D"),
    ("The correct options are A, C and D.", "ACD"),
    ("The correct choices are **A** and **C**.", "AC"),
    ("The answers are both B and D.", "BD"),
    ("My answer: b", "B"),
    ("I would choose C, since A and B violate the budget.", "C"),
    ("I'll go with A.", "A"),
    ("So I select B.", "B"),
    ("The right answer is most likely D.", "D"),
    ("The answer is $\\boxed{B}$.", "B"),
    ("Answer: C. Increase inventory turnover", "C"),
    ("The best choice is A: hold cash.", "A"),
    ("正确答案是 B。", "B"),
    ("经过分析，选C", "C"),
    // Boxed, bracketed, JSON.
    ("Thus \\boxed{D}", "D"),
    ("\\[ \\boxed{\\text{A}} \\]", "A"),
    ("\\boxed{A, C}", "AC"),
    ("Work.\n\n[[C]]", "C"),
    (
        "```json\n{\"reasoning\": \"A is wrong\", \"answer\": \"B\"}\n```",
        "B",
    ),
    ("{\"answer\": [\"A\", \"D\"]}", "AD"),
    // Changed minds: the later answer counts.
    (
        "The answer is A. Wait, the tax shield matters. The answer is C.",
        "C",
    ),
    (
        "Answer: B\n\nOn reflection the option is out of the money.\n\nAnswer: D",
        "D",
    ),
    (
        "\\boxed{A}\n\nChecking again, the sign flips. Final answer: B",
        "B",
    ),
    ("B\n\nHmm, that ignores depreciation.\n\nC", "C"),
    (
        "Final answer: A\n\nActually I made an error.\n\n\\boxed{D}",
        "D",
    ),
    ("The answer is B.\n\nCorrection:\n\nA", "A"),
    // The letter first, then the reasons.
    (
        "B\n\nExplanation: option A ignores risk, and option C is circular.",
        "B",
    ),
    (
        "C) Diversify.\n\nA) is wrong because it is costly. B) is wrong too.",
        "C",
    ),
    ("**D**\n\nA and B are dominated; C is infeasible.", "D"),
    // The last sentence.
    ("A and C share a flaw.\nTherefore, B is correct.", "B"),
    (
        "Only the second and fourth hold.\nSo B and D are correct.",
        "BD",
    ),
    ("All things considered, it has to be C", "C"),
    ("Option A is incorrect. Option C is right.", "C"),
    ("B) Sell the receivables", "B"),
    ("B, C is a distractor.", "B"),
    ("Work.\n\nA, C, D is out of scope.", "AC"),
    ("Unlike B, C is a fair price.", ""),
    ("<think>A? No, B. Maybe C.</think>\n\nD", "D"),
    // Other options are rejected beside the answer.
    (
        "Answer: B\n\nNone of the other options accounts for the tax shield.",
        "B",
    ),
    ("None of the others fits, so the answer is B.", "B"),
    ("Neither of these works: \\boxed{B}", "B"),
    ("The correct answer is B. Answers A and C are wrong.", "B"),
    (
        "Answer: B\n\nAnswer choice A is incorrect because it ignores risk.",
        "B",
    ),
    ("The answer is B, not A.", "B"),
    ("The answer is B because A is not feasible.", "B"),
    ("The answer is none other than C.", "C"),
    ("Option B because C is wrong.", "B"),
    ("Answer choices: A, B\n\nThe sum is 12, so it is C", "C"),
    // No option is named.
    ("So neither A nor C is correct.", ""),
    (
        "Answer: B\n\nOn reflection:\n\nNone of the options is correct.",
        "",
    ),
    ("It is unclear whether D is right.", ""),
    ("None of the above", ""),
    ("The correct answer is none of these.", ""),
    (
        "Option A seems close, but\n\nNone of the options is correct.",
        "",
    ),
    ("The answer is A or B.", ""),
    ("A) Buy\nB) Sell\nC) Hold\nD) Wait", ""),
    ("Please choose the correct answer:\nA) Buy\nB) Sell", ""),
    ("Option A has merit, and option B has merit.", ""),
    ("I cannot answer this question.", ""),
    ("Answer: E", ""),
    ("A company should maximise value", ""),
    ("<think>It must be B", ""),
    ("The utility is\nu(x,y)", ""),
];

#[test]
fn replies_in_the_shapes_that_models_write() {
    let wrong: Vec<String> = SHAPES
        .iter()
        .filter_map(|&(reply, want)| {
            let got = letters(reply, 4);
            let want: LetterSet = want.chars().collect();
            (got != want).then(|| format!("{reply:?}: {got:?}, wanted {want}"))
        })
        .collect();
    assert!(SHAPES.len() >= 60);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Replies of several lines that end in a line of letters: at least 97 % are read as that line.
#[test]
fn uncut_replies_are_read_as_their_last_line() {
    let Some(file) = vectors("uncut_replies.json") else {
        return;
    };
    let (mut read, mut different) = (0, Vec::new());
    for case in rows(&file, "cases") {
        let got = letters(text(case, "reply"), 4);
        if got == set(&case["last_line"]) {
            read += 1;
        } else {
            different.push(format!(
                "{} {} {}: {got}",
                text(case, "domain"),
                text(case, "kind"),
                case["id"]
            ));
        }
    }
    assert_eq!(read + different.len(), 550);
    assert!(read * 100 >= 550 * 97, "{read} of 550: {different:#?}");
}

/// `Settings::letters` names the reading, whatever the profile.
#[test]
fn the_reading_of_letters_is_an_option() {
    use qa_scoring::grade::LetterReading;
    let item = Item {
        id: "1".into(),
        question: "Which?".into(),
        context: None,
        instruction: None,
        table: None,
        options: ["w", "x", "y", "z"].map(str::to_owned).to_vec(),
        gold: Gold::Letters("BD".chars().collect()),
        program: None,
    };
    let reply = "answer: B and D, not C\n\nB, D";
    let read = |kind: &str, letters| {
        let task: Task = format!("knowledge/fin/{kind}").parse().unwrap();
        let settings = Settings {
            letters,
            ..Settings::default()
        };
        let grade = Grader::new(settings).grade(task, &item, Some(reply));
        grade.read.unwrap_or_default().replace(',', "")
    };
    let readings = [
        (None, "", "BD"),
        (Some(LetterReading::Strict), "", "BD"),
        (Some(LetterReading::Published), "A", "A"),
        (Some(LetterReading::Api), "B", "B"),
        (Some(LetterReading::Local), "B", "BCD"),
    ];
    for (reading, single, multiple) in readings {
        assert_eq!(read("single", reading), single, "{reading:?}");
        assert_eq!(read("multiple", reading), multiple, "{reading:?}");
    }
}

/// Whether an item counts never depends on the reply.
#[test]
fn the_denominator_does_not_depend_on_the_reply() {
    let item = Item {
        id: "448".into(),
        question: "Headline?".into(),
        context: None,
        instruction: None,
        table: None,
        options: vec![],
        gold: Gold::Absent,
        program: None,
    };
    for task in [
        "EDTSUM",
        "FRM",
        "FPB",
        "FinQA",
        "knowledge/fin/single",
        "knowledge/om/multiple",
    ] {
        let task: Task = task.parse().unwrap();
        for &profile in Profile::VARIANTS {
            let mut grader = Grader::new(Settings {
                profile,
                ..Settings::default()
            });
            let counted: Vec<bool> = [None, Some(""), Some("   "), Some("Error_503"), Some("B")]
                .into_iter()
                .map(|reply| grader.grade(task, &item, reply).value.is_some())
                .collect();
            assert!(
                counted.iter().all(|c| *c == counted[0]),
                "{task} {profile}: {counted:?}"
            );
        }
    }
}

/// A result file with an empty right answer is read; the record is counted and set aside.
#[test]
fn a_record_with_an_empty_right_answer_is_set_aside() {
    let record = |id: u32, answer: &str| {
        format!(
            r#"{{"ID": {id}, "Question": "Which?", "Options": {{"A": "w", "B": "x", "C": "y", "D": "z"}},
               "Answer": {answer}, "model_evaluation_result": {{"model_raw_response": "B", "model_answer": "B", "error": null}}}}"#
        )
    };
    for (kind, right, empty) in [
        (QuestionType::Single, "\"B\"", ["\"\"", "\" \""]),
        (QuestionType::Multiple, "[\"B\"]", ["\"\"", "[]"]),
    ] {
        let file = format!(
            "[{}, {}, {}]",
            record(1, right),
            record(2, empty[0]),
            record(3, empty[1])
        );
        let loaded = load::results(kind, file.as_bytes()).unwrap();
        let remark = loaded
            .remarks
            .iter()
            .find(|r| r.kind == load::RemarkKind::NoRightAnswer)
            .unwrap();
        assert_eq!((remark.count, remark.first), (2, 1));
        let task = Task::Knowledge(Domain::Fin, kind);
        for source in [ResultSource::Stored, ResultSource::Reply] {
            let mut grader = Grader::new(Settings::default());
            let report = score_results(task, &loaded.records, source, &mut grader);
            assert_eq!(
                (
                    report.n,
                    report.counted,
                    report.count(AnswerOutcome::NoGold)
                ),
                (3, 1, 2)
            );
            assert_eq!(report.headline.unwrap().value, 1.0);
        }
    }
}

/// One published result file has a record without options; its answer is scored too.
#[test]
fn a_result_without_options_is_read_and_a_question_without_options_is_not() {
    let result = r#"{"ID": "513", "Question": "Normal Q1", "Answer": "A",
        "model_evaluation_result": {"model_raw_response": "C) no", "model_answer": "C", "error": null}}"#;
    let loaded = load::results(QuestionType::Single, format!("[{result}]").as_bytes()).unwrap();
    let kinds: Vec<_> = loaded
        .remarks
        .iter()
        .map(|r| (r.kind.clone(), r.count))
        .collect();
    assert_eq!(kinds, [(load::RemarkKind::NoOptions, 1)]);
    let task = Task::Knowledge(Domain::Econ, QuestionType::Single);
    for source in [ResultSource::Stored, ResultSource::Reply] {
        let mut grader = Grader::new(Settings::default());
        let report = score_results(task, &loaded.records, source, &mut grader);
        assert_eq!(report.count(AnswerOutcome::Wrong), 1);
    }
    let question = br#"[{"ID": 1, "Question": "Which?", "Answer": "A"}]"#;
    assert!(load::items(task, question).is_err());
}

#[test]
fn options_that_are_written_out_count_where_their_texts_are_known() {
    let options = ["Total risk", "Systematic risk", "None of the above"];
    let item = |gold: &str| Item {
        options: options.map(str::to_owned).to_vec(),
        ..Item::new("1", "Which one?", Gold::Letters(gold.chars().collect()))
    };
    let outcome = |kind: QuestionType, gold: &str, reply: &str| {
        let task = Task::Knowledge(Domain::Fin, kind);
        let mut grader = Grader::new(Settings::default());
        grader.grade(task, &item(gold), Some(reply)).outcome
    };
    for (gold, reply, want) in [
        ("B", "Systematic risk", AnswerOutcome::Right),
        (
            "B",
            "{\"answer\": \"Systematic risk\"}",
            AnswerOutcome::Right,
        ),
        ("B", "The answer is total risk.", AnswerOutcome::Wrong),
        ("B", "A. Systematic risk", AnswerOutcome::Wrong),
        ("B", "It is not systematic risk.", AnswerOutcome::NoAnswer),
        (
            "B",
            "Total risk or systematic risk",
            AnswerOutcome::NoAnswer,
        ),
        ("C", "None of the above", AnswerOutcome::Right),
        ("B", "<think>Systematic risk", AnswerOutcome::NoAnswer),
    ] {
        assert_eq!(outcome(QuestionType::Single, gold, reply), want, "{reply}");
    }
    for (gold, reply, want) in [
        ("AB", "Total risk\nSystematic risk", AnswerOutcome::Right),
        (
            "AB",
            "Answer: A. Total risk; B. Systematic risk",
            AnswerOutcome::Right,
        ),
        ("AB", "Total risk", AnswerOutcome::Wrong),
        (
            "AB",
            "A: correct\nB: correct\nC: incorrect",
            AnswerOutcome::Right,
        ),
    ] {
        assert_eq!(
            outcome(QuestionType::Multiple, gold, reply),
            want,
            "{reply}"
        );
    }
}

/// A next question that the model asks itself is not part of the reply, and an answer that is taken back is none.
#[test]
fn what_follows_an_answer() {
    for (reply, want) in [
        (
            "The answer is C.\n\nQuestion: What is 2+2?\nA. 3\nB. 4\nAnswer: B",
            "C",
        ),
        ("C\n\nQuestion: next?\nAnswer: A", "C"),
        ("Question: which?\nAnswer: C", "C"),
        ("The answer is B. No, wait, it is C.", ""),
        ("The answer is B. No, wait. The answer is C.", "C"),
        ("The answer is C. Waiting is A.", "C"),
    ] {
        assert_eq!(one(letters(reply, 4)).to_string(), want, "{reply}");
    }
    for (reply, want) in [
        (r#"{"A": true, "B": false, "C": true, "D": false}"#, "A,C"),
        (r#"{"A": false, "B": false}"#, ""),
        ("1. A\n2. C", "A,C"),
        ("[x] A\n[ ] B\n[x] C\n[ ] D", "A,C"),
        ("☑ A\n☐ B\n☑ C\n☐ D", "A,C"),
    ] {
        assert_eq!(letters(reply, 4).to_string(), want, "{reply}");
    }
}

/// Two right options in the shapes that models write; "" where the reply does not say which it means.
#[test]
fn several_letters() {
    for (reply, want) in [
        ("A as well as C", "A,C"),
        ("Answer: a, c", "A,C"),
        ("Answer: A C", "A,C"),
        ("A: A, C", "A,C"),
        ("Statements A and C", "A,C"),
        ("The correct ones are A & C", "A,C"),
        ("True: A, C\nFalse: B, D", "A,C"),
        ("Antwort: A und C", "A,C"),
        ("Réponse : A et C", "A,C"),
        ("Respuesta: A y C", "A,C"),
        ("正确选项为A和C", "A,C"),
        ("\\boxed{A} and \\boxed{C}", "A,C"),
        ("$\\boxed{A}$ and $\\boxed{C}$", "A,C"),
        ("<answer>A</answer><answer>C</answer>", "A,C"),
        (r#"{"A": 1, "B": 0, "C": 1, "D": 0}"#, "A,C"),
        (
            r#"{"A": "true", "B": "false", "C": "yes", "D": "no"}"#,
            "A,C",
        ),
        (
            r#"{"correct_options": ["A", "C"], "why": "both hold"}"#,
            "A,C",
        ),
        (r#"{"answer": {"letters": ["A", "C"], "sure": 0.9}}"#, "A,C"),
        // Marks that do not stand side by side are a change of mind.
        ("\\boxed{A}. No, the sign flips.\n\n\\boxed{C}", "C"),
        // Only marks with letters are joined, not any brace before a mark.
        ("First \\boxed{A}. $\\text{Corrected: }\\boxed{C}$", "C"),
        ("\\boxed{A}? With $\\frac{1}{2}$ and $\\boxed{C}$", "C"),
        // An object beside other text is not the answer.
        ("```json\n{\"type\": \"A\"}\n```\nThe answer is C.", "C"),
        (r#"{"right": ["B"], "reasoning": "A. is wrong"}"#, "B"),
        (r#"{"incorrect": ["A"], "right": ["B"]}"#, "B"),
        // An order of options is not the answer above it.
        ("The answer is B.\n\nRanking:\n1. B\n2. C\n3. A", "B"),
        ("Ranking:\n1. B\n2. C\n3. A\n4. D", ""),
        ("Answers:\n1. A\n2. C", "A,C"),
        (r#"{"A": 0.7, "B": 0.3}"#, ""),
        (r#"{"first": "A", "second": "C"}"#, ""),
        (r#"{"answer": "rates rise", "best": "A"}"#, ""),
        ("Answer: a company should hold cash", ""),
        // The options that are called wrong are not the answer.
        ("Selected: A, C\nNot selected: B, D", "A,C"),
        ("Correct: A, C\nNot correct: B, D", "A,C"),
        ("Correct options: A, C\nNot correct options: B, D", "A,C"),
        ("Correct answers: A, C\nWrong answers: B, D", "A,C"),
        (
            "The correct answers are A and C, the wrong answers are B and D.",
            "A,C",
        ),
        ("B is wrong - answer: A, C", "A,C"),
        ("Best answer: C. Second-best answer: B.", "C"),
        ("Answer: C. Alternative answer: B", "C"),
        // Letters between which it is not said what is meant.
        ("Answer: A-C", ""),
        ("Answer: B to D", ""),
        ("A to C", ""),
        ("Answer: A to C", ""),
        ("The answer is B through D.", ""),
        ("I move from A to C", "C"),
        ("A only", "A"),
        ("Answer: A only", "A"),
        ("A and C only.", "A,C"),
        ("Answer: B → C", ""),
        ("The answer is B - C is wrong.", "B"),
        // What is announced behind JSON counts.
        (
            "```json\n{\"A\": true, \"B\": false}\n```\nOn reflection, the answer is B.",
            "B",
        ),
        ("```json\n[\"A\"]\n```\nWait, the answer is B.", "B"),
        ("```json\n[\"A\", \"C\"]\n```\nBoth hold.", "A,C"),
        (
            "```json\n[\"A\", \"C\"]\n```\nThe answer is based on the table.",
            "A,C",
        ),
        ("```json\n[\"A\"]\n```\nNo, I choose C.", "C"),
    ] {
        assert_eq!(letters(reply, 4).to_string(), want, "{reply}");
    }
}

/// A text that says of each option why it is right or wrong names the right ones.
#[test]
fn verdicts_with_reasons() {
    for (reply, want) in [
        (
            "A. True, because rates rise.\nB. False: they do not fall.\nC. True.\nD. False.",
            "A,C",
        ),
        (
            "- **A**: Correct – the premium is sunk.\n- **B**: Incorrect – it is not.",
            "A",
        ),
        (
            "A is correct. B is incorrect. C is correct. D is incorrect.",
            "A,C",
        ),
        (
            "- [x] A. Rates rise\n- [ ] B. Rates fall\n- [x] C. The rating is cut\n- [ ] D. Nothing changes",
            "A,C",
        ),
        ("A is correct. C is correct too.", "A,C"),
        (
            "A is correct but off the point. B is correct. C is wrong.",
            "B",
        ),
        (
            "A is correct. B is wrong. C is correct but D is wrong.",
            "A,C",
        ),
        ("A is wrong but close.\nC is correct.\nB is wrong.", "C"),
        (
            "A is correct. B is incorrect. C is also correct. D is wrong.",
            "A,C",
        ),
        // The answer that is announced counts, whatever the verdicts were.
        ("A. True.\nB. False.\nThe answer is B.", "B"),
        // Words of the options, not verdicts on them.
        ("A. Correct pricing\nB. Wrong pricing", ""),
        // Cases, not verdicts.
        ("If so, B is correct; otherwise, C is correct.", ""),
        // Some options of the list have no verdict.
        ("A. True.\nB. False.\nC. It depends.", ""),
    ] {
        assert_eq!(letters(reply, 4).to_string(), want, "{reply}");
    }
}

/// One letter in forms that a person reads without a doubt.
#[test]
fn one_letter() {
    for (reply, want) in [
        ("A: B", "B"),
        ("2. C", "C"),
        ("正解はBです。", "B"),
        ("정답은 B입니다.", "B"),
        ("Corrected answer: B", "B"),
        ("option b is correct", "B"),
        (r#"{"answer": {"letter": "B", "text": "rises"}}"#, "B"),
        (r#"{"selected": "B"}"#, "B"),
        ("Ответ: B", "B"),
        ("A. No, wait, B.", ""),
        ("A. No, B.", ""),
        ("Answer: A. No, B.", ""),
        // One letter for each case.
        ("If default is counted, B; otherwise C.", ""),
        ("If default is counted, the answer is B; otherwise C.", ""),
        ("Assuming default counts, B. Otherwise C.", ""),
        ("If A held, rates would rise. Therefore B.", "B"),
        // What follows the full stop does not deny the letter.
        ("The answer is B.\nWait, is it? Yes, the sign fits.", "B"),
        // Verdicts and wrong answers in Japanese and Korean.
        ("A: 不正解\nB: 正解\nC: 不正解\nD: 不正解", ""),
        ("정답: B\n오답: A", "B"),
        // Variables and headings.
        (
            "It is true: C falls when taxes rise.\nSo the model says.",
            "",
        ),
        ("The answer is C.\nHere the answer x is 5.", "C"),
        ("Statement A\nIt is false.\nStatement B\nIt is true.", ""),
    ] {
        assert_eq!(one(letters(reply, 4)).to_string(), want, "{reply}");
    }
    // Here the options themselves are "True" and "False".
    let listed = "The choices are:\nA. True\nB. False\nSales rose, so the claim fails.";
    assert!(letters(listed, 2).is_empty());
}

#[test]
fn options_that_are_named_by_their_place() {
    let options = ["Total risk", "Systematic risk", "Own risk"].map(str::to_owned);
    let read = |reply: &str| written_options(reply, &options).map(|set| set.to_string());
    for (reply, want) in [
        ("The answer is the second option.", Some("B")),
        ("Answer: option 2", Some("B")),
        ("the third one", Some("C")),
        ("I choose the second option.", Some("B")),
        ("I choose the second option because rates rise.", None),
        ("Total risk, systematic risk", Some("A,B")),
        ("Answer: option 4", None),
        ("Answer: 2", None),
        ("The second option is wrong.", None),
        ("The weakest is the second option.", None),
    ] {
        assert_eq!(read(reply).as_deref(), want, "{reply}");
    }
}
