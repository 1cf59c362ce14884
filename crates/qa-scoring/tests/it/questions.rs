//! Questions as environments: their grades are those of the grader called directly.

use proptest::prelude::*;
use qa_scoring::env::{
    Config, EXECUTOR, JUDGE, Part, Question, QuestionChoice, QuestionEnv, QuestionSplit, Spec,
    State, reports, training_order,
};
use qa_scoring::interview::{CaseKind, Length};
use qa_scoring::judge::{JudgeRequest, NoReply, Round};
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetValue};
use qa_scoring::taxonomy::{Capability, DifficultyBucket};
use qa_scoring::{
    AnswerOutcome, Domain, Gold, Grade, GradedItem, Grader, Item, LetterSet, Metric, Profile,
    QuestionType, Settings, Task, prompt, report_of,
};
use serde_json::json;
use sim_core::testkit::{check_contract, check_instance, check_names, play};
use sim_core::{
    DynEnvironmentSpec, Environment, EnvironmentSpec, Episode, Seat, Seed, TextReply, ToolInterface,
};
use std::collections::BTreeSet;
use std::sync::Arc;

fn task(name: &str) -> Task {
    name.parse().unwrap()
}

fn open(question: Question) -> QuestionEnv {
    QuestionEnv::new(Arc::new(question)).unwrap()
}

fn asked(name: &str, gold: &str, scoring: Settings) -> QuestionEnv {
    let config = Config {
        scoring,
        ..Config::default()
    };
    let item = Item::new("7", "What is it?", Gold::Text(gold.to_owned()));
    open(config.question(task(name), item))
}

fn judges(judges: u32) -> Settings {
    Settings {
        judges,
        ..Settings::default()
    }
}

fn value(value: i128) -> SnippetReply {
    SnippetReply::Value(SnippetValue::Int(value))
}

fn ran(reply: &SnippetReply) -> TextReply {
    TextReply::text(json!(reply).to_string())
}

#[test]
fn names_are_those_of_json() {
    check_names::<Capability>();
    check_names::<CaseKind>();
    check_names::<DifficultyBucket>();
    check_names::<Length>();
    check_names::<Profile>();
    for (domain, kind) in Domain::ALL.into_iter().zip(QuestionType::ALL) {
        assert_eq!(
            json!([domain, kind]),
            json!([domain.to_string(), kind.to_string()])
        );
    }
}

#[test]
fn contract() {
    let config = Spec.configure(None, &[]).unwrap();
    for index in 0..Spec.distinct(&Config::default()).unwrap() {
        let instance = Spec.draw(&config, Seed(7), index).unwrap();
        let report = check_instance(&Spec, &*instance).unwrap();
        // All policies but `none`, which judges and runs nothing.
        assert_eq!(report.episodes, Spec.policy_list().len() - 1);
    }
    check_contract(&Spec).unwrap();
}

/// The examples are of three kinds; the oracle has the full score of each, and who is silent none.
#[test]
fn the_oracle_is_right_and_the_silent_is_not() {
    let config = Spec.configure(None, &[]).unwrap();
    let count = Spec.distinct(&Config::default()).unwrap();
    let mut tasks = BTreeSet::new();
    for index in 0..count {
        let instance = Spec.draw(&config, Seed(3), index).unwrap();
        tasks.insert(instance.group());
        let record = play(&Spec, &*instance, "oracle").unwrap();
        assert_eq!(record.score.value(), 1.0, "{index}");
        assert!(record.score.all_incidents().is_empty());
        assert_eq!(record.entries.len(), 1, "no example needs another seat");
        let silent = play(&Spec, &*instance, "silent").unwrap().score;
        assert_eq!(silent.value(), 0.0);
        assert_eq!(silent.all_incidents()[0].code, "no_answer");
        assert!(silent.is_scored());
    }
    assert_eq!(tasks.len() as u64, count);
    let again = Spec.draw(&config, Seed(9), count).unwrap();
    let first = Spec.draw(&config, Seed(3), 0).unwrap();
    assert_eq!(
        again.digest(),
        first.digest(),
        "the questions are asked in turn"
    );
}

