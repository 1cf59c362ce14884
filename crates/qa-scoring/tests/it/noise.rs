//! Random and very large bytes and texts: no extractor or loader panics or takes excessive time.

#![allow(
    clippy::disallowed_methods,
    reason = "a promise about time needs a clock"
)]

use proptest::prelude::*;
use qa_scoring::construct;
use qa_scoring::extract::{
    final_answer, label, letters, number, plain_label, published, spans, without_thinking, yes_no,
};
use qa_scoring::finqa;
use qa_scoring::formula_eval;
use qa_scoring::judge::{published_verdict, read_label, read_score};
use qa_scoring::load;
use qa_scoring::metric::{entity_counts, token_tag_counts};
use qa_scoring::python::{evaluate, parse_float};
use qa_scoring::quality::lint;
use qa_scoring::rouge::{Rouge, Stemming};
use qa_scoring::rules::{choice, formula, number as numbers, quantity, tags};
use qa_scoring::tatqa;
use qa_scoring::taxonomy;
use qa_scoring::{Gold, Grader, Item, LetterSet, Profile, QuestionType, Settings, Task};
use sim_core::testkit::small_or_full;

/// Runs everything that reads a model's text; the results are ignored.
fn read_everything(text: &str) -> usize {
    let mut found = 0;
    let mut count = |hit: bool| found += usize::from(hit);
    let got = letters(text, 4);
    assert!(got.within(4));
    count(!got.is_empty());
    count(published::evaluator_letter(text).is_some());
    count(published::api_letter(text).is_some());
    count(!published::local_letters(text).is_empty());
    count(number(text).is_some_and(|found| found.value().is_finite()));
    count(numbers::first_number(text).is_some());
    count(numbers::last_number(text).is_some());
    count(!final_answer(text).is_empty());
    count(without_thinking(text).text().is_some());
    count(!spans(text).is_empty());
    count(yes_no(text).is_some());
    let _ = numbers::only_brace(text);
    count(label(text, &["yes", "no"]).is_some());
    count(!plain_label(text).is_empty());
    count(read_score(text).is_ok());
    count(read_label(text).is_ok());
    let _ = published_verdict(text);
    count(construct::read_drafts(text, 3).is_ok());
    count(construct::read_scores(text).is_ok());
    count(construct::read_suitability(text).is_ok());
    count(construct::read_distractors(text, 3).is_ok());
    let _ = taxonomy::read_label(text);
    count(parse_float(text).is_some());
    count(evaluate(text).is_some());
    count(tags::strict(text, "a,b").all);
    count(tags::authors(text, "a,b").all);
    count(formula::authors(text, "1"));
    count(quantity::strict(text, "1", text, true).right);
    count(quantity::authors(text, "1", None));
    count(numbers::bizbench_brace(text).is_some());
    count(!choice::authors_label(text, &["x", "y"]).is_empty());
    count(tatqa::to_number(text).is_some());
    count(!tatqa::normalised(text).is_empty());
    count(entity_counts(text, text).hits > 0);
    count(token_tag_counts(text, text).hits > 0);
    count(finqa::run(text, &vec![vec![text.to_owned()]]) != finqa::ProgramOutcome::Invalid);
    count(formula_eval::find_target(text).is_some());
    count(lint(&[text, "x"]).is_empty());
    count(load::split_options(text).is_some());
    found
}

/// Runs every loader.
fn load_everything(bytes: &[u8]) -> usize {
    let mut found = 0;
    for task in Task::all() {
        found += usize::from(load::items(task, bytes).is_ok());
    }
    for kind in QuestionType::ALL {
        found += usize::from(load::results(kind, bytes).is_ok());
    }
    found += usize::from(load::predictions(bytes).is_ok());
    found += usize::from(load::table(bytes).is_ok());
    found += usize::from(load::objects(bytes).is_ok());
    found
}

/// Pieces that extractors look for, in any order.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "<think>",
            "</think>",
            "```",
            "```python\n",
            "\n",
            "[[",
            "]]",
            "\\boxed{",
            "\\text{",
            "}",
            "{",
            "\"answer\"",
            "\"final_answer\"",
            ":",
            "\"",
            "'",
            "\"score\"",
            "Finish[",
            "]",
            "[",
            "the final answer is",
            "The answer is",
            "answer",
            "option",
            "选",
            "答案",
            "A",
            "b",
            "ABCD",
            " or ",
            " and ",
            ",",
            "(",
            ")",
            ".",
            "12",
            "1,234.5",
            "-",
            "+",
            "e5",
            "%",
            "$",
            "million",
            "Capability:",
            "DifficultyScore:",
            "Error_",
            "#0",
            "def f(",
            "class C:",
            "@dataclass",
            "const_",
            "ÄÖ",
            "İ",
            "\u{212A}",
            "\u{0}",
            "١",
            "²",
        ])
        .prop_map(str::to_owned),
        ".{0,4}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// JSON-like records with odd keys and values.
