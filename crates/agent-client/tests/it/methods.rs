//! The methods: their requests, their memories, and stopping and resuming them.

use crate::asked::{Answered, Asked, item, next, question, work};
use crate::faults::settings;
use crate::server::{Act, Server, completion};
use agent_client::backends::Func;
use agent_client::client::{Client, Shared};
use agent_client::layer::cache::Cache;
use agent_client::memory::{FeedbackMode, WorkKind};
use agent_client::method::{
    EvolveSettings, ItemTrial, LearningStream, METHODS, MemorySpec, MethodSpec, Team, Trial,
    Trials, evolve, instructed,
};
use agent_client::store::MemoryStore;
use agent_client::{
    AgentBackend, AgentError, ErrorClass, Message, ModelRole, Reply, Request, Slot,
};
use async_trait::async_trait;
use qa_scoring::{Gold, Item};
use serde_json::json;
use sim_core::scrub::Scrub;
use sim_core::{Seat, Seed, TextReply};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

pub type Log = Arc<Mutex<Vec<Request>>>;

/// The texts of a request as one.
pub fn words(request: &Request) -> String {
    let texts = request.messages.iter().map(|m| match m {
        Message::System { text } | Message::User { text } => text.clone(),
        Message::Assistant(said) => said.text.clone(),
        Message::Tools { results } => results.iter().map(|r| r.text.clone()).collect(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The replies for the requests of a method's helpers, by the position of the request.
pub fn helper(request: &Request) -> Option<String> {
    let slot = request.slot.as_str();
    let has = |part: &str| slot.contains(part);
    Some(if has("/round") && has("/json") {
        json!({"critique": "fine", "verdict": "ok"}).to_string()
    } else if has("/keywords") {
        json!({"keywords": ["papers"]}).to_string()
    } else if has("/describe") {
        json!({"keywords": ["k"], "context": format!("about {slot}"), "tags": ["t"]}).to_string()
    } else if has("/link") {
        json!({"links": [0], "neighbours": [{"id": 0, "tags": ["newer"]}]}).to_string()
    } else if has("/curate/json") {
        let text = format!("advice of {slot}");
        json!({"operations": [{"op": "add", "section": "checks", "text": text}]}).to_string()
    } else if has("/reflect/json") {
        json!({"insight": "look twice", "helpful": [0], "harmful": []}).to_string()
    } else if has("/curate") {
        format!("<cheatsheet>learnt at {slot}</cheatsheet>")
    } else if has("/reflect") {
        format!("I was careless at {slot}.")
    } else {
        return None;
    })
}

/// A backend whose answers are a function of the request, and the log of its requests.
pub fn backend(
    answer: impl Fn(&Request) -> String + Send + Sync + 'static,
) -> (Arc<dyn AgentBackend>, Log) {
    let log: Log = Arc::default();
    let kept = Arc::clone(&log);
    let func = Func::new("model", move |request: &Request| {
        kept.lock().unwrap().push(request.clone());
        let text = helper(request).unwrap_or_else(|| answer(request));
        Ok(Reply::text(text))
    });
    (Arc::new(func), log)
}

pub fn stream(name: &str, team: Team, feedback: FeedbackMode) -> LearningStream {
    let mut spec: MethodSpec = name.parse().unwrap();
    if let MemorySpec::Instruction(text) = &mut spec.memory {
        *text = Some("Count slowly.".to_owned());
    }
    let questions = work(feedback, WorkKind::Question);
    LearningStream::new(team, spec.make().unwrap(), questions)
}

async fn ask(stream: &mut LearningStream, asked: &Asked) -> Answered {
    next(stream, asked, BTreeMap::new()).await.unwrap()
}

async fn answer_all(stream: &mut LearningStream, items: std::ops::Range<usize>) -> Vec<Answered> {
    let mut records = Vec::new();
    for n in items {
        records.push(ask(stream, &item(n)).await);
    }
    records
}

/// The table in `docs/agents.md` has the rows of `METHODS`, in the same order.
#[test]
fn the_documentation_lists_the_methods() {
    let Some(page) = crate::page() else { return };
    let documented: Vec<Vec<&str>> = page
        .lines()
        .skip_while(|line| !line.starts_with("| method | deliberator | memory |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).skip(1).take(5).collect())
        .collect();
    let methods: Vec<[String; 5]> = METHODS
        .iter()
        .map(|method| {
            let name = format!("`{}`", method.name);
            let [deliberator, memory, about] =
                [method.deliberator, method.memory, method.about].map(str::to_owned);
            [name, deliberator, memory, method.cost.to_string(), about]
        })
        .collect();
    assert_eq!(documented, methods);
    assert!(METHODS.is_sorted_by_key(|method| method.cost));
}

/// Answers 1, which is right for question 0 only.
fn one(_: &Request) -> String {
    "Let me see.\nANSWER: 1".to_owned()
}

#[tokio::test]
async fn requests_for_an_item_are_exactly_as_documented() {
    let cases: &[(&str, [u32; 4])] = &[
        ("direct", [1, 1, 1, 1]),
        ("cot", [1, 1, 1, 1]),
        ("self-refine", [2, 2, 2, 2]),
        ("reflexion", [1, 2, 2, 2]),
        ("dc", [2, 2, 2, 2]),
        ("ace", [3, 3, 3, 3]),
        ("amem", [3, 4, 4, 4]),
        ("debate", [6, 6, 6, 6]),
        ("discussion", [3, 3, 3, 3]),
        ("gepa", [1, 1, 1, 1]),
        ("debate+playbook", [8, 8, 8, 8]),
    ];
    for (name, expected) in cases {
        let (model, log) = backend(one);
        let mut stream = stream(name, Team::of(model), FeedbackMode::Outcome);
        let records = answer_all(&mut stream, 0..4).await;
        let counts: Vec<u32> = records.iter().map(|r| r.note.used.replies()).collect();
        assert_eq!(counts, expected, "{name}");
        assert_eq!(
            log.lock().unwrap().len() as u32,
            expected.iter().sum::<u32>()
        );
        let right: Vec<bool> = records
            .iter()
            .map(|r| r.record.score.value() == 1.0)
            .collect();
        assert_eq!(right, [true, false, false, false], "{name}");
        let slots: BTreeSet<Slot> = log.lock().unwrap().iter().map(|r| r.slot.clone()).collect();
        assert_eq!(
            slots.len(),
            log.lock().unwrap().len(),
            "{name}: every slot once"
        );
    }
}

#[tokio::test]
async fn refining_and_discussing_take_what_they_need() {
    // A critic with permanent objections: four rounds, then the last version counts.
    let critic = Func::new("critic", |request: &Request| {
        let round = request.slot.as_str().split("/round").nth(1);
        Ok(Reply::text(match round.and_then(|r| r.split('/').next()) {
            None => "ANSWER: 100".to_owned(),
            Some(n) => {
                assert!(words(request).contains("This is your draft"));
                json!({"critique": "c", "verdict": "revise", "revised": format!("ANSWER: {n}")})
                    .to_string()
            }
        }))
    });
    let mut refined = stream(
        "self-refine",
        Team::of(Arc::new(critic)),
        FeedbackMode::None,
    );
    let record = ask(&mut refined, &item(0)).await;
    assert_eq!(
        (record.note.used.replies(), record.answer().as_str()),
        (5, "3")
    );
    // A critic whose changes make no difference: it ends after the first round.
    let same = Func::new("same", |request: &Request| {
        Ok(Reply::text(if request.slot.as_str().contains("/round") {
            json!({"critique": "", "verdict": "revise", "revised": "ANSWER: 1.0"}).to_string()
        } else {
            "ANSWER: 1".to_owned()
        }))
    });
    let mut refined = stream("self-refine", Team::of(Arc::new(same)), FeedbackMode::None);
    let record = ask(&mut refined, &item(0)).await;
    assert_eq!(
        (record.note.used.replies(), record.answer().as_str()),
        (2, "1")
    );

    // Three agents who differ at first: two rounds and a synthesis.
    let (model, log) = backend(|request| {
        let slot = request.slot.as_str();
        let agent = slot.chars().last().unwrap();
        if slot.ends_with("synthesis") {
            "ANSWER: 9".to_owned()
        } else {
            format!("I am sure.\nANSWER: {agent}")
        }
    });
    let mut discussed = stream(
        "discussion",
        Team::of(Arc::clone(&model)),
        FeedbackMode::None,
    );
    let record = ask(&mut discussed, &item(0)).await;
    assert_eq!(
        (record.note.used.replies(), record.answer().as_str()),
        (7, "9")
    );
    let asked = log.lock().unwrap().clone();
    assert!(
        words(&asked[4]).contains("<partner>\nI am sure.\nANSWER: 2"),
        "{}",
        words(&asked[4])
    );
    assert_eq!(
        asked[4].messages.len(),
        asked[0].messages.len() + 2,
        "its own history is kept"
    );
    assert!(words(&asked[6]).matches("<contribution>").count() == 3);
    assert!(asked.iter().all(|r| r.temperature == Some(0.7)));

    // A debate of the same three: no synthesis, the majority counts, ties go to the first.
    let mut debated = stream("debate", Team::of(model), FeedbackMode::None);
    let record = ask(&mut debated, &item(0)).await;
    assert_eq!(
        (record.note.used.replies(), record.answer().as_str()),
        (6, "0")
    );
}

#[tokio::test]
async fn only_online_memories_change_the_next_prompt() {
    let online = ["reflexion", "dc", "ace", "amem"];
    for name in [
        "cot",
        "self-refine",
        "debate",
        "discussion",
        "gepa",
        "reflexion",
        "dc",
        "ace",
        "amem",
    ] {
        let (model, log) = backend(one);
        let mut stream = stream(name, Team::of(model), FeedbackMode::Outcome);
        assert_eq!(stream.method().memory.is_online(), online.contains(&name));
        // The same wrong question twice.
        let first = ask(&mut stream, &item(3)).await;
        let second = ask(&mut stream, &item(3)).await;
        assert_eq!(
            first.note.memory != second.note.memory,
            online.contains(&name),
            "{name}"
        );
        assert_eq!(!first.note.ops.is_empty(), online.contains(&name), "{name}");
        let asked = log.lock().unwrap();
        let answers: Vec<String> = asked
            .iter()
            .filter(|r| r.slot.as_str().contains("/answer") && helper(r).is_none())
            .map(words)
            .collect();
        // As many requests for the second question as for the first.
        let changed = answers[0] != answers[answers.len() / 2];
        assert_eq!(changed, online.contains(&name), "{name}");
        let learnt = match name {
            "reflexion" => "I was careless at",
            "dc" => "learnt at",
            "ace" => "advice of",
            "amem" => "about episode",
            "gepa" => "Count slowly.",
            _ => "",
        };
        assert!(answers.last().unwrap().contains(learnt), "{name}");
        assert_eq!(
            answers[0].contains(learnt),
            !online.contains(&name),
            "{name}"
        );
    }
}

#[tokio::test]
async fn every_memory_goes_on_from_its_snapshot() {
    for name in [
        "cot",
        "gepa",
        "reflexion",
        "dc",
        "ace",
        "amem",
        "debate+notes",
    ] {
        let (model, _) = backend(one);
        let mut whole = stream(name, Team::of(Arc::clone(&model)), FeedbackMode::Outcome);
        let expected = answer_all(&mut whole, 0..5).await;
        let mut first = stream(name, Team::of(Arc::clone(&model)), FeedbackMode::Outcome);
        answer_all(&mut first, 0..3).await;
        // Through text, as a file would store it.
        let text = first.snapshot().to_string();
        let mut second = stream(name, Team::of(model), FeedbackMode::Outcome);
        second
            .restore(&serde_json::from_str(&text).unwrap())
            .unwrap();
        let rest = answer_all(&mut second, 3..5).await;
        assert_eq!(rest, expected[3..], "{name}");
        assert_eq!(second.snapshot(), whole.snapshot(), "{name}");
        let wrong = json!({"state": {"played": 0, "best": null}, "memory": {"surprise": 1}});
        assert!(second.restore(&wrong).is_err(), "{name}");
        assert_eq!(
            second.snapshot(),
            whole.snapshot(),
            "{name}: unchanged by a wrong one"
        );
    }
}

#[tokio::test]
async fn a_failure_in_the_middle_leaves_the_stream_as_it_was() {
    for name in ["ace", "amem", "dc", "reflexion"] {
        let (model, _) = backend(one);
        let mut stream = stream(name, Team::of(Arc::clone(&model)), FeedbackMode::Outcome);
        answer_all(&mut stream, 0..3).await;
        let before = stream.snapshot();
        let flaky = |fail_at: u32| {
            let (count, model) = (Mutex::new(0), Arc::clone(&model));
            let inner = Arc::new(Counting(count, fail_at, model));
            inner as Arc<dyn AgentBackend>
        };
        for fail_at in 1..=2 {
            let mut broken = stream_like(name, flaky(fail_at), &before);
            let failed = next(&mut broken, &item(3), BTreeMap::new()).await;
            assert!(failed.is_err(), "{name} {fail_at}");
            assert_eq!(broken.snapshot(), before, "{name} {fail_at}");
        }
    }
}

fn stream_like(
    name: &str,
    backend: Arc<dyn AgentBackend>,
    snapshot: &serde_json::Value,
) -> LearningStream {
    let mut stream = stream(name, Team::of(backend), FeedbackMode::Outcome);
    stream.restore(snapshot).unwrap();
    stream
}

#[derive(Debug)]
struct Counting(Mutex<u32>, u32, Arc<dyn AgentBackend>);

#[async_trait]
impl AgentBackend for Counting {
    fn name(&self) -> String {
        self.2.name()
    }

    async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
        let count = {
            let mut count = self.0.lock().unwrap();
            *count += 1;
            *count
        };
        if count == self.1 {
            return Err(AgentError::new(ErrorClass::Server, "down"));
        }
        self.2.ask(request).await
    }
}

/// The right answer, the score, the hint and the verdict get into the memory only if the feedback
/// mode allows it.
#[tokio::test]
async fn feedback_modes_let_through_what_they_say() {
    let modes = [
        FeedbackMode::None,
        FeedbackMode::Env,
        FeedbackMode::Outcome,
        FeedbackMode::GroundTruth,
    ];
    for name in ["reflexion", "dc", "ace", "amem"] {
        for mode in modes {
            let (model, log) = backend(|_| "I do not know.".to_owned());
            let mut stream = stream(name, Team::of(model), mode);
            ask(&mut stream, &item(40)).await;
            let asked = log.lock().unwrap();
            let after: String = asked
                .iter()
                .filter(|r| r.slot.as_str().contains("/after"))
                .map(words)
                .collect();
            let learns = name != "reflexion" || mode >= FeedbackMode::Outcome;
            assert_eq!(!after.is_empty(), learns, "{name} {mode}");
            if !learns {
                continue;
            }
            assert!(
                asked
                    .iter()
                    .filter(|r| r.slot.as_str().contains("/after"))
                    .all(|r| r.role == ModelRole::Reflector)
            );
            let shows = [
                ("no answer could be read", FeedbackMode::Env),
                ("Score: 0", FeedbackMode::Outcome),
                ("The answer is wrong", FeedbackMode::Outcome),
                ("The right answer: 41", FeedbackMode::GroundTruth),
            ];
            for (text, from) in shows {
                assert_eq!(after.contains(text), mode >= from, "{name} {mode}: {text}");
            }
        }
    }
    assert_eq!("ground_truth".parse(), Ok(FeedbackMode::GroundTruth));
    assert!(
        "truth"
            .parse::<FeedbackMode>()
            .unwrap_err()
            .contains("ground_truth")
    );
}

#[tokio::test]
async fn equal_first_requests_of_a_debate_are_three_requests() {
    let server =
        Server::start(|n, _| Act::json(200, &completion(&format!("ANSWER: {}", n % 3)))).await;
    let store = Arc::new(MemoryStore::default());
    let run = async || {
        let shared = Shared {
            cache: Some(Cache::open(Arc::clone(&store) as _, Scrub::default()).unwrap()),
            ..Shared::default()
        };
        let client = Client::new(settings(&server), &shared).unwrap();
        let mut stream = stream("debate", Team::of(Arc::new(client)), FeedbackMode::None);
        ask(&mut stream, &item(0)).await
    };
    let first = run().await;
    assert_eq!(server.hits(), 6);
    let seen = server.seen();
    assert_eq!(seen[0].body, seen[1].body, "word for word the same");
    assert_eq!(seen[1].body, seen[2].body);
    let again = run().await;
    assert_eq!(server.hits(), 6, "the second run is answered by the cache");
    assert_eq!(again, first);
}

#[tokio::test]
async fn unanswered_questions_are_failures_of_the_agent() {
    let filtered = Func::new("f", |_: &Request| {
        Err(AgentError::new(ErrorClass::Filtered, "no"))
    });
    let mut stream = stream("cot", Team::of(Arc::new(filtered)), FeedbackMode::Outcome);
    let record = ask(&mut stream, &item(0)).await;
    assert_eq!(
        record.replies(&Seat::AGENT),
        [TextReply::failed("filtered: no")]
    );
    let score = &record.record.score;
    assert!(score.is_scored() && score.value() == 0.0);
    assert_eq!(score.all_incidents()[0].code, "no_answer");
    assert_eq!(record.note.report.filtered, 1);
}

/// Only the answer of an agent that reasoned is graded where the rules read the whole reply.
#[tokio::test]
async fn the_steps_are_no_part_of_an_answer() {
    let label = || {
        let gold = Gold::Text("hawkish".to_owned());
        question("FOMC", Item::new("1", "Rates must rise.", gold))
    };
    for (name, reasons) in [("cot", true), ("direct", false)] {
        let (model, log) = backend(|_| "It is not dovish.\nAnswer: hawkish".to_owned());
        let mut stream = stream(name, Team::of(model), FeedbackMode::None);
        let record = ask(&mut stream, &label()).await;
        let reply = record.replies(&Seat::AGENT).remove(0);
        assert_eq!(reply.answer.is_some(), reasons, "{name}");
        let told = words(&log.lock().unwrap()[0]);
        assert_eq!(told.contains("step by step"), reasons, "{name}");
        if reasons {
            assert_eq!(reply.answer.as_deref(), Some("hawkish"));
            assert_eq!(record.record.score.value(), 1.0);
        }
    }
}

/// An agent that is correct as soon as its instruction says how.
fn trainable() -> (Arc<dyn AgentBackend>, Log) {
    backend(|request| {
        let text = words(request);
        if request.slot.as_str().contains("proposal") {
            assert!(text.contains("The right answer:"));
            return "<instruction>Add one.</instruction>".to_owned();
        }
        let n: usize = text
            .rsplit("How many papers are ")
            .next()
            .and_then(|rest| rest.split(' ').next())
            .and_then(|n| n.parse().ok())
            .unwrap();
        let answer = if text.contains("Add one.") { n + 1 } else { n };
        format!("ANSWER: {answer}")
    })
}

/// Tries an instruction on a question.
struct QuestionTrial(Arc<dyn AgentBackend>);

#[async_trait]
impl ItemTrial for QuestionTrial {
    type Item = usize;

    async fn run(&self, n: &usize, instruction: &str, slot: &Slot) -> Result<Trial, AgentError> {
        let method = instructed(instruction)?.make()?;
        let work = work(FeedbackMode::None, WorkKind::Question);
        let mut stream = LearningStream::new(Team::of(Arc::clone(&self.0)), method, work);
        assert!(!slot.as_str().is_empty());
        let record = next(&mut stream, &item(*n), BTreeMap::new()).await?;
        Ok(Trial {
            score: record.record.score.value(),
            transcript: record.answer(),
            feedback: format!("The right answer: {}", n + 1),
        })
    }
}

#[tokio::test]
async fn an_instruction_is_evolved_within_its_budget() {
    let (model, log) = trainable();
    let trials = Arc::new(Trials {
        how: QuestionTrial(Arc::clone(&model)),
        train: (0..10).collect(),
        validation: (20..26).collect(),
    });
    let slot = Slot::new("evolve");
    let run = async |metric_calls, concurrency| {
        let settings = EvolveSettings {
            metric_calls,
            concurrency,
            seed: Seed(3),
            ..EvolveSettings::default()
        };
        evolve(&trials, &model, "Think.", &settings, &slot).await
    };
    let evolved = run(60, 1).await.unwrap();
    assert_eq!(evolved.instruction, "Add one.");
    assert!((evolved.first_mean, evolved.mean) == (0.0, 1.0));
    assert_eq!(
        evolved.history.len(),
        1,
        "after that every minibatch is perfect"
    );
    assert!(
        evolved.history[0].accepted && evolved.metric_calls <= 60,
        "{evolved:?}"
    );
    let asked = log.lock().unwrap().clone();
    assert_eq!(
        asked.len(),
        evolved.metric_calls + 1,
        "one request a trial, one a proposal"
    );
    log.lock().unwrap().clear();
    assert_eq!(
        run(60, 4).await.unwrap(),
        evolved,
        "the draws follow from the seed, whatever runs at once"
    );
    // 6 + 2 * (6 + 6) = 30.
    let error = run(29, 1).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Setup);
    assert!(error.message.contains("at least 30"), "{error}");
    assert!(run(30, 1).await.is_ok());
}