/// A silent answer to any task has the grade of an empty reply.
#[test]
fn no_reply_has_the_grade_of_an_empty_one() {
    for task in Task::all() {
        let config = Config::default();
        let item = item_of(task);
        let expected = Grader::new(Settings::default()).grade(task, &item, Some(""));
        for reply in [
            TextReply::text(""),
            TextReply::text(" \n"),
            TextReply::default(),
            TextReply::failed("filtered: no"),
        ] {
            let mut env = open(config.question(task, item.clone()));
            env.step(&reply).unwrap();
            assert_eq!(env.grade(), Some(&expected), "{task} {reply:?}");
            assert_eq!(env.score().unwrap().value(), 0.0);
        }
        let mut env = open(config.question(task, item));
        env.forfeit();
        assert_eq!(env.grade(), Some(&expected));
    }
}

#[test]
fn every_judge_is_asked_and_an_unreadable_one_once_more() {
    let mut env = asked("RM_C", "Because.", judges(3));
    assert_eq!(env.seats(), [Seat::AGENT, JUDGE]);
    assert!(env.observe().question.is_some());
    env.step(&TextReply::text("So.")).unwrap();
    let replies = ["{\"score\": 5}", "four", "{\"score\": 4}", "{\"score\": 3}"];
    let expected = [
        (0, Round::First),
        (1, Round::First),
        (1, Round::Repair),
        (2, Round::First),
    ];
    for (reply, (judge, round)) in replies.iter().zip(expected) {
        assert!(!env.is_over());
        assert!(env.score().unwrap().why_unscored().is_some());
        assert_eq!(env.turn(), JUDGE);
        let seen = env.observe();
        assert!(seen.question.is_none() && seen.snippet.is_none());
        let request = seen.request.unwrap();
        assert_eq!((request.judge, request.round), (judge, round));
        let ask = env.ask().unwrap();
        let own: Vec<bool> = ask.chat.iter().map(|message| message.own).collect();
        let repair = [false, true, false];
        assert_eq!(own, repair[..if round == Round::First { 1 } else { 3 }]);
        assert_eq!(ask.system, request.system);
        env.step(&TextReply::text(*reply)).unwrap();
    }
    assert!(env.is_over() && env.is_judged());
    assert_eq!(
        env.grade().unwrap().value,
        Some(4.0),
        "the mean of 5, 4 and 3"
    );
    assert_eq!(env.score().unwrap().value(), 0.8, "as a share of 5");
    assert!(env.retold().unwrap().success);
}

/// A judge that fails is one vote less; judges that all fail leave the answer without a score.
#[test]
fn judges_that_fail_do_not_count() {
    let play = |replies: [TextReply; 2]| {
        let mut env = asked("RM_C", "Because.", judges(2));
        env.step(&TextReply::text("So.")).unwrap();
        for reply in &replies {
            env.step(reply).unwrap();
        }
        env
    };
    let failed = || TextReply::failed("server: 500");
    let one = play([failed(), TextReply::text("{\"score\": 2}")]);
    assert_eq!(one.score().unwrap().value(), 0.4);
    let none = play([failed(), failed()]);
    let score = none.score().unwrap();
    assert_eq!(
        score.why_unscored(),
        Some("the judge gave no reply: server")
    );
    assert!(none.is_judged(), "it was asked for a judgement");
}

#[test]
fn free_text_without_a_judge_is_not_scored() {
    let mut env = asked("RM_C", "Because.", Settings::default());
    env.step(&TextReply::text("So.")).unwrap();
    assert_eq!(env.turn(), JUDGE);
    env.step(&TextReply::default()).unwrap();
    assert!(env.is_over() && !env.is_judged());
    let grade = env.grade().unwrap();
    assert_eq!(
        (grade.outcome, grade.value),
        (AnswerOutcome::Unscored, None)
    );
    assert!(!env.score().unwrap().is_scored());
    assert!(!env.retold().unwrap().success);
}