fn records() -> impl Strategy<Value = Vec<u8>> {
    let key = prop::sample::select(vec![
        "ID",
        "id",
        "Question",
        "question",
        "Answer",
        "answer",
        "Options",
        "options",
        "Text",
        "label",
        "context",
        "target",
        "task",
        "program",
        "prediction",
        "model_evaluation_result",
        "x",
    ]);
    let value = prop_oneof![
        Just("null".to_owned()),
        Just("7".to_owned()),
        Just("\"B\"".to_owned()),
        Just("\"A. x B. y\"".to_owned()),
        Just("[\"A\",\"C\"]".to_owned()),
        Just("{\"A\":\"x\",\"B\":\"y\"}".to_owned()),
        Just("{\"model_answer\":\"A\"}".to_owned()),
        Just("[1,".to_owned()),
        Just("\"0\"".to_owned()),
    ];
    let record = prop::collection::vec((key, value), 0..8).prop_map(|fields| {
        let fields: Vec<String> = fields.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
        format!("{{{}}}", fields.join(","))
    });
    (
        prop::collection::vec(record, 0..5),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(records, array, bom)| {
            let body = if array {
                format!("[{}]", records.join(","))
            } else {
                records.join("\r\n")
            };
            format!("{}{body}", if bom { "\u{feff}" } else { "" }).into_bytes()
        })
}

/// A number far beyond the largest double, which has 309 digits.
fn nines() -> String {
    "9".repeat(small_or_full(2_000, 10_000))
}

/// Answers with numbers that do not fit in any type.
fn numbers_out_of_range() -> Vec<String> {
    let digits = nines();
    vec![
        "1e999".to_owned(),
        "-1e999".to_owned(),
        "-0".to_owned(),
        "18446744073709551616".to_owned(),
        "1e-400".to_owned(),
        "nan".to_owned(),
        "inf".to_owned(),
        digits.clone(),
        format!("0.{digits}"),
        format!("{digits}/{digits}"),
        format!("{digits}%"),
        format!("[[{digits}]]"),
        format!("\\boxed{{1e{digits}}}"),
        format!("{{\"answer\": {digits}}}"),
        "{\"answer\": 1e999}".to_owned(),
        "the final answer is $1e999 million".to_owned(),
        format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{}1{}", "{\"answer\":".repeat(100_000), "}".repeat(100_000)),
        format!("divide({digits}, 0), exp(#0, {digits})"),
        format!("```python\nx = {digits}\n```"),
    ]
}

#[test]
fn slow_every_task_grades_numbers_out_of_range_with_a_finite_value() {
    let golds = [
        Gold::Text("1".to_owned()),
        Gold::Text("1e999".to_owned()),
        Gold::Text(nines()),
        Gold::Letters(LetterSet::default()),
        Gold::Absent,
    ];
    let mut graded = 0;
    for profile in [Profile::Strict, Profile::Authors] {
        let settings = Settings {
            profile,
            lenient: true,
            ..Settings::default()
        };
        let mut grader = Grader::new(settings);
        for (task, gold) in Task::all().flat_map(|task| golds.iter().map(move |gold| (task, gold)))
        {
            let item = Item {
                id: "1".to_owned(),
                question: "?".to_owned(),
                context: None,
                instruction: None,
                table: None,
                options: vec!["1".to_owned(), "2".to_owned()],
                gold: gold.clone(),
                program: None,
            };
            for answer in numbers_out_of_range() {
                let value = grader.grade(task, &item, Some(&answer)).value;
                let fits = value.is_none_or(|value| (0.0..=5.0).contains(&value));
                let shown: String = answer.chars().take(30).collect();
                assert!(fits, "{task}, `{shown}`: {value:?}");
                graded += 1;
            }
        }
    }
    assert!(graded > 1_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}|.{0,200}") {
        read_everything(&text);
    }

    #[test]
    fn any_mixture_of_marks(text in fragments()) {
        read_everything(&text);
    }

    #[test]
    fn any_bytes_load_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        load_everything(&bytes);
    }

    #[test]
    fn any_records_load_or_are_refused(bytes in records()) {
        load_everything(&bytes);
    }
}

