//! Methods that play episodes, and repeated decisions.

use crate::episodes::{case, order, session};
use crate::methods::{Log, helper, words};
use agent_client::backends::Func;
use agent_client::memory::{FeedbackMode, WorkKind};
use agent_client::method::{
    EpisodeNote, EpisodeUnit, EpisodeWork, LearningStream, METHODS, MemorySpec, MethodSpec, Team,
};
use agent_client::{AgentBackend, AgentError, ErrorClass, Reply, Request, ToolCall, ToolChoice};
use serde_json::json;
use sim_core::{EpisodeRecord, Limits, Sense, Session};
use std::sync::Arc;

fn look() -> ToolCall {
    ToolCall::new("l", "get_yesterday", json!({}))
}

/// Reads, then orders a number that depends on the request; answers helpers; fails at `fail`.
fn player(fail: Option<usize>) -> (Arc<dyn AgentBackend>, Log) {
    let log: Log = Arc::default();
    let kept = Arc::clone(&log);
    let func = Func::new("player", move |request: &Request| {
        let number = {
            let mut kept = kept.lock().unwrap();
            kept.push(request.clone());
            kept.len()
        };
        if fail == Some(number) {
            return Err(AgentError::new(ErrorClass::Server, "down"));
        }
        if let Some(text) = helper(request) {
            return Ok(Reply::text(text));
        }
        if request.choice == ToolChoice::None {
            return Ok(Reply::text("I think first."));
        }
        let slot = request.slot.as_str();
        let spread: i64 = words(request)
            .bytes()
            .chain(slot.bytes())
            .map(i64::from)
            .sum();
        let looked = words(request).contains("yesterday");
        Ok(Reply::calls(vec![if looked {
            order(spread % 40)
        } else {
            look()
        }]))
    });
    (Arc::new(func), log)
}

fn stream(name: &str, backend: Arc<dyn AgentBackend>, settings: EpisodeWork) -> LearningStream {
    let mut spec: MethodSpec = name.parse().unwrap();
    if let MemorySpec::Instruction(text) = &mut spec.memory {
        *text = Some("Order a little.".to_owned());
    }
    LearningStream::new(Team::of(backend), spec.make().unwrap(), settings)
}

async fn one_episode(
    stream: &mut LearningStream,
    index: u64,
    name: &str,
    resumed: Option<Session>,
    saved: &mut Vec<sim_core::Entry>,
) -> Result<(EpisodeRecord, EpisodeNote), AgentError> {
    let case = case(index);
    let open = || Ok(case.open()?);
    let unit = EpisodeUnit {
        name: name.to_owned(),
        task: "Sell papers for ten days.".to_owned(),
        session: resumed.unwrap_or_else(|| session(&*case, index, Limits::default())),
        open: &open,
        gold: None,
        truth: Some("order the demand".to_owned()),
        seats: std::collections::BTreeMap::new(),
        after_turn: &mut |s| *saved = s.entries().to_vec(),
    };
    stream.next(unit).await
}

#[tokio::test]
async fn every_method_plays() {
    // Two queries a day (read, decide): a query that only reads is not refined, debated or
    // discussed.
    let expected = [
        ("direct", 20),
        // The reasoning, then the call.
        ("cot", 40),
        ("gepa", 20),
        // A critic's round for each of ten orders.
        ("self-refine", 30),
        // The first episode beats all earlier ones: no reflection.
        ("reflexion", 20),
        ("dc", 21),
        ("ace", 22),
        // A search query and a description; no neighbours yet.
        ("amem", 22),
        // Reading is one request, each order six or seven.
        ("debate", 70),
        ("discussion", 80),
    ];
    assert_eq!(expected.len(), METHODS.len());
    for (name, replies) in expected {
        let (model, log) = player(None);
        let mut stream = stream(name, model, EpisodeWork::new(Sense::Maximise));
        let (record, note) = one_episode(&mut stream, 0, "0", None, &mut Vec::new())
            .await
            .unwrap();
        record.verify(case(0).open().unwrap()).unwrap();
        assert_eq!(record.tally().inputs, 20, "{name}");
        assert_eq!(note.used.replies(), replies, "{name}");
        assert_eq!(log.lock().unwrap().len() as u32, replies, "{name}");
        assert_eq!(note.report.queries, 20, "{name}");
    }
}