#[test]
fn a_program_is_run_at_the_seat_of_the_executor() {
    let mut env = asked("FinCode", "42", Settings::default());
    assert_eq!(env.seats(), [Seat::AGENT, JUDGE, EXECUTOR]);
    env.step(&TextReply::text("```python\n6 * 7\n```")).unwrap();
    assert_eq!(env.turn(), EXECUTOR);
    assert!(env.ask().is_none(), "no model runs programs");
    let seen = env.observe();
    assert_eq!(seen.snippet.unwrap().code, "6 * 7");
    assert!(seen.question.is_none() && seen.request.is_none());

    let mut fork = env.clone();
    env.step(&ran(&value(42))).unwrap();
    assert!(env.is_over());
    assert_eq!(env.score().unwrap().value(), 1.0);
    fork.step(&ran(&value(43))).unwrap();
    assert_eq!(fork.score().unwrap().value(), 0.0);
    assert_eq!(fork.grade().unwrap().outcome, AnswerOutcome::Wrong);

    // Without an executor, or where it cannot be run, the program counts as unsupported.
    for reply in [
        TextReply::default(),
        TextReply::failed("forfeited"),
        ran(&SnippetReply::Unsupported {
            what: "import pandas".to_owned(),
        }),
    ] {
        let mut env = asked("FinCode", "42", Settings::default());
        env.step(&TextReply::text("```python\n6 * 7\n```")).unwrap();
        env.step(&reply).unwrap();
        let score = env.score().unwrap();
        assert_eq!(env.grade().unwrap().outcome, AnswerOutcome::Unsupported);
        assert_eq!(score.all_incidents()[0].code, "unsupported");
        assert!(score.is_scored() && score.value() == 0.0);
    }
    // No program, nothing to run.
    let mut env = asked("FinCode", "42", Settings::default());
    env.step(&TextReply::text("Answer: [[42]]")).unwrap();
    assert!(env.is_over());
    assert_eq!(env.score().unwrap().value(), 1.0);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut env = asked("FinCode", "42", Settings::default());
    env.step(&TextReply::text("```python\n6 * 7\n```")).unwrap();
    let before = (env.state().clone(), env.observe());
    for text in ["42", "{}", "", "{\"value\": 42}", "{\"int\": \"x\"}"] {
        let error = env.step(&TextReply::text(text)).unwrap_err();
        assert!(!error.to_string().contains('\n'));
        assert_eq!((env.state().clone(), env.observe()), before);
    }
    env.step(&ran(&value(42))).unwrap();
    let over = env.state().clone();
    assert!(env.step(&TextReply::text("Answer: [[41]]")).is_err());
    env.forfeit();
    assert_eq!(env.state(), &over);
    assert_eq!(env.score().unwrap().value(), 1.0);

    let mut env = asked("RM_C", "Because.", judges(2));
    let before = env.state().clone();
    let judged = State {
        judged: vec![TextReply::text("{\"score\": 5}")],
        ..State::default()
    };
    assert!(
        env.set_state(judged).is_err(),
        "judged before it was answered"
    );
    assert_eq!(env.state(), &before);

    let absent = Item::new("1", "?", Gold::Absent);
    let question = Config::default().question(task("FOMC"), absent);
    let error = QuestionEnv::new(Arc::new(question)).unwrap_err();
    assert!(error.to_string().contains("right answer"), "{error}");
    let none = Config {
        scoring: judges(0),
        ..Config::default()
    };
    let item = Item::new("1", "?", Gold::Text("hawkish".to_owned()));
    assert!(Spec.check(&none).is_err());
    assert!(QuestionEnv::new(Arc::new(none.question(task("FOMC"), item))).is_err());
    let many = Config {
        shots: 101,
        ..Config::default()
    };
    assert!(Spec.check(&many).is_err());
}