/// Pieces that might make a reader rescan the text.
const PIECES: [&str; 75] = [
    "a",
    " ",
    "\n",
    "A",
    "A ",
    "A,",
    "1",
    "1,",
    "1.",
    "-1 ",
    "[[",
    "]]",
    "[[A]]",
    "[[1]]\n",
    "{",
    "}",
    "{\"a\":",
    "{\"score\":1}",
    "{\"score\":\"",
    "[",
    "(",
    "\\boxed{",
    "\\boxed{A}",
    "```",
    "```\n",
    "```\n1\n```",
    "`",
    "<think>",
    "</think>",
    "<think></think>",
    "answer",
    "answer is ",
    "Answer: A ",
    "option A ",
    "选A",
    "the final answer is ",
    "the final answer is \\boxed{",
    "Finish[",
    "Finish[x]",
    "\"final_answer\": ",
    "\"final_answer\": \"x",
    "A. x B. y ",
    "#0, ",
    "add(1, 2), ",
    "def f(a, ",
    "class C:\n    x: int\n",
    "é",
    "١",
    "İ",
    "\u{212A}",
    "million ",
    "12 million ",
    "Capability: ",
    "y",
    "'",
    "\"\"\"",
    "a_",
    "and ",
    "x, ORG\n",
    "<think>A",
    "{\"score\":{",
    "[[\n",
    "with 1, ",
    "given 1 and x, since it was 2, ",
    "was 5, up 3 from 4 (a rise of 2), ",
    "or about 5, roughly 6 ",
    "I cannot say, but not 5. Please verify. ",
    "<b>1</b> ",
    "option A (",
    "leaves ",
    "x B ",
    "<del>\n",
    "<del>~",
    "{\"a\":\"{abc: 1}\"} ",
    " ~~~ x ```2``` ",
];

/// Each piece repeated to 200 kB (20 kB in the ordinary run): a reader that is not linear would take
/// minutes.
#[test]
fn slow_long_repetitions() {
    let mut read = 0;
    for piece in PIECES {
        read_everything(&piece.repeat(small_or_full(20_000, 200_000) / piece.len()));
        read += 1;
    }
    assert_eq!(read, PIECES.len());
}

/// Texts of which each reader once read the rest anew at every piece; it took them from 16 s to minutes.
#[test]
fn repetitions_take_linear_time() {
    let texts = [
        "option A (".repeat(20_000),
        "leaves ".repeat(150_000),
        "<del>\n".repeat(40_000) + "</del>",
        "<del>~".repeat(150_000) + "</del>",
    ];
    let began = std::time::Instant::now();
    let mut found = 0;
    for text in &texts {
        found += letters(text, 4).len();
    }
    let braces = "{\"a\":\"{abc: 1}\"} ".repeat(60_000);
    found += reply_text::json::printed_objects(&braces).len();
    for line in [" ~~~ ", "~~~\n~~~\n", "```2``` "] {
        let text = line.repeat(1_000_000 / line.len()) + "\n";
        found += reply_text::mark::fences(&text).len();
    }
    let signature = format!("def f(\n{}", "a,\n".repeat(40_000));
    found += usize::from(formula_eval::find_target(&signature).is_some());
    assert!(found > 0);
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
}

/// A megabyte of all pieces mixed, and of the pieces that nest or open without end; a tenth in the
/// ordinary run.
#[test]
fn slow_a_megabyte_of_text() {
    let part = small_or_full(10, 1);
    let mixed = PIECES
        .concat()
        .repeat(1_000_000 / part / PIECES.concat().len());
    let mut read = 0;
    for text in [
        mixed,
        "{\"score\":{".repeat(90_000 / part),
        "[[".repeat(500_000 / part),
        "'".repeat(1_000_000 / part),
    ] {
        read_everything(&text);
        read += 1;
    }
    assert_eq!(read, 4);
}

/// A tenth in the ordinary run.
#[test]
fn slow_a_megabyte_through_every_loader() {
    let part = small_or_full(10, 1);
    let record = "{\"ID\":1,\"Question\":\"q\",\"Answer\":\"a\",\"Text\":\"t\"}";
    let deep = "[".repeat(500_000 / part);
    let wide = format!("[{}]", vec![record; 18_000 / part].join(","));
    let lines = format!("{record}\n").repeat(18_000 / part);
    let quotes = format!("a,b\n{}", "\"x\"\"y\",z\n".repeat(90_000 / part));
    let mut loaded = 0;
    for text in [
        deep,
        wide,
        lines,
        quotes,
        "{".repeat(1_000_000 / part),
        "\n".repeat(1_000_000 / part),
    ] {
        load_everything(text.as_bytes());
        loaded += 1;
    }
    assert_eq!(loaded, 6);
}

/// A megabyte of words per side: ROUGE-L stays within its memory, and the summary score stops in
/// time.
#[test]
fn slow_rouge_of_a_megabyte() {
    let words = |seed: u64, kinds: u64| -> String {
        let mut stream = sim_core::Seed(seed).stream("noise", 0);
        (0..120_000)
            .map(|k| {
                format!(
                    "{} {}",
                    stream.below(kinds),
                    if k % 3 == 0 { "\n" } else { "" }
                )
            })
            .collect()
    };
    let mut scorer = Rouge::new(Stemming::Porter);
    let same = words(1, 5);
    let scores = scorer.score(&same, &same);
    assert_eq!(scores.rouge_l.f, 1.0);
    let scores = scorer.score(&words(1, 100_000), &words(2, 100_000));
    assert!(scores.rouge1.f > 0.0 && scores.rouge_l.f > 0.0);
    assert_eq!(scorer.lsum(&same, &words(2, 5)), None);
}