#[tokio::test]
async fn a_debate_orders_what_lies_between() {
    let votes = Func::new("votes", |request: &Request| {
        let agent = request.slot.as_str().chars().last().unwrap();
        let papers = [30, 10, 20][agent.to_digit(10).unwrap() as usize];
        Ok(Reply::calls(vec![order(papers)]))
    });
    let settings = EpisodeWork::new(Sense::Maximise);
    let mut stream = stream("debate", Arc::new(votes), settings);
    let (record, note) = one_episode(&mut stream, 0, "0", None, &mut Vec::new())
        .await
        .unwrap();
    assert_eq!(note.used.replies(), 60);
    for entry in &record.entries {
        assert_eq!(entry.action, Some(json!({"papers": 20})));
    }
}

/// A stream that is stopped at any request and resumed ends with the same records and the same
/// memory.
#[tokio::test]
async fn streams_of_episodes_can_be_stopped_anywhere() {
    for (name, update_every) in [
        ("ace", None),
        ("ace", Some(3)),
        ("amem", Some(4)),
        ("reflexion", None),
    ] {
        let settings = EpisodeWork {
            update_every,
            success: Some(1e9),
            ..EpisodeWork::new(Sense::Maximise)
        };
        let (model, log) = player(None);
        let mut whole = stream(name, model, settings);
        let mut expected = Vec::new();
        for index in 0..2 {
            let (name, mut saved) = (index.to_string(), Vec::new());
            let played = one_episode(&mut whole, index, &name, None, &mut saved).await;
            expected.push(played.unwrap().0);
        }
        let requests = log.lock().unwrap().len();
        assert!(requests > 40);
        for fail in (1..=requests).step_by(5) {
            let (model, _) = player(Some(fail));
            let mut stream = stream(name, model, settings);
            for (index, expected) in (0..).zip(&expected) {
                let mut saved = Vec::new();
                let before = stream.snapshot();
                let name = index.to_string();
                let record = match one_episode(&mut stream, index, &name, None, &mut saved).await {
                    Ok((record, _)) => record,
                    Err(_) => {
                        assert_eq!(stream.snapshot(), before, "as before the episode");
                        let case = case(index);
                        let fresh = session(&*case, index, Limits::default());
                        let header = fresh.header().clone();
                        let env = case.open().unwrap();
                        let resumed =
                            Session::resume(env, header, Limits::default(), saved.clone()).unwrap();
                        let again =
                            one_episode(&mut stream, index, &name, Some(resumed), &mut saved);
                        again.await.unwrap().0
                    }
                };
                assert_eq!(&record, expected, "{name} stopped at {fail}");
            }
            assert_eq!(
                stream.snapshot(),
                whole.snapshot(),
                "{name} stopped at {fail}"
            );
        }
    }
}

#[tokio::test]
async fn the_memory_is_frozen_in_an_episode_unless_told() {
    let systems = async |update_every| {
        let settings = EpisodeWork {
            update_every,
            ..EpisodeWork::new(Sense::Maximise)
        };
        let (model, log) = player(None);
        let mut stream = stream("dc", model, settings);
        one_episode(&mut stream, 0, "0", None, &mut Vec::new())
            .await
            .unwrap();
        let log = log.lock().unwrap();
        let mut seen: Vec<String> = log
            .iter()
            .filter(|r| !r.tools.is_empty())
            .map(|r| format!("{:?}", r.messages[0]))
            .collect();
        seen.dedup();
        seen
    };
    assert_eq!(systems(None).await.len(), 1);
    let changing = systems(Some(4)).await;
    assert_eq!(changing.len(), 3, "days 0 to 3, 4 to 7, 8 and 9");
    assert!(
        changing[1].contains("learnt at episode/-0/midway4"),
        "{}",
        changing[1]
    );
}