/// Where the rules read the whole reply, only the answer of an agent that reasoned counts.
#[test]
fn reasoning_is_no_part_of_the_answer() {
    let reasoned = TextReply {
        answer: Some("hawkish".to_owned()),
        ..TextReply::text("It is not dovish and not neutral.\nAnswer: hawkish")
    };
    let mut env = asked("FOMC", "hawkish", Settings::default());
    let ask = env.ask().unwrap();
    assert_ne!(ask.reasoned.as_ref(), Some(&ask.system));
    assert!(ask.reasoned.unwrap().contains("step by step"));
    env.step(&reasoned).unwrap();
    assert_eq!(env.score().unwrap().value(), 1.0);
    // Where the rules find the answer themselves, they read the reply.
    let mut env = asked("formula", "42", Settings::default());
    let text = TextReply {
        answer: Some("41".to_owned()),
        ..TextReply::text("Answer: 42")
    };
    env.step(&text).unwrap();
    assert_eq!(env.score().unwrap().value(), 1.0);
}

#[test]
fn what_is_told_to_memories() {
    let mut env = asked("FOMC", "hawkish", Settings::default());
    let told = env.retold().unwrap();
    assert_eq!(told.task, prompt::question(&env.question().item));
    assert!(!told.success && told.feedback.is_empty());
    env.step(&TextReply::text("<think>Is it hawkish?</think>dovish"))
        .unwrap();
    let told = env.retold().unwrap();
    assert_eq!(
        told.transcript.trim(),
        "dovish",
        "what it thought is its own"
    );
    assert!(!told.success);
    assert!(!told.feedback.contains("hawkish"), "{}", told.feedback);
    assert_eq!(told.truth.as_deref(), Some("hawkish"));
}

#[test]
fn what_makes_a_question_another_one() {
    let item = || Item::new("1", "?", Gold::Text("hawkish".to_owned()));
    let question = Config::default().question(task("FOMC"), item());
    let same = Config {
        roles: true,
        shots: 3,
        ..Config::default()
    };
    let same = same.question(task("FOMC"), item());
    assert!(same.system.starts_with("You are an expert"));
    assert_eq!(Spec.compared_by(&question), Spec.compared_by(&same));
    let lenient = Config {
        scoring: Settings {
            lenient: true,
            ..Settings::default()
        },
        ..Config::default()
    };
    let other = lenient.question(task("FOMC"), item());
    assert_ne!(Spec.compared_by(&question), Spec.compared_by(&other));
    assert_eq!(
        Spec.labels(&question),
        [
            ("task", "application/FOMC".to_owned()),
            ("item", "application/FOMC:1".to_owned())
        ]
    );
    let text = serde_json::to_string(&question).unwrap();
    assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question);
    let drawn = Spec.generate(&Config::default(), Episode::of_run(Seed(1), 1));
    assert_eq!(drawn.unwrap().uid(), "application/FOMC:2");
}

fn pool(count: usize) -> Vec<Item> {
    let gold = |n: usize| {
        Gold::Text(
            if n.is_multiple_of(2) {
                "hawkish"
            } else {
                "dovish"
            }
            .to_owned(),
        )
    };
    let item = |n: usize| Item::new(n.to_string(), format!("Remark number {n}."), gold(n));
    (0..count).map(item).collect()
}

fn ids(questions: &[Question]) -> Vec<&str> {
    questions.iter().map(|q| q.item.id.as_str()).collect()
}

#[test]
fn examples_are_not_asked() {
    let (fomc, mut items) = (task("FOMC"), pool(12));
    let plain = Config::default();
    let choice = QuestionChoice {
        seed: Seed(5),
        ..QuestionChoice::default()
    };
    let all = plain.questions(fomc, &items, choice).unwrap();
    assert_eq!(all.len(), 12);
    assert_eq!(all[3], plain.question(fomc, items[3].clone()));

    let config = Config {
        shots: 3,
        ..Config::default()
    };
    let shown: BTreeSet<usize> = training_order(Seed(5), 12).into_iter().take(3).collect();
    let some = config.questions(fomc, &items, choice).unwrap();
    let rest: Vec<String> = (0..12)
        .filter(|n| !shown.contains(n))
        .map(|n| n.to_string())
        .collect();
    assert_eq!(ids(&some), rest);
    for question in &some {
        for text in [&question.system, &question.reasoned] {
            let told = (0..12).filter(|n| text.contains(&format!("Remark number {n}.")));
            assert_eq!(told.collect::<BTreeSet<_>>(), shown);
        }
    }
    // Nor is a question that is equal to an example, nor one without a right answer.
    let first = *shown.iter().next().unwrap();
    items.push(Item {
        id: "copy".to_owned(),
        ..items[first].clone()
    });
    items.push(Item::new("absent", "Remark.", Gold::Absent));
    let seeds = (0..50)
        .map(Seed)
        .map(|seed| QuestionChoice { seed, ..choice });
    for choice in seeds {
        let asked = config.questions(fomc, &items, choice).unwrap();
        let examples = &asked[0].system;
        for question in &asked {
            assert_ne!(question.item.id, "absent");
            assert!(
                !examples.contains(&question.item.question),
                "{}",
                question.item.id
            );
        }
    }
    let everything = Config {
        shots: 100,
        ..Config::default()
    };
    let error = everything.questions(fomc, &items, choice).unwrap_err();
    assert!(error.to_string().contains("--shots 100"), "{error}");
    assert!(plain.questions(fomc, &[], choice).is_err());
}

#[test]
fn questions_are_split_and_drawn() {
    let (fomc, items) = (task("FOMC"), pool(30));
    let config = Config {
        shots: 2,
        ..Config::default()
    };
    let part = |part, items_asked, seed| {
        let choice = QuestionChoice {
            items: items_asked,
            split: Some(QuestionSplit { part, train: 10 }),
            seed: Seed(seed),
        };
        config.questions(fomc, &items, choice).unwrap()
    };
    let (train, test) = (part(Part::Train, None, 1), part(Part::Test, None, 1));
    // Examples come from the training part, so that the test part is whole.
    assert_eq!((train.len(), test.len()), (8, 20));
    let together: BTreeSet<&str> = ids(&train).into_iter().chain(ids(&test)).collect();
    assert_eq!(together.len(), 28);
    let five = part(Part::Test, Some(5), 1);
    assert_eq!(five.len(), 5);
    assert!(ids(&five).iter().all(|id| ids(&test).contains(id)));
    let places: Vec<usize> = ids(&five).iter().map(|id| id.parse().unwrap()).collect();
    assert!(places.is_sorted(), "in the order of the file");
    assert_eq!(five, part(Part::Test, Some(5), 1));
    assert_ne!(ids(&five), ids(&part(Part::Test, Some(5), 2)));
    assert_eq!(part(Part::Test, Some(1_000), 1), test);
    let whole = QuestionChoice {
        split: Some(QuestionSplit {
            part: Part::Test,
            train: 30,
        }),
        ..QuestionChoice::default()
    };
    assert!(config.questions(fomc, &items, whole).is_err());
}

/// The report of a run is that of the grades.
#[test]
fn figures_are_those_of_the_grades() {
    let config = Config::default();
    let mut played = Vec::new();
    let mut expected = Vec::new();
    for name in ["FOMC", "CCFraud"] {
        let (task, gold) = (task(name), if name == "FOMC" { "hawkish" } else { "yes" });
        let mut grades = Vec::new();
        for (id, reply) in ["hawkish", "yes", "", "no"].into_iter().enumerate() {
            let item = Item::new(id.to_string(), "?", Gold::Text(gold.to_owned()));
            let grade = Grader::new(Settings::default()).grade(task, &item, Some(reply));
            grades.push(GradedItem {
                id: id.to_string(),
                grade,
            });
            let mut env = open(config.question(task, item));
            env.step(&TextReply::text(reply)).unwrap();
            played.push(env);
        }
        expected.push(report_of(task, &Settings::default(), grades, false));
    }
    // One that is not finished does not count.
    played.push(asked("FOMC", "hawkish", Settings::default()));
    let played: Vec<&QuestionEnv> = played.iter().collect();
    expected.sort_by_key(|report| report.task);
    assert_eq!(json!(reports(&played)), json!(expected));
    let figures = Spec.figures(&played).unwrap();
    assert_eq!(figures.len(), 2);
    assert_eq!(figures[0]["grades"], json!([]));
}