/// Six runs of one decision: online memories see the previous run, the others do not.
#[tokio::test]
async fn repeated_runs_learn_from_each_other_only_online() {
    for (name, online) in [
        ("cot", false),
        ("debate", false),
        ("reflexion", true),
        ("dc", true),
        ("amem", true),
        ("ace", true),
    ] {
        let settings = EpisodeWork {
            work: WorkKind::Run,
            ..EpisodeWork::new(Sense::Maximise)
        };
        let (model, log) = player(None);
        let mut stream = stream(name, model, settings);
        let mut openings = Vec::new();
        let mut scores = Vec::new();
        for run in 0..6 {
            let from = log.lock().unwrap().len();
            let name = format!("run{run}");
            let (record, _) = one_episode(&mut stream, 0, &name, None, &mut Vec::new())
                .await
                .unwrap();
            scores.push(record.score.value());
            let log = log.lock().unwrap();
            let first = log[from..].iter().find(|r| !r.tools.is_empty()).unwrap();
            openings.push(format!("{:?}", first.messages));
        }
        let distinct: std::collections::BTreeSet<&String> = openings.iter().collect();
        assert_eq!(distinct.len(), if online { 6 } else { 1 }, "{name}");
        let different: std::collections::BTreeSet<u64> =
            scores.iter().map(|s| s.to_bits()).collect();
        assert!(different.len() > 1, "{name}: each run is a draw of its own");
        if name == "reflexion" {
            let log = log.lock().unwrap();
            let reflections = log.iter().map(|request| format!("{:?}", request.messages));
            let reflections: Vec<String> = reflections
                .filter(|words| words.contains("What came of it"))
                .collect();
            assert_eq!(reflections.len(), 6, "one after each run");
            for words in &reflections {
                // A run that repeats a decision is better or worse than another, and no failure.
                for wrong in ["success", "It did not go as it should", "mistake"] {
                    assert!(!words.contains(wrong), "{wrong} in {words}");
                }
                assert!(
                    words.contains("No run before it was as good")
                        || words.contains("not better than the best")
                );
            }
            drop(log);
            let best = scores[..5]
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max);
            let shown = format!("The best so far (score {best})");
            assert!(openings[5].contains(&shown), "{shown} in {}", openings[5]);
            assert_eq!(
                openings[5].matches("I was careless").count(),
                3,
                "the last three"
            );
        }
    }
}

#[tokio::test]
async fn feedback_decides_what_is_retold() {
    for mode in [
        FeedbackMode::None,
        FeedbackMode::Env,
        FeedbackMode::Outcome,
        FeedbackMode::GroundTruth,
    ] {
        let settings = EpisodeWork {
            feedback: mode,
            ..EpisodeWork::new(Sense::Maximise)
        };
        let (model, log) = player(None);
        let mut stream = stream("dc", model, settings);
        one_episode(&mut stream, 0, "0", None, &mut Vec::new())
            .await
            .unwrap();
        let log = log.lock().unwrap();
        let curated = words(log.last().unwrap());
        assert!(curated.contains("day 1: order("), "{curated}");
        let shows = [
            ("-> result: Sold", FeedbackMode::Env),
            ("Score: ", FeedbackMode::Outcome),
            (
                "The right answer: order the demand",
                FeedbackMode::GroundTruth,
            ),
        ];
        for (text, from) in shows {
            assert_eq!(curated.contains(text), mode >= from, "{mode}: {text}");
        }
    }
}

#[tokio::test]
async fn settings_decide_the_digest() {
    let (model, _) = player(None);
    let settings = EpisodeWork::new(Sense::Maximise);
    let digest = |name: &str, settings| stream(name, Arc::clone(&model), settings).digest();
    let first = digest("cot", settings);
    assert_eq!(first, digest("cot", settings));
    assert_ne!(first, digest("debate", settings));
    let other = EpisodeWork {
        feedback: FeedbackMode::None,
        ..settings
    };
    assert_ne!(first, digest("cot", other));
}