/// A question of a task with a right answer of the kind that its rules need.
fn item_of(task: Task) -> Item {
    let question = "def total(a: float, b: float) -> float:\n    \"\"\"The sum.\"\"\"\n";
    let letters = |letters: &str| {
        let mut set = LetterSet::EMPTY;
        letters
            .chars()
            .for_each(|c| set.insert(LetterSet::of_letter(c)));
        Gold::Letters(set)
    };
    let gold = match task.metric() {
        Metric::Letter | Metric::Choice => letters("B"),
        Metric::LetterSet => letters("AC"),
        Metric::Label(labels) => Gold::Text(labels[0].to_owned()),
        Metric::Completion => Gold::Text("    return a + b".to_owned()),
        Metric::Tags => Gold::Text("A,B,C,D".to_owned()),
        _ => Gold::Text("42".to_owned()),
    };
    Item::new("1", question, gold)
}

/// A judge as a function of the request.
fn judgement(salt: u32, request: &JudgeRequest) -> TextReply {
    let round = u32::from(request.round == Round::Repair);
    match (salt / 3 + 5 * request.judge + 3 * round) % 7 {
        0 => TextReply::text("{\"score\": 4, \"correct\": true}"),
        1 => TextReply::text("```json\n{\"score\": 2.5, \"correct\": false}\n```"),
        2 => TextReply::text("It is good."),
        3 => TextReply::failed("server: 500"),
        4 => TextReply::text("{\"score\": 9, \"correct\": 3}"),
        5 => TextReply::text(""),
        _ => TextReply::text("{\"score\": 0, \"correct\": \"true\"}"),
    }
}

/// An executor as a function of the program.
fn execution(salt: u32, snippet: &Snippet) -> SnippetReply {
    match (salt as usize + snippet.code.len()) % 5 {
        0 => value(42),
        1 => SnippetReply::Failed {
            reason: "ZeroDivisionError".to_owned(),
        },
        2 => SnippetReply::Unsupported {
            what: "import pandas".to_owned(),
        },
        3 => SnippetReply::Value(SnippetValue::Float(0.42)),
        _ => SnippetReply::Value(SnippetValue::List(vec![SnippetValue::Int(42)])),
    }
}

/// The grade of the grader alone, and how often it asked the judge and the executor.
fn graded(
    question: &Question,
    reply: &TextReply,
    salt: u32,
    [has_judge, has_runner]: [bool; 2],
) -> (Grade, [usize; 2]) {
    let mut counts = [0, 0];
    let [judged, executed] = &mut counts;
    let mut judge = |request: &JudgeRequest| {
        *judged += 1;
        let reply = judgement(salt, request);
        reply.text.ok_or_else(|| NoReply {
            reason: reply.failure.unwrap_or_default(),
        })
    };
    let mut runner = |snippet: &Snippet| {
        *executed += 1;
        execution(salt, snippet)
    };
    let mut grader = Grader::new(question.scoring.clone());
    if has_judge {
        grader = grader.with_judge(&mut judge);
    }
    if has_runner {
        grader = grader.with_runner(&mut runner);
    }
    let text = question.graded_text(reply);
    let grade = grader.grade(question.task, &question.item, Some(text));
    drop(grader);
    (grade, counts)
}

fn reply_of() -> impl Strategy<Value = TextReply> {
    let texts = prop::sample::select(vec![
        "",
        "Answer: B",
        "Answer: A, C",
        "Answer: [[B]]",
        "**Hawkish.**",
        "no",
        "42",
        "Answer: [[42]]",
        "It is 41.9.\nAnswer: 42",
        "```python\n40 + 2\n```",
        "```python\nx = 6\nprint(x * 7)\n```\nAnswer: [[42]]",
        "```python\n    return a + b\n```",
        "```python\n    return b + a\n```",
        "<think>42</think>",
        "<think>I wonder.</think>\nA,B,C,D",
        "{\"final_answer\": \"42\"}",
        "Error: 429 Too Many Requests",
    ]);
    let text = prop_oneof![
        4 => texts.prop_map(str::to_owned),
        1 => "(?s).{0,60}",
        1 => "[a-dA-D0-9 .,:\\[\\]\n`]{0,40}",
    ];
    let answer = prop::option::weighted(
        0.3,
        prop_oneof!["[a-d0-9]{0,3}", Just("hawkish".to_owned())],
    );
    (text, answer, prop::bool::weighted(0.95)).prop_map(|(text, answer, is_given)| {
        if is_given {
            TextReply {
                answer,
                ..TextReply::text(text)
            }
        } else {
            TextReply::failed("filtered: no")
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever is answered to whichever task: the grade is that of the grader, judge and executor are asked as often as
    /// it asks them, and a restored state and a fork end in the same way.
    #[test]
    fn the_grade_is_the_graders(
        place in 0_usize..47,
        profile in prop::sample::select(vec![Profile::Strict, Profile::Paper, Profile::Authors, Profile::BizBench]),
        judges in 1_u32..4,
        reply in reply_of(),
        salt in 0_u32..1_000,
        seated in prop::array::uniform2(prop::bool::weighted(0.8)),
        at in 0_usize..4,
    ) {
        let task = Task::all().nth(place).unwrap();
        let scoring = Settings { profile, judges, ..Settings::default() };
        let config = Config { scoring, ..Config::default() };
        let question = config.question(task, item_of(task));
        let mut env = open(question.clone());
        let seats = env.seats();
        let (mut asked, mut steps) = ([0, 0], 0);
        let mut others = Vec::new();
        while !env.is_over() {
            if steps == at {
                let text = serde_json::to_string(env.state()).unwrap();
                let mut restored = open(question.clone());
                restored.set_state(serde_json::from_str(&text).unwrap()).unwrap();
                others = vec![env.clone(), restored];
            }
            let seen = env.observe();
            prop_assert!(seats.contains(&seen.seat));
            let said = match (&seen.request, &seen.snippet) {
                (Some(request), _) if seated[0] => judgement(salt, request),
                (_, Some(snippet)) if seated[1] => ran(&execution(salt, snippet)),
                (None, None) => reply.clone(),
                _ => TextReply::default(),
            };
            asked[0] += usize::from(seen.request.is_some());
            asked[1] += usize::from(seen.snippet.is_some());
            env.step(&said).unwrap();
            for other in &mut others {
                prop_assert_eq!(other.observe(), seen.clone());
                other.step(&said).unwrap();
            }
            steps += 1;
        }
        let (grade, counts) = graded(&question, &reply, salt, seated);
        prop_assert_eq!(env.grade(), Some(&grade));
        for (seat, (found, count)) in asked.into_iter().zip(counts).enumerate() {
            // A seat without a player declines once.
            let as_often = if seated[seat] { found == count } else { found <= 1 };
            prop_assert!(as_often, "seat {}: {} and {}", seat, found, count);
        }
        let score = env.score().unwrap();
        prop_assert_eq!(score.is_scored(), grade.value.is_some());
        prop_assert!((0.0..=1.0).contains(&score.value()));
        for other in &others {
            prop_assert_eq!(other.grade(), env.grade());
            prop_assert_eq!(other.state(), env.state());
        }
    }
}
